"""Tuning as a format: two settings of one engine meet in swapped pairs, and SPSA learns.

Without an opponent the two settings play each other; with one, both play it, from the same opening.
All pairs of a batch are played with settings around the same places; when they are over, the next
batch begins. So the settings follow from the results alone, however many games run at once, and a
resumed tuning plays the same games. A pair that began keeps its settings, even if an earlier result
changes afterwards.

A sequential test can confirm what a tuning found: its values against the start values.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from oddly.tournaments.formats.derived_plans import JointPlan
from oddly.tournaments.formats.format import (
    BOOK,
    MAX_GAMES,
    MAX_PAIRS,
    Contest,
    Encounter,
    Event,
    Format,
    SettingsError,
    setting,
)
from oddly.tournaments.formats.plan import Plan
from oddly.tournaments.formats.spsa import PairAtPlaces, Spsa
from oddly.tournaments.formats.tuning_report import OptionCourse, TuningReport
from oddly.tournaments.results.schedule import (
    GameOptions,
    PlayedGame,
    Repeats,
    ScheduledGame,
    begun_by_key,
    key_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.tournaments.formats.spsa import Perturbation, Places, TunedOption
    from oddly.tournaments.formats.tournament import Tournament


SIDES = "+-"
"""The suffixes of the tuned engine's name on either side."""


