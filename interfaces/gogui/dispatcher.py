"""GoGui's commands on top of the protocol's: moves are taps, and GoGui asks for the rules."""

from __future__ import annotations

import re
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from oddly.engines import CommandError, Engine
from oddly.engines.dispatcher import Arguments, Dispatcher, expect, read_colour, read_integer
from oddly.engines.engine import Thought
from oddly.games import PASS
from oddly.games.partial_turn import legal_taps
from oddly.interfaces.gogui import display
from oddly.interfaces.gogui.display import SettingsDialog, View
from oddly.interfaces.gogui.marks import (
    analyze_commands,
    marks,
    painted,
    position_to_evaluate,
)
from oddly.interfaces.gogui.session import GoguiSession, sentence
from oddly.protocol import NotationError, Resign, TimeKind
from oddly.protocol.notation import read_gogui_vertex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from oddly.games import Colour, DropPosition, Drops, Game, Pass, Turn, Vertex
    from oddly.protocol import Evaluation

LIVE = "gogui-gfx:"
"""The start of lines on standard error that GoGui paints while it waits for a reply."""
SECONDS_BETWEEN_PAINTINGS = 0.5
KOMI = re.compile(r"[+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?")


def _told(tell: Callable[[], str]) -> Callable[[Arguments], str]:
    """Return a handler for a command that takes no arguments."""

    def answer(arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return tell()

    return answer


class GoguiDispatcher(Dispatcher):
    """Answers GoGui for one engine. The protocol's own commands are inherited."""

    session: GoguiSession

    def __init__(
        self, engine: Engine, game: Game, opening: Sequence[tuple[Colour, Turn]] = ()
    ) -> None:
        super().__init__(engine, game)
        if opening:
            self.session.go_on_from(opening)
        self.dialog = SettingsDialog(
            partial(self._list_options, ()),
            self._option_values,
            self.engine.set_option,
            lambda: self.engine.time.control,
            self._start_the_clock_with,
        )
        self.handlers |= {
            "komi": self._komi,
            "cputime": _told(lambda: f"{time.process_time():.3f}"),
            "gogui-title": _told(self._title),
            "gogui-version": self._gogui_version,
            "gogui-play_sequence": self._play_sequence,
            "gogui-setup": self._gogui_setup,
            "gogui-setup_player": self._setup_player,
            "gogui-rules_game_id": _told(self._game_id),
            "gogui-rules_board_size": _told(lambda: display.board_size(self.session.game.board)),
            "gogui-rules_board": _told(self._rules_board),
            "gogui-rules_board_gfx": _told(self._turn),
            "gogui-rules_legal_moves": _told(self._legal_moves),
            "gogui-rules_side_to_move": _told(lambda: str(self.session.position.to_move)),
            "gogui-rules_captured_count": _told(self._captured_count),
            "gogui-rules_final_result": _told(self._final_result),
            "gogui-analyze_commands": _told(lambda: analyze_commands(self.session.position)),
            "oddly-turn": _told(self._turn),
            "oddly-parity": _told(lambda: display.status(self.session.partial)),
            "oddly-group_sizes": _told(lambda: display.group_sizes(self.session.partial)),
            "oddly-legal_points": _told(self._legal_points),
            "oddly-odd_points": self._odd_points,
            "oddly-evaluation": _told(self._evaluation),
            "oddly-best_turn": _told(self._best_turn),
            "oddly-param": self._param,
        }
        for view in View:
            self.handlers[f"oddly-{view}"] = _told(partial(self._evaluation, view))

    def open_session(self, game: Game) -> GoguiSession:
        """Return the state of a new conversation."""
        return GoguiSession(self.engine, game)

    # Commands of the protocol, in taps.

    def _boardsize(self, arguments: Arguments) -> str:
        expect(arguments, 1, "the board's width")
        self.session.set_width(read_integer(arguments[0], "a width"))
        return ""

    def _play(self, arguments: Arguments) -> str:
        expect(arguments, 2, "a colour, and a point or pass")
        self.session.tap(*self._read_move(*arguments))
        return ""

    def _genmove(self, arguments: Arguments) -> str:
        expect(arguments, 1, "a colour")
        player = read_colour(arguments[0])
        with self._painting():
            return self._written(self.session.generate_tap(player))

    @contextmanager
    def _painting(self) -> Iterator[None]:
        """Have GoGui paint the engine's thoughts while it thinks."""
        is_painted = False

        def paint(thought: Thought) -> None:
            nonlocal is_painted
            is_painted = True
            self._paint(thought, self.dialog.view)

        self.engine.on_thought = paint
        try:
            yield
        finally:
            self.engine.on_thought = None
            if is_painted:
                print(LIVE, "CLEAR", file=sys.stderr, flush=True)

    def _paint(self, thought: Thought, view: View) -> None:
        print(LIVE, painted(self.engine.name, thought, view), "", sep="\n", file=sys.stderr)
        sys.stderr.flush()

    def _reg_genmove(self, arguments: Arguments) -> str:
        expect(arguments, 1, "a colour")
        return self._written(self.session.choose_tap(read_colour(arguments[0])))

    def _showboard(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return display.drawing(self.session.partial)

    def evaluation_of(self, at: DropPosition, turn: Drops) -> Evaluation | None:
        """Return what the engine thinks of `at`, which a turn leads to, begun or whole."""
        self.session.tell_past(at.start, turn.drops)
        return super().evaluation_of(at, turn)

    # GoGui's own commands.

    def _name(self, arguments: Arguments) -> str:
        """Return the label that GoGui suggests for the program in its menu."""
        expect(arguments, 0, "no arguments")
        return f"{self.program_name}, {display.game_label(self.session.game)}"

    @property
    def program_name(self) -> str:
        """The name of the engine's program."""
        return f"oddly {self.engine.name}"

    def _komi(self, arguments: Arguments) -> str:
        expect(arguments, 1, "a number")
        if not KOMI.fullmatch(arguments[0]):
            raise CommandError(f"syntax error: {arguments[0]!r} is not a number")
        return ""

    def _title(self) -> str:
        game = self.session.game
        return f"{self.program_name}: {game.title} on the {game.board}"

    def _gogui_version(self, arguments: Arguments) -> str:
        expect(arguments, 1, "GoGui's version")
        return ""

    def _play_sequence(self, arguments: Arguments) -> str:
        self.session.tap_all([self._read_move(*pair) for pair in self._pairs(arguments)])
        return ""

    def _gogui_setup(self, arguments: Arguments) -> str:
        stones: dict[Vertex, Colour] = {}
        for colour, text in self._pairs(arguments):
            vertex = self._read_vertex(text)
            if vertex in stones:
                raise CommandError(f"syntax error: {text} is named twice")
            stones[vertex] = read_colour(colour)
        self.session.set_up(stones)
        return ""

    def _setup_player(self, arguments: Arguments) -> str:
        expect(arguments, 1, "a colour")
        self.session.set_up_player(read_colour(arguments[0]))
        return ""

    # The rules, for GoGui's ruler.

    def _game_id(self) -> str:
        return self.session.game.name.capitalize()

    def _rules_board(self) -> str:
        return display.rules_board(self.session.partial)

    def _captured_count(self) -> str:
        black, white = self.session.partial.group_counts
        # GoGui shows the first number, Black's prisoners, beside a white stone.
        return f"{white} {black}"

    def _legal_moves(self) -> str:
        return display.points(self.session.game.board, legal_taps(self.session.partial))

    def _final_result(self) -> str:
        if not self.session.position.is_over:
            raise CommandError("game is not over")
        return display.final_result(self.session.partial)

    # The analyze menu.

    def _turn(self) -> str:
        return marks(self.session.partial, self.session.last_vertices)

    def _legal_points(self) -> str:
        taps = (tap for tap in legal_taps(self.session.partial) if tap != PASS)
        return display.points(self.session.game.board, taps)

    def _odd_points(self, arguments: Arguments) -> str:
        expect(arguments, 1, "a stone's colour")
        colour = read_colour(arguments[0])
        if not self.session.partial.takes_drops:
            raise CommandError(f"{self.session.game.name.capitalize()} has no drops")
        return display.odd_points(self.session.partial, colour)

    def _evaluation(self, view: View = View.WINS) -> str:
        if self.session.position.is_over:
            raise CommandError("the game is over")
        at = position_to_evaluate(self.session.partial)
        self.session.tell_past(at.start, self.session.partial.drops)
        thought = self._thought_of(at, view)
        if thought is None:
            return f"TEXT {self.engine.name} rates no positions. {self._best_turn()}"
        return painted(self.engine.name, thought, view)

    def _thought_of(self, at: DropPosition, view: View) -> Thought | None:
        """Return the engine's thought after a turn's time, and have GoGui paint earlier ones.

        Without a fixed time for each turn, it searches once.
        """
        control, thoughts = self.engine.time.control, list[Thought]()
        seconds = 0.0
        if control is not None and control.kind is TimeKind.FIXED:
            seconds = control.main_seconds
        began = shown = time.monotonic()
        simulations = 0
        self.engine.on_thought = thoughts.append
        try:
            while True:
                evaluation = self.engine.evaluate(at)
                if evaluation is None:
                    return None
                simulations += evaluation.simulations
                line = thoughts[-1].line if thoughts else ()
                thought = Thought(at, replace(evaluation, simulations=simulations), line)
                now = time.monotonic()
                if now - began >= seconds or self.engine.is_stopped():
                    return thought
                if now - shown >= SECONDS_BETWEEN_PAINTINGS:
                    shown = now
                    self._paint(thought, view)
        finally:
            self.engine.on_thought = None
            if shown != began:
                print(LIVE, "CLEAR", file=sys.stderr, flush=True)

    def _best_turn(self) -> str:
        try:
            return sentence(self.engine.name, self.session.partial, self.session.advise())
        except CommandError as error:
            if self.session.position.is_over or not self.session.partial.drops:
                raise
            return str(error)

    def _param(self, arguments: Arguments) -> str:
        if not arguments:
            return self.dialog.listing()
        expect(arguments, 2, "a setting and its value")
        self.dialog.change(*arguments)
        return ""

    def _option_values(self) -> Mapping[str, str]:
        """Return the engine's options with their values, as the protocol writes them."""
        written = self.engine.values.items()
        return {name: str(v).lower() if isinstance(v, bool) else str(v) for name, v in written}

    # Reading arguments.

    def _pairs(self, arguments: Arguments) -> list[tuple[str, str]]:
        if len(arguments) % 2:
            raise CommandError("syntax error: expected pairs of a colour and a point")
        return list(zip(arguments[::2], arguments[1::2], strict=True))

    def _read_move(self, colour: str, text: str) -> tuple[Colour, Vertex | Pass]:
        player = read_colour(colour)
        return player, PASS if text.lower() == "pass" else self._read_vertex(text)

    def _read_vertex(self, text: str) -> Vertex:
        try:
            return read_gogui_vertex(self.session.game.board, text)
        except NotationError as error:
            raise CommandError(f"illegal move: {error}") from None

    def _written(self, tap: Vertex | Pass | Resign) -> str:
        if isinstance(tap, Resign):
            return str(tap)
        return display.point(self.session.game.board, tap)
