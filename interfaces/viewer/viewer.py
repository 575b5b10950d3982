"""A game for the browser: its plain values, its words, the viewer's files, templates and boards.

Templates are for pages drawn on the server; every text in them is escaped. A board is drawn as SVG
or PNG, within a page or in a separate file.
"""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from oddly.games import Colour, Game, GroupCounts, IllegalTurn, Parity, Position, touched, xml_text
from oddly.games.drawing.moving import share_shapes
from oddly.games.drawing.picture import Picture, describe
from oddly.games.drawing.png import png
from oddly.games.drawing.svg import STYLE, element, svg_file
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.referee import GameRecord


SYMBOLS = ".XO"
"""Nothing, black, white."""


def stones_text(stones: Sequence[int]) -> str:
    """Return one character for each index of the board."""
    return "".join(SYMBOLS[stone] for stone in stones)


def black_lead(game: Game, counts: GroupCounts) -> int | None:
    """Return Black's lead in groups: fewer groups are better.

    None in games that the parity of all groups decides, where nobody leads.
    """
    return None if game.parity is Parity.WINS else counts.white - counts.black


def recorded_game(record: GameRecord) -> dict[str, Any]:
    """Return players, turns, times, result, and the engines' evaluations of their turns.

    `rates` are Black's chances after each turn as the turn's player sees them, null where it does
    not say; the field is missing if nobody does. Raises NotationError for text that is not a turn.
    """
    outcome = record.outcome
    found: dict[str, Any] = {
        "players": [xml_text(name) for name in record.players],
        "winner": outcome.winner,
        "score": xml_text(outcome.score),
        "ending": outcome.termination.value,
        "reason": xml_text(outcome.reason),
        "evidence": xml_text(outcome.evidence),
        "opening": record.opening,
        "turns": [str(parse_turn(played.turn)) for played in record.turns],
        "seconds": [round(played.seconds, 3) for played in record.turns],
    }
    rates = [played.black_win_rate for played in record.turns]
    if any(rate is not None for rate in rates):
        found["rates"] = [None if rate is None else round(rate, 3) for rate in rates]
    return found


_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?:.|\n)*?\*/[ \t]*)\n", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


@cache
def viewer_files() -> Mapping[str, str]:
    """Return the text of each file by its name."""
    folder = files("oddly.interfaces.viewer") / "static"
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def brief(text: str) -> str:
    """Return a script or a style sheet without indents, and without comments on their own lines."""
    return _INDENT.sub("", _COMMENT.sub("", text))


def one_script(entry: str, modules: Mapping[str, str]) -> str:
    """Return a module and everything it imports as one script, which needs no server.

    Each module becomes a function that returns its exports, without comments on lines of their own.
    `modules` has the text of each module by name. Raises ValueError if modules import each other,
    or for an import or an export in another form.
    """
    order: dict[str, str] = {}
    add_module("", entry, modules, order)
    parts = [f"const {variable_of(name)} = {body}" for name, body in order.items() if name]
    return "\n".join(['"use strict";', "(() => {", *parts, order[""][:-1] + ";", "})();", ""])


def add_module(
    name: str,
    text: str,
    modules: Mapping[str, str],
    order: dict[str, str],
    above: Sequence[str] = (),
) -> None:
    """Append a module, as a function that is called, after all its missing imports.

    `above` are the modules that import it. Raises ValueError as `one_script` does.
    """
    if name in above:
        raise ValueError(f"{name} imports itself: {' <- '.join(above)}")
    text = brief(text)
    for found in _IMPORT.finditer(text):
        if found[2] not in modules:
            raise ValueError(f"{name or 'the entry'} imports {found[2]}, which is not there")
        if found[2] not in order:
            add_module(found[2], modules[found[2]], modules, order, [*above, name])
    names = ", ".join(found[1] for found in _EXPORT.finditer(text))
    body = _EXPORT.sub("", _IMPORT.sub(_taken, text))
    if re.search(r"^\s*(?:import|export)\b", body, re.MULTILINE):
        raise ValueError(f"{name or 'the entry'} imports or exports in an unknown way")
    order[name] = f"(() => {{\n{body}return {{ {names} }};\n}})();"


