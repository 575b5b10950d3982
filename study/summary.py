"""What a study says in words, and how its figures compare with published ones.

The published figures come from an automatic report by Ai Ai, a program for many games: UCT at 0.01
to 0.20 seconds a move, and 1,000 of its own games for the length and the branching factor.
"""

from __future__ import annotations

import math
import re
from statistics import fmean
from typing import TYPE_CHECKING

from oddly.games import Game, Yodd
from oddly.games.wording import counted
from oddly.study.document import (
    Cell,
    Column,
    Section,
    StudyTable,
    cell_text,
    columns_of,
    in_percent,
)
from oddly.study.estimates import Estimate, slope, transformed
from oddly.study.playing import Purpose, StudyPlan
from oddly.study.scores import (
    Stage,
    first_player_share,
    homogeneity,
    share_of,
    simulations_of,
    stages,
    trend,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.study.game_course import GameLength
    from oddly.study.playing import GamesByPairing


LEAST_P = 0.05
LEAST_GAMES = 100
"""The fewest games at one strength from which a study says which side has the advantage."""

TOO_FEW = "Too few games to say which side has the advantage"

PRECISE = 0.032
"""Half the width of an interval that counts as precise: about that of 1,000 games."""


def in_brief(
    plan: StudyPlan,
    played: GamesByPairing,
    lengths: Mapping[str, Sequence[GameLength]],
    sections: Sequence[Section],
) -> str:
    """Return what the figures of the sections say, in a few sentences.

    `lengths` are those of games between equals, random ones too, by the player's name.
    """
    tables = {
        part.key: part
        for section in sections
        for part in section.parts
        if isinstance(part, StudyTable)
    }
    found = [
        _first_player(plan, played),
        trend_text(stages(plan, played)),
        length_text(lengths),
        skill_text(plan, played),
        copying_text(plan, played),
        _lead_text(tables.get("leads")),
        _pie_text(tables.get("pie")),
    ]
    return " ".join(sentence for sentence in found if sentence)


def _first_player(plan: StudyPlan, played: GamesByPairing) -> str:
    searching = [p for p in plan.of(Purpose.EQUAL) if simulations_of(p.one) and played[p]]
    most, strongest = plan.most_played, searching[-1:]
    if most not in searching:
        return ""
    equals = [(pairing.one, first_player_share(played[pairing])) for pairing in (most, *strongest)]
    return first_player_text(*dict.fromkeys(equals))


def first_player_text(*equals: tuple[str, Estimate | None]) -> str:
    """Return which side has the advantage between equals, if the intervals show it.

    `equals` are names of players with the first player's points when they play themselves. Players
    with the same verdict share a sentence.
    """
    told: dict[str, list[str]] = {}
    for name, points in equals:
        if points is None or points.low is None or points.high is None:
            continue
        figures = told.setdefault(_advantage(points, points.low, points.high), [])
        of_what = "" if figures else " of the points"
        games = f"{points.samples:,} games of {name} against itself"
        figures.append(f"{_share(points)}{of_what} in {games}")
    return " ".join(f"{verdict} {', and '.join(figures)}." for verdict, figures in told.items())


def _advantage(points: Estimate, low: float, high: float) -> str:
    """Return the beginning of a sentence that goes on with the first player's points."""
    is_precise = points.samples >= LEAST_GAMES
    if is_precise and low > 0.5:
        return "The first player has the advantage:"
    if is_precise and high < 0.5:
        return "The second player has the advantage: the first has"
    if is_precise and (high - low) / 2 <= PRECISE:
        return "Neither side has a measurable advantage: the first player has"
    return f"{TOO_FEW}: the first player has"


def trend_text(games: Sequence[Stage]) -> str:
    """Return whether strength favours a side, by the tests for trend and of homogeneity."""
    found, same = trend(games), homogeneity(games)
    if found is None or same is None:
        return ""
    any_change = f"chi-square = {same.square:.1f}, p = {same.p:.2g}"
    if found.p <= LEAST_P:
        changes = "rises" if found.z > 0 else "falls"
        figures = f"(trend: z = {found.z:.1f}, p = {found.p:.2g})"
        return f"The first player's share {changes} with strength {figures}."
    if same.p <= LEAST_P:
        return (
            "The first player's share differs between strengths, but does not rise or fall "
            f"steadily ({any_change}; trend: p = {found.p:.2g})."
        )
    return (
        "The first player's share does not change measurably with strength "
        f"({any_change}; trend: p = {found.p:.2g})."
    )


def length_text(lengths: Mapping[str, Sequence[GameLength]]) -> str:
    """Return whether games get longer or shorter with strength, by the slope of their lengths."""
    points, means = [], {}
    for name, games in lengths.items():
        simulations = simulations_of(name)
        if simulations and games:
            points += [(math.log2(simulations), float(game.actions)) for game in games]
            means[name] = fmean(game.actions for game in games)
    if len(means) < 2:
        return ""
    course = ", ".join(f"{means[name]:.0f}" for name in means)
    weakest, *_, strongest = means
    if len({length for _, length in points}) == 1:
        alike = {game.actions for games in lengths.values() for game in games}
        of_whom = "" if len(alike) == 1 else f" between equals from {weakest} to {strongest}"
        return f"Every game{of_whom} has {counted(int(points[0][1]), 'action')}."
    found = slope(points)
    course = f"{course} actions on average, from {weakest} to {strongest}"
    if found is None or found.low is None or found.high is None:
        return f"Games have {course}."
    if found.low > 0:
        return f"Games get longer with strength: {course}."
    if found.high < 0:
        return f"Games get shorter with strength: {course}."
    return f"The length of games does not change measurably with strength: {course}."


def skill_text(plan: StudyPlan, played: GamesByPairing) -> str:
    """Return how the stronger of two players does, over all steps of the ladder."""
    shares = []
    for pairing in plan.pairings:
        if pairing.purpose is Purpose.LADDER and simulations_of(pairing.other):
            points = share_of(pairing.one, played[pairing])
            if points is not None:
                shares.append((pairing, points))
    if not shares:
        return ""
    least, most = (end(shares, key=lambda each: each[1].value) for end in (min, max))
    if len(shares) == 1:
        return f"Against {least[0].other}, {least[0].one} scores {_share(least[1])} of the points."
    games = min(points.samples for _, points in shares)
    scores = f"In at least {games} games a step, the stronger player scores"
    low, high = (f"{100 * points.value:.0f}" for _, points in (least, most))
    if low == high:
        return f"{scores} {low} % of the points."
    return (
        f"{scores} {low} to {high} % of the points; none scores less than {least[0].one} "
        f"against {least[0].other}."
    )


def copying_text(plan: StudyPlan, played: GamesByPairing) -> str:
    """Return how the best copying strategy does against the weakest player that searches."""
    best: tuple[str, str, Estimate] | None = None
    for pairing in plan.pairings:
        points = share_of(pairing.one, played[pairing])
        is_better = points is not None and (best is None or points.value > best[2].value)
        if pairing.purpose is Purpose.MIRROR and points is not None and is_better:
            best = pairing.one, pairing.other, points
    if best is None:
        return ""
    name, other, points = best
    share = _share(points)
    return f"No copying strategy scores more against {other} than {name}: {share} of the points."


def _lead_text(table: StudyTable | None) -> str:
    if table is None or not isinstance(table.rows[0][2], Estimate):
        return ""
    return f"By search, the lead changes on {_share(table.rows[0][2])} of the turns."


def _pie_text(table: StudyTable | None) -> str:
    if table is None:
        return ""
    (_, best, without), (_, fairest, with_rule), *_ = table.rows
    if not isinstance(without, Estimate) or not isinstance(with_rule, Estimate):
        return ""
    text = (
        f"No first turn scores more for the first player than {best}: {_share(without)} of "
        f"{without.samples:,} games."
    )
    if best == fairest:
        return f"{text} No other first turn is closer to 50 %."
    return (
        f"{text} With a pie rule none would be better than {fairest}, since none is closer to "
        f"50 %: the first player has {_share(with_rule)} of the points."
    )


def _share(points: Cell) -> str:
    return cell_text(points, in_percent(""))


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
LARGEST = "most games"
"""Stands for the row with the most games, except those of random players."""

PUBLISHED = (
    ("actions in a random game", "173", ("length", "random actions", 3)),
    ("actions in a game between equals", "179", ("length", -1, 3)),
    ("legal actions before an action", "129.08", ("branching", "all actions", 2)),
    (
        "game tree, log10, product of legal actions",
        "345.45",
        ("complexity", "game tree, by actions", 2),
    ),
    ("positions after one action", "338", ("distinct", 1, 1)),
    ("positions after up to two", "57,460", ("distinct", 2, 2)),
    ("first player's points, %", "49.40 ± 3.09", ("balance", LARGEST, 2)),
    ("strong against weak, %", "82 to 100, from step to step", ("ladder", -1, 3)),
    ("copying by half a turn, points, %", "0", ("mirrors", "mirror half-turn", 3)),
    ("turns on which the lead changed, %", "12", ("leads", "turns on which the lead changed", 2)),
    ("distinct actions", "339", ("chosen", "distinct actions", 1)),
    (
        "of them chosen more often than the average",
        "50",
        ("chosen", "chosen more often than the average", 1),
    ),
    (
        "positions that play comes to, log10",
        "8.73",
        ("complexity", "positions that play comes to", 2),
    ),
)
"""A name, the published figure, and the place of ours: a table, its row and its column."""


def has_published(game: Game) -> bool:
    """Return whether there are published figures for `game`."""
    return game == Yodd(8)


def published_table(tables: Sequence[StudyTable]) -> StudyTable:
    """Return the published figures beside ours."""
    by_key = {table.key: table for table in tables}
    rows = []
    for what, theirs, place in PUBLISHED:
        ours = _cell(by_key, *place)
        rows.append((what, theirs, ours, comparison(theirs, ours)))
    columns = columns_of("figure", "published", Column("here", digits=2), "ours is")
    return StudyTable("published", "Published and measured here", columns, rows)


def comparison(theirs: str, ours: Cell) -> str:
    """Return how our figure compares with a published one: `the same`, `larger`, `smaller` or `-`.

    Figures are the same if their intervals meet.
    """
    first, *more = (float(word.replace(",", "")) for word in NUMBER.findall(theirs))
    low = high = first
    if "±" in theirs:
        low, high = first - more[0], first + more[0]
    elif more:
        low, high = first, more[0]
    if isinstance(ours, Estimate):
        least, most = (ours.value if end is None else end for end in (ours.low, ours.high))
    elif isinstance(ours, int | float):
        least = most = float(ours)
    else:
        return "-"
    return "larger" if least > high else "smaller" if most < low else "the same"


def _cell(tables: dict[str, StudyTable], key: str, row: str | int, column: int) -> Cell:
    table = tables.get(key)
    if table is None:
        return None
    if row == LARGEST:
        found = sorted(table.rows[1:] or table.rows, key=lambda r: str(r[1]).zfill(9))[-1:]
    elif isinstance(row, int):
        found = [r for r in table.rows if row < 0 or r[0] == row][-1:]
    else:
        found = [r for r in table.rows if r[0] == row][:1]
    if not found:
        return None
    cell = found[0][column]
    if isinstance(cell, Estimate) and table.columns[column].is_share:
        return transformed(cell, lambda share: 100 * share)
    return cell
