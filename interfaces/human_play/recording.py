"""The record of a game that people play, its clock, and the folder that keeps it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from oddly.game_records.kept_game import AGREED, UNFINISHED
from oddly.protocol import NotationError, TimeKind, parse_time_control
from oddly.referee import GameRecord, Outcome, PlayedTurn, Termination, score_without_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.interfaces.human_play.game_in_progress import GameInProgress
    from oddly.protocol import TurnEvaluation


def played_turns(
    current: GameInProgress,
    seconds: Sequence[float],
    evaluations: Sequence[TurnEvaluation | None] = (),
) -> tuple[PlayedTurn, ...]:
    """Return the turns with their colours, seconds and evaluations."""
    known = evaluations or [None] * len(seconds)
    return tuple(
        PlayedTurn(colour, str(turn), spent, expected)
        for (colour, turn), spent, expected in zip(current.played, seconds, known, strict=True)
    )


def record_of(
    current: GameInProgress,
    players: tuple[str, str],
    engines: tuple[str, str],
    seconds: Sequence[float],
    seed: int | None = None,
    evaluations: Sequence[TurnEvaluation | None] = (),
) -> GameRecord:
    """Return the record of a game between `players`, the first of whom opened.

    `engines` are the names that the programs give themselves, empty for humans; `seconds` are the
    times of the turns. `evaluations` are what each turn's player expected, empty if none said so. A
    game that is not over is void.
    """
    turns = played_turns(current, seconds, evaluations)
    return GameRecord(current.game, players, engines, seed, turns, _outcome(current, players))


def _outcome(current: GameInProgress, players: tuple[str, str]) -> Outcome:
    number = len(current.turns)
    if not current.is_over:
        return Outcome(None, None, "void", Termination.VOID, UNFINISHED, number)
    if current.agreed:
        return Outcome(None, None, "0", Termination.AGREEMENT, AGREED, number)
    colour = current.winner
    winner = None
    if colour is not None:
        winner = current.mover if colour is current.to_move else 1 - current.mover
    if current.resigned is not None and colour is not None and winner is not None:
        how = Termination.TIME if current.on_time else Termination.RESIGNATION
        did = "lost on time" if current.on_time else "resigned"
        score = score_without_count(colour, how)
        return Outcome(winner, colour, score, how, f"{players[1 - winner]}: {did}", number)
    result = current.position.result
    if result is None:
        raise RuntimeError("a game without a result is not over")
    termination = Termination[result.ending.name]
    return Outcome(winner, colour, str(result), termination, result.ending.value, number)


MAX_MAIN_SECONDS = 7 * 86_400
MAX_INCREMENT = 3 * 86_400
MIN_MAIN_SECONDS = 10
EXPECTED = (
    f"MAIN+INCREMENT in whole seconds, as in 600+5, with {MIN_MAIN_SECONDS} to "
    f"{MAX_MAIN_SECONDS} for the game and at most {MAX_INCREMENT} for a turn"
)
HOUR = 3600
SHORT = 20
"""Below this many seconds, tenths are shown."""


class PeopleClock(BaseModel):
    """A clock with seconds for the whole game, and seconds that each turn adds."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    main: Annotated[int, Field(ge=MIN_MAIN_SECONDS, le=MAX_MAIN_SECONDS)]
    increment: Annotated[int, Field(ge=0, le=MAX_INCREMENT)] = 0

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the clock that `600+5` stands for. Raises ValueError, saying what is expected."""
        try:
            control = parse_time_control(text)
            seconds = (control.main_seconds, control.increment_seconds)
            if control.kind is TimeKind.FISCHER and all(map(float.is_integer, seconds)):
                return cls(main=int(seconds[0]), increment=int(seconds[1]))
        except (NotationError, ValidationError):
            pass
        raise ValueError(f"expected {EXPECTED}, not {text!r}")

    def __str__(self) -> str:
        """Return the text that `of` reads."""
        return f"{self.main}+{self.increment}"

    def left(self, seat: int, spent: Sequence[float]) -> float:
        """Return the seconds left to a seat after turns of these seconds; the first is free."""
        return self.main + sum(self.increment - seconds for seconds in spent[seat or 2 :: 2])


def clock_text(seconds: float) -> str:
    """Return `1 h 05 min`, `4:58` or `19.3 s`."""
    left = max(0.0, seconds)
    if left >= HOUR:
        return f"{int(left // HOUR)} h {int(left % HOUR // 60):02} min"
    if left < SHORT:
        return f"{left:.1f} s"
    return f"{int(left // 60)}:{int(left % 60):02}"


class NoHomeError(Exception):
    """This user has no home directory. The message is one sentence."""


def state_folder() -> Path:
    """Return this user's state folder by XDG's rules; it may not exist yet. Raises NoHomeError."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    try:
        root = state if state.is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError:
        raise NoHomeError("this user has no home directory") from None
    return root / "oddly"
