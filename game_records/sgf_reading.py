"""Records from SGF: ours without loss, other programs' as far as we understand them.

If a node has our property ODDLY, its turn is read from there, and the node must show the stones of
that turn. Otherwise the turn is what the node shows: stones put on the board are drops, a move
without a point is a pass, a stone taken off and put on another point is a move. A Go move on a
point is a tap (`games/partial_turn.py`), as in games that people clicked in GoGui.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

from oddly.game_records.kept_game import (
    MAX_SECONDS,
    TAPS,
    VARIATIONS,
    KeptGame,
    LeftOut,
    game_named,
    game_without_outcome,
    games_of_width,
    other_rules,
)
from oddly.game_records.sgf import (
    OLD_PASS,
    PRIVATE,
    Node,
    decode,
    encoding_of,
    parse_collection,
    point_or_pass,
    read_points,
)
from oddly.game_records.sgf_writing import (
    EMPTIED,
    STONES,
    names_at_the_end,
    sgf_left_out,
    stones_shown,
)
from oddly.games import (
    PASS,
    SWAP,
    Colour,
    Drop,
    Drops,
    Game,
    GameError,
    IllegalTurn,
    Move,
    PartialTurn,
    Position,
    Turn,
    Vertex,
    create_game,
    one_line,
)
from oddly.games.partial_turn import tapped, turn_ended_by
from oddly.games.wording import counted
from oddly.protocol import NotationError, grid_width, parse_turn
from oddly.referee import GameRecord, PlayedTurn, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from oddly.game_records.kept_game import Notice


NAME_IT = "name it with --game, --size and so on"
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?(?:e-?[0-9]{1,2})?", re.ASCII)
_ROUND = re.compile(r"[0-9]{1,9}", re.ASCII)
_SIZE = re.compile(r"([0-9]{1,2})(?::\1)?", re.ASCII)


def read_sgf(
    stream: IO[bytes], game: Game | None = None, notice: Notice | None = None
) -> Iterator[KeptGame]:
    """Return the games of a collection; `game` is their game where they name none.

    `notice` is called after the last game: with a sentence for each game that is a guess, and with
    what else the file holds.

    Raises RecordError with the game's number, its line and the turn.
    """
    return _games(stream, game, None, notice)


def read_what_followed(
    stream: IO[bytes], earlier: GameRecord, notice: Notice | None = None
) -> Iterator[KeptGame]:
    """Return a whole game: the `earlier` turns, and those clicked after them, from the file.

    `notice` is called as `read_sgf` does. Raises RecordError with the game's number, its line and
    the turn.
    """
    return _games(stream, earlier.game, earlier, notice)


def _games(
    stream: IO[bytes], game: Game | None, earlier: GameRecord | None, notice: Notice | None
) -> Iterator[KeptGame]:
    left_out, guesses = LeftOut(), _Guesses()
    for number, found in enumerate(parse_collection(stream), start=1):
        try:
            nodes = found.longest_line
            clicked = earlier is not None or _has_taps(nodes)
            if not clicked:
                nodes = found.nodes
            kept, is_broken_off = _read_game(nodes, game, clicked=clicked, earlier=earlier)
        except RecordError as error:
            raise RecordError(f"game {number}, line {found.line}: {error}") from None
        if notice is not None:
            lost = {*sgf_left_out(nodes, kept, encoding_of(nodes[0]))}
            lost |= {VARIATIONS} if found.tree_size > len(nodes) else set()
            left_out.add(lost | ({TAPS} if is_broken_off else set()))
            if game is None:
                guesses.add(nodes, kept.record.game)
        yield kept
    if notice is not None:
        guesses.tell(notice)
        left_out.tell(notice)


def _read_game(
    nodes: Sequence[Node], game: Game | None, *, clicked: bool, earlier: GameRecord | None = None
) -> tuple[KeptGame, bool]:
    """Return the game, and whether the taps at its end leave a turn unfinished."""
    root = nodes[0]
    encoding = encoding_of(root)
    facts = _facts(root)
    is_guess = game is None and _is_guess(root)
    if facts:
        game = _game_of(facts)
    else:
        game = game or game_named(decode(root, "GN", encoding)) or _only_game(nodes, clicked)
    _check_board(root, game)
    played, last = _read_turns(nodes[1:], game, () if earlier is None else earlier.turns)
    if facts and not clicked:
        turns = [[str(turn.colour), turn.turn, turn.seconds] for turn in played]
        return KeptGame.read(json.dumps({**facts, "turns": turns})), False
    known = ("Black", "White") if earlier is None else names_at_the_end(earlier)
    names = {
        colour: decode(root, name, encoding) or usual
        for colour, name, usual in zip(Colour, ("PB", "PW"), known, strict=True)
    }
    try:
        kept = game_without_outcome(game, last.start, played, names, decode(root, "RE", encoding))
    except RecordError as error:
        if not is_guess:
            raise
        raise RecordError(f"{error}; it was read as {game}: if that is wrong, {NAME_IT}") from None
    return replace(kept, labels=_labels(root, encoding)), last.is_begun


def _labels(root: Node, encoding: str | None) -> dict[str, Any]:
    """Return the event, and the round if it is written as we write it."""
    labels: dict[str, Any] = {}
    if event := decode(root, "EV", encoding):
        labels["event"] = event
    if _ROUND.fullmatch(round_ := decode(root, "RO", encoding).strip()):
        labels["round"] = int(round_)
    return labels


def _facts(root: Node) -> dict[str, Any]:
    """Return the facts in the root's ODDLY property; empty without one."""
    if PRIVATE not in root:
        return {}
    try:
        facts = json.loads(decode(root, PRIVATE, "ascii"))
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise RecordError(f"{PRIVATE} in the first node is not a JSON object: it has been changed")
    return facts


