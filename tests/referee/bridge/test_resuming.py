"""Sessions outlive their connections: nothing is lost or doubled, and no cut wins anything."""

import sys
from itertools import chain, repeat
from random import Random

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.protocol.notation import parse_time_control
from oddly.referee.bridge import connector, handshake, session
from oddly.referee.bridge.address import BridgeAddress, BridgeError, BridgeRefusal
from oddly.referee.bridge.connector import carry
from oddly.referee.bridge.handshake import SessionSecret
from oddly.referee.bridge.session import PIECE, SentBytes
from oddly.referee.bridge.websocket import ConnectionEnd, SealedChannel
from oddly.referee.justice.outcome import Termination
from oddly.referee.match.game import play_game
from oddly.referee.program.configuration import EngineConfiguration
from oddly.tournaments.executors.conditions import AbsenceCheck
from tests.patience import PATIENCE
from tests.referee.bridge.guests import (
    FAMILY,
    TOKEN,
    bridge,
    carried,
    is_running,
    knock_to_stay,
    until,
)
from tests.referee.bridge.lossy import lossy
from tests.referee.fakes import FAKE

ENGINE = (sys.executable, FAKE)
SLOW_START = 20.0
HANDSHAKE = 3000
"""Bytes that a first connection needs at most before the session has begun."""


def cuts(seed: int, least: int, most: int):
    """How many bytes each connection carries before it is cut."""
    random = Random(seed)
    return chain([HANDSHAKE], (random.randint(least, most) for _ in repeat(None)))


async def all_of(stream, number: int) -> bytes:
    data = b""
    while len(data) < number and (more := await stream.receive_some(100_000)):
        data += more
    return data


async def say(stream, data: bytes, random: Random) -> None:
    """Send bytes in pieces."""
    while data:
        length = random.randint(1, 5000)
        await stream.send_all(data[:length])
        data = data[length:]


@given(st.binary(max_size=40), st.lists(st.integers(0, 12)), st.integers(1, 50))
def test_an_end_sends_again_what_it_keeps_and_refuses_the_rest(data, lengths, most):
    sent, whole = SentBytes(most), b""
    for length in lengths:
        sent.add(data[:length])
        whole += data[:length]
    assert sent.total == len(whole)
    for count in range(len(whole) + 2):
        if len(whole) - most <= count <= len(whole):
            assert sent.since(count) == whole[count : count + PIECE]
        else:
            with pytest.raises(BridgeRefusal, match=r"are lost|more than was sent"):
                sent.since(count)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(5))
async def test_no_byte_is_lost_or_doubled_over_many_cuts(seed, monkeypatch):
    monkeypatch.setattr(connector, "FIRST_PAUSE", 0.001)
    random = Random(seed)
    said = random.randbytes(60_000).replace(b"\0", b"\n")
    async with bridge(token=TOKEN) as place:
        proxy, target = await lossy(place, cuts(seed, 0, 12_000))
        async with carried(target, TOKEN) as (there, back), trio.open_nursery() as nursery:
            nursery.start_soon(say, there, said, random)
            assert await all_of(back, len(said)) == said
        # What follows is the end, and not a byte that came twice.
        assert await back.receive_some(1) == b""
    assert proxy.cuts >= 5


async def test_a_call_that_nobody_answers_is_made_again(monkeypatch):
    async with bridge(token=TOKEN) as place:
        proxy, target = await lossy(place)
        with trio.fail_after(PATIENCE):
            async with carried(target, TOKEN) as (there, back):
                await there.send_all(b"1 name\n")
                assert await all_of(back, 7) == b"1 name\n"
                with monkeypatch.context() as patch:
                    patch.setattr(connector, "PATIENCE", 0.5)
                    proxy.is_mute = True
                    proxy.cut_all()
                    await until(lambda: proxy.unanswered > 1)
                # A call that is answered may take longer on a busy machine.
                proxy.is_mute = False
                await there.send_all(b"2 quit\n")
                assert await all_of(back, 7) == b"2 quit\n"


def engines(address: BridgeAddress, time: str) -> tuple[EngineConfiguration, EngineConfiguration]:
    far = (sys.executable, "-m", "oddly", "bridge", "--connect", str(address))
    clock = parse_time_control(time)
    return EngineConfiguration("near", ENGINE, clock), EngineConfiguration("far", far, clock)


def after(turns: int, act):
    """Does something once, in the turn with this number."""
    return lambda shown: act() if shown.turns == turns else None


def is_put_off(record, players) -> bool:
    return AbsenceCheck(players).is_in_doubt(record)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(3))
