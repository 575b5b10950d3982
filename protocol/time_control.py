"""Time controls and their notation: the SPEC of `--time`, TOML and `time_control`."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from oddly.games import did_you_mean
from oddly.protocol.messages import MAX_TURN_LENGTH, SECONDS, TIME_CONTROL, NotationError


class TimeKind(Enum):
    """The kinds of time control."""

    NONE = "none"
    FIXED = "fixed"
    FISCHER = "fischer"
    CANADIAN = "canadian"
    JAPANESE = "japanese"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A time control; all times in seconds.

    FIXED gives `main_seconds` for every turn. FISCHER gives `main_seconds` for the game and
    `increment_seconds` after each turn (sudden death with an increment of 0). After the main time,
    CANADIAN gives `period_seconds` for each `turns` turns, and JAPANESE `periods` periods of
    `period_seconds`, each but the last one lost when it is used up.
    """

    kind: TimeKind
    main_seconds: float = 0.0
    increment_seconds: float = 0.0
    turns: int = 0
    periods: int = 0
    period_seconds: float = 0.0

    def __str__(self) -> str:
        main = _number(self.main_seconds)
        match self.kind:
            case TimeKind.NONE:
                return "none"
            case TimeKind.FIXED:
                return main
            case TimeKind.FISCHER:
                return f"{main}+{_number(self.increment_seconds)}"
            case TimeKind.CANADIAN:
                return f"{main}+{self.turns}/{_number(self.period_seconds)}"
            case TimeKind.JAPANESE:
                return f"{main}+{self.periods}x{_number(self.period_seconds)}"


NO_CLOCK = TimeControl(TimeKind.NONE)
"""The time control `none`: as much time as a player likes."""
BEHIND_MAIN_TIME = re.compile(rf"{SECONDS}\+(?![0-9])")
FORMS = "; a time control is written as 5, 300+2.5, 600+20/300, 600+5x30 or none"


def parse_time_control(text: str) -> TimeControl:
    """Return the time control that SPEC stands for. Raises NotationError.

    `5` is five seconds a turn, `300+0` sudden death, `300+2.5` main time and increment,
    `600+20/300` Canadian, `600+5x30` Japanese byo-yomi, `none` no clock.
    """
    if text == "none":
        return NO_CLOCK
    found = TIME_CONTROL.fullmatch(text)
    if found is None:
        from oddly.protocol.grammar import reject_time_control

        reject_time_control(text, _nearest(text))
    main = float(found["main"])
    if found["turns"]:
        control = TimeControl(
            TimeKind.CANADIAN, main, turns=int(found["turns"]), period_seconds=float(found["block"])
        )
    elif found["periods"]:
        control = TimeControl(
            TimeKind.JAPANESE,
            main,
            periods=int(found["periods"]),
            period_seconds=float(found["period"]),
        )
    elif found["increment"]:
        control = TimeControl(TimeKind.FISCHER, main, increment_seconds=float(found["increment"]))
    else:
        control = TimeControl(TimeKind.FIXED, main)
    _check_not_zero(control, text)
    return control


def gtp_time_control(main: int, byo_yomi: int, stones: int) -> TimeControl:
    """Return what GTP's `time_settings` means: byo-yomi time without stones is no clock."""
    if byo_yomi > 0 and stones > 0:
        return TimeControl(TimeKind.CANADIAN, main, turns=stones, period_seconds=byo_yomi)
    if byo_yomi > 0 or main == 0:
        return NO_CLOCK
    return TimeControl(TimeKind.FISCHER, main)


def _nearest(text: str) -> str:
    """Return `; did you mean '0+40/60'?` for a near miss, else which forms there are.

    It is empty just after main time and a plus, where the grammar says what may follow.
    """
    plain = text[:MAX_TURN_LENGTH].replace(" ", "").replace(",", ".").lower().removesuffix("s")
    # Other programs write turns/seconds and periods x seconds without main time.
    for spelling in (plain, f"0+{plain}"):
        with suppress(NotationError):
            if spelling == str(NO_CLOCK) or TIME_CONTROL.fullmatch(spelling):
                parse_time_control(spelling)
                return f"; did you mean {spelling!r}?"
    hint = did_you_mean(plain, (str(NO_CLOCK),))
    return hint or ("" if BEHIND_MAIN_TIME.match(text) else FORMS)


def _check_not_zero(control: TimeControl, text: str) -> None:
    """Raise NotationError for a time control under which nobody could play a turn."""
    if control.kind in (TimeKind.FIXED, TimeKind.FISCHER):
        if control.main_seconds == 0:
            raise NotationError("time control", text, 0, "more than 0 seconds", FORMS)
    elif control.turns + control.periods == 0:
        raise NotationError("time control", text, text.index("+") + 1, "1 turn or period or more")
    elif control.period_seconds == 0:
        raise NotationError("time control", text, len(text) - 1, "more than 0 seconds")


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
