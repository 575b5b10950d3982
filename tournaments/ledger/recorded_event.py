"""The event of a ledger with its results and plans so far, for everything that shows them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddly.games import Game, storable_text
from oddly.tournaments.formats.derived_plans import JointPlan
from oddly.tournaments.formats.format import FORMATS, Event, Format
from oddly.tournaments.formats.plan import UNKNOWN_RETIREMENTS, Retirements
from oddly.tournaments.formats.round_robin import RoundRobin
from oddly.tournaments.ledger.event_facts import FREE, Facts, inactive_in, settings_of
from oddly.tournaments.ledger.rulings import Rulings
from oddly.tournaments.ledger.schema import LedgerError
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.results.game_summary import GameSummary, summaries_of_counts
from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame, scheduled_id
from oddly.tournaments.results.sequential import USUAL_QUESTION, Question, sequential_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from oddly.tournaments.formats.plan import Plan
    from oddly.tournaments.ledger.engines import KnownEngine
    from oddly.tournaments.ledger.summaries import Tallies

    PassOn = Callable[[Iterable[PlayedGame]], Iterable[PlayedGame]]


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event at one moment, read from its ledger."""

    name: str
    format: str
    engines: Sequence[str]
    """The engines that were entered, in their order, then any other that has a game."""
    engine_facts: Mapping[str, Any]
    """How each engine was entered, by its name."""
    games: int | None
    """How many games there are in all; None if that is not known."""
    settings: Facts
    """The settings of its format."""
    tallies: Tallies
    """The results, and how the engines behaved."""
    played: Sequence[PlayedGame]
    """The games that count, in the order in which they ended; empty where nobody asked for them."""
    unfinished: Sequence[ScheduledGame]
    """The games that began and do not count yet; empty where `played` is."""
    programs: Sequence[KnownEngine]
    """What was run, in which versions."""
    rulings: Rulings = field(default_factory=Rulings)
    """The rulings of the arbiter."""
    seed: int = 0
    given_up: Sequence[ScheduledGame] = ()
    """The games that began, do not count and have a retired engine; empty where `played` is."""
    retired: AbstractSet[str] = frozenset()
    """The engines that get no more games, by a ruling or by the file."""
    retirements: Retirements = UNKNOWN_RETIREMENTS
    """When engines retired, if the format depends on it."""

    def plan(self) -> Plan | None:
        """Return the plan with what it reports so far, if its format reports anything."""
        event = Event(
            self.name,
            self.seed,
            (),
            tuple(self.engines),
            begun=[*self.unfinished, *self.given_up],
            retired=self.retired,
            retirements=self.retirements,
        )
        return replayed_plan(self.format, self.settings, event, self.played)

    def question(self) -> Question | None:
        """Return the default question: the event's own, or for two engines the usual one.

        Impossible hypotheses are ignored, since anybody may have written the ledger.
        """
        if len(self.engines) != 2:
            return None
        format_ = FORMATS.get(self.format)
        return (format_ and format_.asks(self.settings)) or USUAL_QUESTION

    def summaries(self, question: Question | None = None) -> list[GameSummary]:
        """Return the summaries of its results, with the tests of `question`, by default its own."""
        asked, tests = question or self.question(), {}
        format_ = FORMATS.get(self.format)
        for game in self.tallies.counts if asked else ():
            own = [played for played in self.played if played.scheduled.game == game]
            begun = [scheduled for scheduled in self.unfinished if scheduled.game == game]
            tests[game] = sequential_tests(self.engines, own, asked or USUAL_QUESTION, begun)
        return summaries_of_counts(
            self.engines,
            self.tallies.counts,
            self.tallies.statistics_by_title,
            tests,
            by_elo=format_ is not None and format_.ranks_by_elo,
        )


def read_event(
    ledger: Ledger, pass_on: PassOn = iter, *, with_games: bool = False, with_lengths: bool = False
) -> RecordedEvent:
    """Return the event of a ledger.

    Single games are read only `with_games`, or if the format or the test of two engines needs
    them. They go through `pass_on`. The event is that of one moment, also while a run writes to the
    ledger. Raises LedgerError if there is no event, or if it is damaged.
    """
    with ledger.at_one_moment():
        return _read(ledger, pass_on, with_games=with_games, with_lengths=with_lengths)


