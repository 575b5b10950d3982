"""`oddly gogui`: what is missing is said in a sentence, and GoGui is started with the program."""

import os
import stat
import sys

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
    assert "No closing quotation" in refusal("gogui yodd", "--against", "'")
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
