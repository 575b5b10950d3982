"""The judgement of a game from its wire log alone: its turns, its end, and the rulings on time.

`wire_log.py` says what a log looks like. Logs of all versions are judged.
"""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

from oddly.games import Game, Position, create_game, one_line
from oddly.games.wording import counted
from oddly.protocol import Reply, Resign, parse_time_control
from oddly.protocol.codec import REPLY_HEAD
from oddly.referee.conversation.commands import EVALUATION, STARTERS, other_id
from oddly.referee.justice.clock import Timing, Wait
from oddly.referee.justice.legality import rule_on
from oddly.referee.justice.outcome import EngineFault, Termination, player_with
from oddly.referee.justice.record import GameRecord
from oddly.referee.match.wire_log import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oddly.referee.justice.outcome import Outcome

_LINE = re.compile(r" *([0-9]+\.[0-9]{6}) ([12]) ([<>!]) ?(.*)")
_COMMAND = re.compile(r"([0-9]{1,10}) ([a-z_]+)")
_CONTROL = re.compile(r"(?<!\\)\\(?:r|x(?:0[0-8bcef]|1[0-9a-f]|7f))")
"""A control character as a log shows it; the protocol drops them."""
_TAB = re.compile(r"(?<!\\)\\t")


MAX_READ_LENGTH = 1_000_000
"""Characters in a line to read: ten times the outcome of the longest game."""
UNREADABLE = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)
"""Raised for values of a kind that no log has."""


class WireLogError(ValueError):
    """A file that is not a wire log. The message names the line."""


@dataclass(slots=True)
class Judgement:
    """What the wire shows: the turns, the last position, and how the last answer was wrong."""

    game: Game
    position: Position
    turns: list[str] = field(default_factory=list)
    slowest: float = 0.0
    fault: str = ""
    has_resigned: bool = False
    loser: int | None = None
    """The player, 0 or 1, who resigned, or gave no legal turn when asked for one."""
    cut: str = ""
    """Where the log was cut before the game was over, as a sentence; empty if it was not."""
    recorded: GameRecord | None = None
    opening: int = 0
    controls: tuple[str, str] | None = None
    """The time controls; None in a log of version 1, whose stamps are the times of writing."""
    margin: float = 0.0
    waits: list[Wait] = field(default_factory=list)

    @property
    def is_decided(self) -> bool:
        """Whether the wire shows the end of the game, or an answer that ends it."""
        return self.position.result is not None or self.has_resigned or bool(self.fault)

    def contradictions(self) -> list[str]:
        """Return a sentence for each way in which the record differs from what the wire shows.

        Of a log that was cut only the turns before that are compared.
        """
        if self.recorded is None:
            return ["the log has no outcome: the referee did not finish the game"]
        outcome = self.recorded.outcome
        said = []
        turns = [turn.turn for turn in self.recorded.turns]
        # An answer that nobody could rule on is on the wire, but is no turn of the game.
        shown = self.turns[: len(turns)] if outcome.is_abandoned else self.turns
        if shown != (turns[: len(shown)] if self.cut else turns):
            said.append(f"the record has {counted(len(turns), 'turn')}, but the wire shows others")
        if self.cut:
            return said
        said += self._contradictions_of_the_end(outcome)
        if self.controls is not None:
            timing = Timing(self.controls, self.margin, tuple(self.waits))
            said += timing.contradictions(self.opening, len(turns), outcome.termination)
        return said

    def _contradictions_of_the_end(self, outcome: Outcome) -> Iterator[str]:
        ended, result = outcome.termination, self.position.result
        if not (result is None or outcome.is_abandoned or str(result) == outcome.score):
            yield f"{outcome.score} is recorded, the rules say {result}"
        if result is None and ended.is_by_rules:
            yield f"{ended.value} is recorded, but the game was not over"
        if ended is Termination.ILLEGAL_TURN and not self.fault:
            yield "an illegal turn is recorded, but the wire has none"
        if ended is Termination.RESIGNATION and not self.has_resigned:
            yield "a resignation is recorded, but the wire has none"
        yield from self._contradiction_of_the_winner(outcome)
        if self.has_resigned and not (ended is Termination.RESIGNATION or outcome.is_abandoned):
            yield f"{ended.value} is recorded, but the wire has a resignation"

    def _contradiction_of_the_winner(self, outcome: Outcome) -> Iterator[str]:
        """Yield a sentence if the wire shows who won, and the record says something else."""
        result, ended = self.position.result, outcome.termination
        if outcome.is_abandoned or self.recorded is None:
            return
        if result is not None:
            winner = player_with(result.winner, self.position, len(self.turns) % 2)
        elif self.loser is not None and (ended is Termination.RESIGNATION or outcome.is_forfeit):
            winner = 1 - self.loser
        else:
            return
        if outcome.winner != winner:
            one, other = (one_line(str(player)) for player in self.recorded.players)
            names = {None: "nobody", 0: one, 1: other}
            said = names.get(outcome.winner, "somebody else")
            yield f"{said} is recorded as the winner, the wire says {names[winner]}"


