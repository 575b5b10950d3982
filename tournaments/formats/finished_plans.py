"""The plan of a Swiss or a knockout as its games left it, for those who only read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oddly.tournaments.formats.format import Event
from oddly.tournaments.formats.knockout import Knockout, KnockoutPlan
from oddly.tournaments.formats.plan import JointPlan
from oddly.tournaments.formats.swiss import Swiss, SwissPlan
from oddly.tournaments.results.schedule import scheduled_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.games.game import Game
    from oddly.tournaments.formats.format import Contest
    from oddly.tournaments.formats.plan import Plan
    from oddly.tournaments.results.played_game import PlayedGame
    from oddly.tournaments.results.schedule import ScheduledGame

MAX_PAIRS = 1_000
"""Pairs of games in one encounter; a ledger that says more was not written by us."""

WITH_PLANS = frozenset({Swiss.name, Knockout.name})
"""The formats that have something to report."""


def recalled_plan(
    format_: str,
    settings: Mapping[str, object],
    name: str,
    seed: int,
    engines: Sequence[str],
    played: Sequence[PlayedGame],
    unfinished: Sequence[ScheduledGame] = (),
) -> Plan | None:
    """Return the plan of an event with all that it learnt; None for formats without a report.

    It is there for its reports and facts, and pairs nobody. Settings that are missing or impossible
    count as the usual ones: a ledger may have been written by anybody.
    """
    if format_ not in WITH_PLANS:
        return None
    begun = [*(game.scheduled for game in played), *unfinished]
    begun.sort(key=lambda game: game.number)
    games = tuple(dict.fromkeys(game.game for game in begun))
    known = {scheduled_id(game.scheduled.id): game for game in played}
    pairs = max(1, _whole(settings, "pairs", 1))
    extra_pairs = _whole(settings, "extra_pairs", 3)
    plans: dict[Game, Plan] = {}
    for game, contest in Event(name, seed, games, tuple(engines), {}, begun).contests().items():
        if format_ == Swiss.name:
            plans[game] = _swiss(contest, pairs, known)
        else:
            plans[game] = _knockout(contest, Knockout(pairs, extra_pairs), known)
    return JointPlan(plans)


def _swiss(contest: Contest, pairs: int, known: Mapping[str, PlayedGame]) -> Plan:
    rounds = max((game.round - 1) // pairs + 1 for game in contest.begun)
    plan = SwissPlan(contest, Swiss(rounds, pairs))
    plan.recall(known)
    return plan


def _knockout(contest: Contest, settings: Knockout, known: Mapping[str, PlayedGame]) -> Plan:
    plan = KnockoutPlan(contest, settings)
    while (scheduled := plan.next()) is not None:
        if scheduled.id in known:
            plan.learn(replace(known[scheduled.id], scheduled=scheduled))
    return plan


def _whole(settings: Mapping[str, object], key: str, usual: int) -> int:
    value = settings.get(key)
    return value if type(value) is int and 0 <= value <= MAX_PAIRS else usual
