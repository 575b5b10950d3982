"""An event for the report: its results, its engines, and the games to play through."""

from __future__ import annotations

import shlex
from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oddly.games import Game, storable_text
from oddly.tournaments import read_event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from oddly.referee import GameRecord
    from oddly.tournaments import Ledger, RecordedEvent, Results
    from oddly.tournaments.ledger.summaries import PlayedResult
    from oddly.tournaments.ratings.ordered_pairs import Counts

    PassOn = Callable[[Iterable[PlayedResult]], Iterable[PlayedResult]]


@dataclass(frozen=True, slots=True)
class EnteredEngine:
    """An engine as entered: its command, its clock and its options."""

    name: str
    command: str
    time: str
    options: str
    versions: str
    """The names and versions that the engine reported, the latest last."""


@dataclass(frozen=True, slots=True)
class ReportedEvent:
    """An event so far, with its engines and its last games.

    `period` is when the first and the last game ended; `latest` are the last games with their
    turns, each with its id.
    """

    event: RecordedEvent
    entered: Sequence[EnteredEngine]
    period: tuple[str, str] | None
    latest: Sequence[tuple[str, GameRecord]]
    results: Mapping[Game | None, ResultColumns]
    """The results of each game in the order in which they came."""


def read_reported_event(ledger: Ledger, max_games: int, pass_on: PassOn = iter) -> ReportedEvent:
    """Return the event of a ledger, with the turns of its last `max_games` games.

    The games go through `pass_on` as they are read, so it can show progress. The event is that of
    one moment, also while a run writes to the ledger. Raises LedgerError.
    """
    with ledger.at_one_moment():
        return _read(ledger, max_games, pass_on)


def _read(ledger: Ledger, max_games: int, pass_on: PassOn) -> ReportedEvent:
    """Return the event of a ledger that does not change meanwhile. Raises LedgerError."""
    event = read_event(ledger, with_lengths=True)
    results: dict[Game | None, ResultColumns] = {}
    for result in pass_on(ledger.each_result()):
        if (columns := results.get(result[0])) is None:
            columns = results[result[0]] = ResultColumns()
        columns.add(*result[1:])
    latest = []
    for identity, record in ledger.latest(max_games):
        first, second = (storable_text(name) for name in record.players)
        latest.append((identity, replace(record, players=(first, second))))
    period = ledger.period()
    versions: dict[str, list[str]] = {}
    for known in event.programs:
        versions.setdefault(known.entrant.name, []).append(known.version)
    return ReportedEvent(
        event,
        tuple(_entered(event.engine_facts, versions)),
        (_minutes(period[0]), _minutes(period[1])) if period else None,
        latest,
        results,
    )


def _entered(
    engines: Mapping[str, Any], versions: Mapping[str, Iterable[str]]
) -> Iterator[EnteredEngine]:
    """Yield the engines whose facts are complete."""
    for name, facts in engines.items():
        match facts:
            case {
                "command": [program, *arguments],
                "time": str(time),
                "options": dict(options),
            }:
                # Without the folder: a page that is passed on should not reveal paths.
                words = shlex.join([str(program).rsplit("/", 1)[-1], *map(str, arguments)])
                settings = " ".join(f"{option}={value}" for option, value in options.items())
                given = ", ".join(dict.fromkeys(versions.get(name, ())))
                yield EnteredEngine(name, words, time, settings, given)


def _minutes(moment: str) -> str:
    """Return `2026-11-21 14:19` for `2026-11-21T14:19:05+00:00`."""
    return moment[:16].replace("T", " ")


MAX_STEPS = 40
"""The maximum number of times that the ratings are recomputed."""

MAX_STEPS_OF_MANY = 12
MANY_ENGINES = 50

Curve = list[tuple[int, float]]
"""A quantity after some number of games or pairs."""


class ResultColumns:
    """The results of one game, a few bytes each, in the order in which games ended."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], int] = {}
        self._pair = array("i")
        self._winner = array("b")

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self._pair)

    def add(self, first: str, second: str, winner: int) -> None:
        """Add a game: 0 for a win of the first player, 1 of the second, 2 for a draw."""
        pair = self._pairs.setdefault((first, second), len(self._pairs))
        self._pair.append(pair)
        self._winner.append(winner)

    def curves(self, names: Sequence[str]) -> dict[str, Curve]:
        """Return each engine's Elo after some of the games, from its first game on."""
        import numpy as np

        from oddly.tournaments import rate

        curves: dict[str, Curve] = {name: [] for name in names}
        if not len(self):
            return curves
        places = {name: index for index, name in enumerate(sorted(names))}
        seats = np.array([[places[a], places[b]] for a, b in self._pairs], dtype=np.int64)
        pair, winner = np.array(self._pair), np.array(self._winner)
        cells = pair.astype(np.int64) * 3 + winner

        def results(until: int) -> Results:
            return _results(names, seats, np.bincount(cells[:until], minlength=3 * len(seats)))

        for now in _steps(len(self), len(names)):
            found = results(now)
            elo, games = rate(found).elo, found.games_of_engines()
            for name, place in places.items():
                if games[place]:
                    curves[name].append((now, float(elo[place])))
        return curves


def _results(names: Sequence[str], seats: Counts, counted: Counts) -> Results:
    """Return the results of pairs in these seats, counted as wins, losses and draws."""
    import numpy as np

    from oddly.tournaments import Results

    table = np.column_stack((seats, counted.reshape(-1, 3)))
    table = table[table[:, 2:].sum(axis=1) > 0]
    first, second, wins, losses, draws = table[np.lexsort((table[:, 1], table[:, 0]))].T
    of_engines = np.zeros(len(names), dtype=np.int64)
    return Results(tuple(sorted(names)), first, second, wins, draws, losses, of_engines, {})


def _steps(games: int, engines: int) -> list[int]:
    """Return evenly spaced numbers of games, ending with all of them."""
    most = MAX_STEPS if engines <= MANY_ENGINES else MAX_STEPS_OF_MANY
    steps = min(games, most)
    return [games * step // steps for step in range(1, steps + 1)]
