"""The world around a bot on trio's mock clock: the site, the wire, the opponents, and kills.

The site is the double's model of games; whatever is said to it takes time, and may be said in vain.
A kill is an exception in the middle of a write to the outbox, or the end of every task of the bot
between two of its steps. The outbox is a real file.
"""

import base64
import json
import math
import random
import secrets
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oddly.interfaces.bot.admission import NONCE, SIGNATURE, TIMESTAMP, read_opening_hours
from oddly.interfaces.bot.bot_file import BotTable
from oddly.interfaces.bot.outbox import SETTLED
from oddly.interfaces.bot.outbox_file import open_outbox
from oddly.interfaces.bot.service import BotService
from oddly.interfaces.bot.site_view import NO_REPLY, SiteReply
from oddly.interfaces.text.line_writer import Journal
from tests.interfaces.bot.site_double import CLIENT, Games, move

EPOCH = 1_790_000_000.0
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
HOUR, DAY = 3600.0, 86_400.0
LENGTH = 8
"""Plies of a game."""


def now():
    return EPOCH + trio.current_time()


class KilledError(BaseException):
    """The end of the process."""


class DyingFile:
    """An outbox on the disk whose process may be killed before or after it writes."""

    def __init__(self, file, world):
        self._file, self._world = file, world

    def __getattr__(self, name):
        return getattr(self._file, name)

    def keep(self, task):
        self._world.may_die()
        self._file.keep(task)
        self._world.may_die()


class Chooser:
    """Chooses a turn that names its game and its ply, after a while."""

    def __init__(self, world):
        self._world = world

    def engine_for(self, game):
        return self

    async def choose(self, request, refused=()):
        await trio.sleep(self._world.random.uniform(0.5, 30))
        text = f"{request.gameid}-{request.plies}"
        return text if text not in refused else f"{text}-{len(refused)}"


@dataclass
class World:
    """The site, the opponents and the wire between, on the mock clock."""

    seed: int
    kills: int = 0
    lost: float = 0.3
    """The share of webhooks that never come."""
    games: Games = field(default_factory=Games)
    outages: list = field(default_factory=list)
    service: BotService | None = None
    killed: int = 0

    def __post_init__(self):
        self.random = random.Random(self.seed)
        self.log = []

    def may_die(self):
        if self.killed < self.kills and self.random.random() < 0.03:
            self.killed += 1
            raise KilledError

    @property
    def is_away(self):
        return any(begin <= trio.current_time() < end for begin, end in self.outages)

    # The wire.

    async def ask(self, query, **pars):
        await trio.sleep(self.random.uniform(0.05, 2))
        if self.is_away:
            return self._no_reply()
        status, value = self.games.tell(query, pars)
        return SiteReply(status, value.get("message", "") if status != 200 else "", value=value)

    async def send(self, request, text):
        """The request arrives, whether or not the bot lives to hear what the site says."""
        if self.is_away and self.random.random() < 0.5:
            await trio.sleep(self.random.uniform(0, 30))
            return self._no_reply()
        answer = []
        done = trio.Event()
        facts = {"gameid": request.gameid, "metaGame": request.meta, "move": text}
        self.nursery.start_soon(self._arrive, facts, answer, done)
        with trio.move_on_after(30):
            await done.wait()
            if not self.is_away and self.random.random() < 0.8:
                return answer[0]
        return self._no_reply()

    async def _arrive(self, facts, answer, done):
        await trio.sleep(self.random.choice([0.1, 1.0, SETTLED - 6]))
        if self.is_away and self.random.random() < 0.7:
            answer.append(SiteReply(502))
        else:
            status, value = self.games.take(facts, now())
            answer.append(SiteReply(status, value.get("message", "")))
            if status == 200:
                self.nursery.start_soon(self.opponent, facts["gameid"])
        done.set()

    def _no_reply(self):
        return SiteReply(NO_REPLY, "ConnectError", was_sent=self.random.random() < 0.7)

    # The opponents.

    async def opponent(self, gameid):
        """Move after a while, and let the site say so, if it does."""
        game = self.games.games[gameid]
        if len(game["texts"]) >= LENGTH:
            game["over"] = True
            return
        if self.games.on_turn(game) != CLIENT:
            await trio.sleep(self.random.choice([0.5, 30, HOUR, 5 * HOUR]))
            self.games.move(game, f"theirs-{len(game['texts'])}", now())
        if len(game["texts"]) >= LENGTH:
            game["over"] = True
            return
        texts = game["texts"]
        rounds = [texts[n : n + 2] for n in range(0, len(texts), 2)]
        facts = move(rounds, gameid, game["metaGame"], game["variants"])
        for _ in range(self.random.choice([1, 1, 2, 3])):
            if self.random.random() >= self.lost:
                self.nursery.start_soon(self.deliver, facts)

    async def deliver(self, facts):
        await trio.sleep(self.random.choice([0, 1, 60, 2 * HOUR, 9 * HOUR]))
        if self.service is None:
            return
        body = json.dumps(facts).encode()
        stamp, nonce = str(int(now())), secrets.token_hex(8)
        signature = base64.b64encode(KEY.sign(f"{stamp}.{nonce}.".encode() + body)).decode()
        headers = [(TIMESTAMP, stamp), (NONCE, nonce), (SIGNATURE, signature)]
        try:
            assert self.service.receive(headers, body, now()).status < 300
        except KilledError:
            # The end of the bot counts as the kill.
            self.killed -= 1
            self.service = None
            self.life.cancel()

    # The bot.

    async def bot(self, path, hours=None):
        """Run the bot; whenever it is killed, begin it anew after a while."""
        settings = settings_of(hours)
        while True:
            with outbox_at(path) as file, suppress(KilledError), ungrouped():
                lived = self.random.choice([0.3, 5, 45, HOUR])
                is_last = self.killed >= self.kills
                with trio.move_on_after(math.inf if is_last else lived) as self.life:
                    journal = Journal(self.log.append)
                    dying = DyingFile(file, self)
                    self.service = BotService(
                        settings, CLIENT, Chooser(self), self, dying, journal, now
                    )
                    await self.service.run()
                self.killed += 1
            self.service = None
            await trio.sleep(self.random.choice([0.1, 60, HOUR / 2]))

    def begin(self):
        number = len(self.games.games)
        game = self.games.begin(f"game{number}", now(), seat=number % 2)
        self.nursery.start_soon(self.opponent, game["id"])

    async def until_all_games_are_over(self):
        """Wait, and begin another game if the bot has not been killed often enough."""
        while any(not game["over"] for game in self.games.games.values()):
            await trio.sleep(60)
            if self.killed < self.kills and all(g["over"] for g in self.games.games.values()):
                self.begin()


