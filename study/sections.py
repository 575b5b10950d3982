"""The sections of a study, with every measurement in its place."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Protocol

from oddly.games import DropPosition
from oddly.study.atlas import IN_BRIEF
from oddly.study.choices import chosen_table, judge, quality_table, sampled
from oddly.study.complexity import MAX_POSITIONS, complexity_table, depths, distinct_table
from oddly.study.document import Part, Section, Study, StudyTable, columns_of, in_percent
from oddly.study.estimates import mean_or_none
from oddly.study.evaluator import Evaluator
from oddly.study.first_turns import (
    check_agreement,
    chosen_first_table,
    first_turn_table,
    first_turns,
    heat_maps,
    pie_table,
    reply_table,
)
from oddly.study.game_course import (
    BranchingCounter,
    GameLength,
    branching_chart,
    branching_table,
    group_chart,
    kind_table,
    length_table,
    lengths_of,
    mean_width,
    random_lengths,
)
from oddly.study.game_properties import ReplayedGame, has_swap, random_games, replayed, short_title
from oddly.study.leads import course_chart, evaluate_game, lead_table, measures_table
from oddly.study.playing import Purpose, StudyPlan
from oddly.study.scores import (
    balance_table,
    draw_share,
    first_player_share,
    ladder_table,
    mirror_table,
    stages,
    trend_table,
)
from oddly.study.summary import has_published, in_brief, published_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oddly.referee import GameRecord
    from oddly.study.playing import GamesByPairing


MAX_GAMES = 200
"""The maximum number of the strongest player's games against itself to examine turn by turn."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The extent of the measurements: numbers of games, positions and simulations."""

    random_games: int = 1000
    simulations: int = 400
    """For each evaluation along a game; the value of an action takes them in two halves."""
    courses: int = 6
    positions: int = 12
    max_positions: int = MAX_POSITIONS
    """The maximum number of positions to examine when counting those one action deeper."""


class MeasuringObserver(Protocol):
    """Observes the progress of the measurements."""

    def begin(self, what: str, steps: int) -> Callable[[], None]:
        """Begin a measurement of `steps` steps; return the function to call after each."""


def make_study(
    plan: StudyPlan,
    played: GamesByPairing,
    effort: Effort,
    observer: MeasuringObserver,
    facts: Mapping[str, object],
    others: Mapping[str, Sequence[GameRecord]] | None = None,
) -> Study:
    """Return the study of the games played, with everything measured.

    `facts` say on the title page what was studied and how; `others` are games of other players, by
    the name of their source. The same games always give the same study. Raises StudyError if they
    contradict each other.
    """
    equal = {pairing.one: played[pairing] for pairing in plan.of(Purpose.EQUAL)}
    records = equal[plan.levels[-1]]
    games = replayed(records[:MAX_GAMES])
    evaluator = Evaluator(plan.game, plan.engine, effort.simulations)
    observer.begin("random games", 1)
    random = random_games(plan.game, effort.random_games, plan.seed)
    lengths = {"random actions": random_lengths(random)}
    lengths |= {name: lengths_of(some) for name, some in equal.items()}
    sections = [
        _strength(plan, played),
        _length(plan, lengths, games),
        _size(plan, games, effort, observer),
        _leads(plan, games, evaluator, effort, observer),
        _choices(plan, games, evaluator, effort, observer),
        _openings(plan, played),
        *([_beside(plan, played, others)] if others else []),
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
    return Study(short_title(plan.game), facts, sections)


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
    plan: StudyPlan, lengths: Mapping[str, Sequence[GameLength]], games: Sequence[ReplayedGame]
) -> Section:
    kinds_of_turns = kind_table(games)
    parts: list[Part] = [
        length_table(plan.game, lengths),
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
        lead_table(plan.game, courses, effort.simulations),
        *([course_chart(plan.game, courses, effort.simulations)] if courses else []),
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


def _openings(plan: StudyPlan, played: GamesByPairing) -> Section:
    most, found = plan.most_played, first_turns(plan, played)
    free = played[most]
    check_agreement(found, free)
    parts: list[Part] = [chosen_first_table(plan.game, free)]
    if not found:
        text = (
            f"The first turns that {most.one} chose against itself. No games were played from "
            "given first turns, so this page does not say what each of them is worth."
        )
        return Section("Openings", text, parts)
    games = min(first.value.samples for first in found)
    text = (
        f"The first turns that {most.one} chose against itself; then at least {games} games of the "
        "same two players from every first turn, one of those that are the same up to symmetry."
    )
    parts += [
        first_turn_table(found),
        # Where White may already swap, these games do not say what it would be worth.
        *([] if has_swap(plan.game) else [pie_table(found, free)]),
        reply_table(plan.game, found),
        *heat_maps(plan.game, found),
    ]
    return Section("Openings", text, parts)


def _beside(
    plan: StudyPlan, played: GamesByPairing, others: Mapping[str, Sequence[GameRecord]]
) -> Section:
    """Return the section that compares games of other players with the engine's."""
    most = plan.most_played
    every = [(f"{most.one} against itself", played[most][:MAX_GAMES]), *others.items()]
    counter = BranchingCounter(plan.game)
    rows = []
    for name, records in every:
        games = replayed(records)
        lengths = lengths_of(records)
        rows.append(
            (
                name,
                len(records),
                mean_or_none([float(each.turns) for each in lengths]),
                mean_or_none([float(each.actions) for each in lengths]),
                mean_width([counter.widths(game).turns for game in games]),
                first_player_share(records),
                draw_share(records),
            )
        )
    columns = columns_of(
        "games of", "games", "turns", "actions", "legal turns",
        in_percent("first player's points"), in_percent("drawn"),
    )  # fmt: skip
    table = StudyTable("beside", "Length, width and balance", columns, rows)
    return Section("Beside other games", "Games of this board that others played.", [table])
