"""Search when told, and print how fast: the worker of `benchmarks/search.py`.

It is run by the Python of any checkout, so that it uses only what all of them have had.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from random import Random
from time import perf_counter

from oddly.engines.rave_engine import tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.games import DropPosition, create_game, random_turn

MEGABYTES = 256
TURNS = (0, 20, 40)
"""The positions searched: after this many random turns."""


def main() -> None:
    """For each line read, a seed, search the positions and print the simulations a second."""
    name, size, threads, simulations = sys.argv[1], *map(int, sys.argv[2:])
    game = create_game(name, size)
    settings = tuned_for(game)
    if hasattr(settings, "trust"):
        settings = replace(settings, trust=0.0)
    searcher = Searcher(game, threads=threads, megabytes=MEGABYTES)
    at, random, positions = game.start(), Random(1), []
    for turn in range(max(TURNS) + 1):
        if turn in TURNS:
            positions.append(DropPosition(at))
        at = at.play(random_turn(at, random))
    searcher.load(positions[0])
    searcher.think(settings, simulations=100)
    print("ready", flush=True)
    for line in sys.stdin:
        seconds = 0.0
        for position in positions:
            searcher.forget(int(line))
            searcher.load(position)
            began = perf_counter()
            searcher.think(settings, simulations=simulations)
            seconds += perf_counter() - began
        print(simulations * len(positions) / seconds, flush=True)


if __name__ == "__main__":
    main()
