"""`oddly tune`, with engines whose seed is the only option."""

import json
import sys
from pathlib import Path

import pytest

from oddly.interfaces.command_line import main

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


def test_it_plays_goes_on_and_tells_where_it_stands(tmp_path, capsys):
    path, plot = toml(tmp_path), tmp_path / "plot.svg"
    assert main(["tune", str(path), "--plot", str(plot)]) == 0
    told = capsys.readouterr().out
    assert "options after 8 of 8 games" in told
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    assert main(["tune", str(path), "--show", "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)["tuning"].values()
    assert (shown["played"], shown["games"], len(shown["options"][0]["course"])) == (8, 8, 5)
    toml(tmp_path, games=12)
    assert main(["tune", str(path), "--json"]) == 0
    (later,) = json.loads(capsys.readouterr().out)["tuning"].values()
    assert later["played"] == 12
    assert later["options"][0]["course"][:5] == shown["options"][0]["course"]
    assert main(["standings", str(tmp_path / "tune.sqlite")]) == 0


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
def test_what_is_wrong_is_told_with_its_line(tmp_path, capsys, old, new, said):
    path = toml(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert main(["tune", str(path), "--check"]) == 2
    assert said in capsys.readouterr().err


def test_a_tuning_and_a_tournament_say_which_command_is_theirs(tmp_path, capsys):
    path = toml(tmp_path)
    assert main(["tournament", str(path)]) == 2
    assert f"'oddly tune {path}' plays it" in capsys.readouterr().err
    assert main(["tune", str(path), "--check"]) == 0
    assert capsys.readouterr().out == "seeds: seed of random in 8 games against itself\n"
    assert main(["tune", str(path), "--show"]) == 2
    assert "there is no ledger" in capsys.readouterr().err
