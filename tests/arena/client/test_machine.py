"""The client's machine: what it does about each message, and what it never does twice."""

import re

import pytest

from oddly.arena import (
    GameEnd,
    GameStart,
    Go,
    Hello,
    JoinRefused,
    Note,
    Ping,
    PoolOffer,
    RestAgreed,
    TurnAccepted,
    Welcome,
)
from oddly.arena.client.events import (
    FindOut,
    Forget,
    LeaveArena,
    Redial,
    SendMessage,
    SetGameUp,
    Tell,
    TellEnd,
    Think,
)
from oddly.arena.client.identity import Identity, rules_of
from oddly.arena.client.machine import MAX_FAILURES, ClientMachine, Phase
from oddly.arena.wire.proof import is_proof

SECRET = bytes(range(32))
POOL = PoolOffer("xodd-2-1+0.1", "xodd", 2, {}, "1+0.1")
OTHER = PoolOffer("yodd-4-1+0.1", "yodd", 4, {}, "1+0.1")
HELLO = Hello("The example", "ab" * 32, (POOL, OTHER))
WELCOME = Welcome("mine", "http://a/engines/mine", {}, new=True)


def start(game="g1", side=1, turns=("Ba1",), **changes):
    return GameStart(
        game, POOL.pool, "xodd", 2, {}, "1+0.1", "rival", side, tuple(turns), 1, (1.0, 1.0),
        "http://a/games/g1", True, 7, **changes,
    )  # fmt: skip


def end(game="g1", winner=0, **changes):
    return GameEnd(game, winner, "B+1", "both players passed", "double pass", **changes)


GO = Go("g1", 1, "white", ("Ba1",), (0.9, 1.0), (0, 0))


def machine(games=None, **who):
    who = {"pools": (POOL.pool,), **who}
    return ClientMachine(
        Identity("mine 1.5", "mine", "ann", SECRET, "a.example", **who), "engine 2", games
    )


def said(effects):
    """The types of the messages that are sent."""
    return [effect.message.TYPE for effect in effects if isinstance(effect, SendMessage)]


def other(effects):
    """The effects that neither send nor tell."""
    return [effect for effect in effects if not isinstance(effect, SendMessage | Tell)]


def texts(table):
    """The turns of a table without their colours."""
    return tuple(turn for _, turn in table.turns)


def joined(client):
    """The client after the answer to `hello` was sent."""
    client.connected()
    effects = client.heard(HELLO)
    if other(effects):
        (asked,) = other(effects)
        effects = client.found_out({rules_of(offer): "" for offer in asked.pools})
    assert said(effects) == ["join"]
    return client


def ready(**settings):
    client = joined(machine(**settings))
    assert said(client.heard(WELCOME)) == ["ready"]
    return client


def playing(**settings):
    """The client to which the arena has said `start`, and whose engine has the game."""
    client = ready(**settings)
    (set_up,) = other(client.heard(start()))
    assert isinstance(set_up, SetGameUp)
    assert said(client.is_set("g1")) == ["set"]
    return client


def thinking(**settings):
    client = playing(**settings)
    (think,) = other(client.heard(GO))
    assert isinstance(think, Think)
    return client


def returned(client, game="g1"):
    """The same client, cut and let in again."""
    client.broken()
    assert client.phase is Phase.AWAY
    joined(client)
    return client.heard(Welcome("mine", "http://a/engines/mine", {}, new=False, game=game))


def test_it_joins_with_a_proof_of_this_connection():
    client = machine()
    client.connected()
    (asked,) = client.heard(HELLO)
    assert asked == FindOut([POOL], are_named=True)
    (sent,) = client.found_out({rules_of(POOL): ""})
    join = sent.message
    assert (join.name, join.family, join.owner, join.program) == (
        "mine 1.5", "mine", "ann", "engine 2",
    )  # fmt: skip
    assert join.pools == (POOL.pool,)
    assert is_proof(join.key, join.proof, HELLO.nonce, "a.example", "mine 1.5")
    assert not is_proof(join.key, join.proof, "cd" * 32, "a.example", "mine 1.5")


