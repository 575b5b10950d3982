"""When rulings retired engines, told by the games of their event instead of by a clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from oddly.tournaments.results.schedule import scheduled_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oddly.tournaments.results.schedule import ScheduledGame


class Moment(NamedTuple):
    """The moment when a game began: its place among all games, and who was retired then."""

    place: int
    retired: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Retirements:
    """The engines that rulings had retired when each game began, and those retired now.

    Who retired first comes first. Nothing is known of engines that the tournament file retires.
    """

    now: tuple[str, ...] = ()
    by_game: Mapping[str, Moment] = field(default_factory=dict)
    """By the games' ids in the schedule."""

    def when(self, games: Iterable[ScheduledGame]) -> tuple[str, ...]:
        """Return who was retired when the first of these games began; if none did, who is now."""
        moments = (self.by_game.get(scheduled_id(game.id)) for game in games)
        known = (moment for moment in moments if moment is not None)
        return min(known, default=Moment(0, self.now)).retired

    def in_order(self, before: Iterable[ScheduledGame]) -> tuple[str, ...]:
        """Return who was retired when the first of these games began, then who retired later."""
        return tuple(dict.fromkeys((*self.when(before), *self.now)))


UNKNOWN_RETIREMENTS = Retirements()
"""Those of a ledger that does not tell the order of its rows, or retires nobody."""


def retirements_of(events: Iterable[tuple[str, str]]) -> Retirements:
    """Return the retirements of an event from its games and rulings, in their order.

    Each is `began` with the id of a game, or `retire` or `restore` with the name of an engine.
    """
    retired: tuple[str, ...] = ()
    by_game: dict[str, Moment] = {}
    for kind, name in events:
        if kind == "began":
            by_game.setdefault(scheduled_id(name), Moment(len(by_game), retired))
        else:
            retired = tuple(other for other in retired if other != name)
            if kind == "retire":
                retired = (*retired, name)
    return Retirements(retired, by_game)
