"""`oddly tune`, with engines whose seed is the only option."""

import json
import sys
from pathlib import Path

import pytest

from oddly.interfaces.command_line.main import main
from oddly.tournaments import Ledger, load_tournament, tuning_so_far
from oddly.tournaments.ledger.arbiter import rule
from oddly.tournaments.results.schedule import scheduled_id

PATIENT = Path(__file__).parents[2] / "fakes" / "patient.py"
RANDOM = [sys.executable, "-m", "oddly", "engine", "random"]


def toml(tmp_path: Path, more: str = "", games: int = 8) -> Path:
    path = tmp_path / "tune.toml"
    path.write_text(
        f'[tournament]\nname = "seeds"\nformat = "tuning"\ngames = {games}\nbatch = 2\n'
        f'time = "none"\nisolation = "none"\nreferees = 1\n{more}\n'
        '[[game]]\ngame = "odd"\nsize = 2\n'
        f'[[engine]]\nname = "random"\ncommand = {json.dumps(RANDOM)}\n'
        '[[option]]\nname = "seed"\nlow = 1\nhigh = 1000\nwhole = true\n',
        encoding="utf-8",
    )
    return path


def test_it_plays_goes_on_and_tells_where_it_stands(tmp_path, output, facts):
    path, plot = toml(tmp_path), tmp_path / "plot.svg"
    told = output("tune", path, "--plot", plot)
    assert "options after 8 of 8 games" in told
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    (shown,) = facts("tune", path, "--show")["tuning"].values()
    assert (shown["played"], shown["games"], len(shown["options"][0]["course"])) == (8, 8, 5)
    toml(tmp_path, games=12)
    (later,) = facts("tune", path)["tuning"].values()
    assert later["played"] == 12
    assert later["options"][0]["course"][:5] == shown["options"][0]["course"]
    output("standings", tmp_path / "tune.sqlite")


def test_a_tuning_of_other_values_shows_no_state_from_these_games(tmp_path, output, refusal):
    """The bug: another option ended in a KeyError, and another range or name showed a course."""
    path = toml(tmp_path, games=4)
    output("tune", path, "--time", "5")
    text = path.read_text(encoding="utf-8")
    assert "options after 4 of 4 games" in output("tune", path, "--show")
    option = '[[option]]\nname = "other"\nlow = 1\nhigh = 2\n'
    for changed, why in (
        (text + option, "options changed"),
        (text.replace("1000", "900"), "options changed"),
        (text.replace('"seeds"', '"others"'), "the name changed"),
    ):
        path.write_text(changed, encoding="utf-8")
        assert f"tune.sqlite has games of another event: {why}" in refusal("tune", path, "--show")


def test_no_engine_of_a_tuning_is_to_be_paused_or_retired(tmp_path, output, refusal):
    """The bug: where another engine was tuned, that was offered, and the file may not do it."""
    path = toml(tmp_path, games=4)
    output("tune", path, "--time", "5")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('name = "random"', 'name = "other"'), encoding="utf-8")
    said = refusal("tune", path)
    assert "engine 'random +' was removed but has games; engine 'random -' was removed" in said
    assert "active = false" not in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_costs_the_plot_alone(tmp_path, oddly):
    """The bug: standard output was blamed, and the facts were lost."""
    path = toml(tmp_path)
    said = oddly("tune", path, "--quiet", "--json", "--plot", "/dev/full", code=1)
    assert said.err.endswith("oddly: cannot write /dev/full: No space left on device\n")
    (tuning,) = json.loads(said.out)["tuning"].values()
    assert tuning["played"] == 8


def test_without_a_game_that_counts_the_reason_is_told(tmp_path, capsys):
    path = toml(tmp_path, games=4)
    text = path.read_text(encoding="utf-8").replace("low = 1\nhigh = 1000", "low = -9\nhigh = -2")
    path.write_text(text, encoding="utf-8")
    assert main(["tune", str(path), "--quiet"]) == 4
    assert (
        "no game counts: neither engine was ready: random -: refused 'set_option seed -"
        in capsys.readouterr().out
    )


def test_an_option_that_the_engine_does_not_list_is_refused_before_the_first_game(
    tmp_path, refusal
):
    path = toml(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace('"seed"', '"sed"'), encoding="utf-8")
    assert refusal("tune", path) == (
        f"oddly: {path}: 'random' lists no option 'sed'; did you mean 'seed'?\n"
    )
    assert not path.with_suffix(".sqlite").exists()


def patience(tmp_path: Path, games: int = 120) -> Path:
    """A tuning of an option that decides every game: the side with more patience wins."""
    path = toml(tmp_path, games=games)
    text = path.read_text(encoding="utf-8").replace(
        json.dumps(RANDOM), json.dumps([sys.executable, str(PATIENT)])
    )
    text = text.replace("size = 2", "size = 4").replace('"random"', '"patient"')
    text = text.replace('name = "seed"\nlow = 1\nhigh = 1000', 'name = "turns"\nlow = 4\nhigh = 12')
    path.write_text(text + "start = 5\n", encoding="utf-8")
    return path


