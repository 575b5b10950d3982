"""`oddly tune`, with engines whose seed is the only option."""

import json
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("low = 1\n", "low = 5000\n", "16: the range of 'seed' ends at 1000, before it begins"),
        ("low = 1\n", "", "16: [[option]] number 1 lacks the key 'low'"),
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
    assert "there is no ledger" in refusal("tune", path, "--show")
