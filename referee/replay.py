"""Judging a game again from its evidence: a wire log, read without trusting its outcome."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from games.catalogue import create_game
from games.errors import GameError
from protocol.messages import Resign
from referee.fault import EngineFault
from referee.record import GameRecord, RecordError
from referee.ruling import rule_on

if TYPE_CHECKING:
    from collections.abc import Iterable

    from games.game import Game, Position

_LINE = re.compile(r" *([0-9]+\.[0-9]{6}) ([12]) ([<>!]) ?(.*)")
_GENMOVE = re.compile(r"([0-9]+) genmove (black|white)")
_REPLY = re.compile(r"([=?])([0-9]+) ?(.*)")


class WireLogError(ValueError):
    """A file that is no wire log. The message names the line."""


@dataclass(slots=True)
class Judgement:
    """What the wire shows: the turns, the last position, and how the last answer was wrong."""

    game: Game
    position: Position
    turns: list[str] = field(default_factory=list)
    slowest: float = 0.0
    fault: str = ""
    recorded: GameRecord | None = None

    def contradictions(self) -> list[str]:
        """In what the recorded outcome differs from what the wire shows."""
        if self.recorded is None:
            return ["the log has no outcome: the referee did not come to the end of the game"]
        outcome = self.recorded.outcome
        said = []
        if [turn.turn for turn in self.recorded.turns] != self.turns:
            said.append(f"{len(self.recorded.turns)} turns are recorded, the wire has others")
        if self.position.result is not None and str(self.position.result) != outcome.score:
            said.append(f"{outcome.score} is recorded, the rules say {self.position.result}")
        if self.position.result is None and outcome.termination.name in ENDED_BY_RULES:
            said.append(f"{outcome.termination.value} is recorded, but the game was not over")
        if outcome.termination.value == "illegal turn" and not self.fault:
            said.append("an illegal turn is recorded, but the wire has none")
        return said


ENDED_BY_RULES = ("DOUBLE_PASS", "BOARD_FULL", "NO_MOVES", "REPETITION")


def judge(lines: Iterable[str]) -> Judgement:
    """Play the game again from its log. Raises WireLogError."""
    numbered = enumerate(lines, start=1)
    judgement = _begin(next(numbered, (1, ""))[1])
    asked: dict[int, tuple[str, float]] = {}
    for number, line in numbered:
        if line.startswith("# "):
            _read_outcome(judgement, number, line)
        elif found := _LINE.fullmatch(line.rstrip("\n")):
            seconds, player, direction, text = found.groups()
            _hear(judgement, asked, int(player), direction, text, float(seconds))
        elif line.strip():
            raise WireLogError(f"line {number}: {line.strip()[:60]!r} is no line of a wire log")
    return judgement


def _begin(line: str) -> Judgement:
    try:
        header = json.loads(line.removeprefix("# "))
        if header["wire_log"] != 1:
            raise WireLogError(f"line 1: wire log version {header['wire_log']!r} is not known")
        game = create_game(header["game"], header["size"], header["settings"])
        judgement = Judgement(game, game.start())
        for turn in header.get("opening", ()):
            _answer(judgement, "=", turn)
    except (ValueError, KeyError, TypeError, GameError) as error:
        if isinstance(error, WireLogError):
            raise
        raise WireLogError(f"line 1: not the header of a wire log: {line[:60]!r}") from None
    if judgement.fault:
        raise WireLogError(f"line 1: the opening is wrong: {judgement.fault}")
    return judgement


def _read_outcome(judgement: Judgement, number: int, line: str) -> None:
    try:
        judgement.recorded = GameRecord.from_json(json.loads(line[2:])["outcome"])
    except (ValueError, KeyError, TypeError, RecordError):
        raise WireLogError(f"line {number}: not the outcome of a wire log") from None


def _hear(
    judgement: Judgement,
    asked: dict[int, tuple[str, float]],
    player: int,
    direction: str,
    text: str,
    seconds: float,
) -> None:
    """Take in one line: a genmove that asks, or the reply that answers it."""
    if direction == ">" and (order := _GENMOVE.fullmatch(text)):
        asked[player] = order[1], seconds
    elif direction == "<" and player in asked and (reply := _REPLY.fullmatch(text)):
        number, since = asked[player]
        if reply[2] == number:
            del asked[player]
            judgement.slowest = max(judgement.slowest, seconds - since)
            _answer(judgement, reply[1], reply[3])


def _answer(judgement: Judgement, mark: str, text: str) -> None:
    if mark == "?":
        judgement.fault = f"genmove was refused: {text}"
        return
    try:
        turn, judgement.position = rule_on(judgement.position, text)
    except EngineFault as fault:
        judgement.fault = fault.reason
        return
    if not isinstance(turn, Resign):
        judgement.turns.append(str(turn))


def facts(judgement: Judgement) -> dict[str, Any]:
    """The judgement as plain values for JSON."""
    result = judgement.position.result
    return {
        "game": str(judgement.game),
        "turns": judgement.turns,
        "result": None if result is None else str(result),
        "fault": judgement.fault,
        "slowest_answer": round(judgement.slowest, 6),
        "recorded": judgement.recorded.as_json() if judgement.recorded else None,
        "contradictions": judgement.contradictions(),
    }
