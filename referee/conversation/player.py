"""One engine in a game: the protocol's conversation from the referee's side.

The ids of commands are unpredictable from one write to the next, and every wait has a deadline that
no output extends. Every fault of the engine is raised as an EngineFault.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from oddly.protocol import Command, RemoteProtocolError, ReplyDecoder, encode_command
from oddly.protocol.evaluation import turn_evaluation_in
from oddly.referee.conversation.commands import (
    EVALUATION,
    HANDSHAKE,
    LIST_OPTIONS,
    STARTERS,
    TAKES_OPTIONS,
    CommandIds,
    Glance,
    identity,
    names_of_options,
    other_id,
    play_order,
    question,
    refusal,
    setting_up,
)
from oddly.referee.justice.deadline import Deadline
from oddly.referee.justice.outcome import EngineFault, Termination
from oddly.referee.program.channel import CHUNK, Channel, OpenChannel, Wire
from oddly.referee.program.isolation import isolation_hint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oddly.games import Colour, Game
    from oddly.protocol import Reply, TimeControl, TurnEvaluation
    from oddly.referee.program.configuration import EngineConfiguration, Limits

LAST_BREATH = 0.25
"""Seconds in which a process whose output has ended may exit, so that we can say how."""
ANSWER = re.compile(rb"([!-~](?:[ -~]{0,400}[!-~])?)\n\n")
"""An answer as most engines write it, after the mark and the id."""
PIECE = 512
"""Bytes of output that are decoded at a time, before other games get their turn."""


class Player:
    """A configuration's running engine."""

    def __init__(self, configuration: EngineConfiguration, limits: Limits) -> None:
        self.configuration = configuration
        self.limits = limits
        self.engine_name = ""
        self.engine_version = ""
        self.commands: frozenset[str] = frozenset()
        self.games = 0
        """How many games it has played to their end."""
        self.turn_evaluation: TurnEvaluation | None = None
        self.death_before = ""
        """How the process that this one replaces ended, if that was between two games."""
        self._channel: Channel | None = None
        self._wire: Wire | None = None
        self._begin()

    def _begin(self) -> None:
        """Know nothing of an earlier process."""
        self._ids = CommandIds()
        self._decoder = ReplyDecoder(self.limits.line, self.limits.reply)
        self._undecoded = b""
        self._awaited = 0
        self._is_out_of_step = False
        self._has_played = False
        self._glance = Glance()
        self._listed_options: list[str] = []

    def start(self, open_channel: OpenChannel, nursery: trio.Nursery) -> None:
        """Start the engine (again); `nursery` drains its standard error. Raises EngineFault."""
        self._begin()
        command, resources = self.configuration.command, self.configuration.resources
        self._channel = open_channel(command, self.limits.stderr, resources)
        nursery.start_soon(self._channel.attend)

    def is_in_step(self) -> bool:
        """Return whether the engine runs, has answered every command and sent nothing else.

        Only then can the engine play another game without being blamed for earlier output.
        """
        return (
            self._awaited == 0
            and not self._is_out_of_step
            and not self._ids.are_running_out
            and self._look() != b""
            and self._decoder.is_idle
        )

    @property
    def is_spent(self) -> bool:
        """Whether only a fresh process can play another game: no command takes this one back."""
        return self._has_played and STARTERS.isdisjoint(self.commands)

    async def death(self, patience: float) -> str | None:
        """Return how the engine ended, in words; None if it runs."""
        channel = self._started_channel
        return await channel.how_it_ended(patience) if channel.has_exited() else None

    def log_to(self, wire: Wire | None) -> None:
        """Show all bytes from now on to `wire`, with `>`, `<` or `!` for their direction."""
        self._wire = wire
        self._started_channel.on_stderr = (
            None if wire is None else lambda data: wire("!", data, trio.current_time())
        )

    @property
    def stderr_tail(self) -> bytes:
        """The end of the engine's standard error."""
        return bytes(self._channel.stderr_tail) if self._channel else b""

    async def shake_hands(self) -> None:
        """Ask for the engine's identity and its commands. Raises EngineFault."""
        deadline = Deadline(
            self.limits.handshake,
            termination=Termination.NO_START,
            problem="no answer to the handshake",
        )
        replies = await self._ask_all([Command(name) for name in HANDSHAKE], deadline)
        self.engine_name, self.engine_version, self.commands = identity(replies)

    async def set_up(
        self,
        game: Game,
        seed: int | None,
        opening: Iterable[tuple[Colour, str]] = (),
        opponent: tuple[str, TimeControl] | None = None,
    ) -> None:
        """Set up a game in the engine, and play its opening. Raises EngineFault."""
        deadline = self._promptly("the game was not set up")
        options = await self._options(seed, deadline)
        time = self.configuration.time
        orders = setting_up(game, time, options, self.commands, opponent)
        orders += [play_order(*turn) for turn in opening]
        await self._command(orders, deadline)

    async def carry_out(self, orders: Sequence[Command]) -> None:
        """Send commands that need no time, in one write. Raises EngineFault if one is refused."""
        await self._command(orders, self._promptly("no answer"))

    async def ask(self, command: Command) -> Reply:
        """Return the reply to a command that needs no time. Raises EngineFault."""
        return (await self._ask_all([command], self._promptly(f"no answer to {command.name!r}")))[0]

    async def reply_to(self, order: Command, deadline: Deadline) -> Reply:
        """Return the reply to a command. Raises EngineFault, and VoidGame as the deadline says."""
        return (await self._ask_all([order], deadline))[0]

    async def generate(
        self,
        colour: Colour,
        time_left: tuple[float, int] | None,
        last: tuple[Colour, str] | None,
        deadline: Deadline | None = None,
        opponents_time: tuple[float, int] | None = None,
    ) -> tuple[str, float]:
        """Send the opponent's `last` turn and ask for one; return the answer and its seconds.

        The turn is in canonical form. All goes out in one write, from which `deadline` runs; if
        it is None, the caller limits the time. Raises EngineFault, and VoidGame as the deadline
        says.
        """
        deadline = deadline or Deadline(math.inf)
        lines = question(colour, last, time_left, opponents_time, self.commands)
        self.turn_evaluation, answer = None, ""
        for batch in [lines] if self.configuration.pipelining else [[line] for line in lines]:
            answer = await self._answer(batch, deadline) or answer
        deadline.rule()
        self._glance.note(deadline.taken)
        if not self.configuration.resources.ponder:
            await self._rest()
        return answer, deadline.taken

    async def _answer(self, lines: Sequence[str], deadline: Deadline) -> str:
        """Send `lines` in one write; return the last turn answered. Raises EngineFault."""
        self._has_played = True
        self._refuse_unasked()
        number = first = self._ids.next(len(lines))
        self._awaited += len(lines)
        written = usual = ""
        for line in lines:
            written += f"{number} {line}\n"
            usual += f"={number}\n\n"
            number += 1
        if rest := self._send_nowait(written.encode(), deadline):
            await self._send_rest(rest, deadline)
        if self._glance.is_others_turn:
            await trio.lowlevel.checkpoint()
        if data := self._glance.at(self._started_channel):
            deadline.heard(trio.current_time(), is_all=len(data) < CHUNK)
        else:
            data = await self._receive(deadline)
        # The usual answer is read without a decoder.
        start = b"" if lines[-1] == EVALUATION else (usual[:-2] + " ").encode()
        if start and data.startswith(start) and (found := ANSWER.fullmatch(data, len(start))):
            if self._wire is not None:
                self._wire("<", data, deadline.arrived)
            self._awaited -= len(lines)
            return found[1].decode("ascii")
        self._undecoded, text = data, ""
        for number, line in enumerate(lines, first):
            reply = await self._reply(number, deadline)
            name, *arguments = line.split(" ")
            if name == EVALUATION:
                self.turn_evaluation = turn_evaluation_in(reply.text) if reply.ok else None
                continue
            text = reply.text
            if not reply.ok and name != "time_left":
                what = f"the legal turn {arguments[1]}" if name == "play" else name
                said = reply.text.encode()
                raise EngineFault(Termination.PROTOCOL, f"refused {what}", said)
        return text

    async def take_note(self, colour: Colour, turn: str) -> None:
        """Send the turn that ended the game. The reply changes nothing."""
        deadline = Deadline(self.limits.last_play, problem="no answer to the last turn")
        with suppress(EngineFault):
            await self._ask_all([play_order(colour, turn)], deadline)

    async def stop(self) -> None:
        """Send `quit` and stop the engine, by force if need be. Safe to call again."""
        if self._channel is not None:
            farewell = encode_command(Command("quit", (), self._ids.next(1)))
            await self._channel.stop(self.limits.grace, farewell)

    def _promptly(self, problem: str) -> Deadline:
        """Return the deadline of commands that use no clock."""
        return Deadline(self.limits.setting_up, termination=Termination.PROTOCOL, problem=problem)

    async def _command(self, orders: Sequence[Command], deadline: Deadline) -> None:
        """Send `orders` in one write; none may be refused. Raises EngineFault."""
        for order, reply in zip(orders, await self._ask_all(orders, deadline), strict=True):
            if not reply.ok:
                reason = refusal(order, self._listed_options)
                raise EngineFault(Termination.PROTOCOL, reason, reply.text.encode())

    async def _options(self, seed: int | None, deadline: Deadline) -> dict[str, str]:
        """Return the options to set: the configuration's own, and a seed if the engine has one."""
        options = dict(self.configuration.options)
        if seed is not None and self.commands >= TAKES_OPTIONS:
            (listed,) = await self._ask_all([LIST_OPTIONS], deadline)
            self._listed_options = names_of_options(listed)
            if "seed" in self._listed_options:
                options.setdefault("seed", str(seed))
        return options

    async def _ask_all(self, orders: Sequence[Command], deadline: Deadline) -> list[Reply]:
        """Send `orders` in one write and return their replies; the deadline rules on the last.

        Raises EngineFault, and VoidGame as the deadline says.
        """
        self._has_played |= any(order.name == "play" for order in orders)
        self._refuse_unasked()
        first = self._ids.next(len(orders))
        numbers = range(first, first + len(orders))
        self._awaited += len(orders)
        if rest := self._send_nowait(b"".join(map(encode_command, orders, numbers)), deadline):
            await self._send_rest(rest, deadline)
        replies = [await self._reply(number, deadline) for number in numbers]
        deadline.rule()
        if not self.configuration.resources.ponder:
            await self._rest()
        return replies

    async def _rest(self) -> None:
        """Suspend an engine that may not ponder until it is asked again."""
        await self._started_channel.rest()

    def _refuse_unasked(self) -> None:
        """Raise EngineFault if there is already unrequested output."""
        data = self._look()
        if self._decoder.is_idle:
            return
        self._is_out_of_step = True
        try:
            reply = self._decoder.next_reply()
            unasked = reply.text.encode() if reply else data or b""
        except RemoteProtocolError as error:
            unasked = error.evidence
        raise EngineFault(Termination.PROTOCOL, "output that nobody asked for", unasked)

    def _send_nowait(self, data: bytes, deadline: Deadline) -> bytes:
        """Write what the engine can take of `data` now; return the rest."""
        now = trio.current_time()
        deadline.begin(now)
        if self._wire is not None:
            self._wire(">", data, now)
        try:
            return self._started_channel.send_nowait(data)
        except OSError:
            # The engine has closed its input; its last words may still be read.
            return b""

    async def _send_rest(self, rest: bytes, deadline: Deadline) -> None:
        """Write `rest`, however long the engine takes to read it. Raises EngineFault."""
        channel = self._started_channel
        with suppress(OSError):
            while rest:
                with trio.move_on_at(deadline.looked_in_vain(trio.current_time())):
                    await channel.wait_for_room()
                rest = channel.send_nowait(rest)

    async def _reply(self, number: int, deadline: Deadline) -> Reply:
        """Return the next reply, which must carry this id. Raises EngineFault."""
        try:
            while (reply := self._decoder.next_reply()) is None:
                await self._hear(deadline)
        except RemoteProtocolError as error:
            raise EngineFault(Termination.PROTOCOL, error.reason, error.evidence) from None
        if reply.id != number:
            reason = f"a reply with {other_id(reply, number)} where id {number} was expected"
            raise EngineFault(Termination.PROTOCOL, reason, reply.text.encode())
        self._awaited -= 1
        return reply

    async def _hear(self, deadline: Deadline) -> None:
        """Decode a piece of what has come or comes next. Raises EngineFault as `_receive` does."""
        if self._undecoded:
            # Other games go on between two pieces of a flood.
            await trio.lowlevel.checkpoint()
        else:
            self._undecoded = await self._receive(deadline)
        self._decoder.feed(self._show_piece(deadline))

    async def _receive(self, deadline: Deadline) -> bytes:
        """Return what comes next.

        Raises EngineFault if the output has ended, or if the time is over and a last look finds the
        pipe empty.
        """
        deadline.heard_in_vain()
        channel, until = self._started_channel, deadline.limit
        data = None
        if self._glance.is_quick:
            # Looking again after other games is cheaper than waiting, if it helps.
            await trio.lowlevel.checkpoint()
            data = channel.receive_nowait()
        while data is None:
            with trio.move_on_at(until):
                data = await channel.receive()
                break
            data = channel.receive_nowait()
            if data is None:
                try:
                    until = deadline.looked_in_vain(trio.current_time())
                except EngineFault:
                    if not channel.has_exited():
                        raise
                    break
        if not data:
            raise await self._crash()
        deadline.heard(trio.current_time(), is_all=len(data) < CHUNK)
        return data

    def _show_piece(self, deadline: Deadline) -> bytes:
        """Log the next undecoded piece, and return it."""
        piece, self._undecoded = self._undecoded[:PIECE], self._undecoded[PIECE:]
        if self._wire is not None:
            self._wire("<", piece, deadline.arrived)
        return piece

    def _look(self) -> bytes | None:
        """Decode unrequested output and return it: None if there is none, empty at its end."""
        data = self._started_channel.receive_nowait()
        if data and self._wire is not None:
            self._wire("<", data[:PIECE], trio.current_time())
        if self._undecoded or data:
            data = self._undecoded + (data or b"")
            self._undecoded = b""
            self._decoder.feed(data)
        return data

    async def _crash(self) -> EngineFault:
        """Return the fault of an engine whose output has ended."""
        with trio.CancelScope(shield=True):
            ended = await self._started_channel.how_it_ended(LAST_BREATH)
        if failure := self._started_channel.failure_to_start():
            return failure
        ended += isolation_hint(self.configuration.resources, self.stderr_tail)
        return EngineFault(Termination.CRASH, f"the engine {ended}", self.stderr_tail[-200:])

    @property
    def _started_channel(self) -> Channel:
        """The channel to the engine. Raises RuntimeError before `start`."""
        if self._channel is None:
            raise RuntimeError("the player was not started")
        return self._channel
