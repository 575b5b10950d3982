"""GoGui's dialog of an engine's settings: level, time, threads, pondering, and what is painted.

A line of the answer is a type, a name and a value. GoGui shows underscores as spaces, and sends
each changed value back with its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.engines import CommandError, OptionError
from oddly.engines.levels import HIGHEST, NAMES
from oddly.games import did_you_mean
from oddly.interfaces.gogui.marks import View
from oddly.protocol import NO_CLOCK, NotationError, TimeControl, TimeKind, parse_time_control

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


OFFERED = ("level", "threads", "ponder")
"""The options that the dialog offers, if the engine has them."""
TIME, SHOWN = "seconds_a_turn", "while_it_thinks_show"
FULL = "full_strength"
LEVELS = (FULL, *(f"{number}_{name.replace(' ', '_')}" for number, name in enumerate(NAMES, 1)))
"""The levels of our strong engine as GoGui lists them; the first stands for no level."""


@dataclass
class SettingsDialog:
    """The settings that people change while they play.

    `options` gives the engine's options with their values, `set_option` sets one, and `set_time`
    sets the time control.
    """

    options: Callable[[], Mapping[str, str]]
    set_option: Callable[[str, str], None]
    set_time: Callable[[TimeControl], None]
    view: View = View.WINS
    time: str = "0"

    def listing(self) -> str:
        """Return all settings, one a line."""
        values = self.options()
        lines = [_line(name, values[name]) for name in OFFERED if name in values]
        lines.append(f"[string] {TIME} {self.time}")
        lines.append(f"[list/{'/'.join(View)}] {SHOWN} {self.view}")
        return "\n".join(lines)

    def change(self, name: str, text: str) -> None:
        """Change a setting. Raises CommandError."""
        if name == TIME:
            self._change_time(text)
        elif name == SHOWN:
            if text not in set(View):
                raise CommandError(f"{name} is one of {', '.join(View)}, not {text!r}")
            self.view = View(text)
        else:
            known = [each for each in OFFERED if each in self.options()]
            if name not in known:
                names = [*known, TIME, SHOWN]
                raise CommandError(
                    f"unknown setting {name!r}: expected one of {', '.join(names)}"
                    f"{did_you_mean(name, names)}"
                )
            try:
                self.set_option(name, _value(name, text))
            except OptionError as error:
                raise CommandError(str(error)) from None

    def _change_time(self, text: str) -> None:
        try:
            control = NO_CLOCK if text in ("0", "none") else parse_time_control(text)
        except NotationError as error:
            raise CommandError(f"{TIME}: {error}") from None
        if control.kind not in (TimeKind.NONE, TimeKind.FIXED):
            raise CommandError(f"{TIME} is a number of seconds, 0 for no limit, not {text!r}")
        self.time = "0" if control is NO_CLOCK else text
        self.set_time(control)


def _line(name: str, value: str) -> str:
    if value in ("true", "false"):
        return f"[bool] {name} {int(value == 'true')}"
    if name == "level" and value.isdecimal() and int(value) <= HIGHEST:
        return f"[list/{'/'.join(LEVELS)}] {name} {LEVELS[int(value)]}"
    return f"[string] {name} {value}"


def _value(name: str, text: str) -> str:
    """Return the option's value that GoGui's dialog writes as `text`."""
    if name == "level" and text in LEVELS:
        return str(LEVELS.index(text))
    if name == "ponder":
        return {"0": "false", "1": "true"}.get(text, text)
    return text
