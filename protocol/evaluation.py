"""An engine's opinions: lines of `analyze`, and replies to `evaluate` and `last_evaluation`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from oddly.games import END, Action, Drops, Turn
from oddly.protocol.messages import NotationError
from oddly.protocol.notation import parse_turn

if TYPE_CHECKING:
    from collections.abc import Mapping


MAX_RANKED = 10
"""Turns read from a line of the reply to `analyze`; the rest are ignored."""
MAX_VARIATION = 20
"""Turns read from a variation."""

NUMBER = re.compile(r"-?[0-9]{1,6}(?:\.[0-9]{1,9})?")
SHARE = re.compile(r"0(?:\.[0-9]{1,18})?|1(?:\.0{1,18})?")
COUNT = re.compile(r"[0-9]{1,18}")
KEY = re.compile(r"[a-z_]+")
WORD = re.compile(r"[!\"$-~]+")
ANY_TURN = re.compile(
    r"pass|swap|[a-z][1-9][0-9]?-[a-z][1-9][0-9]?|[bw][a-z][1-9][0-9]?(?:,[bw][a-z][1-9][0-9]?)*",
    re.ASCII | re.IGNORECASE,
)
"""The form of a turn that is not read."""
IN_ORDER = ("turn", "visits", "win_rate", "lead", "rules")
"""The first keys of an `info` entry; the last two may be missing."""


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
        """One `info` entry of a line."""
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
    words = _words("analysis", line)
    if words[0] != "info":
        raise NotationError("analysis", line, 0, "'info'")
    ends = [*_starts(words), len(words)]
    ranked = tuple(_ranked(words[one + 1 : other], line) for one, other in pairwise(ends))
    return Analysis(ranked[:MAX_RANKED])


def _starts(words: list[str]) -> list[int]:
    """Return the places of each `info` that begins an entry: as a value it begins none."""
    starts = list[int]()
    place, step = 0, 1
    while place < len(words):
        if words[place] == "info":
            starts.append(place)
        if words[place] in ("info", "variation"):
            # Keys with their values follow the one, turns the other.
            step = 2 if words[place] == "info" else 1
            place += 1
        else:
            place += step
    return starts


def _words(what: str, line: str) -> list[str]:
    """Return the words of a line. Raises NotationError unless single spaces are between them."""
    words = line.split(" ")
    if "" in words:
        place = len(" ".join(words[: words.index("")]))
        raise NotationError(what, line, place, "words with one space between them")
    return words


def _pairs(words: list[str], line: str) -> list[tuple[str, str]]:
    """Return the keys in a list of words with their values. Raises NotationError."""
    if len(words) % 2:
        raise NotationError("analysis", line, len(line), f"a value for {words[-1]!r}")
    for key in words[::2]:
        if not KEY.fullmatch(key):
            raise NotationError("analysis", line, line.find(key), "a key of a to z and _")
    for value in words[1::2]:
        if not WORD.fullmatch(value):
            raise NotationError("analysis", line, line.find(value), "a word of ASCII without #")
    return list(zip(words[::2], words[1::2], strict=True))


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
    keys = words[::2]
    place = 2 * keys.index("variation") if "variation" in keys else len(words)
    pairs = _pairs(words[:place], line)
    facts = dict(pairs)
    visits = read_count(facts, "visits", line)
    win_rate = read_number(facts, "win_rate", SHARE, line)
    if "turn" not in facts or visits is None or win_rate is None:
        raise NotationError("analysis", line, 0, "a turn, its visits and its win rate")
    first = [key for key in IN_ORDER if key in facts]
    rest = [key for key, _ in pairs[len(first) :]]
    if list(facts)[: len(first)] != first or not set(first).isdisjoint(rest):
        expected = f"{', '.join(IN_ORDER)} in this order and once, then other keys"
        raise NotationError("analysis", line, 0, expected)
    turn = parse_turn(facts["turn"])
    variation = _variation(words[place + 1 :], line) if place < len(words) else (turn,)
    if variation[0] != turn:
        raise NotationError("analysis", line, 0, f"a variation that begins with {turn}")
    lead = read_number(facts, "lead", NUMBER, line)
    return RankedTurn(turn, visits, win_rate, lead, variation, facts.get("rules", ""))


def _variation(words: list[str], line: str) -> tuple[Turn, ...]:
    """Return the first turns of a variation. Raises NotationError if any is none."""
    if not words:
        raise NotationError("analysis", line, len(line), "the turns of a variation")
    for word in words[MAX_VARIATION:]:
        if not ANY_TURN.fullmatch(word):
            raise NotationError("analysis", line, line.rfind(word), "a turn")
    return tuple(map(parse_turn, words[:MAX_VARIATION]))


MAX_CANDIDATES = 10
"""The most candidates in a reply to `evaluate`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action, its share of the search and its win rate, both from 0 to 1."""

    action: Action
    share: float
    win_rate: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The win rate of the side to move, 0 to 1, over its simulations; the best candidate first."""

    win_rate: float
    simulations: int
    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        """The text of the reply, with the best candidates only."""
        lines = [f"{self.win_rate:.4f} {self.simulations}"]
        lines += [
            f"{candidate.action} {candidate.share:.4f} {candidate.win_rate:.4f}"
            for candidate in self.candidates[:MAX_CANDIDATES]
        ]
        return "\n".join(lines)


