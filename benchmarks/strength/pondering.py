"""What pondering leaves: visits of the reply that comes, after a long search of all replies."""

from __future__ import annotations

from typing import Any

from oddly.engines.rave_engine import tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.games import DropPosition, create_game

OPENING_SIMULATIONS = 2000


def kept_by_pondering(
    game_name: str, size: int, simulations: int, megabytes: int
) -> dict[str, Any]:
    """Return how many simulations of pondering the most likely reply keeps, a whole turn later.

    The engine opens, ponders about the opponent's turn, and searches the position after the turn
    that it expects.
    """
    game = create_game(game_name, size)
    settings = tuned_for(game)
    searcher = Searcher(game, megabytes=megabytes, seed=1)
    searcher.load(DropPosition(game.start()))
    opening = searcher.think(settings, simulations=OPENING_SIMULATIONS)
    at = DropPosition(game.start()).act(searcher.action_of(opening.action))
    searcher.load(at)
    done = searcher.think(settings, simulations=simulations)
    mover = at.start.to_move
    while at.start.to_move is mover:
        votes = searcher.votes()
        at = at.act(searcher.action_of(max(votes, key=lambda action: votes[action].visits)))
        searcher.load(at)
    kept = sum(vote.visits for vote in searcher.votes().values())
    return {"simulations": done.simulations, "kept": int(kept)}
