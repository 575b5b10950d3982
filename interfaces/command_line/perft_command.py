"""`oddly perft`: how many legal sequences there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from oddly.games.legal_turns import perft
from oddly.interfaces.command_line.command import POSITIVE, OneOf, command, option
from oddly.interfaces.command_line.command_progress import waiting
from oddly.interfaces.command_line.errors import DONE
from oddly.interfaces.command_line.game_options import game_options, play_turns, turns_argument

if TYPE_CHECKING:
    from oddly.interfaces.command_line.game_options import GameOptions


@command()
@game_options()
@option("--depth", type=POSITIVE, required=True, metavar="N", help="1 or more")
@option(
    "--by",
    type=OneOf("turn", "drop"),
    default="turn",
    metavar="UNIT",
    help="what to count: turn or drop (default: turn)",
)
@turns_argument
def run(game: GameOptions, depth: int, by: Literal["turn", "drop"], turns: tuple[str, ...]) -> int:
    """Print one line, `depth count`, for each depth from 1."""
    position = play_turns(game.create(), turns)
    for level in range(1, depth + 1):
        with waiting(f"counting to depth {level}"):
            count = perft(position, level, by)[-1]
        print(level, count, flush=True)
    return DONE
