"""Rulings on time, on trio's mock clock: by when bytes arrived, and in doubt for nobody's loss.

`clock.jump` moves the clock within one pass of the loop, as a stopped process or a long computation
does: whatever falls due meanwhile is seen in the same pass, in an order that nobody knows.
"""

import itertools
import json
from contextlib import asynccontextmanager

import pytest
import trio

from oddly.games.catalogue import create_game
from oddly.protocol.messages import RESIGN
from oddly.protocol.notation import parse_turn
from oddly.referee.justice.legality import rule_on
from oddly.referee.justice.outcome import EngineFault, Termination
from oddly.referee.justice.record import GameRecord, RecordError, replay
from oddly.referee.match.game import play_game
from oddly.referee.match.judgement import judge
from oddly.referee.program.channel import CHUNK
from oddly.referee.program.configuration import Limits
from tests.referee.fakes import ScriptedChannel, scripted
from tests.referee.test_evidence import judged, logged

START = create_game("yodd", 3).start()


def test_a_legal_turn_leads_to_the_next_position():
    turn, after = rule_on(START, "bC3")
    assert turn == parse_turn("Bc3")
    assert after.key == START.play(turn).key


def test_a_resignation_leaves_the_position():
    assert rule_on(START, "resign") == (RESIGN, START)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "an empty answer is not legal"),
        ("Bz9", "Bz9 is not legal: z9 is off the hexhex board of base 3"),
        ("\x1b[31mred", r"\\x1b\[31mred is not legal"),
        ("Bc3,Bd3", "first turn must be exactly one drop"),
    ],
)
def test_any_other_answer_is_a_fault(answer, reason):
    with pytest.raises(EngineFault, match=reason) as caught:
        rule_on(START, answer)
    assert caught.value.termination is Termination.ILLEGAL_TURN


BLACK, WHITE = "Bb1 Bc1 Ba2 Bb2", "Wc2 Wa3 Wb3"
GAME = create_game("odd", 2)
LIMITS = Limits(margin=0.1)
RUNS = range(8)
"""The order of tasks in one pass is drawn by lot."""


@asynccontextmanager
async def standing_still(jumps, clock):
    """The referee stands still in the body: for so long after so many seconds each."""

    async def stand_still():
        for after, seconds in jumps:
            await trio.sleep(after)
            clock.jump(seconds)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(stand_still)
        yield
        nursery.cancel_scope.cancel()


async def play(first, second, *jumps, open_channel=ScriptedChannel, limits=LIMITS, clock=None):
    """A game during which the referee stands still."""
    async with standing_still(jumps, clock):
        record = await play_game(GAME, (first, second), limits=limits, open_channel=open_channel)
    assert GameRecord.from_json(record.as_json()).as_json() == record.as_json()
    if record.outcome.termination is not Termination.ILLEGAL_TURN:
        replay(record)
    return record


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("late_by", [-0.05, 0.0, 0.4])
async def test_a_reply_and_the_deadline_in_one_pass_cost_nobody_the_game(
    run, late_by, autojump_clock
):
    slow = scripted(BLACK, "a", "0.2", f"{0.3 + late_by}")
    record = await play(slow, scripted(WHITE, "b", "0.2"), (0.1, 1.0), clock=autojump_clock)
    assert record.outcome.is_abandoned
    assert record.outcome.reason.startswith("the referee stood still for ")
    assert not record.outcome.is_forfeit


@pytest.mark.parametrize("run", RUNS)
async def test_a_small_doubt_is_the_benefit_of_the_engine(run, autojump_clock):
    slow = scripted(BLACK, "a", "0.2", "0.29")
    record = await play(slow, scripted(WHITE, "b"), (0.28, 0.04), clock=autojump_clock)
    assert record.outcome.termination is Termination.BOARD_FULL
    assert not record.outcome.is_marked


@pytest.mark.parametrize("run", RUNS)
async def test_a_reply_that_came_before_the_referee_stood_still_is_taken_at_once(
    run, autojump_clock
):
    record = await play(
        scripted(BLACK, "a", "0.2", "0.05 0.05 0.05 0.05"),
        scripted(WHITE, "b", "5", "1 1 1"),
        (0.5, 0.4),
        clock=autojump_clock,
    )
    assert record.outcome.termination is Termination.BOARD_FULL