def _taken(found: re.Match[str]) -> str:
    names = found[1].replace(" as ", ": ")
    return f"const {{{names}}} = {variable_of(found[2])};\n"


def variable_of(name: str) -> str:
    """Return the name of the constant that holds a module's exports."""
    return "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))


def title(game: Game) -> str:
    """Return for example `Yodd, base 6` or `Xodd, 12x12`, with unusual settings."""
    shape = game.board.shape
    size = f"base {game.size}" if shape == "hexhex" else f"{game.size}x{game.size}"
    return f"{game.title}, {size}" + (f", {game.variant}" if game.variant else "")


def first_colour(mover: int, to_move: Colour) -> Colour:
    """Return the colour of the player who opened, where `mover` is to move and holds `to_move`."""
    return to_move if mover == 0 else to_move.other


def templates_of(package: str) -> Environment:
    """Return the templates in the folder `templates` of a package."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["nearest"] = nearest
    return environment


def nearest(value: float) -> int:
    """Return the nearest whole number as scripts round: of two, the larger."""
    return math.floor(value + 0.5)


def _finalized(value: object) -> object:
    """Return what a template may show: our own markup, and text without misleading characters."""
    return xml_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


MAX_TURNS = 2000
"""The maximum number of turns played for display: a stranger may have written them."""


def positions_of(game: Game, turns: Iterable[str]) -> list[Position]:
    """Return the positions of a game, up to the first turn that is not legal."""
    found = [game.start()]
    for text in turns:
        if len(found) > MAX_TURNS:
            break
        try:
            found.append(found[-1].play(parse_turn(text)))
        except (IllegalTurn, NotationError):
            break
    return found


# A running game is requested again and again, but changes only with each turn.
@lru_cache(128)
def board_markup(position: Position, last: str = "", title: str = "") -> Markup:
    """Return a board for a page, which sets its colours; `last` is the turn to mark."""
    return _markup(element(_picture(position, last, title, coordinates=True)))


def board_file(position: Position, last: str = "", title: str = "") -> str:
    """Return a small board as a separate file, for light and dark pages."""
    root = element(_picture(position, last, title, coordinates=False))
    share_shapes(root)
    return svg_file(root, STYLE)


def board_to_tap(
    position: Position, stones: bytes, marked: frozenset[str], taps: Mapping[str, str], title: str
) -> Markup:
    """Return a board with `stones`, on which each vertex of `taps` leads to an address."""
    picture = Picture(position.game.board, tuple(stones), marked, title=title, coordinates=True)
    root = element(picture)
    for group in root.iter("g"):
        address = taps.get(group.get("data-vertex", ""))
        if address is not None:
            group.tag = "a"
            group.attrib |= {"href": address, "aria-label": group.attrib["data-vertex"]}
    return _markup(root)


def _markup(root: ET.Element) -> Markup:
    """Return a board within a page, which sets its size."""
    for size in ("width", "height"):
        del root.attrib[size]
    # The library that writes XML escapes every text in it.
    return Markup(ET.tostring(root, "unicode"))  # noqa: S704


def board_png(position: Position, last: str = "", title: str = "", width: int = 360) -> bytes:
    """Return a board as PNG, which every site that previews pages can show. Raises NoPngError."""
    return png(_picture(position, last, title, coordinates=False), width)


def _picture(position: Position, last: str, title: str, *, coordinates: bool) -> Picture:
    placed, left = touched(parse_turn(last) if last else None)
    return Picture(
        position.game.board,
        tuple(position.stones),
        placed,
        left,
        title=title or describe(position),
        coordinates=coordinates,
    )
