"""What a player reads in a terminal: the board, sentences, and answers to `legal`.

Nothing depends on colour: stones differ by letter, and marked vertices are in brackets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from oddly.games import (
    EMPTY,
    SYMBOLS,
    Board,
    Colour,
    Drop,
    Drops,
    Game,
    IllegalTurn,
    Move,
    PartialTurn,
    Position,
    Turn,
    Vertex,
    did_you_mean,
    one_line,
)
from oddly.games.diagram import Row, layout
from oddly.games.wording import counted
from oddly.interfaces.human_play.recording import clock_text
from oddly.interfaces.human_play.sentences import counts, counts_sentence, result_sentence
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from oddly.interfaces.human_play.game_in_progress import GameInProgress
    from oddly.interfaces.terminal.play.scoresheet import Scoresheet


COMMANDS = {
    "undo": "take back everything since your last turn, that turn included",
    "hint": "ask an engine what it would play for you",
    "legal": "where a drop would end the turn, or which pieces can move; legal Bc3, legal d4",
    "board": "draw the board again",
    "turns": "list the turns so far",
    "save": "save FILE writes the game: .jsonl, .sgf or .txt, as the name ends",
    "resign": "give the game up",
    "restart": "start the engine again after it failed, and let it play on",
    "help": "this list",
    "quit": "leave; the game is kept (so do exit, q and Ctrl-D)",
}

QUIT = ("quit", "exit", "q")
"""The words that leave, here and among puzzles."""


def help_text(example: str) -> str:
    """Return an example of a turn, then one line for each command."""
    width = max(map(len, COMMANDS))
    lines = [f"A turn is typed as in {example}; Tab completes it.", "Besides turns there are"]
    return "\n".join(
        [*lines, *(f"  {name:{width}}  {summary}" for name, summary in COMMANDS.items())]
    )


def command_meaning(word: str) -> str | None:
    """Return what a command does, or None if there is no such command."""
    word = word.lower()
    return COMMANDS.get("quit" if word in QUIT else word)


def nearest_command(word: str) -> str:
    """Return `; did you mean 'undo'?` if `word` resembles a command, `pass` or `swap`."""
    return did_you_mean(word, (*COMMANDS, "pass", "swap"))


def side(colour: Colour) -> str:
    """Return a side as the board shows it: `Black (X)`."""
    return f"{str(colour).capitalize()} ({SYMBOLS[colour]})"


def whose_turn(scoresheet: Scoresheet, spent: float = 0.0) -> str:
    """Return the line above the prompt: turn, player, side, time left, counts and advice."""
    current = scoresheet.current
    left = scoresheet.time_left()
    time = "" if left is None else f", {clock_text(left - spent)} left"
    passed = "; two passes in a row end the game" if scoresheet.position.status.passes else ""
    return (
        f"Turn {len(current.turns) + 1}, {scoresheet.mover.name}, {side(current.to_move)}{time}: "
        f"{counts_sentence(current)}{passed}."
    )


def ending(scoresheet: Scoresheet) -> str:
    """Return how the game ended and who won."""
    outcome = scoresheet.record().outcome
    how = f"{result_sentence(scoresheet.current)} {counts(scoresheet.current)}."
    if outcome.winner is None:
        return f"{how} Result: {outcome.score}"
    return f"{how} {scoresheet.participants[outcome.winner].name} wins: {outcome.score}"


def goal(game: Game) -> str:
    """Return the goal of the game in a few sentences."""
    known = f" On this board {game.known_winner}." if game.known_winner else ""
    return f"{game.goal}{known}{_how_to_read(game.board)}"


def _how_to_read(board: Board) -> str:
    """Return how to read the coordinates of a hexhex board."""
    if board.shape == "square":
        return ""
    centre = board.vertices[len(board) // 2]
    return f" Columns run from their letter up to the right: the centre is {centre}."


@dataclass(frozen=True, slots=True)
class Say:
    """Show a text."""

    text: str


@dataclass(frozen=True, slots=True)
class ShowBoard:
    """Show a board with brackets around `marked` vertices and `notes` on empty ones."""

    position: Position
    marked: Collection[Vertex] = ()
    notes: Mapping[Vertex, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskEngine:
    """Ask the engine whose move it is for a turn, then call `played` or `failed`."""


@dataclass(frozen=True, slots=True)
class AskHint:
    """Ask the adviser for a turn, then call `hinted` or `no_hint`."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Save the game after a change."""


@dataclass(frozen=True, slots=True)
class Save:
    """Write the game to a new file, whose name decides the format."""

    path: Path


@dataclass(frozen=True, slots=True)
class Leave:
    """End the session."""


Request = Say | ShowBoard | AskEngine | AskHint | Keep | Save | Leave


MAX_COUNTED = 100_000
"""The most legal turns counted, a second's work on the largest boards; beyond, `more than`."""

LEGEND = "b black, w white, * either, - neither"

ENDS_TURN = {
    frozenset(Colour): "*",
    frozenset({Colour.BLACK}): "b",
    frozenset({Colour.WHITE}): "w",
}


