"""Perfect play: `oddly solve` for one position, `oddly database` for all of a small board.

Solving says who wins, and by which turn. A database is a folder with the values of all positions.
"""

from __future__ import annotations

import errno
import json
import math
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from tabulate import tabulate

from oddly.games import EMPTY, Ayu, Colour, DropPosition, Exchange, Odd, Position, Swap, Turn
from oddly.games.ayu_units import units
from oddly.interfaces.command_line.command import POSITIVE, command, number
from oddly.interfaces.command_line.common_options import POSITION, NamedGame, position_from
from oddly.interfaces.command_line.declaring import flag, option
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, say
from oddly.interfaces.text.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.engines import Solution
    from oddly.engines.solver.solution import AnyDatabase, SearchingSolver


SECONDS_BETWEEN_REPORTS = 0.5


@command("solve --game odd --size 2")
def solve_command(
    *,
    game: NamedGame,
    nodes: int | None = option("N", "give up after N positions", kind=POSITIVE),
    seconds: float | None = option(
        "S",
        "give up after S seconds",
        kind=number("a number of seconds above 0", lambda seconds: 0 < seconds < math.inf),
    ),
    memory: int = option(
        "MIB", "for the table of what has been proved, in MiB", kind=POSITIVE, default=256
    ),
    every_turn: bool = flag(
        "say who wins after every turn, and by which reply, up to symmetry; N and S hold for each"
    ),
    as_json: bool = flag("print the answer as one JSON object", names="--json"),
    words: tuple[str, ...] = POSITION,
) -> int:
    """Solve the position, and print who wins."""
    position = position_from(game, words, "solve")
    if position.result is not None:
        raise BadInputError(f"solve: the game is over: {position.result}")
    if nodes is None and seconds is None and (lack := why_not_without_limit(position)):
        raise BadInputError(f"solve: {lack}; --nodes N or --seconds S limits a try")
    from oddly.engines import prepare, solver_of
    from oddly.engines.solver.solution import database_for
    from oddly.engines.solver.tables import ENTRY_BYTES

    prepare(position.game)
    progress = Progress(shown=sys.stderr.isatty())
    try:
        solver = solver_of(position.game, memory * 2**20 // ENTRY_BYTES)
        solution = solver.solve(DropPosition(position), nodes, seconds, progress.show)
        searched = solver.nodes
        turns = [
            _after(turn, position.play(turn), solver, nodes, seconds, progress)
            for turn in (distinct_turns(position) if every_turn else ())
        ]
    except MemoryError:
        raise BadInputError(f"solve: there is no room for {memory} MiB") from None
    except KeyboardInterrupt:
        progress.clear()
        say(f"interrupted after {progress.so_far(solver.nodes)}")
        return ExitCode.INTERRUPTED
    progress.clear()
    facts = _solution_facts(position, solution, searched, progress.seconds)
    database = database_for(position.game)
    if database is not None and not searched:
        facts["database"] = str(database.folder.path)
    if every_turn:
        facts["turns"] = turns
    print(json.dumps(facts, indent=2) if as_json else _solution_table(position, solution, facts))
    if every_turn and not as_json:
        print("", _plain(turns, headers="keys"), sep="\n")
    return ExitCode.DONE


def distinct_turns(position: Position) -> list[Turn]:
    """Return the legal turns that lead to different positions, up to symmetry.

    In Odd the colours of all stones may be exchanged too.
    """
    from oddly.engines.solver.tables import Lanes, codes_of

    found: dict[object, Turn] = {}
    for turn in position.legal_turns():
        after = position.play(turn)
        codes = codes_of(position.game, Lanes.ALL, after.stones).tolist()
        if position.game.exchange is not Exchange.STONES:
            codes = codes[: len(codes) // 2]
        found.setdefault((min(codes), after.to_move, after.status), turn)
    return list(found.values())


def _after(
    turn: Turn,
    after: Position,
    solver: SearchingSolver,
    nodes: int | None,
    seconds: float | None,
    progress: Progress,
) -> dict[str, str | None]:
    """Return who wins after a turn, and by which reply.

    The colour is the one that the winner holds before the turn.
    """
    if after.result is not None:
        return {"turn": str(turn), "winner": _named(after.result.winner), "reply": None}
    solution = solver.solve(DropPosition(after), nodes, seconds, progress.show)
    if solution is None:
        return {"turn": str(turn), "winner": None, "reply": None}
    winner = solution.winner
    if winner is not None and isinstance(turn, Swap):
        winner = winner.other
    reply = None if solution.turn is None else str(solution.turn)
    return {"turn": str(turn), "winner": _named(winner), "reply": reply}


def _named(winner: Colour | None) -> str:
    return "draw" if winner is None else str(winner)


RATE = 120_000
"""Positions a second, as on the largest boards of docs/reference/solved.md."""
EASIEST = 14
"""The divisor of 3^(empty cells) in the estimate: Yodd 3 took 3^19 / 14 positions."""
A_DAY = 86_400
A_YEAR = 365 * A_DAY
MAX_UNITS = 16
"""Ayu 5 begins with 12 units and took 42,034 positions; Ayu 7 has 24, and is unsolved."""


def why_not_without_limit(position: Position) -> str | None:
    """Return why waiting cannot solve a position; None if it may."""
    from oddly.engines.solver.odd_endings import is_an_ending
    from oddly.engines.solver.solution import known_solution

    if is_an_ending(position) or known_solution(position, 0) is not None:
        return None
    if isinstance(position.game, Ayu):
        board = position.game.board
        number = sum(len(units(board, position.stones, colour)) for colour in Colour)
        if number <= MAX_UNITS:
            return None
        return f"{position.game} has {number} units here, and nobody has solved it from 24"
    empty = sum(stone == EMPTY for stone in position.stones)
    taken = 3**empty / EASIEST / RATE
    if taken < A_DAY:
        return None
    days = taken / A_DAY
    shown = f"{days:.0f} days" if taken < A_YEAR else f"10^{math.log10(taken / A_YEAR):.0f} years"
    return f"{position.game} has {empty} empty cells here, which would take about {shown}"


class Progress:
    """A line on standard error with the progress of the search."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._began = self._last = monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since the search began."""
        return monotonic() - self._began

    def so_far(self, nodes: int) -> str:
        """Return the nodes and the time so far."""
        return f"{nodes:,} positions in {self.seconds:.1f} s"

    def show(self, nodes: int) -> None:
        """Print the line again, at most twice a second."""
        if self._shown and monotonic() - self._last >= SECONDS_BETWEEN_REPORTS:
            self._last = monotonic()
            print(f"\r\x1b[Ksolving: {self.so_far(nodes)}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the line."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _solution_facts(
    position: Position, solution: Solution | None, nodes: int, seconds: float
) -> dict[str, object]:
    """Return the answer as plain values for JSON."""
    winner = None if solution is None else _named(solution.winner)
    turn = None if solution is None or solution.turn is None else str(solution.turn)
    return {
        "game": position.game.name,
        "size": position.game.size,
        **position.game.settings,
        "to_move": str(position.to_move),
        "solved": solution is not None,
        "winner": winner,
        "turn": turn,
        "nodes": nodes,
        "seconds": round(seconds, 3),
    }


def _solution_table(position: Position, solution: Solution | None, facts: dict[str, object]) -> str:
    """Return the answer as a table."""
    winner = "unknown: a limit came first"
    if solution is not None:
        winner = str(facts["winner"]).capitalize()
    rows = [("game", str(position.game)), ("to move", str(position.to_move).capitalize())]
    rows.append(("winner", winner))
    if solution is not None:
        rows.append(("turn", str(solution.turn or "none: every turn loses")))
    if "database" in facts:
        rows.append(("from", f"the database in {facts['database']}"))
    rows += [("nodes", f"{facts['nodes']:,}"), ("time", f"{facts['seconds']:.2f} s")]
    return _plain(rows)


def _plain(rows: Iterable[Iterable[object]], headers: str = "") -> str:
    return tabulate(rows, headers, tablefmt="plain", missingval="", disable_numparse=True)


PASSING = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""Errors of a disk that end a computation in the middle; what it has written is kept."""


@command("database --game odd --size 2")
def database_command(
    *,
    game: NamedGame,
    output: Path | None = option(
        "DIR",
        "the folder of the database (default: one named after the game)",
        names="--output -o",
    ),
    every_threshold: bool = flag("find the values for every --min-group at once (Odd)"),
    threads: int | None = option("N", "threads (default: one for each core)", kind=POSITIVE),
    check: int = option(
        "N", "check N random values against the rules", kind=POSITIVE, default=1000
    ),
    as_json: bool = flag("print the facts as one JSON object", names="--json"),
) -> int:
    """Make the database or continue it, check samples of it, and print who wins."""
    from oddly.engines.database.files import DatabaseError
    from oddly.engines.solver.solution import folder_name, new_database

    kind = game.create()
    thresholds = None
    if every_threshold:
        if "min_group" not in kind.settings:
            raise BadInputError(f"database: --every-threshold is for Odd, not for {kind.title}")
        thresholds = tuple(range(1, len(kind.board) + 1))
    folder = output or Path(folder_name(kind, every=every_threshold))
    try:
        _check_place(folder)
        database = new_database(kind, folder, thresholds)
        try:
            _make(database, threads or os.cpu_count() or 1)
        except KeyboardInterrupt:
            say(f"interrupted; the same command goes on with {folder}")
            return ExitCode.INTERRUPTED
        database.folder.verify()
        checked = database.check(check)
        facts = _database_facts(database, checked)
    except DatabaseError as error:
        raise BadInputError(f"database: {error}") from None
    except MemoryError:
        raise BadInputError(f"database: there is no room for {kind} in memory") from None
    except OSError as error:
        goes_on = "; the same command goes on" if error.errno in PASSING else ""
        raise BadInputError(
            f"database: {folder} cannot be written: {error.strerror}{goes_on}"
        ) from None
    print(json.dumps(facts, indent=2) if as_json else _database_table(facts))
    return ExitCode.DONE


def _check_place(folder: Path) -> None:
    """Raise BadInputError if what the folder is named after, or lies in, is no folder."""
    there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    if there.exists() and not there.is_dir():
        raise BadInputError(f"database: {there} is not a folder")


def _make(database: AnyDatabase, threads: int) -> None:
    """Make the database with a bar on a terminal. Raises what `Database.make` does."""
    if not sys.stderr.isatty():
        database.make(threads)
        return
    from rich.progress import TaskProgressColumn

    with progress_bar("solving", TaskProgressColumn()) as bar:
        task = bar.add_task(str(database.game), total=None)
        database.make(threads, lambda done, total: bar.update(task, completed=done, total=total))


def _database_facts(database: AnyDatabase, checked: int) -> dict[str, object]:
    """Return all results at the end, for programs."""
    game = database.game
    layers = database.folder.facts["layers"].values()
    facts: dict[str, object] = {
        "game": game.name,
        "size": game.size,
        **game.settings,
        "positions": sum(layer["positions"] for layer in layers),
        "seconds": round(sum(layer["seconds"] for layer in layers), 3),
        "checked": checked,
    }
    with suppress(KeyError):
        del facts["min_group"]
    if isinstance(game, Odd):
        facts["winners"] = {
            str(threshold): str(database.winner(replace(game, min_group=threshold).start()))
            for threshold in database.thresholds
        }
    else:
        start = game.start()
        winner = database.winner(start)
        turns = [
            str(turn)
            for turn in start.legal_turns()
            if database.winner(start.play(turn)) is start.to_move
        ]
        facts |= {"winner": "draw" if winner is None else str(winner), "winning_turns": turns}
    return facts


def _database_table(facts: dict[str, object]) -> str:
    """Return all results at the end, for people."""
    rows = [
        ("game", " ".join(str(facts[name]) for name in ("game", "board", "size") if name in facts)),
        ("positions", f"{facts['positions']:,}"),
        ("time", f"{facts['seconds']:.1f} s"),
        ("checked", f"{facts['checked']:,} positions"),
    ]
    winners = facts.get("winners")
    if isinstance(winners, dict):
        rows += [
            (f"groups of {threshold}", f"{winner.capitalize()} wins")
            for threshold, winner in winners.items()
        ]
    else:
        turns = facts["winning_turns"]
        rows.append(("winner", str(facts["winner"]).capitalize()))
        if isinstance(turns, list) and turns:
            rows.append(("winning turns", " ".join(turns)))
    return tabulate(rows, tablefmt="plain", disable_numparse=True)
