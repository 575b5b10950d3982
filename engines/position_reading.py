"""Positions as JSON objects: a game, its settings, and the turns or the stones of a position.

`evaluations` has an engine evaluate many: JSON Lines in and out, for `oddly engine NAME --batch`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from oddly.games import (
    EMPTY,
    GAMES,
    Ayu,
    Colour,
    DropPosition,
    Game,
    GameError,
    Pass,
    Position,
    Status,
    Swap,
    Turn,
    create_game,
    did_you_mean,
    read_setting,
    setting_text,
    settings_of,
)
from oddly.protocol import parse_colour, parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oddly.engines.engine import Engine


STONES = {".": EMPTY, "B": Colour.BLACK, "W": Colour.WHITE}
_SYMBOLS = {stone: symbol for symbol, stone in STONES.items()}

SET_UP = ("stones", "to_move", "passes", "may_swap")
"""The fields that set up a position without its turns."""
WITHOUT = {"min_group": "1", "pie": "false"}
"""What the vectors say of games that lack these settings."""


class PositionError(ValueError):
    """A line that names no position. The message is one sentence."""


def read_position(facts: Mapping[str, Any]) -> Position:
    """Return the position that a line names. Raises PositionError, ValueError or TypeError.

    `game`, `size` and settings name the game; `turns` leads to the position, or the fields of
    SET_UP describe it. A line with both has to agree with itself. None is as good as no field.
    """
    facts = {field: value for field, value in facts.items() if value is not None}
    name = facts.get("game")
    if not isinstance(name, str):
        raise PositionError('expected a field \'game\', as in "game": "yodd"')
    size = facts.get("size")
    if size is not None and type(size) is not int:
        raise PositionError(f"size is a whole number, not {size!r}")
    known = settings_of(GAMES[name.lower()]) if name.lower() in GAMES else {}
    settings = {
        setting: read_setting(name, setting, setting_text(facts[setting]))
        for setting in known
        if setting in facts
    }
    game = create_game(name, size, settings)
    _check_fields(facts, game)
    position = game.start()
    if "turns" not in facts and "stones" in facts:
        stones, to_move, passes, may_swap = _set_up_in(facts, position)
        return set_up(game, stones, to_move, Status(passes, may_swap))
    for turn in turns_in(facts):
        position = position.play(turn)
    compared: Iterator[tuple[str, Any, Any]] = zip(
        SET_UP, _set_up_in(facts, position), _set_up_in({}, position), strict=True
    )
    for field, said, found in compared:
        if said != found:
            place = "after the turns" if "turns" in facts else "at the start"
            raise PositionError(
                f"{field} is {setting_text(said)}, but {setting_text(found)} {place}"
            )
    return position


def _check_fields(facts: Mapping[str, Any], game: Game) -> None:
    """Raise PositionError for a field that would be ignored but says which position is meant."""
    if facts.get("settings"):
        raise PositionError('settings stand beside \'game\', as in "game": "odd", "min_group": 2')
    others = {name for each in GAMES.values() for name in settings_of(each)} - game.settings.keys()
    known = {"game", "size", "id", "turns", *SET_UP, *game.settings, *others}
    place = SET_UP if "stones" in facts else ("turns", *SET_UP)
    awaited = {"size", *game.settings, *(() if "turns" in facts else place)}
    absent = {"board": game.board.shape, **WITHOUT}
    # People add fields of their own, such as `best_move`, to a line that has a position.
    cutoff = 0.8 if {"turns", "stones"} & facts.keys() else 0.6
    for field, value in facts.items():
        if field in others and setting_text(value) != absent.get(field):
            raise PositionError(f"{game.name} has no setting {field!r}")
        if field not in known and (near := did_you_mean(field, awaited - facts.keys(), cutoff)):
            raise PositionError(f"unknown field {field!r}{near}")


def turns_in(facts: Mapping[str, Any]) -> list[Turn]:
    """Return the turns to the position of a line. Raises PositionError or NotationError."""
    turns = facts.get("turns", "")
    if not isinstance(turns, str | list):
        raise PositionError(f'turns are a text or a list, as in "turns": "Bc3 Wb2", not {turns!r}')
    texts = turns.split() if isinstance(turns, str) else map(str, turns)
    return [parse_turn(text) for text in texts]


def read_facts(line: str) -> dict[str, Any]:
    """Return the JSON object on a line. Raises PositionError if there is none."""
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError):
        raise PositionError("expected a JSON object on a line") from None
    if not isinstance(facts, dict):
        raise PositionError("expected a JSON object on a line")
    return facts


def _set_up_in(facts: Mapping[str, Any], position: Position) -> tuple[str, Colour, int, bool]:
    """Return what a line says for the fields of SET_UP, else what is so in `position`.

    Raises PositionError or NotationError.
    """
    stones = facts.get("stones", "".join(_SYMBOLS[stone] for stone in position.stones))
    to_move = facts.get("to_move", position.to_move)
    passes = facts.get("passes", position.status.passes)
    if type(passes) is not int:
        raise PositionError(f"passes is a whole number, not {passes!r}")
    may_swap = facts.get("may_swap", position.status.may_swap)
    if type(may_swap) is not bool:
        raise PositionError(f"may_swap is true or false, not {may_swap!r}")
    return str(stones), parse_colour(str(to_move)), passes, may_swap


def set_up(game: Game, stones: str, to_move: Colour, status: Status) -> Position:
    """Return the position with these stones, in the canonical order of vertices.

    Raises GameError if no game can reach it.
    """
    if len(stones) != len(game.board):
        raise GameError(f"{len(stones)} stones for {len(game.board)} vertices", "stones")
    wrong = next((stone for stone in stones if stone not in STONES), None)
    if wrong is not None:
        raise GameError(f"a stone is B, W or . for none, not {wrong!r}", "stones")
    if status.may_swap and Swap not in game.turn_kinds:
        raise GameError("there is no swap without the pie rule", "may_swap")
    if status.passes < 0:
        raise GameError("passes are a number from 0", "passes")
    if status.passes and Pass not in game.turn_kinds:
        raise GameError(f"nobody passes in {game.title}", "passes")
    position = game.set_up([STONES[stone] for stone in stones], to_move, status)
    if isinstance(game, Ayu):
        _check_pieces(game.start(), position)
    return position


def _check_pieces(start: Position, position: Position) -> None:
    """Raise GameError unless each colour has all its pieces."""
    for colour in Colour:
        found, right = (each.stones.count(colour) for each in (position, start))
        if found != right:
            raise GameError(f"there are always {right} {colour} pieces, not {found}", "stones")


def evaluations(engine: Engine, lines: Iterable[str]) -> Iterator[str]:
    """Yield a line of JSON for each line of JSON that is not empty, in order."""
    game: Game | None = None
    for line in lines:
        if not line.strip():
            continue
        facts: Any = None
        try:
            facts = read_facts(line)
            position = read_position(facts)
            if position.game != game:
                engine.prepare(position.game)
                game = position.game
            engine.new_game()
            engine.wait_until_ready()
            found = _evaluated(engine, position)
        except (ValueError, TypeError) as error:
            found = {"error": str(error)}
        identity = {"id": facts["id"]} if isinstance(facts, dict) and "id" in facts else {}
        yield json.dumps({**identity, **found})


def _evaluated(engine: Engine, position: Position) -> dict[str, Any]:
    if position.result is not None:
        return {"result": str(position.result)}
    evaluation = engine.evaluate(DropPosition(position))
    if evaluation is None:
        return {"turn": str(engine.choose(position))}
    return {
        "win_rate": round(evaluation.win_rate, 4),
        "simulations": evaluation.simulations,
        "candidates": [
            {
                "action": str(candidate.action),
                "share": round(candidate.share, 4),
                "win_rate": round(candidate.win_rate, 4),
            }
            for candidate in evaluation.candidates
        ],
    }
