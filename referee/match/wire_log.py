"""The evidence of a game, every line on the wire, and a judgement from it.

A log is text. Lines that begin with `#` are JSON: a header, the outcome at the end, and between
them a `wait` for each turn that did not come or for which the referee stood still: the player, the
time of the last look into the pipe, and the seconds lost. Every other line is the seconds since the
game began, the player (1 opened), a direction (`>` to the engine, `<` from it, `!` its standard
error) and the line itself, with bytes that are not printable escaped. A line to the engine has the
time at which it was written, a line from it the time at which the referee read its end: the referee
rules by these.

Lines beyond 2,000 characters are cut, and so are a log beyond 8 MiB, an engine's standard error
beyond 1 MiB, and what comes from standard error at once beyond 2 KiB.

A log only watches, so an exception in it costs the log and not the game. Its only owner, a
`GameLog`, takes it away from the players before closing it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import trio

from oddly.games import Game, Position, create_game
from oddly.games.counted import counted
from oddly.games.untrusted_text import log_line
from oddly.protocol import Resign, parse_time_control
from oddly.referee.conversation.commands import EVALUATION
from oddly.referee.justice.clock import Timing, Wait
from oddly.referee.justice.outcome import EngineFault, Termination, failure_text
from oddly.referee.justice.record import GameRecord
from oddly.referee.justice.ruling import rule_on
from oddly.referee.match.asked_turn import AskedTurn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from oddly.referee.conversation.player import Player


MAX_LINE_LENGTH = 2_000
MAX_LOG_LENGTH = 8 * 1024 * 1024
MAX_STDERR_LENGTH = 1024 * 1024
MAX_STDERR_AT_ONCE = 2048
VERSION = 2


class WireLog:
    """Writes one game's log from the time `began`; the file is complete after each call.

    If that fails (a full disk), `failure` says why, and no more is written.
    """

    def __init__(self, sink: TextIO, began: float) -> None:
        self._sink = sink
        self._began = self._now = began
        self._room = MAX_LOG_LENGTH
        self._stderr_room = {0: MAX_STDERR_LENGTH, 1: MAX_STDERR_LENGTH}
        self._unfinished: dict[tuple[int, str], bytes] = {}
        self.failure: str | None = None

    def header(self, facts: Mapping[str, Any]) -> None:
        """Write what game this is."""
        self._comment({"wire_log": VERSION, **facts})

    def wait(self, player: int, looked: float, lost: float) -> None:
        """Write when a wait for a turn ended without one, or what the referee lost of it."""
        self._comment({"wait": [player + 1, round(looked - self._began, 6), round(lost, 6)]})

    def outcome(self, facts: Mapping[str, Any]) -> None:
        """Write how the game ended; nothing more is written after it."""
        for (player, direction), rest in self._unfinished.items():
            if rest:
                self._write(self._text(player, direction, [rest]))
        self._room = max(self._room, MAX_LINE_LENGTH * 10)
        self._comment({"outcome": dict(facts)})
        self._room = 0

    def close(self) -> None:
        """Close the file."""
        try:
            self._sink.close()
        except OSError as error:
            self.failure = self.failure or error.strerror

    def data(self, player: int, direction: str, data: bytes, at: float) -> None:
        """Write bytes in one direction: `>`, `<` or `!`. An unfinished line waits for its end."""
        self._now = at
        unfinished = self._unfinished.get((player, direction), b"")
        if direction == "!":
            data = self._some_of(player, data)
        *lines, rest = (unfinished + data).split(b"\n")
        if len(rest) > MAX_LINE_LENGTH:
            lines.append(rest)
            rest = b""
        self._unfinished[player, direction] = rest
        if lines:
            text = self._text(player, direction, lines)
            if direction == "!":
                self._stderr_room[player] -= len(text)
            self._write(text)

    def _some_of(self, player: int, data: bytes) -> bytes:
        """Return the part of standard error to log, which is bounded."""
        if self._stderr_room[player] <= 0:
            return b""
        if len(data) > MAX_STDERR_AT_ONCE:
            more = len(data) - MAX_STDERR_AT_ONCE
            data = data[:MAX_STDERR_AT_ONCE] + b" (%d bytes more)\n" % more
        return data

    def _text(self, player: int, direction: str, lines: Sequence[bytes]) -> str:
        """Return the logged form of lines that passed now; a flood may be of empty ones."""
        start = f"{self._now - self._began:12.6f} {player + 1} {direction} "
        return "".join([f"{start}{_shown(line)}\n" if line else f"{start}\n" for line in lines])

    def _comment(self, facts: Mapping[str, Any]) -> None:
        self._write(f"# {json.dumps(facts)}\n")

    def _write(self, text: str) -> None:
        if self._room <= 0 or self.failure is not None:
            return
        self._room -= len(text)
        try:
            self._sink.write(text)
            self._sink.flush()
        except OSError as error:
            self.failure = error.strerror


def _shown(line: bytes) -> str:
    """Return the logged form of a line: its start, and how much more there was."""
    text = log_line(line[:MAX_LINE_LENGTH])
    if len(line) > MAX_LINE_LENGTH:
        text += f" ({len(line) - MAX_LINE_LENGTH} bytes more)"
    return text


def open_log(path: Path) -> WireLog:
    """Open a log, which replaces the file at `path`; its folder is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return WireLog(path.open("w", encoding="utf-8"), trio.current_time())


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
    recorded: GameRecord | None = None
    opening: int = 0
    controls: tuple[str, str] | None = None
    """The time controls; None in a log of version 1, whose stamps are the times of writing."""
    margin: float = 0.0
    waits: list[Wait] = field(default_factory=list)

    def contradictions(self) -> list[str]:
        """Return a sentence for each way in which the record differs from what the wire shows."""
        if self.recorded is None:
            return ["the log has no outcome: the referee did not finish the game"]
        outcome = self.recorded.outcome
        said = []
        turns = [turn.turn for turn in self.recorded.turns]
        # An answer that nobody could rule on is on the wire, but is no turn of the game.
        shown = self.turns[: len(turns)] if outcome.is_abandoned else self.turns
        if turns != shown:
            said.append(f"the record has {counted(len(turns), 'turn')}, but the wire shows others")
        result = None if outcome.is_abandoned else self.position.result
        if result is not None and str(result) != outcome.score:
            said.append(f"{outcome.score} is recorded, the rules say {result}")
        if self.position.result is None and outcome.termination.is_by_rules:
            said.append(f"{outcome.termination.value} is recorded, but the game was not over")
        if outcome.termination is Termination.ILLEGAL_TURN and not self.fault:
            said.append("an illegal turn is recorded, but the wire has none")
        if self.controls is not None:
            timing = Timing(self.controls, self.margin, tuple(self.waits))
            said += timing.contradictions(self.opening, len(turns), outcome.termination)
        return said


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
                self._learn(int(player), float(looked), float(lost))
            else:
                recorded = GameRecord.from_json(note["outcome"])
                # Some values of a wrong kind show only when they are used.
                _ = recorded.as_json(), recorded.outcome.result_text
                self._judgement.recorded = recorded
        except UNREADABLE:
            raise WireLogError(f"line {number}: not the outcome of a wire log") from None

    def hear(self, player: int, direction: str, text: str, seconds: float) -> None:
        """Handle one line of one engine."""
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
        if name in ("set_game", "boardsize", "clear_board"):
            # An engine that died before the game began is set up twice.
            self._openings[player] = self._judgement.opening
            self._asked.pop(player, None)
        elif name == "play" and self._openings[player]:
            self._openings[player] -= 1
        elif name in ("play", "time_left", "genmove"):
            self.settle()
            self._asked.setdefault(player, AskedTurn(seconds, seconds)).ask(number, name)
        elif name == EVALUATION and player in self._asked:
            self._asked[player].ask(number, name)

    def _learn(self, player: int, looked: float, lost: float) -> None:
        """Handle a pause of the referee, or the end of its wait for an answer."""
        if player in self._asked:
            self._close(player, looked, lost)

    def _close(self, player: int, seconds: float, lost: float) -> None:
        """Handle the end of an answer, or of the wait for it."""
        question = self._asked.pop(player)
        taken = max(0.0, seconds - question.asked - lost)
        self._judgement.waits.append(Wait(question.asked, seconds, taken))
        if question.fault:
            self._judgement.fault = question.fault
        elif question.is_over:
            self._judgement.slowest = max(self._judgement.slowest, taken)
            _answer(self._judgement, "\n".join(question.answer[1:]))


