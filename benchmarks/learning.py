"""What learning is worth: `rave` with what it has learnt against `rave` without, in one process.

    python -m benchmarks.learning yodd 8 --games 100 --simulations 1000
    python -m benchmarks.learning yodd 8 --speed 9
    python -m benchmarks.learning xodd 8 --part judge --games 100 --simulations 1000
    python -m benchmarks.learning xodd 12 --part network --games 100 --simulations 8000

What is learnt has three parts: the prior of actions, the judge of positions, and the network. The
match is about one of them, the prior if nothing is said; `--beside PART` lets both use another.
Both have the same number of simulations an action, so that it does not matter how busy a machine
is. Games come in pairs from one opening of up to three random turns, with the colours exchanged.
`--speed N` measures the simulations in a second of processor time instead, in N pairs of searches,
and prints the ratios, with learning over without.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from oddly.engines.rave_engine import NETWORK_BOARDS, SHORT, TRIED_SHARE, board_of, tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.games import DropPosition, create_game
from oddly.study.estimates import share
from oddly.study.training.course import pair_points

if TYPE_CHECKING:
    from oddly.engines.search.settings import Settings
    from oddly.games import Game

PARTS = {"prior": "trust", "judge": "judge_share", "network": "puct"}
"""The setting that says how far to go by each part of what was learnt."""
SIMULATIONS_TO_TIME = 40_000


def rate(searcher: Searcher, settings: Settings, seed: int) -> float:
    """Return the simulations in a second of processor time, from the start of a game."""
    searcher.forget(seed)
    searcher.load(DropPosition(searcher.game.start()))
    began = process_time()
    done = searcher.think(settings, simulations=SIMULATIONS_TO_TIME).simulations
    return done / (process_time() - began)


def settings_for(
    game: Game, part: str, beside: str | None, simulations: int
) -> tuple[Settings, Settings]:
    """Return the settings with a part of what was learnt, and those without."""
    none = {setting: 0.0 for name, setting in PARTS.items() if name not in {part, beside}}
    tuned = tuned_for(game, is_long=simulations > SHORT)
    with_learning = replace(tuned, **({"judge_share": TRIED_SHARE} | none))
    return with_learning, replace(with_learning, **{PARTS[part]: 0.0})


def main() -> None:
    """Play the match and print its score, or print speeds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("size", type=int)
    parser.add_argument("--part", choices=PARTS, default="prior")
    parser.add_argument("--beside", choices=PARTS, help="both go by this part")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--memory", type=int, default=256, help="megabytes for each tree")
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    game = create_game(arguments.game, arguments.size)
    if arguments.part == "network" and board_of(game) not in NETWORK_BOARDS:
        parser.error(f"{game} has no network")
    with_learning, without = settings_for(
        game, arguments.part, arguments.beside, arguments.simulations
    )
    one, other = (Searcher(game, megabytes=arguments.memory) for _ in range(2))
    if arguments.speed:
        rate(one, with_learning, 0)
        ratios = [
            rate(one, with_learning, seed) / rate(one, without, seed)
            for seed in range(1, arguments.speed + 1)
        ]
        told = " ".join(f"{ratio:.2f}" for ratio in sorted(ratios))
        print(f"{game}: median {median(ratios):.2f} of {told}")
        return
    players = (one, with_learning), (other, without)
    points = 0.0
    for pair in range(arguments.games // 2):
        seed = 1_000_000 * arguments.seed + pair
        points += pair_points(players, arguments.simulations, seed)
        score = share(points, 2 * (pair + 1))
        if score is not None:
            interval = f"{score.value:.0%} [{score.low:.0%}-{score.high:.0%}]"
            print(f"{game}: {points:g} of {2 * (pair + 1)}: {interval}", flush=True)


if __name__ == "__main__":
    main()
