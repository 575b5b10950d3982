"""Analyses: lines of the reply to `analyze`, written and read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from oddly.protocol.errors import NotationError
from oddly.protocol.notation import parse_turn

if TYPE_CHECKING:
    from oddly.games import Turn

MAX_RANKED = 10
"""Turns that are read of a line of the reply to `analyze`; the rest is ignored."""
MAX_VARIATION = 20
"""Turns that are read of a variation."""

NUMBER = re.compile(r"-?[0-9]{1,6}(?:\.[0-9]{1,9})?")
SHARE = re.compile(r"0(?:\.[0-9]{1,18})?|1(?:\.0{1,18})?")
COUNT = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class RankedTurn:
    """A turn that an engine considers, and what the side to move can expect from it."""

    turn: Turn
    visits: int
    win_rate: float
    """Of the side to move, 0 to 1."""
    lead: float | None
    """By how many groups the side to move will win, below 0 if it loses; None if not known."""
    variation: tuple[Turn, ...]
    """The turns that the engine expects, the first of them `turn`."""
    rules: str = ""
    """The rules by which it was found, in a word; empty for the engine's usual ones."""

    def __str__(self) -> str:
        """One `info` of a line."""
        lead = "" if self.lead is None else f" lead {self.lead:.2f}"
        rules = f" rules {self.rules}" if self.rules else ""
        return (
            f"info turn {self.turn} visits {self.visits} win_rate {self.win_rate:.4f}{lead}{rules} "
            f"variation {' '.join(map(str, self.variation))}"
        )


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an engine has found so far: turns of the side to move, the best first."""

    turns: tuple[RankedTurn, ...]

    def __str__(self) -> str:
        """One line of the reply."""
        return " ".join(map(str, self.turns[:MAX_RANKED]))

    @property
    def best(self) -> RankedTurn:
        """The turn that the engine would play."""
        return self.turns[0]


def parse_analysis(line: str) -> Analysis:
    """Read one line of the reply to `analyze`. Raises NotationError.

    Unknown words are skipped with their values.
    """
    words = line.split()
    starts = [place for place, word in enumerate(words) if word == "info"]
    if not words or words[0] != "info":
        raise NotationError("analysis", line, 0, "'info'")
    ends = [*starts, len(words)]
    ranked = tuple(_ranked(words[one + 1 : other], line) for one, other in pairwise(ends))
    return Analysis(ranked[:MAX_RANKED])


def read_facts(words: list[str], line: str) -> dict[str, str]:
    """Return the facts in a list of keys and values. Raises NotationError."""
    if len(words) % 2:
        raise NotationError("analysis", line, len(line), f"a value for {words[-1]!r}")
    return dict(zip(words[::2], words[1::2], strict=True))


def read_number(facts: dict[str, str], key: str, form: re.Pattern[str], line: str) -> float | None:
    """Return a number among `facts`; None if there is none. Raises NotationError."""
    text = facts.get(key)
    if text is None:
        return None
    if not form.fullmatch(text):
        raise NotationError("analysis", line, max(0, line.find(text)), f"a number for {key!r}")
    return float(text)


def read_count(facts: dict[str, str], key: str, line: str) -> int | None:
    """Return a whole number among `facts`; None if there is none. Raises NotationError."""
    # Not through a float, which holds 15 digits.
    return None if read_number(facts, key, COUNT, line) is None else int(facts[key])


def _ranked(words: list[str], line: str) -> RankedTurn:
    place = words.index("variation") if "variation" in words else len(words)
    facts = read_facts(words[:place], line)
    visits = read_count(facts, "visits", line)
    win_rate = read_number(facts, "win_rate", SHARE, line)
    if "turn" not in facts or visits is None or win_rate is None:
        raise NotationError("analysis", line, 0, "a turn, its visits and its win rate")
    turn = parse_turn(facts["turn"])
    variation = tuple(map(parse_turn, words[place + 1 : place + 1 + MAX_VARIATION])) or (turn,)
    if variation[0] != turn:
        raise NotationError("analysis", line, 0, f"a variation that begins with {turn}")
    lead = read_number(facts, "lead", NUMBER, line)
    return RankedTurn(turn, visits, win_rate, lead, variation, facts.get("rules", ""))
