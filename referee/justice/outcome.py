"""How a game ended, and by whose fault."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import Ending, IllegalTurn, Pass, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games import Colour, Position


class Termination(Enum):
    """What ended a game: its rules, a resignation, a player's fault, or a failure of ours."""

    DOUBLE_PASS = "double pass"
    BOARD_FULL = "board full"
    NO_MOVES = "no legal move"
    REPETITION = "repetition"
    REPETITION_WON = "repetition, won"
    """Elsewhere a position that comes back wins for the player to move; by our rules it draws."""
    GOAL = "goal reached"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    """The players agreed on a draw, on a site where they may."""
    ADJUDICATION = "adjudication"
    """An engine proved who wins."""
    TURN_LIMIT = "turn limit"
    TIME = "time"
    ILLEGAL_TURN = "illegal turn"
    PROTOCOL = "protocol"
    CRASH = "crash"
    NO_START = "no start"
    WITHDRAWN = "withdrawn"
    VOID = "void"
    """Neither engine was ready."""
    ABSENT = "absent"
    """An engine of a rating pool was absent: the game is played once it is present."""
    ABANDONED = "abandoned"
    """The referee or its machine failed: the game is played again."""

    @property
    def is_forfeit(self) -> bool:
        """Whether a player lost by its own fault."""
        return self in _FORFEITS

    @property
    def is_by_rules(self) -> bool:
        """Whether the rules of the game ended it."""
        return self.name in Ending.__members__


_FORFEITS = {
    Termination.TIME,
    Termination.ILLEGAL_TURN,
    Termination.PROTOCOL,
    Termination.CRASH,
    Termination.NO_START,
    Termination.WITHDRAWN,
}

_VOIDS = {Termination.VOID, Termination.ABSENT, Termination.ABANDONED}

_SCORE_SUFFIX = {Termination.RESIGNATION: "R", Termination.TIME: "T"}


NOTABLE_LAG = 0.05
"""Seconds by which the referee may be late before a game is marked."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game.

    `winner` is 0 for the player who moved first, 1 for the other, None for a draw or a void game;
    a swap does not change who is who. `winning_colour` is the colour that player held at the end.
    `score` is the rules' result (`B+1`), or `W+R`, `W+T`, `W+F` after a resignation, a time loss
    or another forfeit, `0` for a draw, `void` for a game that nobody lost. `reason` is a sentence,
    and `evidence` what the engine at fault sent, printable and bounded; `diagram` is the position
    in which a turn was illegal. `lag` is the greatest lateness of the referee itself, in seconds.
    """

    winner: int | None
    winning_colour: Colour | None
    score: str
    termination: Termination
    reason: str
    turns: int
    evidence: str = ""
    diagram: str = ""
    lag: float = 0.0

    @property
    def result_text(self) -> str:
        """The score and what ended the game, as `B+1, double pass`; `void` if both are that."""
        return ", ".join(dict.fromkeys((self.score, self.termination.value)))

    @property
    def is_forfeit(self) -> bool:
        """Whether a player lost by its own fault."""
        return self.termination.is_forfeit

    @property
    def is_marked(self) -> bool:
        """Whether the referee itself was late enough to distort the times."""
        return self.lag >= NOTABLE_LAG

    @property
    def is_void(self) -> bool:
        """Whether the game counts for nobody."""
        return self.termination in _VOIDS

    @property
    def is_abandoned(self) -> bool:
        """Whether the referee or its machine failed, so that the game must be replayed."""
        return self.termination is Termination.ABANDONED

    @property
    def is_exhaustion(self) -> bool:
        """Whether the machine could not carry the game through, and may be able to later."""
        return self.is_abandoned and self.reason.startswith(EXHAUSTED)


def abandoned(reason: str, turns: int = 0) -> Outcome:
    """Return the outcome of a game that the referee or its machine could not finish."""
    return Outcome(None, None, "void", Termination.ABANDONED, reason, turns)


