"""The record of a game, finished or in progress: enough to replay it with the same result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.games import Colour, Ending, Game, IllegalTurn, Position, create_game
from oddly.protocol import NotationError, TurnEvaluation, parse_turn
from oddly.referee.justice.clock import Timing
from oddly.referee.justice.outcome import LimitResult, Outcome, Termination, count_winner

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class RecordError(ValueError):
    """A record that is malformed or contradicts itself. The message is one sentence."""


class PlayedTurn(NamedTuple):
    """One turn: the colour that played it, its text, and the seconds it took."""

    colour: Colour
    turn: str
    seconds: float
    evaluation: TurnEvaluation | None = None
    """What its player expected of it, if the engine says so."""

    @property
    def black_win_rate(self) -> float | None:
        """Black's chances in its player's view, 0 to 1; None if unknown."""
        if self.evaluation is None:
            return None
        rate = self.evaluation.win_rate
        return rate if self._is_of_black else 1 - rate

    @property
    def black_lead(self) -> float | None:
        """Black's lead in groups, in its player's view; None if unknown."""
        if self.evaluation is None or self.evaluation.lead is None:
            return None
        return self.evaluation.lead if self._is_of_black else -self.evaluation.lead

    @property
    def _is_of_black(self) -> bool:
        """Whether the player holds Black after the turn; a swap exchanges the colours."""
        return (self.colour is Colour.BLACK) is not (self.turn == "swap")


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game from start to end. `players` are the configurations' names; the first one opened."""

    game: Game
    players: tuple[str, str]
    engines: tuple[str, str]
    seed: int | None
    turns: tuple[PlayedTurn, ...]
    outcome: Outcome
    opening: int = 0
    """How many of the turns were played for the engines, before the clocks ran."""
    host: str = ""
    """The machine on which it was played, if that was not the one that kept the record."""
    deaths: tuple[str, str] = ("", "")
    """How each engine's process ended, if it died between an earlier game and this one."""
    abandoned: tuple[str, ...] = ()
    """Why earlier attempts at this game were abandoned, one sentence each."""
    timing: Timing | None = None
    """When turns were asked for and answered, if the game was played by this referee."""

    def as_json(self) -> dict[str, Any]:
        """Return plain values for one JSON object, which `from_json` reads."""
        outcome = self.outcome
        return {
            "game": self.game.name,
            "size": self.game.size,
            "settings": dict(self.game.settings),
            "players": list(self.players),
            "engines": list(self.engines),
            "seed": self.seed,
            "opening": self.opening,
            "turns": [[str(t.colour), t.turn, round(t.seconds, 6)] for t in self.turns],
            **_evaluations(self.turns),
            "winner": None if outcome.winner is None else self.players[outcome.winner],
            "winner_index": outcome.winner,
            "winning_colour": outcome.winning_colour and str(outcome.winning_colour),
            "score": outcome.score,
            "termination": outcome.termination.value,
            "reason": outcome.reason,
            "evidence": outcome.evidence,
            "diagram": outcome.diagram,
            "lag": round(outcome.lag, 6),
            "marked": outcome.is_marked,
            **({"host": self.host} if self.host else {}),
            **({"deaths": list(self.deaths)} if any(self.deaths) else {}),
            **({"abandoned": list(self.abandoned)} if self.abandoned else {}),
            **({"timing": self.timing.as_json()} if self.timing else {}),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> GameRecord:
        """Return the record that `as_json` gave. Raises RecordError if `value` is not one."""
        try:
            colour = value["winning_colour"]
            turns = tuple(_read_turns(value))
            outcome = Outcome(
                value["winner_index"],
                Colour[colour.upper()] if colour else None,
                value["score"],
                Termination(value["termination"]),
                value["reason"],
                len(turns),
                value["evidence"],
                value.get("diagram", ""),
                value.get("lag", 0.0),
            )
            first, second = value["players"]
            first_engine, second_engine = value["engines"]
            first_death, second_death = value.get("deaths", ("", ""))
            return cls(
                create_game(value["game"], value["size"], value["settings"]),
                (first, second),
                (first_engine, second_engine),
                value["seed"],
                turns,
                outcome,
                value.get("opening", 0),
                value.get("host", ""),
                deaths=(str(first_death), str(second_death)),
                abandoned=tuple(map(str, value.get("abandoned", ()))),
                timing=Timing.from_json(value["timing"]) if value.get("timing") else None,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RecordError(f"not a game record: {type(error).__name__}: {error}") from None


def _evaluations(turns: Sequence[PlayedTurn]) -> dict[str, Any]:
    """Return the field with an evaluation or null for each turn; no field if all are null."""
    found = [turn.evaluation and turn.evaluation.as_json() for turn in turns]
    return {"evaluations": found} if any(found) else {}


def _read_turns(value: Mapping[str, Any]) -> Iterator[PlayedTurn]:
    """Yield the turns of a record. Raises KeyError, TypeError, ValueError or AttributeError."""
    evaluations = value.get("evaluations", ())
    for (colour, turn, seconds), found in zip_longest(value["turns"], evaluations):
        evaluation = TurnEvaluation.from_json(found) if found else None
        yield PlayedTurn(Colour[colour.upper()], turn, seconds, evaluation)


def replay(record: GameRecord) -> Position:
    """Judge the game again, turn by turn, and return its last position.

    Raises RecordError where a turn is illegal, the rules come to another result, or a ruling on
    time does not follow from the stamps.
    """
    position = record.game.start()
    for number, played in enumerate(record.turns, start=1):
        if played.colour is not position.to_move:
            raise RecordError(f"turn {number}, {played.turn}: it was {position.to_move}'s turn")
        try:
            position = position.play(parse_turn(played.turn))
        except (IllegalTurn, NotationError) as error:
            raise RecordError(f"turn {number}, {played.turn}: {error}") from None
    _check_ending(record, position)
    if record.timing is not None:
        said = record.timing.contradictions(
            record.opening, len(record.turns), record.outcome.termination
        )
        if said:
            raise RecordError(said[0])
    return position


def _check_ending(record: GameRecord, position: Position) -> None:
    """Raise RecordError if the game could not end in this position as the record says."""
    ended_by_rules = record.outcome.termination.name in Ending.__members__
    if ended_by_rules and str(position.result) != record.outcome.score:
        raise RecordError(f"the record says {record.outcome.score}, the rules {position.result}")
    if record.outcome.termination is Termination.TURN_LIMIT and record.outcome.score != "0":
        winner = count_winner(position, LimitResult.COUNT)
        if winner is not record.outcome.winning_colour:
            raise RecordError(f"the record says {record.outcome.score}, the count {winner}")
    if record.outcome.termination is Termination.REPETITION_WON:
        _check_repetition_won(record.outcome, position)
    elif not ended_by_rules and position.is_over:
        raise RecordError(f"the game was over before its {record.outcome.termination.value}")


def _check_repetition_won(outcome: Outcome, position: Position) -> None:
    """Raise RecordError unless the position came back and the player to move won by it."""
    result = position.result
    if result is None or result.ending is not Ending.REPETITION:
        raise RecordError(f"no position came back before the {outcome.termination.value}")
    if outcome.winning_colour is not position.to_move:
        raise RecordError(f"the record says {outcome.score}, the repetition {position.to_move}")


class Snapshot(NamedTuple):
    """A game just after a turn."""

    position: Position
    turns: int
    """How many turns were played, those of the opening included."""
    last: PlayedTurn
    mover: int
    """The player to move: 0 opened, whatever colour it has by now."""
    seconds_left: tuple[float, float]
    """The longest that each player's next turn may take."""


OnTurn = Callable[[Snapshot], None]
