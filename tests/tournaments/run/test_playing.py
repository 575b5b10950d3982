"""Tournaments and matches from Python: ledger, observers, settings, and runs that go on."""

import json
import shlex
import threading
from pathlib import Path

import pytest
import trio

from oddly.engines import create_engine
from oddly.games import create_game
from oddly.interfaces.command_line import main
from oddly.referee import Isolation, ProgramError, Restart
from oddly.referee.justice.outcome import MachineExhausted
from oddly.referee.program.process import EngineProcess
from oddly.tournaments import (
    Ledger,
    Observer,
    PlayingSettings,
    RoundRobin,
    RunStart,
    Sprt,
    Tournament,
    TournamentFileError,
    engine,
    load_tournament,
    play_tournament,
    run_match,
    run_sprt,
    run_tournament,
)
from oddly.tournaments.formats.tournament import PLAYING_SETTINGS
from oddly.tournaments.run.observer import Observers
from oddly.tournaments.run.preparing import Handshakes, handshakes
from tests.programs import PYTHON
from tests.tournaments.toml.written import QUICK, tournament_file

ODD = create_game("odd", 2)
ONE, TWO = (engine(shlex.join(QUICK), "5", name=name) for name in ("one", "two"))


def tournament(**changes) -> Tournament:
    settings = PlayingSettings(concurrency=1)
    facts = {"name": "test", "format": RoundRobin(1), "games": (ODD,), "engines": (ONE, TWO)}
    return Tournament(**{**facts, "settings": settings, **changes})


class Diary(Observer):
    """Writes down what it hears."""

    def __init__(self, name: str, diary: list) -> None:
        self.name, self.diary = name, diary

    def start(self, start):
        self.diary.append((self.name, "start", len(start.earlier), start.is_done))

    def began(self, scheduled):
        self.diary.append((self.name, "began", scheduled.number))

    def ended(self, played, record):
        self.diary.append((self.name, "ended", played.scheduled.number))

    def finish(self):
        self.diary.append((self.name, "finish"))


class Failing(Observer):
    """Has a bug at the end of the second game."""

    def ended(self, played, record):
        if played.scheduled.number == 2:
            raise ZeroDivisionError


class Looking(Observer):
    """Looks into the ledger whenever a game ends."""

    def __init__(self, path: Path) -> None:
        self.path, self.known = path, []

    def ended(self, played, record):
        with Ledger(self.path, read_only=True) as ledger:
            self.known.append(played.scheduled.id in ledger.records())


def test_observers_hear_in_their_order_and_finish_in_the_reverse():
    diary = []
    run = run_tournament(tournament(), observers=[Diary("a", diary), Diary("b", diary)])
    assert len(run.played) == 2
    assert diary == [
        *[(name, "start", 0, False) for name in "ab"],
        *[(name, what, game) for game in (1, 2) for what in ("began", "ended") for name in "ab"],
        *[(name, "finish") for name in "ba"],
    ]


def test_a_game_is_in_the_ledger_before_any_observer_hears_of_its_end(tmp_path):
    looking = Looking(tmp_path / "a.sqlite")
    run_tournament(tournament(), looking.path, [looking])
    assert looking.known == [True, True]


def test_an_error_of_an_observer_ends_no_run_and_costs_no_game(tmp_path):
    path, diary = tmp_path / "a.sqlite", []
    run = run_tournament(tournament(), path, [Failing(), Diary("a", diary)])
    (failure,) = run.failures
    assert failure.startswith("the observer Failing failed: ZeroDivisionError")
    assert diary[-2:] == [("a", "ended", 2), ("a", "finish")]
    run_tournament(tournament(), path, [Diary("b", diary)])
    assert ("b", "start", 2, True) in diary


def test_what_does_not_start_does_not_finish():
    diary = []

    class Broken(Observer):
        def start(self, start):
            raise ZeroDivisionError

    start = RunStart("", 0, [], None)
    every = Observers([Diary("a", diary), Broken(), Diary("c", diary)])
    with every.during(start):
        pass
    assert diary == [
        *[(name, "start", 0, False) for name in "ac"],
        *[(name, "finish") for name in "ca"],
    ]


