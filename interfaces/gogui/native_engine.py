"""A native engine's program behind GoGui's profile.

All this runs in a thread that answers GoGui's commands one by one. Trio runs the engine's process
in the main thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from oddly.engines.dispatcher import expect
from oddly.engines.engine import Engine
from oddly.engines.options import OptionError
from oddly.engines.session import CommandError
from oddly.interfaces.gogui.dispatcher import GoguiDispatcher
from oddly.interfaces.gogui.session import GoguiSession
from oddly.interfaces.gogui.turns import turns_of, turns_to
from oddly.protocol.messages import Command
from oddly.protocol.time_control import NO_CLOCK
from oddly.referee.justice.outcome import EngineFault

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import TypeVar, TypeVarTuple

    from oddly.engines.dispatcher import Arguments
    from oddly.games.colour import Colour
    from oddly.games.game import Game, Position
    from oddly.games.turns import Turn
    from oddly.protocol.messages import Resign
    from oddly.protocol.time_control import TimeControl
    from oddly.referee.conversation.seat import EngineSeat

    Answer = TypeVar("Answer")
    Words = TypeVarTuple("Words")


class NativeEngine(Engine):
    """The engine of `seat`, which gets `patience` seconds for a turn.

    `name` is a file's name until the program has told its own.
    """

    options = ()

    def __init__(self, seat: EngineSeat, name: str, patience: float) -> None:
        super().__init__()
        self.name = name
        self.version = ""
        self.line: Sequence[Position] = ()
        self.is_known = False
        self._seat = seat
        self._patience = patience
        self._game: Game | None = None

    def prepare(self, game: Game) -> None:
        """Remember the game. The program hears of it when it is needed."""
        self._game = game

    def wait_until_ready(self) -> None:
        """Let a running program prepare now, before its clock starts."""
        if self._game is not None and not self.line and self._seat.is_running:
            try:
                self._seat.set_time(self._control)
                self._await(self._seat.follow, self._game)
            except CommandError:
                # The next genmove tries again and reports a failure.
                return

    def new_game(self) -> None:
        """Forget the last game."""
        self.line = ()

    def meet(self) -> None:
        """Ask the program for its name and version. Raises CommandError if it fails."""
        self._await(self._seat.start)
        self.name = self._seat.engine_name or self.name
        self.version = self._seat.engine_version
        self.is_known = True

    def choose(self, position: Position) -> Turn | Resign:
        """Return the program's turn after `line`, which ends in `position`. Raises CommandError."""
        past = self._past()
        self.meet()
        left = None if self._control is NO_CLOCK else self.time.left.get(position.to_move)
        self._seat.set_time(self._control)
        turn, _ = self._await(self._seat.choose, position, past, self._patience, left)
        return turn

    def set_option(self, name: str, text: str) -> None:
        """Set an option of the program. Raises OptionError if it refuses."""
        reply = self._await(self._seat.set_option, name, text)
        if not reply.ok:
            raise OptionError(reply.text)

    def list_options(self) -> str:
        """Return the program's options. Raises CommandError if it lists none."""
        reply = self._await(self._seat.ask, Command("list_options"))
        if not reply.ok:
            raise CommandError(reply.text)
        return reply.text

    def _past(self) -> list[tuple[Colour, Turn]]:
        """Return the turns that lead through `line`. Raises CommandError if none are known."""
        way = turns_to(self.line[0])
        if way is None:
            raise CommandError(
                f"{self.name} cannot be told of the position that was set up: "
                "it must be played from the start of the game"
            )
        line = [self.line[0].game.start()]
        for turn in way:
            line.append(line[-1].play(turn))
        return turns_of([*line[:-1], *self.line])

    @property
    def _control(self) -> TimeControl:
        return self.time.control or NO_CLOCK

    def _await(self, function: Callable[[*Words], Awaitable[Answer]], *arguments: *Words) -> Answer:
        """Run `function` in the main thread. Raises CommandError for a fault of the program."""
        try:
            return trio.from_thread.run(function, *arguments)
        except EngineFault as fault:
            said = f" ({fault.evidence})" if fault.evidence not in fault.reason else ""
            raise CommandError(
                f"{self.name}: {fault.reason}{said}; it is started again when it is needed"
            ) from None


class NativeSession(GoguiSession):
    """GoGui's session with an engine that needs the whole game."""

    engine: NativeEngine

    def choose(self, player: Colour) -> Turn | Resign:
        """Return the engine's turn for `player`, who must be to move. Plays nothing."""
        self.engine.line = self.line
        return super().choose(player)


class NativeDispatcher(GoguiDispatcher):
    """GoGui's commands. Those about the engine itself start its program.

    GoGui asks a ruler for the board first and a player for the name. So a ruler is recognised, and
    it uses the name of the file and starts no program.
    """

    engine: NativeEngine

    def __init__(self, engine: NativeEngine, game: Game) -> None:
        super().__init__(engine, game)
        self._is_ruler = False
        for name in ("name", "version", "gogui-title"):
            self.handlers[name] = self._after_meeting(self.handlers[name])

    def open_session(self, game: Game) -> NativeSession:
        """Return the state of a new conversation."""
        return NativeSession(self.engine, game)

    @property
    def program_name(self) -> str:
        """What the program calls itself, or the name of its file."""
        return self.engine.name

    def _name(self, arguments: Arguments) -> str:
        """Return the program's own name, which GoGui keeps as its label."""
        expect(arguments, 0, "no arguments")
        return self.program_name

    def _rules_board(self, arguments: Arguments) -> str:
        self._is_ruler = not self.engine.is_known
        return super()._rules_board(arguments)

    def _list_options(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return self.engine.list_options()

    def _after_meeting(self, handler: Callable[[Arguments], str]) -> Callable[[Arguments], str]:
        def met(arguments: Arguments) -> str:
            if not self._is_ruler:
                self.engine.meet()
            return handler(arguments)

        return met
