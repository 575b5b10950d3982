"""A solver's limits and answers; solvers by the plain rules and by a database.

What is proved of a position holds for its key, unless a repetition had a part in the proof: then
it holds only for the way there, and the table does not keep it.

`oddly database` makes databases. They are looked for in the folder that the environment variable
ODDLY_DATABASES names, else in the current one, under the name that `oddly database` gives them, and
then among those that come with oddly. Only what solves endings imports Numba.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from oddly.games import EMPTY, Ayu, AyuPosition, Drops, Ending, Odd
from oddly.games.turns import player_after

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from oddly.engines.database.database import Database
    from oddly.engines.database.opening_database import OpeningDatabase
    from oddly.engines.solver.ayu_database import AyuDatabase
    from oddly.games import Colour, DropPosition, Game, Position, Turn

    AnyDatabase = Database | OpeningDatabase | AyuDatabase


class UnfinishedError(Exception):
    """A limit came before the proof."""


@dataclass(frozen=True, slots=True)
class ProofLimits:
    """When to give up: after a number of nodes, or at a moment (`monotonic`)."""

    nodes: int | None = None
    moment: float | None = None
    progress: Callable[[int], None] | None = None


@dataclass(frozen=True, slots=True)
class Solution:
    """What perfect play leads to."""

    winner: Colour | None
    """The player who wins, named by the colour he has now; None for a draw."""
    turn: Turn | None
    """A whole turn that wins, or draws what cannot be won; None if the mover is lost."""
    nodes: int
    """Positions searched."""
    seconds: float


BYTES_PER_ENTRY = 512
"""Roughly the bytes that the table takes for a position."""
FRAMES = 50_000
"""Python's frames while a line is searched, some three a turn."""

LOSS, DRAW, WIN = -1, 0, 1


