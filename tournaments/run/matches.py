"""Two engines against each other, in a match or a sequential test, and the tuning of one engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import did_you_mean, one_line
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration, find_program
from oddly.referee.conversation.commands import MAX_COMPARED
from oddly.referee.program.configuration import split_words
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.formats.format import SettingsError
from oddly.tournaments.formats.round_robin import Match
from oddly.tournaments.formats.tournament import PlayingSettings, Tournament
from oddly.tournaments.formats.tuning import SIDES, Tuning
from oddly.tournaments.formats.tuning_report import TuningReport
from oddly.tournaments.ledger.event_facts import contradictions, event_facts, refusal
from oddly.tournaments.ledger.schema import LedgerError
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.openings.openings import DEFAULT_TURNS
from oddly.tournaments.results.schedule import scheduled_id
from oddly.tournaments.run.playing import event_of, run_tournament
from oddly.tournaments.run.preparing import Arrangement
from oddly.tournaments.run.resuming import with_retired

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oddly.games import Game
    from oddly.referee import GameRecord
    from oddly.tournaments.formats.format import Format
    from oddly.tournaments.formats.sprt import Sprt
    from oddly.tournaments.formats.spsa import TunedOption
    from oddly.tournaments.ledger.event_facts import Facts
    from oddly.tournaments.results.schedule import Opening
    from oddly.tournaments.run.observer import Observer
    from oddly.tournaments.run.runner import Run

    Engine = EngineConfiguration | str
    Openings = int | Sequence[Opening]


DEFAULT_TIME = "10"
"""Seconds a turn."""


def engine(
    command: str,
    time: str = DEFAULT_TIME,
    *,
    name: str | None = None,
    options: Mapping[str, str] | None = None,
) -> EngineConfiguration:
    """Return the engine of a command line, by default named after its program.

    `time` is a time control, such as "10" for 10 seconds a turn. Raises ProgramError if there is
    no such program, NotationError if `time` is not a time control, ValueError for a name that a
    tournament file could not have either, and TypeError for an engine that is no program.

    >>> import oddly
    >>> chance = oddly.engine("oddly engine random", "2", name="Chance", options={"seed": "7"})
    >>> print(chance.name, chance.time)
    Chance 2
    """
    if not isinstance(command, str):
        raise TypeError(
            "an engine here is a command line, such as 'oddly engine random', or "
            f"oddly.engine(...), not {type(command).__name__}"
        )
    if name and not (name.isprintable() and name == name.strip()):
        raise ValueError(
            f"a name has visible characters only, and no spaces around it, not {name!r}"
        )
    clock = parse_time_control(time)
    words = split_words(command)
    program = find_program(words)
    name = name or one_line(Path(words[0]).name)
    return EngineConfiguration(name, program, clock, dict(options or {}))


def play_game(
    first: Engine, second: Engine, game: Game, *, seed: int = 0, time: str = DEFAULT_TIME
) -> GameRecord:
    """Play one game between two engines, the first of which opens, and return its record.

    An engine is a configuration, or a command line, which plays under its own name with the time
    control `time`: by default, 10 seconds a turn. An engine that cannot start loses. Raises
    ProgramError if there is no such program, NotationError if `time` is not a time control,
    ValueError if two configurations have one name, and KeyboardInterrupt if a signal ended the
    game.

    >>> import oddly
    >>> game = oddly.create_game("odd", 2)
    >>> record = oddly.play_game("oddly engine greedy", "oddly engine random", game, time="2")
    >>> print(record.players, len(record.turns), record.outcome.score)
    ('greedy', 'random') 7 ...
    """
    run = run_match(first, second, game, games=1, seed=seed, time=time)
    if not run.records:
        raise KeyboardInterrupt
    return run.records[0]


def run_match(
    first: Engine,
    second: Engine,
    game: Game,
    *,
    games: int = 10,
    openings: Openings | None = None,
    seed: int = 0,
    time: str = DEFAULT_TIME,
    settings: PlayingSettings | None = None,
    observers: Sequence[Observer] = (),
) -> Run:
    """Play games between two engines, which take turns to open; return the run with the results.

    An engine is a configuration, or a command line, which plays under its own name with the time
    control `time`: by default, 10 seconds a turn. `openings` are openings for the pairs of games,
    or the number of turns of random ones, 0 for none; the default is that of `usual_openings`.
    Raises ProgramError if there is no such program, NotationError if `time` is not a time control,
    OpeningsError if there are no such openings, and ValueError if two configurations have one name.

    >>> import oddly
    >>> game = oddly.create_game("yodd", 3)
    >>> run = oddly.run_match("oddly engine greedy", "oddly engine random", game, games=2)
    >>> for played in run.played:
    ...     print(played.scheduled.first, played.scheduled.second, played.outcome.score)
    greedy random ...
    random greedy ...
    """
    arrangement = match_of_two(
        (first, second), game, Match(games), openings, seed, settings, time=time
    )
    return run_tournament(arrangement, None, observers)


def run_sprt(
    first: Engine,
    second: Engine,
    game: Game,
    sprt: Sprt,
    *,
    openings: Openings | None = None,
    seed: int = 0,
    time: str = DEFAULT_TIME,
    settings: PlayingSettings | None = None,
    observers: Sequence[Observer] = (),
) -> Run:
    """Play until it is clear whether the first engine is `elo1` or only `elo0` stronger.

    The run's `plan.verdict()` says which, in a sentence. Raises what `run_match` raises, and
    ValueError for hypotheses that cannot be tested.

    >>> import oddly
    >>> from oddly.tournaments import Sprt
    >>> test, game = Sprt(elo0=0, elo1=300, games=4), oddly.create_game("odd", 2)
    >>> run = oddly.run_sprt("oddly engine greedy", "oddly engine random", game, test)
    >>> print(run.plan.verdict())
    LLR ... after 2 pairs, ...: no verdict yet
    """
    _ = sprt.hypotheses
    arrangement = match_of_two((first, second), game, sprt, openings, seed, settings, time=time)
    return run_tournament(arrangement, None, observers)


def match_of_two(
    engines: tuple[Engine, Engine],
    game: Game,
    format_: Format,
    openings: Openings | None = None,
    seed: int = 0,
    settings: PlayingSettings | None = None,
    tell: Callable[[int], None] | None = None,
    *,
    are_asked: bool = False,
    time: str = DEFAULT_TIME,
) -> Tournament | Arrangement:
    """Return a tournament of two engines in one game, with openings as `run_match` takes them.

    It is an arrangement if the engines must first be asked for names or options. With `are_asked`,
    configurations too play under the names their engines give themselves. If random openings are
    used that nobody asked for, `tell` is called with their number of turns. `time` is the time
    control of command lines. Raises ProgramError if there is no such program, NotationError if
    `time` is not a time control, and ValueError if two configurations have one name.
    """
    settings = settings or PlayingSettings()
    known = tuple(_entered(each, time) for each in engines)
    asked = tuple(are_asked or isinstance(each, str) for each in engines)

    def make(
        engines: Sequence[EngineConfiguration], options: Sequence[Sequence[str]]
    ) -> Tournament:
        have_seeds = ("seed" in each for each in options)
        chosen = usual_openings(have_seeds, format_) if openings is None else openings
        turns, listed = (chosen, ()) if isinstance(chosen, int) else (0, tuple(chosen))
        if openings is None and turns and tell is not None:
            tell(turns)
        one, other = engines
        if one.name == other.name:
            raise ValueError(f"two engines are {one.name!r}: give one of them another name")
        return Tournament(
            opening_turns={game: turns} if turns else {},
            openings={game: listed} if listed else {},
            # The first pair of games has no random opening that nobody asked for.
            begins_plain=openings is None,
            name="",
            format=format_,
            games=(game,),
            engines=(one, other),
            seed=seed,
            settings=settings,
        )

    if openings is not None and not any(asked):
        return make(known, ())
    return Arrangement(known, asked, (game,), make, settings)


def usual_openings(have_seeds: Iterable[bool], format_: Format) -> int:
    """Return the default number of turns of a match's random openings.

    Engines without an option `seed` may be deterministic, and would play the same two games again
    and again. Two such engines get openings of DEFAULT_TURNS turns, if they play more than two
    games and the game has balanced openings. The first pair has none, so it begins at once.
    """
    if any(have_seeds) or (isinstance(format_, Match) and format_.games <= 2):
        return 0
    return DEFAULT_TURNS


def run_tuning(
    engine: EngineConfiguration | str,
    game: Game,
    options: Sequence[TunedOption],
    games: int,
    *,
    opponent: EngineConfiguration | str | None = None,
    opening_turns: int = 0,
    seed: int = 0,
    settings: PlayingSettings | None = None,
    ledger: str | Path | None = None,
    observers: Sequence[Observer] = (),
) -> TuningReport | None:
    """Tune options of an engine by games, and return the report; None without a result.

    Raises what `run_tournament` raises, ProgramError if there is no such program, and SettingsError
    if the engine lists its options, but not one of these.
    """
    known = _entered(engine)
    entered = [replace(known, name=f"{known.name} {side}") for side in SIDES]
    if opponent is not None:
        entered.append(_entered(opponent))
    tournament = Tournament(
        name="tuning",
        format=Tuning(tuple(options), games),
        games=(game,),
        engines=tuple(entered),
        seed=seed,
        settings=settings or PlayingSettings(),
        opening_turns={game: opening_turns} if opening_turns else {},
    )
    run = run_tournament(arranged_tuning(tournament), ledger, observers)
    report = run.plan.reports()[str(game)]
    return report if isinstance(report, TuningReport) else None


def arranged_tuning(tournament: Tournament) -> Arrangement:
    """Return a tuning that is made when the engine has listed its options.

    `make` raises SettingsError if one that is tuned is not among them.
    """
    games, entered = tournament.games, tournament.engines

    def make(
        engines: Sequence[EngineConfiguration], options: Sequence[Sequence[str]]
    ) -> Tournament:
        tuned = tournament.format.options if isinstance(tournament.format, Tuning) else ()
        for name in (each.name for each in tuned):
            # An engine that lists none may not have started, which its games will show.
            if (listed := options[0]) and name not in listed:
                near = did_you_mean(name, listed[:MAX_COMPARED])
                engine = entered[0].name.removesuffix(f" {SIDES[0]}")
                raise SettingsError("option", f"{engine!r} lists no option {name!r}{near}")
        return replace(tournament, engines=tuple(engines))

    return Arrangement(entered, (False,) * len(entered), games, make, tournament.settings)


def tuning_so_far(tournament: Tournament, ledger: str | Path) -> dict[str, TuningReport]:
    """Return the report of a tuning from its ledger, by the title of the game, without playing.

    Raises LedgerError for a ledger that is damaged or of another event.
    """
    with Ledger(Path(ledger), read_only=True) as opened, opened.at_one_moment():
        known = {scheduled_id(game.scheduled.id): game for game in opened.all_played()}
        annulled, begun = opened.rulings().annulled, opened.scheduled()
        if (old := opened.event()) is not None and begun:
            _check_event(opened.path, tournament, old)
    event = replace(event_of(tournament), begun=begun)
    plan = ResumedPlan(tournament.format.plan(event), known, annulled)
    while plan.next() is not None:
        pass
    reports = plan.reports()
    return {title: each for title, each in reports.items() if isinstance(each, TuningReport)}


def _check_event(path: Path, tournament: Tournament, old: Facts) -> None:
    """Raise LedgerError if games of the event have other settings than the tournament says.

    How its engines run changes nothing in what the games show.
    """
    facts = event_facts(tournament)
    if wrong := contradictions(old, with_retired(old, facts, {*facts["engines"]})):
        raise LedgerError(f"{path} has games of another event: {refusal(wrong)}")


def _entered(given: EngineConfiguration | str, time: str = DEFAULT_TIME) -> EngineConfiguration:
    return given if isinstance(given, EngineConfiguration) else engine(given, time)
