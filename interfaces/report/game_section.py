"""The section of the report about one game: its tables and charts as text and pictures.

The results of the game, in the order in which they came, make each engine's curve.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from markupsafe import Markup

from oddly.games.drawing import charts
from oddly.games.drawing import svg as colours
from oddly.games.wording import counted
from oddly.interfaces.text.format_reports import bracket_lines, table_rows
from oddly.interfaces.text.summary_tables import (
    caveat_lines,
    engine_order,
    not_counted_text,
)
from oddly.tournaments import KnockoutReport
from oddly.tournaments.ratings.bradley_terry import MAX_JOINT
from oddly.tournaments.results.sequential import openings_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oddly.tournaments import FormatReport, GameSummary, PairTest, Results, Standing, Strength
    from oddly.tournaments.ratings.ordered_pairs import Counts

MAX_COLUMNS = 40
"""Engines in a crosstable, at most: a larger one is too wide to read."""

SMALLEST_P_VALUE = 0.01

MAX_POINTS = 400
"""Points in a line, at most: more would overlap."""


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """A row of the standings as text. `place` numbers the rows; equals share a `rank`."""

    place: int
    rank: int
    name: str
    elo: str
    error: str
    superiority: str
    games: int
    distinct: int
    points: str
    score: str
    results: str
    first: str
    second: str
    forfeits: int


@dataclass(frozen=True, slots=True)
class CrosstableCell:
    """An entry of the crosstable: wins and losses (wins, draws, losses), and its colour."""

    text: str
    kind: str
    hint: str


@dataclass(frozen=True, slots=True)
class GameSection:
    """The summary of one game as text and pictures."""

    anchor: str
    title: str
    games: int
    distinct: int
    advantage: str
    caveats: list[str]
    """Notes on the ratings."""
    first_score: str
    endings: list[tuple[str, int]]
    length: str
    results: str
    rows: list[StandingsRow]
    cells: list[tuple[StandingsRow, list[CrosstableCell]]]
    pictures: list[tuple[str, Markup]]
    report: tuple[str, Sequence[str], list[list[str]]] | None
    """The title, the headers and the rows of what the format reports, if it is a table."""
    bracket: list[str]
    """The lines of a knockout's bracket."""


def game_section(
    number: int,
    summary: GameSummary,
    results: ResultColumns,
    report: FormatReport | None = None,
) -> GameSection:
    """Return the section of the game with this number, from its finished games.

    The total of several games has tables and no charts.
    """
    rows = [
        _row(place, row, superiority, summary)
        for place, (row, superiority) in enumerate(
            zip(summary.table, summary.superiorities, strict=True), start=1
        )
    ]
    lengths, first_score = summary.counts.lengths, summary.counts.first_score
    return GameSection(
        anchor=f"game-{number}",
        title=summary.title,
        games=summary.counts.games,
        distinct=summary.counts.distinct_games,
        advantage=_advantage(summary.strength) if summary.strength else "",
        caveats=caveat_lines(summary.strength.ratings, engine_order(summary))
        if summary.strength
        else [],
        first_score="–" if first_score is None else _percent(first_score),
        endings=summary.counts.endings.most_common(),
        length=counted(next(iter(lengths)), "turn") if len(lengths) == 1 else "",
        results="W–D–L" if summary.has_draws else "W–L",
        rows=rows,
        cells=[
            (row, [_cell(row.name, other.name, summary) for other in rows[:MAX_COLUMNS]])
            for row in rows[:MAX_COLUMNS]
        ],
        pictures=[*_pictures(summary, results), *map(_test, summary.tests)] if summary.game else [],
        report=_report_table(report),
        bracket=bracket_lines(report.bracket) if isinstance(report, KnockoutReport) else [],
    )


def _report_table(
    report: FormatReport | None,
) -> tuple[str, Sequence[str], list[list[str]]] | None:
    table = None if report is None else report.table()
    return None if table is None else (table.title, table.headers, table_rows(table))


def svg(root: ET.Element) -> Markup:
    """Return a picture as markup: the library that writes XML escapes every text in it."""
    return Markup(ET.tostring(root, "unicode"))  # noqa: S704


