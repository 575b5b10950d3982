"""One engine at the board: the protocol's conversation from the referee's side.

Every command has an id, and every wait a deadline on the monotonic clock that no output extends.
Whatever the engine does wrong is raised as an EngineFault.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

import trio

from games.settings import setting_text
from protocol.codec import ReplyDecoder, encode_command
from protocol.errors import RemoteProtocolError
from protocol.messages import Command
from referee.fault import EngineFault
from referee.outcome import Termination
from referee.resources import Resources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from games.colour import Colour
    from games.game import Game
    from protocol.messages import Reply
    from protocol.time_control import TimeControl
    from referee.channel import Channel, OpenChannel
    from referee.limits import Limits

HANDSHAKE = ("protocol_version", "name", "version", "list_commands")
GTP_VERSION = "2"
REQUIRED = ("play", "genmove")
LAST_BREATH = 0.25
"""Seconds in which a process whose output has ended may exit, so that we can say how."""


@dataclass(frozen=True, slots=True)
class EngineConfiguration:
    """An engine entered for a game: how it is called, started, timed and set."""

    name: str
    command: tuple[str, ...]
    time: TimeControl
    options: Mapping[str, str] = field(default_factory=dict)
    resources: Resources = field(default_factory=Resources)
    pipelining: bool = True
    """Whether `play`, `time_left` and `genmove` may come in one write."""
    requires: tuple[str, ...] = ()
    """What a machine of a cluster must have to run it, by the names of its resources."""


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
        self.death_before = ""
        """How the process ended that this one replaces, if that was between two games."""
        self._ids = count(1)
        self._decoder = ReplyDecoder(limits.line, limits.reply)
        self._channel: Channel | None = None
        self._awaited = 0
        self._wire: Callable[[str, bytes], None] | None = None

    def start(self, open_channel: OpenChannel, nursery: trio.Nursery) -> None:
        """Start the engine; `nursery` drains its standard error. Raises EngineFault."""
        configuration = self.configuration
        self._channel = open_channel(
            configuration.command, self.limits.stderr, configuration.resources
        )
        nursery.start_soon(self._channel.attend)

    def is_in_step(self) -> bool:
        """Whether every command has had its reply and nothing else has come.

        Only then can the engine play another game: what it sent too much must not be charged to
        it later.
        """
        self._take(self._open().receive_nowait())
        return self._awaited == 0 and self._decoder.is_idle

    async def death(self, patience: float) -> str | None:
        """Return how the engine ended, in words; None if it runs."""
        channel = self._open()
        return await channel.how_it_ended(patience) if channel.has_exited() else None

    def log_to(self, wire: Callable[[str, bytes], None] | None) -> None:
        """Show all bytes from now on to `wire`, with `>`, `<` or `!` for their direction."""
        self._wire = wire
        self._open().on_stderr = None if wire is None else partial(wire, "!")

    @property
    def stderr_tail(self) -> bytes:
        """The last of what the engine wrote to standard error."""
        return bytes(self._channel.stderr_tail) if self._channel else b""

    async def shake_hands(self) -> None:
        """Ask who the engine is and which commands it knows. Raises EngineFault."""
        limit = self.limits.handshake
        late = EngineFault(Termination.NO_START, f"no answer to the handshake within {limit:g} s")
        with by(trio.current_time() + limit, late):
            questions = [Command(name) for name in HANDSHAKE]
            numbers = await self._send(questions)
            protocol, name, version, commands = [await self._reply(n) for n in numbers]
        if protocol.ok and protocol.text.strip() != GTP_VERSION:
            said = protocol.text.encode()
            raise EngineFault(Termination.PROTOCOL, f"protocol_version is not {GTP_VERSION}", said)
        self.engine_name, self.engine_version = name.text.strip(), version.text.strip()
        self.commands = frozenset(commands.text.split())
        for required in REQUIRED:
            if required not in self.commands:
                raise EngineFault(Termination.PROTOCOL, f"list_commands does not list {required!r}")

    async def set_up(
        self, game: Game, seed: int | None, opening: Iterable[tuple[Colour, str]] = ()
    ) -> None:
        """Bring the engine to the start of a game and through its opening. Raises EngineFault."""
        with self._promptly("the game was not set up"):
            orders = self._setting_up(game, await self._options(seed))
            orders += [play_order(*turn) for turn in opening]
            await self._have_done(orders)

    async def carry_out(self, orders: Sequence[Command]) -> None:
        """Have orders done that need no time, in one write. Raises EngineFault."""
        with self._promptly("no answer"):
            await self._have_done(orders)

    async def ask(self, command: Command) -> Reply:
        """The reply to a command that needs no time. Raises EngineFault."""
        with self._promptly(f"no answer to {command.name!r}"):
            return await self.reply_to(command)

    async def reply_to(self, order: Command) -> Reply:
        """Send one command; its reply, for which the caller sets a deadline. Raises EngineFault."""
        (number,) = await self._send([order])
        return await self._reply(number)

    async def generate(
        self,
        colour: Colour,
        time_left: tuple[float, int] | None,
        last: tuple[Colour, str] | None,
    ) -> tuple[str, float]:
        """Send the opponent's `last` turn and ask for one; the answer and the seconds it took.

        All goes out in one write, and the time runs from then; it is for the caller to end it.
        Raises EngineFault.
        """
        orders = [play_order(*last)] if last else []
        if time_left is not None and "time_left" in self.commands:
            seconds, turns = time_left
            orders.append(Command("time_left", (str(colour), f"{seconds:.3f}", str(turns))))
        orders.append(Command("genmove", (str(colour),)))
        began = trio.current_time()
        for batch in [orders] if self.configuration.pipelining else [[order] for order in orders]:
            answer = await self._orders_of_a_turn(batch)
        return answer, trio.current_time() - began

    async def _orders_of_a_turn(self, orders: list[Command]) -> str:
        """Send `orders` in one write; the text of the last reply. Raises EngineFault."""
        text = ""
        for order, number in zip(orders, await self._send(orders), strict=True):
            reply = await self._reply(number)
            if not reply.ok and order.name != "time_left":
                turn = f"the legal turn {order.arguments[1]}" if order.name == "play" else ""
                raise EngineFault(
                    Termination.PROTOCOL, f"refused {turn or order.name}", reply.text.encode()
                )
            text = reply.text
        return text

    async def take_note(self, colour: Colour, turn: str) -> None:
        """Send the turn that ended the game. Whatever comes back changes nothing."""
        late = EngineFault(Termination.TIME, "no answer to the last turn")
        try:
            with by(trio.current_time() + self.limits.last_play, late):
                (number,) = await self._send([play_order(colour, turn)])
                await self._reply(number)
        except EngineFault:
            return

    async def stop(self) -> None:
        """Say `quit` and see the engine out, by force if need be. Safe to call again."""
        if self._channel is not None:
            farewell = encode_command(Command("quit", (), next(self._ids)))
            await self._channel.stop(self.limits.grace, farewell)

    def _promptly(self, problem: str) -> AbstractContextManager[None]:
        """Raise EngineFault with `problem` when the limit of setting up a game is over."""
        limit = self.limits.setting_up
        late = EngineFault(Termination.PROTOCOL, f"{problem} within {limit:g} s")
        return by(trio.current_time() + limit, late)

    async def _have_done(self, orders: Sequence[Command]) -> None:
        """Send `orders` in one write; none may be refused. Raises EngineFault."""
        for order, number in zip(orders, await self._send(orders), strict=True):
            reply = await self._reply(number)
            if not reply.ok:
                words = " ".join((order.name, *order.arguments))
                raise EngineFault(Termination.PROTOCOL, f"refused {words!r}", reply.text.encode())

    async def _options(self, seed: int | None) -> dict[str, str]:
        """The options to set: the configuration's own, and a seed if the engine takes one."""
        options = dict(self.configuration.options)
        if seed is not None and {"list_options", "set_option"} <= self.commands:
            (number,) = await self._send([Command("list_options")])
            listed = await self._reply(number)
            if "seed" in {line.split(" ", 1)[0] for line in listed.text.splitlines()}:
                options.setdefault("seed", str(seed))
        return options

    def _setting_up(self, game: Game, options: Mapping[str, str]) -> list[Command]:
        """The orders that set up `game`, as far as the engine knows them."""
        settings = [word for name, v in game.settings.items() for word in (name, setting_text(v))]
        orders = [
            Command("set_game", (game.name, *settings)),
            Command("boardsize", (str(game.size),)),
            Command("clear_board"),
            Command("time_control", (str(self.configuration.time),)),
        ]
        known = [order for order in orders if order.name in self.commands]
        return known + [Command("set_option", (name, *v.split())) for name, v in options.items()]

    async def _send(self, orders: Sequence[Command]) -> list[int]:
        """Send `orders` in one write; their ids, for whose replies to wait."""
        numbers = [next(self._ids) for _ in orders]
        data = b"".join(map(encode_command, orders, numbers))
        self._awaited += len(orders)
        if self._wire is not None:
            self._wire(">", data)
        try:
            await self._open().send(data)
        except OSError:
            # The engine has closed its input; its last words may still be read.
            pass
        return numbers

    async def _reply(self, number: int) -> Reply:
        """The next reply, which must carry this id."""
        try:
            while (reply := self._decoder.next_reply()) is None:
                data = await self._open().receive()
                if not data:
                    raise await self._crash()
                self._take(data)
        except RemoteProtocolError as error:
            raise EngineFault(Termination.PROTOCOL, error.reason, error.evidence) from None
        if reply.id != number:
            got = "no id" if reply.id is None else f"id {reply.id}"
            raise EngineFault(
                Termination.PROTOCOL,
                f"a reply with {got} where id {number} was expected",
                reply.text.encode(),
            )
        self._awaited -= 1
        return reply

    def _take(self, data: bytes) -> None:
        if self._wire is not None:
            self._wire("<", data)
        self._decoder.feed(data)

    async def _crash(self) -> EngineFault:
        """What to say of an engine whose output has ended."""
        with trio.CancelScope(shield=True):
            ended = await self._open().how_it_ended(LAST_BREATH)
        if failure := self._open().failure_to_start():
            return failure
        return EngineFault(Termination.CRASH, f"the engine {ended}", self.stderr_tail[-200:])

    def _open(self) -> Channel:
        if self._channel is None:
            raise RuntimeError("the player was not started")
        return self._channel


def play_order(colour: Colour, turn: str) -> Command:
    """`play` with these arguments."""
    return Command("play", (str(colour), turn))


@contextmanager
def by(deadline: float, late: EngineFault) -> Iterator[None]:
    """Raise `late` if the body has not ended at `deadline` of trio's clock."""
    with trio.move_on_at(deadline) as scope:
        yield
    if scope.cancelled_caught:
        raise late