def _answer(judgement: Judgement, text: str) -> None:
    try:
        turn, judgement.position = rule_on(judgement.position, text)
    except EngineFault as fault:
        judgement.fault = fault.reason
        return
    if not isinstance(turn, Resign):
        judgement.turns.append(str(turn))


def facts(judgement: Judgement) -> dict[str, Any]:
    """Return the judgement as plain values for JSON."""
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


class GameLog:
    """Owns a log, if there is one, until `close`. No method raises an Exception.

    After one in the log nothing more is written, and `WireLog.failure` says why.
    """

    def __init__(self, log: WireLog | None) -> None:
        self._log = log
        self._players: list[Player] = []

    def follow(self, index: int, player: Player) -> None:
        """Write what passes from now on between the referee and the player of this index."""
        if self._log is not None:
            self._players.append(player)
            player.log_to(partial(self._data, index))

    def wait(self, player: int, looked: float, lost: float) -> None:
        """Write a wait, as `WireLog.wait` does."""
        self._attempt(lambda log: log.wait(player, looked, lost))

    def close(self, record: GameRecord | None = None) -> None:
        """Take the log away from the players, write how the game ended, and close it.

        Without a record the game was given up. A second call does nothing.
        """
        for player in self._players:
            player.log_to(None)
        self._players.clear()
        if record is not None:
            self._attempt(lambda log: log.outcome(record.as_json()))
        self._attempt(lambda log: log.close())
        self._log = None

    def _data(self, index: int, direction: str, data: bytes, at: float) -> None:
        self._attempt(lambda log: log.data(index, direction, data, at))

    def _attempt(self, write: Callable[[WireLog], None]) -> None:
        if self._log is None:
            return
        try:
            write(self._log)
        except Exception as error:
            self._log.failure = failure_text(error)