def _row(
    place: int, row: Standing, superiority: float | None, summary: GameSummary
) -> StandingsRow:
    strength = summary.strength
    unknown = strength.unknown(row.name) if strength else None
    draws = f"–{row.draws}" if summary.has_draws else ""
    return StandingsRow(
        place=place,
        rank=row.rank,
        name=row.name,
        elo=_elo(strength.elo(row.name)) if strength and not unknown else "–",
        error=unknown or (f"{strength.error_95(row.name):.0f}" if strength else "–"),
        superiority="" if superiority is None else _percent(superiority),
        games=row.games,
        distinct=row.distinct,
        points=f"{row.points:g}",
        score=_share(row.points, row.games),
        results=f"{row.wins}{draws}–{row.losses}",
        first=_share(row.as_first, row.games_as_first),
        second=_share(row.as_second, row.games_as_second),
        forfeits=row.forfeits,
    )


def _cell(name: str, other: str, summary: GameSummary) -> CrosstableCell:
    score = summary.crosstable[name].get(other)
    if name == other:
        return CrosstableCell("", "self", "")
    if score is None:
        return CrosstableCell("", "none", "no game")
    draws = f"–{score.draws}" if score.draws else ""
    share = score.points / score.games
    return CrosstableCell(
        f"{score.wins}{draws}–{score.losses}",
        f"heat-{round(share * (len(colours.CIVIDIS) - 1))}",
        f"{name} against {other}: {score.points:g} of {score.games} points, "
        f"{score.distinct} distinct",
    )


def _pictures(summary: GameSummary, results: ResultColumns) -> Iterator[tuple[str, Markup]]:
    """Yield the charts of a game with their headings, without engines that have no game."""
    rows, strength = [row for row in summary.table if row.games], summary.strength
    names = [row.name for row in rows]
    if strength:
        bars = [
            charts.Interval(name, strength.elo(name), strength.error_95(name))
            for name in names
            if strength.unknown(name) is None
        ]
    if strength and bars:
        yield "Ratings with 95 % error bars", svg(charts.intervals(bars, "Elo"))
    shares = [
        (
            row.name,
            row.as_first / row.games_as_first if row.games_as_first else None,
            row.as_second / row.games_as_second if row.games_as_second else None,
        )
        for row in rows
    ]
    seats = ("as first player", "as second player")
    yield "Score by seat", svg(charts.two_shares(shares, "score, %", seats))
    best = names[: charts.SERIES]
    curves = results.curves(summary.order) if len(summary.order) <= MAX_JOINT else {}
    drawn = [charts.Series(name, curves[name]) for name in best if curves.get(name)]
    if drawn and len(results) > 1:
        heading = "Ratings as games were played" + (
            f" (the first {len(best)})" if len(best) < len(names) else ""
        )
        yield heading, svg(charts.lines(drawn, "Ratings by games", ("games", "Elo")))
    lengths = summary.counts.lengths
    if len(lengths) > 1:
        picture = charts.histogram(lengths, "Turns in a game", ("turns", "games"))
        yield "Length of games", svg(picture)


def _test(test: PairTest) -> tuple[str, Markup]:
    """Return a sequential test's verdict, and a chart of its log-likelihood ratio by pairs."""
    hypotheses = test.question.hypotheses
    guides = [
        (hypotheses.upper, f"H1: {_elo(hypotheses.elo1)}"),
        (hypotheses.lower, f"H0: {_elo(hypotheses.elo0)}"),
    ]
    line = charts.Series("", [(0, 0.0), *_thinned(list(enumerate(test.ratios, start=1)))])
    units = ("pairs of games", "log-likelihood ratio")
    asked = question_sentence(test)
    chart = charts.lines([line], asked, units, guides)
    return f"{asked} {verdict_sentence(test)}", svg(chart)


def question_sentence(test: PairTest) -> str:
    """Return the question of a test."""
    hypotheses = test.question.hypotheses
    low, high = (f"{elo:g}" for elo in (hypotheses.elo0, hypotheses.elo1))
    return f"Is {test.one} {high} (H1) or {low} (H0) {test.question.scale} Elo above {test.other}?"


