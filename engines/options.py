"""What an engine lets its users set: the options behind `list_options` and `set_option`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from oddly.games import did_you_mean

OptionKind = Literal["integer", "number", "boolean", "choice", "text"]
OptionValue = int | float | bool | str

# Python would take 1_000, nan and digits of any script too; other programs would not.
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,30}")
NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?")


class OptionError(ValueError):
    """A value that an option does not take. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option's name, type, default, range (both ends included) and purpose."""

    name: str
    kind: OptionKind
    default: OptionValue
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    summary: str = ""
    """What it does, in a few words: for `--help`; `list_options` does without."""

    def read(self, text: str) -> OptionValue:
        """Return the value that `text` stands for. Raises OptionError."""
        match self.kind:
            case "boolean":
                return self._read_word(text, ("true", "false")) == "true"
            case "choice":
                return self._read_word(text, self.choices)
            case "text":
                return text
            case "integer" | "number":
                return self._read_number(text)

    def __str__(self) -> str:
        """Return the option's line in the answer to `list_options`."""
        words = [self.name, "type", self.kind, "default", _written(self.default)]
        if self.minimum is not None:
            words += ["min", _written(self.minimum)]
        if self.maximum is not None:
            words += ["max", _written(self.maximum)]
        if self.choices:
            words += ["choices", *self.choices]
        return " ".join(words)

    @property
    def description(self) -> str:
        """What it does, which values it takes, and its default, in words."""
        match self.kind:
            case "integer" | "number":
                noun = "whole number" if self.kind == "integer" else "number"
                values = noun + self._range()
            case "boolean":
                values = "true or false"
            case "choice":
                values = ", ".join(self.choices)
            case "text":
                values = "text"
        facts = f"{values} (default: {_written(self.default)})"
        return f"{self.summary}: {facts}" if self.summary else facts

    def _read_word(self, text: str, words: tuple[str, ...]) -> str:
        if text.lower() in words:
            return text.lower()
        expected = " or ".join(words)
        raise OptionError(
            f"option {self.name} is {expected}, not {text!r}{did_you_mean(text, words)}"
        )

    def _read_number(self, text: str) -> OptionValue:
        noun = "a whole number" if self.kind == "integer" else "a number"
        pattern = WHOLE_NUMBER if self.kind == "integer" else NUMBER
        if pattern.fullmatch(text):
            value = int(text) if self.kind == "integer" else float(text)
            low = self.minimum is not None and value < self.minimum
            high = self.maximum is not None and value > self.maximum
            if not (low or high):
                return value
        shown = text if pattern.fullmatch(text) else repr(text)
        raise OptionError(f"option {self.name} is {noun}{self._range()}, not {shown}")

    def _range(self) -> str:
        """Return the range in words that follow `a number`."""
        least = "" if self.minimum is None else f" from {_written(self.minimum)}"
        return least + ("" if self.maximum is None else f" to {_written(self.maximum)}")


def _written(value: OptionValue) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


SEED = Option("seed", "integer", 0, 0, 2**63 - 1, summary="seed of the random numbers")
"""Every reference engine has it: equal seeds make equal games."""
