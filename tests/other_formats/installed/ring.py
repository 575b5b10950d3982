"""Ring: the engines sit in a ring, and each meets its two neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from oddly.tournaments import Format, FormatReport, ReportTable, both_ways, setting
from oddly.tournaments.formats.plan import FixedPlan


@dataclass(frozen=True, slots=True)
class Ring(Format):
    """`rounds` pairs of games of each two neighbours."""

    name: ClassVar = "ring"
    can_grow: ClassVar = frozenset({"rounds"})
    reports: ClassVar = True

    rounds: int = setting(1, kind=int, summary="pairs of games of two neighbours", ge=1, le=100)

    @property
    def openings(self):
        """One opening a round."""
        return self.rounds

    @classmethod
    def fixed_pairs(cls, engines):
        """Return each engine with the next; two engines meet once."""
        pairs = list(zip(engines, [*engines[1:], *engines[:1]], strict=True))
        return pairs[: len(engines) - (len(engines) == 2)]

    def plan(self, event):
        """Return the games of each round."""
        pairs = self.fixed_pairs(event.engines)
        games = both_ways(
            event.games, pairs, self.rounds, event.seed, event.name, event.openings,
            event.full_rounds,
        )  # fmt: skip
        return FixedPlan(games, 2 * len(pairs) * len(event.games) * self.rounds)

    @classmethod
    def replayed(cls, contest, settings, played):
        """Return a plan that reports the points won from the next neighbour."""
        return RingPlan(contest, played)


class RingPlan(FixedPlan):
    """What is known of a ring that was played."""

    def __init__(self, contest, played):
        super().__init__([])
        self.contest, self.played = contest, played

    def reports(self):
        """Return the report of the game."""
        return {str(self.contest.game): RingReport(self.contest.engines, self.played)}


class RingReport(FormatReport):
    """Who sits next to whom, and with how many points."""

    __slots__ = ("engines", "played")

    def __init__(self, engines, played):
        self.engines, self.played = engines, played

    def table(self):
        """Return a row for each engine."""
        return ReportTable(
            "The ring",
            ("engine", "points from the next"),
            [(name, self._points(name, after)) for name, after in Ring.fixed_pairs(self.engines)],
        )

    def _points(self, name, after):
        games = [game for game in self.played.values()
                 if {game.scheduled.first, game.scheduled.second} == {name, after}]  # fmt: skip
        return sum(game.points[game.scheduled.first != name] for game in games)