def test_turns_are_observed_only_if_somebody_asks():
    class Turning(Observer):
        def turned(self, scheduled, snapshot):
            turns.append(snapshot.last.turn)

    turns = []
    assert not Observers([Diary("a", [])]).follows_turns
    assert Observers([Diary("a", []), Turning()]).follows_turns
    run = run_tournament(tournament(), observers=[Turning()])
    assert turns == [turn.turn for record in run.records for turn in record.turns]


def test_a_run_goes_on_from_its_ledger_with_more_rounds(tmp_path):
    path = tmp_path / "a.sqlite"
    run_tournament(tournament(), path)
    run = run_tournament(tournament(format=RoundRobin(2)), path)
    assert (len(run.played), len(run.records)) == (4, 2)
    (summary,) = run.summaries()
    assert sum(row.games for row in summary.table) == 8
    assert summary.statistics_by_name["one"].games == 4


def test_a_keyword_that_there_is_not_is_an_error():
    with pytest.raises(TypeError, match="unexpected keyword 'as_knew'; did you mean 'as_new'"):
        run_tournament(tournament(), as_knew=True)


async def test_within_a_trio_program_a_run_is_awaited(tmp_path):
    run = await play_tournament(tournament(), tmp_path / "a.sqlite")
    assert len(run.played) == 2


def test_in_another_thread_signals_are_left_alone():
    runs = []
    thread = threading.Thread(target=lambda: runs.append(run_tournament(tournament())))
    thread.start()
    thread.join()
    assert [len(run.played) for run in runs] == [2]


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ("oddly engine random", "oddly engine greedy", ("random", "greedy")),
        ("oddly engine random", "oddly engine random", ("random (first)", "random (second)")),
        (ONE, "oddly engine random", ("one", "random")),
    ],
)
def test_command_lines_play_under_the_names_they_give_themselves(one, other, names):
    assert run_match(one, other, ODD, games=1).engines == names


def test_an_engine_that_was_stuck_when_it_was_asked_its_name_is_known_to_have_been():
    settings = PlayingSettings(start_limit=0.5)

    async def known() -> Handshakes:
        async with handshakes([engine("sleep 60")], [True], settings) as said:
            return said

    said = trio.run(known)
    assert said.engines[0].was_stuck
    assert not said.waiting


@pytest.mark.parametrize(("failures", "name"), [(2, "random"), (3, "oddly")])
def test_a_machine_that_cannot_start_an_engine_to_ask_its_name_tries_again(
    monkeypatch, capfd, failures, name
):
    def start(command, *how):
        if "random" in command and failing:
            raise failing.pop()
        return really_start(command, *how)

    failing, really_start = [MachineExhausted("no room")] * failures, EngineProcess.start
    monkeypatch.setattr(EngineProcess, "start", start)
    words = ["--game", "odd", "--size", "2", "--games", "1", "--isolation", "none"]
    one = "oddly engine random"
    assert main(["match", one, f"{PYTHON} -m oddly engine greedy", *words]) == 0
    printed = capfd.readouterr()
    assert f" {name} " in printed.out
    told = f"did not say who it is and plays as {name}, since the machine is exhausted: no room\n"
    assert (told in printed.err) is (name == "oddly")


def test_each_engine_of_a_match_is_started_once(tmp_path):
    starts = tmp_path / "starts"
    script = f"echo start >> {starts}; exec {PYTHON} -P -m oddly engine random"
    counting = f"sh -c {shlex.quote(script)}"
    settings = PlayingSettings(concurrency=1, isolation=Isolation.NONE)
    run = run_match(counting, counting, ODD, games=2, settings=settings)
    assert not run.forfeits
    assert len(run.played) == 2
    assert starts.read_text() == "start\n" * 2


def test_a_program_that_is_not_named_in_unicode_has_a_name_that_can_be_written(tmp_path):
    program = tmp_path / "engine-\udcff"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert engine(shlex.quote(str(program))).name == r"engine-\udcff"


