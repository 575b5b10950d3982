"""What GoGui paints: an engine's thoughts, and the board of the turn being made.

The board shows one view of the thoughts at a time: who wins where, visits, the line, or groups. The
status line has a part of all of them.

GoGui clears its status line after every tap, but marks and labels stay. It shows a label in full
when the mouse rests on its point, and on the board as much of it as fits on a stone. So a label is
a short word that fits, and a sentence for the mouse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import (
    EMPTY,
    END,
    Action,
    Board,
    Colour,
    Drop,
    DropPosition,
    Move,
    Parity,
    PartialTurn,
    Position,
    Vertex,
)
from oddly.games.ayu_units import units
from oddly.games.partial_turn import legal_taps
from oddly.interfaces.gogui.display import (
    MOVABLE,
    View,
    advice,
    final_result,
    parity,
    points,
    spelt,
    status,
)
from oddly.protocol.notation import gogui_vertex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from oddly.engines.engine import Thought
    from oddly.protocol import Evaluation
    from oddly.protocol.evaluation import Candidate


MAX_LABELS = 12
MAX_GHOSTS = 6
"""Ghost stones of an engine's best line, beside labels."""
MAX_VARIATION = 10
"""The same where nothing else is on the board; no engine of ours gives a longer line."""
THOUSAND = 1000


def painted(name: str, thought: Thought, view: View = View.WINS) -> str:
    """Return a thought of the engine `name` as a gfx response.

    Candidates are labelled with percent or visits, and greener with a larger share of the search.
    The line is numbered ghost stones; in Ayu, squares mark where its first piece leaves and goes. A
    later line hides the labels of an earlier one.
    """
    at, evaluation = thought.at, thought.evaluation
    match view:
        case View.WINS:
            lines = [*_ghosts(thought, MAX_GHOSTS), *_candidates(at, evaluation, _wins)]
        case View.VISITS:
            visits = evaluation.simulations
            lines = [
                *_ghosts(thought, MAX_GHOSTS),
                *_candidates(at, evaluation, lambda c: _short(c.share * visits)),
            ]
        case View.VARIATION:
            lines = [*_moves(thought), *_ghosts(thought, MAX_VARIATION)]
        case View.GROUPS:
            lines = [*_ghosts(thought, MAX_GHOSTS), *_moves(thought), *_sizes(at)]
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
    """Return the moves of a line: a number where each piece goes, and squares for the first."""
    board = thought.at.start.game.board
    numbers: dict[Vertex, str] = {}
    for number, action in enumerate(thought.line, start=1):
        if isinstance(action, Move):
            numbers.setdefault(action.destination, str(number))
    first = thought.line[0] if thought.line else None
    return [*_labels(board, numbers), *_squares(board, first)]


def _sizes(at: DropPosition) -> list[str]:
    """Return labels with the size of each stone's group."""
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


OF_PARITY = "cboard/Points that leave an odd number/oddly-odd_points %c"
ANALYZE_COMMANDS = (
    "gfx/State of the turn/oddly-turn",
    "string/Groups and parity/oddly-parity",
    "sboard/Group sizes/oddly-group_sizes",
    "plist/Legal points/oddly-legal_points",
    OF_PARITY,
    f"gfx/Wins/oddly-{View.WINS}",
    f"gfx/Visits/oddly-{View.VISITS}",
    f"gfx/Principal variation/oddly-{View.VARIATION}",
    f"gfx/Groups and the best turn/oddly-{View.GROUPS}",
    "string/Best turn/oddly-best_turn",
    "param/Settings of the engine/oddly-param",
)
"""How GoGui shows the response, a label for its menu, and the command."""


def analyze_commands(position: Position) -> str:
    """Return the commands that apply to the game, one line each."""
    has_parity = position.game.parity is not Parity.NOTHING
    return "\n".join(line for line in ANALYZE_COMMANDS if has_parity or line != OF_PARITY)


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

    `last` is where the previous turn put stones, or took one away.
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
        yield from _same_label(
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
    """Cross out the empty points where no stone may be dropped, and label older stones."""
    legal = set(legal_taps(partial))
    if closed := [v for v in partial.start.vertices_with(EMPTY) if v not in legal]:
        yield f"MARK {points(partial.start.game.board, closed)}"
    older = [v for v in partial.start.vertices_with(*Colour) if v not in legal]
    yield from _same_label(partial, older, label("", "occupied: a turn begins on an empty point"))


def _tentative_stones(partial: PartialTurn) -> Iterator[str]:
    """Show the parity on each stone, and colour what ends or mends the turn."""
    board = partial.start.game.board
    older = partial.start.vertices_with(*Colour)
    helpful = older if partial.can_end else _mending(partial)
    if helpful:
        yield f"COLOR {HELPFUL} {points(board, helpful)}"
    word = _word(partial, has_older=bool(older))
    sentence = f"{parity(partial)}; {advice(partial)}"
    yield from _same_label(partial, partial.tentative, label(word, sentence))
    if not partial.can_end:
        yield from _same_label(partial, older, label("", f"{parity(partial)}"))


def _word(partial: PartialTurn, *, has_older: bool) -> str:
    """Return the word on every tentative stone: the parity, or how many stones are placed.

    A variation's letter hides the word of one stone; a mark would hide all of them.
    """
    if partial.can_end and not has_older:
        return "Pass"
    if partial.start.game.parity is not Parity.NOTHING:
        return "odd" if partial.group_counts.total % 2 else "even"
    return f"{len(partial.drops)}/{partial.start.most_drops}"


def _mending(partial: PartialTurn) -> list[Vertex]:
    """Return each tentative stone that makes the turn legal if it changes its colour."""
    if not partial.is_full:
        return []
    return [vertex for vertex in partial.tentative if partial.flip(vertex).can_end]


def _move(partial: PartialTurn) -> Iterator[str]:
    """Show where the piece taken up may go, or which pieces cannot be taken up."""
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
        yield from _same_label(partial, [partial.origin], label("", advice))
        yield from _same_label(partial, others, label("", f"occupied: {advice}"))
        return
    legal = set(legal_taps(partial))
    stuck = [v for v in partial.start.vertices_with(partial.to_move) if v not in legal]
    if stuck:
        yield f"MARK {points(board, stuck)}"
        yield from _same_label(partial, stuck, label("", "this piece has no legal move"))
    theirs = partial.start.vertices_with(partial.to_move.other)
    side = str(partial.to_move).capitalize()
    yield from _same_label(partial, theirs, label("", f"it is {side}'s turn: this piece is not"))


def _same_label(partial: PartialTurn, vertices: Iterable[Vertex], text: str) -> Iterator[str]:
    """Yield a line that puts one label on all these vertices; none if there are none."""
    yield from _labels(partial.start.game.board, dict.fromkeys(vertices, text))
