"""A sequential test between two engines: pairs are played until there is a verdict.

Pairs count in the order in which they began, not ended: otherwise short games would come before
long ones, and the verdict would depend on how many games run at once.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from oddly.games import one_line
from oddly.games.wording import counted
from oddly.tournaments.formats.derived_plans import JointPlan
from oddly.tournaments.formats.format import (
    BOOK,
    MAX_GAMES,
    Contest,
    Encounter,
    Event,
    Format,
    SettingsError,
    setting,
)
from oddly.tournaments.formats.plan import Plan
from oddly.tournaments.ratings.elo import MAX_ELO
from oddly.tournaments.ratings.sprt import ERROR_RATE, SCALES, Hypotheses, SequentialTest
from oddly.tournaments.results.sequential import (
    USUAL_QUESTION,
    Question,
    half_points_text,
    openings_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame


@dataclass(frozen=True, slots=True)
class Sprt(Format):
    """A test of whether the first engine is `elo1` stronger than the second, or only `elo0`.

    `games` is the maximum number of games, which is even; None for no limit.
    """

    name: ClassVar = "sprt"
    can_change: ClassVar = frozenset({"games"})
    takes_engines: ClassVar = False
    takes_begun: ClassVar = True
    engines: ClassVar = 2

    elo0: float = setting(
        kind=float, summary="H0: the first engine is this much stronger", ge=-MAX_ELO, le=MAX_ELO
    )
    elo1: float = setting(
        kind=float, summary="H1: the first engine is this much stronger", ge=-MAX_ELO, le=MAX_ELO
    )
    alpha: float = setting(
        ERROR_RATE, kind=float, summary="probability of accepting H1 when H0 is true", gt=0, lt=1
    )
    beta: float = setting(
        ERROR_RATE, kind=float, summary="probability of accepting H0 when H1 is true", gt=0, lt=1
    )
    scale: str = setting("logistic", kind=str, summary="what Elo means", choices=tuple(SCALES))
    games: int | None = setting(
        None,
        kind=int,
        summary="the maximum number of games, even; by default no limit",
        ge=2,
        le=MAX_GAMES,
        multiple_of=2,
    )

    def for_engines(self, number: int) -> Format:
        """Return the test. Raises SettingsError for hypotheses that cannot be tested."""
        try:
            _ = self.hypotheses
        except ValueError as error:
            if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
                raise SettingsError("elo1", str(error)) from None
            larger = "alpha" if self.alpha > self.beta else "beta"
            whole = f"{error}, whose sum is {self.alpha + self.beta:g}"
            raise SettingsError(larger, whole) from None
        return Format.for_engines(self, number)

    @classmethod
    def asks(cls, settings: Mapping[str, Any]) -> Question:
        """Return the question of these settings, or the usual one if they have none."""
        values = [settings.get(key) for key in ("elo0", "elo1", "alpha", "beta")]
        scale = settings.get("scale", USUAL_QUESTION.scale)
        is_known = isinstance(scale, str) and scale in SCALES
        if is_known and all(type(value) in (int, float) for value in values):
            try:
                return Question(Hypotheses(*map(float, values)), scale)  # type: ignore[arg-type]
            except ValueError:
                pass
        return USUAL_QUESTION

    @property
    def hypotheses(self) -> Hypotheses:
        """The hypotheses of the test. Raises ValueError if the settings are impossible."""
        return Hypotheses(self.elo0, self.elo1, self.alpha, self.beta)

    @property
    def openings(self) -> int:
        """One opening for each pair, up to a book."""
        return BOOK if self.games is None else min(BOOK, self.games // 2)

    def plan(self, event: Event) -> Plan:
        """Return a test for each game."""
        return JointPlan.of(event, lambda contest: SprtPlan(contest, self))

    def end(self, event: Event) -> str:
        """Return the bounds, and the maximum number of games."""
        bounds = f"({self.hypotheses.lower:.2f}, {self.hypotheses.upper:.2f})"
        most = "" if self.games is None else f", at most {self.games} games"
        return f"until the LLR leaves {bounds}{most}"


class SprtPlan(Plan):
    """The sequential test of one game."""

    def __init__(self, contest: Contest, settings: Sprt) -> None:
        self.contest = contest
        self.settings = settings
        self._last_round = contest.last_round
        self.test = SequentialTest(settings.hypotheses, SCALES[settings.scale])
        self._open: deque[Encounter] = deque()
        self._begun = 0
        self._second_leg: ScheduledGame | None = None
        self._whose: dict[str, Encounter] = {}
        self._void = False

    @property
    def question(self) -> Question:
        """The question that is tested."""
        return Question(self.settings.hypotheses, self.settings.scale)

    @property
    def is_over(self) -> bool:
        """Whether there is a verdict, or none can be reached."""
        return self._void or self.test.is_over

    @property
    def _all_begun(self) -> bool:
        """Whether no more pairs begin. Those of earlier runs count, even beyond the most games."""
        most = self.settings.games
        if not self.contest.retired.isdisjoint(self.contest.engines):
            most = 0
        is_last = most is not None and self._begun >= max(most // 2, self._last_round)
        return self.is_over or is_last

    def preparation(self) -> Callable[[], None] | None:
        """Return the function that draws the next pair's opening, if drawing takes long."""
        if self._all_begun or self._second_leg is not None:
            return None
        return self.contest.openings.preparation(self._begun + 1)

    def next(self) -> ScheduledGame | None:
        """Return the second game of a pair, or the first of the next."""
        if self.is_over:
            return None
        if (second := self._second_leg) is not None:
            self._second_leg = None
            return second
        if self._all_begun:
            return None
        self._begun += 1
        one, other = self.contest.engines
        encounter = Encounter(one, other, self.contest.pair(one, other, self._begun))
        first, self._second_leg = encounter.games
        self._open.append(encounter)
        self._whose |= {scheduled.id: encounter for scheduled in encounter.games}
        return first

    def learn(self, played: PlayedGame) -> None:
        """Count the pairs that are complete, up to the first that is not."""
        self._void = self._void or played.outcome.is_void
        self._whose.pop(played.scheduled.id).learn(played)
        while self._open and self._open[0].is_decided and not self.test.is_over:
            self.test.add(*self._open.popleft().pair())

    def verdict(self) -> str:
        """Return the hypothesis that was accepted, and the log-likelihood ratio with its bounds."""
        new, old = (one_line(name) for name in self.contest.engines)
        state, settings = self.test.state, self.settings
        state_text = (
            f"LLR {state.llr:.2f} ({state.lower:.2f}, {state.upper:.2f}) "
            f"after {counted(self.test.counts.pairs, 'pair')}, {self._counts()}"
        )
        hypothesis = {"H0": settings.elo0, "H1": settings.elo1}
        if state.decision in hypothesis:
            verdict = (
                f"{state.decision} is accepted: {new} is {hypothesis[state.decision]:g} Elo above "
                f"{old} rather than {hypothesis['H1' if state.decision == 'H0' else 'H0']:g} "
                f"({settings.scale} Elo)"
            )
        elif self._void:
            verdict = "no verdict: a void game must be played again first"
        elif self.test.is_exhausted:
            verdict = f"{openings_text(self.test.openings)}: no verdict possible"
        else:
            verdict = "no verdict yet"
        return f"{state_text}: {verdict}"

    def _counts(self) -> str:
        """Return the numbers of pairs by the points of the first engine."""
        lost, _, split, _, won = (counts := self.test.counts).counts
        return half_points_text(counts) or f"LL {lost}, WL {split}, WW {won}"

    def facts(self) -> dict[str, Any]:
        """Return the state of the test as plain values for JSON."""
        state = self.test.state
        return {
            "engines": list(self.contest.engines),
            "elo0": self.settings.elo0,
            "elo1": self.settings.elo1,
            "alpha": self.settings.alpha,
            "beta": self.settings.beta,
            "scale": self.settings.scale,
            "decision": state.decision,
            "llr": state.llr,
            "lower": state.lower,
            "upper": state.upper,
            "pairs": self.test.counts.pairs,
            "counts": list(self.test.counts.counts),
            "openings": round(self.test.openings, 1),
            "exhausted": self.test.is_exhausted,
        }
