"""The search engines: legal turns, wins where they are near, and one game from one seed."""

import threading
from itertools import count

import pytest

from oddly.engines.engine import create_engine
from oddly.engines.kernels.interface import position_hash
from oddly.engines.rave_engine import tuned_for
from oddly.engines.search.analysing import turns_of
from oddly.engines.search.searcher import Searcher
from oddly.engines.search.settings import LOST_WINS
from oddly.engines.search.thinking_time import fixed
from oddly.engines.search.tree import ROOM, block_of, edge_of, edges_of, find
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.turns import PASS
from oddly.protocol.messages import RESIGN, Command
from oddly.protocol.notation import parse_time_control
from tests.engines.running import run_python
from tests.engines.talking import Talker, engine_with
from tests.games.positions import SIZES, played

YODD = create_game("yodd", 4)

both = pytest.mark.parametrize("name", ["uct", "rave"])
each_game = pytest.mark.parametrize("game_name", SIZES)
AHEAD = played("xodd", 2, "Ba1", "Bb2,Wa2")
"""Black has two groups, White has one and is to win by passes."""


@pytest.mark.sampled
@both
@each_game
def test_plays_whole_games_by_the_rules(name, game_name, capfd):
    game = create_game(game_name, SIZES[game_name])
    engine = engine_with(name, game, simulations=60, seed=5)
    position = game.start()
    for _ in range(300):
        if position.is_over:
            break
        position = position.play(engine.choose(position))
    assert position.is_over
    assert "bug" not in capfd.readouterr().err


@both
def test_equal_seeds_make_equal_games(name):
    games = []
    for seed in (1, 1, 2):
        engine = engine_with(name, simulations=200, seed=seed)
        position = create_game("yodd", 3).start()
        turns = []
        while not position.is_over:
            turns.append(engine.choose(position))
            position = position.play(turns[-1])
        games.append(list(map(str, turns)))
    assert games[0] == games[1] != games[2]


@both
def test_wins_by_a_second_pass_when_ahead(name):
    assert AHEAD.group_counts == (2, 1)
    engine = engine_with(name, simulations=1000)
    assert engine.choose(AHEAD.play(PASS)) == PASS
    if name == "uct":
        evaluation = engine.evaluate(DropPosition(AHEAD.play(PASS)))
        assert (evaluation.win_rate, evaluation.candidates[0].action) == (1, PASS)


def test_threads_share_the_work():
    position = played("yodd", 3)
    assert position.is_legal(engine_with("rave", simulations=400, threads=2).choose(position))


def test_ponders_after_its_reply_and_plays_on_from_what_it_learnt():
    engine, replies = engine_with("uct", simulations=100, ponder=True), []
    position = played("yodd", 3)
    for _ in range(3):
        turn = engine.choose(position)
        engine.deliver(Command("genmove"), str(turn).encode(), replies.append)
        position = position.play(turn)
        position = position.play(next(iter(position.legal_turns())))
    assert len(replies) == 3
    before = engine.choose(position)
    engine.new_game()
    assert position.is_legal(before)


def test_does_not_ponder_about_a_game_that_is_over():
    engine, after = engine_with("uct", simulations=100, ponder=True), AHEAD.play(PASS)
    assert after.play(engine.choose(after)).is_over
    engine.deliver(Command("genmove"), b"= pass", lambda _: None)
    assert not any(thread.name == "pondering" for thread in threading.enumerate())


def test_thinks_no_longer_than_its_clock_allows():
    engine = engine_with("rave", YODD)
    engine.time.control = parse_time_control("0.05")
    assert YODD.start().is_legal(engine.choose(YODD.start()))


def test_looks_at_the_clock_after_the_first_simulation():
    """Without machine code one may take as long as a short turn."""
    searcher = Searcher(YODD, megabytes=2)
    searcher.load(DropPosition(YODD.start()))
    searcher.clock = count(1.0).__next__
    assert searcher.think(tuned_for(YODD), time=fixed(0.5)).simulations == 1