def test_without_a_wish_it_joins_the_pools_that_the_engine_plays():
    client = machine(pools=())
    client.connected()
    client.heard(HELLO)
    (sent,) = client.found_out({rules_of(POOL): "", rules_of(OTHER): "it plays no yodd"})
    assert sent.message.pools == (POOL.pool,)


def test_it_asks_the_engine_once_about_the_same_rules():
    client = ready()
    client.broken()
    client.connected()
    assert said(client.heard(HELLO)) == ["join"]


def test_what_is_found_out_after_a_cut_serves_the_next_connection():
    client = machine()
    client.connected()
    client.heard(HELLO)
    client.broken()
    assert client.found_out({rules_of(POOL): ""}) == []
    client.connected()
    assert said(client.heard(HELLO)) == ["join"]


@pytest.mark.parametrize(
    ("pools", "reason", "sentence"),
    [
        (("xodd-2",), "", "no pool 'xodd-2': .*did you mean 'xodd-2-1.0.1'"),
        ((POOL.pool,), "no xodd", "does not play xodd-2-1.0.1: no xodd"),
        ((), "no xodd", "plays none of the arena's pools: the first, xodd-2-1.0.1: no xodd"),
    ],
)
def test_it_leaves_an_arena_where_it_cannot_play(pools, reason, sentence):
    client = machine(pools=pools)
    client.connected()
    effects = client.heard(HELLO)
    if isinstance(effects[0], FindOut):
        effects = client.found_out({rules_of(POOL): reason, rules_of(OTHER): reason})
    (leave,) = effects
    assert isinstance(leave, LeaveArena)
    assert re.search(sentence, leave.problem)


def test_a_ping_is_answered_in_every_phase():
    for client in (machine(), joined(machine()), ready(), thinking()):
        (pong,) = client.heard(Ping(41))
        assert pong.message.id == 41


def test_a_game_from_start_to_end():
    client = thinking()
    effects = client.answered("g1", 1, "Wb1,Wa2", 0.2, None)
    assert said(effects) == ["turn"]
    assert said(client.heard(TurnAccepted("g1", 1, 0.9, 0.0))) == []
    assert texts(client.table) == ("Ba1", "Wb1,Wa2")
    (think,) = other(client.heard(Go("g1", 3, "white", ("pass",), (0.8, 0.9), (0, 0))))
    assert texts(think.table) == ("Ba1", "Wb1,Wa2", "pass")
    assert (think.left, think.opponents) == ((0.9, 0), (0.8, 0))
    client.answered("g1", 3, "pass", 0.1, None)
    client.heard(TurnAccepted("g1", 3, 0.9, 0.0))
    effects = client.heard(end())
    assert [type(effect) for effect in other(effects)] == [TellEnd]
    assert said(effects) == ["ended", "ready"]
    assert client.games == 1


def test_a_turn_that_was_not_accepted_is_sent_again_as_it_was():
    client = thinking()
    (sent,) = [e for e in client.answered("g1", 1, "pass", 0.2, None) if isinstance(e, SendMessage)]
    assert said(returned(client)) == []
    assert said(client.heard(start(resumed=True))) == ["set"]
    (again,) = client.heard(GO)
    assert again == sent


def test_a_turn_that_the_arena_has_is_not_sent_again():
    client = thinking()
    client.answered("g1", 1, "Wb1,Wa2", 0.2, None)
    returned(client)
    assert said(client.heard(start(turns=("Ba1", "Wb1,Wa2"), resumed=True))) == ["set"]
    assert client.heard(GO) == []
    (think,) = other(client.heard(Go("g1", 3, "white", ("pass",), (1.0, 1.0), (0, 0))))
    assert texts(think.table) == ("Ba1", "Wb1,Wa2", "pass")


