"""Bots in real processes, killed by SIGKILL at any moment, and a site that dies as often.

No turn is lost, and none is sent twice.
"""

import math
import os
import random
import signal
import sys
import time
from contextlib import asynccontextmanager, suppress

import httpx2
import pytest
import trio

from oddly.game_records.abstract_play_turns import ends_there, follow, game_by_ids, site_turn
from oddly.game_records.abstract_play_writing import rounds_of
from tests.interfaces.bot.site_double import CLIENT, SECRET, Games, SiteDouble, move
from tests.interfaces.bot.test_service import bot_toml
from tests.patience import PATIENCE
from tests.source import ROOT

BOTS = """\
import os, sys
import httpx2
from oddly.interfaces.bot import bot_file, outbox, outbox_file, service
from oddly.interfaces.command_line import bot_command
from oddly.interfaces.command_line.main import main
# The double's answers take no longer.
outbox.SETTLED, outbox.DELAYS = 1.0, (0.1, 0.3)
httpx2.AsyncClient(trust_env=False)
for line in sys.stdin:
    if (bot := os.fork()) == 0:
        print(os.getpid(), flush=True)
        sys.exit(main(["bot", "abstract-play", sys.argv[1], "--port", "0"]))
    os.waitpid(bot, 0)
    print("gone", flush=True)
"""
"""Begins a bot for each line that it reads, without importing everything anew."""
ENGINE = ROOT / "examples" / "python" / "full.py"
VARIANTS = ("size-9",)


class Board(Games):
    """Games of Ayu whose turns are judged, with an opponent who answers at once."""

    def __init__(self, rng):
        super().__init__()
        self.random = rng
        self.address = None
        self.unsaid = []
        self.life, self.is_last, self.deaths = trio.CancelScope(), False, 0
        self.has_taken = trio.Event()

    def lasts(self):
        """The site is killed no more."""
        self.is_last, self.life.deadline = True, math.inf

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
        self.has_taken.set()
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


class Bots:
    """Bots one after the other, each a process, that write the same outbox and log."""

    def __init__(self, process):
        self._process = process
        self._rest = b""
        self._pid = 0

    async def line(self):
        """The next line from the bot or of its end."""
        while b"\n" not in self._rest:
            part = await self._process.stdout.receive_some()
            assert part
            self._rest += part
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode().strip()

    async def begin(self):
        await self._process.stdin.send_all(b"begin\n")
        self._pid = int(await self.line())

    async def end(self, how):
        os.kill(self._pid, how)
        while await self.line() != "gone":
            pass


@asynccontextmanager
async def bots(tmp_path, site):
    path, program = tmp_path / "BOT.toml", tmp_path / "bots.py"
    engine = [sys.executable, str(ENGINE)]
    path.write_text(bot_toml(site, engine, ["ayu"], sweep=10, games_at_once=2))
    program.write_text(BOTS)
    environment = {**os.environ, "CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET}
    words = [sys.executable, str(program), str(path)]
    with (tmp_path / "log").open("wb") as log:
        process = await trio.lowlevel.open_process(
            words, env=environment, stdin=-1, stdout=-1, stderr=log
        )
        try:
            yield Bots(process)
        finally:
            with trio.CancelScope(shield=True):
                await process.stdin.aclose()
                await process.wait()
                await process.stdout.aclose()


async def play(tmp_path, kills, seed):
    """Kill the bot so often and the site meanwhile, then let each game go on; return the games."""
    rng = random.Random(seed)
    board = Board(rng)
    site = SiteDouble(board)
    site.delay = 0.2
    board.new()
    board.new()
    async with trio.open_nursery() as nursery:
        await nursery.start(_site_lives, site, board, rng)
        async with bots(tmp_path, site) as lives:
            for _ in range(kills):
                with trio.fail_after(PATIENCE):
                    await _one_life(lives, board, rng)
            board.lasts()
            with trio.fail_after(PATIENCE):
                await _last_life(lives, board)
        nursery.cancel_scope.cancel()
    return board


async def _one_life(lives, board, rng):
    await lives.begin()
    if rng.random() < 0.2:
        await trio.sleep(rng.uniform(0, 0.3))
    else:
        board.address = await lives.line()
        assert board.address.startswith("http"), board.address
        await trio.sleep(rng.choice([0, 0.2, 0.5, 1.0, 2.0]))
        if rng.random() < 0.5:
            # Before or after it hears that the site has taken a turn.
            board.has_taken = trio.Event()
            with trio.move_on_after(20):
                await board.has_taken.wait()
            await trio.sleep(rng.choice([0, 0, 0.1, 0.2, 0.3]))
    await lives.end(signal.SIGKILL)
    board.address = None


async def _last_life(lives, board):
    await lives.begin()
    board.address = await lives.line()
    before = len(board.taken)
    running = {game["id"] for game in board.games.values() if not game["over"]}
    while not {gameid for gameid, *_ in board.taken[before:]} >= running:
        await trio.sleep(0.05)
    await lives.end(signal.SIGTERM)


async def _site_lives(site, board, rng, task_status):
    """The site dies at any moment, comes back a while later, and knows no token any more."""
    port = 0
    while True:
        async with site.serving(port):
            if port == 0:
                port = int(site.base.rpartition(":")[2])
                task_status.started()
            with trio.move_on_after(math.inf if board.is_last else rng.uniform(0.2, 4)) as life:
                board.life = life
                await _say(site, board, rng)
        board.deaths += 1
        site.tokens.clear()
        await trio.sleep(rng.choice([0.05, 0.3, 1.5]))


async def _say(site, board, rng):
    """Send webhooks, some of them twice, and lose some."""
    while True:
        await trio.sleep(0.05)
        while board.unsaid and (address := board.address):
            game = board.unsaid.pop()
            facts = move(rounds_of(game["texts"]), game["id"], "ayu", VARIANTS)
            for _ in range(rng.choice([0, 1, 1, 2])):
                with suppress(httpx2.HTTPError):
                    assert await site.send(address, facts) == 202


@pytest.mark.parametrize(
    ("seed", "kills", "least_taken", "least_deaths"),
    [
        pytest.param(1, 4, 1, 0, marks=pytest.mark.sampled),
        *(pytest.param(seed, 200, 51, 21, marks=pytest.mark.soak) for seed in range(2, 7)),
    ],
)
async def test_kills_lose_no_turn(tmp_path, seed, kills, least_taken, least_deaths):
    board = await play(tmp_path, kills, seed)
    assert board.out_of_turn == []
    places = [taken[:2] for taken in board.taken]
    assert len(set(places)) == len(places)
    for game in board.games.values():
        board.position(game)
    assert len(board.taken) >= least_taken
    assert board.deaths >= least_deaths
