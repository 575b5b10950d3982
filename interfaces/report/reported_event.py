"""An event for the report: its results, its engines, and the games to be played through."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oddly.games.untrusted_text import storable_text
from oddly.interfaces.report.convergence import ResultColumns
from oddly.tournaments.ledger.recorded_event import read_event as read_recorded_event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from oddly.games.game import Game
    from oddly.referee.justice.record import GameRecord
    from oddly.tournaments.ledger.recorded_event import RecordedEvent
    from oddly.tournaments.ledger.store import Ledger
    from oddly.tournaments.ledger.tallies import PlayedResult

    PassOn = Callable[[Iterable[PlayedResult]], Iterable[PlayedResult]]


@dataclass(frozen=True, slots=True)
class EnteredEngine:
    """How an engine was entered: what was run, by which clock, with which options."""

    name: str
    command: str
    time: str
    options: str
    versions: str
    """The names and versions that it gave, the latest last."""


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


def read_event(ledger: Ledger, max_games: int, pass_on: PassOn = iter) -> ReportedEvent:
    """Return the event of a ledger, with the turns of its last `max_games` games.

    The games go through `pass_on` as they are read, which may show how far that is. Raises
    LedgerError.
    """
    event = read_recorded_event(ledger, with_lengths=True)
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
                # Without the folder: a page that is passed on need not tell where things lie.
                words = shlex.join([str(program).rsplit("/", 1)[-1], *map(str, arguments)])
                settings = " ".join(f"{option}={value}" for option, value in options.items())
                given = ", ".join(dict.fromkeys(versions.get(name, ())))
                yield EnteredEngine(name, words, time, settings, given)


def _minutes(moment: str) -> str:
    """Return `2026-11-21 14:19` for `2026-11-21T14:19:05+00:00`."""
    return moment[:16].replace("T", " ")
