"""The messages of the wire: each comes back as it was sent, and nothing else gets in."""

import json
import math
from dataclasses import MISSING, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.arena import (
    MAX_FROM_ENGINE,
    GameEnd,
    GameStart,
    Go,
    Hello,
    Join,
    JoinRefused,
    Note,
    Ping,
    Pong,
    PoolOffer,
    RatingNow,
    RestAgreed,
    TurnAccepted,
    TurnSent,
    Welcome,
    WireError,
    WireEvaluation,
    parse_from_arena,
    parse_from_engine,
)
from oddly.arena.wire import messages
from oddly.arena.wire.messages import COLOURS, REFUSALS

lines = st.text(max_size=64).filter(str.isprintable)
names = st.text(min_size=1, max_size=64).filter(str.isprintable)
ids = st.from_regex(r"[A-Za-z0-9._+/:-]{1,64}", fullmatch=True)
base64s = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)
seconds = st.floats(0, 1e9)
counts = st.integers(0, 2**53)
places = st.integers(0, 8192)
turns = st.lists(names, max_size=20).map(tuple)
clocks = st.tuples(seconds, seconds)
periods = st.tuples(st.integers(0, 1000), st.integers(0, 1000))
values = st.booleans() | st.integers(-(2**53), 2**53) | lines
settings = st.dictionaries(ids, values, max_size=4)
ratings = st.builds(
    RatingNow, st.floats(-1e5, 1e5), st.floats(0, 1e5), counts, provisional=st.booleans()
)
offers = st.builds(PoolOffer, ids, ids, st.integers(1, 1000), settings, names)
evaluations = st.builds(
    WireEvaluation, st.floats(0, 1), st.none() | counts, st.none() | counts,
    st.none() | st.floats(-10_000, 10_000),
)  # fmt: skip

FROM_ENGINE = {
    "join": st.builds(
        Join, names, names, names, base64s, base64s, lines, lines,
        st.lists(ids, max_size=9).map(tuple), st.none() | lines,
    ),
    "pong": st.builds(Pong, counts),
    "ready": st.builds(messages.ReadyForGame),
    "rest": st.builds(messages.NoMoreGames),
    "set": st.builds(messages.GameSet, ids),
    "turn": st.builds(TurnSent, ids, places, lines, seconds, st.none() | evaluations),
    "ended": st.builds(messages.EndHeard, ids),
}  # fmt: skip
FROM_ARENA = {
    "hello": st.builds(
        Hello, names, st.from_regex("[0-9a-f]{64}", fullmatch=True),
        st.lists(offers, max_size=5).map(tuple),
    ),
    "welcome": st.builds(
        Welcome, ids, lines, st.dictionaries(ids, ratings, max_size=3), st.booleans(),
        st.none() | ids,
    ),
    "refused": st.builds(JoinRefused, st.sampled_from(REFUSALS) | ids, lines, st.none() | seconds),
    "ping": st.builds(Ping, counts),
    "start": st.builds(
        GameStart, ids, ids, ids, st.integers(1, 1000), settings, names, names,
        st.sampled_from([0, 1]), turns, places, clocks, lines, st.booleans(), counts,
        resumed=st.booleans(), periods=periods,
    ),
    "go": st.builds(Go, ids, places, st.sampled_from(COLOURS), turns, clocks, periods),
    "accepted": st.builds(TurnAccepted, ids, places, seconds, seconds),
    "end": st.builds(
        GameEnd, ids, st.sampled_from([0, 1, None]), lines, lines, names,
        st.none() | ratings, turns, st.none() | places,
    ),
    "resting": st.builds(RestAgreed),
    "note": st.builds(Note, lines),
}  # fmt: skip


def test_every_kind_is_tried():
    assert set(FROM_ENGINE) == set(messages.FROM_ENGINE)
    assert set(FROM_ARENA) == set(messages.FROM_ARENA)


@given(st.one_of(*FROM_ENGINE.values()))
def test_what_an_engine_says_comes_back(message):
    if len(message.encoded().encode()) <= MAX_FROM_ENGINE:
        assert parse_from_engine(message.encoded()) == message
    else:
        with pytest.raises(WireError, match=r"expected at most 4096"):
            parse_from_engine(message.encoded())


@given(st.one_of(*FROM_ARENA.values()))
def test_what_the_arena_says_comes_back(message):
    assert parse_from_arena(message.encoded()) == message
    assert parse_from_arena(message.encoded().encode()) == message


