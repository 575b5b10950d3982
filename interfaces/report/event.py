"""What a ledger holds of its event, read once from the first game to the last."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from games.untrusted_text import storable_text
from interfaces.report.sequential import test_of
from tournaments.ledger.schema import LedgerError
from tournaments.results.engine_statistics import EngineStatistics, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from interfaces.report.sequential import Test
    from referee.record import GameRecord
    from tournaments.ledger.store import Ledger
    from tournaments.results.standings import PlayedGame

    Watch = Callable[[Iterable[PlayedGame]], Iterable[PlayedGame]]


@dataclass(frozen=True, slots=True)
class Entry:
    """How an engine was entered: what was run, by which clock, with which options."""

    name: str
    command: str
    time: str
    options: str
    versions: str
    """The names and versions that it told, the last one last."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event so far. `played` are all games that count, in the order in which they ended.

    `period` is when the first and the last of them ended, `latest` the last of them with their
    turns, by their ids.
    """

    name: str
    format: str
    entries: Sequence[Entry]
    period: tuple[str, str] | None
    engines: Sequence[str]
    played: Sequence[PlayedGame]
    latest: Sequence[tuple[str, GameRecord]]
    statistics_by_name: Mapping[str, EngineStatistics]
    test: Test | None
    """Where two engines alone take part."""


def read_event(ledger: Ledger, most_games: int, watch: Watch = iter) -> Event:
    """The event of a ledger, with the turns of its last `most_games` games. Raises LedgerError.

    `watch` passes the games on as they are read, and may tell somebody how far that is.
    """
    facts = ledger.event()
    if facts is None:
        raise LedgerError(f"{ledger.path} is a ledger in which no event has begun")
    name, format_, engines = (facts.get(key) for key in ("name", "format", "engines"))
    if not (isinstance(name, str) and isinstance(format_, str) and isinstance(engines, dict)):
        raise LedgerError(f"{ledger.path} is damaged: its event lacks a name, format or engines")
    engines = {storable_text(engine): facts for engine, facts in engines.items()}
    played = list(watch(ledger.each_played()))
    latest = [
        (
            identity,
            replace(
                record, players=(storable_text(record.players[0]), storable_text(record.players[1]))
            ),
        )
        for identity, record in ledger.latest(most_games)
    ]
    statistics_by_name = {engine: EngineStatistics() for engine in engines} | merged(
        ledger.statistics_by_name().values()
    )
    period = ledger.period()
    told = (_minutes(period[0]), _minutes(period[1])) if period else None
    versions: dict[str, list[str]] = {}
    for known in ledger.engines():
        versions.setdefault(known.entrant.name, []).append(known.version)
    entries = tuple(_entries(engines, versions))
    settings = facts.get("settings")
    test = test_of(list(statistics_by_name), settings if isinstance(settings, dict) else {})
    return Event(
        name,
        format_,
        entries,
        told,
        list(statistics_by_name),
        played,
        latest,
        statistics_by_name,
        test,
    )


def _entries(engines: Mapping[str, Any], versions: Mapping[str, Iterable[str]]) -> Iterator[Entry]:
    """The engines that are told of as they should be."""
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
                told = ", ".join(dict.fromkeys(versions.get(name, ())))
                yield Entry(name, words, time, settings, told)


def _minutes(moment: str) -> str:
    """`2026-11-21 14:19` of `2026-11-21T14:19:05+00:00`."""
    return moment[:16].replace("T", " ")
