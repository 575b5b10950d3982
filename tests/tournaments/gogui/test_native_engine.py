"""Native engines' processes in GoGui's window, well-behaved and not."""

import sys
from functools import partial
from pathlib import Path
from random import Random

import pytest
import trio

from games.catalogue import create_game
from protocol.time_control import NO_CLOCK
from referee.limits import Limits
from referee.player import Contestant
from tests.engines.gogui.double import Gogui, Talker
from tests.engines.gogui.mirror import Mirror
from tests.engines.gogui.whole_game import BOARDS, play_to_the_end
from tests.referee.fakes import FAKE
from tournaments.gogui.conversation import attended

FULL = (sys.executable, str(Path(__file__).parents[3] / "examples" / "python" / "full.py"))
RANDOM = (sys.executable, "-m", "tournaments", "engine", "random")
NONE = ("/bin/false",)
QUICK = Limits(handshake=10.0, setting_up=10.0, grace=0.4)


def table(command, game, patience=30.0, **options):
    return attended(Contestant("engine", command, NO_CLOCK, options), game, patience, QUICK)


def fake(*arguments):
    return (sys.executable, FAKE, *arguments)


async def tell(dispatcher, *lines):
    """What comes of these commands, in GoGui's thread; failures with their question mark."""

    def said(line):
        reply = Talker(dispatcher).reply(line)
        return reply.text if reply.ok else f"? {reply.text}"

    return await trio.to_thread.run_sync(lambda: [said(line) for line in lines])


@pytest.mark.parametrize("command", [FULL, RANDOM], ids=["example", "ours"])
@pytest.mark.parametrize("board", BOARDS)
async def test_a_native_engine_plays_a_whole_game(board, command):
    if command is RANDOM and board != "yodd":
        pytest.skip("once is enough: what differs is the engine alone")
    game = create_game(*BOARDS[board])
    async with table(NONE, game) as ruler, table(command, game, seed="7") as program:

        def play():
            gogui = Gogui(Talker(ruler), Talker(program))
            assert gogui.attach() == game.name.capitalize()
            play_to_the_end(gogui, Mirror.of(*BOARDS[board]), Random(board))
            return gogui.program("name")

        assert await trio.to_thread.run_sync(play) in ("full-python", "random")


async def test_a_ruler_starts_no_engine():
    game = create_game("xodd", 4)
    async with table(("/no/such/program",), game) as ruler:
        play = partial(play_to_the_end, mirror=Mirror(game.start()), random=Random(1))
        async with table(FULL, game) as program:
            await trio.to_thread.run_sync(play, Gogui(Talker(ruler), Talker(program)))
        (said,) = await tell(ruler, "genmove b")
        assert said.startswith("? ")
