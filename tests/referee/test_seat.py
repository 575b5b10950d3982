"""A seat with an engine in memory, on trio's autojump clock: undo, time, faults, evaluations."""

import pickle
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import trio

from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.untrusted_text import MAX_NAME_LENGTH
from oddly.protocol.notation import parse_turn
from oddly.referee.conversation.seat import EngineSeat
from oddly.referee.justice.outcome import EngineFault, MachineExhausted, Termination
from oddly.referee.program.configuration import Resources
from tests.referee.fakes import ScriptedChannel, scripted

YODD = create_game("yodd", 3)


def after(*texts):
    """The position after these turns, and the turns with their colours."""
    position, turns = YODD.start(), []
    for text in texts:
        turns.append((position.to_move, parse_turn(text)))
        position = position.play(turns[-1][1])
    return position, turns


class Channel(ScriptedChannel):
    """An engine that can say more, by the names of commands."""

    def __init__(self, *arguments, replies):
        super().__init__(*arguments)
        self.replies = replies

    def _answer(self, command):
        said = super()._answer(command)
        if command.name == "list_commands":
            return "\n".join([said, *self.replies])
        return self.replies.get(command.name, said)


class Opened(list):
    """The channels that were opened, in order."""

    def __init__(self, **replies):
        super().__init__()
        self.replies = replies

    def __call__(self, command, most_stderr, resources=None):
        self.append(Channel(command, most_stderr, resources, replies=self.replies))
        return self[-1]

    def heard(self, which=-1, names=("play", "genmove")):
        """The commands that one engine got, as text."""
        return [
            " ".join((command.name, *command.arguments))
            for command in self[which].received
            if command.name in names
        ]


@asynccontextmanager
async def seated(turns, time="5", delays="", **replies):
    """A seat whose engine answers so, and the channels that it opened."""
    opened = Opened(**replies)
    async with trio.open_nursery() as nursery:
        configuration = scripted(turns, "scripted", time, delays)
        seat = EngineSeat(configuration, nursery, open_channel=opened)
        try:
            yield seat, opened
        finally:
            await seat.stop()


async def test_it_follows_the_game_and_an_undo(autojump_clock):
    async with seated("pass pass pass", clear_board="") as (seat, opened):
        assert (await seat.choose(*after("Bc3")))[0] == parse_turn("pass")
        assert opened.heard() == ["play black Bc3", "genmove white"]
        await seat.choose(*after("Bc3", "pass", "Bd3"))
        assert opened.heard()[2:] == ["play black Bd3", "genmove white"]
        await seat.choose(*after("Bc4"))
        assert opened.heard()[4:] == ["play black Bc4", "genmove white"]
        await seat.take_note(after("Bc4", "pass", "pass")[1])
        assert opened.heard()[-1] == "play black pass"
        assert len(opened) == 1


async def test_an_engine_that_no_command_brings_back_to_the_start_is_started_again(autojump_clock):
    async with seated("pass") as (seat, opened):
        await seat.choose(*after("Bc3"))
        await seat.follow(YODD, after("Bc3", "pass", "Bd3")[1])
        assert len(opened) == 1
        seat.configuration = scripted("pass", "scripted")
        await seat.choose(*after("Bc4"))
        await seat.follow(YODD)
        assert [opened.heard(which) for which in range(3)] == [
            ["play black Bc3", "genmove white", "play black Bd3"],
            ["play black Bc4", "genmove white"],
            [],
        ]
        assert opened.heard(0, ["quit"]) == opened.heard(1, ["quit"]) == ["quit"]


async def test_a_seat_that_is_stopped_while_its_engine_is_started_again_stays_empty(
    autojump_clock, monkeypatch
):
    async def stop_slowly(channel, grace, farewell=b""):
        await trio.sleep(1)

    monkeypatch.setattr(Channel, "stop", stop_slowly)
    async with seated("pass") as (seat, opened), trio.open_nursery() as nursery:
        await seat.choose(*after("Bc3"))

        @nursery.start_soon
        async def follow():
            with pytest.raises(EngineFault, match="it was stopped"):
                await seat.follow(YODD)

        await trio.sleep(0.5)
        await seat.stop()
        await trio.sleep(2)
        assert len(opened) == 1
        assert not seat.is_running


async def test_what_it_chose_for_a_hint_is_not_what_was_played(autojump_clock):
    async with seated("Bc3 Bc3", clear_board="") as (seat, opened):
        await seat.choose(*after())
        await seat.choose(*after("Bc4", "pass"))
        assert opened.heard()[1:] == ["play black Bc4", "play white pass", "genmove black"]


@pytest.mark.parametrize(
    ("turns", "delays", "termination", "reason"),
    [
        ("Bc3", "", Termination.ILLEGAL_TURN, "Bc3 is not legal: c3 is occupied"),
        ("rubbish", "", Termination.ILLEGAL_TURN, "rubbish is not legal"),
        ("pass", "9", Termination.TIME, "no turn within 5.000 s"),
    ],
)
async def test_after_a_fault_a_new_process_plays_on(
    autojump_clock, turns, delays, termination, reason
):
    async with seated(turns, delays=delays) as (seat, opened):
        with pytest.raises(EngineFault, match=reason) as caught:
            await seat.choose(*after("Bc3"))
        assert caught.value.termination is termination
        assert opened.heard(0, ["quit"]) == ["quit"]
        seat.configuration = scripted("pass", "scripted")
        assert (await seat.choose(*after("Bc3")))[0] == parse_turn("pass")
        assert len(opened) == 2