@pytest.mark.parametrize("run", RUNS)
async def test_what_the_referee_stood_still_is_on_no_clock(run, autojump_clock):
    record = await play(
        scripted(BLACK, "a", "10+0", "1 1 1 1"),
        scripted(WHITE, "b"),
        (0.5, 8.0),
        clock=autojump_clock,
    )
    assert record.outcome.termination is Termination.BOARD_FULL
    assert record.turns[0].seconds <= 1.0
    assert record.outcome.lag > 7
    assert record.outcome.is_marked


@pytest.mark.parametrize("run", RUNS)
async def test_who_does_not_answer_even_then_loses_on_time(run, autojump_clock):
    record = await play(
        scripted(BLACK, "a", "1", "1000"), scripted(WHITE, "b"), (0.5, 3.0), clock=autojump_clock
    )
    assert record.outcome.termination is Termination.TIME
    assert record.outcome.winner == 1
    assert record.outcome.reason == "a: no turn within 1.000 s"


@pytest.mark.parametrize("run", RUNS)
async def test_who_answers_in_the_time_given_back_has_neither_lost_nor_won(run, autojump_clock):
    record = await play(
        scripted(BLACK, "a", "1", "4"), scripted(WHITE, "b"), (0.5, 3.0), clock=autojump_clock
    )
    assert record.outcome.is_abandoned


@pytest.mark.parametrize(("delay", "late"), [(1.0999, False), (1.1, False), (1.1001, True)])
async def test_the_limit_is_exact_while_the_referee_runs(delay, late, autojump_clock):
    record = await play(scripted(BLACK, "a", "1", f"{delay}"), scripted(WHITE, "b"))
    assert (record.outcome.termination is Termination.TIME) is late
    assert record.outcome.winner == (1 if late else record.outcome.winner)


async def test_the_last_turn_may_be_late_too(autojump_clock):
    record = await play(scripted(BLACK, "a", "1", "0 0 0 2"), scripted(WHITE, "b"))
    assert record.outcome.termination is Termination.TIME
    assert record.outcome.turns == 6


async def test_a_reply_in_pieces_arrives_with_its_last_byte(autojump_clock):
    class Dripping(ScriptedChannel):
        def answer(self, command):
            if command.name != "genmove" or not self.delays:
                super().answer(command)
                return
            text = f"={command.id} {self.turns.pop(0)}\n\n".encode()
            for index, byte in enumerate(text):
                self.write(bytes([byte]), 0.1 * (index + 1))

    intime = await play(scripted(BLACK, "a", "5", "1"), scripted(WHITE, "b"), open_channel=Dripping)
    assert intime.outcome.termination is Termination.BOARD_FULL
    late = await play(scripted(BLACK, "a", "0.5", "1"), scripted(WHITE, "b"), open_channel=Dripping)
    assert late.outcome.termination is Termination.TIME


class Eager(ScriptedChannel):
    """Answers the next question with the guess that ids rise by one."""

    def answer(self, command):
        super().answer(command)
        if command.name == "genmove":
            for number in range(command.id + 1, command.id + 4):
                self.write(f"={number} Bc1\n\n".encode())


class Flooding(ScriptedChannel):
    """An engine whose pipe is full of empty lines, whenever anybody looks, until its answer."""

    async def receive(self):
        return self.receive_nowait() or await super().receive()

    def receive_nowait(self):
        if not (self.received and self.received[-1].name == "genmove"):
            return super().receive_nowait()
        trio.lowlevel.current_clock().jump(0.01)
        return super().receive_nowait() or b"\n" * CHUNK


@pytest.mark.parametrize("answers_after", [0.35, 100.0])
async def test_a_flood_that_is_no_answer_loses_when_the_time_is_over(answers_after, autojump_clock):
    flooding = scripted(BLACK, "a", "0.2", str(answers_after))
    record = await play(flooding, scripted(WHITE, "b", "0.2"), open_channel=Flooding)
    assert record.outcome.termination is Termination.TIME
    assert record.outcome.winner == 1
    assert record.timing.waits[-1].taken < 0.4


async def test_answers_in_advance_are_refused_before_the_question(autojump_clock):
    def open_channel(command, most_stderr, resources=None):
        return (Eager if command[0] == BLACK else ScriptedChannel)(command)

    record = await play(scripted(BLACK, "a"), scripted(WHITE, "b"), open_channel=open_channel)
    assert record.outcome.termination is Termination.PROTOCOL
    assert record.outcome.winner == 1
    assert record.outcome.reason == "a: output that nobody asked for"
    assert record.outcome.turns == 2