@contextmanager
def outbox_at(path):
    """Open an outbox whose file outlives the process, if not the machine: that is quicker."""
    with open_outbox(path) as file:
        file._connection.execute("pragma synchronous = off")
        yield file


@contextmanager
def ungrouped():
    """Raise the kill that a group has inside."""
    try:
        yield
    except BaseExceptionGroup as group:
        killed, other = group.split(KilledError)
        if other is not None:
            raise other from None
        raise KilledError from killed


def settings_of(hours=None, **keys):
    addresses = dict.fromkeys(("token_url", "query_url", "scope", "public_key"), "x")
    secret = dict.fromkeys(("client_id_env", "client_secret_env"), "x")
    table = BotTable(games_at_once=2, **addresses, **secret, **keys)
    engines = (SimpleNamespace(plays=lambda game: True),)
    return SimpleNamespace(
        bot=table, key=KEY.public_key(), engines=engines, outbox=Path("x"),
        hours=hours and read_opening_hours(hours),
    )  # fmt: skip


@asynccontextmanager
async def living(world, path, within=DAY):
    """Let the world and its bot live while the body runs, which may take so many seconds."""
    with trio.fail_after(within):
        async with trio.open_nursery() as world.nursery:
            world.nursery.start_soon(world.bot, path / "outbox")
            yield
            world.nursery.cancel_scope.cancel()


async def answered(game):
    """Wait for the first turn of the bot."""
    while not game["texts"]:
        await trio.sleep(1)


async def play(tmp_path, world, count):
    """Begin so many games and play them all to their ends."""
    async with living(world, tmp_path, 60 * DAY):
        for _ in range(count):
            world.begin()
            await trio.sleep(world.random.choice([0, 10, HOUR]))
        await world.until_all_games_are_over()


def check(world):
    """Each ply of ours was played once, by the turn meant for it, and nothing more was sent."""
    wanted = [
        (game["id"], ply, f"{game['id']}-{ply}")
        for game in world.games.games.values()
        for ply in range(LENGTH)
        if game["players"][ply % 2]["id"] == CLIENT
    ]
    assert sorted(world.games.taken) == sorted(wanted)
    assert world.games.out_of_turn == []


def outages(rng):
    """Of a second, a minute, some hours and a day."""
    lengths = [1, 5, 60, 90, 900, HOUR, 6 * HOUR, DAY]
    found, at = [], rng.uniform(0, 30)
    for length in rng.sample(lengths, len(lengths)):
        found.append((at, at + length))
        at += length + rng.uniform(5, 4 * HOUR)
    return found
