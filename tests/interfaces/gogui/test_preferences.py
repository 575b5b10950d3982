"""GoGui's settings file: programs are added, and all else stays as it was."""

import pytest

from oddly.interfaces.gogui.preferences import (
    FILE,
    preferences_file,
    properties,
    quoted,
    update,
    with_program,
    with_properties,
    with_window,
)

SAVED = """#FilePreferences
#Sun Nov 22 09:16:35 UTC 2026
net.sf.gogui.gui.program.size=1
net.sf.gogui.gui.program.0.label=GNU Go
net.sf.gogui.gui.program.0.command=gnugo --mode gtp
net.sf.gogui.gogui.komi\\ x = 6.5
"""


def test_a_program_is_added_once_and_replaced_by_its_label():
    text = with_program(SAVED, "oddly rave, Yodd 8", "oddly engine rave")
    text = with_program(text, "oddly rave, Yodd 8", "/new/oddly engine rave")
    known = properties(text)
    assert known["net.sf.gogui.gui.program.size"] == "2"
    assert known["net.sf.gogui.gui.program.0.label"] == "GNU Go"
    assert known["net.sf.gogui.gui.program.1.label"] == "oddly rave, Yodd 8"
    assert known["net.sf.gogui.gui.program.1.command"] == "/new/oddly engine rave"
    assert known["net.sf.gogui.gogui.komi x"] == "6.5"
    assert text.startswith("#FilePreferences\n#Sun Nov")
    assert text.count("program.1.command") == 1


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
