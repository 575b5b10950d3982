"""`oddly gogui`: what is missing is said in a sentence, and GoGui is started with the program."""

import os
import stat
import sys
from pathlib import Path

import pytest

from oddly.interfaces.gogui.preferences import FILE, properties
from tests.programs import PYTHON

FAKE = """#!/bin/sh
if [ "$1" = -version ]; then echo GoGui {version}; exit; fi
printf '%s\\n' "$@" > "{log}"
exit {code}
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home for GoGui's settings, a screen, and a Java on an otherwise empty PATH."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", str(java.parent))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", f"-Duser.home={tmp_path}")
    monkeypatch.delenv("ODDLY_GOGUI", raising=False)
    monkeypatch.delenv("GOGUI_JAVA_HOME", raising=False)
    return tmp_path


def fake(home, version="1.6.0", code=0):
    path = home / "bin" / "gogui"
    path.write_text(FAKE.format(version=version, log=home / "log", code=code))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_gogui_starts_with_the_engine_and_has_it_in_its_menu(home, oddly):
    fake(home)
    said = oddly("gogui yodd --size 8 --against", "rave --simulations 500").err
    program, command, side = (home / "log").read_text().splitlines()
    assert (program, side) == ("-program", "-computer-white")
    assert command.endswith(" engine rave --simulations 500 --game yodd --size 8 --profile gogui")
    saved = properties((home / FILE).read_text())
    assert saved["net.sf.gogui.gui.program.0.label"] == "oddly rave --simulations 500, Yodd 8"
    assert saved["net.sf.gogui.gui.program.0.command"] == command
    assert "in GoGui's menu" in said


def test_two_people_play_without_a_computer(home, monkeypatch, oddly):
    monkeypatch.setenv("ODDLY_GOGUI", str(fake(home).parent.parent))
    oddly("gogui odd --board square --size 6")
    _, command, side = (home / "log").read_text().splitlines()
    assert side == "-computer-none"
    assert "engine random --game odd --size 6 --board square" in command


def test_any_engine_goes_behind_a_bridge(home, oddly):
    fake(home)
    against = f"{PYTHON} 'my engine.py'"
    oddly("gogui --game ayu --no-start --against", against)
    command = properties((home / FILE).read_text())["net.sf.gogui.gui.program.0.command"]
    assert f"bridge \"{PYTHON} 'my engine.py'\" --game ayu --size 11" in command
    assert not (home / "log").exists()


def test_each_command_line_of_an_engine_has_a_label_of_its_own(home, oddly):
    for arguments in ("slow.py", "fast.py -v"):
        said = oddly("gogui yodd --no-start --against", f"{PYTHON} {arguments}").err
        assert f"'{Path(sys.executable).name} {arguments}, Yodd 8' is in GoGui's menu" in said
    assert properties((home / FILE).read_text())["net.sf.gogui.gui.program.size"] == "2"


def test_games_saved_under_one_name_are_two_programs(home, oddly):
    for folder in ("first", "second", "first"):
        (home / folder).mkdir(exist_ok=True)
        said = oddly("gogui --no-start", str(one_game(home / folder))).err
        label = "oddly, Yodd 3, after one.turns"
        assert f"'{label}{' (2)' if folder == 'second' else ''}' is in" in said
    saved = properties((home / FILE).read_text())
    assert saved["net.sf.gogui.gui.program.size"] == "2"
    for number, folder in enumerate(("first", "second")):
        assert f"/{folder}/one.turns" in saved[f"net.sf.gogui.gui.program.{number}.command"]


def test_options_that_the_engine_does_not_have_are_refused(home, oddly, refusal):
    for against, said in {
        "rave --nonsense 3": "unknown argument '--nonsense'",
        "rave --simulatons 3": "unknown argument '--simulatons'; did you mean '--simulations'?",
        "rave --simulations ''": "option simulations is a whole number",
        "rave --simulations": "argument --simulations: one argument is expected",
        "rave --simulations x": "option simulations is a whole number",
        "rave --option level=99": "option level is a whole number",
        "rave fast": "unknown argument 'fast'",
        "rave --size 5": "--size is not an option of rave, but of 'oddly gogui' itself",
        "rave --pie": "--pie is not an option of rave, but of 'oddly gogui' itself",
        "rave --profile gogui --game xodd": "--game is not an option of rave, but of 'oddly",
        "greedy --profile gogui": "--profile is not an option of greedy",
        "greedy --batch": "--batch is not an option of greedy",
        "rave --help": "--help is not an option of rave",
        "rave --simulations 5 -h": "-h is not an option of rave",
        "rave --": "-- is not an option of rave",
    }.items():
        told = refusal("gogui yodd --no-start", "--against", against)
        assert f"gogui: --against {against!r}: {said}" in told
    assert not (home / FILE).exists()
    oddly("gogui yodd --no-start --against", "rave --simulations=9 --option level=3")
    assert (home / FILE).exists()


def test_a_user_without_a_home_is_told(home, monkeypatch, refusal):
    fake(home)
    monkeypatch.delenv("JAVA_TOOL_OPTIONS")
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 2)
    assert "HOME names none" in refusal("gogui yodd")


def test_what_is_missing_is_said_with_where_to_get_it(home, monkeypatch, refusal):
    said = refusal("gogui yodd")
    assert "GoGui is missing" in said
    assert "github.com/Remi-Coulom/gogui" in said
    assert "Java" not in said
    monkeypatch.setenv("ODDLY_GOGUI", str(home / "nowhere"))
    assert "ODDLY_GOGUI names" in refusal("gogui yodd")
    (home / "gogui.jar").touch()
    (home / "bin" / "java").unlink()
    monkeypatch.setenv("ODDLY_GOGUI", str(home / "gogui.jar"))
    assert "Java is missing" in refusal("gogui yodd")
    monkeypatch.delenv("ODDLY_GOGUI")
    assert "GoGui is missing" in refusal("gogui yodd")


def test_other_refusals(home, monkeypatch, refusal, oddly):
    path = fake(home, version="1.4.9")
    assert f"{path} is GoGui 1.4" in refusal("gogui yodd")
    fake(home)
    assert "expected one of random, greedy" in refusal("gogui yodd", "--against", "nobody")
    assert "lacks its closing quotation mark '" in refusal("gogui yodd", "--against", "'a")
    assert "name one game" in refusal("gogui yodd", "--game", "odd")
    assert "did you mean 'yodd'" in refusal("gogui yod")
    assert not (home / FILE).exists()
    monkeypatch.delenv("DISPLAY")
    if sys.platform.startswith("linux"):
        assert "DISPLAY names none" in oddly("gogui yodd", code=2).err


def test_a_gogui_that_fails_is_reported(home, oddly):
    fake(home, code=1)
    oddly("gogui yodd", code=4)


def test_an_unreadable_settings_file_is_reported(home, refusal):
    fake(home)
    (home / FILE).mkdir()
    said = refusal("gogui yodd")
    assert FILE in said
    assert os.strerror(21) in said


def test_a_saved_game_goes_on_on_its_own_board(home, oddly):
    fake(home)
    saved = home / "my game.turns"
    saved.write_text("# odd 4 (board hexhex, min_group 3)\nBd4 Wc3\n")
    said = oddly("gogui --against greedy", str(saved)).err
    _, command, _ = (home / "log").read_text().splitlines()
    assert command.endswith(
        "engine greedy --game odd --size 4 --board hexhex --min-group 3 --profile gogui "
        f'--after "{saved}"'
    )
    assert "after 2 turns" in said
    label = "oddly greedy, Odd 4 on a hexhex board, groups of 3 or more, after my game.turns"
    assert properties((home / FILE).read_text())["net.sf.gogui.gui.program.0.label"] == label


def test_a_saved_game_that_cannot_go_on_is_told(home, refusal):
    fake(home)
    several = home / "two.turns"
    several.write_text("# yodd 3\nBc3\nBc2\n")
    assert "two.turns has 2 games" in refusal("gogui", str(several))
    assert "cannot read" in refusal("gogui", str(home / "none.sgf"))
    assert "is a game of yodd 3, not of yodd 4" in refusal(
        "engine random --game yodd --size 4 --profile gogui --after", str(one_game(home))
    )
    assert "--after goes with --profile gogui" in refusal(
        "engine random --game yodd --size 3 --after", str(one_game(home))
    )
    assert "--after goes with --profile" in refusal(
        "bridge", PYTHON, "--drop-level", "--after", str(one_game(home))
    )


def one_game(home):
    path = home / "one.turns"
    path.write_text("# yodd 3\nBc3\n")
    return path


def test_what_gogui_saves_of_a_game_that_went_on_is_joined_to_it(home, oddly, refusal):
    earlier, later = one_game(home), home / "later.sgf"
    later.write_text("(;GM[1]SZ[5]PB[Ada];W[ae];W[bc];B[cc])")
    assert "turn 2" in refusal("convert --to turns --after", str(earlier), str(later))
    later.write_text("(;GM[1]SZ[5]PB[Ada];W[ae];W[ea];W[cc])")
    out = oddly("convert --to turns --after", str(earlier), str(later)).out
    assert out.splitlines()[-1].split()[0] == "Bc3"
    assert len(out.splitlines()[-1].split()) == 2
    assert "Ada" in out
    assert "--after goes with SGF" in refusal(
        "convert --to turns --after", str(earlier), str(earlier)
    )
