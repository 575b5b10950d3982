"""Write the golden tables: `python -m tests.interfaces.text.make_golden`."""

from pathlib import Path

from oddly.interfaces.text.summary_tables import summaries_text
from oddly.tournaments.results.game_summary import game_summaries
from tests.tournaments.results.outcomes import HOSTILE, league

FOLDER = Path(__file__).parents[2] / "data" / "tables"
FORMATS = ("simple", "github", "html", "plain", "wide")
NAMES = ["strong", "middling", HOSTILE]
RESULTS = "112d1f2v11d2"


def golden(format_: str) -> str:
    return summaries_text(game_summaries(NAMES, league(NAMES, RESULTS, games=2)), format_) + "\n"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for format_ in FORMATS:
        (FOLDER / f"{format_}.txt").write_text(golden(format_), encoding="utf-8")


if __name__ == "__main__":
    main()
