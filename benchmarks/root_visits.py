"""How much of a search its favourite gets: `python -m benchmarks.root_visits yodd 8`.

An empty board is searched with several seeds, with all actions, with one of each kind that symmetry
makes equal, as `rave` does in long searches, and so with the network where there is one. The rows
give the share of all visits that the most visited action has.
"""

from __future__ import annotations

import argparse
from random import Random
from statistics import median
from typing import TYPE_CHECKING, cast

from tabulate import tabulate

from oddly.engines.rave_engine import NETWORK_BOARDS, RaveEngine, board_of
from oddly.engines.search.analysing import new_searcher
from oddly.games import DropPosition, create_game
from oddly.games.drop_level import kinds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.engines.search.searcher import Searcher
    from oddly.games import Game


def shares(
    game: Game, simulations: int, seeds: int, *, one_of_each: bool, with_network: bool = False
) -> list[float]:
    """Return the favourite's share of the visits of an empty board, ascending."""
    at, engine = DropPosition(game.start()), RaveEngine()
    engine.set_option("simulations", str(simulations))
    engine.set_option("network", "always" if with_network else "never")
    settings = engine.settings(game)
    found = []
    for seed in range(seeds):
        searcher = cast("Searcher", new_searcher(game, seed=seed))
        searcher.load(at)
        if one_of_each:
            kinds = kinds_of(at.start, searcher.safe_actions())
            searcher.list_only([Random(seed).choice(kind) for kind in kinds])
        searcher.think(settings, simulations=simulations)
        visits = [vote.visits for vote in searcher.votes().values()]
        found.append(max(visits) / sum(visits))
    return sorted(found)


def table(rows: Sequence[tuple[str, list[float]]]) -> str:
    """Return the shares as a table in Markdown."""
    cells = [
        (name, *(f"{100 * share:.1f} %" for share in (median(found), found[0], found[-1])))
        for name, found in rows
    ]
    return tabulate(cells, ("actions", "median", "least", "most"), tablefmt="github")


def main() -> None:
    """Search, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("size", type=int)
    parser.add_argument("--simulations", type=int, default=200_000)
    parser.add_argument("--seeds", type=int, default=20)
    asked = parser.parse_args()
    game = create_game(asked.game, asked.size)
    ways = [("all", False, False), ("one of each kind", True, False)]
    if board_of(game) in NETWORK_BOARDS:
        ways.append(("one of each kind, with the network", True, True))
    rows = [
        (
            name,
            shares(game, asked.simulations, asked.seeds, one_of_each=one, with_network=network),
        )
        for name, one, network in ways
    ]
    print(table(rows))


if __name__ == "__main__":
    main()