EXHAUSTED = "the machine is exhausted: "
"""The first words of the reason of a game that the machine could not finish."""


def absent(names: Sequence[str], reason: str, turns: int = 0) -> Outcome:
    """Return the outcome of a game from which these engines were absent."""
    sentence = f"absent: {', '.join(names)} ({reason})"
    return Outcome(None, None, "void", Termination.ABSENT, sentence, turns)


def player_with(colour: Colour | None, position: Position, mover: int) -> int | None:
    """Return the player who has a colour while player `mover` is to move; None for no colour."""
    if colour is None:
        return None
    return mover if colour is position.to_move else 1 - mover


def ended_by_rules(position: Position, mover: int, turns: int) -> Outcome:
    """Return the outcome of a game that its rules ended, with player `mover` to move.

    Raises RuntimeError if the game is not over.
    """
    result = position.result
    if result is None:
        raise RuntimeError("the game is not over")
    winner = player_with(result.winner, position, mover)
    how = Termination[result.ending.name]
    return Outcome(winner, result.winner, str(result), how, result.ending.value, turns)


def lost_by(
    loser: int, name: str, winner: Colour, termination: Termination, reason: str, turns: int
) -> Outcome:
    """Return the outcome of a game in which player `loser`, called `name`, resigns or is at fault.

    `winner` is the opponent's colour.
    """
    score = score_without_count(winner, termination)
    return Outcome(1 - loser, winner, score, termination, f"{name}: {reason}", turns)


def ended_early(
    winner: int | None, colour: Colour | None, termination: Termination, reason: str, turns: int
) -> Outcome:
    """Return the outcome of a game that the referee ended: `B+`, `W+` or `0` for a draw."""
    score = "0" if colour is None else f"{colour.letter}+"
    return Outcome(winner, colour, score, termination, reason, turns)


def score_without_count(winner: Colour, termination: Termination) -> str:
    """Return the score of a game that its rules did not end: `W+R`, `B+T`, `B+F`."""
    return f"{winner.letter}+{_SCORE_SUFFIX.get(termination, 'F')}"


class EngineFault(Exception):
    """A fault of one engine. `reason` is a sentence, `evidence` what the engine sent."""

    def __init__(self, termination: Termination, reason: str, evidence: bytes = b"") -> None:
        super().__init__(reason)
        self.termination = termination
        self.reason = reason
        self.evidence = one_line(evidence)

    def __reduce__(self) -> tuple[object, ...]:
        """Return how a copy is made, in another process too."""
        return type(self), (self.termination, self.reason), self.__dict__


class VoidGame(Exception):
    """The referee or its machine failed, and no engine is to blame. `reason` is a sentence.

    The game counts for nobody, and is played again.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class MachineExhausted(VoidGame):
    """The machine lacks descriptors, processes, memory or room: fewer games at once may help."""

    def __init__(self, said: str) -> None:
        super().__init__(f"{EXHAUSTED}{said}")

    def __reduce__(self) -> tuple[object, ...]:
        """Return how a copy is made, in another process too."""
        return type(self), (self.reason.removeprefix(EXHAUSTED),), self.__dict__


def first_error(error: BaseException) -> BaseException:
    """Return the first error in an exception group, however deep; any other error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def failure_text(error: BaseException) -> str:
    """Return an unexpected error in words: what it says, and the line that raised it."""
    error = first_error(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    said = one_line(str(error))
    return f"{type(error).__name__}{': ' * bool(said)}{said}{place}"


class LimitResult(Enum):
    """The result of a game that has reached its limit of turns."""

    COUNT = "count"
    """As if both players had passed, in games in which they may; a draw in others."""
    DRAW = "draw"


def count_winner(position: Position, at_limit: LimitResult) -> Colour | None:
    """Return who wins if both players pass now; None if they may not, or if it is a draw."""
    if at_limit is LimitResult.DRAW:
        return None
    try:
        while not position.is_over:
            position = position.play(Pass())
    except IllegalTurn:
        return None
    return None if position.result is None else position.result.winner
