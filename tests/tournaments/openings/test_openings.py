"""Openings are legal, balanced, the same for every pairing, and played before the clocks run."""

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from oddly.engines.kernels.interface import black_share
from oddly.games import DropPosition, create_game
from oddly.interfaces.command_line import main
from oddly.protocol import parse_turn
from oddly.referee import GameRecord, replay
from oddly.tournaments import OpeningsError, both_ways, read_openings
from oddly.tournaments.openings.openings import BALANCED, PLAYOUTS, RandomOpenings
from oddly.tournaments.results.schedule import ListedOpenings
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
