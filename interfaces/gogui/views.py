"""What GoGui paints of an engine's thoughts: who wins where, how often it looked, its line, groups.

One view is on the board at a time; its status line says a part of all of them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from oddly.games import END, Colour, Drop, Move
from oddly.games.groups import units
from oddly.interfaces.gogui.display import points, spelt
from oddly.protocol.notation import gogui_vertex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oddly.engines.engine import Thought
    from oddly.games import Action, Board, DropPosition, Vertex
    from oddly.protocol import Evaluation
    from oddly.protocol.evaluation import Candidate


MAX_LABELS = 12
MAX_LINE = 6
"""Ghost stones of the line that an engine thinks best, beside labels."""
MAX_VARIATION = 10
"""The same where nothing else is on the board; no engine of ours tells more."""
THOUSAND = 1000


class View(StrEnum):
    """What of an engine's thoughts is on the board."""

    WINS = "wins"
    VISITS = "visits"
    VARIATION = "variation"
    GROUPS = "groups"

    @property
    def label(self) -> str:
        """Its name in a menu."""
        return {
            View.WINS: "Wins",
            View.VISITS: "Visits",
            View.VARIATION: "Principal variation",
            View.GROUPS: "Groups and the best turn",
        }[self]


def painted(name: str, thought: Thought, view: View = View.WINS) -> str:
    """Return a thought of the engine `name` as a gfx response.

    Candidates are labelled with percent or visits, greener with a larger share of the search; the
    line is numbered ghost stones, and in Ayu squares where its first piece leaves and goes. A later
    line hides the labels of an earlier one.
    """
    at, evaluation = thought.at, thought.evaluation
    match view:
        case View.WINS:
            lines = [*_ghosts(thought, MAX_LINE), *_candidates(at, evaluation, _wins)]
        case View.VISITS:
            visits = evaluation.simulations
            lines = [
                *_ghosts(thought, MAX_LINE),
                *_candidates(at, evaluation, lambda c: _short(c.share * visits)),
            ]
        case View.VARIATION:
            lines = [*_moves(thought), *_ghosts(thought, MAX_VARIATION)]
        case View.GROUPS:
            lines = [*_ghosts(thought, MAX_LINE), *_moves(thought), *_sizes(at)]
    return "\n".join([*lines, f"TEXT {_sentence(name, thought)}"])


def _candidates(
    at: DropPosition, evaluation: Evaluation, text: Callable[[Candidate], str]
) -> list[str]:
    """Return the lines for the best candidates.

    If several name one point, the better one is shown. A move is shown on its piece.
    """
    board = at.start.game.board
    shown: dict[Vertex, Candidate] = {}
    for candidate in evaluation.candidates:
        vertex = _vertex(candidate.action)
        if vertex is not None and len(shown) < MAX_LABELS:
            shown.setdefault(vertex, candidate)
    most = max((candidate.share for candidate in shown.values()), default=1.0)
    lines = [f"COLOR {_shade(c.share / most)} {gogui_vertex(board, v)}" for v, c in shown.items()]
    lines += _labels(board, {v: f"{_letter(c.action)}{text(c)}" for v, c in shown.items()})
    best = evaluation.candidates[0].action if evaluation.candidates else None
    return [*lines, *_squares(board, best)]


def _ghosts(thought: Thought, most: int) -> list[str]:
    board = thought.at.start.game.board
    line: list[Drop] = []
    for action in thought.line[:most]:
        if isinstance(action, Drop) and action.vertex not in {drop.vertex for drop in line}:
            line.append(action)
    stones = [f"{d.colour.letter} {gogui_vertex(board, d.vertex)}" for d in line]
    return [f"VAR {' '.join(stones)}"] if stones else []


def _moves(thought: Thought) -> list[str]:
    """Return the moves of a line: each number where a piece goes, and squares for the first."""
    board = thought.at.start.game.board
    numbers: dict[Vertex, str] = {}
    for number, action in enumerate(thought.line, start=1):
        if isinstance(action, Move):
            numbers.setdefault(action.destination, str(number))
    first = thought.line[0] if thought.line else None
    return [*_labels(board, numbers), *_squares(board, first)]


def _sizes(at: DropPosition) -> list[str]:
    """Return the size of its group on each stone."""
    board = at.start.game.board
    return _labels(
        board,
        {
            board.vertices[index]: str(len(unit))
            for colour in Colour
            for unit in units(board, at.stones, colour)
            for index in unit
        },
    )


def _squares(board: Board, action: Action | None) -> list[str]:
    if not isinstance(action, Move):
        return []
    return [f"SQUARE {points(board, (action.origin, action.destination))}"]


def _labels(board: Board, texts: Mapping[Vertex, str]) -> list[str]:
    pairs = " ".join(f"{gogui_vertex(board, vertex)} {text}" for vertex, text in texts.items())
    return [f"LABEL {pairs}"] if pairs else []


def _sentence(name: str, thought: Thought) -> str:
    at, evaluation = thought.at, thought.evaluation
    board = at.start.game.board
    side = str(at.start.to_move).capitalize()
    black, white = at.group_counts
    text = (
        f"{name}: {side}, to move, wins {evaluation.win_rate:.0%} "
        f"of {evaluation.simulations} simulations; {black} black + {white} white = {black + white}"
    )
    if evaluation.candidates:
        text += f"; best: {spelt(board, evaluation.candidates[0].action)}"
    then = [spelt(board, action) for action in thought.line[1:] if action != END]
    if then:
        text += f", then {', '.join(then)}"
    return text


def _vertex(action: Action) -> Vertex | None:
    if isinstance(action, Drop):
        return action.vertex
    return action.origin if isinstance(action, Move) else None


def _letter(action: Action) -> str:
    return action.colour.letter if isinstance(action, Drop) else ""


def _wins(candidate: Candidate) -> str:
    return f"{100 * candidate.win_rate:.0f}"


def _short(visits: float) -> str:
    """Return a number of visits as short as a stone: 950, 1.2k, 34k, 2M."""
    number = round(visits)
    if number < THOUSAND:
        return str(number)
    if number < 10 * THOUSAND:
        return f"{number / THOUSAND:.1f}k"
    if number < THOUSAND * THOUSAND:
        return f"{number // THOUSAND}k"
    return f"{number // THOUSAND**2}M"


def _shade(part: float) -> str:
    """Return a colour from white for 0 to green for 1."""
    pale = round(255 * (1 - part))
    return f"#{pale:02x}ff{pale:02x}"
