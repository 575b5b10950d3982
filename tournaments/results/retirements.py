"""When engines retired, told by the games of their event instead of by a clock."""

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
    retired: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Retirements:
    """The engines that were retired when each game began, and those retired now.

    Each has the place of its retirement among all, which is the same for engines that the file
    retires at once.
    """

    now: Mapping[str, int] = field(default_factory=dict)
    by_game: Mapping[str, Moment] = field(default_factory=dict)
    """By the games' ids in the schedule."""

    def when(self, games: Iterable[ScheduledGame]) -> Mapping[str, int]:
        """Return who was retired when the first of these games began; if none did, who is now."""
        moments = (self.by_game.get(scheduled_id(game.id)) for game in games)
        known = (moment for moment in moments if moment is not None)
        return min(known, default=Moment(0, self.now)).retired

    def until_now(self, games: Iterable[ScheduledGame]) -> Mapping[str, int]:
        """Return who was retired when the first of these games began, and who retired later."""
        return {**self.now, **self.when(games)}


UNKNOWN_RETIREMENTS = Retirements()
"""Those of a ledger that does not tell the order of its rows, or retires nobody."""


def retirements_of(events: Iterable[tuple[str, ...]]) -> Retirements:
    """Return the retirements of an event from its games, rulings and files, in their order.

    Each is `began` with the id of a game, `retire` or `restore` with the name of an engine, or
    `file` with the names of all engines that are not active in the file from then on.
    """
    retired: dict[str, int] = {}
    by_game: dict[str, Moment] = {}
    by_rulings: set[str] = set()
    by_file: set[str] = set()
    for place, (kind, *names) in enumerate(events):
        match kind:
            case "began":
                by_game.setdefault(scheduled_id(names[0]), Moment(len(by_game), retired))
                continue
            case "retire":
                by_rulings.update(names)
            case "restore":
                by_rulings.difference_update(names)
            case "file":
                by_file = {*names}
        retired = {name: retired.get(name, place) for name in by_rulings | by_file}
    return Retirements(retired, by_game)
