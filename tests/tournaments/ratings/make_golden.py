"""Writes the golden ratings anew: `python -m tests.tournaments.ratings.make_golden`."""

from pathlib import Path

from oddly.interfaces.text.summary_tables import advantage_line, rating_table
from oddly.tournaments.ratings.bradley_terry import rate
from oddly.tournaments.ratings.ordered_pairs import collect
from oddly.tournaments.ratings.playing_first import advantage_test
from tests.tournaments.results.outcomes import HOSTILE

FOLDER = Path(__file__).parent / "golden"
FORMATS = ("simple", "github", "html", "tsv")
PAIRS = [("strong", "middling", "1121"), ("middling", HOSTILE, "12d1"), (HOSTILE, "strong", "2212")]
"""Two engines, and which of them won each of their games; they take turns at opening."""


def games():
    """Made up, in both seats."""
    for one, other, spelled in PAIRS:
        winners = {"1": one, "2": other}
        for index, result in enumerate(spelled):
            first, second = (one, other) if index % 2 == 0 else (other, one)
            seats = {first: "first", second: "second"}
            yield first, second, seats.get(winners.get(result), "draw")


def golden(format_: str) -> str:
    results = collect(games())
    ratings = rate(results)
    table = rating_table(ratings, format_)
    return f"{table}\n\n{advantage_line(ratings, advantage_test(results))}\n"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for format_ in FORMATS:
        (FOLDER / f"{format_}.txt").write_text(golden(format_), encoding="utf-8")


if __name__ == "__main__":
    main()
