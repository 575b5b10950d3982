"""`oddly perft`: how many legal sequences there are."""

from __future__ import annotations

import json
from typing import Literal

from oddly.games.legal_turns import perft
from oddly.interfaces.command_line.command import POSITIVE, OneOf, command
from oddly.interfaces.command_line.command_progress import waiting
from oddly.interfaces.command_line.declaring import option
from oddly.interfaces.command_line.errors import DONE
from oddly.interfaces.command_line.game_options import TURNS, NamedGame, play_turns
from oddly.interfaces.command_line.shared_options import JSON


@command()
def run(
    *,
    game: NamedGame,
    depth: int = option("N", "1 or more", kind=POSITIVE),
    by: Literal["turn", "drop"] = option(
        "UNIT", "what to count: turn or drop", kind=OneOf("turn", "drop"), default="turn"
    ),
    turns: tuple[str, ...] = TURNS,
    as_json: bool = JSON,
) -> int:
    """Print one line, `depth count`, for each depth from 1."""
    position = play_turns(game.create(), turns)
    counts = []
    for level in range(1, depth + 1):
        with waiting(f"counting to depth {level}"):
            counts.append(perft(position, level, by)[-1])
        if not as_json:
            print(level, counts[-1], flush=True)
    if as_json:
        print(json.dumps({"game": str(position.game), "by": by, "counts": counts}, indent=2))
    return DONE
