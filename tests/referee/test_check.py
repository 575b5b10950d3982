"""`oddly check`: right engines pass it, and a wrong one fails at the step that tests its fault.

A wrong engine is our own dispatcher with one method replaced, run as a process of its own. Those
whose faults need no process are in the files that import `wrong_engines.py`.
"""

import sys
from textwrap import dedent, indent

import pytest

from oddly.games.catalogue import GAMES, create_game
from oddly.referee.check import session_steps
from oddly.referee.check.checker import check_engine
from oddly.referee.check.engine_under_test import CheckOptions
from oddly.referee.check.game_steps import game_steps
from oddly.referee.check.playing_steps import genmove_plays
from oddly.referee.check.replies import wrong_option
from oddly.referee.check.session_steps import quits
from oddly.referee.check.variants import illegal_examples
from oddly.referee.program.configuration import Isolation
from oddly.referee.program.isolation import OWN_DIRECTORY
from oddly.referee.program.process import EngineProcess
from tests.programs import needs
from tests.referee.fakes import FAKE
from tests.source import ROOT

SMALL = {"yodd": 3, "xodd": 4, "odd": 3, "ayu": 5}
SCRIPT = """
import os, random, sys, time
sys.path.insert(0, {root!r})
from oddly.engines.dispatcher import Dispatcher
from oddly.engines.plain_engines import RandomEngine
from oddly.engines.session import CommandError
from oddly.engines.stdio import serve
from oddly.games.catalogue import create_game
from oddly.games.turns import SWAP
from oddly.protocol.codec import CommandDecoder, encode_reply
from oddly.protocol.messages import MalformedCommand, Reply

class Wrong(Dispatcher):
{body}

wrong = Wrong(RandomEngine(), create_game("yodd"))
del wrong.handlers["solve"]  # it would compile
{serve}
"""


@pytest.fixture
def engine(tmp_path):
    """A command line whose engine is the dispatcher with `body` in its class."""

    def made(body: str, serve: str = "serve(wrong, 0, 1)") -> tuple[str, ...]:
        methods = indent(dedent(body), "    ")
        path = tmp_path / "wrong.py"
        path.write_text(SCRIPT.format(root=str(ROOT), body=methods, serve=dedent(serve)))
        return (sys.executable, str(path))

    return made


async def check(command, name="yodd", settings=None, size=None, **options):
    """The names of the steps that failed, with their results, and the whole report."""
    game = create_game(name, size or SMALL[name], settings)
    told = []
    usual = {"games": 2, "time": 30.0, "timeout": 30.0, "isolation": Isolation.NONE}
    chosen = CheckOptions(**{**usual, **options})
    report = await check_engine(command, game, chosen, told.append)
    failed = {result.step.name: result for result in report.results if result.verdict == "fail"}
    return failed, report


BRIEF = 0.1
"""The budget of a check that tries the core of each step only."""
SKIPPED = {"yodd": 18, "xodd": 18, "odd": 19, "ayu": 16}
"""Steps about isolation, other games, and commands that only a search or a commentator needs."""


@pytest.mark.sampled
@pytest.mark.timed
@pytest.mark.parametrize("name", [name for name in GAMES if name != "ayu"])
async def test_our_engines_pass(name):
    await our_engine_passes(name)


@pytest.mark.soak
@pytest.mark.timed
async def test_our_engines_pass_in_ayu_too():
    await our_engine_passes("ayu")


async def our_engine_passes(name):
    player = ("random", "greedy")[list(GAMES).index(name) % 2]
    command = (sys.executable, "-m", "oddly", "engine", player)
    settings = {"pie": True} if name == "ayu" else None
    failed, report = await check(command, name, settings)
    assert failed == {}
    assert report.engine.startswith(player)
    skipped = [result.step.name for result in report.results if result.verdict == "skip"]
    assert len(skipped) == SKIPPED[name]


