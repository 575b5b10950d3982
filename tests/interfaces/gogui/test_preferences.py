"""GoGui's settings file: programs are added, and all else stays as it was."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.interfaces.gogui.preferences import (
    FILE,
    NotInstalledError,
    preferences_file,
    properties,
    quoted,
    update,
    with_program,
    with_properties,
    with_window,
)
from tests.patience import PATIENCE

TIMES = 40

ADDING = f"""
import sys
from pathlib import Path
from oddly.interfaces.gogui.preferences import update
for number in range({TIMES}):
    update(Path(sys.argv[1]), sys.argv[2] + str(number), sys.argv[2] + str(number), 5)
"""
SAVED = """#FilePreferences
#Sun Nov 22 09:16:35 UTC 2026
net.sf.gogui.gui.program.size=1
net.sf.gogui.gui.program.0.label=GNU Go
net.sf.gogui.gui.program.0.command=gnugo --mode gtp
net.sf.gogui.gogui.komi\\ x = 6.5
"""


def test_programs_that_are_added_at_once_are_all_there(tmp_path):
    """The bug: two processes read the same settings, and the second wrote over the first."""
    path = tmp_path / FILE
    words = [sys.executable, "-c", ADDING, str(path)]
    for process in [subprocess.Popen([*words, name]) for name in "ab"]:
        assert process.wait(PATIENCE) == 0
    known = properties(path.read_text(encoding="latin-1"))
    labels = [value for key, value in known.items() if key.endswith(".label")]
    assert sorted(labels) == sorted(f"{name}{number}" for name in "ab" for number in range(TIMES))


@pytest.mark.parametrize("size", ["²", "٣", "9" * 9, "9" * 5_000])
def test_a_number_of_programs_that_cannot_be_is_as_none(size):
    text, _ = with_program(f"net.sf.gogui.gui.program.size={size}\n", "oddly rave", "oddly engine")
    assert properties(text)["net.sf.gogui.gui.program.size"] == "1"


def test_a_program_is_added_once_and_replaced_by_its_label():
    text, _ = with_program(SAVED, "oddly rave, Yodd 8", "oddly engine rave")
    text, label = with_program(text, "oddly rave, Yodd 8", "/new/oddly engine rave")
    assert label == "oddly rave, Yodd 8"
    known = properties(text)
    assert known["net.sf.gogui.gui.program.size"] == "2"
    assert known["net.sf.gogui.gui.program.0.label"] == "GNU Go"
    assert known["net.sf.gogui.gui.program.1.label"] == "oddly rave, Yodd 8"
    assert known["net.sf.gogui.gui.program.1.command"] == "/new/oddly engine rave"
    assert known["net.sf.gogui.gogui.komi x"] == "6.5"
    assert text.startswith("#FilePreferences\n#Sun Nov")
    assert text.count("program.1.command") == 1


def test_a_program_whose_label_has_changed_keeps_its_place():
    """The bug: another wording of its label brought a second entry for the same program."""
    text, _ = with_program(SAVED, "eng.sh, Yodd 8", "oddly bridge ./eng.sh --game yodd")
    text, label = with_program(
        text, "eng.sh --fast, Yodd 8", "/new/oddly bridge ./eng.sh --game yodd"
    )
    assert label == "eng.sh --fast, Yodd 8"
    known = properties(text)
    assert known["net.sf.gogui.gui.program.size"] == "2"
    assert known["net.sf.gogui.gui.program.1.label"] == label
    text, label = with_program(text, "GNU Go", "oddly bridge ./eng.sh --game yodd")
    assert label == "GNU Go (2)"
    assert properties(text)["net.sf.gogui.gui.program.size"] == "2"


OURS = st.sampled_from(["oddly", "/my/oddly", '"/my dir/oddly"', "/usr/python -P -m oddly"])
ASKED = st.sampled_from(["engine rave", "engine rave --plain true", 'bridge "./e --fast"'])
COMMANDS = st.one_of(
    st.tuples(OURS, ASKED), st.tuples(st.just(""), st.sampled_from(["gnugo", "./engine rave"]))
)


@given(st.lists(COMMANDS))
def test_programs_that_want_one_label_get_a_label_each(commands):
    text, labels = SAVED, {}
    for oddly, asked in commands:
        command = f"{oddly} {asked}".strip()
        text, label = with_program(text, "GNU Go", command)
        known = properties(text)
        (number,) = [
            key.split(".")[-2]
            for key, value in known.items()
            if value == label and key.endswith(".label")
        ]
        assert known[f"net.sf.gogui.gui.program.{number}.command"] == command
        assert labels.setdefault(asked, label) == label
    assert sorted(labels.values()) == sorted(
        f"GNU Go ({number})" for number in range(2, 2 + len(labels))
    )
    assert properties(text)["net.sf.gogui.gui.program.0.command"] == "gnugo --mode gtp"
    assert properties(text)["net.sf.gogui.gui.program.size"] == str(1 + len(labels))


@pytest.mark.parametrize("value", ["", " a ", "a=b:c#d!e", "C:\\dir\\u0041", "Füße 日本 🎲", "\t"])
def test_any_text_comes_back(value):
    assert properties(with_properties("", {value: value})) == {value: value}


def test_the_board_fills_the_screen_unless_its_size_was_chosen():
    key = "net.sf.gogui.gogui.windows/main/size-15/fieldsize"
    assert properties(with_window("", 15))[key] == "50"
    assert properties(with_window(f"{key}=33\n", 15))[key] == "33"


def test_a_command_is_quoted_as_gogui_reads_it():
    assert quoted(("/my dir/oddly", "bridge", "./e --fast", "")) == (
        '"/my dir/oddly" bridge "./e --fast" ""'
    )
    with pytest.raises(ValueError, match="double quote"):
        quoted(('say "hi"',))


def test_the_file_is_in_the_home_that_java_knows(tmp_path):
    path = preferences_file({"JAVA_TOOL_OPTIONS": f"-Xmx1g -Duser.home={tmp_path}"})
    assert path == tmp_path / FILE
    assert preferences_file({}).name == FILE
    update(path, "a", "b", 5)
    update(path, "c", "d", 5)
    assert properties(path.read_text())["net.sf.gogui.gui.program.size"] == "2"
    assert [p.name for p in tmp_path.iterdir()] == [FILE]


def test_a_user_without_a_password_entry_has_the_home_that_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 2)
    assert preferences_file({"HOME": str(tmp_path)}) == tmp_path / FILE
    with pytest.raises(NotInstalledError, match="HOME names none"):
        preferences_file({})
