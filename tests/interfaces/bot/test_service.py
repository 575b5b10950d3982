"""A bot at work: real HTTP over loopback, a site that signs for real, engines in processes."""

import json
import socket
import sys
import time
from contextlib import asynccontextmanager, nullcontext

import httpx2
import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oddly.game_records.abstract_play_turns import ends_there, follow, game_by_ids
from oddly.game_records.abstract_play_writing import rounds_of
from oddly.games.catalogue import create_game
from oddly.games.result import Ending
from oddly.games.turns import SWAP, Move
from oddly.interfaces.bot import outbox, reception, thinker
from oddly.interfaces.bot.bot_file import load_bot
from oddly.interfaces.bot.dry_run import DryRunError, dry_run
from oddly.interfaces.bot.outbox_file import open_outbox
from oddly.interfaces.bot.service import running_bot
from oddly.interfaces.bot.thinker import Thinker, instead, loses_there
from oddly.interfaces.serving.listening import listen
from oddly.interfaces.text.line_writer import HIDDEN, Journal
from oddly.protocol.evaluation import Candidate, Evaluation
from oddly.protocol.notation import parse_time_control, parse_turn
from oddly.referee.justice.outcome import EngineFault, Termination
from oddly.referee.program.configuration import EngineConfiguration
from tests.game_records.test_abstract_play import GAMES
from tests.games.positions import place
from tests.interfaces.bot.site_double import CLIENT, SECRET, Games, SiteDouble, challenge, move
from tests.patience import PATIENCE
from tests.referee.fakes import FAKE