@dataclass(frozen=True, slots=True)
class Tuning(Format):
    """The search for the best values of `options` within a number of `games`.

    The engines of the event are the two sides of the tuned engine, and an opponent if there is one.
    `batch` perturbations are played around the same places.
    """

    name: ClassVar = "tuning"
    can_change: ClassVar = frozenset({"games"})
    takes_engines: ClassVar = False
    needs_all_engines: ClassVar = True
    takes_begun: ClassVar = True
    # A crash with one setting says nothing about the next.
    withdraws: ClassVar = False

    options: tuple[TunedOption, ...]
    games: int = setting(
        kind=int, summary="all games, a multiple of 4", ge=4, le=MAX_GAMES, multiple_of=4
    )
    batch: int = setting(
        8, kind=int, summary="pairs of games played around the same values", ge=1, le=MAX_PAIRS
    )
    step: float = setting(
        0.3, kind=float, summary="how far the first results move the values", gt=0, le=10
    )
    reach: float = setting(
        0.2,
        kind=float,
        summary="how far apart the first two settings are, as a share of the range, each way",
        gt=0,
        le=0.5,
    )

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Tuning:
        """Return the format without its options, which have their own tables."""
        return cls((), **values)

    def for_engines(self, number: int) -> Format:
        """Return the format. Raises SettingsError for more than two engines."""
        if number > 2:
            raise SettingsError(
                "format", f"tuning is of one engine, with an opponent or none, not {number}"
            )
        return self

    @property
    def openings(self) -> int:
        """One opening for each pair, up to a book."""
        return min(BOOK, max(1, self.games // 2))

    def plan(self, event: Event) -> Plan:
        """Return a search for each game."""
        return JointPlan.of(event, lambda contest: TuningPlan(contest, self))

    def facts(self) -> dict[str, Any]:
        """Return the settings as plain values for JSON."""
        return {
            "options": [option.facts() for option in self.options],
            "games": self.games,
            "batch": self.batch,
            "step": self.step,
            "reach": self.reach,
        }


class TuningPlan(Plan):
    """The search in one game."""

    def __init__(self, contest: Contest, settings: Tuning) -> None:
        self.contest = contest
        self.settings = settings
        self.search = Spsa(
            [option.start_place for option in settings.options],
            f"{contest.event} {contest.seed} {contest.game}",
            step=settings.step,
            reach=settings.reach,
            least_reach=[option.least_reach for option in settings.options],
        )
        self._waiting: deque[ScheduledGame] = deque()
        self._open: deque[tuple[Perturbation, list[Encounter]]] = deque()
        self._whose: dict[str, Encounter] = {}
        self._pairs: list[PairAtPlaces] = []
        self._repeats = Repeats()
        self._begun = begun_by_key(contest.begun)
        self._last_round = contest.last_round
        self._asked = 0
        self._ended = 0

    @property
    def total(self) -> int:
        """The number of games, which does not depend on results."""
        return self._perturbations * self._games_each

    @property
    def _games_each(self) -> int:
        """The games of one perturbation."""
        return 2 if len(self.contest.engines) == 2 else 4

    @property
    def _perturbations(self) -> int:
        """The number of perturbations. Those of earlier runs count, even beyond the games."""
        return max(1, self.settings.games // self._games_each, self._last_round)

    def next(self) -> ScheduledGame | None:
        """Return a game of this batch, or the first of the next if all have ended."""
        if not self._waiting and not self._open:
            for _ in range(min(self.settings.batch, self._perturbations - self._asked)):
                self._ask()
        return self._waiting.popleft() if self._waiting else None

    def learn(self, played: PlayedGame) -> None:
        """Learn a result; perturbations are learnt in the order in which they began."""
        self._whose[played.scheduled.id].learn(played)
        self._ended += not played.outcome.is_void
        while self._open and all(encounter.is_decided for encounter in self._open[0][1]):
            perturbation, encounters = self._open.popleft()
            for encounter in encounters:
                self._keep(encounter)
            self.search.tell(perturbation, self._share(encounters))

    def _ask(self) -> None:
        """Add the games of one perturbation."""
        perturbation = self.search.ask()
        self._asked += 1
        plus, minus, *opponents = self.contest.engines
        sent = {plus: self._sent(perturbation.plus), minus: self._sent(perturbation.minus)}
        pairs = [(plus, minus)]
        if opponents:
            pairs = [(plus, opponents[0]), (minus, opponents[0])]
        encounters = []
        for one, other in pairs:
            games = self._with_options(self.contest.pair(one, other, self._asked), sent)
            encounters.append(Encounter(one, other, games))
            self._waiting.extend(games)
            self._whose |= {game.id: encounters[-1] for game in games}
        self._open.append((perturbation, encounters))

    def _with_options(
        self, pair: Sequence[ScheduledGame], sent: Mapping[str, GameOptions]
    ) -> list[ScheduledGame]:
        """Return a pair with the options that it began with, or with those to be `sent`."""
        begun = [game for each in pair if (game := self._begun.get(key_of(each))) is not None]
        # The other game of a pair that began has the same options.
        kept = {
            name: options
            for game in begun
            for name, options in zip((game.first, game.second), game.options, strict=True)
        }
        found = {**sent, **kept}
        return [
            self._begun.get(
                key_of(game),
                replace(game, options=(found.get(game.first, ()), found.get(game.second, ()))),
            )
            for game in pair
        ]

    def _sent(self, places: Places) -> GameOptions:
        """Return the options sent to the engine, with their values."""
        pairs = zip(self.settings.options, places, strict=True)
        return tuple((option.name, option.text_at(place)) for option, place in pairs)

    def _share(self, encounters: Sequence[Encounter]) -> float:
        """Return the plus side's share of the points; with an opponent, from the difference."""
        shares = [
            encounter.points_of(encounter.one) / len(encounter.games) for encounter in encounters
        ]
        return shares[0] if len(shares) == 1 else (1 + shares[0] - shares[1]) / 2

    def _keep(self, encounter: Encounter) -> None:
        """Keep a pair with the places of the values that were sent, for the report."""
        settings: dict[tuple[GameOptions, ...], list[PlayedGame]] = {}
        for played in encounter.played:
            opens = played.scheduled.first == encounter.one
            options = played.scheduled.options if opens else played.scheduled.options[::-1]
            settings.setdefault(options, []).append(played)
        # In a merged ledger, the two games of a pair may have different settings.
        for (one, other), games in settings.items():
            points = sum(game.points[game.scheduled.first != encounter.one] for game in games)
            new = [self._repeats.is_new(game) for game in games]
            places = self._places_of(one), self._places_of(other) if other else None
            self._pairs.append(PairAtPlaces(*places, points / len(games), not all(new)))

    def _places_of(self, sent: GameOptions) -> Places:
        """Return the places of the values that the engine received."""
        values = dict(sent)
        return tuple(option.place_of_text(values[option.name]) for option in self.settings.options)

    def report(self) -> TuningReport:
        """Return the state of the search."""
        search = self.search
        courses = [
            OptionCourse(option, tuple(places[at] for places in search.course))
            for at, option in enumerate(self.settings.options)
        ]
        pairs = tuple(self._pairs)
        return TuningReport(courses, search.best, pairs, self._ended, self.total, self._games_each)

    def verdict(self) -> str:
        """Return what is missing, if the search waits for a void game."""
        void = any(each.is_void for _, encounters in self._open for each in encounters)
        return "the tuning is not over: a void game must be played again first" if void else ""

    def reports(self) -> dict[str, TuningReport | None]:
        """Return the state of the search, once a result has been learnt."""
        return {str(self.contest.game): self.report() if self.search.told else None}

    def facts(self) -> dict[str, Any]:
        """Return the same as plain values for JSON; nothing before the first result."""
        return self.report().facts() if self.search.told else {}


def confirmation_of(tuning: Tournament, title: str, report: TuningReport) -> Tournament | None:
    """Return the test of a report's best values in the game `title`; None if no gain is shown.

    The test has its own games: those of the tuning chose the values, and so are biased in their
    favour.
    """
    test = report.test
    if test is None:
        return None
    tuned = tuning.engines[0]
    name = tuned.name.removesuffix(f" {SIDES[0]}")
    new, old = (
        replace(tuned, name=f"{name} {which}", options={**tuned.options, **values})
        for which, values in (("tuned", report.best), ("start", report.start))
    )
    game = next(game for game in tuning.games if str(game) == title)
    return replace(
        tuning,
        name=f"{tuning.name} confirmed",
        format=test,
        games=(game,),
        engines=(new, old),
        inactive=frozenset(),
    )
