"""The lag credited to an engine: as much as measured round trips justify, within a quota.

The arena records when it asks and when the answer arrives; the client says how long the engine
took. The difference is lag, which the arena believes only as far as its own measurements of this
connection's round trips justify. A client that lies and answers pings late gains at most its quota.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

from oddly.protocol import TimeKind
from oddly.referee.justice.clock import QuotaRule

if TYPE_CHECKING:
    from oddly.protocol import TimeControl

PINGS = 16
"""The number of round trips remembered."""
FIRST_PINGS = 4
"""The number of pings in succession when a game starts."""
PING_EVERY = 2.0
"""Seconds between two pings during a game."""
MAX_PINGS = 16
"""The maximum number of unanswered pings; older ones are forgotten."""
SLACK = 0.01
"""Seconds that a client's own programs may take beyond what a ping measures."""

MIN_GAIN, MAX_GAIN = 0.1, 1.0
TURNS = 40
"""The estimated turns of a game, as on lichess.org."""
STARTS_WITH, HOLDS = 3, 7
"""A quota begins with 3 times what a turn adds, and holds 7 times that, as in scalachess."""


def quota_rule(control: TimeControl) -> QuotaRule:
    """Return the quota of a time control: 0.1 s a turn for the shortest, 1 s from 36 s a game."""
    seconds = control.main_seconds
    match control.kind:
        case TimeKind.NONE:
            seconds = math.inf
        case TimeKind.FIXED:
            seconds *= TURNS
        case TimeKind.FISCHER:
            seconds += TURNS * control.increment_seconds
        case TimeKind.CANADIAN:
            seconds += TURNS * control.period_seconds / control.turns
        case TimeKind.JAPANESE:
            seconds += TURNS * control.period_seconds
    gain = min(MAX_GAIN, MIN_GAIN + seconds / TURNS)
    return QuotaRule(STARTS_WITH * gain, gain, HOLDS * gain)


class RoundTrips:
    """The round trips of one connection, as the arena measures them."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=PINGS)
        self._sent: dict[int, float] = {}
        self._number = 0
        self.due = 0.0
        """When the next ping is due during a game."""
        self.justified = 0.0
        """The believed lag in seconds a turn: the longest round trip, and as much jitter again.

        The longest of a few pings is seldom the longest of a whole game.
        """

    def new_ping(self, now: float) -> int:
        """Return the number of a new ping, to be sent to the socket next."""
        self._number += 1
        self.due = now + PING_EVERY
        return self._number

    def sent(self, number: int, now: float) -> None:
        """Note that the socket has a ping."""
        self._sent[number] = now
        while len(self._sent) > MAX_PINGS:
            del self._sent[next(iter(self._sent))]

    def heard(self, number: int, now: float) -> None:
        """Note a pong. A pong without a ping is ignored."""
        since = self._sent.pop(number, None)
        if since is not None:
            last = self._last
            last.append(max(0.0, now - since))
            longest = max(last)
            self.justified = longest + max(SLACK, longest - min(last))