@given(st.one_of(*FROM_ENGINE.values(), *FROM_ARENA.values()), st.data())
def test_a_member_that_is_missing_or_no_value_of_its_kind_is_named(message, data):
    known = [field for field in fields(message) if field.default is MISSING]
    if not known:
        return
    name = data.draw(st.sampled_from(known)).name
    facts = message.as_json()
    is_from_engine = message.TYPE in messages.FROM_ENGINE
    parse = parse_from_engine if is_from_engine else parse_from_arena
    without = {key: value for key, value in facts.items() if key != name}
    if len(json.dumps(facts)) < 2000:
        with pytest.raises(WireError, match=f"^{message.TYPE}: '{name}' is missing$"):
            parse(json.dumps(without))
        with pytest.raises(WireError, match=f"^{message.TYPE}: '{name}' is .*expected"):
            parse(json.dumps({**facts, name: {"a": [1.5]}} | {"type": message.TYPE}))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_anything_that_is_no_message_is_refused(data):
    for parse in (parse_from_engine, parse_from_arena):
        with pytest.raises(WireError):
            parse(data)


@given(st.sampled_from(sorted(FROM_ENGINE)), st.data())
def test_any_values_are_read_or_refused_and_what_is_read_is_within_bounds(type_, data):
    kind = messages.FROM_ENGINE[type_]
    facts = {field.name: data.draw(json_values) for field in fields(kind)}
    try:
        message = parse_from_engine(json.dumps({"type": type_, **facts}))
    except WireError as error:
        said = str(error)
    else:
        said = ""
        assert parse_from_engine(message.encoded()) == message
    assert "\n" not in said
    assert len(said) < 300


def test_what_is_unknown_is_ignored_in_an_object_and_between_objects():
    assert parse_from_engine('{"type":"pong","id":3,"more":[1]}') == Pong(3)
    assert parse_from_arena('{"type":"weather","id":3}') is None
    with pytest.raises(WireError, match=r"'type' is .pang.*did you mean 'pong'"):
        parse_from_engine('{"type":"pang"}')


@pytest.mark.parametrize("value", ["1e999", "NaN", "-1", "true", '"1"', "null", "9" * 400])
def test_seconds_are_finite_numbers(value):
    turn = f'{{"type":"turn","id":"g","number":0,"turn":"Bd4","took":{value}}}'
    with pytest.raises(WireError, match=r"'took' is .*expected a number|not a JSON object"):
        parse_from_engine(turn)


def test_a_whole_number_may_be_written_with_a_point():
    text = '{"type":"turn","id":"g","number":2.0,"turn":"Bd4","took":1}'
    assert parse_from_engine(text) == TurnSent("g", 2, "Bd4", 1.0)
    assert type(parse_from_engine('{"type":"pong","id":1.0}').id) is int
    settings = '"settings":{"min_group":5.0},"time":"60+1"'
    offer = f'{{"pool":"p","game":"odd","size":3.0,{settings}}}'
    hello = parse_from_arena(
        f'{{"type":"hello","arena":"A","nonce":"{"ab" * 32}","pools":[{offer}]}}'
    )
    assert hello.pools == (PoolOffer("p", "odd", 3, {"min_group": 5}, "60+1"),)


START = GameStart(
    "g", "p", "odd", 3, {}, "60+1", "other", 0, (), 0, (60.0, 60.0), "/g", rated=True, seed=7
)
END = GameEnd("g", 0, "B+1", "both players passed", "double pass")


@pytest.mark.parametrize(("message", "member"), [(START, "side"), (END, "winner")])
def test_a_player_is_a_whole_number_from_0_to_1(message, member):
    def read(value):
        text = json.dumps({**json.loads(message.encoded()), member: value})
        return getattr(parse_from_arena(text), member)

    assert [read(value) for value in (0, 1, 0.0, 1.0)] == [0, 1, 0, 1]
    assert type(read(1.0)) is int
    for value in (True, False, 2, -1, 0.5, "1"):
        with pytest.raises(
            WireError, match=rf"'{member}' is .*expected a whole number from 0 to 1"
        ):
            read(value)


@pytest.mark.parametrize("value", ["2.5", "-1.0", "1e300", "1e999", "true"])
def test_what_is_no_whole_number_is_refused(value):
    with pytest.raises(WireError, match=r"'id' is .*expected a whole number|not a JSON object"):
        parse_from_engine(f'{{"type":"pong","id":{value}}}')


def test_a_deep_object_is_refused():
    with pytest.raises(WireError, match=r"nested too deeply"):
        parse_from_engine('{"type":"pong","id":' + "[" * 1000 + "]" * 1000 + "}")


def test_half_a_surrogate_is_refused():
    with pytest.raises(WireError, match=r"'name' is .*expected printable text"):
        parse_from_engine(
            '{"type":"join","name":"\\ud800","family":"a","owner":"b","key":"c","proof":"d"}'
        )
    with pytest.raises(WireError, match=r"not UTF-8"):
        parse_from_engine("\ud800")


def test_values_that_are_the_default_are_left_out():
    assert TurnSent("g", 3, "Bd4", 0.5).encoded() == (
        '{"type":"turn","id":"g","number":3,"turn":"Bd4","took":0.5}'
    )
    told = JoinRefused("closed", "no", None)
    assert json.loads(told.encoded())["again"] is None
    assert replace(told, again=math.pi) != told