def lines_of(log: TextIO) -> Iterator[str]:
    """Yield the lines of a log. Raises WireLogError for a line that is too long for one."""
    number = 0
    while line := log.readline(MAX_READ_LENGTH + 1):
        number += 1
        if len(line) > MAX_READ_LENGTH:
            raise WireLogError(f"line {number} is longer than {MAX_READ_LENGTH:,} characters")
        yield line


def judge(lines: Iterable[str]) -> Judgement:
    """Replay the game from its log and return what it shows. Raises WireLogError."""
    numbered = enumerate(lines, start=1)
    judgement = _begin(next(numbered, (1, ""))[1])
    wire = _Wire(judgement)
    for number, line in numbered:
        if line.startswith("# "):
            wire.read_note(number, line)
        elif found := _LINE.fullmatch(line.rstrip("\n")):
            seconds, player, direction, text = found.groups()
            wire.hear(int(player), direction, text, float(seconds))
        elif line.strip():
            raise WireLogError(f"line {number}: {line.strip()[:60]!r} is not a line of a wire log")
    wire.settle()
    return judgement


def _begin(line: str) -> Judgement:
    try:
        header = json.loads(line.removeprefix("# "))
        if header["wire_log"] not in (1, VERSION):
            raise WireLogError(f"line 1: wire log version {header['wire_log']!r} is not known")
        game = create_game(header["game"], header["size"], header["settings"])
        judgement = Judgement(game, game.start())
        for turn in header.get("opening", ()):
            _answer(judgement, turn)
        judgement.opening = len(judgement.turns)
        if "controls" in header:
            one, other = map(str, header["controls"])
            for control in (one, other):
                parse_time_control(control)
            judgement.controls, judgement.margin = (one, other), float(header["margin"])
    except UNREADABLE as error:
        if isinstance(error, WireLogError):
            raise
        raise WireLogError(f"line 1: not the header of a wire log: {line[:60]!r}") from None
    if judgement.fault:
        raise WireLogError(f"line 1: the opening is wrong: {judgement.fault}")
    return judgement


@dataclass(slots=True)
class AskedTurn:
    """The commands to an engine for one turn, and what came of them so far."""

    asked: float
    heard: float
    """When the last whole reply ended."""
    waiting: deque[tuple[str, str]] = field(default_factory=deque)
    """The ids and names of the commands that have no whole reply yet, in order."""
    is_for_turn: bool = False
    reply: list[str] = field(default_factory=list)
    """The mark and the lines of the reply that has begun."""
    answer: list[str] = field(default_factory=list)
    """The reply to `genmove`."""
    fault: str = ""

    @property
    def is_over(self) -> bool:
        """Whether a turn was asked for, and every command answered, or one in a wrong way."""
        return self.is_for_turn and (bool(self.fault) or not self.waiting)

    def ask(self, number: str, name: str) -> None:
        """Wait for a reply to a further command."""
        self.waiting.append((number, name))
        self.is_for_turn |= name == "genmove"

    def hear(self, text: str, seconds: float) -> None:
        """Handle one line of the engine. What comes after the last reply is nobody's."""
        if self.fault or not self.waiting:
            return
        if self.reply and text:
            self.reply.append(text)
        elif self.reply:
            self._end_reply(seconds)
        elif text.strip(" "):
            self._begin_reply(text)

    def _begin_reply(self, text: str) -> None:
        number = self.waiting[0][0]
        if (head := REPLY_HEAD.fullmatch(text)) is None:
            self.fault = f"output that is not a reply: {text[:60]}"
            return
        mark, identity, said = head.groups()
        reply = Reply(mark == "=", (said or "").strip(" "), int(identity) if identity else None)
        if reply.id != int(number):
            got = other_id(reply, int(number))
            self.fault = f"a reply with {got} where id {number} was expected"
        else:
            self.reply = [mark, reply.text]

    def _end_reply(self, seconds: float) -> None:
        self.heard = seconds
        name = self.waiting.popleft()[1]
        if self.reply[0] == "?" and name in ("play", "genmove"):
            self.fault = "\n".join([f"{name} was refused: {self.reply[1]}", *self.reply[2:]])
        if name == "genmove":
            self.answer = self.reply
        self.reply = []


