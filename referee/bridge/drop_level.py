"""Whole turns on top of an engine that knows only single drops.

Such an engine plays actions: a drop, `end` for a turn that could continue, a pass, a move or a
swap. Its `undo` takes back one action. This module decides which actions make a turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.catalogue import create_game, read_setting
from oddly.games.drop_level import END, Action, DropPosition
from oddly.games.errors import GameError, IllegalTurn
from oddly.games.turns import Drop, Drops
from oddly.protocol.errors import NotationError
from oddly.protocol.messages import Command, Reply, Resign
from oddly.protocol.notation import parse_answer, parse_colour, parse_turn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from oddly.games.game import Game
    from oddly.games.turns import Turn

    Ask = Callable[[Command], Awaitable[Reply]]

HIDDEN = frozenset({"play", "genmove", "undo", "reg_genmove", "legal_turns", "solve"})
"""Commands about turns, of which the first three are answered here."""
NEW_GAME = frozenset({"set_game", "boardsize", "clear_board"})


class DropLevelAdapter:
    """Answers commands about turns; `ask` sends commands to the engine."""

    def __init__(self, ask: Ask, game: Game) -> None:
        self._ask = ask
        self._game = game
        self._past: list[tuple[DropPosition, int]] = []
        self._position = DropPosition(game.start())

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
        listed = (await self._ask(Command("list_commands"))).text.split()
        mine = [name for name in ("play", "genmove", "undo") if name in listed]
        return [*(name for name in listed if name not in HIDDEN), *mine]

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
        for action in actions_of(before, turn):
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
        """Ask for actions until they make a turn. An illegal action is passed on as the answer."""
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
                self._position = self._position.act(action)
            except (NotationError, IllegalTurn):
                return Reply(True, ",".join(said))
            if not self._position.drops:
                break
        self._past.append((before, len(said)))
        drops = [word for word in said if word.lower() != str(END)]
        return Reply(True, str(parse_turn(",".join(drops))))

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


def actions_of(position: DropPosition, turn: Turn) -> list[Action]:
    """Return a legal turn as single actions, with `end` if the turn could continue."""
    if not isinstance(turn, Drops):
        return [turn]
    actions: list[Action] = list(turn.drops)
    if len(actions) < position.start.most_drops:
        actions.append(END)
    return actions


def parse_action(text: str) -> Action | Resign:
    """Return the action that the engine answers. Raises NotationError, also for two drops."""
    if text.lower() == str(END):
        return END
    answer = parse_answer(text)
    if not isinstance(answer, Drops):
        return answer
    if len(answer.drops) != 1:
        raise NotationError("action", text, text.index(","), "the end of the drop")
    drop: Drop = answer.drops[0]
    return drop


def _wrong_number(expected: str, command: Command) -> Reply:
    number = len(command.arguments)
    plural = "" if number == 1 else "s"
    return Reply(False, f"syntax error: expected {expected}, got {number} argument{plural}")


def _changed(game: Game, command: Command) -> Game:
    """Return the game after a command that the engine accepted."""
    name, words = command.name, command.arguments
    if name == "set_game":
        names, values = words[1::2], words[2::2]
        settings = {n: read_setting(words[0], n, v) for n, v in zip(names, values, strict=True)}
        return create_game(words[0], None, settings)
    if name == "boardsize":
        return create_game(game.name, int(words[0]), game.settings)
    return game
