"""Adapts an engine that knows only single drops to whole turns.

Such an engine plays actions: a drop, `end` for a turn that could continue, a pass, a move or a
swap. Its `undo` takes back one action. This module decides which actions make a turn.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

import trio

from oddly.games import (
    END,
    Action,
    Drop,
    DropPosition,
    Drops,
    Game,
    GameError,
    IllegalTurn,
    Turn,
    create_game,
    one_line,
    read_game,
)
from oddly.games.drop_level import actions_of
from oddly.games.wording import counted
from oddly.protocol import (
    NO_CLOCK,
    Command,
    CommandDecoder,
    LocalProtocolError,
    MalformedCommand,
    NotationError,
    RemoteProtocolError,
    Reply,
    ReplyDecoder,
    Resign,
    encode_command,
    encode_reply,
    parse_answer,
    parse_colour,
    parse_turn,
)
from oddly.referee.bridge.address import BridgeError
from oddly.referee.conversation.commands import other_id, setting_up
from oddly.referee.justice.outcome import EngineFault, VoidGame
from oddly.referee.program.channel import CHUNK
from oddly.referee.program.configuration import Limits
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from trio.abc import ReceiveStream, SendStream

    Ask = Callable[[Command], Awaitable[Reply]]

OWN = ("play", "genmove", "undo")
"""Commands that the adapter answers itself."""
HIDDEN = frozenset({*OWN, "reg_genmove", "legal_turns", "solve", "analyze", "setup", "stop"})
"""Commands that are never passed on: a `stop` would wait for the end of the search before it."""
GAME = frozenset({"set_game", "boardsize"})
NEW_GAME = GAME | {"clear_board"}


class DropLevelAdapter:
    """Answers commands about turns; `ask` sends commands to the engine."""

    def __init__(self, ask: Ask, game: Game) -> None:
        self._ask = ask
        self._game = game
        self._past: list[tuple[DropPosition, int]] = []
        self._position = DropPosition(game.start())

    async def begin(self) -> str | None:
        """Set the game up in the engine, as far as it lists the commands.

        Returns what the engine refused, in words. Raises BridgeError.
        """
        listed = GAME & set(await self._listed())
        for command in setting_up(self._game, NO_CLOCK, {}, listed):
            reply = await self._ask(command)
            if not reply.ok:
                refused = " ".join((command.name, *command.arguments))
                return f"the engine refused {refused!r}: {one_line(reply.text)}"
        return None

    async def answer(self, command: Command) -> Reply:
        """Return the reply to a command, with its id. Raises BridgeError."""
        match command.name:
            case "list_commands" if command.arguments:
                reply = _wrong_number("no arguments", command)
            case "list_commands":
                reply = Reply(True, "\n".join(await self._commands()))
            case "known_command" if len(command.arguments) == 1:
                known = command.arguments[0] in await self._commands()
                reply = Reply(True, "true" if known else "false")
            case "play":
                reply = await self._play(command)
            case "genmove":
                reply = await self._genmove(command)
            case "undo":
                reply = await self._undo(command)
            case name if name in HIDDEN:
                reply = Reply(False, "unknown command")
            case name if name in NEW_GAME:
                reply = await self._new_game(command)
            case _:
                reply = await self._ask(command)
        return reply._replace(id=command.id)

    async def _commands(self) -> list[str]:
        listed = await self._listed()
        mine = [name for name in OWN if name in listed]
        return [*(name for name in listed if name not in HIDDEN), *mine]

    async def _listed(self) -> list[str]:
        return (await self._ask(Command("list_commands"))).text.split()

    async def _new_game(self, command: Command) -> Reply:
        """Set the game up in the engine first, then here."""
        reply = await self._ask(command)
        if reply.ok:
            try:
                self._game = _changed(self._game, command)
            except (GameError, ValueError, IndexError):
                return Reply(False, f"syntax error: {command.name}")
            self._past.clear()
            self._position = DropPosition(self._game.start())
        return reply

    async def _play(self, command: Command) -> Reply:
        if len(command.arguments) != 2:
            return _wrong_number("a colour and a turn", command)
        word, text = command.arguments
        try:
            turn = parse_turn(text)
            colour = parse_colour(word)
        except NotationError as error:
            return Reply(False, f"syntax error: {error}")
        if (reason := self._illegal(colour, turn)) is not None:
            return Reply(False, f"illegal move: {reason}")
        before, made = self._position, 0
        for action in actions_of(before.start, turn):
            reply = await self._ask(Command("play", (str(colour), str(action))))
            if not reply.ok:
                await self._take_back(before, made)
                return reply
            made += 1
            self._position = self._position.act(action)
        self._past.append((before, made))
        return Reply(True)

    def _illegal(self, colour: object, turn: Turn) -> str | None:
        start = self._position.start
        if colour is not start.to_move and not start.is_over:
            return f"it is {str(start.to_move).capitalize()}'s turn"
        try:
            start.play(turn)
        except IllegalTurn as error:
            return error.reason
        return None

    async def _genmove(self, command: Command) -> Reply:
        if len(command.arguments) != 1:
            return _wrong_number("a colour", command)
        start = self._position.start
        try:
            colour = parse_colour(command.arguments[0])
        except NotationError as error:
            return Reply(False, f"syntax error: {error}")
        if start.is_over:
            return Reply(False, "the game is over")
        if colour is not start.to_move:
            return Reply(False, f"it is {str(start.to_move).capitalize()}'s turn")
        return await self._collect(command)

    async def _collect(self, command: Command) -> Reply:
        """Ask for actions until they make a turn. An illegal action is passed on as the answer.

        A whole turn instead of an action is a failure: the engine plays no single drops.
        """
        before, said = self._position, list[str]()
        while True:
            reply = await self._ask(Command("genmove", command.arguments))
            if not reply.ok:
                await self._take_back(before, len(said))
                return reply
            said.append(reply.text.strip())
            try:
                action = parse_action(said[-1])
                if isinstance(action, Resign):
                    await self._take_back(before, len(said) - 1)
                    return Reply(True, "resign")
                last, self._position = self._position, self._position.act(action)
            except (NotationError, IllegalTurn):
                if not _has_many_drops(said[-1]):
                    return Reply(True, ",".join(said))
                await self._take_back(before, len(said))
                return Reply(False, f"the engine answered a whole turn, {said[-1]}, not one drop")
            if not self._position.drops:
                break
        self._past.append((before, len(said)))
        return Reply(True, str(last.turn_with(action)))

    async def _take_back(self, before: DropPosition, made: int) -> None:
        """Undo the actions of a failed turn in the engine."""
        for _ in range(made):
            await self._ask(Command("undo"))
        self._position = before

    async def _undo(self, command: Command) -> Reply:
        if command.arguments:
            return _wrong_number("no arguments", command)
        if not self._past:
            return Reply(False, "cannot undo")
        before, made = self._past[-1]
        for _ in range(made):
            reply = await self._ask(Command("undo"))
            if not reply.ok:
                return reply
        self._past.pop()
        self._position = before
        return Reply(True)


def parse_action(text: str) -> Action | Resign:
    """Return the action in an engine's answer. Raises NotationError, also for two drops."""
    if text.lower() == str(END):
        return END
    answer = parse_answer(text)
    if not isinstance(answer, Drops):
        return answer
    if len(answer.drops) != 1:
        raise NotationError("action", text, text.index(","), "the end of the drop")
    drop: Drop = answer.drops[0]
    return drop


