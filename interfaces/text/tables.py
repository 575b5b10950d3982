"""Single tables as text, through tabulate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate, tabulate_formats

from games.untrusted_text import one_line, table_cell
from tournaments.results.engine_statistics import kinds_of_faults
from tournaments.results.standings import crosstable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tournaments.results.engine_statistics import EngineStatistics
    from tournaments.results.sequential import PairTest
    from tournaments.results.standings import PlayedGame, Score, Standing
    from tournaments.results.strength import Strength

RAW = {"unsafehtml", "latex_raw"}
"""Formats that would let a stranger's name through as markup; they are not offered."""

FORMATS: tuple[str, ...] = tuple(name for name in tabulate_formats if name not in RAW)
DEFAULT_FORMAT = "simple"

VERDICTS = {"continue": "no verdict yet", "H0": "H0 is accepted", "H1": "H1 is accepted"}
"""What a sequential test says."""


def standings_table(
    table: Sequence[Standing], strength: Strength | None, format_: str = DEFAULT_FORMAT
) -> str:
    """Standings, one engine a row; without `strength`, no ratings.

    `score` is the share of points; 1st and 2nd are the points of the games in either seat; LOS is
    the chance to be stronger than the engine in the row below.
    """
    headers = ["", "engine", "Elo", "+-95 %", "LOS"] if strength else ["", "engine"]
    headers += ["games", "points", "score", "1st", "2nd", "forfeits"]
    rows = []
    for row, below in zip(table, [*table[1:], None], strict=True):
        cells = [str(row.rank), table_cell(row.name, format_)]
        if strength:
            cells += [
                f"{strength.elo(row.name):z.0f}",
                f"{strength.error_95(row.name):.0f}",
                f"{100 * strength.superiority(row.name, below.name):.1f} %" if below else "-",
            ]
        cells += [
            str(row.games),
            points_text(row.points),
            share_text(row.points, row.games),
            f"{points_text(row.as_first)}/{row.games_as_first}",
            f"{points_text(row.as_second)}/{row.games_as_second}",
            str(row.forfeits),
        ]
        rows.append(cells)
    return aligned(rows, headers, format_)


def crosstable_table(
    order: Sequence[str], played: Sequence[PlayedGame], format_: str = DEFAULT_FORMAT
) -> str:
    """Wins and losses of each row's engine against each column's, 3-1; 3-1-2 if games are drawn."""
    scores = crosstable(order, played)
    with_draws = any(score.draws for row in scores.values() for score in row.values())
    heading = "wins-losses-draws against" if with_draws else "wins-losses against"
    headers = ["", heading, *(str(place) for place in range(1, len(order) + 1))]
    rows = [
        [
            str(place),
            table_cell(name, format_),
            *(
                "*" if other == name else _score_text(scores[name].get(other), with_draws)
                for other in order
            ),
        ]
        for place, name in enumerate(order, start=1)
    ]
    return aligned(rows, headers, format_, "center")


def statistics_table(
    order: Sequence[str],
    statistics_by_name: Mapping[str, EngineStatistics],
    format_: str = DEFAULT_FORMAT,
) -> str:
    """How engines behaved, one a row; a column for each kind of fault that there was."""
    kinds = kinds_of_faults(statistics_by_name.values())
    headers = ["", "engine", "s a turn", "slowest", "referee late", "marked"]
    headers += [kind.value for kind in kinds]
    rows = []
    for place, name in enumerate(order, start=1):
        statistics = statistics_by_name[name]
        mean = statistics.seconds_a_turn
        rows.append(
            [
                str(place),
                table_cell(name, format_),
                "-" if mean is None else f"{mean:.3f}",
                "-" if mean is None else f"{statistics.slowest:.3f}",
                f"{statistics.lag:.3f}" if statistics.games else "-",
                str(statistics.marked),
                *(str(statistics.faults[kind]) for kind in kinds),
            ]
        )
    return aligned(rows, headers, format_)


def advantage_line(strength: Strength) -> str:
    """The worth of playing first, and whether it is real."""
    from interfaces.text.ratings_table import advantage_line as line

    return line(strength.ratings, strength.test)


def sprt_line(test: PairTest) -> str:
    """Where a sequential test stands; WW are pairs of games of which the first engine won both."""
    counts, state, asked = test.counts, test.state, test.question
    said = asked.hypotheses
    split = counts.pairs - counts.won - counts.lost
    return (
        f"SPRT, {one_line(test.one)} over {one_line(test.other)}: LLR {state.llr:z.2f} in "
        f"({state.lower:.2f}, {state.upper:.2f}), {VERDICTS[state.decision]} "
        f"(H0 {said.elo0:g}, H1 {said.elo1:g} {asked.scale} Elo; {counts.pairs} "
        f"pair{'s' if counts.pairs != 1 else ''}: {counts.won} won, {split} split, "
        f"{counts.lost} lost)"
    )


def aligned(
    rows: Sequence[Sequence[str]], headers: Sequence[str], format_: str, align: str = "right"
) -> str:
    """A table of cells as they are: places to the right, names to the left, the rest as said."""
    columns = ("right", "left", *[align] * (len(headers) - 2))
    return tabulate(
        rows,
        headers,
        tablefmt=format_,
        colalign=columns if rows else None,
        disable_numparse=True,
    )


def share_text(points: float, games: int) -> str:
    """`63 %`, or `-` without games."""
    return f"{100 * points / games:.0f} %" if games else "-"


def points_text(points: float) -> str:
    """`3` or `3.5`."""
    return f"{points:g}"


def _score_text(score: Score | None, with_draws: bool) -> str:
    if score is None:
        return "-"
    draws = f"-{score.draws}" if with_draws else ""
    return f"{score.wins}-{score.losses}{draws}"
