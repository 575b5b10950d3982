"""A game for the browser: its plain values, its words, and the viewer's files."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from oddly.games import Colour, Game, GroupCounts, Parity, xml_text
from oddly.protocol import parse_turn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
