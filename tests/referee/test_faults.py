"""Whatever an engine does wrong costs it the game, with the reason, and nothing is left running.

Each case is a real process of `tests/fakes/engine.py` with one fault injected at its second turn;
the opponent is the same program without a fault.
"""

import os
from dataclasses import replace

import pytest

from oddly.games.catalogue import create_game
from oddly.referee.justice.outcome import Termination
from oddly.referee.match.game import play_game
from oddly.referee.program.configuration import EngineConfiguration, Limits, Resources
from tests.patience import PATIENCE
from tests.processes import processes
from tests.referee.fakes import fake

LIMITS = Limits(handshake=PATIENCE, setting_up=PATIENCE, grace=0.4)

FORFEITS = [
    ("exit-at-start", Termination.CRASH, "exited with code 7"),
    ("garbage-at-start", Termination.PROTOCOL, "output that is not a reply"),
    ("crash", Termination.CRASH, "exited with code 3"),
    ("killed", Termination.CRASH, "was killed (SIGKILL)"),
    ("close", Termination.CRASH, "closed its output and went on running"),
    ("garbage", Termination.PROTOCOL, "output that is not a reply"),
    ("binary", Termination.PROTOCOL, "output that is not a reply"),
    ("flood", Termination.PROTOCOL, "a reply longer than 1048576 bytes"),
    ("long-line", Termination.PROTOCOL, "a line longer than 65536 bytes"),
    ("wrong-id", Termination.PROTOCOL, "a reply with id 999 where id "),
    ("no-id", Termination.PROTOCOL, "a reply with no id where id "),
    ("refuse", Termination.PROTOCOL, "refused genmove"),
    ("refuse-play", Termination.PROTOCOL, "refused the legal turn Wa2"),
    ("illegal", Termination.ILLEGAL_TURN, "Bz99 is not legal: z99 is off the"),
    ("malformed", Termination.ILLEGAL_TURN, "expected a row number from 1 to 99 at character 2"),
    ("empty", Termination.ILLEGAL_TURN, "an empty answer is not legal"),
]


async def play(first: EngineConfiguration, second: EngineConfiguration, limits: Limits = LIMITS):
    return await play_game(create_game("odd", 2), (first, second), limits=limits)


@pytest.mark.sampled
@pytest.mark.parametrize(("fault", "termination", "words"), FORFEITS)
async def test_a_faulty_engine_forfeits(fault, termination, words):
    record = await play(fake("--nth", "1"), fake("--fault", fault, name="bad"))
    assert record.outcome.termination is termination
    assert record.outcome.winner == 0
    assert record.outcome.score == "B+F"
    assert record.outcome.is_forfeit
    assert record.outcome.reason.startswith("bad: ")
    assert words in record.outcome.reason


@pytest.mark.parametrize("fault", ["hang", "trickle"])
async def test_an_engine_that_does_not_finish_its_answer_loses_on_time(fault):
    record = await play(fake("--fault", fault, time="0.2", name="slow"), fake())
    assert record.outcome.termination is Termination.TIME
    assert record.outcome.score == "W+T"
    assert record.outcome.reason == "slow: no turn within 0.200 s"


async def test_an_engine_that_never_says_hello_did_not_start():
    limits = Limits(handshake=0.5, grace=0.4)
    silent = EngineConfiguration("silent", ("sleep", "3600"), fake().time)
    record = await play(silent, silent, limits)
    assert record.outcome.termination is Termination.VOID
    assert "no answer to the handshake within 0.5 s" in record.outcome.reason


async def test_a_program_that_the_system_refuses_did_not_start(tmp_path):
    program = tmp_path / "engine"
    program.write_bytes(b"\x7fELF but not really")
    program.chmod(0o755)
    record = await play(EngineConfiguration("broken", (str(program),), fake().time), fake())
    assert record.outcome.termination is Termination.NO_START
    assert record.outcome.winner == 1
    assert "did not start" in record.outcome.reason


async def test_a_directory_that_is_gone_is_named(tmp_path):
    """The bug: the program was said to be missing."""
    gone = Resources(directory=str(tmp_path / "gone"))
    record = await play(replace(fake(name="homeless"), resources=gone), fake())
    assert record.outcome.termination is Termination.NO_START
    where = f"did not start in {gone.directory!r}: No such file or directory"
    assert record.outcome.reason.endswith(where)


async def test_two_faulty_engines_make_a_void_game_that_nobody_lost():
    record = await play(fake("--fault", "exit-at-start"), fake("--fault", "exit-at-start"))
    assert record.outcome.is_void
    assert record.outcome.winner is None
    assert not record.outcome.is_forfeit


async def test_what_a_stranger_prints_is_shown_without_its_control_characters():
    record = await play(fake(), fake("--fault", "binary", name="bad"))
    assert record.outcome.evidence == r"\xff[2J"


async def test_standard_error_without_end_neither_blocks_nor_grows():
    record = await play(fake("--fault", "stderr", "--at", "1"), fake())
    assert record.outcome.termination is Termination.BOARD_FULL


@pytest.mark.parametrize("fault", ["child", "ignore-quit", "crash", "hang"])
async def test_nothing_is_left_running(fault):
    mark, before = f"{3600 + os.getpid()}.5", processes()
    await play(fake("--fault", fault, "--seconds", mark, name="bad", time="0.2"), fake())
    left = [line for line in processes() if mark in line or f" {os.getpid()} " in line]
    # Python itself keeps a process for those that other tests spawned.
    assert [line for line in left if line not in before] == []
