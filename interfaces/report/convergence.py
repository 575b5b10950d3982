"""How ratings settled while an event went on."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments.ratings.ordered_pairs import Counts, Results

MAX_STEPS = 40
"""The greatest number of times that the ratings are computed anew."""

MAX_STEPS_OF_MANY = 12
MANY_ENGINES = 50

Curve = list[tuple[int, float]]
"""A quantity after some number of games or pairs."""


class ResultColumns:
    """The results of one game, a few bytes each, in the order in which games ended."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], int] = {}
        self._pair = array("i")
        self._winner = array("b")
        self._copied = array("q")

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self._pair)

    def add(self, first: str, second: str, winner: int, ending: str, digest: int) -> None:
        """Add a game: 0 for a win of the first player, 1 of the second, 2 for a draw."""
        pair = self._pairs.setdefault((first, second), len(self._pairs))
        self._pair.append(pair)
        self._winner.append(winner)
        # What copies have in common; a game whose turns are not known is nobody's copy.
        own = hash((pair, winner, ending, digest)) if digest else -1 - len(self._pair)
        self._copied.append(own)

    def curves(self, names: Sequence[str]) -> dict[str, Curve]:
        """Return each engine's Elo after some of the games, from its first game on."""
        import numpy as np

        from oddly.tournaments.ratings.bradley_terry import rate, usual_prior

        curves: dict[str, Curve] = {name: [] for name in names}
        if not len(self):
            return curves
        places = {name: index for index, name in enumerate(sorted(names))}
        seats = np.array([[places[a], places[b]] for a, b in self._pairs], dtype=np.int64)
        pair, winner = np.array(self._pair), np.array(self._winner)
        _, new = np.unique(np.array(self._copied), return_index=True)
        is_new = np.zeros(len(self), dtype=bool)
        is_new[new] = True
        cells = pair.astype(np.int64) * 3 + winner

        def results(until: int) -> Results:
            counted = cells[:until][is_new[:until]]
            return _results(names, seats, np.bincount(counted, minlength=3 * len(seats)))

        prior = usual_prior(results(len(self)))
        for now in _steps(len(self), len(names)):
            found = results(now)
            elo, games = rate(found, prior).elo, found.games_of_engines()
            for name, place in places.items():
                if games[place]:
                    curves[name].append((now, float(elo[place])))
        return curves


def _results(names: Sequence[str], seats: Counts, counted: Counts) -> Results:
    """Return the results of pairs in these seats, counted as wins, losses and draws."""
    import numpy as np

    from oddly.tournaments.ratings.ordered_pairs import Results

    table = np.column_stack((seats, counted.reshape(-1, 3)))
    table = table[table[:, 2:].sum(axis=1) > 0]
    first, second, wins, losses, draws = table[np.lexsort((table[:, 1], table[:, 0]))].T
    of_engines = np.zeros(len(names), dtype=np.int64)
    found = Results(tuple(sorted(names)), first, second, wins, draws, losses, of_engines)
    return replace(found, played=found.games_of_engines())


def _steps(games: int, engines: int) -> list[int]:
    """Return some numbers of games, evenly apart, the last one all of them."""
    most = MAX_STEPS if engines <= MANY_ENGINES else MAX_STEPS_OF_MANY
    steps = min(games, most)
    return [games * step // steps for step in range(1, steps + 1)]