async def test_a_game_over_many_cuts_is_the_game_without_them(seed):
    game = create_game("odd", 6)
    async with bridge(ENGINE) as place:
        proxy, target = await lossy(place, cuts(seed, 800, 2000))
        record = await play_game(game, engines(target.address, "60"), seed=seed)
        plain = await play_game(game, engines(place.address, "60"), seed=seed)
    assert [each.turn for each in record.turns] == [each.turn for each in plain.turns]
    assert not record.outcome.is_forfeit, record.outcome.reason
    assert (record.outcome.score, record.outcome.winner) == (
        plain.outcome.score,
        plain.outcome.winner,
    )
    assert proxy.cuts >= 5


async def test_one_who_cuts_a_lost_game_and_stays_away_loses_on_time():
    async with bridge(ENGINE) as place:
        proxy, target = await lossy(place)
        players = engines(target.address, "1")
        record = await play_game(create_game("odd", 3), players, on_turn=after(3, proxy.go_down))
    assert record.outcome.termination is Termination.TIME
    assert record.players[1 - record.outcome.winner] == "far"
    assert not is_put_off(record, players)


async def test_one_who_is_back_in_time_goes_on_from_his_turn():
    async with bridge(ENGINE) as place:
        proxy, target = await lossy(place)

        async def come_back() -> None:
            await trio.sleep(0.5)
            proxy.is_down = False

        def cut() -> None:
            proxy.go_down()
            place.nursery.start_soon(come_back)

        players = engines(target.address, "60")
        record = await play_game(create_game("odd", 3), players, on_turn=after(3, cut))
    assert not record.outcome.is_forfeit, record.outcome.reason
    assert proxy.cuts == 1
    # The clock ran on meanwhile.
    assert record.turns[3].seconds >= 0.5


async def test_a_listener_that_starts_again_in_the_middle_loses_the_game():
    async with bridge(ENGINE) as one, bridge(ENGINE) as other:
        proxy, target = await lossy(one)

        def restart() -> None:
            proxy.behind = other.address
            proxy.cut_all()

        players = engines(target.address, "60")
        record = await play_game(create_game("odd", 3), players, on_turn=after(3, restart))
    assert record.outcome.termination is Termination.CRASH
    assert record.players[1 - record.outcome.winner] == "far"
    assert "no such session" in record.outcome.evidence
    assert not is_put_off(record, players)


async def test_a_silent_connection_is_given_up(monkeypatch):
    monkeypatch.setattr(connector, "BEAT", 0.05)
    monkeypatch.setattr(connector, "ANSWER", 0.2)
    async with bridge() as place:
        proxy, target = await lossy(place)
        async with carried(target) as (there, back):
            await there.send_all(b"1 name\n")
            assert await all_of(back, 7) == b"1 name\n"
            proxy.silence_all()
            await there.send_all(b"2 name\n")
            assert await all_of(back, 7) == b"2 name\n"
            assert proxy.connections >= 2


async def test_an_input_that_ended_before_the_session_began_is_answered():
    # The engine starts when its input is over, and a busy machine takes its time.
    async with bridge(ENGINE, grace=SLOW_START) as place:
        there, source = trio.testing.memory_stream_pair()
        sink, back = trio.testing.memory_stream_pair()
        _proxy, target = await lossy(place, delay=0.05)
        await there.send_all(b"1 name\n")
        await there.send_eof()
        await carry(target, b"", source, sink)
        await sink.aclose()
        assert (await back.receive_some(100)).startswith(b"=1 ")


async def test_an_end_whose_input_ends_while_it_is_away_ends():
    async with bridge(ENGINE) as place:
        proxy, target = await lossy(place)
        async with carried(target) as (there, back):
            await there.send_all(b"1 name\n")
            assert (await all_of(back, 4)).startswith(b"=1 ")
            proxy.go_down()
            await until(lambda: proxy.refused > 2)


async def test_a_stale_connection_is_taken_over():
    told = []
    async with bridge(token=TOKEN, told=told) as place:
        stale, _ = await knock_to_stay(place, TOKEN)
        await stale.channel.send(b"one\ntwo\n")
        assert await stale.receives_lines(2) == b"one\ntwo\n"
        # It claims to have received the first line only.
        guest, answer = await knock_to_stay(place, TOKEN, stale.secret, received=4)
        assert (answer, guest.sent) == ("ok", 8)
        assert await guest.receives_lines(1) == b"two\n"
        assert await stale.receives() == b""
        await guest.channel.send(b"three\n")
        assert await guest.receives_lines(1) == b"three\n"
    assert "goes on with the session" in told[2]
    assert len([line for line in told if line.endswith("began")]) == 1


async def test_nobody_takes_a_session_over_without_its_secret():
    async with bridge(token=TOKEN) as place:
        owner, _ = await knock_to_stay(place, TOKEN)
        _thief, answer = await knock_to_stay(place, TOKEN, owner.secret, key=TOKEN)
        assert answer == "error wrong proof of the session"
        unknown = SessionSecret("0" * 32, owner.secret.key)
        _thief, answer = await knock_to_stay(place, TOKEN, unknown)
        assert answer.startswith("error no such session")
        _thief, answer = await knock_to_stay(place, b"a guess", owner.secret)
        assert answer == "error wrong token"
        await owner.channel.send(b"mine\n")
        assert await owner.receives_lines(1) == b"mine\n"


