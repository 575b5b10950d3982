"""Running games in the file beside a ledger: written by one process, read by others."""

import math
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games import Colour, create_game, random_turn
from oddly.protocol import TurnEvaluation
from oddly.referee import PlayedTurn, Snapshot
from oddly.tournaments import ScheduledGame
from oddly.tournaments.run.live_feed import FeedReader, FeedWriter, feed_path
from tests.tournaments.run.test_full_disk import full_disk


def scheduled(number, game=None):
    game = game or create_game("yodd", 3)
    return ScheduledGame(number, game, 0, "one", "two", 0, f"id{number}", ("Bc3",))


def turned(game, text, seconds=0.25, expects=None, left=(9.0, 8.5)):
    last = PlayedTurn(Colour.BLACK, text, seconds, expects)
    return game, Snapshot(game.game.start(), 1, last, 0, left)


def ended(game):
    return SimpleNamespace(scheduled=game), None


def test_a_reader_follows_turn_by_turn(tmp_path):
    writer = FeedWriter(tmp_path / "a.sqlite")
    reader = FeedReader(tmp_path / "a.sqlite")
    assert not reader.read()
    one, two = scheduled(1), scheduled(2)
    writer.began(one)
    writer.turned(*turned(one, "We3"))
    assert reader.read()
    assert reader.games["id1"].turns == ["We3"]
    assert reader.games["id1"].scheduled == one
    assert reader.games["id1"].seconds_left == (9.0, 8.5)
    assert not reader.read()
    writer.began(two)
    writer.turned(*turned(one, "pass"))
    writer.ended(*ended(one))
    writer.turned(*turned(one, "late"))
    assert reader.read()
    assert list(reader.games) == ["id2"]
    writer.finish()
    assert not feed_path(tmp_path / "a.sqlite").exists()
    assert reader.read()
    assert not reader.games


def test_a_feed_lies_beside_the_ledger_that_a_link_names(tmp_path):
    link = tmp_path / "link.sqlite"
    link.symlink_to("a.sqlite")
    for one, other in ((link, tmp_path / "a.sqlite"), (tmp_path / "a.sqlite", link)):
        writer, reader = FeedWriter(one), FeedReader(other)
        writer.began(scheduled(1))
        assert reader.read()
        assert [*reader.games] == ["id1"]
        writer.finish()
        assert reader.read()
        assert reader.games == {}


def test_a_game_that_is_played_again_begins_anew(tmp_path):
    writer, reader = FeedWriter(tmp_path / "a.sqlite"), FeedReader(tmp_path / "a.sqlite")
    game = scheduled(1)
    writer.began(game)
    writer.turned(*turned(game, "We3"))
    reader.read()
    given_up = reader.games["id1"]
    writer.began_again(game)
    writer.turned(*turned(game, "pass"))
    reader.read()
    assert reader.games["id1"] is not given_up
    late = FeedReader(tmp_path / "a.sqlite")
    late.read()
    assert reader.games["id1"].turns == late.games["id1"].turns == ["pass"]
    writer.finish()
    assert reader.read()
    assert late.read()


@pytest.mark.parametrize("begun", [0, 3])
def test_a_feed_goes_on_after_a_full_disk(tmp_path, begun):
    """Whether the disk is full at the first line, or when the feed is written anew."""
    games = [scheduled(number) for number in range(6)]
    writer = FeedWriter(tmp_path / "a.sqlite", max_bytes=1)
    for game in games[:begun]:
        writer.began(game)
    with full_disk(room=100):
        writer.began(games[begun])
    assert not (tmp_path / "a.sqlite-live.new").exists()
    for game in games[begun + 1 :]:
        writer.began(game)
    reader = FeedReader(tmp_path / "a.sqlite")
    reader.read()
    assert list(reader.games) == [game.id for game in games]
    writer.finish()
    assert reader.read()
    assert list(tmp_path.iterdir()) == []


def test_a_game_without_a_clock_is_followed_with_what_its_players_expect(tmp_path):
    writer, reader = FeedWriter(tmp_path / "a.sqlite"), FeedReader(tmp_path / "a.sqlite")
    game, expects = scheduled(1), TurnEvaluation(0.625, visits=100, lead=1.5)
    writer.began(game)
    writer.turned(*turned(game, "We3", 0.5, expects, (math.inf, 2.0)))
    writer.turned(*turned(game, "pass"))
    reader.read()
    fed = reader.games["id1"]
    assert (fed.turns, fed.seconds) == (["We3", "pass"], [0.5, 0.25])
    assert fed.expected == [expects, None]
    assert fed.seconds_left == (9.0, 8.5)
    writer.turned(*turned(game, "pass", left=(math.inf, 2.0)))
    reader.read()
    assert fed.seconds_left == (None, 2.0)
    writer.finish()
    reader.read()


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32), max_bytes=st.integers(200, 5000))
def test_a_reader_knows_the_running_games_whenever_it_looks(tmp_path_factory, seed, max_bytes):
    path = tmp_path_factory.mktemp("feed") / "a.sqlite"
    random = Random(seed)
    writer, reader = FeedWriter(path, max_bytes), FeedReader(path)
    running = {}
    for number in range(1, 90):
        action = random.randrange(6)
        if action == 0 or not running:
            game = scheduled(number)
            writer.began(game)
            running[game.id] = (game, [])
        elif action == 1:
            game, _ = running.pop(random.choice(list(running)))
            writer.ended(*ended(game))
        else:
            game, turns = random.choice(list(running.values()))
            turns.append(str(random_turn(game.game.start(), random)))
            writer.turned(*turned(game, turns[-1]))
        if random.random() < 0.3:
            reader.read()
            assert {n: fed.turns for n, fed in reader.games.items()} == {
                name: turns for name, (_, turns) in running.items()
            }
    lines = sum(1 + len(turns) for _, turns in running.values())
    assert feed_path(path).stat().st_size <= max_bytes + 400 * (lines + 1)
    writer.finish()
    reader.read()


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"{}",
        b'{"id": 1}',
        b'{"began": {}, "at": 0}',
        b"\xff",
        b"null",
        b'{"id": "id1", "turn": "Ba1", "seconds": NaN, "left": [1, 1], "at": 0}',
    ],
)
def test_lines_that_cannot_be_read_are_passed_over(tmp_path, line):
    path = tmp_path / "a.sqlite"
    writer, reader = FeedWriter(path), FeedReader(path)
    game = scheduled(1)
    writer.began(game)
    with feed_path(path).open("ab") as file:
        file.write(line + b"\n")
    writer.turned(*turned(game, "pass"))
    reader.read()
    assert reader.games["id1"].turns == ["pass"]
    writer.finish()
    reader.read()


def test_a_feed_that_cannot_be_written_does_not_disturb_the_run(tmp_path):
    writer = FeedWriter(tmp_path / "missing" / "a.sqlite")
    game = scheduled(1)
    writer.began(game)
    writer.turned(*turned(game, "pass"))
    writer.ended(*ended(game))
    writer.finish()