def _game_of(facts: Mapping[str, Any]) -> Game:
    size = facts.get("size")
    if type(size) is not int:
        raise RecordError(f"{PRIVATE} in the first node names no size of a board")
    try:
        return create_game(str(facts["game"]), size, dict(facts["settings"]))
    except (GameError, KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{PRIVATE} in the first node names no game: {error}") from None


def _only_game(nodes: Sequence[Node], clicked: bool) -> Game:
    """Return the one game in which every tap is legal. Raises RecordError if there is not one."""
    found = (
        [game for game in games_of_width(_width(nodes[0])) if _fits(nodes, game)] if clicked else []
    )
    if len(found) == 1:
        return found[0]
    possible = f"; it may be {' or '.join(map(str, found))}" if found else ""
    raise RecordError(
        f"nothing says what game this is: {NAME_IT}, "
        f"or in the property GN, as in GN[yodd 8]{possible}"
    )


class _Guesses:
    """Counts the games that a file does not name, by what they are read as."""

    def __init__(self) -> None:
        self._games: Counter[Game] = Counter()

    def add(self, nodes: Sequence[Node], game: Game) -> None:
        """Note a game if it is a guess, and other settings fit too."""
        if not _is_guess(nodes[0]):
            return
        # One game in doubt shows that it is a guess: no other is replayed for that.
        if game in self._games or any(_fits(nodes, other) for other in other_rules(game)):
            self._games[game] += 1

    def tell(self, notice: Notice) -> None:
        """Call `notice` with a sentence for each guess."""
        for game, number in self._games.items():
            are = "is" if number == 1 else "are"
            notice(f"{counted(number, 'game')} {are} read as {game}; if that is wrong, {NAME_IT}")


def _is_guess(root: Node) -> bool:
    """Return whether a file does not name its game."""
    return PRIVATE not in root and game_named(decode(root, "GN", encoding_of(root))) is None


def _fits(nodes: Sequence[Node], game: Game) -> bool:
    try:
        _check_board(nodes[0], game)
        return bool(_read_turns(nodes[1:], game)[0])
    except RecordError:
        return False


def _width(root: Node) -> int:
    """Return the number of points on a side of the board by SZ; 0 if it names none."""
    found = _SIZE.fullmatch(root.get("SZ", [b""])[0].decode("ascii", "replace").strip())
    return int(found[1]) if found else 0


def _check_board(root: Node, game: Game) -> None:
    """Raise RecordError unless the board is the game's, set up as at its start."""
    if root.get("GM", [b"1"])[0].strip() not in (b"1", b""):
        raise RecordError("GM is not 1: oddly writes its games as games of Go")
    width = grid_width(game.board)
    if "SZ" in root and _width(root) != width:
        written = root["SZ"][0].decode("ascii", "replace").strip()
        raise RecordError(f"SZ is {one_line(written[:20])}, but {game} has SZ[{width}]")
    start = game.start()
    for colour, name in STONES.items():
        if name in root:
            set_up = set(read_points(game.board, name, root[name]))
            if set_up != set(start.vertices_with(colour)):
                raise RecordError(
                    f"{name} in the first node is not how {game} begins; "
                    "only games from their start can be read"
                )
    if any(name in root for name in ("B", "W")):
        raise RecordError("the first node has a move; turns begin in the second")


def _read_turns(
    nodes: Sequence[Node], game: Game, earlier: Sequence[PlayedTurn] = ()
) -> tuple[list[PlayedTurn], PartialTurn]:
    """Return the turns that the nodes show, and the turn begun after them; skip other nodes.

    They follow `earlier` turns, which are returned too.
    """
    position = game.start()
    for turn_before in earlier:
        position = position.play(parse_turn(turn_before.turn))
    partial = PartialTurn(position)
    played = [*earlier]
    for node in nodes:
        try:
            mover = partial.to_move
            if PRIVATE in node or (after_tap := _read_tap(node, partial)) is None:
                found = _whole_turn(node, partial)
                if found is None:
                    continue
                turn, text, seconds = found
                partial = PartialTurn(partial.start.play(turn))
            else:
                partial, ended = after_tap
                text, seconds = "" if ended is None else str(ended), 0.0
            _check_side(node, partial)
        except (RecordError, IllegalTurn, NotationError) as error:
            raise RecordError(f"turn {len(played) + 1}: {error}") from None
        if text:
            played.append(PlayedTurn(mover, text, seconds))
    return played, partial


def _has_taps(nodes: Iterable[Node]) -> bool:
    """Return whether any node is a Go move on a point."""
    return any(
        value.strip() not in (b"", OLD_PASS)
        for node in nodes
        for colour in Colour
        for value in node.get(colour.letter, ())
    )


def _read_tap(node: Node, partial: PartialTurn) -> tuple[PartialTurn, Turn | None] | None:
    """Return the turn after a node's tap, and the turn that the tap ended, if any.

    Returns None for a node without a move. Raises RecordError for a tap that is not legal.
    """
    for colour in Colour:
        for value in node.get(colour.letter, ()):
            text = f"{colour.letter}[{one_line(value.strip()[:20])}]"
            tap = point_or_pass(partial.start.game.board, colour, value)
            if colour is not partial.to_move and not partial.start.is_over:
                raise RecordError(f"{text}: it is {partial.to_move}'s turn")
            try:
                after = tapped(partial, tap)
            except IllegalTurn as error:
                place = "" if tap == PASS else f"{text}: "
                raise RecordError(f"{place}{error.reason}") from None
            ended = after.start is not partial.start
            return after, turn_ended_by(partial, tap) if ended else None
    return None


def _whole_turn(node: Node, partial: PartialTurn) -> tuple[Turn, str, float] | None:
    """Return the turn of a node without a tap, its text and its seconds; None without a turn."""
    found = (_written_turn if PRIVATE in node else _shown_turn)(node, partial.start)
    if found is not None and partial.is_begun:
        raise RecordError("the taps before make no whole turn")
    return found


def _written_turn(node: Node, position: Position) -> tuple[Turn, str, float]:
    """Return the turn of a node with our property, its text, and the seconds it took."""
    text, _, seconds = decode(node, PRIVATE, "ascii").rpartition(" ")
    if not (_SECONDS.fullmatch(seconds) and float(seconds) <= MAX_SECONDS):
        raise RecordError(
            f"{PRIVATE} is {one_line(f'{text} {seconds}')[:40]!r}: "
            "a turn and the seconds it took are expected, as in 'Bk5,We13 0.25'"
        )
    turn = parse_turn(text)
    expected = stones_shown(turn, position.to_move)
    for name in (*STONES.values(), EMPTIED):
        shown = read_points(position.game.board, name, node.get(name, ()))
        if set(shown) != set(expected.get(name, ())):
            raise RecordError(
                f"{PRIVATE} says {text}, but {name} is {_listed(shown)} and not "
                f"{_listed(expected.get(name, ()))}: the game has been changed"
            )
    return turn, text, float(seconds)


def _listed(vertices: Sequence[Vertex]) -> str:
    return " ".join(vertices) or "empty"


def _shown_turn(node: Node, position: Position) -> tuple[Turn, str, float] | None:
    """Return the turn that a node of another program shows, or None."""
    turn = _set_up(node, position)
    if turn is None and position.status.may_swap and _side_named(node) == "W":
        turn = SWAP
    return None if turn is None else (turn, str(turn), 0.0)


def _set_up(node: Node, position: Position) -> Turn | None:
    """Return the drops or the move that a node's stones make, or None."""
    board = position.game.board
    filled: list[Drop] = []
    for colour, name in STONES.items():
        # Some programs repeat stones that lie there already.
        before = set(position.vertices_with(colour))
        vertices = read_points(board, name, node.get(name, ()))
        filled += [Drop(colour, vertex) for vertex in vertices if vertex not in before]
    emptied = read_points(board, EMPTIED, node.get(EMPTIED, ()))
    if not emptied:
        return Drops(tuple(filled)) if filled else None
    if len(emptied) > 1 or len(filled) != 1 or filled[0].colour is not position.to_move:
        raise RecordError(
            f"AE takes {_listed(emptied)} off and {_listed([str(d) for d in filled])} is put on; "
            f"a move takes one stone off and puts one on, here a {position.to_move} one"
        )
    return Move(emptied[0], filled[0].vertex)


def _check_side(node: Node, after: PartialTurn) -> None:
    """Raise RecordError if PL names the wrong side."""
    said = _side_named(node)
    if said and said != after.to_move.letter:
        raise RecordError(f"PL[{one_line(said)}], but it is {after.to_move}'s turn then")


def _side_named(node: Node) -> str:
    """Return the letter of the side that PL names, in any of the spellings; empty without one."""
    return node.get("PL", [b""])[0].strip().upper()[:1].decode("ascii", "replace")
