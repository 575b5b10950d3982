"""How often two equal engines are said to differ: `python -m benchmarks.superiority`.

Every result of some pairs of games is rated, and counts as often as it comes when both engines are
equal and the first player wins a game with a given probability. Nothing is simulated.
"""

from __future__ import annotations

from functools import cache
from math import comb

from tabulate import tabulate

from oddly.tournaments.ratings.bradley_terry import rate
from oddly.tournaments.ratings.ordered_pairs import from_counts

PAIRS = (5, 9, 12, 15, 25, 50)
FIRST_WINS = (0.5, 0.6, 0.7, 0.8, 0.9)
TAILS = (0.01, 0.05)


@cache
def superiority(pairs: int, one_wins: int, other_wins: int) -> float:
    """Return the LOS of an engine that won `one_wins` of `pairs` games as first player.

    Its opponent won `other_wins` of as many games as first player.
    """
    # The same results are seen from the other engine's side, and with the seats exchanged.
    if one_wins < other_wins:
        return 1 - superiority(pairs, other_wins, one_wins)
    if one_wins + other_wins < pairs:
        return superiority(pairs, pairs - other_wins, pairs - one_wins)
    counts = {
        ("one", "other", "first"): one_wins,
        ("one", "other", "second"): pairs - one_wins,
        ("other", "one", "first"): other_wins,
        ("other", "one", "second"): pairs - other_wins,
    }
    rows = {row: games for row, games in counts.items() if games}
    return rate(from_counts(rows, ["one", "other"], rows, {})).likelihood_of_superiority(0, 1)


def claims(pairs: int, first_wins: float) -> tuple[float, float]:
    """Return how often a LOS is 99 % or more for one of two equal engines, and 95 % or more."""
    chances = [
        comb(pairs, wins) * first_wins**wins * (1 - first_wins) ** (pairs - wins)
        for wins in range(pairs + 1)
    ]
    found = [0.0, 0.0]
    for one, of_one in enumerate(chances):
        for other, of_other in enumerate(chances):
            los = superiority(pairs, one, other)
            for place, tail in enumerate(TAILS):
                if not tail < los < 1 - tail:
                    found[place] += of_one * of_other
    return found[0], found[1]


def table_text() -> str:
    """Return the table that the docs have."""
    rows = [
        [2 * pairs]
        + [f"{100 * at_99:.1f} / {100 * at_95:.1f}" for at_99, at_95 in
           (claims(pairs, first_wins) for first_wins in FIRST_WINS)]
        for pairs in PAIRS
    ]  # fmt: skip
    headers = ["games", *(f"{100 * share:.0f} %" for share in FIRST_WINS)]
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)


if __name__ == "__main__":
    print(table_text())