class _Wire:
    """Follows the lines of a log: who was asked for a turn, and when the answer was complete."""

    def __init__(self, judgement: Judgement) -> None:
        self._judgement = judgement
        self._asked: dict[int, AskedTurn] = {}
        self._openings = {1: judgement.opening, 2: judgement.opening}

    def read_note(self, number: int, line: str) -> None:
        """Handle a line of JSON. Raises WireLogError."""
        try:
            note = json.loads(line[2:])
            if "wait" in note:
                player, looked, lost = note["wait"]
                # In an older log, only a wait of which nothing was lost surely had no answer.
                answered = bool(note.get("answered", float(lost) > 0))
                self._learn(int(player), float(looked), float(lost), answered=answered)
            elif "restart" in note:
                self._start_over(int(note["restart"]))
            elif "cut" in note:
                self._stop(number)
            else:
                recorded = GameRecord.from_json(note["outcome"])
                # Some values of a wrong kind show only when they are used.
                _ = recorded.as_json(), recorded.outcome.result_text
                self._judgement.recorded = recorded
        except UNREADABLE:
            raise WireLogError(f"line {number}: not the outcome of a wire log") from None

    def hear(self, player: int, direction: str, text: str, seconds: float) -> None:
        """Handle one line of one engine."""
        if self._judgement.cut:
            return
        if direction == ">":
            self._ask(player, text, seconds)
        elif direction == "<" and (question := self._asked.get(player)) is not None:
            question.hear(_TAB.sub(" ", _CONTROL.sub("", text)), seconds)

    def settle(self) -> None:
        """Close the questions that are over: an engine may be asked in several writes."""
        for player, question in list(self._asked.items()):
            if question.is_over:
                self._close(player, question.heard, 0.0)

    def _ask(self, player: int, text: str, seconds: float) -> None:
        if (command := _COMMAND.match(text)) is None:
            return
        number, name = command.groups()
        if name in STARTERS:
            # In older logs nothing else shows that an engine is set up twice.
            self._start_over(player)
        elif name == "play" and self._openings[player]:
            self._openings[player] -= 1
        elif name in ("play", "time_left", "genmove"):
            self.settle()
            self._asked.setdefault(player, AskedTurn(seconds, seconds)).ask(number, name)
        elif name == EVALUATION and player in self._asked:
            self._asked[player].ask(number, name)

    def _start_over(self, player: int) -> None:
        """Handle the beginning of an engine's game: it gets the opening, perhaps once more."""
        self._openings[player] = self._judgement.opening
        self._asked.pop(player, None)

    def _stop(self, number: int) -> None:
        """Handle a cut: what follows is not in the log."""
        if not self._judgement.is_decided:
            self._judgement.cut = (
                f"the log was cut at line {number:,}: the game cannot be judged from there on"
            )
            # If the referee stood still during the last answer, the log would say so after it.
            self._asked.clear()

    def _learn(self, player: int, looked: float, lost: float, *, answered: bool) -> None:
        """Handle a pause of the referee, or the end of its wait for an answer."""
        if player in self._asked:
            self._close(player, looked, lost, answered=answered)

    def _close(self, player: int, seconds: float, lost: float, *, answered: bool = True) -> None:
        """Handle the end of an answer, or of the wait for it: what came may not count."""
        question = self._asked.pop(player)
        taken = max(0.0, seconds - question.asked - lost)
        self._judgement.waits.append(Wait(question.asked, seconds, taken))
        turns = len(self._judgement.turns)
        if question.fault:
            self._judgement.fault = question.fault
        elif question.is_over and answered:
            self._judgement.slowest = max(self._judgement.slowest, taken)
            _answer(self._judgement, "\n".join(question.answer[1:]))
        if len(self._judgement.turns) == turns:
            self._judgement.loser = player - 1


def _answer(judgement: Judgement, text: str) -> None:
    try:
        turn, judgement.position = rule_on(judgement.position, text)
    except EngineFault as fault:
        judgement.fault = fault.reason
        return
    if isinstance(turn, Resign):
        judgement.has_resigned = True
    else:
        judgement.turns.append(str(turn))


def facts(judgement: Judgement) -> dict[str, Any]:
    """Return the judgement as plain values for JSON."""
    result = judgement.position.result
    return {
        "game": str(judgement.game),
        "turns": judgement.turns,
        "result": None if result is None else str(result),
        "fault": judgement.fault,
        "cut": judgement.cut,
        "slowest_answer": round(judgement.slowest, 6),
        "recorded": judgement.recorded.as_json() if judgement.recorded else None,
        "contradictions": judgement.contradictions(),
    }
