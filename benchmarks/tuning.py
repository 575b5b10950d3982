"""Optimisers on a simulated engine whose best options are known: `python -m benchmarks.tuning`.

The engine loses Elo by the square of the distance of its options from the best ones, and games are
won by the logistic law. SPSA has its settings play each other; the others, which want the value of
one place, have each setting play the engine as it was at the start. All get the same number of
games, in swapped pairs. Those that are not installed are left out:
`pip install cma nevergrad optuna`.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from oddly.tournaments import Spsa

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BATCH = 8


class SimulatedEngine:
    """An engine that is `steepness` Elo weaker half a range away from its best places."""

    def __init__(self, options: int, steepness: float, seed: int) -> None:
        self._random = Random(seed)
        self._best = [self._random.uniform(0.15, 0.85) for _ in range(options)]
        self._steepness = steepness
        self.start = [self._random.random() for _ in range(options)]

    def loss(self, places: Sequence[float]) -> float:
        """Return by how many Elo the engine is weaker than at its best."""
        far = sum((a - b) ** 2 for a, b in zip(places, self._best, strict=True))
        return self._steepness * far / 0.25

    def share(self, one: Sequence[float], other: Sequence[float]) -> float:
        """Play a pair of games, and return the share of the points of the first setting."""
        expected = 1 / (1 + 10 ** ((self.loss(one) - self.loss(other)) / 400))
        return sum(self._random.random() < expected for _ in range(2)) / 2


def spsa(engine: SimulatedEngine, pairs: int, seed: int) -> Sequence[float]:
    """Return the best places by our SPSA."""
    search = Spsa(engine.start, str(seed))
    while search.told < pairs:
        asked = [search.ask() for _ in range(min(BATCH, pairs - search.told))]
        for each in asked:
            search.tell(each, engine.share(each.plus, each.minus))
    return search.best


def cma_es(engine: SimulatedEngine, pairs: int, seed: int) -> Sequence[float]:
    """Return the mean of the last population of CMA-ES, by pycma."""
    cma: Any = import_module("cma")
    # pycma has no search in one dimension: a second one does nothing.
    start = [*engine.start, 0.5] if len(engine.start) == 1 else engine.start
    strategy = cma.CMAEvolutionStrategy(
        start, 0.2, {"bounds": [0, 1], "seed": seed + 1, "verbose": -9, "tolfun": 0, "tolx": 0}
    )
    size, played = len(engine.start), 0
    while played < pairs:
        asked = strategy.ask()
        strategy.tell(asked, [-engine.share(list(x)[:size], engine.start) for x in asked])
        played += len(asked)
    return [min(1.0, max(0.0, float(x))) for x in strategy.result.xfavorite][:size]


def tbpsa(engine: SimulatedEngine, pairs: int, seed: int) -> Sequence[float]:
    """Return what nevergrad's TBPSA, which is for noisy values, recommends."""
    nevergrad: Any = import_module("nevergrad")
    places = nevergrad.p.Array(init=engine.start, lower=0, upper=1)
    places.random_state.seed(seed)
    search = nevergrad.optimizers.TBPSA(parametrization=places, budget=pairs)
    for _ in range(pairs):
        asked = search.ask()
        search.tell(asked, -engine.share(asked.value, engine.start))
    return [float(x) for x in search.provide_recommendation().value]


def tpe(engine: SimulatedEngine, pairs: int, seed: int) -> Sequence[float]:
    """Return the mean of the tenth of the trials that optuna's TPE found best."""
    optuna: Any = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    names = [str(number) for number in range(len(engine.start))]
    for _ in range(pairs):
        trial = study.ask()
        places = [trial.suggest_float(name, 0, 1) for name in names]
        study.tell(trial, engine.share(places, engine.start))
    # Many trials have the best value there is: their mean is better than any of them.
    best = sorted(study.trials, key=lambda trial: -trial.value)[: max(1, pairs // 10)]
    return [fmean(trial.params[name] for trial in best) for name in names]


SEARCHES: dict[str, tuple[Callable[[SimulatedEngine, int, int], Sequence[float]], str]] = {
    "SPSA (ours)": (spsa, ""),
    "CMA-ES (pycma)": (cma_es, "cma"),
    "TBPSA (nevergrad)": (tbpsa, "nevergrad"),
    "TPE (optuna)": (tpe, "optuna"),
}


def remaining(
    search: Callable[[SimulatedEngine, int, int], Sequence[float]],
    options: int,
    games: int,
    runs: int,
) -> tuple[float, float]:
    """Return the Elo that is still lost after the search, with the error of that mean."""
    found = []
    for seed in range(runs):
        engine = SimulatedEngine(options, 200, seed)
        found.append(engine.loss(search(engine, games // 2, seed)))
    return fmean(found), stdev(found) / runs**0.5


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuning", description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--games", type=int, nargs="*", default=[200, 1000])
    parser.add_argument("--options", type=int, nargs="*", default=[1, 3])
    chosen = parser.parse_args()
    columns = [(options, games) for options in chosen.options for games in chosen.games]
    starts = [
        fmean(engine.loss(engine.start) for engine in _engines(options, chosen.runs))
        for options, _ in columns
    ]
    rows: list[list[str]] = [["at the start", *(f"{loss:.0f}" for loss in starts)]]
    for name, (search, package) in SEARCHES.items():
        if not package or find_spec(package):
            found = [remaining(search, *column, chosen.runs) for column in columns]
            rows.append([name, *(f"{mean:.1f} +- {error:.1f}" for mean, error in found)])
    heads = [f"{options} option{'s'[: options - 1]}, {games} games" for options, games in columns]
    print(tabulate(rows, ["Elo lost", *heads], tablefmt="github", disable_numparse=True))


def _engines(options: int, runs: int) -> list[SimulatedEngine]:
    return [SimulatedEngine(options, 200, seed) for seed in range(runs)]


if __name__ == "__main__":
    main()
