"""A native engine as one of the engines that GoGui's profile knows.

All here runs in a thread of its own, in which GoGui's commands are answered one by one; the
engine's process is attended to by trio in the main thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from engines.dispatcher import expect
from engines.engine import Engine
from engines.options import OptionError
from engines.session import CommandError
from interfaces.gogui.dispatcher import GoguiDispatcher
from interfaces.gogui.session import GoguiSession
from interfaces.gogui.setting_up import turns_to
from interfaces.gogui.turns import turns_of
from protocol.messages import Command
from protocol.time_control import NO_CLOCK
from referee.fault import EngineFault

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import TypeVar, TypeVarTuple

    from engines.dispatcher import Arguments
    from games.colour import Colour
    from games.game import Game, Position
    from games.turns import Turn
    from protocol.messages import Resign
    from protocol.time_control import TimeControl
    from referee.seat import EngineSeat

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
        """Remember the game; the program hears of it when it is needed."""
        self._game = game

    def wait_until_ready(self) -> None:
        """Let a program that runs make ready now, before its clock does."""
        if self._game is not None and not self.line and self._seat.is_running:
            try:
                self._seat.set_time(self._control)
                self._await(self._seat.follow, self._game)
            except CommandError:
                # The next genmove begins again, and tells if that fails too.
                return

    def new_game(self) -> None:
        """Forget the last game."""
        self.line = ()

    def meet(self) -> None:
        """Learn the program's own name and version. Raises CommandError."""
        self._await(self._seat.start)
        self.name = self._seat.engine_name or self.name
        self.version = self._seat.engine_version
        self.is_known = True

    def choose(self, position: Position) -> Turn | Resign:
        """The program's turn after `line`, which leads to `position`. Raises CommandError."""
        past = self._past()
        self.meet()
        left = None if self._control is NO_CLOCK else self.time.left.get(position.to_move)
        self._seat.set_time(self._control)
        turn, _ = self._await(self._seat.choose, position, past, self._patience, left)
        return turn

    def set_option(self, name: str, text: str) -> None:
        """Have the program set an option. Raises OptionError with what it says to that."""
        reply = self._await(self._seat.set_option, name, text)
        if not reply.ok:
            raise OptionError(reply.text)

    def list_options(self) -> str:
        """The program's own list. Raises CommandError."""
        reply = self._await(self._seat.ask, Command("list_options"))
        if not reply.ok:
            raise CommandError(reply.text)
        return reply.text

    def _past(self) -> list[tuple[Colour, Turn]]:
        """The turns that lead through `line`. Raises CommandError if there is no way there."""
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
        """What the main thread makes of it. Raises CommandError with the program's fault."""
        try:
            return trio.from_thread.run(function, *arguments)
        except EngineFault as fault:
            said = f" ({fault.evidence})" if fault.evidence not in fault.reason else ""
            raise CommandError(
                f"{self.name}: {fault.reason}{said}; it is started again when it is needed"
            ) from None


class NativeSession(GoguiSession):
    """GoGui's session, in which the engine is told of the whole game."""

    engine: NativeEngine

    def choose(self, player: Colour) -> Turn | Resign:
        """The engine's turn for `player`, who must be to move. Plays nothing."""
        self.engine.line = self.line
        return super().choose(player)


class NativeDispatcher(GoguiDispatcher):
    """GoGui's commands, of which those about the engine itself start its program.

    GoGui asks its ruler for the board before the name, and the program that plays for the name
    first; so a ruler is told by that, and calls itself by its file for want of a program.
    """

    engine: NativeEngine

    def __init__(self, engine: NativeEngine, game: Game) -> None:
        super().__init__(engine, game)
        self._is_ruler = False
        for name in ("name", "version", "gogui-title"):
            self.handlers[name] = self._after_meeting(self.handlers[name])

    def open_session(self, game: Game) -> NativeSession:
        """The state of the turn that is being tapped."""
        return NativeSession(self.engine, game)

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