async def test_the_clock_runs_over_the_game_and_anew_after_a_fault(autojump_clock):
    async with seated("pass pass", time="10+0", delays="6 6") as (seat, _):
        await seat.choose(*after("Bc3"))
        with pytest.raises(EngineFault, match=r"no turn within 4.000 s"):
            await seat.choose(*after("Bc3", "pass", "Bd3"))
        seat.configuration = scripted("pass", "scripted", "10+0", "9")
        assert (await seat.choose(*after("Bc3")))[1] == pytest.approx(9.0)


async def test_a_cancelled_engine_is_gone(autojump_clock):
    async with seated("pass", delays="3") as (seat, opened):
        with trio.move_on_after(1):
            await seat.choose(*after("Bc3"))
        assert opened.heard(0, ["quit"]) == ["quit"]


async def test_an_engine_that_can_undo_is_told_of_the_difference(autojump_clock):
    async with seated("pass pass", undo="", clear_board="") as (seat, opened):
        said = ("play", "genmove", "undo", "clear_board")
        await seat.choose(*after("Bc3"))
        assert opened.heard(names=said) == ["clear_board", "play black Bc3", "genmove white"]
        await seat.choose(*after("Bc3", "Bd3"))
        assert opened.heard(names=said)[3:] == ["undo", "play white Bd3", "genmove black"]
        await seat.follow(YODD, after("Bc4")[1])
        assert opened.heard(names=said)[6:] == [*3 * ["undo"], "play black Bc4"]
        await seat.follow(YODD)
        assert opened.heard(names=said)[10:] == ["clear_board"]
        await seat.follow(YODD, after("Bc3", "Bd3", "Be3", "Bc4", "pass")[1])
        await seat.follow(YODD, after("We3")[1])
        assert opened.heard(names=said)[16:] == ["clear_board", "play black We3"]


async def test_somebody_else_may_keep_the_clock(autojump_clock):
    async with seated("pass", delays="9") as (seat, opened):
        turn, seconds = await seat.choose(*after("Bc3"), 20.0, (33.0, 2))
        assert (str(turn), seconds) == ("pass", pytest.approx(9.0))
        assert opened.heard(names=["time_left"]) == ["time_left white 33.000 2"]


async def test_a_name_is_one_short_line(autojump_clock):
    async with seated("", name="a  \u202e" + 80 * "b", version="1") as (seat, _):
        assert (seat.name, seat.engine_text, seat.is_running) == ("scripted", "", False)
        await seat.start()
        assert seat.name == "a \\u202e" + "b" * (MAX_NAME_LENGTH - 3)
        assert seat.engine_text == f"{seat.name} 1"
        assert seat.is_running


async def test_an_evaluation_is_read(autojump_clock):
    async with seated("", evaluate="0.6 100\nBd3 0.75 0.65\npass 0.25 0.5") as (seat, opened):
        position, turns = after("Bc3")
        found = await seat.evaluate(DropPosition(position), turns, 5.0)
        assert (found.win_rate, found.simulations) == (0.6, 100)
        assert [str(candidate.action) for candidate in found.candidates] == ["Bd3", "pass"]
        assert opened.heard(names=["play", "evaluate"]) == ["play black Bc3", "evaluate"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("0.6 100\nBc3 1 1", "its evaluation cannot be used: c3 is occupied"),
        ("splendid", "its evaluation cannot be used: malformed evaluation 'splendid'"),
    ],
)
async def test_an_evaluation_is_judged(autojump_clock, reply, reason):
    async with seated("", evaluate=reply) as (seat, _):
        position, turns = after("Bc3")
        with pytest.raises(EngineFault, match=reason):
            await seat.evaluate(DropPosition(position), turns, 5.0)


def test_a_failure_of_our_machine_is_copied_with_its_notes():
    failure = MachineExhausted("too many open files")
    failure.add_note("in the third game")
    copied = pickle.loads(pickle.dumps(failure))  # noqa: S301 - we made it
    assert (str(copied), vars(copied)) == (str(failure), vars(failure))


async def test_a_failure_of_our_machine_is_a_sentence_too(autojump_clock):
    def exhausted(command, most_stderr, resources=None):
        raise MachineExhausted("too many open files")

    async with trio.open_nursery() as nursery:
        seat = EngineSeat(scripted("", "scripted"), nursery, open_channel=exhausted)
        with pytest.raises(EngineFault, match="too many open files") as caught:
            await seat.start()
        assert caught.value.termination is Termination.VOID
        assert not seat.is_running
        await seat.stop()


async def test_the_next_process_is_told_what_only_the_stopped_one_knew(autojump_clock):
    async with seated("pass", clear_board="") as (seat, opened):

        async def rest():
            if seat.is_running:
                await seat.stop()

        seat.configuration = replace(seat.configuration, resources=Resources(ponder=False))
        await seat.start()
        opened[0].rest = rest
        await seat.follow(YODD, after("Bc3")[1])
        assert not seat.is_running
        await seat.choose(*after("Bc3"))
        assert opened.heard(names=("clear_board", "play", "genmove")) == [
            "clear_board",
            "play black Bc3",
            "genmove white",
        ]
