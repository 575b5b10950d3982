"""How long games take, roughly: for people who plan a tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.time_control import TimeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from protocol.time_control import TimeControl
    from tournaments.schedule import ScheduledGame


def seconds_of(
    schedule: Iterable[ScheduledGame], times: Mapping[str, TimeControl], concurrency: int
) -> float | None:
    """Seconds for all games, so many at once, if engines use their time; None without clocks."""
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
    """Seconds that a player has for so many turns."""
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
    """`3 s`, `12 min`, `5 h 10 min` or `2 d 3 h`."""
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
