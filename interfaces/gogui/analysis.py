"""GoGui's analyze commands, and an engine's evaluation as marks on the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.games.drop_level import DropPosition
from oddly.games.game import Parity
from oddly.games.taps import PartialDrops
from oddly.games.turns import Drop, Drops, Move
from oddly.interfaces.gogui.display import points, spelt
from oddly.protocol.points import gogui_vertex

if TYPE_CHECKING:
    from oddly.engines.thought import Thought
    from oddly.games.board import Board
    from oddly.games.drop_level import Action
    from oddly.games.game import Position
    from oddly.games.taps import PartialTurn
    from oddly.games.turns import Vertex
    from oddly.protocol.evaluation import Candidate, Evaluation

MAX_LABELS = 12
MAX_LINE = 6
"""Ghost stones of the line that an engine thinks best."""


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
    AnalyzeCommand("gfx", "Evaluation", "oddly-evaluation"),
    AnalyzeCommand("string", "Best turn", "oddly-best_turn"),
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
    if isinstance(partial, PartialDrops) and partial.drops:
        if len(partial.drops) < start.most_drops:
            if next(start.turns_with(partial.drops[0]), None) is not None:
                return DropPosition(start, partial.drops)
        elif partial.can_end and not (after := start.play(Drops(partial.drops))).is_over:
            return DropPosition(after)
    return DropPosition(start)


def evaluation_marks(name: str, at: DropPosition, evaluation: Evaluation) -> str:
    """Return the best candidates as labels in percent, greener with a larger share of the search.

    The label of a drop begins with the colour of the stone. If several candidates name one point,
    the better one is shown. A move is shown on its piece, the best one also on its destination.
    """
    board = at.start.game.board
    shown: dict[Vertex, Candidate] = {}
    for candidate in evaluation.candidates:
        vertex = _vertex(candidate.action)
        if vertex is not None and len(shown) < MAX_LABELS:
            shown.setdefault(vertex, candidate)
    most = max((candidate.share for candidate in shown.values()), default=1.0)
    lines = [f"COLOR {_shade(c.share / most)} {gogui_vertex(board, v)}" for v, c in shown.items()]
    if shown:
        labels = (f"{gogui_vertex(board, v)} {_label(c)}" for v, c in shown.items())
        lines.append("LABEL " + " ".join(labels))
    best = evaluation.candidates[0].action if evaluation.candidates else None
    if isinstance(best, Move):
        lines.append(f"SQUARE {points(board, (best.origin, best.destination))}")
    return "\n".join([*lines, f"TEXT {_sentence(name, at, evaluation, board)}"])


def live_marks(name: str, thought: Thought) -> str:
    """Return what GoGui paints while the engine thinks: its candidates and the best line.

    The line is numbered ghost stones, in Ayu squares where its first piece leaves and goes.
    """
    board = thought.at.start.game.board
    line: list[Drop] = []
    for action in thought.line[:MAX_LINE]:
        if isinstance(action, Drop) and action.vertex not in {drop.vertex for drop in line}:
            line.append(action)
    marks = [evaluation_marks(name, thought.at, thought.evaluation)]
    if line:
        stones = (f"{d.colour.letter} {gogui_vertex(board, d.vertex)}" for d in line)
        marks.append(f"VAR {' '.join(stones)}")
    return "\n".join(marks)


def _sentence(name: str, at: DropPosition, evaluation: Evaluation, board: Board) -> str:
    side = str(at.start.to_move).capitalize()
    text = (
        f"{name}: {side}, to move, wins {evaluation.win_rate:.0%} "
        f"of {evaluation.simulations} simulations"
    )
    if not evaluation.candidates:
        return text
    return f"{text}; best: {spelt(board, evaluation.candidates[0].action)}"


def _vertex(action: Action) -> Vertex | None:
    if isinstance(action, Drop):
        return action.vertex
    return action.origin if isinstance(action, Move) else None


def _label(candidate: Candidate) -> str:
    letter = candidate.action.colour.letter if isinstance(candidate.action, Drop) else ""
    return f"{letter}{100 * candidate.win_rate:.0f}"


def _shade(part: float) -> str:
    """Return a colour from white for 0 to green for 1."""
    pale = round(255 * (1 - part))
    return f"#{pale:02x}ff{pale:02x}"