async def test_noise_on_standard_error_is_no_fault(engine):
    body = """
        def answer(self, command):
            sys.stderr.write("thinking hard " * 1000)
            return super().answer(command)
    """
    failed, _ = await check(engine(body), budget=BRIEF)
    assert failed == {}


WRONG = {
    "never repeats ids": (
        "def answer(self, c): r = super().answer(c); return Reply(r.ok, r.text)",
        {"Repeats the id of a command in its reply"},
    ),
    "always has an id": (
        """
        def answer(self, c):
            r = super().answer(c)
            return Reply(r.ok, r.text, 1 if r.id is None else r.id)
        """,
        {"Replies without an id to a command without one"},
    ),
    "accepts occupied cells": (
        """
        def _play(self, arguments):
            try:
                return super()._play(arguments)
            except CommandError as error:
                if "occupied" in str(error):
                    return ""
                raise
        """,
        {"Refuses an illegal turn and keeps its position: occupied"},
    ),
    "crashes at turns off the board": (
        """
        def _play(self, arguments):
            if any("z26" in argument for argument in arguments):
                os._exit(9)
            return super()._play(arguments)
        """,
        {
            "Refuses an illegal turn and keeps its position: off the board",
            "Knows every vertex of every board that it accepts, and no other",
        },
    ),
    "ignores undo": (
        """
        def _undo(self, arguments):
            if arguments:
                return super()._undo(arguments)
            return ""
        """,
        {"Takes back whole turns, one at a time, to the start and no further"},
    ),
    "counts wrong": (
        'def _group_counts(self, a): return super()._group_counts(a).replace("2", "3")',
        {"Connects stones and counts groups as our rules do"},
    ),
    "knows another winner": (
        'def _final_score(self, a): return super()._final_score(a).replace("B", "W")',
        {"Scores the ends of games as our rules do"},
    ),
    "forgets a legal turn": (
        r'def _legal_turns(self, a): return super()._legal_turns(a).rpartition("\n")[0]',
        {"Lists exactly the legal turns of our rules"},
    ),
    "plays at reg_genmove": (
        "def _reg_genmove(self, arguments): return self._genmove(arguments)",
        {"reg_genmove changes nothing in any state of a game, answered or refused"},
    ),
    "accepts unknown commands": (
        """
        def answer(self, command):
            reply = super().answer(command)
            if reply.text == "unknown command":
                return Reply(True, "", reply.id)
            return reply
        """,
        {
            "Refuses an unknown command, and goes on",
            "Refuses lines that are not commands: an id alone, bytes that are not UTF-8",
            "Survives lines of 65,536 bytes and more",
        },
    ),
    "is never equal to itself": (
        """
        def _genmove(self, arguments):
            self.engine.random = random.SystemRandom()
            return super()._genmove(arguments)
        """,
        {"Plays the same turns with the same seed"},
    ),
    "plays illegal turns": (
        """
        def _genmove(self, arguments):
            super()._genmove(arguments)
            return "Bz26"
        """,
        {"Plays the answer to genmove, which undo takes back"},
    ),
    "hides its options' types": (
        'def _list_options(self, a): return super()._list_options(a).replace("type ", "")',
        {"Describes each option on a line of its own"},
    ),
    "dies at a long line": (
        """
        def answer(self, command):
            if not isinstance(command, MalformedCommand) and len(str(command)) > 60000:
                os._exit(1)
            return super().answer(command)
        """,
        {"Survives lines of 65,536 bytes and more"},
    ),
    "goes on after quit": (
        'def _quit(self, arguments): return ""',
        {"Answers quit, and exits with all that it has started"},
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("fault", WRONG)
async def test_a_wrong_engine_fails_first_where_its_fault_is_tested(engine, fault):
    body, steps = WRONG[fault]
    failed, report = await check(engine(body), until_failure=True)
    assert set(failed) <= steps
    assert len(failed) == 1
    assert report.results[-1].verdict == "fail"


@pytest.mark.sampled
async def test_an_engine_that_plays_on_after_a_swap_as_the_wrong_colour_is_found(engine):
    body = """
        def _play(self, arguments):
            text = super()._play(arguments)
            if arguments[1] == "swap":
                super()._play([arguments[0], str(next(self.session.position.legal_turns()))])
            return text
    """
    failed, _ = await check(engine(body), "ayu", {"pie": True}, games=0)
    assert "Leaves White to move after a swap, and allows one on White's first turn only" in failed


async def test_a_greeting_fails_the_framing_and_nothing_else(engine):
    greet = 'os.write(1, b"Welcome!\\n"); serve(wrong, 0, 1)'
    failed, _ = await check(engine("pass", greet), budget=BRIEF)
    ((name, result),) = failed.items()
    assert name.startswith("Writes one reply to each command")
    assert result.received == b"Welcome!\n"


@pytest.mark.sampled
@pytest.mark.timed
@pytest.mark.parametrize("busy", [False, True])
async def test_a_slow_genmove_fails_the_clock_and_nothing_before_it(engine, monkeypatch, busy):
    monkeypatch.setattr("oddly.referee.check.game_steps.is_busy", lambda late: busy)
    body = """
        def _genmove(self, arguments):
            time.sleep(0.3)
            return super()._genmove(arguments)
    """
    chosen = {"games": 1, "time": 0.1, "budget": 0.1, "until_failure": True}
    failed, report = await check(engine(body), "odd", **chosen)
    name = "Answers every genmove of these games within its time"
    if not busy:
        assert list(failed) == [name]
        return
    (result,) = [each for each in report.results if each.step.name == name]
    assert result.verdict == "skip"
    assert result.reason.startswith("the machine was too busy to judge it: a genmove took 0.")


WRITER = """
def _{name}(self, arguments):
    try:
        open({path!r}, "w").close()
    except OSError as error:
        {then}
    return super()._{name}(arguments)
"""
CANNOT_WRITE = (
    "the engine exited with code 1; it is isolated and may write only where TMPDIR says, or in the "
    "directory of its [[engine]]; its last words on standard error: "
    "[Errno 30] Read-only file system: {path!r}"
)


@needs("bubblewrap")
@pytest.mark.timed
@pytest.mark.parametrize(
    ("name", "then", "reason"),
    [
        ("genmove", "sys.exit(str(error))", CANNOT_WRITE),
        ("clear_board", "raise CommandError(str(error)) from None", "refused 'clear_board'"),
        ("genmove", "pass", ""),
    ],
)
async def test_an_engine_that_needs_to_write_fails_the_game_in_which_it_cannot(
    engine, tmp_path, name, then, reason
):
    if tmp_path.is_relative_to(OWN_DIRECTORY):
        pytest.skip("an isolated engine does not see the folder of this test")
    path = str(tmp_path / "thoughts")
    command = engine(WRITER.format(name=name, path=path, then=then))
    failed, _ = await check(command, "odd", budget=BRIEF, games=1, isolation=Isolation.AUTO)
    assert len(failed) == bool(reason)
    for step, result in failed.items():
        assert step.startswith("Plays a game isolated as in a match")
        assert result.step.should
        assert result.reason == reason.format(path=path)


@pytest.mark.sampled
async def test_an_engine_that_stays_at_the_end_of_its_input_is_found(engine):
    serve = "serve(wrong, 0, 1)\nwrong.has_quit or time.sleep(60)"
    failed, _ = await check(engine("pass", serve), budget=BRIEF)
    assert list(failed) == ["Exits at the end of its input"]


@pytest.mark.skipif(sys.platform != "linux", reason="what an engine leaves is found on Linux only")
@pytest.mark.parametrize("leaves", [True, False])
async def test_an_engine_that_leaves_a_process_behind_is_found(engine, monkeypatch, only, leaves):
    only(quits)
    monkeypatch.setattr(session_steps, "is_busy", lambda late: False)
    serve = f"""
        import subprocess
        child = subprocess.Popen(["sleep", "97"], start_new_session=True)
        serve(wrong, 0, 1)
        {leaves} or child.kill()
    """
    failed, _ = await check(engine("pass", serve))
    reasons = [result.reason for result in failed.values()]
    assert reasons == (["left 1 process running for 1 s after its exit"] if leaves else [])


@pytest.mark.sampled
@pytest.mark.skipif(sys.platform != "linux", reason="what an engine leaves is found on Linux only")
async def test_on_a_busy_machine_what_is_left_behind_is_watched_longer_once(
    engine, monkeypatch, only
):
    """The bug: the same patience was spent again on its standard error, and was not told."""
    patiences, how_it_ended = [], EngineProcess.how_it_ended

    async def noted(process: EngineProcess, patience: float) -> str:
        patiences.append(patience)
        return await how_it_ended(process, patience)

    only(quits)
    monkeypatch.setattr(session_steps, "is_busy", lambda late: True)
    monkeypatch.setattr(session_steps, "PATIENCE", 0.25)
    monkeypatch.setattr(EngineProcess, "how_it_ended", noted)
    serve = """
        import subprocess
        subprocess.Popen(["sleep", "97"], start_new_session=True)
        serve(wrong, 0, 1)
    """
    failed, _ = await check(engine("pass", serve))
    reasons = [result.reason for result in failed.values()]
    assert reasons == ["left 1 process running for 2.75 s after its exit"]
    assert max(patiences) <= 0.25


FAULTS_OF_GENMOVE = {
    "crash": "the engine exited with code 3; its last words on standard error: fake: about to",
    "no-id": "a reply with no id",
}


@pytest.mark.parametrize("fault", FAULTS_OF_GENMOVE)
async def test_a_fault_in_a_game_fails_that_game_with_the_bytes_as_evidence(only, fault):
    only(genmove_plays, game_steps(1)[0])
    failed, _ = await check((sys.executable, FAKE, "--fault", fault), games=1, budget=BRIEF)
    game = "Plays game 1 as the referee has it played, moving first, in whole lines"
    assert "Plays the answer to genmove, which undo takes back" in failed
    result = failed[game]
    assert result.follows_from
    assert result.reason.startswith(FAULTS_OF_GENMOVE[fault])
    assert b"genmove" in result.sent
    assert result.expected


@pytest.mark.parametrize("command", ["cat", "true", "yes", "sleep 60", "seq 9"])
async def test_what_is_no_engine_fails_the_handshake_and_skips_the_rest(command):
    failed, report = await check(tuple(command.split()), timeout=0.3)
    assert list(failed) == ["Starts and answers name, version and list_commands"]
    assert report.count("pass") == 0


@pytest.mark.parametrize("name", GAMES)
def test_every_kind_of_illegal_turn_has_an_example(name):
    kinds = {
        example.illegality.name for example in illegal_examples(create_game(name, SMALL[name]))
    }
    common = {"GAME_OVER", "WRONG_KIND", "OFF_BOARD", "OCCUPIED"}
    pairs = {"SAME_VERTEX", "DROP_COUNT", "FIRST_TURN", "PARITY"}
    moves = {"NO_PIECE", "WRONG_PIECE", "NOT_ADJACENT", "SPLITS_GROUP", "NOT_CLOSER", "NO_SWAP"}
    own = {"yodd": pairs, "xodd": pairs, "odd": {"DROP_COUNT"}, "ayu": moves}
    assert kinds == common | own[name]


@pytest.mark.parametrize(
    "line",
    [
        "seed type integer default 0 min 0 max 9",
        "c type number default 0.25",
        "fast type boolean default true",
        "style type choice default wild choices wild calm",
        "book type text default a file with spaces",
    ],
)
def test_option_lines_as_in_the_protocol_are_right(line):
    assert wrong_option(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "seed integer 0",
        "seed type int default 0",
        "seed type integer default",
        "seed type integer default 0 min x",
        "fast type boolean default true min 0",
        "style type choice default wild",
        "",
    ],
)
def test_other_option_lines_are_wrong(line):
    assert wrong_option(line)
