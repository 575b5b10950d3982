"""The parts of a game that a file format does not keep, found by reading back what was written."""

from __future__ import annotations

import io
from collections import Counter
from typing import TYPE_CHECKING, Any

from oddly.referee import GameRecord, RecordError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from oddly.game_records.formats import FileFormat
    from oddly.game_records.kept_game import KeptGame

PARTS: dict[str, Callable[[GameRecord], Any]] = {
    "options": lambda record: str(record.game),
    "turns": lambda record: [(played.colour, played.turn) for played in record.turns],
    "players": lambda record: record.players,
    "engines": lambda record: record.engines,
    "seconds": lambda record: [round(played.seconds, 6) for played in record.turns],
    "evaluations": lambda record: [played.evaluation for played in record.turns],
    "seed": lambda record: record.seed,
    "opening": lambda record: record.opening,
    "winner": lambda record: record.outcome.winner,
    "score": lambda record: record.outcome.score,
    "ending": lambda record: (record.outcome.termination, record.outcome.reason),
    "evidence": lambda record: (record.outcome.evidence, record.outcome.diagram),
    "lag": lambda record: record.outcome.lag,
    "circumstances": lambda r: (r.host, r.deaths, r.abandoned, r.timing and r.timing.as_json()),
}
"""The parts of a record."""

WORDS = {
    "game": "games without turns",
    "options": "the options of the game",
    "turns": "some turns",
    "players": "the players' names",
    "engines": "the names of the engines' programs",
    "seconds": "the seconds that turns took",
    "evaluations": "what the players expected",
    "seed": "the seed",
    "opening": "which turns were an opening",
    "winner": "who won",
    "score": "the score",
    "ending": "how it ended, in words",
    "evidence": "the evidence of a fault",
    "lag": "the lag of the connection",
    "circumstances": "the machine, and how engines died",
    "labels": "the event, the round and other labels",
}
"""What a loss of each part is called in a sentence."""


def losses(kept: KeptGame, format_: FileFormat) -> list[str]:
    """Return the parts of a game that are not read back from what `format_` writes of it.

    They are keys of WORDS. Raises RecordError if the game cannot be written at all.
    """
    data = format_.writer()(kept).encode()
    try:
        [after] = format_.read(io.BytesIO(data), kept.record.game)
    except (RecordError, ValueError):
        return ["game"]
    lost = [
        name
        for name, part in PARTS.items()
        if (before := part(kept.record)) != part(after.record) and not _is_empty(before)
    ]
    if any(label not in after.labels or after.labels[label] != kept.labels[label]
           for label in kept.labels):  # fmt: skip
        lost.append("labels")
    return lost


class LossCount:
    """Counts the losses of games on their way into a format."""

    def __init__(self, format_: FileFormat) -> None:
        self._format = format_
        self._games = 0
        self._lossy = 0
        self._lost: Counter[str] = Counter()

    def watch(self, games: Iterable[KeptGame]) -> Iterator[KeptGame]:
        """Yield the games as they are. Raises RecordError for one that cannot be written."""
        for kept in games:
            lost = losses(kept, self._format)
            self._games += 1
            self._lossy += bool(lost)
            self._lost.update(lost)
            yield kept

    def sentence(self) -> str:
        """Return what was lost, in a sentence; empty if nothing was."""
        if not self._lost:
            return ""
        named = [words for name, words in WORDS.items() if name in self._lost]
        *others, last = named
        what = f"{', '.join(others)} and {last}" if others else last
        where = "" if self._lossy == self._games else f" of {self._lossy} of {self._games} games"
        return f"this format does not keep {what}{where}"


def _is_empty(value: object) -> bool:
    """Whether there is nothing that could be lost."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_empty, value))
    return value is None or value == "" or (isinstance(value, float) and value == 0)
