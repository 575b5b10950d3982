"""Files that appear whole or not at all: several processes at once, links, and what is no file."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from oddly.safe_files import new_file, replace_file, try_to_write
from oddly.safe_files.whole_files import whole_file
from tests.patience import PATIENCE

TIMES, LENGTH = 40, 300_000
REPLACING = f"""
import sys
from pathlib import Path
from oddly.safe_files import replace_file
for _ in range({TIMES}):
    replace_file(Path(sys.argv[1]), sys.argv[2] * {LENGTH})
"""
TRYING = """
import sys
from pathlib import Path
from oddly.safe_files import try_to_write
theirs, path = map(Path, sys.argv[1:])
def make(event, arguments):
    if event == "open" and str(arguments[0]).endswith(path.name) and theirs.exists():
        theirs.rename(path)
sys.addaudithook(make)
try_to_write(path)
"""
"""Another process makes the file just before ours opens it."""


def begun(code, *words):
    """A process that runs Python code with these words."""
    return subprocess.Popen([sys.executable, "-c", code, *map(str, words)], stdout=subprocess.PIPE)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_processes_replace_one_file_at_once(tmp_path):
    """The bug: they shared the file beside it, so one renamed what the other still wrote."""
    path = tmp_path / "file"
    processes = [begun(REPLACING, path, letter) for letter in "ab"]
    for process in processes:
        process.communicate(timeout=PATIENCE)
    assert [process.returncode for process in processes] == [0, 0]
    assert path.read_text() in ("a" * LENGTH, "b" * LENGTH)
    assert names(tmp_path) == ["file"]


def test_what_a_killed_process_left_is_cleared_away(tmp_path):
    (tmp_path / ".file.part").write_text("a part that is longer than the whole file")
    replace_file(tmp_path / "file", "new")
    (tmp_path / ".other.part").write_text("a part")
    with new_file(tmp_path / "other") as file:
        file.write("x")
    assert [path.read_text() for path in sorted(tmp_path.iterdir())] == ["new", "x"]
    assert names(tmp_path) == ["file", "other"]


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path / "folder", "new")
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize("mode", [0o440, 0o600, 0o664, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode_and_its_owner_may_write(tmp_path, mode):
    path = tmp_path / "file"
    path.touch()
    path.chmod(mode)
    replace_file(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode | stat.S_IWUSR


def no_modes(*_: int) -> None:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.mark.parametrize(
    ("mode", "mask", "after"),
    [(0o600, 0o022, 0o600), (0o444, 0o022, 0o644), (0o640, 0o077, 0o600), (0o666, 0o002, 0o664)],
)
def test_where_no_mode_can_be_set_a_file_is_replaced_with_a_mode_no_wider(
    tmp_path, monkeypatch, mode, mask, after
):
    """The bug: files on such network file systems could not be replaced."""
    path = tmp_path / "file"
    path.touch()
    path.chmod(mode)
    monkeypatch.setattr(os, "fchmod", no_modes)
    before = os.umask(mask)
    try:
        replace_file(path, "new")
    finally:
        os.umask(before)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == after


def test_a_secret_is_not_written_where_others_could_read_it(tmp_path, monkeypatch):
    """A killed process left a file that all may read, and its mode cannot be set."""
    path, left = tmp_path / "file", tmp_path / ".file.part"
    path.write_text("old")
    path.chmod(0o600)
    left.touch()
    left.chmod(0o644)
    monkeypatch.setattr(os, "fchmod", no_modes)
    with pytest.raises(PermissionError):
        replace_file(path, "secret")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    link.symlink_to("real")
    for text in ("first", "second"):
        replace_file(link, text)
        assert link.is_symlink()
        assert real.read_text() == text


def test_what_is_no_file_is_written_itself(tmp_path):
    """The bug: a device such as /dev/stdout gave way to a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        replace_file(pipe, "text")
        assert os.read(reading, 9) == b"text"
    finally:
        os.close(reading)
    assert pipe.is_fifo()


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no /dev/fd")  # noqa: PTH110
def test_a_pipe_that_a_shell_passes_is_written_itself():
    """The bug: `-o >(cat)` names a pipe by a link whose target is no file."""
    reading, writing = os.pipe()
    try:
        passed = Path(f"/dev/fd/{writing}")
        try_to_write(passed)
        replace_file(passed, "text")
        assert os.read(reading, 9) == b"text"
    finally:
        os.close(reading)
        os.close(writing)


def test_a_new_file_is_made_by_one_process(tmp_path):
    """The bug: a second one wrote into the same file beside it."""
    path = tmp_path / "file"
    with new_file(path) as file:
        file.write("theirs")
        with pytest.raises(BlockingIOError, match="another process is making it now"):
            new_file(path).__enter__()
        with pytest.raises(BlockingIOError), whole_file(path):
            pass
    assert path.read_text() == "theirs"
    with pytest.raises(FileExistsError, match="already exists"):
        new_file(path).__enter__()
    assert names(tmp_path) == ["file"]


def test_to_try_to_write_changes_nothing(tmp_path):
    """The bug: a link to a file that does not exist gave way to an empty file."""
    (tmp_path / "file").write_text("content")
    (tmp_path / "link").symlink_to("new")
    before = names(tmp_path)
    for name in (*before, "new"):
        try_to_write(tmp_path / name)
    assert names(tmp_path) == before
    assert (tmp_path / "file").read_text() == "content"
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("name", [".", "none/file", "link", "circle"])
def test_what_cannot_be_written_is_an_error(tmp_path, name):
    (tmp_path / "link").symlink_to("none/file")
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError, match=r"directory|symbolic links"):
        try_to_write(tmp_path / name)


def test_to_try_to_write_deletes_no_file_that_another_process_makes(tmp_path):
    (tmp_path / "theirs").write_text("theirs")
    process = begun(TRYING, tmp_path / "theirs", tmp_path / "file")
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "theirs"
