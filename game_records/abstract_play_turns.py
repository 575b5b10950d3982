"""Abstract Play's names of our games and its notation of turns, judged by its rules.

Abstract Play is a site where people play by correspondence (play.abstractplay.com). It has Yodd,
with our Xodd among its variants, and Ayu.

A drop is `1` for black or `2` for white, then a cell: `1h8,2c3`. A move of Ayu is as ours. On a
square board the cells have our names. On a hexhex board the letter is the row, `a` the lowest, and
the number is the place in the row, 1 the leftmost.

A game of Yodd ends there as soon as the board is full. In Ayu the player to move wins when a
position comes back, which is a draw here. A turn that names a cell twice puts one stone there.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

from oddly.games import (
    EMPTY,
    PASS,
    Board,
    Colour,
    Drop,
    Drops,
    Game,
    IllegalTurn,
    Move,
    Pass,
    Position,
    Turn,
    Vertex,
    create_game,
    did_you_mean,
    one_line,
)
from oddly.referee import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


SITE = "Abstract Play"
DEFAULT_BOARD = "#board"
"""A name in messages for a game's default board."""
YOPP = "yopp"
"""A variant of Yodd with rules of its own, which is not one of our games."""
_NUMBER = re.compile(r"\d{1,4}")
_SIDES = re.compile(r"(\d{1,2}) ?[x×] ?\1(?!\d)")


class ForeignGameError(RecordError):
    """A game or variant that oddly does not have. `title` is its name."""

    def __init__(self, title: str, sentence: str) -> None:
        super().__init__(sentence)
        self.title = title


GAMES_BY_ID: Mapping[str, Mapping[str, Game]] = {
    "yodd": {
        DEFAULT_BOARD: create_game("yodd", 8),
        **{f"hex-{base}": create_game("yodd", base) for base in (6, 7, 9, 10)},
        **{f"square-{side}": create_game("xodd", side) for side in (9, 10, 13, 14, 15)},
    },
    "ayu": {
        DEFAULT_BOARD: create_game("ayu", 13),
        **{f"size-{side}": create_game("ayu", side) for side in (9, 11, 15, 17, 19)},
    },
}
"""Our games by the site's id of the game, then by the id of the board."""


def game_by_ids(meta: str, variants: Sequence[str]) -> Game:
    """Return the game that a message names by its ids.

    Raises ForeignGameError or another RecordError if it is none of ours.
    """
    if meta not in GAMES_BY_ID:
        raise ForeignGameError(meta, _no_such_game(meta))
    if YOPP in variants:
        raise ForeignGameError("Yopp", "the variant yopp is not one of our games")
    if len(variants) > 1:
        raise RecordError(f"{one_line(', '.join(variants)[:60])}: a game has one board")
    board = variants[0] if variants else DEFAULT_BOARD
    if board not in GAMES_BY_ID[meta]:
        raise RecordError(
            f"{meta} has no variant {one_line(board[:40])!r}"
            f"{did_you_mean(board, GAMES_BY_ID[meta])}"
        )
    return GAMES_BY_ID[meta][board]


def ids_of(game: Game) -> tuple[str, list[str]]:
    """Return how a message names a game. Raises RecordError if the site does not have it."""
    found = _ids(game)
    if found is None:
        raise RecordError(f"{SITE} has no {game}")
    meta, board = found
    return meta, [] if board == DEFAULT_BOARD else [board]


def _ids(game: Game) -> tuple[str, str] | None:
    """Return the site's ids of a game and of its board; None if the site does not have it."""
    for meta, boards in GAMES_BY_ID.items():
        for board, known in boards.items():
            if (known.name, known.size) == (game.name, game.size):
                return meta, board
    return None


def game_by_names(title: str, variants: Iterable[str], otherwise: Game | None = None) -> Game:
    """Return the game that a record names in words; `otherwise` if its variants name no board.

    Raises ForeignGameError if the game is none of ours, and RecordError if its board is unknown.
    """
    meta = title.strip().lower()
    if meta not in GAMES_BY_ID:
        raise ForeignGameError(title, _no_such_game(title))
    names = list(variants)
    if any(YOPP in name.lower() for name in names):
        raise ForeignGameError("Yopp", "the variant Yopp is not one of our games")
    if not names:
        return GAMES_BY_ID[meta][DEFAULT_BOARD]
    found = {id(game): game for name in names if (game := _game_in_words(meta, name.lower()))}
    if len(found) == 1 == len(names):
        return found.popitem()[1]
    if otherwise is not None and otherwise.name in {g.name for g in GAMES_BY_ID[meta].values()}:
        return otherwise
    raise RecordError(
        f"the variant {one_line(', '.join(names)[:60])!r} names no board that is known: "
        "say which it is with --game and --size"
    )


def _no_such_game(name: str) -> str:
    known = " and ".join(meta.capitalize() for meta in GAMES_BY_ID)
    return f"{one_line(name[:40])!r} is not one of our games: {SITE}'s {known} are"


def _game_in_words(meta: str, name: str) -> Game | None:
    """Return the game that a variant names, as `9x9 board` or `variants.yodd.hex-6.name` does."""
    boards = GAMES_BY_ID[meta]
    if "default" in name:
        return boards[DEFAULT_BOARD]
    is_square = "square" in name or _SIDES.search(name) is not None
    is_hexhex = "hex" in name or "base" in name
    if meta == "yodd" and is_square is is_hexhex:
        return None
    shape = "hexhex" if meta == "yodd" and is_hexhex else "square"
    numbers = {int(number) for number in _NUMBER.findall(name)}
    fitting = [
        game for game in boards.values() if game.board.shape == shape and game.size in numbers
    ]
    return fitting[0] if len(fitting) == 1 else None


