"""Drawing openings in a separate process, whose kernels delay no game of this one."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from oddly.games.catalogue import GAMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.games.game import Game
    from oddly.tournaments.schedule import Opening

PROGRAM = """
import json, sys
facts = json.loads(sys.stdin.readline())
sys.path[:] = facts["path"]
from oddly.tournaments.random_openings import draw_here
print(json.dumps(draw_here(facts)))
"""


class DrawnOpenings(NamedTuple):
    """The first openings of a game."""

    openings: Sequence[Opening]
    are_all: bool
    """Whether there are no others."""


def draw_elsewhere(
    game: Game, turns: int, seed: int, known: Mapping[int, Opening], number: int
) -> DrawnOpenings | None:
    """Return the first `number` openings, drawn by another process; None if it could not.

    The `known` openings, by number, are not drawn again.
    """
    if game.name not in GAMES or GAMES[game.name] is not type(game):
        return None
    facts = {
        "path": sys.path,
        "game": game.name,
        "size": game.size,
        "settings": dict(game.settings),
        "turns": turns,
        "seed": seed,
        "known": list(known.items()),
        "number": number,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=json.dumps(facts) + "\n",
            capture_output=True,
            text=True,
            check=True,
            start_new_session=True,
        )
        openings, are_all = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return DrawnOpenings([tuple(opening) for opening in openings], are_all)
