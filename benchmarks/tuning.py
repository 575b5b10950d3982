"""Optimisers on a simulated engine whose best options are known: `python -m benchmarks.tuning`.

The engine loses Elo by the square of the distance of its options from the best ones, and games are
won by the logistic law. SPSA has its settings play each other; the others, which want the value of
one place, have each setting play the engine as it was at the start. All get the same number of
games, in swapped pairs. Those that are not installed are left out:
`pip install cma nevergrad optuna`.

With `--intervals` it measures instead what `oddly tune` says of its games: how often the interval
of an option holds the optimum, how often a gain is shown, and how often what is recommended is
worse than the start.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from tabulate import tabulate

from oddly.tournaments import Spsa
from oddly.tournaments.formats.spsa import PairAtPlaces
from oddly.tournaments.formats.tuning_optimum import optimum_of
from oddly.tournaments.ratings.elo import ELO_PER_NAT, STANDARD, elo_of, expected_score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BATCH = 8


@dataclass(frozen=True)
class Setting:
    """What is simulated: an engine that is `steepness` Elo weaker half a range from its best."""

    options: int = 1
    steepness: float = 200
    games: int = 400
    best: str = "inside"
    """Where its best places are: inside the range, at an edge, or outside."""
    start: str = "anywhere"
    """Or at the best places."""
    draws: float = 0
    """The share of draws in games of equals."""
    favour: float = 0
    """How much openings favour a side, in log-odds: one standard deviation."""
    crossed: float = 0
    """How much the best value of an option depends on the others; 0: not."""
    skew: float = 1
    """How much less is lost below the best value than above it."""

    def __str__(self) -> str:
        told = [
            f"{self.options} option{'s'[: self.options - 1]}",
            f"{self.steepness:g} Elo",
            f"{self.games} games",
        ]
        told += [] if self.best == "inside" else [f"optimum {self.best}"]
        told += [] if self.start == "anywhere" else [f"start at {self.start}"]
        told += [f"{100 * self.draws:.0f} % draws"] if self.draws else []
        told += ["openings that favour a side"] if self.favour else []
        told += ["options that depend on each other"] if self.crossed else []
        told += ["lopsided"] if self.skew != 1 else []
        return ", ".join(told)


class SimulatedEngine:
    """An engine whose best places are known."""

    def __init__(self, setting: Setting, seed: int) -> None:
        self._random = random = Random(seed)
        self._setting = setting
        places = {
            "inside": lambda: random.uniform(0.15, 0.85),
            "at an edge": lambda: random.choice((0.0, 1.0)),
            "outside": lambda: random.choice((-0.2, 1.2)),
        }
        self._best = [places[setting.best]() for _ in range(setting.options)]
        self.best = [min(1.0, max(0.0, place)) for place in self._best]
        """Its best places within the range."""
        drawn = [random.random() for _ in range(setting.options)]
        self.start = self.best if setting.start == "the optimum" else drawn

    def loss(self, places: Sequence[float]) -> float:
        """Return by how many Elo the engine is weaker than at its best."""
        away = [a - b for a, b in zip(places, self._best, strict=True)]
        far = sum(a * a / (self._setting.skew if a < 0 else 1) for a in away)
        far += self._setting.crossed * sum(a * b for a, b in combinations(away, 2))
        return self._setting.steepness * far / 0.25

    def share(self, one: Sequence[float], other: Sequence[float]) -> float:
        """Play a pair of games, and return the share of the points of the first setting."""
        ahead = self.loss(other) - self.loss(one)
        favour = (
            ELO_PER_NAT * self._random.gauss(0, most) if (most := self._setting.favour) else 0.0
        )
        return (self._points(ahead + favour) + self._points(ahead - favour)) / 2

    def _points(self, ahead: float) -> float:
        expected = expected_score(ahead)
        drawn = 2 * self._setting.draws * min(expected, 1 - expected)
        random = self._random.random()
        return 0.5 if random < drawn else float(random < drawn / 2 + expected)

    def gain(self, places: Sequence[float]) -> float:
        """Return the Elo by which games show the engine to be stronger there than at its start."""
        ahead = self.loss(self.start) - self.loss(places)
        favours = [STANDARD.inv_cdf((at + 0.5) / 100) * self._setting.favour for at in range(100)]
        share = fmean(expected_score(ahead + ELO_PER_NAT * favour) for favour in favours)
        return elo_of(share)


def spsa(engine: SimulatedEngine, pairs: int, seed: int) -> Sequence[float]:
    """Return the best places by our SPSA."""
    return searched(engine, pairs, seed)[0].best


def searched(engine: SimulatedEngine, pairs: int, seed: int) -> tuple[Spsa, list[PairAtPlaces]]:
    """Return a search that is over, and its pairs of games."""
    search, played = Spsa(engine.start, str(seed)), []
    while search.told < pairs:
        asked = [search.ask() for _ in range(min(BATCH, pairs - search.told))]
        for each in asked:
            share = engine.share(each.plus, each.minus)
            played.append(PairAtPlaces(each.plus, each.minus, share))
            search.tell(each, share)
    return search, played


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
        engine = SimulatedEngine(Setting(options), seed)
        found.append(engine.loss(search(engine, games // 2, seed)))
    return fmean(found), stdev(found) / runs**0.5


SETTINGS = (
    Setting(),
    Setting(games=100),
    Setting(games=2000),
    Setting(steepness=80),
    Setting(steepness=30),
    Setting(steepness=8),
    Setting(steepness=8, games=2000),
    Setting(steepness=0),
    Setting(start="the optimum"),
    Setting(steepness=20, start="the optimum"),
    Setting(best="at an edge"),
    Setting(best="outside"),
    Setting(draws=0.6),
    Setting(favour=2),
    Setting(skew=4),
    Setting(2, 80, 1000),
    Setting(3),
    Setting(3, games=2000),
    Setting(3, 8),
    Setting(3, 20, start="the optimum"),
    Setting(3, crossed=1, games=1000),
    Setting(3, skew=4, games=1000),
    Setting(6, 60, 1000),
)
HEADS = ("", "interval holds it", "its width", "loses at the start", "gain of what is recommended",
         "gain shown", "worse than the start", "gain's interval holds")  # fmt: skip


class Judged(NamedTuple):
    """How right a tuning was, from 0 to 1 where nothing else is said."""

    holds: float
    width: float
    loss: float
    """At the start, in Elo."""
    gain: float
    """Of what is recommended, in Elo."""
    is_shown: bool
    is_worse: bool
    gain_holds: bool


def judged(setting: Setting, seed: int) -> Judged:
    """Tune a simulated engine, and judge what is said of it."""
    engine = SimulatedEngine(setting, seed)
    search, pairs = searched(engine, setting.games // 2, seed)
    found = optimum_of(pairs, tuple(engine.start), search.best)
    ends = zip(found.between, engine.best, strict=True)
    gain = engine.gain(found.best)
    shown = found.gain.is_shown
    return Judged(
        fmean(low <= best <= high for (low, high), best in ends),
        fmean(high - low for low, high in found.between),
        -engine.gain(engine.start) + engine.gain(engine.best),
        gain if shown else 0.0,
        shown,
        shown and gain < 0,
        found.gain.low <= gain <= found.gain.high,
    )


def intervals(runs: int) -> None:
    """Print the table of what tunings say, as it grows."""
    print(f"| {' | '.join(HEADS)} |\n|{' --- |' * len(HEADS)}")
    for setting in SETTINGS:
        columns = zip(*(judged(setting, seed) for seed in range(runs)), strict=True)
        holds, width, loss, gain, shown, worse, gain_holds = map(fmean, columns)
        held, harmed, true = (f"{100 * share:.1f} %" for share in (holds, worse, gain_holds))
        wide, said = (f"{100 * share:.0f} %" for share in (width, shown))
        cells = (held, wide, str(round(loss)), str(round(gain)), said, harmed, true)
        print(f"| {setting} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuning", description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--games", type=int, nargs="*", default=[200, 1000])
    parser.add_argument("--options", type=int, nargs="*", default=[1, 3])
    parser.add_argument("--intervals", action="store_true", help="measure what tunings say")
    chosen = parser.parse_args()
    if chosen.runs < 2:
        parser.error("--runs: an error bar needs 2 runs or more")
    if chosen.intervals:
        intervals(chosen.runs)
        return
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
    return [SimulatedEngine(Setting(options), seed) for seed in range(runs)]


if __name__ == "__main__":
    main()
