"""`--check` and `--dry-run` say what a tournament comes to, and play nothing."""

import pytest

from oddly.games.catalogue import create_game
from oddly.protocol.time_control import parse_time_control
from oddly.tournaments.run.duration import seconds_of, spelled
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.run.test_resuming import toml

ODD = create_game("odd", 2)


@pytest.mark.parametrize(
    ("spec", "seconds"),
    [
        ("2", 7 * 2),
        ("60+0", 2 * 60),
        ("60+2", 2 * 60 + 7 * 2),
        ("60+7/14", 2 * 60 + 7 * 2),
        ("60+3x5", 2 * 60 + 7 * 5),
        ("none", None),
    ],
)
def test_a_game_of_seven_turns_takes_what_its_clocks_give(spec, seconds):
    schedule = round_robin([ODD], ["a", "b"], 1, 0)
    times = dict.fromkeys("ab", parse_time_control(spec))
    assert len(schedule) == 2
    assert seconds_of(schedule, times, 2) == seconds


def test_times_are_spelled_for_people():
    spans = [3, 89, 91, 3600, 5400, 3600 * 47 + 60, 3600 * 49]
    assert [spelled(span) for span in spans] == [
        "3 s", "89 s", "2 min", "60 min", "1 h 30 min", "47 h 1 min", "2 d 1 h",
    ]  # fmt: skip


def test_a_check_is_one_line_and_leaves_no_ledger(tmp_path, output):
    path = toml(tmp_path, 3)
    said = "long: 2 engines, 6 games, 2 at once, about 10 min if engines use their time\n"
    assert output("tournament", path, "--check") == said
    assert list(tmp_path.iterdir()) == [path]


def test_a_dry_run_lists_the_games(tmp_path, output):
    path = toml(tmp_path, 1)
    assert output("tournament", path, "--dry-run", "--time", "none").splitlines() == [
        "1  odd 3 (board hexhex, min_group 5)  one - two",
        "2  odd 3 (board hexhex, min_group 5)  two - one",
        "long: 2 engines, 2 games, 2 at once, no clock, so the duration is unknown",
    ]
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_none_fails_the_check(tmp_path, refusal):
    path = toml(tmp_path, 1, "colour = 1")
    assert "unknown key 'colour'" in refusal("tournament", path, "--check")
