"""The leader along a game, how often the lead changes, and measures of design from these.

The measures are ours. Their names and aims come from Browne, *Automatic Generation and Evaluation
of Recombination Games* (2008), whose own formulas may differ. E is a player's expected points, 0 to
1; the two players' E add up to 1. A game of M turns has the values `w[1]`, ..., `w[M]` of its
eventual winner. Leads within `margin` of one half are noise of the search, and count for neither
side. Games without a winner count only for lead changes and killer moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from oddly.games import Colour, DropPosition, Pass, Swap
from oddly.study.document import Chart, Column, Line, StudyTable, columns_of, in_percent
from oddly.study.estimates import (
    Estimate,
    IntervalMethod,
    bootstrap,
    mean_or_none,
    ratio_of_sums,
    share_by_game,
)
from oddly.study.game_properties import has_swap
from oddly.tournaments import QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games import Game
    from oddly.study.evaluator import Evaluator
    from oddly.study.game_properties import ReplayedGame


def winners_points(course: EvaluatedGame) -> tuple[float, ...] | None:
    """Return the expected points, on each turn, of the player who won; None for a draw."""
    result = course.first_player[-1]
    if result == 0.5:
        return None
    return tuple(lead if result > 0.5 else 1 - lead for lead in course.leads)


def drama(winner: Sequence[float], margin: float = 0.0) -> float:
    """Return how far behind the winner was while it trailed, 0 to 1.

    The mean of sqrt(E(loser) - E(winner)) = sqrt(1 - 2 w[n]) over the turns n at which the winner
    trails; 0 if it never does.
    """
    behind = [math.sqrt(1 - 2 * points) for points in winner if points < 0.5 - margin]
    return sum(behind) / len(behind) if behind else 0.0


def lead_changes(leads: Sequence[float], margin: float = 0.0) -> float:
    """Return the share of turns after the first at which the lead changes."""
    return changes(leads, margin) / max(len(leads) - 1, 1)


def uncertainty(winner: Sequence[float]) -> float:
    """Return how open the game was on average, 0 to 1: the mean of 1 - |2 w[n] - 1|.

    This is the area above the plot of the lead, where 1 is a game that is even until it ends.
    """
    return sum(1 - abs(2 * points - 1) for points in winner) / len(winner)


def late_uncertainty(winner: Sequence[float]) -> float:
    """Return the uncertainty of the second half of the game."""
    return uncertainty(winner[len(winner) // 2 :])


def decisiveness(winner: Sequence[float], margin: float = 0.0) -> float:
    """Return how soon the game ends after it is decided, 0 to 1.

    The threshold is the largest lead that the loser had in this game, but at least `margin`. The
    game is decided on turn d, the first from which the winner leads by more than that until the
    end; the result is 1 - (M - d) / M, which is 1 if the last turn decides.
    """
    threshold = max(margin, 0.5 - min(winner))
    decided = len(winner)
    for turn in range(len(winner), 0, -1):
        if winner[turn - 1] - 0.5 <= threshold:
            break
        decided = turn
    return decided / len(winner)


def killer_move(points: Sequence[float]) -> float:
    """Return the largest change of a player's expected points by a single turn, 0 to 1.

    `points` are the values before the first turn and after each; the last one is left out, since it
    is the result and not an estimate.
    """
    return max((abs(after - before) for before, after in pairwise(points[:-1])), default=0.0)


def measures_table(courses: Sequence[EvaluatedGame], simulations: int) -> StudyTable:
    """Return the measures of design over the games."""
    margin = noise(simulations)
    won = [points for course in courses if (points := winners_points(course))]
    of_winners: dict[str, Callable[[Sequence[float]], float]] = {
        "drama": lambda points: drama(points, margin),
        "uncertainty": uncertainty,
        "uncertainty, second half": late_uncertainty,
        "decisiveness": lambda points: decisiveness(points, margin),
    }
    rows: list[tuple[str, int, Estimate | None]] = [
        (title, len(won), bootstrap([measure(points) for points in won], _mean))
        for title, measure in of_winners.items()
    ]
    changed = [lead_changes(course.leads, margin) for course in courses]
    # A killer move is measured on the mean of two searches, like any lead.
    killers = [killer_move(course.leads) for course in courses]
    rows[1:1] = [("lead change", len(courses), bootstrap(changed, _mean))]
    rows.append(("killer move", len(courses), mean_or_none(killers)))
    behind = sum(any(p < 0.5 - margin for p in points) for points in won)
    note = (
        f"Our own measures, from the leads of the table above, with names that Browne (2008) gave "
        f"to such measures. Drama: how far behind the winner "
        f"was, on a square-root scale, while it was behind by more than {100 * margin:.1f} "
        f"percentage points, as it was in {behind} of {len(won)} games. Lead change: the share of "
        "turns. Uncertainty: 1 is an even game, 0 a decided one. Decisiveness: the share of the "
        "game played when its winner leads for good by more than its loser ever did. Killer "
        "move: the largest change of the lead by one turn."
    )
    columns = columns_of("measure", "games", Column("value", digits=2))
    return StudyTable("measures", "Measures of design", columns, rows, note)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@dataclass(frozen=True, slots=True)
class EvaluatedGame:
    """One game with the first player's expected points before each turn and at the end.

    The first player has Black, until a swap. `worth` is what each turn gained over a pass, for
    turns other than passes where a pass was legal. Both are evaluated with the opponent to move.
    """

    first_player: tuple[float, ...]
    worth: tuple[float, ...]

    @property
    def leads(self) -> tuple[float, ...]:
        """The first player's expected points on each turn: the mean of those before and after it.

        A search takes the best of many actions, some of which only look good, and so slightly
        overrates the player to move. In two consecutive positions, each player is to move once.
        """
        return tuple((before + after) / 2 for before, after in pairwise(self.first_player))


def evaluate_game(
    replayed: ReplayedGame, evaluator: Evaluator, seed: int, step: Callable[[], None]
) -> EvaluatedGame:
    """Return a game with every position evaluated; call `step` after each turn."""
    positions = (*replayed.positions, replayed.last)
    first_player = [evaluator.for_black(DropPosition(positions[0]), seed)]
    worth = []
    has_black = True
    for number, turn in enumerate(replayed.turns, start=1):
        before = positions[number - 1]
        is_first_players = (before.to_move is Colour.BLACK) is has_black
        has_black ^= isinstance(turn, Swap)
        for_black = evaluator.for_black(DropPosition(positions[number]), seed + number)
        after = for_black if has_black else 1 - for_black
        first_player.append(after)
        if not isinstance(turn, Pass):
            nothing = evaluator.doing_nothing(before, seed + number)
            if nothing is not None:
                worth.append((after if is_first_players else 1 - after) - nothing)
        step()
    return EvaluatedGame(tuple(first_player), tuple(worth))


def _whose_points(game: Game) -> str:
    """Return the words for what a lead counts; without a swap, the first player is Black."""
    return f"{'the first player' if has_swap(game) else 'Black'}'s expected points"


def changes(leads: Sequence[float], margin: float = 0.0) -> int:
    """Return how often the lead goes from one side to the other.

    A side takes the lead once it is more than `margin` above one half; in between, nothing changes.
    """
    leaders = [lead > 0.5 for lead in leads if abs(lead - 0.5) > margin]
    return sum(before != after for before, after in pairwise(leaders))


def change_share(courses: Sequence[EvaluatedGame], margin: float = 0.0) -> Estimate | None:
    """Return the share of turns on which the lead changed, or None without games."""
    pairs = [(changes(course.leads, margin), len(course.leads)) for course in courses]
    return share_by_game(pairs)


def noise(simulations: int) -> float:
    """Return half the 95 % interval of a lead near one half, as if simulations were independent."""
    return QUANTILE_975 * math.sqrt(0.25 / (2 * simulations))


def lead_table(game: Game, courses: Sequence[EvaluatedGame], simulations: int) -> StudyTable:
    """Return how often the lead changes, and what turns gain over a pass."""
    margin = noise(simulations)
    clear = f"leads beyond {50 + 100 * margin:.1f} %"
    rows: list[tuple[str, int, Estimate | None]] = [
        ("turns on which the lead changed", len(courses), change_share(courses)),
        (f"the same, of {clear} alone", len(courses), change_share(courses, margin)),
    ]
    passes = [course.worth for course in courses if course.worth]
    if passes:
        better = [(float(sum(w > 0 for w in worth)), float(len(worth))) for worth in passes]
        sums = [(sum(worth), float(len(worth))) for worth in passes]
        rows += [
            ("turns better than a pass", len(passes), share_by_game(better)),
            ("worth of a turn beyond a pass", len(passes), bootstrap(sums, ratio_of_sums)),
        ]
    columns = columns_of("what", "games", in_percent("share"))
    times = mean_or_none([float(changes(course.leads, margin)) for course in courses])
    note = (
        f"A lead is {_whose_points(game)} above or below 50 %: the mean of searches of "
        f"{simulations} simulations before a turn and after it. Close to 50 %, chance alone "
        f"changes the lead; clear leads changed {_times(times)} a game."
    )
    return StudyTable("leads", "Lead changes", columns, rows, note)


def _times(estimate: Estimate | None) -> str:
    if estimate is None:
        return "an unknown number of times"
    if estimate.high is None:
        return f"{estimate.value:.1f} times"
    return f"{estimate.value:.1f} ± {estimate.high - estimate.value:.1f} times"


def course_chart(game: Game, courses: Sequence[EvaluatedGame], simulations: int) -> Chart:
    """Return who leads on each turn of the first game, as a chart."""
    half, whose = noise(simulations), _whose_points(game)
    whose = whose[0].upper() + whose[1:]
    points = [
        (
            float(turn),
            Estimate(
                lead, max(lead - half, 0), min(lead + half, 1), IntervalMethod.WALD, 2 * simulations
            ),
        )
        for turn, lead in enumerate(courses[0].leads, start=1)
    ]
    return Chart(
        "lead_by_turn", "Who leads in one game", "turn", whose, [Line(whose, points)], is_share=True
    )
