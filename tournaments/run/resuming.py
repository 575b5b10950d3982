"""Resumes a run: the plan of the remaining games, and the engines that still play.

Rulings may be given while the run plays. It looks for new ones before each game.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import one_line
from oddly.referee import ProgramError
from oddly.referee.program.configuration import find_program
from oddly.referee.program.isolation import IsolationError, is_isolated
from oddly.tournaments.executors.conditions import isolated_as
from oddly.tournaments.formats.derived_plans import ResumedPlan, plan_without_ledger
from oddly.tournaments.ledger.engines import Entrant, fingerprint
from oddly.tournaments.ledger.event_facts import Facts, event_facts
from oddly.tournaments.ledger.recorded_event import challenger_of, meet_no_more, read_event
from oddly.tournaments.ledger.schema import LedgerError
from oddly.tournaments.openings.openings import openings_of
from oddly.tournaments.results.schedule import PlayedGame, scheduled_id
from oddly.tournaments.run.observer import RunStart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from oddly.referee import EngineConfiguration
    from oddly.tournaments.executors.conditions import EngineIsolation
    from oddly.tournaments.formats.format import Event
    from oddly.tournaments.formats.plan import Plan
    from oddly.tournaments.formats.tournament import Tournament
    from oddly.tournaments.ledger.compact_games import CompactGames
    from oddly.tournaments.ledger.rulings import Ruling, Rulings
    from oddly.tournaments.ledger.store import Ledger
    from oddly.tournaments.run.control import Control


class Beginning(NamedTuple):
    """What a run begins with."""

    plan: ResumedPlan
    """The plan of the remaining games."""
    start: RunStart
    """The facts for observers."""
    event: Event
    retired: set[str]
    """The retired engines of event and plan, which both follow it; rulings may change it."""


def begin(
    tournament: Tournament,
    event: Event,
    control: Control,
    ledger: Ledger | None,
    given: Sequence[Ruling] = (),
    isolation: EngineIsolation | None = None,
) -> Beginning:
    """Begin a run, or resume it with the games that the ledger lacks.

    The rulings that are `given` are written with the event. Raises LedgerError for a ledger of
    another event.
    """
    format_, retired = tournament.format, set(tournament.inactive)
    event = replace(event, retired=retired, withdraw_after=tournament.settings.withdraw_after)
    start = RunStart(
        tournament.name or " against ".join(event.engines),
        None,
        event.engines,
        control,
        by_elo=format_.ranks_by_elo,
        isolation=isolation,
    )
    if ledger is None:
        plan = plan_without_ledger(format_, event)
        start = replace(
            start,
            games=plan.total,
            is_done=plan.is_done,
            question=plan.question,
            reports=plan.reports,
        )
        return Beginning(plan, start, event, retired)
    retired |= ledger.rulings().retired | {ruling.name for ruling in given}
    old = ledger.event()
    playing = [engine for engine in tournament.engines if engine.name not in retired]
    facts = with_retired(old, event_facts(tournament), retired)
    if format_.has_challenger and playing:
        facts = with_challenger(old, facts, playing[0].name)
    notes = [] if isolation is None else [isolation.sentence()]
    changes = ledger.begin(facts, *notes, retired=retired, given=given)
    # Those read last are the ones that the run knows; it follows what is given after them.
    rulings = ledger.rulings()
    retired.clear()
    retired |= tournament.inactive | rulings.retired
    earlier = ledger.all_played()
    openings = openings_of(tournament, ledger.openings(earlier))
    event = replace(event, engines=tuple(facts["engines"]), openings=openings)
    rest, event = _remaining(tournament, event, ledger, retired, earlier)
    changes += ledger.enter(map(entrant, playing))
    start = replace(
        start,
        engines=event.engines,
        games=rest.total,
        earlier=earlier,
        is_done=rest.is_done,
        ledger=ledger.path,
        changes=changes,
        question=rest.question,
        reports=rest.reports,
        rulings=rulings.sentences(),
    )
    return Beginning(rest, start, event, retired)


def _remaining(
    tournament: Tournament, event: Event, ledger: Ledger, retired: set[str], earlier: CompactGames
) -> tuple[ResumedPlan, Event]:
    """Return the plan of the games that the ledger lacks beside the `earlier` ones, and the event.

    The openings of the event stay: what they have drawn is not drawn again.
    """
    format_, is_merged = tournament.format, (ledger.event() or {}).get("merged")
    begun = ledger.scheduled() if format_.takes_begun else []
    others: list[PlayedGame] = []
    if is_merged:
        planned = {scheduled_id(game.id) for game in ledger.scheduled()}
        others = [game for game in earlier if scheduled_id(game.scheduled.id) not in planned]
    event = replace(event, begun=begun, others=others)
    if format_.takes_retirements:
        event = replace(event, retirements=ledger.retirements())
    more = 0
    if (pairs := format_.fixed_pairs(event.engines)) is not None:
        more = outside(earlier, others, retired, challenger_of(type(format_), event.engines))
        if not is_merged:
            event = replace(event, full_rounds=earlier.full_rounds(pairs))
    known, annulled = earlier.by_scheduled_id(event.full_rounds), ledger.rulings().annulled
    rest = ResumedPlan(format_.plan(event), known, annulled, retired, event.engines, more)
    return rest, event


def plan_after_rulings(
    tournament: Tournament, event: Event, ledger: Ledger, retired: set[str]
) -> ResumedPlan | None:
    """Return the plan of a run that begins now; None if rulings on engines only drop games."""
    if not tournament.format.takes_retirements:
        return None
    return _remaining(tournament, event, ledger, retired, ledger.all_played())[0]


def plan_without_annulled(
    tournament: Tournament, event: Event, ledger: Ledger, retired: set[str]
) -> Plan | None:
    """Return a plan that has learnt the games that count now; None if no game follows from results.

    A ruling may annul a game that the plan of a run has learnt already.
    """
    if tournament.format.reports:
        return read_event(ledger).plan()
    if tournament.format.fixed_pairs(event.engines) is not None:
        return None
    earlier = ledger.all_played()
    plan, event = _remaining(tournament, event, ledger, retired, earlier)
    learnt = len(earlier) - len(event.others)
    while plan.learnt < learnt and (scheduled := plan.next()) is not None:
        # It is not played now, so the plan does not expect its result.
        plan.drop(scheduled, 0)
    return plan


def with_retired(old: Facts | None, facts: Facts, retired: set[str]) -> Facts:
    """Return the facts of an event, with retired engines as they were when they played.

    Their programs may be gone, and the tournament file need not name them. It says whether they
    are active.
    """
    before = (old or {}).get("engines", {})
    engines = {
        name: {**own, **{key: was for key, was in before.get(name, {}).items() if key != "active"}}
        if name in retired
        else own
        for name, own in facts["engines"].items()
    }
    if gone := {name: before[name] for name in before if name in retired - engines.keys()}:
        every = {**engines, **gone}
        # In some formats the order seeds the engines.
        engines = {name: every[name] for name in {**before, **engines} if name in every}
    # Some games of a merged ledger are not in the schedule.
    merged = {"merged": True} if (old or {}).get("merged") else {}
    return {**facts, **merged, "engines": engines}


def with_challenger(old: Facts | None, facts: Facts, head: str) -> Facts:
    """Return the facts of an event with the challenger first.

    `head` is the first engine of the tournament file that is not retired. It is the challenger
    unless it was entered as an opponent.
    """
    _, *opponents = (old or {}).get("engines") or [""]
    if head in opponents:
        return facts
    engines = facts["engines"]
    return {**facts, "engines": {head: engines[head], **engines}}


def outside(
    played: Iterable[PlayedGame],
    others: Iterable[PlayedGame],
    retired: AbstractSet[str],
    challenger: str | None,
) -> int:
    """Return how many of the games played are not in the schedule."""
    found = {game.scheduled.id for game in others}
    if retired or challenger:
        found |= {
            game.scheduled.id
            for game in played
            if meet_no_more(game.scheduled.first, game.scheduled.second, retired, challenger)
        }
    return len(found)


def entrant(configuration: EngineConfiguration) -> Entrant:
    """Return the engine as it is on this machine now."""
    command, options = configuration.command, configuration.options
    files = fingerprint(command, configuration.resources.directory, options)
    return Entrant(configuration.name, command, options, files)


def what_engines_lack(
    tournament: Tournament, event: Event, retired: AbstractSet[str], *, is_local: bool
) -> dict[str, str]:
    """Return for each retired engine that the run cannot start what must be so before it plays.

    The machines of a cluster see for themselves what they isolate. A run on a cluster begins only
    if its workers have what its engines require, and a game that no worker can play waits for ever.
    """
    named = {engine.name: engine for engine in tournament.engines}
    found = dict.fromkeys({*event.engines} - named.keys(), "the tournament file names it")
    for name in named.keys() & retired - tournament.inactive:
        engine = isolated_as(named[name], tournament.settings.isolation)
        try:
            find_program(engine.command)
            if is_local:
                is_isolated(engine.resources)
            elif engine.requires:
                found[name] = f"another run finds a worker with {', '.join(engine.requires)}"
        except ProgramError:
            found[name] = "its program is there"
        except IsolationError:
            found[name] = "it can be isolated"
    return found


@dataclass
class LiveRulings:
    """Lets a run follow rulings given while it plays, after the first `known` ones."""

    ledger: Ledger
    plan: ResumedPlan
    control: Control
    retired: set[str]
    inactive: frozenset[str]
    plan_anew: Callable[[], ResumedPlan | None] = lambda: None
    known: int = 0
    lacks: Mapping[str, str] = field(default_factory=dict)
    """What each engine that this run cannot start waits for, as `what_engines_lack` says it."""
    has_rounds_for_all: bool = False
    """Whether a round would be wrong without an engine that is not retired."""

    def __call__(self) -> None:
        """Follow new rulings, as soon as they can be read."""
        try:
            if self.ledger.number_of_rulings() == self.known:
                return
            rulings = self.ledger.rulings()
            new = rulings.given[self.known :]
            self._follow(rulings, new)
        except LedgerError:
            return
        self.known = len(rulings.given)
        for ruling in new:
            if ruling.kind == "pardon":
                self.plan.pardon(ruling.name)
            if (ruling.kind, ruling.subject) == ("restore", "game"):
                self._restore(ruling.name)
            self.control.say(ruling.sentence())
        restored = {ruling.name for ruling in new if ruling.kind == "restore"}
        for name in sorted(self.lacks.keys() & restored - rulings.retired):
            self.control.say(f"engine {one_line(name)!r} plays once {self.lacks[name]}")
            if self.has_rounds_for_all:
                self.control.stop()

    def _follow(self, rulings: Rulings, new: Iterable[Ruling]) -> None:
        """Have the plan know who is retired now, as another run would after the new rulings."""
        now = rulings.retired | self.inactive | self.lacks.keys()
        self.retired.clear()
        self.retired.update(now)
        are_about_engines = any(
            ruling.subject == "engine" and ruling.kind != "pardon" for ruling in new
        )
        if are_about_engines and (plan := self.plan_anew()) is not None:
            self.plan.follow(plan)

    def _restore(self, identity: str) -> None:
        """Have the plan leave out the replay of a game that counts again."""
        found = (game for game in self.ledger.all_played() if game.scheduled.id == identity)
        if (game := next(found, None)) is not None:
            self.plan.restore(game)
