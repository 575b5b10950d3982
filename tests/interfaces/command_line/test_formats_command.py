"""`oddly match --sprt` and `oddly tournament` with the new formats, as a user runs them."""

import json

import pytest

from oddly.interfaces.command_line import main
from tests.interfaces.command_line.test_playing import FAKE, RANDOM
from tests.tournaments.results.outcomes import HOSTILE
from tests.tournaments.run.test_resuming_formats import FORMATS, toml

GAME = ["--game", "odd", "--size", "2", "--time", "none"]


def test_a_match_is_played_until_there_is_a_verdict(capsys):
    losing = f"{FAKE} --fault illegal --at 1"
    words = ["--sprt", "0,400", "--alpha", "0.2", "--openings", "2"]
    assert main(["match", RANDOM, losing, *GAME, *words]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("LLR ")
    assert "H1 is accepted: random is 400 Elo above fake rather than 0 (logistic Elo)" in last


def test_json_has_the_test(capsys):
    words = ["--sprt", "0,10", "--games", "2", "--scale", "bradley-terry", "--json"]
    assert main(["match", RANDOM, RANDOM, *GAME, *words]) == 0
    value = json.loads(capsys.readouterr().out)
    (test,) = value["format"].values()
    assert (test["decision"], test["pairs"], test["scale"]) == ("continue", 1, "bradley-terry")
    assert sum(test["counts"]) == 1
    assert len(value["games"]) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--sprt", "5"],
            "two numbers of Elo separated by a comma are expected, as in 0,10, not '5'",
        ),
        (["--sprt", "5,0"], "match: --sprt: elo0 must be below elo1, not 5.0 and 0.0"),
        (["--sprt", "0,nan"], "match: --sprt: elo0 must be below elo1"),
        (["--alpha", "0.1"], "match: --alpha goes with --sprt ELO0,ELO1"),
        (["--sprt", "0,5", "--alpha", "1"], "a number between 0 and 1 is expected, not '1'"),
        (["--sprt", "0,5", "--games", "3"], "so --games is even, not 3"),
        (["--sprt", "0,5", "--alpha", "0.6", "--beta", "0.6"], "below 1 together"),
        (["--sprt", "0,5", "--scale", "logistc"], "did you mean 'logistic'?"),
    ],
)
def test_a_test_that_cannot_be_is_one_sentence(capsys, words, said):
    assert main(["match", RANDOM, RANDOM, *GAME, *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


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
def test_a_check_says_what_can_be_said(tmp_path, capsys, name, said):
    path = toml(tmp_path, *FORMATS[name])
    assert main(["tournament", str(path), "--check"]) == 0
    engines = FORMATS[name][1]
    wanted = f"event: {engines} engines, {said}, 2 at once, no clock, so the duration is unknown\n"
    assert capsys.readouterr().out == wanted
    assert main(["tournament", str(path), "--dry-run", "--time", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert ("... what follows depends on the results" in lines) == (name != "match")
    open_ended = name in ("knockout", "sprt", "rating-pool")
    assert (" a game if engines" in lines[-1]) == open_ended
    assert lines[-1].endswith("if engines use their time")
    assert list(tmp_path.glob("*.sqlite")) == []


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("swiss", "html"),
        ("knockout", "html"),
        ("sprt", "html"),
        ("rating-pool", "html"),
        ("rating-pool", "github"),
        ("sprt", "simple"),
    ],
)
def test_a_strangers_name_is_no_markup_and_no_command(tmp_path, capsys, name, format_):
    format_lines, engines = FORMATS[name]
    path = toml(tmp_path, format_lines.replace("games = 40", "games = 2"), engines)
    hostile = HOSTILE.replace("\x1b", "")
    text = path.read_text(encoding="utf-8").replace('name = "a"', f'name = "{hostile}"')
    path.write_text(text.replace("games = 12", "games = 4"), encoding="utf-8")
    assert main(["tournament", str(path), "--no-ledger", "--format", format_]) == 0
    output = capsys.readouterr().out
    assert "alert(1)" in output
    assert ("<script>" in output) == (format_ == "simple")
