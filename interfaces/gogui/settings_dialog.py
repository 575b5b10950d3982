"""GoGui's dialog of an engine's settings: level, time, threads, pondering, and what is painted.

A line of the answer is a type, a name and a value. GoGui shows underscores as spaces. It sends each
changed value back with its name, and all of them when it restores or reattaches a program.
"""

from __future__ import annotations

import re
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
_BY_NUMBER = {str(number): level for number, level in enumerate(LEVELS)}
_OUR_LEVEL = re.compile(rf"level type integer default \S+ min 0 max {HIGHEST}")


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """An option that the dialog offers, and how GoGui writes its values."""

    declaration: str
    """Its line in the answer to `list_options`."""
    value: str

    def __str__(self) -> str:
        """Return its line in the dialog."""
        name = self.declaration.split()[0]
        if self._is_boolean:
            return f"[bool] {name} {int(self.value.lower() == 'true')}"
        if self._is_our_level and self.value in _BY_NUMBER:
            return f"[list/{'/'.join(LEVELS)}] {name} {_BY_NUMBER[self.value]}"
        return f"[string] {name} {self.value}"

    def read(self, text: str) -> str:
        """Return the value that GoGui writes as `text`."""
        if self._is_boolean:
            return {"0": "false", "1": "true"}.get(text, text)
        if self._is_our_level and text in LEVELS:
            return str(LEVELS.index(text))
        return text

    @property
    def _is_boolean(self) -> bool:
        return self.declaration.split()[1:3] == ["type", "boolean"]

    @property
    def _is_our_level(self) -> bool:
        """Whether its numbers are our levels: other programs have levels of their own."""
        return _OUR_LEVEL.fullmatch(self.declaration) is not None


@dataclass
class SettingsDialog:
    """The settings that people change while they play.

    `list_options` gives the engine's answer to that command, and `values` the values that differ
    from its defaults. `set_option` sets an option. `time` gives the time control in force, and
    `set_time` sets it.
    """

    list_options: Callable[[], str]
    values: Callable[[], Mapping[str, str]]
    set_option: Callable[[str, str], None]
    time: Callable[[], TimeControl | None]
    set_time: Callable[[TimeControl], None]
    view: View = View.WINS

    def listing(self) -> str:
        """Return all settings, one a line."""
        lines = [str(option) for option in self._offered().values()]
        lines.append(f"[string] {TIME} {self._seconds}")
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
            offered = self._offered()
            if name not in offered:
                names = [*offered, TIME, SHOWN]
                raise CommandError(
                    f"unknown setting {name!r}: expected one of {', '.join(names)}"
                    f"{did_you_mean(name, names)}"
                )
            try:
                self.set_option(name, offered[name].read(text))
            except OptionError as error:
                raise CommandError(str(error)) from None

    def _offered(self) -> dict[str, OfferedOption]:
        """Return the options that the engine has of those that the dialog offers, by name."""
        values, found = self.values(), {}
        for line in self.list_options().splitlines():
            words = line.split()
            if "default" in words[:-1]:
                value = values.get(words[0], words[words.index("default") + 1])
                found[words[0]] = OfferedOption(line, value)
        return {name: found[name] for name in OFFERED if name in found}

    @property
    def _seconds(self) -> str:
        """The fixed time for a turn, as it is listed; 0 under any other time control."""
        control = self.time()
        return "0" if control is None or control.kind is not TimeKind.FIXED else str(control)

    def _change_time(self, text: str) -> None:
        if text == self._seconds:
            # GoGui sends unchanged values too, and a 0 must not end a clock of its own.
            return
        try:
            control = NO_CLOCK if text in ("0", "none") else parse_time_control(text)
        except NotationError as error:
            raise CommandError(f"{TIME}: {error}") from None
        if control.kind not in (TimeKind.NONE, TimeKind.FIXED):
            raise CommandError(f"{TIME} is a number of seconds, 0 for no limit, not {text!r}")
        self.set_time(control)
