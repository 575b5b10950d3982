"""Writes the golden tables anew: `python -m tests.tournaments.make_golden`. Look at the diff."""

from pathlib import Path

from tests.tournaments.outcomes import HOSTILE, league
from tournaments.chapters import chapters
from tournaments.results import results

FOLDER = Path(__file__).parents[1] / "data" / "tables"
FORMATS = ("simple", "github", "html", "plain")
NAMES = ["strong", "middling", HOSTILE]
RESULTS = "112d1f2v11d2"


def golden(format_: str) -> str:
    return results(chapters(NAMES, league(NAMES, RESULTS, games=2)), format_) + "\n"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for format_ in FORMATS:
        (FOLDER / f"{format_}.txt").write_text(golden(format_), encoding="utf-8")


if __name__ == "__main__":
    main()
