"""Databases of whole boards, where there are any: what was solved once need not be searched.

`oddly database` makes them. They are looked for in the folder that the environment variable
ODDLY_DATABASES names, else in the current one, under the name that `oddly database` gives them.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from oddly.engines.solver.plain_solver import Solution
from oddly.games import Ayu, AyuPosition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.engines.database.database import Database
    from oddly.engines.solver.ayu_database import AyuDatabase
    from oddly.games import Colour, DropPosition, Game, Position, Turn

VARIABLE = "ODDLY_DATABASES"


@contextmanager
def without_databases() -> Iterator[None]:
    """Have neither this process nor the engines that it starts use databases: they search."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = os.devnull
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def folder_name(game: Game, *, every: bool = False) -> str:
    """Return the name of a database's folder: `yodd-3`, `odd-square-4-groups-of-3`.

    `every` is for the one with all thresholds of Odd.
    """
    words = [game.name, str(game.size)]
    if "min_group" in game.settings:
        words.insert(1, game.board.shape)
        words.append("every-threshold" if every else f"groups-of-{game.settings['min_group']}")
    return "-".join(words)


def new_database(
    game: Game, folder: Path, thresholds: tuple[int, ...] | None = None
) -> Database | AyuDatabase:
    """Return the database of a game in a folder, finished or not.

    Raises DatabaseError for a game or board that has none, or a folder with another one.
    """
    if isinstance(game, Ayu):
        from oddly.engines.solver.ayu_database import AyuDatabase

        return AyuDatabase(game, folder)
    from oddly.engines.database.database import Database

    return Database(game, folder, thresholds)


def database_for(game: Game) -> Database | AyuDatabase | None:
    """Return the finished database of a game's board; None if there is none."""
    from oddly.engines.database.files import DatabaseError

    root = Path(os.environ.get(VARIABLE, ""))
    for name in dict.fromkeys((folder_name(game), folder_name(game, every=True))):
        if (root / name / "database.json").is_file():
            with suppress(DatabaseError):
                return _opened(
                    game, (root / name).absolute(), every=name.endswith("every-threshold")
                )
    return None


@lru_cache(maxsize=8)
def _opened(game: Game, folder: Path, *, every: bool) -> Database | AyuDatabase:
    """Return the finished database of a folder. Raises DatabaseError, which is not remembered."""
    from oddly.engines.database.files import DatabaseError

    thresholds = tuple(range(1, len(game.board) + 1)) if every else None
    found = new_database(game, folder, thresholds)
    if not found.is_complete:
        raise DatabaseError(f"{folder} is not finished")
    return found


def known_solution(position: Position) -> Solution | None:
    """Return who wins a position, and by which turn, from its board's database.

    None if there is no database, or a file of it is gone. A position of Ayu that has a past is
    left alone: to come back to an earlier position is a draw, of which the database knows nothing.
    Raises ValueError if the game is over.
    """
    from oddly.engines.database.files import DatabaseError

    if position.is_over:
        raise ValueError("the game is over")
    database = database_for(position.game)
    has_past = isinstance(position, AyuPosition) and bool(position.earlier)
    if database is None or has_past:
        return None
    began = monotonic()
    try:
        winner = database.winner(position)
        is_lost = winner is position.to_move.other
        turn = None if is_lost else _turn_to(winner, database, position)
    except DatabaseError:
        return None
    return Solution(winner, turn, 0, monotonic() - began)


def _turn_to(
    winner: Colour | None, database: Database | AyuDatabase, position: Position
) -> Turn | None:
    for turn in position.legal_turns():
        if database.winner(position.play(turn)) is winner:
            return turn
    return None


class SearchingSolver(Protocol):
    """What solves positions by search."""

    @property
    def nodes(self) -> int:
        """Positions searched since the last `solve` began."""
        ...

    def solve(
        self,
        position: DropPosition,
        node_limit: int | None = None,
        seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Solution | None:
        """Solve `position`; None if a limit comes first."""
        ...


class KnownSolver:
    """Looks positions up in a database, and asks a solver about what that does not have.

    `solver` makes the solver, when the first position needs it.
    """

    def __init__(self, solver: Callable[[], SearchingSolver]) -> None:
        self._make = solver
        self._solver: SearchingSolver | None = None

    @property
    def nodes(self) -> int:
        """Positions searched since the last `solve` began."""
        return 0 if self._solver is None else self._solver.nodes

    def solve(
        self,
        position: DropPosition,
        node_limit: int | None = None,
        seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Solution | None:
        """Solve `position`; None if a limit comes first. Raises ValueError if the game is over."""
        if not position.drops and (known := known_solution(position.start)) is not None:
            return known
        if self._solver is None:
            self._solver = self._make()
        return self._solver.solve(position, node_limit, seconds, progress)