def legal(current: GameInProgress, about: str = "") -> list[Request]:
    """Return the answer to `legal`, about all turns, a first drop or a piece."""
    if current.is_over:
        return [Say("the game is over: there are no legal turns")]
    if not current.has_drops and "-" not in about:
        return _moves(current.position, about.lower())
    if not about:
        notes = where_drops_end_a_turn(current.position)
        text = f"{number_of_turns(current.position)}. One stone there ends the turn: {LEGEND}."
        return [ShowBoard(current.position, notes=notes), Say(text)]
    try:
        turn = parse_turn(about)
    except NotationError as error:
        return [Say(f"legal takes a drop or a move, as in legal Bc3 or legal d4-d5: {error}")]
    if isinstance(turn, Drops) and len(turn.drops) == 1 < current.position.most_drops:
        return _second_drops(current, turn.drops[0])
    return [Say(_verdict(current, turn))]


def _second_drops(current: GameInProgress, first: Drop) -> list[Request]:
    """Return the answer about the second drops that complete `first`."""
    position = current.position
    turns = list(position.turns_with(first))
    if not turns:
        return [Say(_verdict(current, Drops((first,))))]
    notes = where_drops_end_a_turn(position, first)
    notes[first.vertex] = SYMBOLS[first.colour]
    alone = "alone is a turn" if len(turns[0].drops) == 1 else "needs a second stone"
    text = f"{first} {alone}. A second stone there ends the turn: {LEGEND}."
    return [ShowBoard(position, {first.vertex}, notes), Say(text)]


def _verdict(current: GameInProgress, turn: Turn) -> str:
    try:
        after = current.play(turn)
    except IllegalTurn as error:
        return f"{turn} is not legal: {error.reason}"
    return f"{turn} is legal and leaves {counts(after)}"


def _moves(position: Position, piece: str) -> list[Request]:
    """Return, for Ayu, where each piece can go, or where `piece` can."""
    by_piece = destinations(position)
    if piece:
        if piece not in by_piece:
            return [Say(f"no piece on {one_line(piece)} can move")]
        notes = dict.fromkeys(by_piece[piece], "*")
        return [ShowBoard(position, {piece}, notes), Say(f"{piece} can go to the points marked *")]
    lines = [f"  {origin}: {' '.join(ends)}" for origin, ends in by_piece.items()]
    lines += ["  swap"] if position.status.may_swap else []
    text = f"{number_of_turns(position)}; the pieces that can move are in brackets:"
    return [ShowBoard(position, by_piece.keys()), Say("\n".join([text, *lines]))]


def number_of_turns(position: Position) -> str:
    """Return the number of legal turns, as in `1,234 legal turns`."""
    number = sum(1 for _ in islice(position.legal_turns(), MAX_COUNTED + 1))
    if number > MAX_COUNTED:
        return f"more than {MAX_COUNTED:,} legal turns"
    return counted(number, "legal turn", ",")


def where_drops_end_a_turn(position: Position, first: Drop | None = None) -> dict[Vertex, str]:
    """Return a note for each empty vertex: the colours of a drop there that completes a turn.

    `b` and `w` are colours, `*` is either, `-` is none. With `first`, the drop is the second one.
    """
    notes = {}
    before = PartialTurn(position, () if first is None else (first,))
    for vertex in position.vertices_with(EMPTY):
        if vertex not in before.tentative:
            colours = frozenset(c for c in Colour if before.drop(Drop(c, vertex)).can_end)
            notes[vertex] = ENDS_TURN.get(colours, "-")
    return notes


def destinations(position: Position) -> dict[Vertex, list[Vertex]]:
    """Return the vertices where each piece can move."""
    found: dict[Vertex, list[Vertex]] = {}
    for turn in position.legal_turns():
        if isinstance(turn, Move):
            found.setdefault(turn.origin, []).append(turn.destination)
    return found


STYLES = {EMPTY: "dim", Colour.BLACK: "bold cyan", Colour.WHITE: "bold yellow"}
MARKED = " on grey23"
NOTE = "green"


def board_text(
    position: Position,
    marked: Collection[Vertex] = (),
    notes: Mapping[Vertex, str] | None = None,
) -> Text:
    """Return the board with brackets around `marked` vertices and `notes` on empty ones.

    A note is one character, shown in place of the dot.
    """
    board = position.game.board
    brackets = {board.index[vertex] for vertex in marked if vertex in board.index}
    signs = {board.index[vertex]: note for vertex, note in (notes or {}).items()}
    lines = [_line(row, position, brackets, signs) for row in layout(board)]
    return Text("\n").join(lines)


def _line(row: Row, position: Position, brackets: set[int], signs: Mapping[int, str]) -> Text:
    if not row.indices:
        return Text(row.before, "dim")
    line = Text()
    before = False
    for place, index in enumerate(row.indices):
        marked = index in brackets
        gap = _gap(before, marked)
        # The first bracket replaces the blank before the row.
        line.append(gap if place else row.before[:-1] + gap, "" if place else "dim")
        stone = position.stones[index]
        style = NOTE if index in signs else STYLES[stone]
        line.append(signs.get(index, SYMBOLS[stone]), style + MARKED * marked)
        before = marked
    line.append(_gap(before, False) + row.after[1:], "dim")
    line.rstrip()
    return line


def _gap(before: bool, after: bool) -> str:
    """Return the character between two vertices, either of which may be marked."""
    if before and after:
        return "|"
    return "]" if before else "[" if after else " "
