"""A clock for people: seconds for the whole game, and seconds that each turn adds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from oddly.protocol.errors import NotationError
from oddly.protocol.time_control import TimeKind, parse_time_control

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_MAIN_SECONDS = 7 * 86_400
MAX_INCREMENT = 3 * 86_400
MIN_MAIN_SECONDS = 10
EXPECTED = (
    f"MAIN+INCREMENT in whole seconds, as in 600+5, with {MIN_MAIN_SECONDS} to "
    f"{MAX_MAIN_SECONDS} for the game and at most {MAX_INCREMENT} for a turn"
)
HOUR = 3600
SHORT = 20
"""Below this many seconds tenths are shown."""


class PeopleClock(BaseModel):
    """Seconds for the whole game, and seconds that each turn adds."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    main: Annotated[int, Field(ge=MIN_MAIN_SECONDS, le=MAX_MAIN_SECONDS)]
    increment: Annotated[int, Field(ge=0, le=MAX_INCREMENT)] = 0

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the clock that `600+5` stands for. Raises ValueError with what is expected."""
        try:
            control = parse_time_control(text)
            if control.kind is not TimeKind.FISCHER:
                raise ValueError(f"expected {EXPECTED}")
            return cls(
                main=_whole(control.main_seconds), increment=_whole(control.increment_seconds)
            )
        except (NotationError, ValidationError):
            raise ValueError(f"expected {EXPECTED}") from None

    def __str__(self) -> str:
        """Return the text that `of` reads."""
        return f"{self.main}+{self.increment}"

    def left(self, seat: int, spent: Sequence[float]) -> float:
        """Return what a seat has left after turns that took these seconds, the first one free."""
        return self.main + sum(self.increment - seconds for seconds in spent[seat or 2 :: 2])


def clock_text(seconds: float) -> str:
    """Return `1 h 05 min`, `4:58` or `19.3 s`."""
    left = max(0.0, seconds)
    if left >= HOUR:
        return f"{int(left // HOUR)} h {int(left % HOUR // 60):02} min"
    if left < SHORT:
        return f"{left:.1f} s"
    return f"{int(left // 60)}:{int(left % 60):02}"


def _whole(seconds: float) -> int:
    if not seconds.is_integer():
        raise ValueError(f"expected {EXPECTED}")
    return int(seconds)
