"""Openings are legal, balanced, the same for every pairing, and played before the clocks run.

Random ones have no end, are all different and the same in every run, and drawn when needed.
"""

import fcntl
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from oddly.engines.kernels.interface import black_share
from oddly.games import DropPosition, create_game
from oddly.interfaces.command_line import main
from oddly.protocol import parse_turn
from oddly.referee import GameRecord, replay
from oddly.tournaments import Match, OpeningsError, Sprt, both_ways, read_openings
from oddly.tournaments.openings.openings import (
    AHEAD,
    BALANCED,
    BATCH,
    PLAYOUTS,
    DrawnOpenings,
    RandomOpenings,
)
from oddly.tournaments.results.schedule import ListedOpenings
from oddly.tournaments.run.matches import usual_openings
from tests.interfaces.web.serving import wait_until
from tests.referee.fakes import FAKE
from tests.tournaments.toml.written import TWO_RANDOM, tournament_file

GAMES = [create_game("yodd", 4), create_game("xodd", 5), create_game("odd", 5)]
AYU = create_game("ayu", 7, {"pie": True})


def toml(tmp_path, opening: str, rounds: int = 2) -> str:
    game = f'game = "yodd"\nsize = 3\n{opening}'
    return str(tournament_file(tmp_path, "opened", f"rounds = {rounds}", game, TWO_RANDOM))


def after(game, opening):
    position = game.start()
    for turn in opening:
        position = position.play(parse_turn(turn))
    return position


def random_openings(game, turns, number, seed):
    book = RandomOpenings(game, turns, seed)
    return tuple(book.opening(place) for place in range(1, number + 1))


@pytest.mark.sampled
@pytest.mark.parametrize("game", [*GAMES, AYU], ids=str)
@settings(max_examples=5, deadline=None)
@given(turns=st.integers(1, 2), seed=st.integers(0, 2**63 - 1))
def test_random_openings_are_legal_and_balanced(game, turns, seed):
    try:
        found = random_openings(game, turns, 2, seed)
    except OpeningsError:
        # Few first turns of Odd are near the middle, and by some seeds' estimates none is.
        assert turns == 1
        reject()
    for opening in found:
        assert len(opening) == turns
        assert "pass" not in opening
        assert "swap" not in opening
        position = after(game, opening)
        assert not position.is_over
        least, most = BALANCED
        assert least <= black_share(DropPosition(position), PLAYOUTS, seed) <= most


def test_another_round_changes_no_earlier_opening():
    game = create_game("yodd", 5)
    few, many = (random_openings(game, 2, rounds, 7) for rounds in (2, 4))
    assert many[:2] == few
    assert len(set(many)) == 4
    assert random_openings(game, 2, 2, 8) != few


def test_every_pairing_and_seat_has_the_opening_of_its_round():
    game = GAMES[0]
    openings = {game: ListedOpenings((("Bc3",), ("Bb2",)))}
    schedule = list(both_ways([game], [("a", "b"), ("b", "c")], 3, 1, "", openings))
    assert {(entry.round, entry.opening) for entry in schedule} == {
        (1, ("Bc3",)),
        (2, ("Bb2",)),
        (3, ("Bc3",)),
    }
    plain = both_ways([game], [("a", "b"), ("b", "c")], 3, 1, "", {})
    assert not {entry.id for entry in schedule} & {entry.id for entry in plain}


def test_the_share_of_a_decided_position_is_all_or_nothing():
    game = create_game("odd", 2, {"min_group": 1})
    position = after(game, ["Bb2", "Ba2", "Ba3", "Bb1", "Bb3", "Bc1"])
    shares = [black_share(DropPosition(position), 100, seed) for seed in (1, 2)]
    assert all(0 <= share <= 1 for share in shares)


