"""Records as SGF that Go programs can open and replay, and what that leaves out of other SGF.

A node is a turn. Drops are stones put on the board (AB, AW), since a move (B, W) would capture;
PL names the side to move next, and TR marks new stones. A pass is a move without a point. The
property ODDLY holds what SGF cannot say: in the root the record without its turns, in other nodes
the turn in our notation and the seconds it took.

In SGF of taps, as GoGui saves and reopens a game that people clicked, each Go move is a tap in the
colour of the player to move: `B[ea]`. PL says who taps next. GoGui plays on from such a file if the
board is square; its files have no hexagons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.game_records.kept_game import (
    COMMENTS,
    MARKS,
    UNNAMED,
    KeptGame,
    colour_at_the_end,
    json_text,
)
from oddly.game_records.sgf import (
    PRIVATE,
    Node,
    escaped,
    game_text,
    off_board,
    one_line_value,
    points,
    text_of,
)
from oddly.games import VERSION, Colour, Drops, IllegalTurn, Move, Pass, Swap, Turn, Vertex
from oddly.games.partial_turn import taps_of
from oddly.games.wording import counted
from oddly.protocol import NotationError, grid_width, parse_turn
from oddly.referee import GameRecord, PlayedTurn, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


STONES = {Colour.BLACK: "AB", Colour.WHITE: "AW"}
EMPTIED = "AE"
_READ = {*STONES.values(), EMPTIED, PRIVATE, *(colour.letter for colour in Colour)} | {
    "AP", "CA", "FF", "GM", "GN", "PL", "RE", "ST", "SZ",
}  # fmt: skip
"""Properties that are understood, or say nothing about the game."""
_WORDS = {
    "": UNNAMED,
    **dict.fromkeys(("C", "GC", "N"), COMMENTS),
    **dict.fromkeys(
        ("AR", "CR", "DD", "LB", "LN", "MA", "SL", "SQ", "TB", "TR", "TW", "VW"), MARKS
    ),
}
_KNOWN_ENDS = {"", "F", "FORFEIT", "R", "RESIGN", "T", "TIME"}
_NO_RESULT = {"", "?", "VOID"}


def sgf_game(kept: KeptGame) -> str:
    """Return the text of one game, with a newline.

    Raises RecordError for a malformed turn, for text that is not Unicode, and for a game that is
    too long to be read.
    """
    return game_text(sgf_nodes(kept))


def sgf_of_taps(kept: KeptGame) -> str:
    """Return the text of one game, tap by tap, with a newline.

    Raises RecordError for a game that the rules contradict.
    """
    # Without what GoGui would take for stones or a side to move.
    return game_text([heading(kept.record), *_tap_nodes(kept.record)])


def sgf_nodes(kept: KeptGame) -> list[Node]:
    """Return the nodes of one game, which may be too long to be read.

    Raises RecordError for a malformed turn and for text that is not Unicode.
    """
    nodes = [_root(kept), *_turn_nodes(kept.record)]
    last = nodes[-1]
    last["C"] = [b"\n\n".join([*last.get("C", ()), one_line_value(_ending(kept.record))])]
    return nodes


def stones_shown(turn: Turn, mover: Colour) -> dict[str, list[Vertex]]:
    """Return the vertices that a turn fills or empties, by the properties that show it."""
    shown: dict[str, list[Vertex]] = {}
    match turn:
        case Drops():
            for drop in turn.drops:
                shown.setdefault(STONES[drop.colour], []).append(drop.vertex)
        case Move():
            shown = {EMPTIED: [turn.origin], STONES[mover]: [turn.destination]}
    return shown


def heading(record: GameRecord) -> Node:
    """Return who played what, with which result."""
    black, white = names_at_the_end(record)
    return {
        "FF": [b"4"],
        "GM": [b"1"],
        "CA": [b"UTF-8"],
        "AP": [f"oddly:{VERSION}".encode()],
        "SZ": [str(grid_width(record.game.board)).encode()],
        "GN": [escaped(str(record.game))],
        "PB": [one_line_value(black)],
        "PW": [one_line_value(white)],
        "RE": [_result_of(record)],
    }


def _root(kept: KeptGame) -> Node:
    """Return the heading, the position at the start, and what SGF cannot say."""
    record, board = kept.record, kept.record.game.board
    facts = {name: fact for name, fact in kept.as_json().items() if name != "turns"}
    node = heading(record) | {
        "PL": [b"B"],
        "C": [escaped(_probe(record))],
        PRIVATE: [escaped(json_text(facts))],
    }
    if isinstance(event := kept.labels.get("event"), str):
        node["EV"] = [one_line_value(event)]
    if isinstance(round_ := kept.labels.get("round"), int):
        node["RO"] = [str(round_).encode()]
    if dimmed := off_board(board):
        node["DD"] = dimmed
    for colour, name in STONES.items():
        if vertices := record.game.start().vertices_with(colour):
            node[name] = points(board, vertices)
    return node


def _turn_nodes(record: GameRecord) -> Iterator[Node]:
    """Yield a node for each turn."""
    board = record.game.board
    for number, played in enumerate(record.turns, start=1):
        turn = _turn(number, played)
        node = {
            name: points(board, vertices)
            for name, vertices in stones_shown(turn, played.colour).items()
        }
        if new := [point for name in STONES.values() for point in node.get(name, ())]:
            node["TR"] = new
        if isinstance(turn, Pass):
            node[played.colour.letter] = [b""]
        else:
            swapped = isinstance(turn, Swap)
            node["PL"] = [(played.colour if swapped else played.colour.other).letter.encode()]
            if swapped:
                node["C"] = [b"swap: the players exchange colours, the stones stay"]
        for name, values in _opinion(played).items():
            node[name] = [b"; ".join([*node.get(name, ()), *values])]
        node[PRIVATE] = [f"{played.turn} {round(played.seconds, 6)!r}".encode()]
        yield node


def _tap_nodes(record: GameRecord) -> Iterator[Node]:
    position = record.game.start()
    for number, played in enumerate(record.turns, start=1):
        turn = parse_turn(played.turn)
        try:
            after = position.play(turn)
            taps = list(taps_of(position, turn))
        except (IllegalTurn, ValueError) as error:
            raise RecordError(f"turn {number}: {error}") from None
        for count, tap in enumerate(taps, start=1):
            value = [b""] if isinstance(tap, Pass) else points(record.game.board, [tap])
            then = after.to_move if count == len(taps) else played.colour
            yield {played.colour.letter: value, "PL": [then.letter.encode()]}
        position = after


def _opinion(played: PlayedTurn) -> Node:
    """Return what the player of a turn expected of it; V is from Black's view, -1 to 1."""
    rate = played.black_win_rate
    if rate is None or played.evaluation is None:
        return {}
    words = [f"Black wins {rate:.1%} as {played.colour} sees it"]
    if played.evaluation.lead is not None:
        words.append(f"its own lead is {played.evaluation.lead:.2f} groups")
    if played.evaluation.depth is not None:
        words.append(f"{counted(played.evaluation.depth, 'turn')} ahead")
    return {"V": [f"{2 * rate - 1:.4f}".encode()], "C": [one_line_value(", ".join(words))]}


