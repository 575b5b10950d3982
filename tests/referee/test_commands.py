"""What the referee sends an engine, and how it looks for the answer of a quick one."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from oddly.games import Colour
from oddly.games.catalogue import create_game
from oddly.protocol.messages import MAX_ID
from oddly.referee.conversation import commands
from oddly.referee.conversation.commands import IN_A_ROW, LOOKS, MAX_VAIN, CommandIds, Glance
from oddly.referee.conversation.player import Player
from oddly.referee.justice.outcome import EngineFault
from oddly.referee.match.game import play_game
from oddly.referee.program.configuration import Limits
from tests.referee.engine_in_memory import InMemory
from tests.referee.fakes import ScriptedChannel, scripted

SLOW, FAST = 1.0, 0.0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sead": "1"}, "'set_option sead 1', as it lists no such option; did you mean 'seed'?"),
        ({"pace": "1"}, "'set_option pace 1', as it lists no such option"),
        ({"seed": "x"}, "'set_option seed x'"),
    ],
)
async def test_the_refusal_of_an_option_names_the_nearest_one(autojump_clock, options, said):
    """The bug: a misspelt option was told by its refusal alone."""
    engine = replace(scripted("", "random"), options=options)
    async with trio.open_nursery() as nursery:
        player = Player(engine, Limits())
        player.start(lambda *_: InMemory(0.0), nursery)
        await player.shake_hands()
        with pytest.raises(EngineFault) as refusal:
            await player.set_up(create_game("yodd", 2), seed=5)
        await player.stop()
    assert refusal.value.reason == f"refused {said}"


@given(st.lists(st.integers(1, 60), min_size=1, max_size=400))
def test_each_write_gets_as_many_ids_as_it_has_commands(numbers):
    ids = CommandIds()
    firsts = [ids.next(number) for number in numbers]
    lasts = [first + number - 1 for first, number in zip(firsts, numbers, strict=True)]
    for first, last in zip(firsts, [0, *lasts[:-1]], strict=True):
        assert 1 <= first - last <= 4096


def test_ids_run_out_before_a_game_could_need_one_that_is_too_great():
    ids = CommandIds()
    assert not ids.are_running_out
    # A game of 10,000 turns with the longest steps.
    ids.next(MAX_ID - 10_000 * 4096 - 4096)
    assert ids.are_running_out


class Silent:
    """A channel that counts the looks into it, and has what it is given."""

    def __init__(self):
        self.looks, self.data = 0, []

    def receive_nowait(self):
        self.looks += 1
        return self.data.pop(0) if self.data else None

    def looked(self, glance):
        before = self.looks
        assert glance.at(self) is None
        return self.looks - before


def test_after_looks_in_vain_one_is_enough_for_a_while():
    glance, channel = Glance(), Silent()
    looks = [channel.looked(glance) for _ in range(60)]
    whole = [number for number, each in enumerate(looks) if each == LOOKS]
    assert set(looks) == {1, LOOKS}
    assert whole[:4] == [0, 2, 6, 14]
    assert {after - before for before, after in pairwise(whole[3:])} == {MAX_VAIN + 1}


def test_an_answer_in_time_is_worth_all_looks_again():
    glance, channel = Glance(), Silent()
    assert channel.looked(glance) == LOOKS
    channel.data = [b"= \n\n"]
    assert glance.at(channel) == b"= \n\n"
    assert channel.looked(glance) == LOOKS


@pytest.mark.parametrize(("seconds", "is_quick"), [(FAST, True), (commands.QUICK, False)])
def test_only_a_quick_engine_is_looked_for(seconds, is_quick):
    glance, channel = Glance(), Silent()
    glance.note(seconds)
    assert glance.is_quick == is_quick
    assert glance.at(channel) is None
    assert channel.looks == (LOOKS if is_quick else 0)


def test_other_games_get_their_turn_after_some_of_a_quick_engine():
    glance, channel = Glance(), Silent()
    turns = []
    for _ in range(2 * IN_A_ROW):
        turns.append(glance.is_others_turn)
        glance.at(channel)
    assert turns == ([False] * IN_A_ROW + [True] + [False] * IN_A_ROW)[: 2 * IN_A_ROW]
    glance.note(SLOW)
    assert not glance.is_others_turn


class Curious(ScriptedChannel):
    """Lists `opponent`, and so hears of the other clock too."""

    also_lists = "opponent"


@given(st.floats(0, 1e12), st.integers(0, 9999))
def test_no_time_left_has_more_than_nine_digits_before_the_point(seconds, turns):
    """The bug: engines refuse 99999990000.000, which their periods may add up to."""
    left = seconds, turns
    lines = commands.question(Colour.BLACK, None, left, left, {"time_left", "opponent"})
    pattern = rf"time_left (?:black|white) [0-9]{{1,9}}\.[0-9]{{3}} {turns}"
    assert [bool(re.fullmatch(pattern, line)) for line in lines] == [True, True, False]


async def test_both_players_hear_of_both_clocks(autojump_clock):
    opened = {}

    def open_channel(command, *rest):
        opened[command] = Curious(command, *rest)
        return opened[command]

    players = scripted("Ba1 pass", "a", "10+0", "1 1"), scripted("Bb1 pass", "b", "20+0", "2 2")
    await play_game(create_game("xodd", 2), players, open_channel=open_channel)
    heard = [
        [" ".join(c.arguments) for c in opened[each.command].received if c.name == "time_left"]
        for each in players
    ]
    assert heard == [
        ["white 20.000 0", "black 10.000 0", "white 18.000 0", "black 9.000 0"],
        ["black 9.000 0", "white 20.000 0", "black 8.000 0", "white 18.000 0"],
    ]
