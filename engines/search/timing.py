"""How long to think about a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.time_control import TimeKind

if TYPE_CHECKING:
    from games.game import Position
    from protocol.time_control import TimeControl

USED = 0.9
"""The part of an allowance that is thought away; the rest is for pipes and busy machines."""

MARGIN_SECONDS = 0.001
LEAST_PART = 0.2
LATEST_PART = 0.25
"""The most of the time for the rest of the game that one turn may take."""

DROPS_A_TURN = 1.5
MOVES_TO_COME = 25


def seconds_for_turn(
    control: TimeControl | None, left: tuple[float, int] | None, turns_to_come: int
) -> float | None:
    """Return the seconds to think, or None without a clock.

    `left` is what the clock shows, seconds and the turns or periods of an overtime (0 before it);
    None if it is unknown: then it is what the control begins with.
    """
    if control is None or control.kind is TimeKind.NONE:
        return None
    if control.kind is TimeKind.FIXED:
        return _with_margin(control.main_seconds)
    seconds, overtime = left if left is not None else (control.main_seconds, 0)
    if control.kind is TimeKind.FISCHER:
        share = seconds / max(turns_to_come, 1) + control.increment_seconds
        return _with_margin(min(share, seconds * LATEST_PART + control.increment_seconds, seconds))
    if control.kind is TimeKind.CANADIAN:
        steady = control.period_seconds / control.turns
        if overtime > 0:
            return _with_margin(seconds / overtime)
    else:
        steady = control.period_seconds
        if overtime > 0:
            return _with_margin(min(seconds, steady) if seconds > 0 else steady)
    return _with_margin(max(seconds / max(turns_to_come, 1), min(steady, seconds + steady)))


def turns_to_come(position: Position) -> int:
    """Return about how many turns the side to move has yet to play."""
    if position.most_drops == 0:
        return MOVES_TO_COME
    empty = sum(1 for stone in position.stones if stone == 0)
    return int(empty / (2 * (DROPS_A_TURN if position.most_drops > 1 else 1))) + 3


def _with_margin(seconds: float) -> float:
    return max(USED * seconds - MARGIN_SECONDS, LEAST_PART * seconds)