REPLIED = 5.0
"""Seconds within which the site must have an answer."""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Attempts follow one another at once."""
    monkeypatch.setattr(outbox, "DELAYS", (0.01, 0.01, 0.01))
    monkeypatch.setattr(outbox, "SETTLED", 0.01)
    monkeypatch.setattr(thinker, "BETWEEN_ATTEMPTS", 0.01)


class Bot:
    """A running bot: its address and what it logs."""

    def __init__(self, address):
        self.address = address
        self.log = []

    def heard(self, words):
        return any(words in line for line in self.log)

    async def wait_to_hear(self, words):
        while not self.heard(words):
            await trio.sleep(0.01)


@asynccontextmanager
async def at_work(tmp_path, *arguments, site=None, **settings):
    """A site and its bot, whose engine is the fake one with these arguments."""
    with trio.fail_after(PATIENCE):
        async with nullcontext(site) if site else SiteDouble().serving() as site:
            path = tmp_path / "BOT.toml"
            path.write_text(bot_toml(site, [sys.executable, FAKE, *arguments], **settings))
            found = load_bot(path)
            with listen("127.0.0.1", 0, unread=65_536, stalled=30) as listener:
                bot = Bot(f"http://127.0.0.1:{listener.getsockname()[1]}/")
                environment = {"CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET}
                journal = Journal(bot.log.append)
                credentials = found.credentials(environment)
                with open_outbox(found.outbox) as file:
                    async with running_bot(found, credentials, listener, journal, file):
                        yield site, bot
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("BOT.outbox*"))
    for secret in (CLIENT, SECRET, *site.tokens):
        assert not bot.heard(secret)
        assert secret.encode() not in kept


def bot_toml(site, command, games=("yodd", "ayu"), **settings):
    facts = {
        "name": "test", "token_url": f"{site.base}/token", "query_url": f"{site.base}/botQuery",
        "scope": "test/communicate", "public_key": site.public_key, "client_id_env": "CLIENT_ID",
        "client_secret_env": "CLIENT_SECRET", "time": 20, **settings,
    }  # fmt: skip
    lines = ["[bot]", *(f"{key} = {json.dumps(value)}" for key, value in facts.items())]
    lines += ["[[engine]]", f"command = {json.dumps(command)}", f"games = {json.dumps(games)}"]
    return "\n".join(lines)


async def test_a_game_is_played_to_its_end(tmp_path):
    async with at_work(tmp_path) as (site, bot):
        assert await site.send(bot.address, challenge("ayu", ("size-9",))) == 200
        played = [text for round_ in GAMES["ayu-size-9-3"]["moves"] for text in round_]
        texts = played[: -len(played) // 5]
        *_, (_, position) = follow(game_by_ids("ayu", ["size-9"]).start(), texts)
        given = len(texts)
        while not ends_there(position):
            webhook = move(rounds_of(texts), meta="ayu", variants=("size-9",))
            assert await site.send(bot.address, webhook) == 202
            await site.wait_for(lambda: given + len(site.turns) > len(texts))
            answer = site.turns[-1]
            assert answer == {
                "verb": "move", "gameid": "game-1", "metaGame": "ayu", "move": answer["move"],
            }  # fmt: skip
            texts.append(answer["move"])
            ((_, position),) = follow(position, [answer["move"]], len(texts))
        webhook = move(rounds_of(texts), meta="ayu", variants=("size-9",))
        assert await site.send(bot.address, webhook) == 202
        await bot.wait_to_hear("nothing to play: it is over")
        assert given + len(site.turns) == len(texts) > given
        assert [form["scope"] for form in site.forms] == ["test/communicate"]


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ([["3f6"]], "turn 1: '3f6' is not a turn of Yodd"),
        ([["1f6", "1f6"]], "turn 2: f6 is occupied"),
        ([["1f6,1f5"]], "turn 1: '1f6,1f5': the first turn is one drop"),
        ([["1f6", "1a1"]], "turn 2: "),
        ([["1f6", "resign"]], "'resign' is not a turn"),
        ([["1f6", "pass"], ["pass"]], "it is over"),
        ([["1f6", "pass"], ["pass", "1a1"]], "turn 4: the game was over before '1a1'"),
        (GAMES["yodd-hex-6-4"]["moves"], "it is over"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_finished_or_illegal_history_moves_nothing(tmp_path, moves, words):
    async with at_work(tmp_path) as (site, bot):
        assert await site.send(bot.address, move(moves)) == 202
        await bot.wait_to_hear("nothing to play: ")
        assert bot.heard(words)
        assert site.queries == site.forms == []


async def test_one_webhook_moves_once_however_often_it_comes(tmp_path):
    async with at_work(tmp_path, games_at_once=2) as (site, bot):
        for _ in range(4):
            assert await site.send(bot.address, move(gameid="a")) == 202
        assert await site.send(bot.address, move([["1f6"]], gameid="b")) == 202
        await site.wait_for(lambda: len(site.turns) == 2)
        assert await site.send(bot.address, move(gameid="a")) == 202
        assert await site.send(bot.address, move(gameid="b")) == 202
        await bot.wait_to_hear("game b, after 0 plies: answered before")
        assert sorted(turn["gameid"] for turn in site.turns) == ["a", "b"]
        # The opponent has taken our first move: the one ply is theirs, and we are on turn.
        first = next(turn["move"] for turn in site.turns if turn["gameid"] == "a")
        assert await site.send(bot.address, move([[first]], gameid="a")) == 202
        await site.wait_for(lambda: len(site.turns) == 3)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("replies", "token_replies", "queries"),
    [
        ([(500, "{}"), (502, "<html>")], [], 3),
        ([(429, "", {"retry-after": "0"})], [], 2),
        ([(200, '{"statusCode": 500, "body": "{}"}')], [], 2),
        ([(200, '{"statusCode": 401, "body": "{}"}')], [], 2),
        ([(401, "{}")], [], 2),
        ([(401, "{}"), (401, "{}")], [], 3),
        ([(403, "{}")], [], 2),
        ([(401, '{"message": "Unauthorized"}')] * 12, [], 13),
        ([(403, '{"message": "Forbidden"}')] * 12, [], 13),
        ([(429, '{"message": "Too Many Requests"}')] * 12, [], 13),
        ([(500, '{"message": null}')] * 12, [], 13),
        # Half an emoji.
        ([(500, '{"message": "oops \\ud83d"}')], [], 2),
        ([(200, '{"statusCode": 500, "body": "{\\"message\\": \\"\\ud83d\\"}"}')], [], 2),
        ([], [(500, f"no {SECRET}")], 1),
        ([], [(401, SECRET), (429, "")], 1),
        ([], [(200, "{}"), (200, "[1]"), (200, '{"access_token": "a b"}')], 1),
        ([], [(200, f'{{"access_token": "a", "expires_in": {10**400}}}')], 2),
        ([], [(200, '{"access_token": "a", "expires_in": Infinity}')], 2),
    ],
)
async def test_what_fails_is_tried_again(tmp_path, replies, token_replies, queries):
    async with at_work(tmp_path) as (site, bot):
        site.replies, site.token_replies = replies, token_replies
        site.games = Games()
        site.games.begin("game-1", time.time())
        assert await site.send(bot.address, move()) == 202
        await site.wait_for(lambda: site.turns)
        assert len(site.queries) == queries
        assert len({json.dumps(query) for query in site.queries}) == 1
        assert not bot.heard("UnicodeEncodeError")
        assert not bot.heard("cannot be written")


async def test_what_may_have_been_taken_is_not_sent_again_without_a_look(tmp_path):
    """The site has taken the turn and then failed to say so."""
    async with at_work(tmp_path) as (site, bot):
        site.games = Games()
        game = site.games.begin("game-1", time.time())
        site.replies = [(504, '{"message": "Endpoint request timed out"}')]
        assert await site.send(bot.address, move()) == 202
        await site.wait_for(lambda: site.queries)
        site.games.move(game, site.queries[0]["move"], time.time())
        await bot.wait_to_hear(": taken")
        assert (len(site.queries), site.turns) == (1, [])


async def test_the_same_words_again_and_again_are_a_refusal(tmp_path):
    async with at_work(tmp_path) as (site, bot):
        site.games = Games()
        site.games.begin("game-1", time.time())
        site.replies = [(500, json.dumps({"message": f"{CLIENT} has no {SECRET}"}))] * 100
        assert await site.send(bot.address, move()) == 202
        await bot.wait_to_hear("given up")
        assert len(site.queries) == outbox.SAME_WORDS * (1 + outbox.MAX_REFUSALS)
        # The fake engine plays the same turn always; the bot does not.
        assert len({query["move"] for query in site.queries}) == 1 + outbox.MAX_REFUSALS
        assert site.turns == []


async def test_a_turn_is_not_sent_again_when_the_game_has_gone_on(tmp_path, monkeypatch):
    monkeypatch.setattr(outbox, "SETTLED", 0.5)
    async with at_work(tmp_path) as (site, bot):
        site.replies = [(500, "{}")]
        assert await site.send(bot.address, move()) == 202
        await bot.wait_to_hear("the next try is in")
        assert await site.send(bot.address, move([["1f6", "pass"]])) == 202
        await site.wait_for(lambda: site.turns)
        assert len(site.queries) == 2


async def test_the_sweep_finds_a_turn_that_no_webhook_told(tmp_path):
    async with SiteDouble(Games()).serving() as site:
        site.games.begin("game-1", time.time())
        site.games.begin("other", time.time(), seat=1)
        async with at_work(tmp_path, site=site) as (_, bot):
            await site.wait_for(lambda: site.turns)
            assert [turn["gameid"] for turn in site.turns] == ["game-1"]
            assert bot.heard("the site has ayu, yodd")
            async with httpx2.AsyncClient(trust_env=False) as http:
                health = await http.get(f"{bot.address}healthz")
            assert health.status_code == 200
            assert health.json()["ok"] is True
            assert health.json()["seconds_since_sweep"] >= 0


@pytest.mark.parametrize("fault", ["crash", "garbage"])
async def test_an_engine_may_fail_and_begins_anew(tmp_path, fault):
    async with at_work(tmp_path, "--fault", fault, "--at", "1") as (site, bot):
        assert await site.send(bot.address, move()) == 202
        await bot.wait_to_hear("no turn: ")
        assert site.queries == []
        assert sum(FAKE[:20] in line for line in bot.log) == thinker.ATTEMPTS - 1


async def test_thinking_is_bounded_and_answers_are_not(tmp_path):
    slow = ("--fault", "sleep", "--seconds", "0.5", "--at", "1")
    async with at_work(tmp_path, *slow, games_at_once=1) as (site, bot):
        began = time.monotonic()
        for number in range(6):
            assert await site.send(bot.address, move(gameid=str(number))) == 202
        assert await site.send(bot.address, challenge()) == 200
        assert time.monotonic() - began < 7 * REPLIED
        await site.wait_for(lambda: len(site.turns) == 6)
        assert {turn["gameid"] for turn in site.turns} == {str(n) for n in range(6)}


async def test_who_is_not_the_site_is_refused(tmp_path):
    async with at_work(tmp_path) as (site, bot):
        wrong = ({"key": Ed25519PrivateKey.generate()}, {"shift": -400}, {"shift": 400})
        for how in wrong:
            assert await site.send(bot.address, challenge(), **how) == 401
        assert await site.send(bot.address, challenge(), nonce="once") == 200
        assert await site.send(bot.address, challenge(), nonce="once") == 401
        assert await site.send(bot.address, challenge(variants=("yopp",))) == 400
        assert await site.send(bot.address, b"{") == 400
        async with httpx2.AsyncClient(trust_env=False) as http:
            ping = await http.get(bot.address)
            assert (ping.status_code, ping.json()["operational"]) == (200, True)
            assert (await http.post(bot.address, json=challenge())).status_code == 401
            assert (await http.put(bot.address)).status_code == 405
            assert (await http.get(bot.address + "other")).status_code == 404


async def test_large_and_slow_bodies_cost_little(tmp_path, monkeypatch):
    monkeypatch.setattr(reception, "BODY_PATIENCE", 0.2)
    async with at_work(tmp_path) as (site, bot):
        huge = b'"' + b"x" * (4 * reception.LARGEST_BODY) + b'"'
        assert await site.send(bot.address, huge) == 413
        port = int(bot.address.rsplit(":", 1)[1].strip("/"))
        for head, sent, status in (
            (b"Content-Length: 100", b"{", b"408"),
            (b"Transfer-Encoding: chunked", b"5\r\n", b"408"),
            (b"Content-Length: 99999999999999", b"{", b"413"),
        ):
            with socket.create_connection(("127.0.0.1", port)) as one:
                one.sendall(b"POST / HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n\r\n" + sent)
                one.setblocking(False)
                stream = trio.SocketStream(trio.socket.from_stdlib_socket(one.dup()))
                with trio.fail_after(REPLIED):
                    assert status in await stream.receive_some()
                await stream.aclose()
        assert await site.send(bot.address, challenge()) == 200


async def test_a_dry_run_plays_through_the_real_endpoints(tmp_path):
    async with SiteDouble().serving() as site:
        path = tmp_path / "BOT.toml"
        path.write_text(bot_toml(site, [sys.executable, FAKE], games=["ayu 9"]))
        turns, log = [], []
        with trio.fail_after(PATIENCE):
            game = game_by_ids("ayu", ["size-9"])
            said = await dry_run(load_bot(path), game, Journal(log.append), turns.append)
        assert said.startswith(f"{len(turns)} turns: ")
        assert site.queries == []
        assert sum("our turn at ayu 9" in line for line in log) == len(turns)
        assert not any(HIDDEN in line for line in log)


async def test_a_dry_run_ends_when_the_engine_has_failed(tmp_path):
    """The bug: it went on waiting for 400 seconds."""
    async with SiteDouble().serving() as site:
        path = tmp_path / "BOT.toml"
        path.write_text(
            bot_toml(site, [sys.executable, FAKE, "--fault", "crash", "--at", "1"], games=["ayu 9"])
        )
        with trio.fail_after(PATIENCE), pytest.RaisesGroup(DryRunError, flatten_subgroups=True):
            game = game_by_ids("ayu", ["size-9"])
            await dry_run(load_bot(path), game, Journal(print), print)


@pytest.fixture
def position():
    """A position from which b4-a1 comes back to an earlier one."""
    found = place("ayu", 5, "b2 b5 c2 d2 d3 d4", "a1 a2 a3 a4 e2 e3")
    for turn in ("d4-b3", "a1-b4", "b3-d4"):
        found = found.play(parse_turn(turn))
    return found


REPEATS = Move("b4", "a1")


def test_the_best_turn_that_repeats_nothing_is_played_instead(position):
    assert loses_there(position, REPEATS)
    legal = list(position.legal_turns())
    safe = [turn for turn in legal if turn != REPEATS]
    assert safe
    assert instead(position, [REPEATS, parse_turn("a1-a2"), safe[-1], safe[0]]) == safe[-1]
    assert instead(position, []) in safe


def test_a_swap_counts_for_the_colour_that_the_engine_has_after_it():
    # Black has five units then, and White six.
    assert instead(create_game("ayu", 5, {"pie": True}).start().play("b1-c1"), []) == SWAP


def test_there_may_be_no_other_turn(position, monkeypatch):
    monkeypatch.setattr(type(position), "legal_turns", lambda _: iter([REPEATS]))
    assert instead(position, []) is None


class StubbornSeat:
    """An engine that wants the repetition, and thinks well of `candidates`."""

    configuration = EngineConfiguration("stubborn", ("x",), parse_time_control("1"))

    def __init__(self, candidates):
        self.candidates = candidates

    async def choose(self, _position, _turns):
        return REPEATS, 0.1

    async def evaluate(self, _at, _turns, _patience):
        if self.candidates is None:
            raise EngineFault(Termination.PROTOCOL, "unknown command")
        shares = enumerate(self.candidates, start=1)
        listed = tuple(Candidate(turn, 1 / number, 0.5) for number, turn in shares)
        return Evaluation(0.5, 100, listed)


async def test_a_bot_in_ayu_avoids_the_repetition_that_loses_there(position):
    safe = [turn for turn in position.legal_turns() if turn != REPEATS]
    choose = Thinker._turn_of
    for candidates in (None, [], [REPEATS], [REPEATS, safe[-1]]):
        turn = await choose(Thinker.__new__(Thinker), StubbornSeat(candidates), position, [], ())
        assert turn in safe
        assert candidates is None or len(candidates) < 2 or turn == safe[-1]
        result = position.play(turn).result
        assert result is None or result.ending is not Ending.REPETITION


def test_other_games_have_nothing_of_the_kind():
    position = create_game("yodd", 6).start()
    assert not loses_there(position, next(position.legal_turns()))
