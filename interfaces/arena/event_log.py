"""The log of an arena, line by line: for people, or as JSON for programs.

An arena never waits for its own log.
"""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.arena.effects import (
    Batch,
    Begun,
    EngineJoined,
    EngineLeft,
    EngineRefused,
    Finished,
    Invited,
    NewLeader,
    News,
    Ruled,
    Write,
)
from oddly.games import one_line
from oddly.games.wording import counted
from oddly.interfaces.text.line_writer import LineWriter, lost_lines

if TYPE_CHECKING:
    from collections.abc import Iterator


LOG = logging.getLogger("oddly.arena")
SERVING = logging.getLogger("oddly.serving")
PROBLEMS = LineWriter("stderr")
"""Where problems are written if there is no log."""


class LogEntry(NamedTuple):
    """Something that happened."""

    event: str
    sentence: str
    facts: dict[str, Any]


def entries_of(batch: Batch) -> Iterator[LogEntry]:
    """Yield the events of a batch in order. Turns are in the ledger, not here."""
    for each in (*batch.writes, *batch.news):
        entry = _entry(each)
        if entry is not None:
            yield entry


def _entry(what: Write | News) -> LogEntry | None:
    match what:
        case EngineJoined(engine, address, is_new):
            said = f"{engine} joins from {address or 'somewhere'}{', a new engine' * is_new}"
            facts = {"engine": engine, "address": address, "new": is_new}
            return LogEntry("joined", said, facts)
        case EngineLeft(engine):
            return LogEntry("left", f"{engine} is gone", {"engine": engine})
        case EngineRefused(engine, address, code, reason):
            said = f"{engine or address or 'somebody'} is refused: {reason}"
            facts = {"engine": engine, "address": address, "code": code, "reason": reason}
            return LogEntry("refused", said, facts)
        case Begun(plan):
            game, first, second = plan.scheduled.id, plan.scheduled.first, plan.scheduled.second
            said = f"game {game} begins in {plan.pool}: {first} against {second}"
            facts = {"game": game, "pool": plan.pool, "engines": [first, second]}
            return LogEntry("begun", said, facts | {"rated": plan.rated})
        case Finished():
            return _finished(what)
        case Ruled(kind, subject, name, _, reason):
            facts = {"ruling": kind, subject: name, "reason": reason}
            return LogEntry("ruled", what.sentence(), facts)
        case NewLeader(pool, engine, elo):
            said = f"{engine} leads {pool} with {elo:+z.0f}"
            return LogEntry("leader", said, {"engine": engine, "pool": pool, "elo": round(elo, 1)})
        case Invited(_, engines):
            said = f"{counted(engines, 'engine')} may join by invitation"
            return LogEntry("invited", said, {"engines": engines})
    return None


def _finished(what: Finished) -> LogEntry:
    record = what.record
    outcome = record.outcome
    winner = None if outcome.winner is None else record.players[outcome.winner]
    said = f"game {what.game} ends in {what.pool}: {outcome.score}, {outcome.reason}"
    facts = {
        "game": what.game,
        "pool": what.pool,
        "engines": [*record.players],
        "winner": winner,
        "score": outcome.score,
        "termination": outcome.termination.value,
        "reason": outcome.reason,
        "turns": len(record.turns),
    }
    return LogEntry("finished", said, facts)


def note(entry: LogEntry) -> None:
    """Write an entry, if there is a log."""
    if _is_logged():
        LOG.info(entry.sentence, extra={"entry": entry})


def _is_logged() -> bool:
    return any(isinstance(handler, WritingHandler) for handler in LOG.handlers)


def watch(batch: Batch) -> None:
    """Write the events of a batch."""
    for entry in entries_of(batch):
        note(entry)


def report(sentence: str) -> None:
    """Tell the keeper that something is wrong, if there is a log."""
    if _is_logged():
        LOG.error(sentence)
        return
    PROBLEMS.write(f"oddly: arena: {sentence}")


class TextLines(logging.Formatter):
    """A time and a sentence."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a line."""
        return f"{_moment(record)} {one_line(record.getMessage(), 1000)}"


class JSONLines(logging.Formatter):
    """A JSON object: `time`, `level`, `event`, `text`, and the facts of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a line."""
        entry: LogEntry | None = getattr(record, "entry", None)
        said = {
            "time": _moment(record),
            "level": record.levelname.lower(),
            "event": "problem" if entry is None else entry.event,
            "text": record.getMessage(),
        }
        return json.dumps(said | ({} if entry is None else entry.facts))


def _moment(record: logging.LogRecord) -> str:
    found = datetime.fromtimestamp(record.created, UTC)
    return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class WritingHandler(logging.Handler):
    """Hands lines to a writer that nobody waits for."""

    def __init__(self) -> None:
        super().__init__()
        self._lines = LineWriter("stderr", self._lost, patience=0.0)

    @property
    def is_behind(self) -> bool:
        """Whether lines are waiting to be written."""
        return self._lines.is_behind

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a line to the writer."""
        self._lines.write(self.format(record))

    def close(self) -> None:
        """Write the waiting lines, if somebody reads them soon."""
        self._lines.flush()
        super().close()

    def _lost(self, number: int) -> str:
        words = {"levelname": "WARNING", "msg": lost_lines(number)}
        return self.format(logging.makeLogRecord(words))


@contextmanager
def logged(form: str | None) -> Iterator[None]:
    """Write a log to standard error while the block runs; without a form, write none."""
    if form is None:
        yield
        return
    handler = WritingHandler()
    handler.setFormatter(JSONLines() if form == "json" else TextLines())
    before, SERVING.handlers = SERVING.handlers, [handler]
    SERVING.propagate = LOG.propagate = False
    LOG.setLevel(logging.INFO)
    LOG.addHandler(handler)
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        SERVING.handlers = before
        handler.close()
