"""An engine at the table, in memory and with trio's autojump clock: undo, time, faults."""

import pytest
import trio

from games.catalogue import create_game
from interfaces.human_play.table import Table
from interfaces.terminal.play.opponent import Opponent
from protocol.notation import parse_turn
from referee.fault import EngineFault
from referee.outcome import Termination
from tests.referee.fakes import ScriptedChannel, scripted


def table(*turns):
    at = Table.of(create_game("yodd", 3))
    for turn in turns:
        at = at.play(parse_turn(turn))
    return at


class Opened(list):
    """The channels that were opened, in order."""

    def __call__(self, command, most_stderr, resources=None):
        self.append(ScriptedChannel(command, most_stderr, resources))
        return self[-1]

    def heard(self, which=-1, names=("play", "genmove")):
        """The commands that one engine got, as text."""
        return [
            " ".join((command.name, *command.arguments))
            for command in self[which].received
            if command.name in names
        ]


async def with_engine(turns, test, time="5", delays=""):
    """Run `test` with an opponent that answers so."""
    opened = Opened()
    async with trio.open_nursery() as nursery:
        configuration = scripted(turns, "scripted", time, delays)
        opponent = Opponent(configuration, nursery, open_channel=opened)
        try:
            await test(opponent, opened)
        finally:
            await opponent.stop()


async def test_it_follows_the_game_and_an_undo(autojump_clock):
    async def test(opponent, opened):
        assert (await opponent.choose(table("Bc3")))[0] == parse_turn("pass")
        assert opened.heard() == ["play black Bc3", "genmove white"]
        await opponent.choose(table("Bc3", "pass", "Bd3"))
        assert opened.heard()[2:] == ["play black Bd3", "genmove white"]
        await opponent.choose(table("Bc4"))
        assert opened.heard()[4:] == ["play black Bc4", "genmove white"]
        await opponent.take_note(table("Bc4", "pass", "pass"))
        assert opened.heard()[-1] == "play black pass"
        assert len(opened) == 1

    await with_engine("pass pass pass", test)


async def test_what_it_chose_for_a_hint_is_not_what_was_played(autojump_clock):
    async def test(opponent, opened):
        await opponent.choose(table())
        await opponent.choose(table("Bc4", "pass"))
        assert opened.heard()[1:] == ["play black Bc4", "play white pass", "genmove black"]

    await with_engine("Bc3 Bc3", test)


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
    async def test(opponent, opened):
        with pytest.raises(EngineFault, match=reason) as caught:
            await opponent.choose(table("Bc3"))
        assert caught.value.termination is termination
        assert opened.heard(0, ["quit"]) == ["quit"]
        opponent.configuration = scripted("pass", "scripted")
        assert (await opponent.choose(table("Bc3")))[0] == parse_turn("pass")
        assert len(opened) == 2

    await with_engine(turns, test, delays=delays)


async def test_the_clock_runs_over_the_game_and_anew_after_a_fault(autojump_clock):
    async def test(opponent, opened):
        await opponent.choose(table("Bc3"))
        with pytest.raises(EngineFault, match=r"no turn within 4\.000 s"):
            await opponent.choose(table("Bc3", "pass", "Bd3"))
        opponent.configuration = scripted("pass", "scripted", "10+0", "9")
        assert (await opponent.choose(table("Bc3")))[1] == pytest.approx(9.0)

    await with_engine("pass pass", test, time="10+0", delays="6 6")


async def test_a_cancelled_engine_is_gone(autojump_clock):
    async def test(opponent, opened):
        with trio.move_on_after(1):
            await opponent.choose(table("Bc3"))
        assert opened.heard(0, ["quit"]) == ["quit"]

    await with_engine("pass", test, delays="3")