async def test_a_session_whose_bytes_are_lost_ends(monkeypatch):
    monkeypatch.setattr(session, "KEPT", 10)
    told = []
    async with bridge(told=told) as place:
        guest, _ = await knock_to_stay(place)
        for _ in range(2):
            await guest.channel.send(b"9 bytes.\n")
            await guest.receives_lines(1)
        other, _ = await knock_to_stay(place, secret=guest.secret, received=3)
        assert await other.receives() == b""
        await until(lambda: any("ended" in line for line in told))
    assert "5 bytes are lost: only the last 10 are kept" in told[-1]


async def test_an_engine_without_a_connection_runs_on_for_a_bounded_time():
    told = []
    async with bridge(FAMILY, told=told, away=0.3) as place:
        guest, _ = await knock_to_stay(place)
        pids = [int(word) for word in (await guest.receives_lines(1)).split()]
        await guest.hangs_up()
        await until(lambda: len(told) == 3)
        assert "runs on for 0.3 s" in told[2]
        await until(lambda: not any(map(is_running, pids)))
        await until(lambda: len(told) == 4)
        _guest, answer = await knock_to_stay(place, secret=guest.secret)
    assert "the other side was away for 0.3 s" in told[3]
    assert answer.startswith("error no such session")


async def test_the_end_of_the_input_ends_the_engine_at_once():
    told = []
    async with bridge(told=told) as place:
        guest, _ = await knock_to_stay(place)
        await guest.channel.send(b"last words\n")
        await guest.channel.send(b"")
        assert await guest.receives_all() == b"last words\n"
        await until(lambda: len(told) == 3)
    assert "ended after" in told[2]


async def test_a_resumption_that_breaks_at_once_leaves_a_session_its_connection(monkeypatch):
    async def break_off(channel):
        raise ConnectionEnd("the other side closed the connection")

    told = []
    async with bridge(told=told, sessions=1) as place:
        owner, _ = await knock_to_stay(place)
        with monkeypatch.context() as patch:
            patch.setattr(SealedChannel, "say_ok", break_off)
            assert (await knock_to_stay(place, secret=owner.secret))[1] == ""
        assert (await knock_to_stay(place))[1].startswith("error busy")
        await owner.channel.send(b"still here\n")
        assert await owner.receives_lines(1) == b"still here\n"
        assert not any("runs on" in line for line in told)
        # Nor may one that breaks at once keep an engine whose connection is lost.
        await owner.hangs_up()
        await until(lambda: "runs on" in told[-1])
        with monkeypatch.context() as patch:
            patch.setattr(SealedChannel, "say_ok", break_off)
            await knock_to_stay(place, secret=owner.secret)
        assert (await knock_to_stay(place))[1] == "ok"


async def test_a_newcomer_gets_the_place_of_a_session_without_a_connection():
    async with bridge(("sh", "-c", "echo $$; cat"), sessions=1) as place:
        first, _ = await knock_to_stay(place)
        assert (await knock_to_stay(place))[1].startswith("error busy")
        pid = int(await first.receives_lines(1))
        await first.hangs_up()
        answer = "error"
        while answer.startswith("error"):
            second, answer = await knock_to_stay(place)
        assert not is_running(pid)
        assert int(await second.receives_lines(1)) != pid


@pytest.mark.parametrize("older", ["connector", "listener"])
async def test_an_older_end_does_without_resuming(older, monkeypatch):
    """Each end believes that the other one, which offers or takes version 2 only, is older."""
    known = dict(handshake.VERSIONS)
    monkeypatch.setattr(handshake, "VERSIONS", {handshake.SUBPROTOCOL: 2})
    told = []
    async with bridge(ENGINE, told=told) as place:
        players = engines(place.address, "60")
        if older == "connector":
            async with carried(place.target) as (there, back):
                monkeypatch.setattr(handshake, "VERSIONS", known)
                await there.send_all(b"1 name\n")
                assert (await all_of(back, 4)).startswith(b"=1 ")
        else:
            record = await play_game(create_game("odd", 3), players)
            assert not record.outcome.is_forfeit, record.outcome.reason
    assert "version" not in " ".join(told)


async def test_a_connection_that_is_cut_before_the_session_began_is_said():
    async with bridge() as place:
        proxy, target = await lossy(place, repeat(300))
        _there, source = trio.testing.memory_stream_pair()
        sink, _back = trio.testing.memory_stream_pair()
        with pytest.raises(BridgeError):
            await carry(target, b"", source, sink)
    assert proxy.connections == 1
