"""One table of settings: the library, `[tournament]` and the options know the same ones."""

import json

import pytest

from oddly.interfaces.command_line import main
from oddly.referee import Restart
from oddly.tournaments import PlayingSettings, TournamentFileError, load_tournament
from oddly.tournaments.formats.tournament import PLAYING_SETTINGS
from tests.tournaments.toml.written import tournament_file


def written(tmp_path, keys: str):
    return tournament_file(tmp_path, "settings", keys)


def test_a_file_without_settings_has_the_defaults(tmp_path):
    assert load_tournament(written(tmp_path, "")).settings == PlayingSettings()


def another(kind):
    """A value of a setting that is not its default."""
    if kind.kind is str and not kind.choices:
        return "oddly engine random"
    return next(word for word in (*kind.choices, 64, 2.5) if word != kind.default)


def test_every_setting_is_a_key_of_the_file(tmp_path):
    values = {name: another(kind) for name, kind in PLAYING_SETTINGS.items()}
    keys = "\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items())
    found = load_tournament(written(tmp_path, keys)).settings
    expected = {name: PLAYING_SETTINGS[name].value(value) for name, value in values.items()}
    assert found == PlayingSettings().changed(expected)
    assert Restart.ON_FAULT is not found.restart


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("concurrency = 0", "tournament concurrency should be greater than or equal to 1, not 0"),
        ('restart = "nevr"', "did you mean 'never'?"),
        ("margn = 1", "unknown key 'margn' in [tournament]; did you mean 'margin'?"),
        ("withdraw_after = 1.5", "should be a whole number, not 1.5"),
    ],
)
def test_a_wrong_setting_is_told_with_its_line(tmp_path, key, sentence):
    with pytest.raises(TournamentFileError) as refused:
        load_tournament(written(tmp_path, key))
    assert ":3: " in str(refused.value)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("command", ["match", "tournament"])
def test_every_setting_is_an_option(command, capsys):
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    for name in PLAYING_SETTINGS:
        assert f"--{name.replace('_', '-')} " in shown


def test_an_option_takes_the_place_of_the_key(tmp_path, capsys):
    path = written(tmp_path, "concurrency = 3")
    for words, at_once in (([], 3), (["--concurrency", "2"], 2)):
        assert main(["tournament", str(path), "--check", *words]) == 0
        assert f", {at_once} at once, " in capsys.readouterr().out


def test_settings_change_nothing_that_a_ledger_holds_against_a_run(tmp_path, capsys):
    path = written(tmp_path, "margin = 1")
    assert main(["tournament", str(path), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["games"]
    written(tmp_path, 'restart = "every-game"')
    assert main(["tournament", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == first