def test_a_file_of_openings_is_read(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("# two\nBc3 Wb2,Wd3\n\nBb2  # one turn\n", encoding="utf-8")
    openings = (("Bc3", "Wb2,Wd3"), ("Bb2",))
    assert read_openings(path, create_game("yodd", 3)) == openings
    path.write_text("Bc3 Wb2,Wd3\nBb2\n", encoding="utf-8-sig")
    assert read_openings(path, create_game("yodd", 3)) == openings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Bb2\nBz9\n", "openings.txt:2: 'Bz9': z9 is off the hexhex board"),
        ("Bb2 Bb2\n", "openings.txt:1: 'Bb2':"),
        ("Bb2 hello\n", "openings.txt:1: 'hello':"),
        ("Bb2 pass pass\n", "openings.txt:1: the game is over after this opening"),
        ("# nothing\n", "openings.txt has no openings"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, said):
    path = tmp_path / "openings.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OpeningsError) as raised:
        read_openings(path, create_game("yodd", 3))
    assert said in str(raised.value)


def test_games_begin_with_their_openings(tmp_path, facts):
    path = toml(tmp_path, "opening_turns = 2")
    games = facts("tournament", path, "--log-dir", tmp_path / "logs")["games"]
    by_round = {}
    for game in games:
        opening = [turn[1] for turn in game["turns"][:2]]
        assert game["opening"] == 2
        assert [turn[2] for turn in game["turns"][:2]] == [0, 0]
        assert by_round.setdefault(game["round"], opening) == opening
        record = GameRecord.from_json(game)
        assert str(replay(record).result) == record.outcome.score
    assert len(by_round) == 2
    for log in (tmp_path / "logs").iterdir():
        assert main(["replay", str(log)]) == 0


@pytest.mark.sampled
def test_openings_of_finished_games_cannot_be_changed(tmp_path, refusal, oddly):
    oddly("tournament", toml(tmp_path, "opening_turns = 1"))
    said = oddly("tournament", toml(tmp_path, "opening_turns = 1", rounds=3)).err
    assert "4 of 6 games were played before" in said
    said = refusal("tournament", toml(tmp_path, "opening_turns = 2", rounds=3))
    assert "the openings of yodd 3 are different" in said


def test_what_is_wrong_with_openings_is_told_with_its_line(tmp_path, refusal):
    error = refusal("tournament", toml(tmp_path, 'openings = "none.txt"'), "--check")
    assert "opened.toml:7: cannot read openings from none.txt: No such file" in error
    both = 'openings = "none.txt"\nopening_turns = 2'
    for keys, said in (
        (both, "either openings or opening_turns, not both"),
        ("opening_turns = 60", "no balanced opening of 60 turns in 200 attempts with the seed 0"),
    ):
        assert said in refusal("tournament", toml(tmp_path, keys), "--check")


XODD, ODD = create_game("xodd", 4), create_game("odd", 2)


def first(book, number):
    return [book.opening(place) for place in range(1, number + 1)]


def stones(game, opening):
    position = game.start()
    for turn in opening:
        position = position.play(parse_turn(turn))
    return tuple(position.stones), position.to_move


def test_no_position_comes_twice_and_openings_grow_where_short_ones_run_out():
    openings = first(RandomOpenings(XODD, 1, 7), 120)
    assert len({stones(XODD, opening) for opening in openings}) == 120
    lengths = [len(opening) for opening in openings]
    # A first turn is one drop: there are 32 of them.
    assert lengths == sorted(lengths)
    assert (lengths[0], lengths[-1]) == (1, 2)


def test_no_position_comes_twice_where_another_process_drew_the_first_ones(monkeypatch):
    whole = first(RandomOpenings(XODD, 1, 7), 40)
    drawn = DrawnOpenings(whole[:30], are_all=False)
    monkeypatch.setattr("oddly.tournaments.openings.openings.draw_in_child", lambda *_: drawn)
    book = RandomOpenings(XODD, 1, 7)
    book.preparation(1)()
    assert first(book, 40) == whole


@pytest.mark.parametrize("known", [1, 5, 30])
def test_a_run_that_goes_on_has_the_openings_of_one_that_was_never_stopped(known):
    whole = first(RandomOpenings(XODD, 1, 3), 40)
    played = dict(enumerate(whole[:known], start=1))
    assert first(RandomOpenings(XODD, 1, 3, played), 40) == whole
    assert RandomOpenings(XODD, 1, 3, played).opening(40) == whole[-1]


def test_what_a_ledger_has_played_is_ready_at_once(monkeypatch):
    """The bug: an arena that began again drew all openings of its pools again."""
    whole = first(RandomOpenings(XODD, 1, 3), 30)
    played = dict(enumerate([(), *whole], start=1))

    def none_is_drawn(*_):
        raise AssertionError

    monkeypatch.setattr("oddly.tournaments.openings.openings.draw_in_child", none_is_drawn)
    book = RandomOpenings(XODD, 1, 3, played, begins_plain=True)
    assert book.preparation(31) is None
    assert book.preparation(32) is not None
    assert first(book, 31 - AHEAD) == [(), *whole[: 30 - AHEAD]]


def test_many_openings_are_drawn_in_batches_the_first_ones_first(monkeypatch):
    """The bug: a round far ahead held up all rounds before it, and other pools."""
    monkeypatch.setattr("oddly.tournaments.openings.openings.draw_in_child", lambda *_: None)
    book, reached = RandomOpenings(XODD, 1, 3), []
    while (prepare := book.preparation(40)) is not None:
        prepare()
        reached.append(next(n for n in range(1, 42) if n == 41 or book.preparation(n) is not None))
    assert reached == [BATCH + 1, 3 * BATCH + 1, 41]
    assert first(book, 40) == first(RandomOpenings(XODD, 1, 3), 40)


def test_what_a_ledger_has_played_stands_also_if_we_would_not_draw_it():
    played = {1: ("Ba1",), 2: ("Ba1", "We1"), 3: ("nonsense",)}
    openings = first(RandomOpenings(XODD, 1, 3, played), 3)
    assert openings[0] == ("Ba1",)
    # It is illegal, and so is the third: the place is drawn.
    assert openings[1] != played[2]
    assert len(set(openings)) == 3


def test_the_smallest_board_runs_out_and_begins_again(monkeypatch):
    book = RandomOpenings(ODD, 1, 1)
    book.opening(1)
    monkeypatch.setattr("oddly.tournaments.openings.openings.MAX_ATTEMPTS", 2)
    openings = first(book, 400)
    different = len(set(openings))
    assert different < 400
    assert openings == (openings[:different] * 400)[:400]
    played = dict(enumerate(openings[:350], start=1))
    assert first(RandomOpenings(ODD, 1, 1, played), 400) == openings


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        (1, "of 1 turn in 200 attempts with the seed 5: ask for more turns, or for none, or take "),
        (2, "of 2 turns in 200 attempts with the seed 5: ask for fewer turns, or take "),
    ],
)
def test_what_to_do_where_nothing_is_balanced_is_told(monkeypatch, turns, said):
    monkeypatch.setattr("oddly.tournaments.openings.openings.is_balanced", lambda *_: False)
    with pytest.raises(OpeningsError, match=f"no balanced opening {said}another seed"):
        RandomOpenings(ODD, turns, 5).opening(1)