def moody(tmp_path: Path) -> Path:
    """The tuning of an engine for which, once a file `worse` exists, less patience is more."""
    path, text = patience(tmp_path, 16), PATIENT.read_text(encoding="utf-8")
    root, worse = str(PATIENT.parents[2]), str(tmp_path / "worse")
    text = text.replace("str(Path(__file__).resolve().parents[2])", repr(root))
    mood = f"12 - self.values['turns'] if Path({worse!r}).exists() else self.values['turns']"
    (tmp_path / "moody.py").write_text(text.replace('self.values["turns"]', mood), encoding="utf-8")
    keys = path.read_text(encoding="utf-8")
    keys = keys.replace(json.dumps(str(PATIENT)), json.dumps(str(tmp_path / "moody.py")))
    path.write_text(keys, encoding="utf-8")
    return path


def test_a_changed_result_leaves_the_values_of_later_games_as_they_were(tmp_path, output):
    path, kept = moody(tmp_path), tmp_path / "tune.sqlite"
    output("tune", path)
    with Ledger(kept) as ledger:
        first = {game.id: game for game in ledger.scheduled()}
        rule(ledger, "annul", [name for name, game in first.items() if game.round <= 2], "no power")
    (tmp_path / "worse").touch()
    output("tune", path)
    with Ledger(kept) as ledger:
        again = {game.id: game for game in ledger.scheduled() if game.id not in first}
    assert len(again) == 4
    assert all(game.options == first[scheduled_id(name)].options for name, game in again.items())
    (report,) = tuning_so_far(load_tournament(path), kept).values()
    (option,) = (course.option for course in report.courses)
    counted = [(option.text_at(*pair.one), option.text_at(*pair.other)) for pair in report.pairs]
    openers = [game for game in first.values() if game.first == "patient +"]
    openers.sort(key=lambda game: game.round)
    assert counted == [
        (dict(one)["turns"], dict(other)["turns"]) for one, other in (g.options for g in openers)
    ]


@pytest.mark.sampled
def test_a_gain_is_confirmed_in_the_same_run(tmp_path, output, facts):
    path = patience(tmp_path)
    told = output("tune", path)
    assert "gain: +" in told
    assert "\n--confirm tests this by new games: " in told
    assert told.endswith(" Elo above the start, or 0\n")
    confirmed = output("tune", path, "--confirm")
    assert "--confirm" not in confirmed
    assert "H1 is accepted: patient tuned is " in confirmed.replace("\n  ", " ")
    assert confirmed.splitlines()[-1].startswith("confirmed: use turns = ")
    assert (tmp_path / "tune-confirm-120.sqlite").exists()
    found = facts("tune", path, "--confirm")
    (tuning,), (test,) = found["tuning"].values(), found["confirmation"].values()
    assert tuning["gain"]["shown"] is test["confirmed"] is True
    assert tuning["test"]["elo1"] == test["elo1"]


def test_no_test_is_played_where_no_gain_is_shown(tmp_path, facts, refusal):
    path = toml(tmp_path)
    assert "confirmation" not in facts("tune", path, "--confirm")
    assert sorted(tmp_path.glob("*.sqlite")) == [tmp_path / "tune.sqlite"]
    assert "--show plays nothing" in refusal("tune", path, "--show", "--confirm")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("low = 1\n", "low = 5000\n", "16: the range of 'seed' ends at 1000, before it begins"),
        ("low = 1\n", "", "16: [[option]] number 1 lacks the key 'low'"),
        ("low = 1\n", "low = 999.5\n", "the range of 'seed' needs two whole numbers or more"),
        ("whole", "hole", "20: unknown key 'hole' in [[option]] number 1; did you mean 'whole'?"),
        ("games = 8\n", "", "1: [tournament] lacks the key 'games'"),
        ('"tuning"\ngames', '"match"\ngames', "5: 'batch' is a key of the format tuning"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, oddly, old, new, said):
    path = toml(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert said in oddly("tune", path, "--check", code=2).err


def test_a_tuning_and_a_tournament_say_which_command_is_theirs(tmp_path, output, refusal):
    path = toml(tmp_path)
    assert f"'oddly tune {path}' plays it" in refusal("tournament", path)
    assert output("tune", path, "--check") == "seeds: seed of random in 8 games against itself\n"
    assert json.loads(output("tune", path, "--check", "--json")) == {
        "name": "seeds",
        "engine": "random",
        "options": ["seed"],
        "games": 8,
        "against": None,
    }
    assert "there is no ledger" in refusal("tune", path, "--show")