def verdict_sentence(test: PairTest) -> str:
    """Return the verdict of a test, after how many pairs, and which pairs do not count."""
    state = f"with LLR {test.state.llr:z.2f} after {counted(test.counts.pairs, 'pair')}"
    verdict = f"{test.state.decision} is accepted" if test.is_decided else "No verdict"
    if test.is_exhausted:
        verdict = f"{openings_text(test.openings)}: no verdict possible"
    rest = f" {not_counted_text(test)}." if test.not_counted else ""
    return f"{verdict} {state}.{rest}"


def _thinned(curve: Curve) -> Iterable[tuple[int, float]]:
    """Return at most MAX_POINTS points, including the last one."""
    step = max(1, -(-len(curve) // MAX_POINTS))
    return curve[::-step][::-1]


def _advantage(strength: Strength) -> str:
    """Return the worth of playing first, in a sentence."""
    ratings, p_value = strength.ratings, strength.test.p_value
    if ratings.unknown_advantage is not None:
        return f"The value of playing first is unknown: {ratings.unknown_advantage}"
    size = f"= {p_value:.2f}" if p_value >= SMALLEST_P_VALUE else f"< {SMALLEST_P_VALUE}"
    return (
        f"Playing first is worth {_elo(ratings.advantage)} ± {ratings.advantage_error_95:.0f} Elo "
        f"(p {size} if it is worth nothing)"
    )


def _elo(elo: float) -> str:
    """Return whole Elo with a sign; 0 has none."""
    whole = round(elo)
    return f"{whole:+d}".replace("-", "−") if whole else "0"


def _share(points: float, games: int) -> str:
    return _percent(points / games) if games else "–"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


MAX_STEPS = 40
"""The maximum number of times that the ratings are recomputed."""

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

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self._pair)

    def add(self, first: str, second: str, winner: int) -> None:
        """Add a game: 0 for a win of the first player, 1 of the second, 2 for a draw."""
        pair = self._pairs.setdefault((first, second), len(self._pairs))
        self._pair.append(pair)
        self._winner.append(winner)

    def curves(self, names: Sequence[str]) -> dict[str, Curve]:
        """Return each engine's Elo after some of the games, from its first game on."""
        import numpy as np

        from oddly.tournaments import rate

        curves: dict[str, Curve] = {name: [] for name in names}
        if not len(self):
            return curves
        places = {name: index for index, name in enumerate(sorted(names))}
        seats = np.array([[places[a], places[b]] for a, b in self._pairs], dtype=np.int64)
        pair, winner = np.array(self._pair), np.array(self._winner)
        cells = pair.astype(np.int64) * 3 + winner

        def results(until: int) -> Results:
            return _results(names, seats, np.bincount(cells[:until], minlength=3 * len(seats)))

        for now in _steps(len(self), len(names)):
            found = results(now)
            elo, games = rate(found).elo, found.games_of_engines()
            for name, place in places.items():
                if games[place]:
                    curves[name].append((now, float(elo[place])))
        return curves


def _results(names: Sequence[str], seats: Counts, counted: Counts) -> Results:
    """Return the results of pairs in these seats, counted as wins, losses and draws."""
    import numpy as np

    from oddly.tournaments import Results

    table = np.column_stack((seats, counted.reshape(-1, 3)))
    table = table[table[:, 2:].sum(axis=1) > 0]
    first, second, wins, losses, draws = table[np.lexsort((table[:, 1], table[:, 0]))].T
    of_engines = np.zeros(len(names), dtype=np.int64)
    return Results(tuple(sorted(names)), first, second, wins, draws, losses, of_engines, {})


def _steps(games: int, engines: int) -> list[int]:
    """Return evenly spaced numbers of games, ending with all of them."""
    most = MAX_STEPS if engines <= MANY_ENGINES else MAX_STEPS_OF_MANY
    steps = min(games, most)
    return [games * step // steps for step in range(1, steps + 1)]
