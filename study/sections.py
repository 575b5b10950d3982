"""The sections of a study, with every measurement in its place."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Protocol

from oddly.games import DropPosition
from oddly.study.atlas import IN_BRIEF
from oddly.study.choices import chosen_table, judge, quality_table, sampled
from oddly.study.complexity import complexity_table
from oddly.study.distinct import MAX_POSITIONS, depths, distinct_table
from oddly.study.document import Section, Study, StudyTable
from oddly.study.estimates import mean
from oddly.study.evaluator import Evaluator, evaluator_name
from oddly.study.first_turns import (
    BEST,
    FAIREST,
    first_turn_table,
    first_turns,
    heat_maps,
    kinds,
    reply_table,
    to_answer,
)
from oddly.study.game_course import (
    BranchingCounter,
    branching_chart,
    branching_table,
    group_chart,
    kind_table,
    length_table,
    lengths_of,
)
from oddly.study.leads import course_chart, evaluate_game, lead_table, measures_table
from oddly.study.measured_games import random_games, replayed
from oddly.study.plan import Purpose
from oddly.study.scores import (
    balance_table,
    ladder_table,
    mirror_table,
    pie_table,
    stages,
    trend_table,
)
from oddly.study.speed import (
    REFERENCE,
    SLICES,
    playout_rates,
    search_rates,
    size_table,
    speed_table,
)
from oddly.study.summary import early_text, has_published, in_brief, published_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oddly.referee import GameRecord
    from oddly.study.document import Part
    from oddly.study.game_course import GameLength
    from oddly.study.measured_games import RandomGame, ReplayedGame
    from oddly.study.plan import StudyPlan
    from oddly.study.playing import GamesByPairing


MAX_GAMES = 200
"""The most games of the strongest player with itself that are looked at turn by turn."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The extent of the measurements: numbers of games, positions and simulations."""

    random_games: int = 1000
    seconds: float = 2.0
    """The time for each speed."""
    simulations: int = 400
    """For each evaluation along a game; the value of an action takes as many, in two halves."""
    courses: int = 20
    positions: int = 36
    opening_simulations: int = 2000
    opening_repeats: int = 5
    max_positions: int = MAX_POSITIONS
    """The most positions to look at when counting those one action deeper."""


class MeasuringObserver(Protocol):
    """Observes the progress of the measurements."""

    def begin(self, what: str, steps: int) -> Callable[[], None]:
        """Begin a measurement of `steps` steps; return what to call after each."""


def make_study(
    plan: StudyPlan,
    played: GamesByPairing,
    effort: Effort,
    observer: MeasuringObserver,
    facts: Mapping[str, object],
) -> Study:
    """Return the study of the games played, with everything measured.

    `facts` say on the title page what was studied and how.
    """
    equal = {
        pairing.one: played[pairing]
        for pairing in plan.pairings
        if pairing.purpose is Purpose.EQUAL
    }
    records = equal[plan.levels[-1]]
    games = replayed(records[:MAX_GAMES])
    lengths = {name: lengths_of(some) for name, some in equal.items()}
    evaluator = Evaluator(plan.game, plan.engine, effort.simulations)
    player = Evaluator(plan.game, plan.engine, effort.simulations, as_it_plays=True)
    observer.begin("random games", 1)
    random = random_games(plan.game, effort.random_games, plan.seed)
    sections = [
        _strength(plan, played),
        _length(plan, random, lengths, games),
        _size(plan, games, effort, observer),
        _speed(plan, random, player, effort, observer),
        _leads(plan, games, evaluator, effort, observer),
        _choices(plan, games, evaluator, effort, observer),
        _openings(plan, records, player, effort, observer),
    ]
    sections.insert(0, Section(IN_BRIEF, in_brief(plan, played, lengths, sections), []))
    if has_published(plan.game):
        tables = [part for s in sections for part in s.parts if isinstance(part, StudyTable)]
        sections.append(
            Section(
                "Beside published figures",
                "Figures that the program Ai Ai published for this board, beside ours.",
                [published_table(tables)],
            )
        )
    return Study(f"A study of {plan.game}", facts, sections)


def _strength(plan: StudyPlan, played: GamesByPairing) -> Section:
    parts: list[Part] = [balance_table(plan, played)]
    if table := trend_table(stages(plan, played)):
        parts.append(table)
    if len(plan.levels) > 1:
        parts.append(ladder_table(plan, played))
    text = (
        "Games between our engines; in each pairing, both play both colours. The number after an "
        "engine's name is its simulations an action."
    )
    return Section("Strength and seats", text, [*parts, mirror_table(plan, played)])


