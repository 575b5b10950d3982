"""Mutants by operator: every place of two engines' sources where a token may be another one.

Nobody chooses them: a seeded sample is drawn of all places in all sections but those on choosing a
turn and on dividing time, where another number makes another player and no fault.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PYTHON = ("examples/python/full.py", "tools/mutation/whole.py")
JAVASCRIPT = ("examples/javascript/full.js",)
NUMBERS = {PYTHON: 90, JAVASCRIPT: 60}
"""How many mutants are drawn of each engine."""
LEFT_OUT = ("Random turns", "Choosing a turn", "The clock")
HEADING = re.compile(r"(?:#|//) --- ([A-Za-z ]+) -+$")
TOKEN = re.compile(
    r"""(?P<skip>\+\+|--|\#(?=\s|!).*|//.*|/\*\*.*?\*/|\"\"\"[\s\S]*?\"\"\"|[rf]*"(?:[^"\\\n]|\\.)*"
    |[rf]*'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[(,=]\s)/(?:[^/\\\n]|\\.)+/|(?<=\()/(?:[^/\\\n]|\\.)+/)
    |(?P<word>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<sign>===|!==|=>|->|[=!<>]=|&&|\|\||\*\*|\+=|-=|[-+<>%])""",
    re.VERBOSE,
)
OTHERS = {
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "+": "-",
    "-": "+",
    "+=": "-=",
    "-=": "+=",
    "&&": "||",
    "||": "&&",
    "and": "or",
    "or": "and",
    "True": "False",
    "False": "True",
    "true": "false",
    "false": "true",
    "any": "all",
    "all": "any",
    "some": "every",
    "every": "some",
    "min": "max",
    "max": "min",
    "not": "",
    "break": "pass",
    "continue": "pass",
}
"""What a token becomes; a number becomes the next one."""
STATEMENT = re.compile(
    r"(?P<indent> +)(?P<text>[a-zA-Z_][\w.\[\]]*(?: [-+]?= |\(|\.).*?)(?P<end>;?)"
)


@dataclass(frozen=True, slots=True)
class Mutation:
    """One token, or one statement, of a file that is another one."""

    file: str
    line: int
    column: int
    begin: int
    end: int
    new: str
    old: str

    @property
    def name(self) -> str:
        """Where it is, and what became what."""
        return f"{Path(self.file).name}:{self.line}:{self.column}: {self.old!r} is {self.new!r}"

    def apply(self, text: str) -> str:
        """Return the mutated text of the file."""
        return text[: self.begin] + self.new + text[self.end :]


def places(file: str) -> Iterator[Mutation]:
    """Yield all mutations of a file."""
    text = (ROOT / file).read_text(encoding="utf-8")
    nothing = "pass" if file.endswith(".py") else ";"
    ranges = _ranges(text)
    taken: list[tuple[int, int]] = []
    for found in TOKEN.finditer(text):
        if found["skip"]:
            taken.append(found.span())
            continue
        token = found[0]
        new = str(int(token) + 1) if found["number"] else OTHERS.get(token)
        if new == "pass" and nothing == ";":
            new = ""
        if new is not None and any(a <= found.start() < b for a, b in ranges):
            yield _mutation(file, text, *found.span(), new)
    for line in re.finditer(r".+", text):
        whole = STATEMENT.fullmatch(line[0])
        inside = any(a <= line.start() < b for a, b in ranges)
        if (
            whole
            and inside
            and _is_balanced(whole["text"])
            and not whole["text"].startswith(NO_STATEMENTS)
        ):
            begin = line.start() + len(whole["indent"])
            if not any(a <= begin < b for a, b in taken):
                yield _mutation(file, text, begin, line.end(), nothing)


NO_STATEMENTS = ("return", "const ", "let ", "print", "case ", "if ", "for ", "while ", "class ")


def _mutation(file: str, text: str, begin: int, end: int, new: str) -> Mutation:
    line, column = text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin)
    return Mutation(file, line, column, begin, end, new, text[begin:end])


def _is_balanced(text: str) -> bool:
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))


def _ranges(text: str) -> list[tuple[int, int]]:
    """Return where the sections are that may be mutated; the first one has no heading."""
    begins, ranges, begin, keep = 0, [], 0, True
    for line in text.splitlines(keepends=True):
        if heading := HEADING.fullmatch(line.strip()):
            if keep:
                ranges.append((begin, begins))
            begin, keep = begins, heading[1].strip() not in LEFT_OUT
        begins += len(line)
    return [*ranges, (begin, begins)] if keep else ranges


SEED = "operators"
"""Draws the sample that is kept. The check was improved on it, so any other one leaves it out."""


def sample(seed: str = SEED) -> list[tuple[tuple[str, ...], Mutation]]:
    """Return the mutations that are tried, each with the files of its engine."""
    drawn = []
    for files, number in NUMBERS.items():
        every = [each for file in files for each in places(file)]
        if seed != SEED:
            first = Random(f"{SEED} {files[0]}").sample(every, number)
            every = [each for each in every if each not in first]
        chosen = Random(f"{seed} {files[0]}").sample(every, number)
        drawn += [(files, each) for each in chosen]
    return drawn


def digest(files: tuple[str, ...]) -> str:
    """Return a mark of an engine's sources: recorded outcomes are those of one version."""
    text = "".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
