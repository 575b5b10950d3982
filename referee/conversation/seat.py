"""One live engine in a game that people play: on the page, in a terminal, in GoGui."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from oddly.games import Colour, DropPosition, Game, IllegalTurn, Position, Turn, one_line
from oddly.games.untrusted_text import short_name
from oddly.protocol import Command, NotationError, Resign
from oddly.protocol.evaluation import parse_evaluation
from oddly.referee.conversation.analysis import AnalysisStream, SeatedPlayer
from oddly.referee.conversation.commands import play_order
from oddly.referee.justice.clock import Clock
from oddly.referee.justice.deadline import Deadline
from oddly.referee.justice.legality import rule_on
from oddly.referee.justice.outcome import EngineFault, Termination, VoidGame
from oddly.referee.program.configuration import EngineConfiguration, Limits
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from typing import TypeAlias

    from oddly.protocol import Evaluation, Reply, TimeControl, TurnEvaluation
    from oddly.referee.conversation.analysis import SentTurns
    from oddly.referee.program.channel import OpenChannel, Wire

    TurnsSoFar: TypeAlias = Sequence[tuple[Colour, Turn]]

COMMANDS_OF_SETTING_UP = 4
"""`set_game`, `boardsize`, `clear_board` and `time_control`, before the turns."""


class EngineSeat:
    """An engine that starts when it is first needed, and follows a game that may change.

    Turns are given from the start of the game, each with the colour that plays it. Before every
    answer the engine is brought up to date in the shortest way: new turns only, `undo` first, or
    the game set up again, in a fresh process if no command leads back to the start. Every answer is
    judged by the rules. A fault or a cancellation stops the engine, and the next request starts it
    again with a fresh clock, so nothing of the game is lost. A failure of our machine is an
    EngineFault with `Termination.VOID`.

    `wire` sees all bytes, as in `Player.log_to`. Call `stop` before `nursery` ends.
    """

    def __init__(
        self,
        configuration: EngineConfiguration,
        nursery: trio.Nursery,
        *,
        seed: int | None = None,
        limits: Limits | None = None,
        open_channel: OpenChannel = EngineProcess.start,
        wire: Wire | None = None,
    ) -> None:
        self.configuration = configuration
        self.engine_name = ""
        self.engine_version = ""
        self._nursery = nursery
        self._seed = seed
        self._limits = limits or Limits()
        self._open_channel = open_channel
        self._wire = wire
        self._player: SeatedPlayer | None = None
        self._clock = Clock(configuration.time)

    @property
    def is_running(self) -> bool:
        """Whether the engine has started and not stopped since."""
        return self._player is not None

    @property
    def commands(self) -> frozenset[str]:
        """The commands that the engine lists; none until it has started."""
        return frozenset() if self._player is None else self._player.commands

    @property
    def name(self) -> str:
        """The engine's own name; until it has started, the name of its configuration."""
        return self.engine_name or self.configuration.name

    @property
    def engine_text(self) -> str:
        """The engine's name and version for a record; empty until it has started."""
        return f"{self.engine_name} {self.engine_version}".strip()

    @property
    def turn_evaluation(self) -> TurnEvaluation | None:
        """What the engine expected of its last turn; None if it did not say."""
        return None if self._player is None else self._player.turn_evaluation

    async def start(self) -> None:
        """Start the engine if it does not run. Raises EngineFault."""
        async with self._running():
            pass

    async def follow(self, game: Game, turns: TurnsSoFar = ()) -> None:
        """Bring the engine to the end of `turns`. Raises EngineFault."""
        async with self._running() as player:
            await self._bring_up_to_date(player, game, turns)

    async def choose(
        self,
        position: Position,
        turns: TurnsSoFar,
        patience: float | None = None,
        time_left: tuple[float, int] | None = None,
    ) -> tuple[Turn | Resign, float]:
        """Return the engine's turn in `position`, where `turns` lead, and the seconds it takes.

        The engine's clock limits those seconds, or `patience` if somebody else keeps the clock;
        `time_left` is then what the engine receives of it. Raises EngineFault.
        """
        clock = self._clock
        if patience is None:
            allowance, time_left = clock.allowance(), clock.left()
            deadline = Deadline(allowance, self._limits.margin)
        else:
            deadline = Deadline(patience)
        wanted = _texts(turns)
        async with self._running() as player:
            last = await self._catch_up(player, position.game, wanted)
            answer, seconds = await player.generate(position.to_move, time_left, last, deadline)
            if patience is None:
                clock.spend(min(seconds, allowance))
            turn, _ = rule_on(position, answer)
        if not isinstance(turn, Resign):
            player.sent = (*wanted, (position.to_move, str(turn)))
        return turn, seconds

    async def evaluate(self, at: DropPosition, turns: TurnsSoFar, patience: float) -> Evaluation:
        """Return what the engine thinks of `at`, whose turn begins after `turns`.

        Raises EngineFault if it does not answer within `patience` seconds, has no evaluation, or
        names an action that is not legal.
        """
        deadline = Deadline(patience, problem="no answer")
        drops = [",".join(map(str, at.drops))] if at.drops else []
        async with self._running() as player:
            await self._bring_up_to_date(player, at.start.game, turns)
            reply = await player.reply_to(Command("evaluate", tuple(drops)), deadline)
        if not reply.ok:
            raise EngineFault(Termination.PROTOCOL, one_line(reply.text))
        try:
            evaluation = parse_evaluation(reply.text)
            for candidate in evaluation.candidates:
                at.act(candidate.action)
        except (IllegalTurn, NotationError) as error:
            reason = f"its evaluation cannot be used: {error}"
            raise EngineFault(Termination.PROTOCOL, reason, reply.text.encode()) from None
        return evaluation

    async def ponder(self, position: Position, turns: TurnsSoFar) -> None:
        """Let the engine think about `position`, reached by `turns`, until it is asked again.

        Returns at once. Does nothing if the engine does not list `ponder`. Raises EngineFault.
        """
        async with self._running() as player:
            last = await self._catch_up(player, position.game, _texts(turns))
            orders = [play_order(*last)] if last is not None else []
            if "ponder" in player.commands:
                orders.append(Command("ponder"))
            await player.carry_out(orders)

    @asynccontextmanager
    async def analyze(
        self,
        position: Position,
        turns: TurnsSoFar,
        interval: float = 0.5,
        patience: float = 5.0,
    ) -> AsyncIterator[AnalysisStream]:
        """Have the engine analyze `position`, where `turns` lead, for as long as the body runs.

        The body iterates over the AnalysisStream and asks the seat for nothing else. At its end,
        even by an exception or a cancellation, the engine has `patience` seconds to stop searching;
        then it can be asked again. Raises EngineFault, after which the engine is gone.
        """
        async with self._running() as player:
            await self._bring_up_to_date(player, position.game, turns)
            stream = AnalysisStream(player, position)
            await stream.begin(interval)
        try:
            yield stream
        except BaseException as error:
            self._excuse(player, error)
            with suppress(EngineFault):
                await self._end(stream, patience)
            raise
        await self._end(stream, patience)

    async def _end(self, stream: AnalysisStream, patience: float) -> None:
        """End an analysis, unless its engine is gone. Raises EngineFault."""
        if self._player is stream.player:
            with trio.CancelScope(shield=True):
                async with self._running():
                    await stream.end(patience)

    async def solve(self, game: Game, turns: TurnsSoFar, positions: int, patience: float) -> str:
        """Return what the engine answers to `solve` after `turns`, within `patience` seconds.

        Raises EngineFault if it does not answer, or cannot solve.
        """
        deadline = Deadline(patience, problem="no answer to solve")
        async with self._running() as player:
            await self._bring_up_to_date(player, game, turns)
            reply = await player.reply_to(Command("solve", (str(positions),)), deadline)
        if not reply.ok:
            raise EngineFault(Termination.PROTOCOL, f"solve: {one_line(reply.text)}")
        return reply.text.strip()

    async def take_note(self, turns: TurnsSoFar) -> None:
        """Send the turn that ended the game, if the engine knows the others.

        The engine's answer changes nothing.
        """
        player, sent = self._player, _texts(turns)
        if player is not None and sent and player.sent == sent[:-1]:
            await player.take_note(*sent[-1])
            player.sent = sent

    async def ask(self, command: Command) -> Reply:
        """Return the reply to a command that changes no position. Raises EngineFault."""
        async with self._running() as player:
            return await player.ask(command)

    async def set_option(self, name: str, value: str) -> Reply:
        """Set an option now and at every later start; return the reply. Raises EngineFault."""
        reply = await self.ask(Command("set_option", (name, *value.split())))
        if reply.ok:
            options = {**self.configuration.options, name: value}
            self._configure(replace(self.configuration, options=options))
        return reply

    def set_time(self, control: TimeControl) -> None:
        """Give the engine another time control, which it receives before its next turn."""
        if control != self.configuration.time:
            self._configure(replace(self.configuration, time=control))
            self._clock = Clock(control)
            if self._player is not None:
                self._player.game = None

    async def stop(self) -> None:
        """Stop the engine, even if the caller is cancelled. Safe to call again."""
        player, self._player = self._player, None
        self._clock = Clock(self.configuration.time)
        if player is not None:
            with trio.CancelScope(shield=True):
                await player.stop()

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[SeatedPlayer]:
        """Give the body the running engine; a failure in the body stops it. Raises EngineFault."""
        player = self._player
        try:
            if player is None:
                player = self._player = SeatedPlayer(self.configuration, self._limits)
                await self._start(player)
            yield player
        except BaseException as error:
            self._excuse(player, error)
            if self._player is player:
                await self.stop()
            if isinstance(error, VoidGame):
                raise EngineFault(Termination.VOID, error.reason) from None
            raise

    def _excuse(self, player: SeatedPlayer | None, error: BaseException) -> None:
        """Raise an EngineFault that says so if another task has stopped the player.

        The seat may have another player by now.
        """
        if self._player is not player and isinstance(error, EngineFault | VoidGame):
            raise EngineFault(Termination.VOID, "it was stopped") from None

    async def _start(self, player: SeatedPlayer) -> None:
        player.start(self._open_channel, self._nursery)
        player.log_to(self._wire)
        await player.shake_hands()
        self.engine_name = short_name(player.engine_name)
        self.engine_version = short_name(player.engine_version)

    async def _restart(self, player: SeatedPlayer) -> None:
        """Give the player a fresh process. Raises EngineFault."""
        await player.stop()
        if self._player is not player:
            raise EngineFault(Termination.VOID, "it was stopped")
        await self._start(player)

    def _configure(self, configuration: EngineConfiguration) -> None:
        self.configuration = configuration
        if self._player is not None:
            self._player.configuration = configuration

    async def _bring_up_to_date(self, player: SeatedPlayer, game: Game, turns: TurnsSoFar) -> None:
        """Send all turns that the engine does not know. Raises EngineFault."""
        last = await self._catch_up(player, game, _texts(turns))
        if last is not None:
            await player.carry_out([play_order(*last)])

    async def _catch_up(
        self, player: SeatedPlayer, game: Game, wanted: SentTurns
    ) -> tuple[Colour, str] | None:
        """Send all unknown turns except the last one, and return that.

        Returns None if the last turn is known. Raises EngineFault.
        """
        common = _number_in_common(player.sent, wanted)
        undone = len(player.sent) - common
        is_new = game != player.game or (player.sent and not wanted)
        is_shorter = undone < common + COMMANDS_OF_SETTING_UP
        if not is_new and is_shorter and await _undo(player, undone):
            await player.carry_out([play_order(*turn) for turn in wanted[common:-1]])
        else:
            common = max(0, len(wanted) - 1)
            if player.is_spent:
                await self._restart(player)
            await player.set_up(game, self._seed, wanted[:common])
        player.game, player.sent = game, wanted
        return wanted[-1] if common < len(wanted) else None


async def _undo(player: SeatedPlayer, number: int) -> bool:
    """Return whether the engine takes back `number` turns; if not, its position is uncertain."""
    if number and "undo" not in player.commands:
        return False
    for _ in range(number):
        if not (await player.ask(Command("undo"))).ok:
            return False
    return True


def _texts(turns: TurnsSoFar) -> SentTurns:
    return tuple((colour, str(turn)) for colour, turn in turns)


def _number_in_common(one: SentTurns, other: SentTurns) -> int:
    """Return how many turns both begin with."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