def title_and_variants(game: Game) -> tuple[str, list[str]]:
    """Return how a record names a game. Raises RecordError if the site does not have it."""
    if (found := _ids(game)) is not None:
        meta, board = found
        is_default = found == ("yodd", DEFAULT_BOARD)
        words = "Default board" if is_default else _in_words(GAMES_BY_ID[meta][board])
        return meta.capitalize(), [words]
    sizes = [str(g.size) for boards in GAMES_BY_ID.values() for g in boards.values()
             if g.name == game.name]  # fmt: skip
    has = f"its sizes of {game.title} are {', '.join(sizes)}" if sizes else "it has no such game"
    raise RecordError(f"{SITE} has no {game}: {has}")


def _in_words(game: Game) -> str:
    if game.board.shape == "hexhex":
        return f"Hexhex {game.size} ({len(game.board)} spaces)"
    return f"{game.size}x{game.size} board"


MAX_TURN_LENGTH = 40
_CELL = "[a-z][1-9][0-9]?"
_DROPS = re.compile(f"[12]{_CELL}(?:,[12]{_CELL})?")
_MOVE = re.compile(f"({_CELL})-({_CELL})")


def read_site_turn(game: Game, text: str) -> Turn:
    """Return the turn that a text names there, legal or not. Raises RecordError if it names none.

    Capitals and spaces do not matter. A cell named twice gets one stone, of the colour that the
    site gives it.
    """
    words = "".join(text[: 2 * MAX_TURN_LENGTH].lower().split())
    board = game.board
    if words == "pass":
        return PASS
    if (found := _MOVE.fullmatch(words)) and Drops not in game.turn_kinds:
        return Move(_vertex(board, found[1]), _vertex(board, found[2]))
    if _DROPS.fullmatch(words) and Drops in game.turn_kinds:
        # The site puts White's drops last, and the last stone stays.
        colours = {drop[1:]: Colour(int(drop[0])) for drop in sorted(words.split(","))}
        return Drops(tuple(Drop(c, _vertex(board, cell)) for cell, c in colours.items()))
    example = "1h8,2c3 or pass" if Drops in game.turn_kinds else "b1-c1"
    raise RecordError(
        f"{_quoted(text)} is not a turn of {game.title}: expected one such as {example}"
    )


def site_turn(game: Game, turn: Turn) -> str:
    """Return a turn as the site writes it. Raises RecordError for one that it does not have."""
    board = game.board
    match turn:
        case Drops():
            drops = sorted(turn.drops, key=lambda d: (d.colour, board.index[d.vertex]))
            return ",".join(f"{d.colour:d}{site_cell(board, d.vertex)}" for d in drops)
        case Move():
            return f"{site_cell(board, turn.origin)}-{site_cell(board, turn.destination)}"
        case Pass():
            return "pass"
        case _:
            raise RecordError(f"{turn} is not a turn there")


def site_cell(board: Board, vertex: Vertex) -> str:
    """Return the site's name of a vertex."""
    if board.shape == "square":
        return vertex
    column, row = board.coordinates[board.index[vertex]]
    return f"{ascii_lowercase[row - 1]}{column - _first_column(board, row) + 1}"


def _vertex(board: Board, cell: str) -> Vertex:
    """Return the vertex that the site names. Raises RecordError if it is off the board."""
    vertex = cell
    if board.shape == "hexhex":
        row = ascii_lowercase.index(cell[0]) + 1
        column = int(cell[1:]) - 1 + _first_column(board, row)
        vertex = f"{ascii_lowercase[column - 1]}{row}" if 0 < column <= len(ascii_lowercase) else ""
    if vertex not in board:
        raise RecordError(f"{cell} is off the {board}")
    return vertex


def _first_column(board: Board, row: int) -> int:
    """Return the column of the leftmost vertex in a row of a hexhex board."""
    return max(1, board.size + 1 - row)


def follow(
    position: Position, texts: Iterable[str], number: int = 1
) -> Iterator[tuple[Turn, Position]]:
    """Return each turn of a site's game with the position after it, counting from `number`.

    Raises RecordError, which names the turn, if one is illegal or comes after the end of the game.
    """
    for current, text in enumerate(texts, start=number):
        try:
            turn = _legal(position, text, is_first=current == 1)
            position = position.play(turn)
        except (RecordError, IllegalTurn) as error:
            raise RecordError(f"turn {current}: {error}") from None
        yield turn, position


def _legal(position: Position, text: str, *, is_first: bool) -> Turn:
    """Return the turn that a text names. Raises RecordError if only the site's rules refuse it."""
    turn = read_site_turn(position.game, text)
    if ends_there(position):
        raise RecordError(f"the game was over before {_quoted(text)}")
    if is_first and "," in text:
        raise RecordError(f"{_quoted(text)}: the first turn is one drop")
    return turn


def ends_there(position: Position) -> bool:
    """Return whether a game is over by the site's rules."""
    return position.is_over or (Drops in position.game.turn_kinds and EMPTY not in position.stones)


def _quoted(text: str) -> str:
    return repr(one_line(text[:MAX_TURN_LENGTH]))
