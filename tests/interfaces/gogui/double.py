"""A GoGui in Python: the same commands in the same order, sent to a ruler and to a program.

The ruler knows the rules; the program plays, and gets moves as GoGui's synchroniser sends them:
common moves stay, the others are undone with `undo` and played with `play` or, if they are several,
with `gogui-play_sequence`. After each move the ruler is asked about the newest position twice, the
second time with the newest move sent again, and then gets the whole game anew.
"""

import re
from dataclasses import dataclass, field

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.engine import Engine
from oddly.engines.plain_engines import RandomEngine
from oddly.games.catalogue import create_game
from oddly.interfaces.gogui.dispatcher import GoguiDispatcher
from oddly.protocol.codec import encode_reply
from oddly.protocol.messages import Reply
from oddly.protocol.notation import (
    gogui_vertex,
    grid_width,
    read_gogui_vertex,
    read_sgf_point,
    sgf_point,
)
from tests.engines import talking

Move = tuple[str, str]
"""A colour, `B` or `W`, and a point or `PASS`."""


def response(full: str) -> Reply:
    """A reply as GoGui reads it: its text is what follows the first space, if there is one."""
    assert full.endswith("\n\n")
    assert "\n\n" not in full[:-2]
    space = full.find(" ")
    return Reply(full[0] == "=", full[space + 1 if space >= 0 else 1 : -2])


class Talker(talking.Talker):
    """Sends lines to any dispatcher and reads the replies as GoGui does."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self.dispatcher = dispatcher

    def reply(self, line: str) -> Reply:
        return response(encode_reply(super().reply(line)).decode())


def talker(name: str, size: int, engine: Engine | None = None, **settings: object) -> Talker:
    """A talker to an engine, the random one by default, at the start of a game."""
    return Talker(GoguiDispatcher(engine or RandomEngine(), create_game(name, size, settings)))


@dataclass
class Shown:
    """What GoGui shows: all it knows of the position."""

    board: str
    counts: str
    side: str
    legal: set[str]


@dataclass
class Gogui:
    """The window: a game's moves, with a ruler and a program attached."""

    ruler: Talker
    program: Talker
    moves: list[Move] = field(default_factory=list)
    told: list[Move] = field(default_factory=list)

    def attach(self) -> str:
        """The handshakes with both; gives the game's name."""
        commands = self.ruler("list_commands").split()
        assert {"gogui-rules_legal_moves", "gogui-rules_board", "undo"} <= set(commands)
        game = self.ruler("gogui-rules_game_id")
        boardsize = f"boardsize {self.ruler('gogui-rules_board_size').split()[0]}"
        self.refresh()
        for talk in (self.ruler, self.program):
            talk("name")
            assert talk("protocol_version") == "2"
        for line in ("version", "list_commands", "gogui-rules_game_id", boardsize, "clear_board",
                     "komi 6.5", "gogui-title", "gogui-rules_board_size", "gogui-version 1.6.0",
                     "gogui-analyze_commands", boardsize, "clear_board"):  # fmt: skip
            self.program(line)
        self.told.clear()
        return game

    def refresh(self) -> Shown:
        """Clear the ruler's board, play the whole game and ask for everything."""
        self.ruler("clear_board")
        self._ask()
        self.ruler("clear_board")
        for move in self.moves:
            self.ruler("play {} {}".format(*move))
        return self._ask()

    def click(self, point: str) -> Shown | None:
        """The human taps a point, or passes; None where the rules or the program refuse it."""
        legal = self.ruler("gogui-rules_legal_moves").split()
        if point not in legal:
            return None
        move = self.side(), "PASS" if point == "pass" else point
        self.told_program()
        self.program("play {} {}".format(*move))
        self.told.append(move)
        self.moves.append(move)
        return self._show_newest()

    def genmove(self) -> Shown | None:
        """The computer makes one move; None if it resigned."""
        side = self.side()
        self.told_program()
        answer = self.program(f"genmove {side.lower()}")
        if answer == "resign":
            return None
        move = side, answer.upper()
        self.told.append(move)
        self.moves.append(move)
        return self._show_newest()

    def go_to(self, number: int, line: list[Move] | None = None) -> Shown:
        """Go to a move of this game, or into the variation `line` that follows it."""
        self.moves = [*self.moves[:number], *(line or [])]
        shown = self.refresh()
        self.told_program()
        return shown

    def save(self) -> str:
        """The game as SGF, as GoGui writes it: every tap a move of Go, drops and ends alike."""
        board = self.program.dispatcher.session.game.board
        nodes = (
            f";{colour}[{'' if p == 'PASS' else sgf_point(board, read_gogui_vertex(board, p))}]"
            for colour, p in self.moves
        )
        return f"(;FF[4]GM[1]SZ[{grid_width(board)}]AP[GoGui:1.6.0]{''.join(nodes)})"

    def open(self, sgf: str) -> Shown:
        """Open what `save` wrote."""
        board = self.program.dispatcher.session.game.board
        self.moves = [
            (colour, gogui_vertex(board, read_sgf_point(board, point)) if point else "PASS")
            for colour, point in re.findall(r";([BW])\[(\w*)\]", sgf)
        ]
        self.told_program()
        return self.refresh()

    def side(self) -> str:
        return self.ruler("gogui-rules_side_to_move")[0].upper()

    def told_program(self) -> None:
        """Bring the program to the window's position with as few commands as may be."""
        common = 0
        for ours, theirs in zip(self.moves, self.told, strict=False):
            if ours != theirs:
                break
            common += 1
        for _ in self.told[common:]:
            self.program("undo")
        rest = self.moves[common:]
        if len(rest) > 1:
            words = (word for move in rest for word in move)
            self.program(f"gogui-play_sequence {' '.join(words)}")
        elif rest:
            self.program("play {} {}".format(*rest[0]))
        self.told = list(self.moves)

    def _show_newest(self) -> Shown:
        """The game without and with its newest move, that move once more, and the game again."""
        newest = self.moves.pop()
        self.refresh()
        self.moves.append(newest)
        first = self.ruler("play {} {}".format(*newest))
        assert first == ""
        self._ask()
        self.ruler.reply("play {} {}".format(*newest))
        self._ask()
        shown = self.refresh()
        for _ in range(3):
            assert set(self.ruler("gogui-rules_legal_moves").split()) == shown.legal
        assert "TEXT " in self.ruler("gogui-rules_board_gfx")
        return shown

    def _ask(self) -> Shown:
        board = self.ruler("gogui-rules_board")
        self.ruler("gogui-rules_board_size")
        counts = self.ruler("gogui-rules_captured_count")
        side = self.ruler("gogui-rules_side_to_move")
        return Shown(board, counts, side, set(self.ruler("gogui-rules_legal_moves").split()))
