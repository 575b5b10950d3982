"""What may be wrong with a game in a ledger: in its row, its record or its plan."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from oddly.games import one_line
from oddly.referee import GameRecord, RecordError, replay
from oddly.safe_files import json_object
from oddly.tournaments.ledger.schema import checksum
from oddly.tournaments.ledger.summaries import is_sound
from oddly.tournaments.results.counts import winner_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.tournaments.results.schedule import ScheduledGame

COLUMNS = ("id", "first", "second", "winner", "termination", "finished", "host", "record")
"""Those of the table of games."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a ledger: where, what, and what was expected."""

    game: str
    """The id of the game; empty if the problem is not in one game."""
    what: str
    expected: str

    def sentence(self) -> str:
        """Return the problem on one line."""
        where = f"game {one_line(self.game)}: " if self.game else ""
        expected = f"; expected: {one_line(self.expected)}" if self.expected else ""
        return f"{where}{one_line(self.what)}{expected}"

    def facts(self) -> dict[str, Any]:
        """Return its values for JSON."""
        return asdict(self)


def problems_of_game(row: Sequence[Any], sum_in_chain: bytes | None) -> Iterator[Problem]:
    """Yield what is wrong with a row of `games`, whose checksum the chain may have."""
    identity, record = str(row[0]), None
    if sum_in_chain is not None and checksum(row) != sum_in_chain:
        yield Problem(
            identity,
            f"its row was changed: its SHA-256 is {checksum(row).hex()[:16]}...",
            f"{sum_in_chain.hex()[:16]}..., as the chain has it",
        )
    try:
        record = GameRecord.from_json(json_object(row[-1]))
    except (AttributeError, ValueError, OverflowError, RecursionError, TypeError) as error:
        yield Problem(identity, f"its record cannot be read: {error}", "a game record")
        return
    if not is_sound(record):
        yield Problem(identity, "its record has values that no game has", "a game record")
        return
    for column, value, in_record in zip(COLUMNS[1:5], row[1:5], _columns(record), strict=True):
        if value != in_record:
            yield Problem(identity, f"its {column} is {value!r}", f"{in_record!r}, by its record")
    try:
        replay(record)
    except RecordError as error:
        yield Problem(identity, f"by the rules, {error}", "a game that the rules allow")
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError) as error:
        yield Problem(identity, f"it cannot be replayed: {error}", "a game that the rules allow")


def _columns(record: GameRecord) -> tuple[str | None, ...]:
    """Return what the columns from `first` to `termination` should have."""
    outcome = record.outcome
    winner = None if outcome.is_void else winner_word(outcome.winner)
    return (*record.players, winner, outcome.termination.value)


def contradictions(
    planned: ScheduledGame, record: GameRecord
) -> Iterator[tuple[str, object, object]]:
    """Yield what a plan says differently from the game's record, with both values."""
    opening = tuple(turn.turn for turn in record.turns[: record.opening])
    pairs = (
        ("players", (planned.first, planned.second), record.players),
        ("game", str(planned.game), str(record.game)),
        ("opening", planned.opening, opening),
    )
    for what, said, played in pairs:
        if said != played:
            yield what, said, played
