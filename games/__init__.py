"""The rules of Yodd, Xodd, Odd and Ayu in plain Python: everything else is judged by them.

What is named here is what other programs may build on; each name is imported when it is used.
"""

from typing import TYPE_CHECKING

from games.exports import importer

if TYPE_CHECKING:
    from games.ayu import Ayu
    from games.board import Board, Shape, hexhex_board, make_board, square_board
    from games.catalogue import GAMES, create_game
    from games.colour import EMPTY, Colour
    from games.diagram import draw, read
    from games.drawing.picture import Picture, picture_of
    from games.drawing.png import png
    from games.drawing.svg import svg
    from games.drop_level import END, Action, DropPosition, End
    from games.errors import DiagramError, GameError, Illegality, IllegalTurn
    from games.game import Exchange, Game, Parity, Position, Status
    from games.groups import Groups
    from games.odd import Odd
    from games.result import Ending, GroupCounts, Result
    from games.sampling import random_turn
    from games.settings import check_board_size, check_size, setting
    from games.turns import PASS, SWAP, Drop, Drops, Move, Pass, Swap, Turn, Vertex
    from games.xodd import Xodd
    from games.yodd import Yodd

__all__ = [
    "EMPTY",
    "END",
    "GAMES",
    "PASS",
    "SWAP",
    "Action",
    "Ayu",
    "Board",
    "Colour",
    "DiagramError",
    "Drop",
    "DropPosition",
    "Drops",
    "End",
    "Ending",
    "Exchange",
    "Game",
    "GameError",
    "GroupCounts",
    "Groups",
    "IllegalTurn",
    "Illegality",
    "Move",
    "Odd",
    "Parity",
    "Pass",
    "Picture",
    "Position",
    "Result",
    "Shape",
    "Status",
    "Swap",
    "Turn",
    "Vertex",
    "Xodd",
    "Yodd",
    "check_board_size",
    "check_size",
    "create_game",
    "draw",
    "hexhex_board",
    "make_board",
    "picture_of",
    "png",
    "random_turn",
    "read",
    "setting",
    "square_board",
    "svg",
]

_HOMES = {
    "EMPTY": "games.colour",
    "END": "games.drop_level",
    "GAMES": "games.catalogue",
    "PASS": "games.turns",
    "SWAP": "games.turns",
    "Action": "games.drop_level",
    "Ayu": "games.ayu",
    "Board": "games.board",
    "Colour": "games.colour",
    "DiagramError": "games.errors",
    "Drop": "games.turns",
    "DropPosition": "games.drop_level",
    "Drops": "games.turns",
    "End": "games.drop_level",
    "Ending": "games.result",
    "Exchange": "games.game",
    "Game": "games.game",
    "GameError": "games.errors",
    "GroupCounts": "games.result",
    "Groups": "games.groups",
    "IllegalTurn": "games.errors",
    "Illegality": "games.errors",
    "Move": "games.turns",
    "Odd": "games.odd",
    "Parity": "games.game",
    "Pass": "games.turns",
    "Picture": "games.drawing.picture",
    "Position": "games.game",
    "Result": "games.result",
    "Shape": "games.board",
    "Status": "games.game",
    "Swap": "games.turns",
    "Turn": "games.turns",
    "Vertex": "games.turns",
    "Xodd": "games.xodd",
    "Yodd": "games.yodd",
    "check_board_size": "games.settings",
    "check_size": "games.settings",
    "create_game": "games.catalogue",
    "draw": "games.diagram",
    "hexhex_board": "games.board",
    "make_board": "games.board",
    "picture_of": "games.drawing.picture",
    "png": "games.drawing.png",
    "random_turn": "games.sampling",
    "read": "games.diagram",
    "setting": "games.settings",
    "square_board": "games.board",
    "svg": "games.drawing.svg",
}

__getattr__ = importer(globals(), _HOMES)