class PlainSolver:
    """Solves positions of one game; what one search has proved helps the next.

    `entries` is what the table would hold for a kernel, 16 bytes each.
    """

    def __init__(self, game: Game, entries: int) -> None:
        self.game = game
        self.nodes = 0
        self._room = max(entries * 16 // BYTES_PER_ENTRY, 1)
        self._known: dict[Hashable, int] = {}
        self._limits = ProofLimits()
        self._path: set[Hashable] = set()

    def solve(
        self,
        position: DropPosition,
        node_limit: int | None = None,
        seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Solution | None:
        """Solve `position`, which may lie inside a turn; None if a limit comes first.

        `progress` is called now and then with the number of nodes so far. Raises ValueError if
        the game is over.
        """
        if position.is_over:
            raise ValueError("the game is over")
        began = monotonic()
        self.nodes = 0
        moment = None if seconds is None else began + seconds
        self._limits = ProofLimits(node_limit, moment, progress)
        self._path = set()
        mover = position.start.to_move
        try:
            with _deep_recursion():
                value, turn = self._best(position)
        except (UnfinishedError, RecursionError):
            return None
        winner = {WIN: mover, DRAW: None, LOSS: mover.other}[value]
        return Solution(winner, turn, self.nodes, monotonic() - began)

    def _best(self, at: DropPosition) -> tuple[int, Turn | None]:
        """Return the value for the side to move, and a turn that keeps it or None if it is lost."""
        best, chosen = LOSS, None
        for turn in _turns(at):
            value, _ = self._after(at.start, turn)
            if value > best:
                best, chosen = value, turn
            if best == WIN:
                break
        return best, chosen

    def _after(self, before: Position, turn: Turn) -> tuple[int, bool]:
        """Return what `turn` is worth to its player, and whether that holds for any way here."""
        after = before.play(turn)
        value, is_certain = self._value(after)
        moves_again = after.to_move is player_after(turn, before.to_move)
        return (value if moves_again else -value), is_certain

    def _value(self, position: Position) -> tuple[int, bool]:
        """Return the value for the side to move, and whether it holds whatever the way here."""
        self._count()
        if position.result is not None:
            winner = position.result.winner
            value = DRAW if winner is None else WIN if winner is position.to_move else LOSS
            return value, position.result.ending is not Ending.REPETITION
        key = position.key
        if key in self._known:
            return self._known[key], True
        if key in self._path:
            # The rules let it go on for ever: there is no result to be proved.
            raise UnfinishedError
        self._path.add(key)
        best, all_certain, certain = LOSS, True, True
        for turn in position.legal_turns():
            value, is_certain = self._after(position, turn)
            all_certain = all_certain and is_certain
            if value > best:
                best, certain = value, is_certain
            if best == WIN:
                break
        self._path.discard(key)
        is_certain = certain if best == WIN else all_certain
        if is_certain and len(self._known) < self._room:
            self._known[key] = best
        return best, is_certain

    def _count(self) -> None:
        """Count a position. Raises UnfinishedError at a limit."""
        self.nodes += 1
        limits = self._limits
        if limits.nodes is not None and self.nodes > limits.nodes:
            raise UnfinishedError
        if self.nodes % 64 == 0:
            if limits.progress is not None:
                limits.progress(self.nodes)
            if limits.moment is not None and monotonic() >= limits.moment:
                raise UnfinishedError


def _turns(at: DropPosition) -> Iterator[Turn]:
    """Yield the legal turns that begin with the drops made."""
    for turn in at.start.legal_turns():
        if not at.drops or (isinstance(turn, Drops) and set(at.drops) <= set(turn.drops)):
            yield turn


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


VARIABLE = "ODDLY_DATABASES"
SHIPPED = Path(__file__).parent.parent / "database"
"""The folder of the databases that come with oddly."""


@contextmanager
def without_databases() -> Iterator[None]:
    """Keep this process and the engines that it starts from using databases: they search."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = os.devnull
    try:
        yield
    finally:
        del os.environ[VARIABLE]
        if before is not None:
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
) -> AnyDatabase:
    """Return the database of a game in a folder, finished or not.

    Raises DatabaseError for a game or board that has none, or a folder of another database.
    """
    if isinstance(game, Ayu):
        from oddly.engines.solver.ayu_database import AyuDatabase

        return AyuDatabase(game, folder)
    from oddly.engines.database.database import Database
    from oddly.engines.database.layers import MAX_CELLS

    if isinstance(game, Odd) and len(game.board) > MAX_CELLS:
        from oddly.engines.database.opening_database import OpeningDatabase

        return OpeningDatabase(game, folder)
    return Database(game, folder, thresholds)


def database_for(game: Game) -> AnyDatabase | None:
    """Return the finished database of a game's board; None if there is none."""
    from oddly.engines.database.files import DatabaseError

    for description, every in _places(game, os.environ.get(VARIABLE, "")):
        if description.is_file():
            with suppress(DatabaseError):
                return _opened(game, description.parent.absolute(), every=every)
    return None


@lru_cache(maxsize=8)
def _places(game: Game, root: str) -> list[tuple[Path, bool]]:
    """Return where a database may be described, and whether it is of all thresholds."""
    names = dict.fromkeys((folder_name(game), folder_name(game, every=True)))
    return [
        (place / name / "database.json", name.endswith("every-threshold"))
        for place in ((Path(root), SHIPPED) if root != os.devnull else ())
        for name in names
    ]


@lru_cache(maxsize=8)
def _opened(game: Game, folder: Path, *, every: bool) -> AnyDatabase:
    """Return the finished database of a folder. Raises DatabaseError, which is not remembered."""
    from oddly.engines.database.files import DatabaseError

    thresholds = tuple(range(1, len(game.board) + 1)) if every else None
    found = new_database(game, folder, thresholds)
    if not found.is_complete:
        raise DatabaseError(f"{folder} is not finished")
    return found


def known_solution(
    position: Position, seconds: float | None = None, progress: Callable[[int], None] | None = None
) -> Solution | None:
    """Return who wins a position, and by which turn, from its board's database.

    None if there is no database, or a file of it is gone. A position of Ayu that has a past is left
    alone: returning to an earlier position is a draw, of which the database knows nothing. What a
    database of openings lacks is found anew (`ending_solution`) if that is likely to take no more
    than `seconds`; None sets no limit. Raises ValueError if the game is over.
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
        from oddly.engines.solver.odd_endings import is_an_ending, seconds_for

        is_long = seconds is not None and seconds_for(position) > seconds
        if is_long or not is_an_ending(position):
            return None
        return ending_solution(position, seconds, progress)
    return Solution(winner, turn, 0, monotonic() - began)


def ending_solution(
    position: Position,
    seconds: float | None = None,
    progress: Callable[[int], None] | None = None,
) -> Solution | None:
    """Return who wins a position of Odd with few empty cells, and by which turn.

    Its nodes are the fillings of these cells. None if `seconds` run out first, or if `progress`
    raises UnfinishedError.
    """
    from oddly.engines.solver.odd_endings import winning_drop

    began = monotonic()

    def show(done: int) -> None:
        if progress is not None:
            progress(done)
        if seconds is not None and monotonic() - began >= seconds:
            raise UnfinishedError

    try:
        turn = winning_drop(position, show)
    except UnfinishedError:
        return None
    winner = position.to_move.other if turn is None else position.to_move
    return Solution(winner, turn, 3 ** position.stones.count(EMPTY), monotonic() - began)


def _turn_to(winner: Colour | None, database: AnyDatabase, position: Position) -> Turn | None:
    for turn in position.legal_turns():
        if database.winner(position.play(turn)) is winner:
            return turn
    return None


class SearchingSolver(Protocol):
    """A solver that searches."""

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


LEAST_EMPTY = 10
"""With fewer empty cells a search of Odd takes milliseconds."""


class KnownSolver:
    """Solves without search what it can, and asks a solver about the rest.

    It looks into the database of the board, and in Odd goes through all fillings of 10 to 19 empty
    cells. `solver` makes the solver, when the first position needs it.
    """

    def __init__(self, solver: Callable[[], SearchingSolver]) -> None:
        self._make = solver
        self._solver: SearchingSolver | None = None
        self.nodes = 0
        """Positions searched since the last `solve` began."""

    def solve(
        self,
        position: DropPosition,
        node_limit: int | None = None,
        seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Solution | None:
        """Solve `position`; None if a limit comes first. Raises ValueError if the game is over."""
        from oddly.engines.solver.odd_endings import is_an_ending

        start, self.nodes = position.start, 0
        if not position.drops and (known := known_solution(start, 0)) is not None:
            return known
        is_long = start.stones.count(EMPTY) >= LEAST_EMPTY
        if is_long and node_limit is None and is_an_ending(start):
            solution = ending_solution(start, seconds, progress)
            self.nodes = 0 if solution is None else solution.nodes
            return solution
        if self._solver is None:
            self._solver = self._make()
        try:
            return self._solver.solve(position, node_limit, seconds, progress)
        finally:
            self.nodes = self._solver.nodes
