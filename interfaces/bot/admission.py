"""Which challenges to accept: of which games, how many, with which clocks, and when.

Opening hours such as `Mon-Fri 18:00-08:00, Sat-Sun`, in local time, say when engines may think.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from oddly.games import Game, did_you_mean
from oddly.games.wording import counted
from oddly.interfaces.bot.site_view import Challenge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oddly.interfaces.bot.site_view import ListedGame, TurnRequest


DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY, WEEK = 24 * 60, 7 * 24 * 60
"""Minutes."""
_PART = re.compile(r"(?:(?P<days>[A-Za-z-]+)\s*)?(?P<times>\d{1,2}:\d\d\s*-\s*\d{1,2}:\d\d)?")
_TIME = re.compile(r"(\d{1,2}):(\d\d)")


class OpeningHoursError(ValueError):
    """A text that gives no opening hours. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """The minutes of the week in which engines may think, from Monday 00:00."""

    minutes: frozenset[int]

    def is_open(self, moment: datetime) -> bool:
        """Return whether the machine is open at a moment in local time."""
        return _minute(moment) in self.minutes

    def next_opening(self, moment: datetime) -> datetime:
        """Return when the machine opens: the moment itself if it is open."""
        if self.is_open(moment):
            return moment
        start = moment.replace(second=0, microsecond=0)
        first = _minute(start)
        waiting = next(n for n in range(1, WEEK + 1) if (first + n) % WEEK in self.minutes)
        return start + timedelta(minutes=waiting)

    @property
    def longest_closure(self) -> float:
        """The longest time for which the machine stays closed, in hours."""
        longest = current = 0
        for minute in range(2 * WEEK):
            current = 0 if minute % WEEK in self.minutes else current + 1
            longest = max(longest, current)
        return longest / 60


def read_opening_hours(text: str) -> OpeningHours:
    """Return the opening hours in a text. Raises OpeningHoursError.

    Its parts, with commas between them, are days, hours, or both. Hours that end before they begin
    end on the next day.
    """
    minutes: set[int] = set()
    for part in text.split(","):
        found = _PART.fullmatch(part.strip())
        if found is None or not part.strip():
            raise OpeningHoursError(
                f"{part.strip()!r} is not a part of opening hours: expected one such as "
                "'Mon-Fri 18:00-08:00', '9:00-17:00' or 'Sat-Sun'"
            )
        begin, end = _times(found["times"] or "0:00-24:00")
        for day in _days(found["days"] or "Mon-Sun"):
            minutes |= {(day * DAY + minute) % WEEK for minute in range(begin, end)}
    return OpeningHours(frozenset(minutes))


def _minute(moment: datetime) -> int:
    return moment.weekday() * DAY + moment.hour * 60 + moment.minute


def _days(text: str) -> list[int]:
    numbers = [_day(word) for word in text.split("-")]
    if len(numbers) > 2:
        raise OpeningHoursError(f"{text!r} is not a range of days: expected one such as 'Mon-Fri'")
    first, last = numbers[0], numbers[-1]
    return [(first + n) % 7 for n in range((last - first) % 7 + 1)]


def _day(word: str) -> int:
    if word.lower()[:3] not in DAYS or len(word) > 9:
        raise OpeningHoursError(
            f"{word!r} is not a day: expected Mon, Tue, Wed, Thu, Fri, Sat or Sun"
            f"{did_you_mean(word.lower(), DAYS)}"
        )
    return DAYS.index(word.lower()[:3])


def _times(text: str) -> tuple[int, int]:
    """Return the minutes from midnight to the beginning and to the end of hours."""
    times = [(int(hour), int(minute)) for hour, minute in _TIME.findall(text)]
    begin, end = (60 * hour + minute for hour, minute in times)
    if max(begin, end) > DAY or begin == end or any(minute > 59 for _, minute in times):
        raise OpeningHoursError(f"{text!r} are no hours: expected some such as '18:00-08:00'")
    return begin, end if end > begin else end + DAY


UNLISTED = 3600.0
"""Seconds for which an accepted challenge counts as a game, unless the site lists its game."""
ENOUGH = 60.0
"""Seconds after which an accepted challenge is among the games that the site lists."""


@dataclass
class Admission:
    """Decides about challenges. `games` are ours, as the site listed them last."""

    plays: Callable[[Game], bool]
    per_opponent: int | None = None
    in_all: int | None = None
    hours: OpeningHours | None = None
    games: tuple[ListedGame, ...] = ()
    _accepted: list[tuple[float, tuple[str, ...]]] = field(default_factory=list)

    def objection(self, asked: Challenge | TurnRequest, now: float) -> str | None:
        """Return why a challenge is declined, or a turn cannot be thought about; None if neither.

        `now` is in Unix seconds.
        """
        if not self.plays(asked.game):
            return f"no engine here plays {asked.game}"
        if not isinstance(asked, Challenge):
            return None
        self._accepted = [each for each in self._accepted if each[0] > now - UNLISTED]
        running = len(self.games) + len(self._accepted)
        if self.in_all is not None and running >= self.in_all:
            return f"{counted(running, 'game')} {'is' if running == 1 else 'are'} enough"
        if self.per_opponent is not None:
            for opponent in asked.challengers:
                count = sum(opponent in others for others in self._opponents())
                if count >= self.per_opponent:
                    are = "is" if count == 1 else "are"
                    return f"{counted(count, 'game')} with one opponent {are} enough"
        if self.hours is not None and asked.hours is not None:
            closure = self.hours.longest_closure
            if asked.hours < closure:
                return f"a clock of {asked.hours:g} h: engines rest for up to {closure:g} h"
        return None

    def accept(self, challenge: Challenge, now: float) -> None:
        """Count a game that the site does not list yet."""
        self._accepted.append((now, challenge.challengers))

    def learn(self, games: Iterable[ListedGame], asked: float) -> None:
        """Learn which games the site lists. `asked` is when it was asked, in Unix seconds."""
        self.games = tuple(games)
        self._accepted = [each for each in self._accepted if each[0] > asked - ENOUGH]

    def has_gone_on(self, request: TurnRequest) -> bool:
        """Return whether the site listed the game with more turns than a late message has."""
        return any(
            game.gameid == request.gameid and game.plies > request.plies for game in self.games
        )

    def _opponents(self) -> Iterable[tuple[str, ...]]:
        yield from (game.opponents for game in self.games)
        yield from (challengers for _, challengers in self._accepted)
