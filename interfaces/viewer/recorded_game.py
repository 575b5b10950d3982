"""A finished game as plain values for the viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oddly.games import Parity, xml_text
from oddly.protocol import parse_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games import Game, GroupCounts
    from oddly.referee import GameRecord

SYMBOLS = ".XO"
"""Nothing, black, white."""


def stones_text(stones: Sequence[int]) -> str:
    """Return one character for each index of the board."""
    return "".join(SYMBOLS[stone] for stone in stones)


def black_lead(game: Game, counts: GroupCounts) -> int | None:
    """Return by how much Black leads: fewer groups are better.

    None in games that the parity of all groups decides, where nobody leads.
    """
    return None if game.parity is Parity.WINS else counts.white - counts.black


def recorded_game(record: GameRecord) -> dict[str, Any]:
    """Return players, turns, times, result, and what the engines expected of their turns.

    `rates` are Black's chances after each turn as the player of the turn sees it, null where it
    does not say; the field is missing if nobody does. Raises NotationError for a turn that is none.
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
