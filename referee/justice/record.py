"""The record of a game, finished or in progress: enough to replay it with the same result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from oddly.games import (
    Colour,
    Ending,
    Game,
    IllegalTurn,
    Position,
    create_game,
    did_you_mean,
    one_line,
)
from oddly.games.wording import counted
from oddly.protocol import NotationError, TurnEvaluation, parse_turn
from oddly.referee.justice.clock import MAX_SHOWN, Timing, list_of
from oddly.referee.justice.outcome import (
    LimitResult,
    Outcome,
    Termination,
    count_winner,
    player_with,
    score_without_count,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


_Part = TypeVar("_Part")


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
            turns = tuple(_read_turns(value))
            outcome = Outcome(
                value["winner_index"],
                _read_colour(colour) if (colour := value["winning_colour"]) else None,
                value["score"],
                _read_termination(value["termination"]),
                value["reason"],
                len(turns),
                value["evidence"],
                value.get("diagram", ""),
                value.get("lag", 0.0),
            )
            first, second = list_of(2, value["players"], "players")
            first_engine, second_engine = list_of(2, value["engines"], "engines")
            first_death, second_death = list_of(2, value.get("deaths", ("", "")), "deaths")
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
                timing=_read_part(Timing.from_json, value, "timing"),
            )
        except _MALFORMED as error:
            raise RecordError(f"not a game record: {_in_words(error)}") from None


_MALFORMED = (KeyError, TypeError, ValueError, AttributeError)


def _in_words(error: Exception) -> str:
    """Return what is wrong with a value that could not be read, as part of a sentence."""
    if isinstance(error, KeyError):
        return f"{one_line(str(error.args[0]))!r} is missing"
    if isinstance(error, TypeError | AttributeError):
        return "a value is of the wrong type"
    return one_line(str(error))


def _read_part(read: Callable[[Any], _Part], value: Mapping[str, Any], name: str) -> _Part | None:
    """Return a part that a record may lack. Raises RecordError, which names the part."""
    try:
        return read(part) if (part := value.get(name)) else None
    except _MALFORMED as error:
        raise RecordError(f"{name}: {_in_words(error)}") from None


def _read_colour(name: str) -> Colour:
    try:
        return Colour[name.upper()]
    except KeyError:
        raise RecordError(f"{name[:20]!r} is no colour: expected 'black' or 'white'") from None


def _read_termination(name: object) -> Termination:
    try:
        return Termination(name)
    except ValueError:
        near = did_you_mean(str(name), [termination.value for termination in Termination])
        raise RecordError(
            f"{str(name)[:20]!r} is no termination: expected one such as 'resignation'{near}"
        ) from None


def _evaluations(turns: Sequence[PlayedTurn]) -> dict[str, Any]:
    """Return the field with an evaluation or null for each turn; no field if all are null."""
    found = [turn.evaluation and turn.evaluation.as_json() for turn in turns]
    return {"evaluations": found} if any(found) else {}


def _read_turns(value: Mapping[str, Any]) -> Iterator[PlayedTurn]:
    """Yield the turns of a record. Raises one of _MALFORMED."""
    turns, evaluations = value["turns"], value.get("evaluations", ())
    if len(evaluations) > len(turns):
        raise RecordError(f"{len(evaluations)} evaluations are too many: {len(turns)} expected")
    for number, (played, found) in enumerate(zip_longest(turns, evaluations), start=1):
        colour, turn, seconds = list_of(3, played, f"turn {number}")
        evaluation = TurnEvaluation.from_json(found) if found else None
        yield PlayedTurn(_read_colour(colour), turn, seconds, evaluation)


def replay(record: GameRecord) -> Position:
    """Judge the game again, turn by turn, and return its last position.

    Raises RecordError where a turn is illegal, the rules come to another result, the ending
    contradicts itself, the winner is the wrong player, or a ruling on time does not follow from the
    stamps.
    """
    position = record.game.start()
    for number, played in enumerate(record.turns, start=1):
        try:
            position = _after(position, played)
        except (IllegalTurn, NotationError, RecordError) as error:
            shown = one_line(played.turn, MAX_SHOWN)
            raise RecordError(f"turn {number}, {shown}: {error}") from None
    _check_ending(record.outcome, position)
    _check_winner(record, position)
    turns = len(record.turns)
    if record.opening > turns:
        raise RecordError(
            f"the opening has {counted(record.opening, 'turn')}, the game only {turns}"
        )
    if record.timing is not None:
        said = record.timing.contradictions(record.opening, turns, record.outcome.termination)
        if said:
            raise RecordError(said[0])
    return position


def _after(position: Position, played: PlayedTurn) -> Position:
    """Return the next position. Raises IllegalTurn, NotationError or RecordError."""
    if played.colour is not position.to_move:
        raise RecordError(f"it was {position.to_move}'s turn")
    return position.play(parse_turn(played.turn))


def _check_ending(outcome: Outcome, position: Position) -> None:
    """Raise RecordError if the game could not end in this position as the record says."""
    how, colour = outcome.termination, outcome.winning_colour
    if colour is None and outcome.winner is not None:
        raise RecordError(f"player {outcome.winner + 1} is said to win, but not with which colour")
    if colour is not None and outcome.winner is None:
        raise RecordError(f"{colour} is said to win, but not which player")
    if how.is_by_rules:
        _check_ending_by_rules(outcome, position)
        return
    if how is Termination.REPETITION_WON:
        _check_repetition_won(outcome, position)
    elif position.is_over:
        raise RecordError(f"the game was over before its {how.value}")
    expected = _score_outside_rules(outcome)
    if outcome.score != expected:
        shown = one_line(outcome.score, MAX_SHOWN)
        raise RecordError(f"the score is {shown!r}: expected {expected!r} for {how.value!r}")
    if how is Termination.TURN_LIMIT and colour is not None:
        winner = count_winner(position, LimitResult.COUNT)
        if winner is not colour:
            raise RecordError(f"the record says {expected}, the count {winner or 'a draw'}")


def _check_winner(record: GameRecord, position: Position) -> None:
    """Raise RecordError if the winner had another colour, or should have lost by its turn."""
    outcome, colour = record.outcome, record.outcome.winning_colour
    if outcome.winner is None or colour is None:
        return
    if player_with(colour, position, len(record.turns) % 2) != outcome.winner:
        raise RecordError(
            f"the winner is said to be player {outcome.winner + 1} and {colour}, but that player "
            f"was {colour.other}"
        )
    how = outcome.termination
    # Without stamps a game may be from elsewhere, where a flag may fall in other ways.
    is_of_mover = how is Termination.ILLEGAL_TURN or (how is Termination.TIME and record.timing)
    if is_of_mover and colour is position.to_move:
        raise RecordError(f"{colour} is said to win by {how.value!r}, but was to move")


def _check_ending_by_rules(outcome: Outcome, position: Position) -> None:
    """Raise RecordError unless the rules ended the game so, with this winner and score."""
    result, how = position.result, outcome.termination
    score = one_line(outcome.score, MAX_SHOWN)
    if result is None:
        raise RecordError(f"the record says {score}, {how.value}, but the game is not over")
    if str(result) != outcome.score:
        raise RecordError(f"the record says {score}, the rules {result}")
    if result.winner is not outcome.winning_colour:
        said = outcome.winning_colour or "nobody"
        raise RecordError(f"the record says that {said} won, the rules {result}")
    ended = Termination[result.ending.name]
    if how is not ended:
        raise RecordError(f"the record says {how.value}, the rules {ended.value}")


def _score_outside_rules(outcome: Outcome) -> str:
    """Return the score of a game that its rules did not end, by its termination and winner.

    Raises RecordError if such a game must have a winner, or cannot have one.
    """
    how, colour = outcome.termination, outcome.winning_colour
    if how is Termination.RESIGNATION or outcome.is_forfeit:
        if colour is None:
            raise RecordError(f"nobody is said to win by {how.value!r}: expected a winner")
        return score_without_count(colour, how)
    if outcome.is_void or how is Termination.AGREEMENT:
        if colour is not None:
            raise RecordError(f"{colour} is said to win by {how.value!r}: expected no winner")
        return "void" if outcome.is_void else "0"
    return "0" if colour is None else f"{colour.letter}+"


def _check_repetition_won(outcome: Outcome, position: Position) -> None:
    """Raise RecordError unless the position came back and the player to move won by it."""
    result = position.result
    if result is None or result.ending is not Ending.REPETITION:
        raise RecordError(f"no position came back before the {outcome.termination.value}")
    if outcome.winning_colour is not position.to_move:
        said = outcome.winning_colour or "nobody"
        raise RecordError(f"the record says that {said} won, the repetition {position.to_move}")


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
