"""Scheduled games as plain values for JSON and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oddly.games.catalogue import create_game
from oddly.tournaments.schedule import ScheduledGame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.tournaments.schedule import GameOptions


def scheduled_facts(scheduled: ScheduledGame) -> dict[str, Any]:
    """Return the values that `scheduled_from` turns back into the game."""
    return {
        "number": scheduled.number,
        "game": scheduled.game.name,
        "size": scheduled.game.size,
        "settings": dict(scheduled.game.settings),
        "round": scheduled.round,
        "first": scheduled.first,
        "second": scheduled.second,
        "seed": scheduled.seed,
        "id": scheduled.id,
        "opening": list(scheduled.opening),
        **(
            {"options": [dict(each) for each in scheduled.options]}
            if any(scheduled.options)
            else {}
        ),
    }


def scheduled_from(facts: Mapping[str, Any]) -> ScheduledGame:
    """Return the game of these values. Raises ValueError or KeyError if they are invalid."""
    return ScheduledGame(
        facts["number"],
        create_game(facts["game"], facts["size"], facts["settings"]),
        facts["round"],
        facts["first"],
        facts["second"],
        facts["seed"],
        facts["id"],
        tuple(facts["opening"]),
        _options(facts.get("options", ({}, {}))),
    )


def _options(found: Any) -> tuple[GameOptions, GameOptions]:  # noqa: ANN401 - JSON
    """Return the options of both players. Raises ValueError if they are invalid."""
    try:
        first, second = (tuple((str(k), str(v)) for k, v in each.items()) for each in found)
    except (AttributeError, TypeError):
        raise ValueError("options of a game are two tables of text") from None
    return first, second