def parse_evaluation(text: str) -> Evaluation:
    """Read the text of a reply to `evaluate`. Raises NotationError."""
    first, *rest = text.split("\n")
    match first.split(" "):
        case [rate, simulations] if COUNT.fullmatch(simulations):
            candidates = tuple(map(_candidate, rest[:MAX_CANDIDATES]))
            return Evaluation(_share(rate, first), int(simulations), candidates)
    raise NotationError("evaluation", first, 0, "a win rate and a number of simulations")


def _candidate(line: str) -> Candidate:
    match line.split(" "):
        case [action, share, win_rate]:
            return Candidate(_action(action), _share(share, line), _share(win_rate, line))
    raise NotationError("evaluation", line, 0, "an action, its share and its win rate")


def _action(text: str) -> Action:
    """Read one drop, `end`, `pass`, a move or `swap`. Raises NotationError."""
    if text == str(END):
        return END
    turn = parse_turn(text)
    if not isinstance(turn, Drops):
        return turn
    if len(turn.drops) == 1:
        return turn.drops[0]
    raise NotationError("evaluation", text, 0, "one drop")


def _share(text: str, line: str) -> float:
    """Read a number from 0 to 1. Raises NotationError."""
    if not SHARE.fullmatch(text):
        raise NotationError("evaluation", line, line.index(text), "a number from 0 to 1")
    return float(text)


MAX_LENGTH = 1000
"""Characters read from a reply."""


@dataclass(frozen=True, slots=True)
class TurnEvaluation:
    """What the player who chose a turn expected of it."""

    win_rate: float
    """How often that player wins, 0 to 1."""
    depth: int | None = None
    """The number of turns in the expected line, this one included."""
    visits: int | None = None
    lead: float | None = None
    """By how many groups that player will win, below 0 if it loses."""

    def __str__(self) -> str:
        """The text of the reply."""
        return " ".join(f"{key} {value}" for key, value in self.as_json().items())

    def as_json(self) -> dict[str, Any]:
        """Return what is known, as plain values that `from_json` reads."""
        facts = {
            "win_rate": round(self.win_rate, 4),
            "depth": self.depth,
            "visits": self.visits,
            "lead": None if self.lead is None else round(self.lead, 2),
        }
        return {key: value for key, value in facts.items() if value is not None}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> TurnEvaluation:
        """Read what `as_json` returned. Raises NotationError or KeyError for anything else."""
        known = ("win_rate", "depth", "visits", "lead")
        return parse_turn_evaluation(
            " ".join(f"{key} {value[key]}" for key in known if key in value)
        )


def parse_turn_evaluation(text: str) -> TurnEvaluation:
    """Read the text of a reply to `last_evaluation`. Raises NotationError.

    Unknown words are skipped with their values.
    """
    line = text[:MAX_LENGTH].strip()
    pairs = _pairs(_words("evaluation", line), line)
    facts = dict(pairs)
    if len(facts) < len(pairs):
        raise NotationError("evaluation", line, 0, "each key at most once")
    win_rate = read_number(facts, "win_rate", SHARE, line)
    if win_rate is None:
        raise NotationError("evaluation", line, 0, "a win rate")
    return TurnEvaluation(
        win_rate,
        read_count(facts, "depth", line),
        read_count(facts, "visits", line),
        read_number(facts, "lead", NUMBER, line),
    )


def turn_evaluation_in(text: str) -> TurnEvaluation | None:
    """Return the evaluation in a reply, or None if it has no readable one."""
    try:
        return parse_turn_evaluation(text)
    except NotationError:
        return None
