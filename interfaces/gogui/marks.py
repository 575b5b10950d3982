"""What GoGui paints on the board of the turn being made, and its analyze commands.

GoGui clears its status line after every tap, but marks and labels stay. It shows a label in full
when the mouse rests on its point, and on the board as much of it as fits on a stone. So a label is
a short word that fits and a sentence that does not: the word is seen, the sentence is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.games import EMPTY, Colour, DropPosition, Parity
from oddly.games.partial_turn import legal_taps
from oddly.interfaces.gogui.display import (
    MOVABLE,
    advice,
    final_result,
    parity,
    points,
    status,
)
from oddly.interfaces.gogui.views import View
from oddly.protocol.notation import gogui_vertex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oddly.games import PartialTurn, Position, Vertex


@dataclass(frozen=True, slots=True)
class AnalyzeCommand:
    """A line of `gogui-analyze_commands`: how GoGui shows the response, a label, the command."""

    kind: str
    label: str
    command: str
    of_parity_only: bool = False

    def __str__(self) -> str:
        return f"{self.kind}/{self.label}/{self.command}"


ANALYZE_COMMANDS = (
    AnalyzeCommand("gfx", "State of the turn", "oddly-turn"),
    AnalyzeCommand("string", "Groups and parity", "oddly-parity"),
    AnalyzeCommand("sboard", "Group sizes", "oddly-group_sizes"),
    AnalyzeCommand("plist", "Legal points", "oddly-legal_points"),
    AnalyzeCommand("cboard", "Points that leave an odd number", "oddly-odd_points %c", True),
    *(AnalyzeCommand("gfx", view.label, f"oddly-{view}") for view in View),
    AnalyzeCommand("string", "Best turn", "oddly-best_turn"),
    AnalyzeCommand("param", "Settings of the engine", "oddly-param"),
)


def analyze_commands(position: Position) -> str:
    """Return the commands that apply to the game, one line each."""
    has_parity = position.game.parity is not Parity.NOTHING
    return "\n".join(str(c) for c in ANALYZE_COMMANDS if has_parity or not c.of_parity_only)


def position_to_evaluate(partial: PartialTurn) -> DropPosition:
    """Return the position to evaluate: inside the turn, if the engine can go on from there.

    A complete legal turn counts as ended. A turn that no drop can complete counts as not begun.
    """
    start = partial.start
    if partial.drops:
        if not partial.is_full:
            if partial.can_be_completed:
                return DropPosition(start, partial.drops)
        elif partial.can_end and not (after := partial.end()).is_over:
            return DropPosition(after)
    return DropPosition(start)


SPACE_ON_A_STONE = 18
"""Spaces that push a sentence off its stone, in any size of GoGui's font."""


SHORT = 3
"""Letters of a word that leaves room for another space on a small stone."""
HELPFUL = "#00dd00"
"""The colour behind stones that end the turn, or mend it. GoGui mixes it with the wood."""


def marks(partial: PartialTurn, last: Sequence[Vertex] = ()) -> str:
    """Return the state of the turn as a gfx response.

    `last` is where the turn before put stones, or took one away.
    """
    lines = list(_lines(partial, last))
    if last:
        lines.append(f"CIRCLE {points(partial.start.game.board, last)}")
    return "\n".join([*lines, f"TEXT {status(partial)}"])


def label(word: str, sentence: str = "") -> str:
    """Return a label that shows `word` on its stone, and both under the mouse."""
    # GoGui does not centre what it cuts off.
    shown = f"{' ' if len(word) > SHORT else '  '}{word}" if word else ""
    return f'"{shown}{" " * SPACE_ON_A_STONE}{sentence}"'


def _lines(partial: PartialTurn, last: Sequence[Vertex]) -> Iterator[str]:
    if partial.start.is_over:
        word = str(partial.start.result)
        yield from _labels(
            partial,
            last or partial.start.vertices_with(*Colour),
            label(word, final_result(partial)),
        )
    elif partial.drops:
        yield from _tentative_stones(partial)
    elif partial.takes_drops:
        yield from _fresh_turn(partial)
    else:
        yield from _move(partial)


def _fresh_turn(partial: PartialTurn) -> Iterator[str]:
    """Cross out the empty points where no stone may be dropped, and say what older stones are."""
    legal = set(legal_taps(partial))
    if closed := [v for v in partial.start.vertices_with(EMPTY) if v not in legal]:
        yield f"MARK {points(partial.start.game.board, closed)}"
    older = [v for v in partial.start.vertices_with(*Colour) if v not in legal]
    yield from _labels(partial, older, label("", "occupied: a turn begins on an empty point"))


def _tentative_stones(partial: PartialTurn) -> Iterator[str]:
    """Show the parity on each stone, and colour what ends or mends the turn."""
    board = partial.start.game.board
    older = partial.start.vertices_with(*Colour)
    helpful = older if partial.can_end else _mending(partial)
    if helpful:
        yield f"COLOR {HELPFUL} {points(board, helpful)}"
    word = _word(partial, has_older=bool(older))
    sentence = f"{parity(partial)}; {advice(partial)}"
    yield from _labels(partial, partial.tentative, label(word, sentence))
    if not partial.can_end:
        yield from _labels(partial, older, label("", f"{parity(partial)}"))


def _word(partial: PartialTurn, *, has_older: bool) -> str:
    """Return the word on every tentative stone: the parity, or how many stones are placed.

    A letter of a variation hides the word of one stone, and a mark would lie over all of them.
    """
    if partial.can_end and not has_older:
        return "Pass"
    if partial.start.game.parity is not Parity.NOTHING:
        return "odd" if partial.group_counts.total % 2 else "even"
    return f"{len(partial.drops)}/{partial.start.most_drops}"


def _mending(partial: PartialTurn) -> list[Vertex]:
    """Return the tentative stones of which any one makes the turn legal if its colour changes."""
    if not partial.is_full:
        return []
    return [vertex for vertex in partial.tentative if partial.flip(vertex).can_end]


def _move(partial: PartialTurn) -> Iterator[str]:
    """Show where the piece that is taken may go, or which pieces cannot be taken."""
    board = partial.start.game.board
    if partial.origin is not None:
        yield f"SQUARE {points(board, [partial.origin])}"
        yield f"COLOR {MOVABLE} {points(board, partial.destinations)}"
        others = [
            v
            for v in partial.start.vertices_with(*Colour)
            if v not in {partial.origin, *partial.destinations}
        ]
        advice = "tap a green point to move there, the piece with the square to put it back"
        yield from _labels(partial, [partial.origin], label("", advice))
        yield from _labels(partial, others, label("", f"occupied: {advice}"))
        return
    legal = set(legal_taps(partial))
    stuck = [v for v in partial.start.vertices_with(partial.to_move) if v not in legal]
    if stuck:
        yield f"MARK {points(board, stuck)}"
        yield from _labels(partial, stuck, label("", "this piece has no legal move"))
    theirs = partial.start.vertices_with(partial.to_move.other)
    side = str(partial.to_move).capitalize()
    yield from _labels(partial, theirs, label("", f"it is {side}'s turn: this piece is not"))


def _labels(partial: PartialTurn, vertices: Iterable[Vertex], text: str) -> Iterator[str]:
    """Yield a line that puts one label on all these vertices; none if there are none."""
    board = partial.start.game.board
    if pairs := " ".join(f"{gogui_vertex(board, vertex)} {text}" for vertex in vertices):
        yield f"LABEL {pairs}"