def _turn(number: int, played: PlayedTurn) -> Turn:
    try:
        return parse_turn(played.turn)
    except NotationError as error:
        raise RecordError(f"turn {number}, {error}") from None


def names_at_the_end(record: GameRecord) -> tuple[str, str]:
    """Return the names of the players who held Black and White at the end."""
    at_the_end = [colour_at_the_end(record.turns, player) for player in (0, 1)]
    first, second = (record.players[at_the_end.index(colour)] for colour in Colour)
    return first, second


def _result_of(record: GameRecord) -> bytes:
    """Return the RE property: our scores are SGF's, except that of a void game."""
    score = record.outcome.score
    return b"Void" if record.outcome.is_void else one_line_value(score)


def _probe(record: GameRecord) -> str:
    """Return what a reader sees first, perhaps in another program."""
    board = record.game.board
    hexagon = (
        f" (the points whose column and row differ by less than {board.size})"
        if board.shape == "hexhex"
        else ""
    )
    return (
        f"{record.game.name.capitalize()} on a {board}{hexagon}. Each node is a turn; its new "
        "stones are marked. Stones are put on the board, not played, since nothing is captured."
    )


def _ending(record: GameRecord) -> str:
    return f"{record.outcome.result_text}: {record.outcome.reason}"


def sgf_left_out(nodes: Iterable[Node], kept: KeptGame, encoding: str | None) -> Iterator[str]:
    """Yield what the nodes hold that our own SGF of the game does not."""
    held = {
        (name, text_of(value, "utf-8"))
        for node in sgf_nodes(kept)
        for name in node
        for value in node[name]
    }
    for node in nodes:
        for name, values in node.items():
            if name == "RE":
                claimed = text_of(values[0], encoding)
                if not _is_result_kept(claimed, kept):
                    yield name
            elif name not in _READ and any(
                text and (name, text) not in held
                for text in (text_of(value, encoding) for value in values)
            ):
                yield _WORDS.get(name, name)


def _is_result_kept(claimed: str, kept: KeptGame) -> bool:
    """Return whether a game was read with the result that its file claims.

    If the rules end the game, a file that says otherwise is not read at all.
    """
    words = claimed.strip().upper()
    outcome = kept.record.outcome
    if words in _NO_RESULT or outcome.score.upper() == words:
        return True
    winner, plus, how = words.partition("+")
    if not plus:
        return outcome.winning_colour is None and not outcome.is_void
    if outcome.winning_colour is None or outcome.winning_colour.letter != winner:
        return False
    return how in _KNOWN_ENDS or not outcome.score.endswith("F")
