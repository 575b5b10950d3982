"""The protocol's commands for an engine: read, carried out and answered.

`docs/reference/protocol.md` says what every command means; a handler here takes the arguments as
words and returns the text of the reply, or raises CommandError.
"""

from __future__ import annotations

import re
import sys
import traceback
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from oddly.engines.engine import Engine, OptionError
from oddly.engines.position_reading import set_up
from oddly.engines.session import CommandError, Session, setting_lines
from oddly.games import (
    GAMES,
    Colour,
    DropPosition,
    Drops,
    Game,
    GameError,
    IllegalTurn,
    Status,
    draw,
)
from oddly.protocol import (
    Command,
    MalformedCommand,
    NotationError,
    Reply,
    Resign,
    parse_colour,
    parse_time_control,
    parse_turn,
)
from oddly.protocol.codec import MAX_REPLY
from oddly.protocol.notation import gtp_time_control

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oddly.protocol import Analysis, Evaluation, TimeControl

    Meaning = TypeVar("Meaning")

GTP_VERSION = "2"
ODDLY_VERSION = "1"

MAX_FAILURE_LENGTH = 1000
MAX_REPLY_TEXT = MAX_REPLY - 20  # its mark, id and line feeds need some
MIN_INTERVAL, MAX_INTERVAL = 0.01, 1_000_000
"""Seconds between two lines of `analyze`."""
SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")

Arguments = tuple[str, ...]