def _length(
    plan: StudyPlan,
    random: Sequence[RandomGame],
    equal: Mapping[str, Sequence[GameLength]],
    games: Sequence[ReplayedGame],
) -> Section:
    kinds_of_turns = kind_table(games)
    parts: list[Part] = [
        length_table(plan.game, random, equal),
        *([kinds_of_turns] if kinds_of_turns else []),
        group_chart(games),
    ]
    text = (
        "The second table and the chart describe the games of the strongest player against itself."
    )
    return Section("The course of a game", text if kinds_of_turns else "", parts)


def _size(
    plan: StudyPlan, games: Sequence[ReplayedGame], effort: Effort, observer: MeasuringObserver
) -> Section:
    step = observer.begin("branching factor", len(games))
    counter = BranchingCounter(plan.game)
    widths = []
    for game in games:
        widths.append(counter.widths(game))
        step()
    observer.begin("distinct positions", 1)
    parts: list[Part] = [
        branching_table(plan.game, widths),
        branching_chart(widths),
        complexity_table(plan.game, widths, games, plan.seed),
        distinct_table(plan.game, depths(plan.game, effort.max_positions)),
    ]
    text = "Counted along the games of the strongest player against itself."
    return Section("Size", text, parts)


def _speed(
    plan: StudyPlan,
    random: Sequence[RandomGame],
    evaluator: Evaluator,
    effort: Effort,
    observer: MeasuringObserver,
) -> Section:
    step = observer.begin("speed", SLICES)
    measured = [plan.game] if plan.game == REFERENCE else [plan.game, REFERENCE]
    playouts, *others = playout_rates(measured, effort.seconds)
    reference = others[0] if others else []
    name = evaluator_name(plan.engine)
    searches = {name: search_rates(plan.game, evaluator, effort.seconds, step)}
    length = mean([float(len(game.choices)) for game in random])
    parts: list[Part] = [
        speed_table(plan.game, playouts, reference, searches, length),
        size_table(plan.game),
    ]
    return Section("Speed", "Measured on the machine that made this study.", parts)


def _leads(
    plan: StudyPlan,
    games: Sequence[ReplayedGame],
    evaluator: Evaluator,
    effort: Effort,
    observer: MeasuringObserver,
) -> Section:
    chosen = games[: effort.courses]
    step = observer.begin("lead changes", sum(len(game.turns) for game in chosen))
    courses = [
        evaluate_game(game, evaluator, 1000 * (plan.seed + number), step)
        for number, game in enumerate(chosen, start=1)
    ]
    parts: list[Part] = [
        lead_table(courses, effort.simulations),
        *([course_chart(courses, effort.simulations)] if courses else []),
    ]
    if courses:
        parts.insert(1, measures_table(courses, effort.simulations))
    number = len(chosen)
    text = f"Every position of {number} of the strongest player's games against itself, by search."
    return Section("Who leads", text, parts)


def _choices(
    plan: StudyPlan,
    games: Sequence[ReplayedGame],
    evaluator: Evaluator,
    effort: Effort,
    observer: MeasuringObserver,
) -> Section:
    places = sampled(games, effort.positions, Random(plan.seed))
    step = observer.begin("good and bad actions", len(places))
    judged = []
    for number, (game, turn) in enumerate(places):
        at = DropPosition(games[game].positions[turn])
        third = 3 * turn // len(games[game].turns)
        judged.append(judge(at, game, third, evaluator, plan.seed + number, step))
    parts: list[Part] = [chosen_table(plan.game, games), quality_table(judged, effort.simulations)]
    text = (
        "From the strongest player's games against itself: all actions, then a sample of positions."
    )
    return Section("Good and bad actions", text, parts)


def _openings(
    plan: StudyPlan,
    records: Sequence[GameRecord],
    evaluator: Evaluator,
    effort: Effort,
    observer: MeasuringObserver,
) -> Section:
    step = observer.begin("opening turns", len(kinds(plan.game)) + BEST + FAIREST)
    numbers = effort.opening_simulations, effort.opening_repeats
    found = first_turns(plan.game, evaluator, *numbers, plan.seed, step)
    text = (
        f"Every first turn, one of those that are the same up to symmetry, was searched "
        f"{numbers[1]} times with {numbers[0]:,} simulations. Searches overrate the side to move, "
        "here White, so compare these values only with each other."
    )
    if evaluator.judges_early:
        text += f" {early_text(found)}"
    answered = to_answer(found)
    parts: list[Part] = [
        first_turn_table(found, records),
        pie_table(found),
        reply_table(plan.game, plan.engine, answered, evaluator, *numbers, step),
        *heat_maps(plan.game, found),
    ]
    return Section("Openings", text, parts)