def test_an_engine_that_thinks_is_not_asked_again_after_a_cut():
    client = thinking()
    returned(client)
    assert other(client.heard(start(resumed=True))) == []
    assert other(client.heard(GO)) == []
    assert said(client.answered("g1", 1, "pass", 3.5, None)) == ["turn"]


def test_an_answer_during_a_cut_waits_for_the_next_connection():
    client = thinking()
    client.broken()
    assert said(client.answered("g1", 1, "pass", 0.2, None)) == []
    client.connected()
    client.heard(HELLO)
    client.heard(Welcome("mine", "http://a", {}, new=False, game="g1"))
    client.heard(start(resumed=True))
    assert said(client.heard(GO)) == ["turn"]


@pytest.mark.parametrize("turns", [(), ("Ba2",)])
@pytest.mark.parametrize("has_answered", [False, True])
def test_after_a_restore_of_the_arena_the_engine_is_asked_on_the_restored_board(
    has_answered, turns
):
    client = thinking()
    if has_answered:
        client.answered("g1", 1, "Wb1,Wa2", 0.2, None)
    returned(client)
    forget, set_up = other(client.heard(start(turns=turns, resumed=True)))
    assert forget == Forget()
    assert texts(set_up.table) == turns
    assert client.answered("g1", 1, "Wb1,Wa2", 0.2, None) == []
    assert said(client.is_set("g1")) == ["set"]
    (think,) = other(client.heard(Go("g1", 1, "white", ("Ba2",), (1.0, 1.0), (0, 0))))
    assert texts(think.table) == ("Ba2",)
    assert said(client.answered("g1", 1, "Wb2", 0.2, None)) == ["turn"]


def test_a_resignation_outlives_a_restore_of_the_arena():
    client = thinking()
    client.broken()
    client.resign()
    joined(client)
    client.heard(Welcome("mine", "http://a/engines/mine", {}, new=False, game="g1"))
    assert said(client.heard(start(turns=(), resumed=True))) == ["turn"]


def test_messages_that_come_twice_change_nothing():
    client = thinking()
    assert other(client.heard(GO)) == []
    client.answered("g1", 1, "pass", 0.2, None)
    assert said(client.heard(GO)) == ["turn"]
    accepted = TurnAccepted("g1", 1, 0.9, 0.0)
    client.heard(accepted)
    assert client.heard(accepted) == []
    assert client.heard(GO) == []
    assert said(client.heard(end())) == ["ended", "ready"]
    assert said(client.heard(end())) == ["ended"]
    assert client.games == 1


def test_messages_of_unknown_games_are_ignored():
    client = ready()
    assert client.heard(GO) == []
    assert client.heard(TurnAccepted("g9", 1, 0.9, 0.0)) == []
    assert client.answered("g9", 1, "pass", 0.2, None) == []
    assert said(client.heard(end("g9"))) == ["ended"]


def test_the_end_of_a_game_that_ended_during_a_cut():
    client = thinking()
    assert said(returned(client)) == []
    effects = client.heard(end(winner=1))
    assert [type(effect) for effect in other(effects)] == [Forget, TellEnd]
    assert said(effects) == ["ended", "ready"]


def test_a_new_client_that_never_knew_the_game_hears_its_end():
    client = joined(machine())
    assert said(client.heard(Welcome("mine", "http://a", {}, new=False, game="g7"))) == []
    assert said(client.heard(end("g7"))) == ["ended", "ready"]


def test_the_end_of_an_older_game_does_not_hide_the_one_that_goes_on():
    client = joined(machine())
    client.rest()
    joined(client)
    client.heard(Welcome("mine", "http://a", {}, new=False, game="g8"))
    assert said(client.heard(end("g7"))) == ["ended"]
    assert client.heard(RestAgreed()) == []
    assert [type(effect) for effect in other(client.heard(start("g8", resumed=True)))] == [
        SetGameUp
    ]