def test_what_is_no_match_is_refused():
    with pytest.raises(ValueError, match="two engines are 'one'"):
        run_match(ONE, ONE, ODD)
    with pytest.raises(ProgramError, match="no program 'nothing-here'"):
        run_match(ONE, "nothing-here", ODD)
    with pytest.raises(ProgramError, match="'oddly' lacks its closing quotation mark '"):
        engine("'oddly")
    for name in ("\udcff", "a\n", " a", " "):
        with pytest.raises(ValueError, match="a name has visible characters only, and no spaces"):
            engine("oddly engine random", name=name)
    # The bug: these ended in a bare AttributeError.
    for engines in ((create_engine("random"), TWO), (ONE, create_engine("greedy"))):
        with pytest.raises(TypeError, match=r"is a command line, .*, not (Random|Greedy)Engine$"):
            run_match(*engines, ODD)
    with pytest.raises(ValueError, match="elo0 must be below elo1"):
        run_sprt(ONE, TWO, ODD, Sprt(10, 0))


async def test_a_run_that_is_cancelled_is_over():
    class Cancelling(Observer):
        def began(self, scheduled):
            scope.cancel()

    diary = []
    with trio.CancelScope() as scope:
        await play_tournament(tournament(), observers=[Cancelling(), Diary("a", diary)])
    assert scope.cancelled_caught
    assert diary[-1] == ("a", "finish")


def written(tmp_path, keys: str):
    return tournament_file(tmp_path, "settings", keys)


def test_a_file_without_settings_has_the_defaults(tmp_path):
    assert load_tournament(written(tmp_path, "")).settings == PlayingSettings()


def another(kind):
    """A value of a setting that is not its default."""
    if kind.kind is str and not kind.choices:
        return "oddly engine random"
    return next(word for word in (*kind.choices, 64, 2.5) if word != kind.default)


def test_every_setting_is_a_key_of_the_file(tmp_path):
    values = {name: another(kind) for name, kind in PLAYING_SETTINGS.items()}
    keys = "\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items())
    found = load_tournament(written(tmp_path, keys)).settings
    expected = {name: PLAYING_SETTINGS[name].value(value) for name, value in values.items()}
    assert found == PlayingSettings().changed(expected)
    assert Restart.ON_FAULT is not found.restart


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("concurrency = 0", "tournament concurrency should be greater than or equal to 1, not 0"),
        ('restart = "nevr"', "did you mean 'never'?"),
        ("margn = 1", "unknown key 'margn' in [tournament]; did you mean 'margin'?"),
        ("withdraw_after = 1.5", "should be a whole number, not 1.5"),
    ],
)
def test_a_wrong_setting_is_told_with_its_line(tmp_path, key, sentence):
    with pytest.raises(TournamentFileError) as refused:
        load_tournament(written(tmp_path, key))
    assert ":3: " in str(refused.value)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("command", ["match", "tournament"])
def test_every_setting_is_an_option(command, output):
    shown = output(command, "--help")
    for name in PLAYING_SETTINGS:
        assert f"--{name.replace('_', '-')} " in shown


def test_an_option_takes_the_place_of_the_key(tmp_path, output):
    path = written(tmp_path, "concurrency = 3")
    for words, at_once in (([], 3), (["--concurrency", "2"], 2)):
        assert f", {at_once} at once, " in output("tournament", path, "--check", *words)


@pytest.mark.parametrize("bound", ["least", "most"])
def test_an_option_has_the_bounds_of_the_key(tmp_path, output, bound):
    """The bug: `--engine-memory 0`, no limit, was refused, and `--engine-processes 3` taken."""
    words = [
        f"--{name.replace('_', '-')}={getattr(kind, bound):.15g}"
        for name, kind in PLAYING_SETTINGS.items()
        if kind.most is not None
    ]
    assert output("tournament", written(tmp_path, ""), "--check", *words)


def test_settings_change_nothing_that_a_ledger_holds_against_a_run(tmp_path, facts):
    path = written(tmp_path, "margin = 1")
    first = facts("tournament", path)["games"]
    written(tmp_path, 'restart = "every-game"')
    assert facts("tournament", path)["games"] == first
