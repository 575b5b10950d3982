"""Bots in real processes, killed by SIGKILL at any moment: no turn is lost, none is sent twice."""

import os
import random
import signal
import sys
import time

import httpx2
import pytest
import trio

from oddly.game_records.abstract_play_turns import ends_there, follow, game_by_ids, site_turn
from oddly.game_records.abstract_play_writing import rounds_of
from tests.interfaces.bot.site_double import CLIENT, SECRET, Games, SiteDouble, move
from tests.interfaces.bot.test_service import bot_toml
from tests.patience import PATIENCE

BOT = """\
import sys
from oddly.interfaces.bot import outbox
from oddly.interfaces.command_line.main import main
# The double's answers take no longer.
outbox.SETTLED, outbox.DELAYS = 1.0, (0.1, 0.3)
sys.exit(main(["bot", "abstract-play", sys.argv[1], "--port", "0"]))
"""
VARIANTS = ("size-9",)


class Board(Games):
    """Games of Ayu whose turns are judged, with an opponent who answers at once."""

    def __init__(self, rng):
        super().__init__()
        self.random = rng
        self.address = None
        self.unsaid = []

    def new(self):
        number = len(self.games)
        game = self.begin(f"game{number}", time.time(), meta="ayu", variants=VARIANTS)
        self.unsaid.append(game)

    def position(self, game):
        position = game_by_ids("ayu", VARIANTS).start()
        for _, after in follow(position, game["texts"]):
            position = after
        return position

    def take(self, facts, now=0.0):
        status, value = super().take(facts, now or time.time())
        if status != 200:
            return status, value
        game = self.games[facts["gameid"]]
        position = self.position(game)
        if not ends_there(position):
            turn = self.random.choice(list(position.legal_turns()))
            self.move(game, site_turn(position.game, turn), time.time())
            position = self.position(game)
            self.unsaid.append(game)
        if ends_there(position):
            game["over"] = True
            self.new()
        return status, value


async def play(tmp_path, kills, seed):
    """Kill the bot so often, then let each game go on; return the site's games."""
    rng = random.Random(seed)
    board = Board(rng)
    async with SiteDouble(board).serving() as site:
        site.delay = 0.2
        path = tmp_path / "BOT.toml"
        command = [sys.executable, "-m", "oddly", "engine", "random"]
        path.write_text(bot_toml(site, command, ["ayu"], sweep=10, games_at_once=2))
        (tmp_path / "bot.py").write_text(BOT)
        board.new()
        board.new()
        for number in range(kills + 1):
            await _one_life(tmp_path, site, board, rng, is_last=number == kills)
    return board


async def _one_life(tmp_path, site, board, rng, *, is_last):
    environment = {**os.environ, "CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET}
    words = [sys.executable, str(tmp_path / "bot.py"), str(tmp_path / "BOT.toml")]
    with (tmp_path / "log").open("ab") as log:
        process = await trio.lowlevel.open_process(words, env=environment, stdout=-1, stderr=log)
    try:
        with trio.fail_after(PATIENCE):
            line = b""
            while not line.endswith(b"\n"):
                part = await process.stdout.receive_some()
                assert part, (tmp_path / "log").read_text()
                line += part
        address = line.decode().strip()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_say, site, board, address, rng)
            if is_last:
                with trio.fail_after(PATIENCE):
                    before = len(board.taken)
                    running = [game for game in board.games.values() if not game["over"]]
                    while {gameid for gameid, *_ in board.taken[before:]} < {
                        game["id"] for game in running
                    }:
                        await trio.sleep(0.05)
            else:
                await trio.sleep(rng.choice([0, 0.2, 0.5, 1.0, 2.0]))
            nursery.cancel_scope.cancel()
    finally:
        process.send_signal(signal.SIGTERM if is_last else signal.SIGKILL)
        with trio.CancelScope(shield=True):
            await process.wait()
            await process.stdout.aclose()


async def _say(site, board, address, rng):
    """Send webhooks, some of them twice, and lose some."""
    while True:
        await trio.sleep(0.05)
        while board.unsaid:
            game = board.unsaid.pop()
            facts = move(rounds_of(game["texts"]), game["id"], "ayu", VARIANTS)
            for _ in range(rng.choice([0, 1, 1, 2])):
                try:
                    assert await site.send(address, facts) == 202
                except httpx2.HTTPError:
                    return


def check(board):
    assert board.out_of_turn == []
    places = [taken[:2] for taken in board.taken]
    assert len(set(places)) == len(places)
    for game in board.games.values():
        board.position(game)


async def test_a_few_kills(tmp_path):
    board = await play(tmp_path, 3, 1)
    check(board)
    assert board.taken


@pytest.mark.soak
async def test_two_hundred_kills(tmp_path):
    board = await play(tmp_path, 200, 2)
    check(board)
    assert len(board.taken) > 50