async def test_ids_rise_by_steps_that_cannot_be_foreseen(autojump_clock):
    channels = []

    def open_channel(command, most_stderr, resources=None):
        channels.append(ScriptedChannel(command))
        return channels[-1]

    await play(scripted(BLACK, "a"), scripted(WHITE, "b"), open_channel=open_channel)
    ids = [command.id for channel in channels for command in channel.received]
    genmoves = [command.id for command in channels[0].received if command.name == "genmove"]
    assert all(0 < number < 1 << 31 for number in ids)
    assert genmoves == sorted(genmoves)
    steps = {after - before for before, after in itertools.pairwise(genmoves)}
    assert len(steps) > 1


class Refusing(ScriptedChannel):
    def answer(self, command):
        if command.name == "list_commands":
            self.write(f"?{command.id} play genmove\n\n".encode())
        else:
            super().answer(command)


async def test_a_refused_list_of_commands_is_no_list(autojump_clock):
    record = await play(scripted(BLACK, "a"), scripted(WHITE, "b"), open_channel=Refusing)
    assert record.outcome.termination is Termination.VOID
    assert "a: refused list_commands" in record.outcome.reason


TIMED = {
    "in time": ("5", "4 4 4 4", (), Termination.BOARD_FULL),
    "late": ("1", "0.5 1.3", (), Termination.TIME),
    "overruns": ("1", "1.05 1.04 1.02", (), Termination.TIME),
    "stood still": ("1", "0.5 0.5 0.5 0.5", ((0.3, 0.4),), Termination.BOARD_FULL),
    "stood still and late": ("1", "0.5 9", ((1.8, 2.0),), Termination.TIME),
    "abandoned": ("1", "0.5 1.5", ((1.8, 2.0),), Termination.ABANDONED),
}


@pytest.mark.parametrize("name", TIMED)
async def test_a_log_shows_that_rulings_on_time_were_right(name, autojump_clock):
    time, delays, jumps, _ = TIMED[name]
    first, second = scripted(BLACK, "a", time, delays), scripted(WHITE, "b", "2", "1 1 1")
    async with standing_still(jumps, autojump_clock):
        record, text = await logged(first, second)
    judged(record, text)
    assert record.outcome.termination is TIMED[name][3]


@pytest.mark.parametrize("change", ["TIME", "controls", "margin"])
async def test_a_log_whose_times_were_changed_contradicts_itself(change, autojump_clock):
    first, second = scripted(BLACK, "a", "1", "0.5 1.3"), scripted(WHITE, "b")
    _, text = await logged(first, second)
    header, *lines, outcome = text.splitlines()
    if change == "TIME":
        # The last look was long before the limit.
        lines = [line for line in lines if '"wait"' not in line]
        lines.append('# {"wait": [1, 0.9, 0.0]}')
    else:
        header = header.replace('["1", "5"]', '["2", "5"]') if change == "controls" else header
        header = header.replace('"margin": 0.1', '"margin": 0.9') if change == "margin" else header
    (said,) = judge([header, *lines, outcome]).contradictions()
    assert said.startswith("a loss on time after ")


async def test_a_record_whose_times_were_changed_does_not_replay(autojump_clock):
    record = await play(scripted(BLACK, "a", "5", "4 4 4 4"), scripted(WHITE, "b"))
    value = record.as_json()
    value["timing"]["waits"][2][2] = 7.0
    with pytest.raises(RecordError, match=r"turn 3 took 7\.000 s of 5\.100 s"):
        replay(GameRecord.from_json(value))
    value["timing"]["controls"][0] = "chess"
    with pytest.raises(RecordError, match="not a game record"):
        GameRecord.from_json(value)
    del value["timing"]
    assert replay(GameRecord.from_json(value)).is_over


def test_a_log_of_version_1_is_still_judged():
    lines = [
        '# {"wire_log": 1, "game": "odd", "size": 2, "settings": {}}',
        "    0.100000 1 > 7 genmove black",
        "    9.100000 1 < =7 Bb1",
        "    9.100000 1 < ",
    ]
    judgement = judge(lines)
    assert judgement.turns == ["Bb1"]
    assert judgement.slowest == pytest.approx(9)
    assert json.dumps(judgement.turns)
