"""The standings so far, one line for each engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.untrusted_text import one_line
from oddly.interfaces.terminal.live.text import fitted, line
from oddly.interfaces.text.summary_tables import VERDICTS
from oddly.interfaces.text.tables import points_text
from oddly.tournaments.ratings.ratings import LOST_ALL, NO_GAMES, TOO_FEW, WON_ALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from oddly.interfaces.terminal.live.run_snapshot import GameResults
    from oddly.tournaments.results.game_summary import GameSummary
    from oddly.tournaments.results.sequential import PairTest
    from oddly.tournaments.results.standings import Standing

COLUMNS = (("Elo", 6), ("+-95 %", 8), ("games", 7), ("points", 8), ("faults", 8))
NARROW = (("Elo", 6), ("+-95 %", 8), ("games", 7))
MAX_NAME_LENGTH = 38
SHORTEST_NAME = 12
SHORT = {NO_GAMES: "none", TOO_FEW: "too few", WON_ALL: "no loss", LOST_ALL: "no win"}
"""Why a rating is not shown, as it fits a column."""


def standings_lines(results: GameResults, width: int, height: int) -> list[Text]:
    """Return a heading and the engines that fit; nothing if not even two lines fit."""
    summary = results.summary
    rows = summary.table
    tests = [line(width, test_text(test)) for test in results.tests]
    height -= len(tests)
    if height < 3 or not rows:
        return []
    columns = COLUMNS if width >= columns_width(COLUMNS) + SHORTEST_NAME + 4 else NARROW
    room = width - columns_width(columns) - 4
    name_width = max(SHORTEST_NAME, min(MAX_NAME_LENGTH, room, longest_name(results)))
    titles = "".join(f"{title:>{size}}" for title, size in columns)
    found = [line(width, (f"    {fitted(title_text(results), name_width)}{titles}", "bold"))]
    fits = len(rows) <= height - 1
    for row in rows[: height - 1 if fits else height - 2]:
        cells = [
            (f"{cell:>{size}}", "red" if title == "faults" else "")
            for cell, (title, size) in zip(cells_of(row, summary), columns, strict=False)
        ]
        found.append(line(width, f"{row.rank:>3} {fitted(one_line(row.name), name_width)}", *cells))
    if not fits:
        found.append(line(width, (f"    and {len(rows) - height + 2} more", "dim")))
    return [*found, *tests]


def title_text(results: GameResults) -> str:
    """Return the game with the number of its games, and how many of them are no copies."""
    counts = results.summary.counts
    return f"{results.title}: {counts.distinct_games} of {counts.games} distinct"


def test_text(test: PairTest) -> str:
    """Return where a sequential test stands, in few words."""
    pairs = f"{test.counts.pairs} pair{'s' if test.counts.pairs != 1 else ''}"
    rest = f", {test.repeated} repeated" if test.repeated else ""
    rest += f", {test.not_counted} not counted" if test.not_counted else ""
    bounds = f"({test.state.lower:.2f}, {test.state.upper:.2f})"
    verdict = VERDICTS[test.state.decision]
    return f"    SPRT: LLR {test.state.llr:z.2f} in {bounds} after {pairs}{rest}: {verdict}"


def cells_of(row: Standing, summary: GameSummary) -> tuple[str, ...]:
    """Return what stands under each of COLUMNS."""
    strength = summary.strength
    rated = ("-", "-")
    if strength is not None:
        unknown = strength.unknown(row.name)
        rated = (f"{strength.elo(row.name):z.0f}", f"{strength.error_95(row.name):.0f}")
        rated = rated if unknown is None else ("-", SHORT[unknown])
    return (*rated, str(row.games), points_text(row.points), str(row.forfeits or ""))


def columns_width(columns: Sequence[tuple[str, int]]) -> int:
    """Return the width of some columns together."""
    return sum(size for _, size in columns)


def longest_name(results: GameResults) -> int:
    """Return the length of the longest name or the title, roughly its width."""
    names = [one_line(row.name) for row in results.summary.table]
    return max(map(len, [title_text(results), *names]))
