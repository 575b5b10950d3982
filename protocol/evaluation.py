"""Evaluations: the replies to `evaluate` and `last_evaluation`, written and read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oddly.games import END, Action, Drops
from oddly.protocol.analysis import COUNT, NUMBER, SHARE, read_count, read_facts, read_number
from oddly.protocol.errors import NotationError
from oddly.protocol.notation import parse_turn

if TYPE_CHECKING:
    from collections.abc import Mapping


MAX_CANDIDATES = 10
"""The most candidates in a reply to `evaluate`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action, its share of the search and how often it wins; both from 0 to 1."""

    action: Action
    share: float
    win_rate: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How often the side to move wins, 0 to 1, over how many simulations; the best action first."""

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
    first, *rest = text.strip().split("\n")
    match first.split():
        case [rate, simulations] if COUNT.fullmatch(simulations):
            candidates = tuple(map(_candidate, rest[:MAX_CANDIDATES]))
            return Evaluation(_share(rate, first), int(simulations), candidates)
    raise NotationError("evaluation", first, 0, "a win rate and a number of simulations")


def _candidate(line: str) -> Candidate:
    match line.split():
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
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise NotationError("evaluation", line, line.index(text), "a number from 0 to 1")
    return value


MAX_LENGTH = 1000
"""Characters that are read of a reply."""


@dataclass(frozen=True, slots=True)
class TurnEvaluation:
    """What the player who chose a turn expected of it."""

    win_rate: float
    """How often that player wins, 0 to 1."""
    depth: int | None = None
    """How many turns the expected line has, this one included."""
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
        """Return what `as_json` gave. Raises NotationError or KeyError for anything else."""
        known = ("win_rate", "depth", "visits", "lead")
        return parse_turn_evaluation(
            " ".join(f"{key} {value[key]}" for key in known if key in value)
        )


def parse_turn_evaluation(text: str) -> TurnEvaluation:
    """Read the text of a reply to `last_evaluation`. Raises NotationError.

    Unknown words are skipped with their values.
    """
    line = text[:MAX_LENGTH].strip()
    facts = read_facts(line.split(), line)
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
    """Return the evaluation that a reply holds; None if it holds none that can be read."""
    try:
        return parse_turn_evaluation(text)
    except NotationError:
        return None