def _read(
    ledger: Ledger, pass_on: PassOn, *, with_games: bool, with_lengths: bool
) -> RecordedEvent:
    """Return the event of a ledger that does not change meanwhile. Raises LedgerError."""
    facts = ledger.event()
    tallies = ledger.tallies(with_lengths=with_lengths)
    if facts is None and tallies.games:
        # The event of a salvaged ledger may be lost.
        facts = {"name": ledger.path.stem, "format": FREE, "engines": {}}
    if facts is None:
        raise LedgerError(f"{ledger.path} is a ledger without an event")
    name, format_, engines = (facts.get(key) for key in ("name", "format", "engines"))
    if not (isinstance(name, str) and isinstance(format_, str) and isinstance(engines, dict)):
        raise LedgerError(f"{ledger.path} is damaged: its event lacks a name, format or engines")
    engine_facts = {storable_text(engine): value for engine, value in engines.items()}
    names = [*engine_facts, *sorted(tallies.engines - set(engine_facts))]
    played: Sequence[PlayedGame] = ()
    begun: Sequence[ScheduledGame] = ()
    if with_games or len(names) == 2 or (format_ in FORMATS and FORMATS[format_].reports):
        begun = ledger.unfinished()
        played = list(pass_on(ledger.all_played()))
    rulings = ledger.rulings()
    retired = rulings.retired | inactive_in(engine_facts)
    seed = facts.get("seed")
    looks_back = format_ in FORMATS and FORMATS[format_].takes_retirements
    return RecordedEvent(
        name=name,
        format=format_,
        engines=names,
        engine_facts=engine_facts,
        games=games_of(facts, retired, tallies),
        settings=settings_of(facts),
        tallies=tallies,
        played=played,
        unfinished=[game for game in begun if retired.isdisjoint((game.first, game.second))],
        programs=ledger.engines(),
        rulings=rulings,
        seed=seed if type(seed) is int else 0,
        given_up=[game for game in begun if not retired.isdisjoint((game.first, game.second))],
        retired=retired,
        retirements=ledger.retirements() if looks_back else UNKNOWN_RETIREMENTS,
    )


def read_ledger(path: str | Path) -> RecordedEvent:
    """Return the event of a ledger's file with its games, at this moment.

    The file is opened read-only, which does not disturb a run that writes to it. Raises LedgerError
    if there is no such ledger or no event in it, or if it is damaged.

    >>> import oddly
    >>> club = oddly.Tournament(
    ...     name="club",
    ...     format=oddly.RoundRobin(rounds=1),
    ...     games=(oddly.create_game("xodd", 3),),
    ...     engines=(
    ...         oddly.engine("oddly engine greedy", "5", name="Greedy"),
    ...         oddly.engine("oddly engine random", "5", name="Chance"),
    ...     ),
    ... )
    >>> run = oddly.run_tournament(club, "club.sqlite")
    >>> event = oddly.read_ledger("club.sqlite")
    >>> print(event.name, event.engines, len(event.played))
    club ['Greedy', 'Chance'] 2
    """
    with Ledger(Path(path), read_only=True) as ledger:
        return read_event(ledger, with_games=True)


def games_of(
    facts: Facts, retired: AbstractSet[str] = frozenset(), tallies: Tallies | None = None
) -> int | None:
    """Return the number of all games of the event; None if that depends on results or people.

    Games of `retired` engines count only if they were played. Raises LedgerError if the facts do
    not say.
    """
    if facts.get("merged") or facts.get("format") == FREE:
        return None
    if isinstance(scheduled := facts.get("scheduled"), int):
        # In a study not all engines meet.
        return scheduled
    keys = ("format", "engines", "games", "rounds")
    format_, engines, games, rounds = (facts.get(key) for key in keys)
    known = FORMATS.get(str(format_), RoundRobin)
    if known.fixed_pairs(("", "")) is None:
        return None
    if not (
        isinstance(format_, str)
        and isinstance(engines, dict)
        and isinstance(games, list)
        and isinstance(rounds, int)
    ):
        raise LedgerError(f"the ledger is damaged: its event lacks one of {', '.join(keys)}")
    meeting = known.fixed_pairs(list(engines)) or []
    pairs = sum(retired.isdisjoint(pair) for pair in meeting)
    challenger = challenger_of(known, engines)
    earlier = sum(
        number
        for counts in (tallies.counts.values() if tallies and (retired or challenger) else ())
        for (first, second, *_), number in counts.results.items()
        if meet_no_more(first, second, retired, challenger)
    )
    return 2 * pairs * len(games) * rounds + earlier


def challenger_of(format_: type[Format], engines: Iterable[str]) -> str | None:
    """Return the engine that plays in every game; None if the format has none."""
    return next(iter(engines), None) if format_.has_challenger else None


def meet_no_more(
    first: str, second: str, retired: AbstractSet[str], challenger: str | None
) -> bool:
    """Return whether the schedule has no more games of these engines."""
    return not retired.isdisjoint((first, second)) or challenger not in (None, first, second)


def replayed_plan(
    format_: str, settings: Mapping[str, object], event: Event, played: Sequence[PlayedGame]
) -> Plan | None:
    """Return the plan of an event with everything it learnt; None for formats without a report.

    `event` has the games that began and do not count; its games are those that began or ended.
    """
    if (known := FORMATS.get(format_)) is None or not known.reports:
        return None
    begun = [*(game.scheduled for game in played), *event.begun]
    begun.sort(key=lambda game: game.number)
    games = tuple(dict.fromkeys(game.game for game in begun))
    event = replace(event, games=games, begun=begun)
    by_id = {scheduled_id(game.scheduled.id): game for game in played}
    plans: dict[Game, Plan] = {}
    for game, contest in event.contests().items():
        if (plan := known.replayed(contest, settings, by_id)) is not None:
            plans[game] = plan
    return JointPlan(plans)
