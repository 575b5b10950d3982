"""Clocks: the arithmetic alone, and games on trio's autojump clock, where hours take no time."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from trio.testing import MockClock

from oddly.games.catalogue import create_game
from oddly.protocol.notation import TimeKind, parse_time_control
from oddly.referee.justice.clock import HARD_CAP, Clock
from oddly.referee.justice.outcome import Termination
from oddly.referee.match.game import play_game
from oddly.referee.program.configuration import Limits
from tests.referee.fakes import ScriptedChannel, scripted


def clock(spec: str) -> Clock:
    return Clock(parse_time_control(spec))


def test_without_a_clock_there_is_still_a_cap():
    assert clock("none").allowance() == HARD_CAP


@given(
    st.sampled_from(["5", "60+0", "60+2", "20+3/15", "20+4x10", "none"]),
    st.lists(st.floats(0, 1), max_size=30),
)
@example("20+3/15", [0.34946446259803593, 1.0, 0.0])
def test_a_turn_within_the_allowance_never_flags_and_one_beyond_it_always_does(spec, fractions):
    played = clock(spec)
    for fraction in fractions:
        allowance = played.allowance()
        assert allowance >= 0
        with pytest.raises(ValueError, match=" s of "):
            played.spend(allowance + 0.01)
        played.spend(fraction * allowance)


async def play(first, second, autojump_clock: MockClock):
    limits = Limits(margin=0.5)
    configurations = (first, second)
    return await play_game(
        create_game("odd", 2), configurations, limits=limits, open_channel=ScriptedChannel
    )


FIRST = "Bc1 Be1 Bc2 Be2 Bb3 Bd3 Ba4 Bc4 Ba5 Bc5"
SECOND = "Bd1 Bb2 Bd2 Ba3 Bc3 Be3 Bb4 Bd4 Bb5"
BLACK, WHITE = "Bb1 Bc1 Ba2 Bb2", "Wc2 Wa3 Wb3"


async def test_a_game_within_the_time_is_played_to_its_end(autojump_clock):
    record = await play(
        scripted(BLACK, "a", "100+0", "30 30 30 9"),
        scripted(WHITE, "b", "60", "59 59 59"),
        autojump_clock,
    )
    assert record.outcome.termination is Termination.BOARD_FULL
    assert [round(played.seconds) for played in record.turns] == [30, 59, 30, 59, 30, 59, 9]


async def test_the_flag_falls_when_the_main_time_is_gone(autojump_clock):
    record = await play(
        scripted(BLACK, "a", "100+0", "30 30 30 11"), scripted(WHITE, "b"), autojump_clock
    )
    assert record.outcome.termination is Termination.TIME
    assert record.outcome.reason == "a: no turn within 10.000 s"
    assert (record.outcome.winner, record.outcome.score, record.outcome.turns) == (1, "W+T", 6)


async def test_the_margin_is_granted_once_a_game_and_not_more(autojump_clock):
    granted = await play(
        scripted(BLACK, "a", "10", "10.1 10.2 10.1 10"), scripted(WHITE, "b"), autojump_clock
    )
    assert granted.outcome.termination is Termination.BOARD_FULL
    refused = await play(scripted(BLACK, "a", "10", "10.6"), scripted(WHITE, "b"), autojump_clock)
    assert refused.outcome.termination is Termination.TIME
    added_up = await play(
        scripted(BLACK, "a", "10", "10.3 10 10.3"), scripted(WHITE, "b"), autojump_clock
    )
    assert added_up.outcome.termination is Termination.TIME
    assert added_up.outcome.turns == 4


async def test_the_margin_is_no_thinking_time(autojump_clock):
    """Eighty milliseconds in each turn without an increment."""
    record = await play_game(
        create_game("odd", 3),
        (scripted(FIRST, "a", "0.2+0", "0.08 " * 10), scripted(SECOND, "b")),
        open_channel=ScriptedChannel,
    )
    assert record.outcome.termination is Termination.TIME
    assert record.outcome.winner == 1
    assert sum(played.seconds for played in record.turns[::2]) < 0.3


async def test_each_player_has_a_clock_of_its_own(autojump_clock):
    record = await play(
        scripted(BLACK, "a", "5", "4 4 4 4"), scripted(WHITE, "b", "3", "2 4"), autojump_clock
    )
    assert record.outcome.reason == "b: no turn within 3.000 s"


async def test_time_left_is_told_before_every_genmove(autojump_clock):
    channels = {}

    def open_channel(command, most_stderr, resources=None):
        channels[command] = ScriptedChannel(command, most_stderr)
        return channels[command]

    black, white = scripted(BLACK, "a", "100+1", "30 30 30 9"), scripted(WHITE, "b")
    await play_game(create_game("odd", 2), (black, white), open_channel=open_channel)
    received = channels[black.command].received
    assert [c.arguments for c in received if c.name == "time_left"] == [
        ("black", "100.000", "0"),
        ("black", "71.000", "0"),
        ("black", "42.000", "0"),
        ("black", "13.000", "0"),
    ]
    assert [c.name for c in received][-2:] == ["genmove", "quit"]
    assert [c.name for c in channels[white.command].received][-2:] == ["play", "quit"]


def test_the_timelines_of_the_spec_are_what_the_clock_does():
    spec = (Path(__file__).parents[2] / "docs" / "reference" / "protocol.md").read_text(
        encoding="utf-8"
    )
    row = r"^\| `(\S+)` \| (\d+) \| `([\d.]+) (\d+)` \| ([\d.]+) \| ([\d.]+) \|"
    rows = re.findall(row, spec, re.MULTILINE)
    assert {parse_time_control(control).kind for control, *_ in rows} == set(TimeKind)
    clock = None
    for control, turn, seconds, turns, most, takes in rows:
        if turn == "1":
            clock = Clock(parse_time_control(control))
        assert clock.left() == (pytest.approx(float(seconds)), int(turns)), (control, turn)
        assert clock.allowance() == pytest.approx(float(most)), (control, turn)
        clock.spend(float(takes))