def _has_many_drops(text: str) -> bool:
    try:
        answer = parse_answer(text)
    except NotationError:
        return False
    return isinstance(answer, Drops) and len(answer.drops) > 1


def _wrong_number(expected: str, command: Command) -> Reply:
    found = counted(len(command.arguments), "argument")
    return Reply(False, f"syntax error: expected {expected}, got {found}")


def _changed(game: Game, command: Command) -> Game:
    """Return the game after a command that the engine accepted."""
    name, words = command.name, command.arguments
    if name == "set_game":
        return read_game(words[0], None, dict(zip(words[1::2], words[2::2], strict=True)))
    if name == "boardsize":
        return create_game(game.name, int(words[0]), game.settings)
    return game


GRACE = 1.0
"""Seconds from the end of input to SIGKILL."""


class EngineOfDrops:
    """A conversation with an engine that plays drops: one command, one reply."""

    def __init__(self, process: EngineProcess) -> None:
        self._process = process
        self._decoder = ReplyDecoder()
        self._ids = count(1)

    async def ask(self, command: Command) -> Reply:
        """Send a command and return the reply. Raises BridgeError if there is none."""
        number = next(self._ids)
        try:
            line = encode_command(command, number)
        except LocalProtocolError as error:
            # With this id it is too long.
            return Reply(False, f"syntax error: {error}")
        try:
            await self._process.send(line)
        except OSError:
            # The engine closed its input, but its last reply may still arrive.
            pass
        try:
            while (reply := self._decoder.next_reply()) is None:
                data = await self._process.receive()
                if not data:
                    ended = await self._process.how_it_ended(GRACE)
                    failure = self._process.failure_to_start()
                    raise BridgeError(failure.reason if failure else f"the engine {ended}")
                self._decoder.feed(data)
        except RemoteProtocolError as error:
            raise BridgeError(f"the engine sent {error.reason}") from None
        if reply.id != number:
            got = other_id(reply, number)
            raise BridgeError(f"the engine's reply has {got} where id {number} was expected")
        return reply


async def adapt(command: Sequence[str], game: Game) -> None:
    """Serve as a native engine on top of `command` until `quit`. Raises BridgeError."""
    try:
        process = EngineProcess.start(command, Limits().stderr)
    except (EngineFault, VoidGame) as fault:
        raise BridgeError(fault.reason) from None
    process.on_stderr = _to_stderr
    failure: BridgeError | None = None
    source, sink = (trio.lowlevel.FdStream(os.dup(fd)) for fd in (0, 1))
    async with source, sink, trio.open_nursery() as nursery:
        nursery.start_soon(process.attend)
        try:
            adapter = DropLevelAdapter(EngineOfDrops(process).ask, game)
            if (refused := await adapter.begin()) is not None:
                _to_stderr(f"oddly bridge: {refused}\n".encode())
            await converse(adapter, source, sink)
        except BridgeError as error:
            failure = error
        finally:
            with trio.CancelScope(shield=True):
                await process.stop(GRACE)
            nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def converse(adapter: DropLevelAdapter, source: ReceiveStream, sink: SendStream) -> None:
    """Answer commands until `quit` or the end of input."""
    decoder = CommandDecoder()
    while data := await source.receive_some(CHUNK):
        decoder.feed(bytes(data))
        while (event := decoder.next_event()) is not None:
            if isinstance(event, MalformedCommand):
                reply = Reply(False, f"syntax error: {event.reason}", event.id)
            else:
                reply = await adapter.answer(event)
            try:
                await sink.send_all(encode_reply(reply))
            except trio.BrokenResourceError:
                return
            if isinstance(event, Command) and event.name == "quit" and reply.ok:
                return


def _to_stderr(data: bytes) -> None:
    """Write to our standard error, which our parent drains."""
    with suppress(OSError):
        os.write(2, data)
