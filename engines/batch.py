"""Many positions at once: JSON Lines in, evaluations out, for `oddly engine NAME --batch`."""

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
    read_setting,
    setting_text,
    settings_of,
)
from oddly.protocol import parse_colour, parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oddly.engines.engine import Engine

STONES = {".": EMPTY, "B": Colour.BLACK, "W": Colour.WHITE}


class BatchError(ValueError):
    """A line that is not a position. The message is one sentence."""


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


def read_position(facts: Mapping[str, Any]) -> Position:
    """Return the position that a line names. Raises BatchError, ValueError or TypeError.

    `game`, `size` and settings name the game; `turns` leads to the position, or `stones`,
    `to_move`, `passes` and `may_swap` set it up.
    """
    name = facts.get("game")
    if not isinstance(name, str):
        raise BatchError('expected a field \'game\', as in "game": "yodd"')
    size = facts.get("size")
    if size is not None and type(size) is not int:
        raise BatchError(f"size is a whole number, not {size!r}")
    known = settings_of(GAMES[name.lower()]) if name.lower() in GAMES else {}
    settings = {
        setting: read_setting(name, setting, setting_text(facts[setting]))
        for setting in known
        if setting in facts
    }
    game = create_game(name, size, settings)
    if "turns" not in facts and "stones" in facts:
        return _set_up(game, facts)
    position = game.start()
    for turn in turns_in(facts):
        position = position.play(turn)
    return position


def turns_in(facts: Mapping[str, Any]) -> list[Turn]:
    """Return the turns that lead to the position of a line. Raises BatchError or NotationError."""
    turns = facts.get("turns", "")
    if not isinstance(turns, str | list):
        raise BatchError(f'turns are a text or a list, as in "turns": "Bc3 Wb2", not {turns!r}')
    texts = turns.split() if isinstance(turns, str) else map(str, turns)
    return [parse_turn(text) for text in texts]


def read_facts(line: str) -> dict[str, Any]:
    """Return the JSON object on a line. Raises BatchError if there is none."""
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError):
        raise BatchError("expected a JSON object on a line") from None
    if not isinstance(facts, dict):
        raise BatchError("expected a JSON object on a line")
    return facts


def _set_up(game: Game, facts: Mapping[str, Any]) -> Position:
    to_move = parse_colour(str(facts.get("to_move", "black")))
    passes = facts.get("passes", 0)
    if type(passes) is not int:
        raise BatchError(f"passes is a whole number, not {passes!r}")
    status = Status(passes, bool(facts.get("may_swap", False)))
    return set_up(game, str(facts["stones"]), to_move, status)


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
