"""The summaries of an event and its ratings as text tables."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from oddly.games import one_line, table_cell
from oddly.games.wording import counted
from oddly.interfaces.text.tables import (
    DEFAULT_FORMAT,
    aligned,
    folded,
    points_text,
    share_text,
)
from oddly.referee import Termination
from oddly.tournaments.results.counts import kinds_of_faults
from oddly.tournaments.results.game_summary import TOTAL
from oddly.tournaments.results.sequential import half_points_text, openings_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments import AdvantageTest, GameSummary, PairTest, Ratings, ResultCounts, Score
    from oddly.tournaments.ledger.rulings import Rulings


VERDICTS = {"continue": "no verdict yet", "H0": "H0 is accepted", "H1": "H1 is accepted"}
"""The decisions of a sequential test in words."""

MAX_CROSSTABLE = 20
"""The most engines in a crosstable by default: a larger one is too wide."""

UNRATED = "Points only: each rating is for one game, see above."


def summaries_text(
    summaries: Sequence[GameSummary],
    format_: str = DEFAULT_FORMAT,
    *,
    with_statistics: bool = False,
    crosstable: bool | None = None,
    top: int | None = None,
) -> str:
    """Return the tables of all summaries; `with_statistics` adds how the engines behaved.

    `crosstable` says whether there are crosstables: by default, those of up to MAX_CROSSTABLE
    engines. `top` is how many engines are in each table; None for all.

    >>> import oddly
    >>> game = oddly.create_game("yodd", 3)
    >>> run = oddly.run_match("oddly engine greedy", "oddly engine random", game, games=2)
    >>> print(oddly.summaries_text(run.summaries()))
    yodd 3
    ...engine...Elo...score...
    2 games, all distinct
    ...
    """
    return "\n\n".join(
        part
        for summary in summaries
        for part in _parts(summary, format_, with_statistics, crosstable, top)
    )


def _parts(
    summary: GameSummary,
    format_: str,
    with_statistics: bool,
    crosstable: bool | None,
    top: int | None,
) -> list[str]:
    engines = len(summary.table)
    shown = summary if top is None else summary.first(top)
    parts = [summary.title, standings_table(shown, format_)]
    if len(shown.table) < engines:
        parts.append(f"The first {len(shown.table)} of {engines} engines.")
    if summary.title == TOTAL:
        parts.append(UNRATED)
    if crosstable is True or (crosstable is None and len(shown.table) <= MAX_CROSSTABLE):
        parts.append(crosstable_table(shown, format_))
    elif crosstable is None:
        left_out = (
            f"The crosstable of {len(shown.table)} engines is left out: 'oddly standings LEDGER "
            "--crosstable' prints it, and '--top N' that of the first N."
        )
        parts.append(folded(left_out, format_))
    parts.append(distinct_line(summary.counts))
    early, forfeits = early_line(summary.counts), forfeit_line(shown)
    parts += [folded(line, format_) for line in (early, forfeits) if line]
    if with_statistics and summary.statistics_by_name:
        parts.append(statistics_table(shown, format_))
    lines = [sprt_line(test) for test in summary.tests]
    if summary.strength is not None:
        ratings = summary.strength.ratings
        lines = [
            advantage_line(ratings, summary.strength.test),
            *caveat_lines(ratings, engine_order(summary)),
            *lines,
        ]
    if lines:
        parts.append("\n".join(folded(line, format_) for line in lines))
    return parts


def rulings_text(rulings: Rulings, format_: str = DEFAULT_FORMAT) -> str:
    """Return the rulings of an arbiter, a line each with its reason; empty without one."""
    return "\n".join(folded(line, format_) for line in rulings.sentences())


SPARE = (("forfeits",), ("1st", "2nd"), ("distinct",), ("points",))
"""The columns of standings that a narrow terminal leaves out, the least important first."""


def standings_table(summary: GameSummary, format_: str = DEFAULT_FORMAT) -> str:
    """Return standings, one engine a row, with ratings if there are any.

    `distinct` games are not copies of earlier ones; `score` is the share of points; 1st and 2nd are
    the points of the games in either seat; LOS is the probability of being stronger than the engine
    in the next row. `SPARE` columns are left out if the terminal is too narrow.
    """
    strength = summary.strength
    headers = ["", "engine", "Elo", "+-95 %", "LOS"] if strength else ["", "engine"]
    headers += ["games", "distinct", "points", "score", "1st", "2nd", "forfeits"]
    rows = []
    for row, superiority in zip(summary.table, summary.superiorities, strict=True):
        cells = [str(row.rank), table_cell(row.name, format_)]
        if strength:
            unknown = strength.unknown(row.name)
            cells += [
                "-" if unknown else f"{strength.elo(row.name):z.0f}",
                unknown or f"{strength.error_95(row.name):.0f}",
                "-" if superiority is None else f"{100 * superiority:.1f} %",
            ]
        cells += [
            str(row.games),
            str(row.distinct),
            points_text(row.points),
            share_text(row.points, row.games),
            f"{points_text(row.as_first)}/{row.games_as_first}",
            f"{points_text(row.as_second)}/{row.games_as_second}",
            str(row.forfeits),
        ]
        rows.append(cells)
    return aligned(rows, headers, format_, spare=SPARE)


def crosstable_table(summary: GameSummary, format_: str = DEFAULT_FORMAT) -> str:
    """Return each row's wins and losses against each column's engine: 3-1, or 3-1-2 with draws."""
    order, scores, with_draws = summary.order, summary.crosstable, summary.has_draws
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


def statistics_table(summary: GameSummary, format_: str = DEFAULT_FORMAT) -> str:
    """Return engine statistics, one engine a row, with a column for each kind of fault found."""
    statistics_by_name = summary.statistics_by_name
    kinds = kinds_of_faults(statistics_by_name.values())
    headers = ["", "engine", "s a turn", "slowest", "referee late", "marked"]
    headers += [kind.value for kind in kinds]
    died = any(statistics.deaths for statistics in statistics_by_name.values())
    headers += ["died between games"] if died else []
    rows = []
    for place, name in enumerate(summary.order, start=1):
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
                *([str(statistics.deaths)] if died else []),
            ]
        )
    return aligned(rows, headers, format_)


def sprt_line(test: PairTest) -> str:
    """Return the state of a sequential test; `won` are pairs that the first engine won twice."""
    counts, state = test.counts, test.state
    hypotheses, scale = test.question.hypotheses, test.question.scale
    split = counts.pairs - counts.won - counts.lost
    results = half_points_text(counts) or f"{counts.won} won, {split} split, {counts.lost} lost"
    later = f"; {not_counted_text(test)}" if test.not_counted else ""
    return (
        f"SPRT, {one_line(test.one)} over {one_line(test.other)}: LLR {state.llr:z.2f} in "
        f"({state.lower:.2f}, {state.upper:.2f}), {verdict_text(test)} "
        f"(H0 {hypotheses.elo0:g}, H1 {hypotheses.elo1:g} {scale} Elo; "
        f"{counted(counts.pairs, 'pair')}: {results}{later})"
    )


def distinct_line(counts: ResultCounts) -> str:
    """Return how many games there are, and how many are distinct."""
    games, distinct = counts.games, counts.distinct_games
    number = counted(games, "game")
    if games == distinct:
        return f"{number}, all distinct" if games > 1 else number
    return f"{number}, {distinct} distinct: copies of earlier games widen the error bars"


def early_line(counts: ResultCounts) -> str:
    """Return how many games the referee ended before their rules did; empty if none."""
    kinds = (Termination.ADJUDICATION.value, Termination.TURN_LIMIT.value)
    parts = [f"{counts.endings[kind]} by {kind}" for kind in kinds if counts.endings[kind]]
    return f"ended early: {', '.join(parts)}" if parts else ""


def forfeit_line(summary: GameSummary) -> str:
    """Return who lost games through faults, and how many; empty if nobody did."""
    parts = [f"{one_line(row.name)} {row.forfeits}" for row in summary.table if row.forfeits]
    return f"lost by a fault: {', '.join(parts)}" if parts else ""


def verdict_text(test: PairTest) -> str:
    """Return the verdict of a test: `H1 is accepted`, or `3 openings: no verdict possible`."""
    if test.is_exhausted:
        return f"{openings_text(test.openings)}: no verdict possible"
    return VERDICTS[test.state.decision]


def not_counted_text(test: PairTest) -> str:
    """Return a note on complete pairs that do not count: `57 later pairs are not counted`."""
    number = test.not_counted
    pairs, are, wait = ("pair", "is", "waits") if number == 1 else ("pairs", "are", "wait")
    if test.is_decided or test.is_exhausted:
        return f"{number} later {pairs} {are} not counted"
    return f"{number} later {pairs} {wait} for one that is not finished"


def _score_text(score: Score | None, with_draws: bool) -> str:
    if score is None:
        return "-"
    draws = f"-{score.draws}" if with_draws else ""
    return f"{score.wins}-{score.losses}{draws}"


HEADERS = ("", "engine", "Elo", "+-95 %", "games", "distinct", "score", "LOS to next")
SMALLEST_P_VALUE = 0.0001


def rating_table(ratings: Ratings, format_: str = DEFAULT_FORMAT) -> str:
    """Return ratings, one engine a row, the strongest first.

    LOS is the probability of being stronger than the engine in the next row.
    """
    order = ratings.order()
    superiority = [
        f"{100 * ratings.likelihood_of_superiority(above, below):.1f} %"
        if ratings.are_connected(above, below)
        else "-"
        for above, below in pairwise(order)
    ]
    rows = [
        (
            str(place),
            table_cell(ratings.names[engine], format_),
            "-" if ratings.unknown(engine) else elo_text(ratings.elo[engine]),
            ratings.unknown(engine) or elo_text(ratings.errors_95[engine]),
            str(ratings.games[engine]),
            str(ratings.distinct[engine]),
            _score_percent(ratings.score(engine)),
            los,
        )
        for place, (engine, los) in enumerate(zip(order, [*superiority, "-"], strict=True), 1)
    ]
    return aligned(rows, HEADERS, format_, spare=[("distinct",)])


def advantage_line(ratings: Ratings, test: AdvantageTest) -> str:
    """Return the advantage of playing first, with its error bar and whether it is real."""
    if ratings.unknown_advantage is not None:
        return f"first-player advantage: {ratings.unknown_advantage}"
    return (
        f"first-player advantage: {elo_text(ratings.advantage)} "
        f"+- {elo_text(ratings.advantage_error_95)} Elo "
        f"({p_value_text(test.p_value)} if there is none)"
    )


MAX_GROUPS = 4
"""The most groups of engines that are named."""


def caveat_lines(ratings: Ratings, names: Sequence[str]) -> list[str]:
    """Return caveats on ratings: engines that never met, and pairs that the ratings do not fit.

    `names` are the engines' names, in the order of `ratings.names`.
    """
    lines = []
    if len(groups := ratings.connected_groups()) > 1:
        parts = [
            ", ".join(one_line(names[each]) for each in group) for group in groups[:MAX_GROUPS]
        ]
        if len(groups) > MAX_GROUPS:
            parts.append(f"{len(groups) - MAX_GROUPS} more")
        lines.append(
            "no games connect these groups, so that ratings compare within each alone: "
            + " | ".join(parts)
        )
    fit = ratings.fit
    if fit.is_poor:
        pairs = "; ".join(
            f"{one_line(names[pair.one])} has {points_text(pair.points)} of {pair.games} points "
            f"against {one_line(names[pair.other])}, expected {pair.expected:.1f}"
            for pair in fit.worst
        )
        lines.append(
            f"ratings do not explain the results (chi-square {fit.statistic:.1f} with "
            f"{fit.freedom:.1f} degrees of freedom, {p_value_text(fit.p_value)}); the error bars "
            f"allow for {fit.effect:.0f} Elo between pairs: {pairs}"
        )
    return lines


def engine_order(summary: GameSummary) -> list[str]:
    """Return the engines of a summary in the order of its ratings."""
    return sorted(summary.order)


def p_value_text(p_value: float) -> str:
    """Return `p = 0.0300`, or that it is below the smallest p that is shown."""
    return f"p = {p_value:.4f}" if p_value >= SMALLEST_P_VALUE else f"p < {SMALLEST_P_VALUE}"


def _score_percent(score: float | None) -> str:
    return "-" if score is None else f"{100 * score:.1f} %"


def elo_text(elo: float) -> str:
    """Return Elo with one decimal, and 0.0 without a sign."""
    return f"{round(float(elo), 1) + 0.0:.1f}"


def ratings_by_game(summaries: Sequence[GameSummary], format_: str = DEFAULT_FORMAT) -> str:
    """Return the Elo of each engine in each game with its 95 % error, one engine a row.

    The rows are in the order of the last summary, which is the total if there are several games.
    """
    games = [summary for summary in summaries if summary.game is not None]
    headers = ["", "engine", *(f"{each.game.name} {each.game.size}" for each in games if each.game)]
    rows = [
        [str(place), table_cell(name, format_), *(_rating(game, name) for game in games)]
        for place, name in enumerate(summaries[-1].order, start=1)
    ]
    return aligned(rows, headers, format_)


def _rating(summary: GameSummary, name: str) -> str:
    strength = summary.strength
    if strength is None:
        return "-"
    unknown = strength.unknown(name)
    return unknown or f"{strength.elo(name):z.0f} +- {strength.error_95(name):.0f}"
