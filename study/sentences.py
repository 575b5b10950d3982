"""What a study says in words. Every sentence is computed from the figures, and says their bars."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

from oddly.study.document import Column, StudyTable
from oddly.study.estimates import Estimate, slope
from oddly.study.fairness import simulations_of, trend
from oddly.study.plan import Purpose
from oddly.study.scores import first_player_share, share_of, stages
from oddly.study.wording import cell_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.study.document import Cell, Section
    from oddly.study.first_turns import FirstTurn
    from oddly.study.lengths import GameLength
    from oddly.study.plan import StudyPairing, StudyPlan
    from oddly.study.playing import GamesByPairing

LEAST_P = 0.05
LEAST_GAMES = 100
"""The fewest games of a strength from which anything is said about who is better off."""

PRECISE = 0.032
"""Half the width of an interval that is called precise: that of 1,000 games, about."""


def in_brief(
    plan: StudyPlan,
    played: GamesByPairing,
    lengths: Mapping[str, Sequence[GameLength]],
    sections: Sequence[Section],
) -> str:
    """Return what the figures of the sections say, in a few sentences.

    `lengths` are those of games between equals, by the player's name.
    """
    tables = {
        part.key: part
        for section in sections
        for part in section.parts
        if isinstance(part, StudyTable)
    }
    found = [
        _first_player(plan, played),
        trend_text(plan, played),
        length_text(lengths),
        skill_text(plan, played),
        copying_text(plan, played),
        _lead_text(tables.get("leads")),
        _pie_text(tables.get("pie")),
    ]
    return " ".join(sentence for sentence in found if sentence)


def _first_player(plan: StudyPlan, played: GamesByPairing) -> str:
    searching = [p for p in _equal(plan) if simulations_of(p.one) and played[p]]
    if not searching:
        return ""
    most = max(searching, key=lambda pairing: len(played[pairing]))
    strongest = searching[-1]
    text = first_player_text(most.one, first_player_share(played[most]))
    if strongest is not most:
        text += f" {first_player_text(strongest.one, first_player_share(played[strongest]))}"
    return text


def first_player_text(name: str, points: Estimate | None) -> str:
    """Return who is better off between two players of that name, as far as the interval tells."""
    if points is None or points.low is None or points.high is None:
        return ""
    figures = f"{_share(points)} of the points in {points.samples:,} games of {name} with itself"
    if points.samples < LEAST_GAMES:
        return f"Too few games to say who is better off: the first player has {figures}."
    if points.low > 0.5:
        return f"The first player is better off: {figures}."
    if points.high < 0.5:
        return f"The second player is better off: the first has {figures}."
    half = (points.high - points.low) / 2
    if half <= PRECISE:
        return f"Neither side is seen to be better off: the first player has {figures}."
    return f"Too few games to say who is better off: the first player has {figures}."


def trend_text(plan: StudyPlan, played: GamesByPairing) -> str:
    """Return whether strength favours a side, by the test for trend."""
    found = trend(stages(plan, played))
    if found is None:
        return ""
    figures = f"(z = {found.z:.1f}, p = {found.p:.2g})"
    if found.p > LEAST_P:
        return f"No trend of that with strength is seen {figures}."
    side = "first" if found.z > 0 else "second"
    return f"Strength favours the {side} player {figures}."


def length_text(lengths: Mapping[str, Sequence[GameLength]]) -> str:
    """Return whether games grow longer or shorter with strength, by the slope of their lengths."""
    points, means = [], {}
    for name, games in lengths.items():
        simulations = simulations_of(name)
        if simulations and games:
            points += [(math.log2(simulations), float(game.actions)) for game in games]
            means[name] = fmean(game.actions for game in games)
    if len(means) < 2:
        return ""
    course = ", ".join(f"{means[name]:.0f}" for name in means)
    if len({length for _, length in points}) == 1:
        return f"Every game has {points[0][1]:.0f} actions."
    found = slope(points)
    course = f"{course} actions on average, from {next(iter(means))} to {list(means)[-1]}"
    if found is None or found.low is None or found.high is None:
        return f"Games have {course}."
    if found.low > 0:
        return f"Games grow longer with strength: {course}."
    if found.high < 0:
        return f"Games grow shorter with strength: {course}."
    return f"The length of games does not rise or fall with strength as far as is seen: {course}."


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
    if least is most:
        return f"Against {least[0].other}, {least[0].one} has {_share(least[1])} of the points."
    games = min(points.samples for _, points in shares)
    return (
        f"In {games} games a step or more, the stronger player has {100 * least[1].value:.0f} to "
        f"{100 * most[1].value:.0f} % of the points, least with {least[0].one} against "
        f"{least[0].other}."
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
    return f"The best copying strategy, {name}, has {_share(points)} against {other}."


def early_text(found: Sequence[FirstTurn]) -> str:
    """Return what is to be known of values of random games that are judged early."""
    values = [first.value.value for first in found]
    return (
        "The engine stops random games early and judges them, so these values have a scale of "
        f"their own; they go from {100 * min(values):.0f} to {100 * max(values):.0f} %."
    )


def _lead_text(table: StudyTable | None) -> str:
    if table is None or not isinstance(table.rows[0][2], Estimate):
        return ""
    return f"The lead changes on {_share(table.rows[0][2])} of the turns, by search."


def _pie_text(table: StudyTable | None) -> str:
    if table is None:
        return ""
    (_, best, without), (_, fairest, with_rule), _ = table.rows
    if not isinstance(without, Estimate) or not isinstance(with_rule, Estimate):
        return ""
    text = (
        "By search, which thinks a little too much of the player to move, here White, the best "
        f"first turn, {best}, has {_share(without)}"
    )
    if best == fairest:
        return f"{text}, and none is nearer to one half."
    return (
        f"{text}; nearest to one half is {fairest}, which a pie rule would make the best, with "
        f"{_share(with_rule)}."
    )


def _share(points: Cell) -> str:
    return cell_text(points, Column("", is_share=True))


def _equal(plan: StudyPlan) -> list[StudyPairing]:
    return [pairing for pairing in plan.pairings if pairing.purpose is Purpose.EQUAL]