class Dispatcher:
    """Answers commands for one engine."""

    def __init__(self, engine: Engine, game: Game) -> None:
        self.engine = engine
        self.session = self.open_session(game)
        self.has_quit = False
        self.analyses: Callable[[Callable[[float], bool]], Iterator[Analysis]] | None = None
        """After an answer to `analyze`: makes the lines that follow it."""
        self.handlers: dict[str, Callable[[Arguments], str]] = {
            "protocol_version": self._protocol_version,
            "oddly_version": self._oddly_version,
            "name": self._name,
            "version": self._version,
            "known_command": self._known_command,
            "list_commands": self._list_commands,
            "quit": self._quit,
            "list_games": self._list_games,
            "set_game": self._set_game,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "setup": self._setup,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            "undo": self._undo,
            "legal_turns": self._legal_turns,
            "showboard": self._showboard,
            "group_counts": self._group_counts,
            "final_score": self._final_score,
            "game_over": self._game_over,
            "solve": self._solve,
            "evaluate": self._evaluate,
            "time_settings": self._time_settings,
            "time_control": self._time_control,
            "time_left": self._time_left,
            "list_settings": self._list_settings,
            "list_options": self._list_options,
            "set_option": self._set_option,
            "stop": self._stop,
        }
        if engine.can_analyze:
            self.handlers["analyze"] = self._analyze
            self.handlers["last_evaluation"] = self._last_evaluation
            self.handlers["ponder"] = self._ponder

    def open_session(self, game: Game) -> Session:
        """Return the state that the commands act on, in the starting position of `game`."""
        return Session(self.engine, game)

    def answer(self, command: Command | MalformedCommand) -> Reply:
        """Carry out a command. Whatever goes wrong inside becomes a `?` reply."""
        self.engine.stop_pondering()
        if isinstance(command, MalformedCommand):
            return Reply(False, f"syntax error: {command.reason}", command.id)
        handler = self.handlers.get(command.name)
        if handler is None:
            return Reply(False, "unknown command", command.id)
        try:
            return Reply(True, self.session.carry_out(command, handler), command.id)
        except (CommandError, OptionError) as error:
            return Reply(False, _shortened(str(error)), command.id)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            text = f"internal error: {type(error).__name__}: {error}"
            return Reply(False, _shortened(text), command.id)

    def _protocol_version(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return GTP_VERSION

    def _oddly_version(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return ODDLY_VERSION

    def _name(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return self.engine.name

    def _version(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return self.engine.version

    def _known_command(self, arguments: Arguments) -> str:
        expect(arguments, 1, "a command's name")
        return "true" if arguments[0] in self.handlers else "false"

    def _list_commands(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return "\n".join(self.handlers)

    def _quit(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        self.has_quit = True
        return ""

    def _list_games(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return "\n".join(GAMES)

    def _set_game(self, arguments: Arguments) -> str:
        if len(arguments) % 2 == 0:
            raise CommandError("syntax error: expected a game and pairs of setting and value")
        names, values = arguments[1::2], arguments[2::2]
        self.session.set_game(arguments[0], list(zip(names, values, strict=True)))
        return ""

    def _boardsize(self, arguments: Arguments) -> str:
        expect(arguments, 1, "a size")
        self.session.set_size(read_integer(arguments[0], "a size"))
        return ""

    def _clear_board(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        self.session.begin(self.session.game)
        return ""

    def _list_settings(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return "\n".join(line for name in GAMES for line in setting_lines(name))

    def _setup(self, arguments: Arguments) -> str:
        if len(arguments) == 3 and arguments[2] == "swap":
            status = Status(may_swap=True)
        elif len(arguments) == 4 and arguments[2] == "passes":
            status = Status(passes=read_integer(arguments[3], "passes in a row"))
        else:
            expect(arguments, 2, "a colour, stones, and perhaps 'passes N' or 'swap'")
            status = Status()
        to_move = read_colour(arguments[0])
        if status.passes > 1:
            raise CommandError("illegal position: two passes in a row end the game")
        try:
            position = set_up(self.session.game, arguments[1], to_move, status)
        except GameError as error:
            raise CommandError(f"illegal position: {error}") from None
        self.session.set_position(position)
        return ""

    def _play(self, arguments: Arguments) -> str:
        expect(arguments, 2, "a colour and a turn")
        self.session.play(read_colour(arguments[0]), _read(parse_turn, arguments[1]))
        return ""

    def _genmove(self, arguments: Arguments) -> str:
        expect(arguments, 1, "a colour")
        player = read_colour(arguments[0])
        turn = self.session.choose(player)
        if not isinstance(turn, Resign):
            self.session.play(player, turn)
        return str(turn)

    def _reg_genmove(self, arguments: Arguments) -> str:
        expect(arguments, 1, "a colour")
        return str(self.session.choose(read_colour(arguments[0])))

    def _undo(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        self.session.undo()
        return ""

    def _legal_turns(self, arguments: Arguments) -> str:
        if arguments:
            expect(arguments, 1, "at most a limit")
        limit = read_integer(arguments[0], "a limit") if arguments else None
        lines, length = [], 0
        for turn in islice(self.session.position.legal_turns(), limit):
            lines.append(str(turn))
            length += len(lines[-1]) + 1
            if length > MAX_REPLY_TEXT:
                raise CommandError(
                    f"too many turns for a reply: give a limit of at most {len(lines) - 1}"
                )
        return "\n".join(lines)

    def _showboard(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return "\n" + draw(self.session.position)

    def _group_counts(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return "{} {}".format(*self.session.position.group_counts)

    def _final_score(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        if self.session.position.result is None:
            raise CommandError("game is not over")
        return str(self.session.position.result)

    def _game_over(self, arguments: Arguments) -> str:
        if not arguments:
            raise CommandError("syntax error: expected a score, got nothing")
        score, *reason = arguments
        self.engine.game_over(score, " ".join(reason))
        return ""

    def _solve(self, arguments: Arguments) -> str:
        if arguments:
            expect(arguments, 1, "at most a number of positions")
        limit = read_integer(arguments[0], "a number of positions") if arguments else None
        if self.session.position.is_over:
            raise CommandError("the game is over")
        from oddly.engines.solver.solve import answer

        return answer(self.session.position, limit, self.engine.is_stopped)

    def _evaluate(self, arguments: Arguments) -> str:
        if arguments:
            expect(arguments, 1, "at most the drops of a turn")
        turn = _read(parse_turn, arguments[0]) if arguments else Drops(())
        if not isinstance(turn, Drops):
            raise CommandError(f"syntax error: expected drops, got {turn}")
        at = DropPosition(self.session.position)
        if at.is_over:
            raise CommandError("the game is over")
        try:
            for drop in turn.drops:
                if at.start is not self.session.position:
                    # The turn has ended before the last drop.
                    self.session.position.play(turn)
                at = at.act(drop)
        except IllegalTurn as error:
            raise CommandError(f"illegal move: {error.reason}") from None
        if not at.is_over and (evaluation := self.evaluation_of(at, turn)) is not None:
            return str(evaluation)
        raise CommandError("no evaluation")

    def evaluation_of(self, at: DropPosition, _turn: Drops) -> Evaluation | None:
        """Return what the engine thinks of `at`, which a turn leads to, begun or whole."""
        return self.engine.evaluate(at)

    def _analyze(self, arguments: Arguments) -> str:
        expect(arguments, 1, "an interval in seconds")
        interval = _read_seconds(arguments[0])
        if not MIN_INTERVAL <= interval <= MAX_INTERVAL:
            raise CommandError(
                f"syntax error: an interval is from {MIN_INTERVAL} to {MAX_INTERVAL} s, "
                f"not {arguments[0]}"
            )
        position = self.session.position
        if position.is_over:
            raise CommandError("the game is over")
        self.engine.wait_until_ready()
        self.analyses = partial(self.engine.analyze, position, interval)
        return ""

    def _last_evaluation(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        evaluation = self.engine.last_evaluation()
        if evaluation is None:
            raise CommandError("no evaluation")
        return str(evaluation)

    def _ponder(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        if not self.session.position.is_over:
            self.engine.wait_until_ready()
            self.engine.ponder(self.session.position)
        return ""

    def _stop(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return ""

    def _time_settings(self, arguments: Arguments) -> str:
        expect(arguments, 3, "main time, byo-yomi time and byo-yomi stones")
        for argument in arguments:
            read_integer(argument, "whole seconds and stones")
        self._start_the_clock_with(gtp_time_control(*map(int, arguments)))
        return ""

    def _time_control(self, arguments: Arguments) -> str:
        expect(arguments, 1, "a time control")
        self._start_the_clock_with(_read(parse_time_control, arguments[0]))
        return ""

    def _start_the_clock_with(self, control: TimeControl | None) -> None:
        self.engine.time.control = control
        # What was left under another control says nothing about this one.
        self.engine.time.left.clear()
        # The sender may ask for a turn next, with the clock running.
        self.engine.wait_until_ready()

    def _time_left(self, arguments: Arguments) -> str:
        if len(arguments) != 2:
            expect(arguments, 3, "a colour, seconds and turns left")
        player = read_colour(arguments[0])
        seconds = _read_seconds(arguments[1])
        turns = read_integer(arguments[2], "turns left") if len(arguments) == 3 else 0
        self.engine.time.left[player] = seconds, turns
        return ""

    def _list_options(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return "\n".join(map(str, self.engine.options))

    def _set_option(self, arguments: Arguments) -> str:
        if len(arguments) < 2:
            raise CommandError("syntax error: expected an option and its value")
        self.engine.set_option(arguments[0], " ".join(arguments[1:]))
        return ""


def _shortened(text: str) -> str:
    """Return a failure's text, bounded because it may quote what was sent."""
    return text if len(text) <= MAX_FAILURE_LENGTH else f"{text[:MAX_FAILURE_LENGTH]}..."


def expect(arguments: Arguments, number: int, what: str) -> None:
    """Raise CommandError unless the number of arguments is right."""
    if len(arguments) != number:
        plural = "" if len(arguments) == 1 else "s"
        raise CommandError(f"syntax error: expected {what}, got {len(arguments)} argument{plural}")


def read_colour(text: str) -> Colour:
    """Return the colour of that name or letter. Raises CommandError."""
    return _read(parse_colour, text)


def _read(parse: Callable[[str], Meaning], text: str) -> Meaning:
    """Return what an argument stands for. Raises CommandError."""
    try:
        return parse(text)
    except NotationError as error:
        raise CommandError(f"syntax error: {error}") from None


def read_integer(text: str, what: str) -> int:
    """Return the whole number, not negative, in `text`. Raises CommandError."""
    if not (text.isascii() and text.isdigit() and len(text) <= 10):
        raise CommandError(f"syntax error: {text!r} is not {what}: expected a whole number")
    return int(text)


def _read_seconds(text: str) -> float:
    if not SECONDS.fullmatch(text):
        raise CommandError(f"syntax error: {text!r} is not a number of seconds")
    return float(text)
