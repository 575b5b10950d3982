"""A game for those who look on, running or over: one form for all, wherever it is played."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from oddly.interfaces.viewer.drawn_board import positions_of
from oddly.interfaces.viewer.viewer import black_lead, recorded_game, stones_text
from oddly.interfaces.web.views import game_view
from oddly.referee import GameRecord, Outcome, PlayedTurn, Termination

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oddly.games import Game, Position

State = Literal["running", "over", "stopped"]
Clocks = tuple[float | None, float | None]

NO_CLOCKS: Clocks = (None, None)


@dataclass(frozen=True, slots=True)
class ShownGame:
    """A game at one moment, with its positions as far as its turns are legal."""

    id: str
    state: State
    """`stopped` if it is not over, and nobody plays it now."""
    record: GameRecord
    """What was played so far; void while it is not over."""
    positions: Sequence[Position]
    clocks: Clocks = NO_CLOCKS
    """The seconds that each player has, at the moment `at`; None if unknown or endless."""
    at: float | None = None
    """The moment of the last turn, in seconds since 1970."""
    number: int = 0
    """Its place in the schedule of its event; 0 for none."""
    note: str = ""
    """What else is to be known of it, in one sentence."""
    is_on_page: bool = False
    """Whether it is one of the games on the page, such as an exhibition."""

    @property
    def turns(self) -> Sequence[PlayedTurn]:
        """The turns that are legal."""
        return self.record.turns[: len(self.positions) - 1]

    @property
    def mover(self) -> int:
        """The player to move: 0 opened."""
        return len(self.turns) % 2

    def expected(self, turn: int) -> tuple[float | None, float | None]:
        """Return the chance that each player gave itself with its last evaluation until a turn."""
        found: list[float | None] = [None, None]
        for number, played in enumerate(self.turns[:turn]):
            if played.evaluation is not None:
                found[number % 2] = played.evaluation.win_rate
        return found[0], found[1]

    def as_json(self) -> dict[str, Any]:
        """Return what a browser shows of it."""
        record = replace(self.record, turns=tuple(self.turns))
        counts = [position.group_counts for position in self.positions]
        return {
            "kind": "game",
            "id": self.id,
            "state": self.state,
            "is_on_page": self.is_on_page,
            "number": self.number,
            "note": self.note,
            "game": game_view(record.game),
            "start": stones_text(self.positions[0].stones),
            "counts": [list(each) for each in counts],
            "leads": [black_lead(record.game, each) for each in counts],
            "to_move": str(self.positions[-1].to_move),
            "clocks": list(self.clocks),
            "at": self.at,
            "expects": list(self.expected(len(self.turns))),
            **recorded_game(record),
        }


def picture_digest(record: GameRecord) -> str:
    """Return what tells the picture of the last position from that of other games."""
    facts = (str(record.game), *(played.turn for played in record.turns))
    return sha256(repr(facts).encode()).hexdigest()[:16]


def shown(identity: str, state: State, record: GameRecord, **more: Any) -> ShownGame:  # noqa: ANN401
    """Return a game with its positions."""
    positions = positions_of(record.game, [played.turn for played in record.turns])
    return ShownGame(identity, state, record, positions, **more)


def unfinished(
    game: Game, players: tuple[str, str], turns: Iterable[PlayedTurn], opening: int
) -> GameRecord:
    """Return the record of a game so far, which is void."""
    played = tuple(turns)
    outcome = Outcome(None, None, "", Termination.VOID, "", len(played))
    return GameRecord(game, players, ("", ""), None, played, outcome, opening)
