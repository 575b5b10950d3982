"""The grammar as ABNF (RFC 5234, RFC 7405), read from docs/grammar/protocol.abnf.

The rules of the protocol refer to no rule in a circle, so each is a regular expression as well.
Only docs and tests use this module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = Path(__file__).parents[1] / "docs" / "grammar" / "protocol.abnf"

_TOKEN = re.compile(
    r'(?P<space>[ \n]+)|(?P<string>(?:%[si])?"[^"]*")|(?P<range>%x[0-9A-F]+(?:-[0-9A-F]+)?)'
    r"|(?P<repeat>[0-9]*\*[0-9]*)|(?P<reference>[A-Za-z][A-Za-z0-9-]*)|(?P<mark>[()\[\]/])"
)


@dataclass(frozen=True)
class Text:
    """A string; `is_exact` if its case matters."""

    text: str
    is_exact: bool


@dataclass(frozen=True)
class CodeRange:
    """One character, from a range of them."""

    first: int
    last: int


@dataclass(frozen=True)
class Reference:
    """Another rule."""

    name: str


@dataclass(frozen=True)
class Alternatives:
    """One of several."""

    parts: tuple[Clause, ...]


@dataclass(frozen=True)
class Chain:
    """One after the other."""

    parts: tuple[Clause, ...]


@dataclass(frozen=True)
class Repetition:
    """From `least` to `most` times; any number of times if `most` is None."""

    part: Clause
    least: int
    most: int | None


Clause = Text | CodeRange | Reference | Alternatives | Chain | Repetition


def read_rules(text: str) -> dict[str, Clause]:
    """Return the rules of a text by name. Raises ValueError if it is not ABNF."""
    plain = re.sub(r'("[^"\n]*")|;[^\n]*', lambda found: found[1] or "", text)
    found: dict[str, Clause] = {}
    for line in re.split(r"\n(?=[A-Za-z])", plain):
        if not line.strip():
            continue
        name, _, body = line.partition("=")
        if not re.fullmatch(r"\s*[A-Za-z][A-Za-z0-9-]*\s*", name):
            raise ValueError(f"{line.strip()!r} is no rule")
        found[name.strip()] = _Reader(body).whole()
    return found


class _Reader:
    """Reads the right side of a rule."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise ValueError(f"{text[position:].strip()!r} is no ABNF")
            if match.lastgroup and match.lastgroup != "space":
                self.tokens.append((match.lastgroup, match[0]))
            position = match.end()
        self.tokens.reverse()

    def whole(self) -> Clause:
        clause = self.alternatives()
        if self.tokens:
            raise ValueError(f"unexpected {self.tokens[-1][1]!r}")
        return clause

    def alternatives(self) -> Clause:
        parts = [self.chain()]
        while self.tokens and self.tokens[-1][1] == "/":
            self.tokens.pop()
            parts.append(self.chain())
        return parts[0] if len(parts) == 1 else Alternatives(tuple(parts))

    def chain(self) -> Clause:
        parts = []
        while self.tokens and self.tokens[-1][1] not in (")", "]", "/"):
            parts.append(self.repetition())
        if not parts:
            raise ValueError("something is missing")
        return parts[0] if len(parts) == 1 else Chain(tuple(parts))

    def repetition(self) -> Clause:
        kind, text = self.tokens[-1]
        if kind != "repeat":
            return self.element()
        self.tokens.pop()
        least, _, most = text.partition("*")
        return Repetition(self.element(), int(least or 0), int(most) if most else None)

    def element(self) -> Clause:
        kind, text = self.tokens.pop()
        if kind == "reference":
            return Reference(text)
        if kind == "string":
            return Text(text.partition('"')[2][:-1], is_exact=text.startswith("%s"))
        if kind == "range":
            first, _, last = text[2:].partition("-")
            return CodeRange(int(first, 16), int(last or first, 16))
        inner = self.alternatives()
        self.tokens.pop()
        return Repetition(inner, 0, 1) if text == "[" else inner


def expression(rules: Mapping[str, Clause], clause: Clause) -> str:
    """Return a regular expression that matches the same texts as a clause."""
    match clause:
        case Text(text, is_exact):
            return re.escape(text) if is_exact else f"(?i:{re.escape(text)})"
        case CodeRange(first, last):
            return f"[\\x{first:02x}-\\x{last:02x}]"
        case Reference(name):
            return expression(rules, rules[name])
        case Alternatives(parts):
            return f"(?:{'|'.join(expression(rules, part) for part in parts)})"
        case Chain(parts):
            return "".join(expression(rules, part) for part in parts)
        case Repetition(part, least, most):
            times = f"{{{least},{'' if most is None else most}}}"
            return f"(?:{expression(rules, part)}){times}"


CORE = read_rules("SP = %x20\nLF = %x0A\nDIGIT = %x30-39")
"""The core rules of RFC 5234 that the protocol uses; a grammar may not define them again."""
RULES = CORE | read_rules(FILE.read_text(encoding="ascii"))
"""The protocol's rules by name."""
