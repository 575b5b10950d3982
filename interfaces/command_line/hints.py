"""Hints that commands give: a ledger that was meant, our own name, a game already solved."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import did_you_mean
from oddly.tournaments import Observer, RunStart

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.games import Game


def nearest_ledger(path: Path) -> str:
    """Return `; did you mean 'spring.sqlite'?` for a near miss beside `path`, else an empty string.

    For a path that exists, the string is empty.
    """
    if path.exists():
        return ""
    return did_you_mean(path.name, (other.name for other in path.parent.glob("*.sqlite")))


NAME = "oddly"


def own_name() -> str:
    """Return `oddly` if the shell finds this program by that name, else the path that was typed."""
    typed = Path(sys.argv[0])
    if typed.name != NAME:
        return NAME
    found = shutil.which(NAME)
    is_found = found is not None and typed.exists() and typed.samefile(found)
    return NAME if is_found else shlex.quote(sys.argv[0])


class KnownWinners(Observer):
    """Warns before a run's first game about games whose winner is proved."""

    def __init__(self, games: Iterable[Game]) -> None:
        self._games = games

    def start(self, start: RunStart) -> None:
        """Print it on standard error."""
        if not start.is_done:
            tell_of_known_winners(self._games)


def tell_of_known_winners(games: Iterable[Game]) -> None:
    """Warn on standard error about games whose winner is proved."""
    for game in games:
        if game.known_winner:
            print(f"oddly: {game}: {game.known_winner}", file=sys.stderr)
