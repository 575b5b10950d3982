"""The state of one conversation: the game, its turns so far, and its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import (
    GAMES,
    Colour,
    Game,
    GameError,
    IllegalTurn,
    Position,
    Turn,
    create_game,
    read_game,
    setting_text,
    settings_of,
)
from oddly.games.game import MAX_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.engines.engine import Engine
    from oddly.protocol import Command, Resign

SETTING_UP = frozenset({"set_game", "boardsize", "clear_board", "setup", "quit"})
"""Commands that do not need the engine to be ready for the game so far."""


class CommandError(Exception):
    """A command that fails. The message is the text of the `?` reply."""


class Session:
    """The position that commands act on, with its past."""

    def __init__(self, engine: Engine, game: Game) -> None:
        self.engine = engine
        self.game = game
        self._past: list[Position] = []
        self.position = game.start()
        self._must_get_ready = False
        engine.prepare(game)
        engine.new_game()

    def carry_out(self, command: Command, handler: Callable[[tuple[str, ...]], str]) -> str:
        """Return what `handler` answers to a command, once the engine is ready for the game.

        After `set_game`, whose board `boardsize` may replace, it gets ready in the next command.
        """
        if command.name not in SETTING_UP:
            self._wait_until_ready()
        text = handler(command.arguments)
        if command.name not in ("set_game", "quit"):
            self._wait_until_ready()
        return text

    def _wait_until_ready(self) -> None:
        """Let the engine get ready for the present game, once."""
        if self._must_get_ready:
            self._must_get_ready = False
            self.engine.wait_until_ready()

    def begin(self, game: Game) -> None:
        """Set up the starting position of `game`. Raises GameError if the engine cannot play it."""
        if game != self.game:
            self.engine.prepare(game)
        self.game = game
        self.position = game.start()
        self._past.clear()
        self.engine.new_game()
        self._must_get_ready = True

    def set_position(self, position: Position) -> None:
        """Begin at a position of the current game, from which nothing can be undone.

        Raises GameError if the engine cannot play the game.
        """
        self.begin(self.game)
        self.position = position

    def set_game(self, name: str, settings: list[tuple[str, str]]) -> None:
        """Begin a game as `create_game` makes it without a size. Raises CommandError."""
        try:
            self.begin(read_game(name, None, dict(settings)))
        except GameError as error:
            raise CommandError(str(error)) from None

    def set_size(self, size: int) -> None:
        """Begin the same game on a board of another size. Raises CommandError."""
        try:
            self.begin(create_game(self.game.name, size, self.game.settings))
        except GameError as error:
            text = str(error)
            # The protocol says how this reply begins.
            if not text.startswith("unacceptable size"):
                text = f"unacceptable size {size}: {text}"
            raise CommandError(text) from None

    def play(self, player: Colour, turn: Turn) -> None:
        """Play a turn of `player`. Raises CommandError if it is illegal."""
        if not self.position.is_over and player is not self.position.to_move:
            raise CommandError(f"illegal move: {self._whose_turn()}")
        try:
            after = self.position.play(turn)
        except IllegalTurn as error:
            raise CommandError(f"illegal move: {error.reason}") from None
        self._past.append(self.position)
        self.position = after

    def choose(self, player: Colour) -> Turn | Resign:
        """Return the engine's turn for `player`, who must be to move, and play nothing.

        Raises CommandError if the game is over or the other player is to move.
        """
        if self.position.is_over:
            raise CommandError("the game is over")
        if player is not self.position.to_move:
            raise CommandError(self._whose_turn())
        return self.engine.choose(self.position)

    def undo(self) -> None:
        """Take back the last turn. Raises CommandError if there is none."""
        if not self._past:
            raise CommandError("cannot undo")
        self.position = self._past.pop()

    def _whose_turn(self) -> str:
        return f"it is {str(self.position.to_move).capitalize()}'s turn"


KINDS: dict[type, str] = {int: "integer", bool: "boolean", str: "text"}
"""The types of settings, as the protocol names them."""


def setting_lines(name: str) -> list[str]:
    """Return a line for each setting of a game, and one for the sizes of each shape of board."""
    usual, settings = create_game(name), settings_of(GAMES[name])
    lines = []
    boards = settings["board"].choices if "board" in settings else ()
    for board in boards or [""]:
        sizes = " ".join(map(str, _sizes(name, board)))
        condition = f" if board {board}" if board else ""
        lines.append(f"{name} size type choice default {usual.size} choices {sizes}{condition}")
    for setting, info in settings.items():
        choices = info.choices if info.kind is str else ()
        kind = "choice" if choices else KINDS[info.kind]
        line = f"{name} {setting} type {kind} default {setting_text(info.default)}"
        if info.unlimited:
            line += " min 1"
        if choices:
            line += f" choices {' '.join(choices)}"
        lines.append(line)
    return lines


def _sizes(name: str, board: str) -> list[int]:
    """Return the sizes of a game on boards of a shape, or on all that it has."""
    found = []
    for size in range(1, MAX_SIZE + 1):
        try:
            create_game(name, size, {"board": board} if board else None)
        except GameError:
            continue
        found.append(size)
    return found