def test_a_new_client_takes_a_game_over():
    client = joined(machine())
    client.heard(Welcome("mine", "http://a", {}, new=False, game="g1"))
    (set_up,) = other(client.heard(start(resumed=True)))
    assert texts(set_up.table) == ("Ba1",)
    (think,) = other(client.heard(GO))
    assert isinstance(think, Think)
    assert said(client.is_set("g1")) == ["set"]


def test_a_game_that_the_arena_does_not_know_is_forgotten():
    client = thinking()
    effects = returned(client, game=None)
    assert Forget() in effects
    assert said(effects) == ["ready"]
    assert client.answered("g1", 1, "pass", 0.2, None) == []


def test_a_missing_turn_and_an_illegal_one_end_the_connection():
    client = playing()
    for go in (
        Go("g1", 3, "white", ("Ba1",), (1, 1), (0, 0)),
        Go("g1", 2, "black", ("Wa1",), (1, 1), (0, 0)),
    ):
        (redial,) = client.heard(go)
        assert isinstance(redial, Redial)
        assert "the arena sent an invalid message: turn" in redial.why


@pytest.mark.parametrize(("again", "kind"), [(None, LeaveArena), (60.0, Redial)])
def test_a_refusal(again, kind):
    client = joined(machine())
    (effect,) = client.heard(JoinRefused("too-many", "64 sessions are too many", again))
    assert isinstance(effect, kind)
    assert "64 sessions are too many" in (
        effect.problem if isinstance(effect, LeaveArena) else effect.why
    )


def test_after_its_games_it_says_so_and_leaves_when_the_arena_agrees():
    client = thinking(games=1)
    assert said(client.heard(end())) == ["ended", "rest"]
    assert client.heard(RestAgreed()) == [LeaveArena()]


def test_a_game_that_crosses_the_rest_is_played():
    client = ready()
    assert said(client.rest()) == ["rest"]
    assert [type(effect) for effect in other(client.heard(start()))] == [SetGameUp]
    assert client.heard(RestAgreed()) == []
    client.is_set("g1")
    effects = client.heard(end())
    assert said(effects) == ["ended"]
    assert effects[-1] == LeaveArena()


def test_a_rest_in_a_game_finishes_it_even_over_a_cut():
    client = thinking()
    assert said(client.rest()) == ["rest"]
    client.heard(RestAgreed())
    assert said(returned(client)) == ["rest"]
    client.heard(start(resumed=True))
    assert said(client.heard(end())) == ["ended", "rest"]
    assert client.heard(RestAgreed()) == [LeaveArena()]


def test_a_rest_without_a_connection_leaves_unless_a_game_goes_on():
    assert machine().rest() == [LeaveArena()]
    client = thinking()
    client.broken()
    assert client.rest() == []


def test_a_game_is_resigned_at_any_time_and_once_connected():
    client = playing()
    effects = client.resign()
    assert said(effects) == ["turn"]
    assert effects[-1].message.turn == "resign"
    client = thinking()
    client.broken()
    assert said(client.resign()) == []
    joined(client)
    client.heard(Welcome("mine", "http://a", {}, new=False, game="g1"))
    assert "turn" in said(client.heard(start(resumed=True)))
    assert said(client.heard(end())) == ["ended", "rest"]


def test_an_engine_that_fails_resigns_and_leaves_after_several_games():
    client = ready()
    for number in range(MAX_FAILURES):
        client.heard(start(f"g{number}"))
        assert said(client.failed(f"g{number}", "the engine exited with 3")) == ["turn"]
        last = client.heard(end(f"g{number}"))
    assert said(last) == ["ended", "rest"]
    (leave,) = client.heard(RestAgreed())
    assert leave.problem == "the engine failed in 3 games in a row"


def test_notes_are_told():
    (told,) = ready().heard(Note("the arena drains"))
    assert told.event.text == "the arena drains"