def test_without_machine_code_it_stops_after_any_simulation_and_warns_of_no_overflow():
    words = (
        "from oddly.engines.search import searcher as s; print(s.Searcher.simulations_at_a_time)"
    )
    assert run_python("-c", words, NUMBA_DISABLE_JIT="1").stdout.split() == ["1"]
    given = "set_game xodd\nboardsize 3\ngenmove B\nquit\n"
    words = ("-m", "oddly", "engine", "rave", "--simulations", "2")
    ran = run_python(*words, given=given, NUMBA_DISABLE_JIT="1")
    assert ran.stdout.startswith("=\n\n=\n\n= B")
    assert "overflow" not in ran.stderr


@pytest.mark.parametrize("is_allowed", [False, True])
def test_resigns_only_when_allowed_and_hopeless(is_allowed):
    engine = engine_with("uct", simulations=2000, resign=is_allowed)
    position, turn = create_game("yodd", 2).start(), None
    while not position.is_over and turn is not RESIGN:
        turn = engine.choose(position)
        position = position if turn is RESIGN else position.play(turn)
    assert (turn is RESIGN) == is_allowed


def test_tells_how_the_search_goes_when_asked(capfd):
    engine_with("rave", simulations=200, info=True).choose(played("yodd", 3))
    line = next(x for x in capfd.readouterr().err.splitlines() if x.startswith("info "))
    words = line.split()
    assert words[1:4:2] == ["simulations", "win_rate"]
    assert int(words[2]) >= 200


@both
def test_bad_input_leaves_the_engine_in_sync(name):
    talk = Talker(create_engine(name), "yodd", 2)
    for line, said in (
        ("set_option threads 0", "option threads is a whole number from 1"),
        ("set_option exploration 11", "option exploration"),
        ("genmove w", "it is Black's turn"),
        ("boardsize 99", "unacceptable size"),
        ("time_control 0", "syntax error"),
    ):
        assert talk.refused(line).startswith(said)
    for line in ("set_option simulations 50", "genmove b", "play w pass", "play b pass"):
        talk(line)
    assert talk.refused("genmove w") == "the game is over"
    talk("clear_board")
    talk("genmove b")


@both
@each_game
def test_rates_positions_at_and_inside_turns(name, game_name):
    at, engine = (
        DropPosition(played(game_name, SIZES[game_name])),
        engine_with(name, simulations=200),
    )
    for _ in range(4):
        evaluation = engine.evaluate(at)
        assert 0 <= evaluation.win_rate <= 1
        assert evaluation.simulations > 0
        actions = [candidate.action for candidate in evaluation.candidates]
        assert set(actions) <= set(at.actions())
        assert len(set(actions)) == len(actions) > 0
        assert sum(candidate.share for candidate in evaluation.candidates) == pytest.approx(1)
        assert all(0 <= candidate.win_rate <= 1 for candidate in evaluation.candidates)
        at = at.act(actions[0])


def test_it_thinks_no_longer_once_one_action_is_left_that_does_not_lose():
    searcher, settings = Searcher(YODD, megabytes=4), tuned_for(YODD)
    searcher.load(DropPosition(YODD.start()))
    searcher.think(settings, simulations=50)
    tree = searcher.tree
    actions = list(searcher.votes())
    node = find(tree, position_hash(searcher.root))
    for place in range(len(actions)):
        edge_of(tree, node, place)
    block = int(block_of(tree, node))
    wins = edges_of(block, len(actions), int(tree.words[block + ROOM]))[0]
    tree.doubles[wins : wins + len(actions) - 1] = LOST_WINS
    reports = []
    searcher.think(settings, time=fixed(0.5), report=lambda: reports.append(None))
    assert len(reports) == 1


@pytest.mark.parametrize(
    "game",
    [
        pytest.param("yodd 3", marks=pytest.mark.sampled),
        "odd 2",
        pytest.param("ayu 5", marks=pytest.mark.sampled),
    ],
)
def test_how_far_a_search_looked_is_counted_in_turns(game, monkeypatch):
    def too_slow(position, actions):
        raise AssertionError("the clock still runs")

    name, size = game.split()
    position = played(name, int(size))
    engine = engine_with("rave", position.game, simulations=300)
    with monkeypatch.context() as patched:
        patched.setattr("oddly.engines.search.analysing.turns_of", too_slow)
        engine.choose(position)
    searcher = engine._searcher
    searcher.load(DropPosition(position))
    line = searcher.variation(searcher.finding().action)
    assert engine.last_evaluation().depth is not None
    turns = turns_of(position, map(searcher.action_of, line))
    assert searcher.turns_in(line) == len(turns) > 0
