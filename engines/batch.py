"""Many positions at once: JSON Lines in, evaluations out, for `oddly engine NAME --batch`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from oddly.engines.position_reading import read_facts, read_position
from oddly.games import DropPosition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oddly.engines.engine import Engine
    from oddly.games import Game, Position


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
