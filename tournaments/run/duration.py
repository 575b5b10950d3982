"""A rough estimate of a tournament's duration."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from oddly.protocol import TimeControl, TimeKind
from oddly.tournaments.executors.capacity import cores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oddly.tournaments.formats.format import Event
    from oddly.tournaments.formats.plan import Plan
    from oddly.tournaments.formats.tournament import Tournament
    from oddly.tournaments.results.schedule import ScheduledGame


MAX_PREVIEWED = 10
"""How many games of an endless plan are previewed."""


class Duration(NamedTuple):
    """The duration of a tournament if engines use their time; None if that is unknown."""

    games: int | None
    seconds: float | None
    """The time for all games, with the tournament's number of games at once."""
    seconds_a_game: float | None


def preview(plan: Plan) -> list[ScheduledGame]:
    """Return the games that a plan gives before the first result; of an endless plan, some."""
    most = MAX_PREVIEWED if plan.total is None else plan.total
    return list(islice(iter(plan.next, None), most))


def duration(tournament: Tournament, event: Event) -> Duration:
    """Return a rough estimate of the tournament's duration."""
    at_once = tournament.settings.concurrency or cores()
    times = {engine.name: engine.time for engine in tournament.engines}
    # This draws no opening.
    plan = tournament.format.plan(replace(event, openings={}))
    first = preview(plan)
    seconds = seconds_of(first, times, 1)
    if seconds is None:
        return Duration(plan.total, None, None)
    each = seconds / len(first)
    return Duration(plan.total, each * plan.total / at_once if plan.total else None, each)


def seconds_of(
    schedule: Iterable[ScheduledGame], times: Mapping[str, TimeControl], concurrency: int
) -> float | None:
    """Return the seconds for all games if engines use their time; None if a clock has no limit."""
    total = 0.0
    for game in schedule:
        turns = game.game.turns_per_cell * len(game.game.board) / 2
        for name in (game.first, game.second):
            needed = _seconds_of_turns(times[name], turns)
            if needed is None:
                return None
            total += needed
    return total / concurrency


def _seconds_of_turns(time: TimeControl, turns: float) -> float | None:
    """Return the seconds that a player has for `turns` turns; None without a limit."""
    match time.kind:
        case TimeKind.NONE:
            return None
        case TimeKind.FIXED:
            return time.main_seconds * turns
        case TimeKind.FISCHER:
            return time.main_seconds + time.increment_seconds * turns
        case TimeKind.CANADIAN:
            return time.main_seconds + time.period_seconds * turns / time.turns
        case TimeKind.JAPANESE:
            return time.main_seconds + time.period_seconds * turns


def spelled(seconds: float) -> str:
    """Return a duration as `3 s`, `12 min`, `5 h 10 min` or `2 d 3 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h"
