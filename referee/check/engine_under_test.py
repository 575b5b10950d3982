"""What the steps of a check share: the engine, the game, and positions of our own."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from games.catalogue import create_game
from games.errors import GameError
from games.sampling import random_turn
from games.settings import setting_text
from protocol.time_control import TimeControl, TimeKind
from referee.check.errors import Failed, Skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.colour import Colour
    from games.game import Game, Position
    from games.turns import Turn
    from referee.check.conversation import Conversation

ENOUGH_CELLS = 16
"""A board on which every kind of illegal turn can be shown."""
LARGEST_LISTED = 64
"""Cells of a board on which all legal turns are compared; on a larger one only some are."""
SOME = 200
STARTERS = ("set_game", "boardsize", "clear_board")

PlayedTurn = tuple["Colour", "Turn"]
ReportedPosition = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How thorough a check is. Times in seconds."""

    games: int = 4
    time: float = 1.0
    """The fixed time per turn that the engine is told."""
    margin: float = 0.1
    timeout: float = 10.0
    """For each reply; for a genmove on top of its time."""
    seed: int = 0


@dataclass
class EngineUnderTest:
    """The engine under test and what was learnt of it so far."""

    conversation: Conversation
    game: Game
    options: CheckOptions
    engine_name: str = ""
    engine_version: str = ""
    commands: frozenset[str] = frozenset()
    slowest: float = 0.0
    slowest_sent: bytes = b""
    slowest_received: bytes = b""
    genmoves: int = 0
    _small: Game | None = field(default=None)

    async def set_up(self, game: Game, time: str | None = None) -> None:
        """Bring the engine to the start of `game`, as the referee does. Raises Skipped."""
        known = [line for line in self._setting_up(game, time) if self.lists(line)]
        if not any(line.startswith(STARTERS) for line in known) and not self.conversation.is_fresh:
            await self.conversation.restart()
        for line, reply in zip(known, await self.conversation.ask_all(known), strict=True):
            if not reply.ok:
                raise Skipped(f"the game could not be set up: the engine refuses {line!r}")

    async def play(self, turns: Sequence[PlayedTurn]) -> None:
        """Have the engine take note of legal turns. Raises Failed if it refuses one."""
        lines = [play_line(*each) for each in turns]
        for line, reply in zip(lines, await self.conversation.ask_all(lines), strict=True):
            if not reply.ok:
                raise self.conversation.failure(
                    f"refused the legal turn {line!r}: {reply.text}", "= for every legal turn"
                )

    async def accepted(self, line: str) -> str:
        """The text of the reply to a command that must succeed."""
        reply = await self.conversation.ask(line)
        if not reply.ok:
            raise self.conversation.failure(f"refused {line!r}", "= and the answer")
        return reply.text

    async def refused(self, line: str, beginning: str = "", why: str = "") -> None:
        """See a command fail, with a text that begins so."""
        reply = await self.conversation.ask(line)
        expected = f"a failure, '? {beginning}...'" if beginning else "a failure, '? ...'"
        expected += f", because {why}" if why else ""
        if reply.ok:
            raise self.conversation.failure(f"accepted {line!r}", expected)
        if not reply.text.startswith(beginning):
            raise self.conversation.failure(
                f"refused {line!r} as it should, but in other words", expected
            )

    async def reported_position(self) -> ReportedPosition:
        """All that the engine says of its position, to be compared with later."""
        questions = [name for name in ("group_counts", "legal_turns") if name in self.commands]
        if len(self.game.board) > LARGEST_LISTED and self.small == self.game:
            questions = [name for name in questions if name != "legal_turns"]
        replies = await self.conversation.ask_all(questions) if questions else []
        return {
            question: sorted(reply.text.splitlines())
            for question, reply in zip(questions, replies, strict=True)
        }

    async def unchanged_since(self, before: ReportedPosition, event: str) -> None:
        """Raise Failed if the engine tells its position otherwise than before."""
        now = await self.reported_position()
        for question, lines in before.items():
            if now[question] != lines:
                raise self.conversation.failure(
                    f"{event} changed the position: {question} answered {in_short(lines)} "
                    f"before and {in_short(now[question])} after it",
                    "the position as it was",
                )

    def note_genmove(self, seconds: float) -> None:
        """Remember the slowest genmove with its evidence."""
        self.genmoves += 1
        if seconds > self.slowest:
            self.slowest = seconds
            self.slowest_sent = self.conversation.sent
            self.slowest_received = bytes(self.conversation.received)

    def lists(self, line: str) -> bool:
        """Whether the engine lists the command that a line begins with."""
        return line.split(" ", 1)[0] in self.commands

    @property
    def small(self) -> Game:
        """The game on a small board, if the engine takes it, else as asked for."""
        return self._small or self.game

    async def find_small(self) -> None:
        """Ask the engine whether it plays on a small board."""
        small = small_version(self.game)
        if small is None or "boardsize" not in self.commands:
            return
        self._small = small
        try:
            await self.set_up(small)
        except (Failed, Skipped):
            self._small = None

    def playout(self, number: int = 0) -> tuple[list[Position], list[PlayedTurn]]:
        """A random game of ours on the small board: its positions, and the turns between."""
        random = Random(f"{self.options.seed} {number}")
        positions, turns = [self.small.start()], []
        while not positions[-1].is_over:
            turn = random_turn(positions[-1], random)
            turns.append((positions[-1].to_move, turn))
            positions.append(positions[-1].play(turn))
        return positions, turns

    def _setting_up(self, game: Game, time: str | None) -> list[str]:
        settings = [word for name, v in game.settings.items() for word in (name, setting_text(v))]
        return [
            " ".join(("set_game", game.name, *settings)),
            f"boardsize {game.size}",
            "clear_board",
            f"time_control {time or TimeControl(TimeKind.FIXED, self.options.time)}",
        ]


def in_short(lines: list[str]) -> str:
    """A reply for a sentence."""
    return repr(lines[0]) if len(lines) == 1 else f"{len(lines)} lines"


def play_line(colour: Colour, turn: Turn) -> str:
    """The command that plays a turn."""
    return f"play {colour} {turn}"


def small_version(game: Game) -> Game | None:
    """The same game on the smallest board with enough cells; None if it is no larger itself."""
    for size in range(2, game.size):
        try:
            small = create_game(game.name, size, game.settings)
        except GameError:
            continue
        if len(small.board) >= ENOUGH_CELLS:
            return small
    return None