def test_openings_are_usual_where_no_engine_has_a_seed():
    assert usual_openings([False, False], Match(10)) == 2
    assert usual_openings([False, False], Sprt(0, 10)) == 2
    assert usual_openings([False, True], Match(10)) == 0
    assert usual_openings([False, False], Match(2)) == 0


def test_a_run_that_begins_plain_draws_nothing_before_its_second_pair():
    book = RandomOpenings(XODD, 2, 1, begins_plain=True)
    assert book.opening(1) == ()
    assert book.preparation(1) is None
    prepare = book.preparation(2)
    prepare()
    assert book.preparation(2) is None
    assert first(book, 4)[1:] == first(RandomOpenings(XODD, 2, 1), 3)


def test_a_run_that_begins_plain_goes_on_plain_where_nothing_is_balanced(monkeypatch):
    monkeypatch.setattr("oddly.tournaments.openings.openings.is_balanced", lambda *_: False)
    monkeypatch.setattr("oddly.tournaments.openings.openings.draw_in_child", lambda *_: None)
    book = RandomOpenings(ODD, 1, 1, begins_plain=True)
    book.preparation(2)()
    assert book.preparation(2) is None
    assert first(book, 3) == [(), (), ()]


ASKS = """
import sys
from oddly.games import create_game
from oddly.tournaments.openings import openings
lock = f"import fcntl; held = open({sys.argv[1]!r}, 'w'); fcntl.flock(held, fcntl.LOCK_EX)"
openings.PROGRAM = lock + openings.PROGRAM
openings.draw_in_child(create_game("yodd", 10), 2, 1, {}, 10**6)
"""
"""Asks for openings without end from another process, which holds a lock as long as it runs."""


def test_who_draws_openings_ends_with_the_process_that_asks(tmp_path):
    """The bug: an arena that stopped left a process behind, which drew on for hours."""
    path = tmp_path / "lock"
    path.touch()
    with path.open() as lock, subprocess.Popen([sys.executable, "-c", ASKS, path]) as asking:
        try:
            wait_until(lambda: is_held(lock), "the lock is taken")
        finally:
            asking.kill()
        wait_until(lambda: not is_held(lock), "the lock is free")


@pytest.mark.parametrize("said", ["", "no JSON", "5", "[5, true]", "[[5], true]", "[]"])
def test_openings_are_drawn_here_if_another_process_says_something_else(monkeypatch, said):
    monkeypatch.setattr("oddly.tournaments.openings.openings.PROGRAM", f"print({said!r})")
    book = RandomOpenings(XODD, 1, 7)
    book.preparation(2)()
    assert first(book, 2) == first(RandomOpenings(XODD, 1, 7), 2)


def is_held(lock):
    """Whether another process holds a lock."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(lock, fcntl.LOCK_UN)
    return False


def engine(nth):
    return shlex.join([sys.executable, FAKE, "--nth", str(nth)])


MATCH = ("match", engine(0), engine(2), "--game", "xodd", "--size", "4")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("openings", "distinct", "announced"),
    [([], "8 games, all distinct", True), (["--openings", "none"], "8 games, 2 distinct", False)],
)
def test_a_match_of_deterministic_engines_has_openings(openings, distinct, announced, oddly):
    shown = oddly(*MATCH, "--games", "8", "--time", "none", *openings)
    assert distinct in shown.out
    assert ("each pair of games but the first begins with 2 random turns" in shown.err) == announced


def test_a_match_takes_openings_from_a_file(tmp_path, output, refusal):
    path = Path(tmp_path, "book.txt")
    path.write_text("Ba1\nBb2\n", encoding="utf-8")
    shown = output(*MATCH, "--games", "8", "--time", "none", "--openings", path)
    assert "8 games, 4 distinct" in shown
    said = refusal(*MATCH, "--openings", tmp_path / "none.txt")
    assert "match: --openings: cannot read openings from" in said
