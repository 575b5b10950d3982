"""`--check` and `--dry-run` say what a tournament comes to; a match ends with a verdict."""

import pytest

from oddly.games.catalogue import create_game
from oddly.games.wording import counted
from oddly.protocol.notation import parse_time_control
from oddly.tournaments.run.preparing import seconds_of, spelled
from tests.interfaces.command_line.test_playing import FAKE, RANDOM
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.results.outcomes import HOSTILE
from tests.tournaments.run.test_resuming import toml
from tests.tournaments.run.test_resuming_formats import FORMATS
from tests.tournaments.run.test_resuming_formats import toml as event_of
from tests.tournaments.toml.written import tournament_file

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


@pytest.mark.parametrize(
    ("more", "games"), [({"c": "active = false"}, 2), (dict.fromkeys("bc", "active = false"), 0)]
)
def test_an_engine_that_the_file_pauses_has_no_games(tmp_path, output, more, games):
    """The bug: its games were listed and counted, and so was the time that they take."""
    path = tournament_file(tmp_path, "club", engines={name: ["sh"] for name in "abc"}, more=more)
    *schedule, last = output("tournament", path, "--dry-run").splitlines()
    assert [line.split()[-3:] for line in schedule] == [["a", "-", "b"], ["b", "-", "a"]][:games]
    assert f": {counted(3 - len(more), 'engine')}, {counted(games, 'game')}, " in last


@pytest.mark.parametrize(
    ("paused", "size"),
    [
        ("", "3 engines, 4 games or more, each encounter paired by the results of those before, "),
        ("c", "2 engines, 2 games or more, each encounter paired by the results of those before, "),
        ("bc", "1 engine, 0 games, "),
    ],
    ids=str,
)
def test_a_knockout_counts_the_games_of_the_engines_that_the_file_does_not_pause(
    tmp_path, output, facts, paused, size
):
    """The bug: it counted those of paused engines too."""
    engines = {name: ["sh"] for name in "abc"}
    text, more = 'format = "knockout"', dict.fromkeys(paused, "active = false")
    path = tournament_file(tmp_path, "club", text, engines=engines, more=more)
    assert output("tournament", path, "--check").startswith(f"club: {size}")
    end = facts("tournament", path, "--check")["end"]
    assert end is None if len(paused) == 2 else size.endswith(f", {end}, ")


@pytest.mark.parametrize("option", ["--check", "--dry-run"])
def test_what_is_known_before_the_first_game_as_json(tmp_path, facts, option):
    found = facts("tournament", toml(tmp_path, 3), option)
    schedule = found.pop("schedule", None)
    assert found == {
        "name": "long",
        "engines": ["one", "two"],
        "games": 6,
        "end": None,
        "concurrency": 2,
        "seconds": 3 * found["seconds_a_game"],
        "seconds_a_game": pytest.approx(190, abs=2),
    }
    if option == "--check":
        assert schedule is None
    else:
        assert [(game["number"], game["first"]) for game in schedule] == list(
            enumerate(["one", "two"] * 3, 1)
        )


def test_a_file_that_is_none_fails_the_check(tmp_path, refusal):
    path = toml(tmp_path, 1, "colour = 1")
    assert "unknown key 'colour'" in refusal("tournament", path, "--check")


GAME = ["--game", "odd", "--size", "2", "--time", "none"]


def test_a_match_is_played_until_there_is_a_verdict(output):
    losing = f"{FAKE} --fault illegal --at 1"
    words = ["--sprt", "0,400", "--alpha", "0.2", "--openings", "2"]
    told = output("match", RANDOM, losing, *GAME, *words, code=1)
    last = told.replace("\n  ", " ").splitlines()[-1]
    assert last.startswith("LLR ")
    assert "H1 is accepted: random is 400 Elo above fake rather than 0 (logistic Elo)" in last


def test_json_has_the_test(facts):
    words = ["--sprt", "0,10", "--games", "2", "--scale", "bradley-terry"]
    value = facts("match", RANDOM, RANDOM, *GAME, *words)
    (test,) = value["format"].values()
    assert (test["decision"], test["pairs"], test["scale"]) == ("continue", 1, "bradley-terry")
    assert sum(test["counts"]) == 1
    assert len(value["games"]) == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("swiss", "6 games, 3 rounds, each paired by the results of those before"),
        ("knockout", "4 games or more, each encounter paired by the results of those before"),
        ("match", "12 games"),
        ("sprt", "until the LLR leaves (-2.20, 2.20), at most 40 games"),
        ("rating-pool", "at most 12 games"),
    ],
)
def test_a_check_says_what_can_be_said(tmp_path, output, name, said):
    path = event_of(tmp_path, *FORMATS[name])
    engines = FORMATS[name][1]
    wanted = f"event: {engines} engines, {said}, 2 at once, no clock, so the duration is unknown\n"
    assert output("tournament", path, "--check") == wanted
    lines = output("tournament", path, "--dry-run", "--time", "2").splitlines()
    assert ("... what follows depends on the results" in lines) == (name != "match")
    open_ended = name in ("knockout", "sprt", "rating-pool")
    assert (" a game if engines" in lines[-1]) == open_ended
    assert lines[-1].endswith("if engines use their time")
    assert list(tmp_path.glob("*.sqlite")) == []


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "format_"),
    [
        *((name, "html") for name in ("swiss", "knockout", "sprt", "rating-pool")),
        ("rating-pool", "github"),
        ("sprt", "simple"),
    ],
)
def test_a_strangers_name_is_no_markup_and_no_command(tmp_path, output, name, format_):
    format_lines, engines = FORMATS[name]
    path = event_of(tmp_path, format_lines.replace("games = 40", "games = 2"), engines)
    hostile = HOSTILE.replace("\x1b", "")
    text = path.read_text(encoding="utf-8").replace('name = "a"', f'name = "{hostile}"')
    path.write_text(text.replace("games = 12", "games = 4"), encoding="utf-8")
    shown = output("tournament", path, "--no-ledger", "--format", format_)
    assert "alert(1)" in shown
    assert ("<script>" in shown) == (format_ == "simple")
