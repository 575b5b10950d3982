"""Files that appear whole or not at all: several processes at once, links, and what is no file."""

import errno
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from oddly.safe_files import new_file, new_folder, replace_file, try_to_write
from oddly.safe_files.whole_files import change_file, whole_file
from tests.patience import PATIENCE
from tests.programs import needs

TIMES, LENGTH = 40, 300_000
REPLACING = f"""
import sys
from pathlib import Path
from oddly.safe_files import replace_file
for _ in range({TIMES}):
    replace_file(Path(sys.argv[1]), sys.argv[2] * {LENGTH})
"""
CHANGING = f"""
import sys
from pathlib import Path
from oddly.safe_files.whole_files import change_file
for _ in range({TIMES}):
    change_file(Path(sys.argv[1]), lambda text: text + sys.argv[2])
"""
TRYING = """
import sys
from pathlib import Path
from oddly.safe_files import try_to_write
path = Path(sys.argv[1])
def tell(event, arguments):
    if event in ("open", "os.remove") and str(arguments[0]) == str(path):
        print(event, path)
sys.addaudithook(tell)
try_to_write(path)
"""
"""Tells each time that it makes or removes the file itself."""


WRITING = """
import sys
from pathlib import Path
from oddly.safe_files import replace_file, try_to_write
for write in (try_to_write, lambda path: replace_file(path, "new")):
    try:
        write(Path(sys.argv[1]))
    except OSError as error:
        print(error.strerror)
"""


def begun(code, *words, walls=()):
    """A process, behind these walls, that runs Python code with these words."""
    command = [*walls, sys.executable, "-c", code, *words]
    return subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE)


def make_new(path, text, meanwhile=lambda: None):
    with new_file(path) as file:
        file.write(text)
        meanwhile()


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


def test_processes_change_one_file_in_turn(tmp_path):
    path = tmp_path / "file"
    processes = [begun(CHANGING, path, letter) for letter in "abc"]
    for process in processes:
        process.communicate(timeout=PATIENCE)
    assert sorted(path.read_text()) == sorted("abc" * TIMES)
    assert names(tmp_path) == ["file"]


def test_a_change_that_fails_leaves_the_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        change_file(path, lambda text: f"{text}\N{SNOWMAN}", encoding="latin-1")
    assert path.read_text() == "old"
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


def no_links(*_: object) -> None:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path, monkeypatch, has_links):
    """The bug: `oddly merge` replaced the ledger of a tournament that had just begun."""
    path = tmp_path / "file"
    if not has_links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(FileExistsError, match="already exists"):
        make_new(path, "ours", meanwhile=lambda: path.write_text("theirs"))
    assert path.read_text() == "theirs"
    assert names(tmp_path) == ["file"]


def test_a_file_system_without_links_has_new_files_too(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "link", no_links)
    with new_file(tmp_path / "file") as file:
        file.write("new")
    assert (tmp_path / "file").read_text() == "new"
    assert names(tmp_path) == ["file"]


def test_a_link_stays_and_what_it_names_is_made(tmp_path):
    (tmp_path / "link").symlink_to("real")
    with new_file(tmp_path / "link") as file:
        file.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert names(tmp_path) == ["link", "real"]


@pytest.mark.parametrize("write", [replace_file, make_new])
def test_a_file_that_was_whole_when_its_process_was_killed_is_not_emptied(tmp_path, write):
    """The process had given the file its name, but not yet removed its first one."""
    whole = tmp_path / "whole"
    whole.write_text("whole")
    (tmp_path / ".file.part").hardlink_to(whole)
    write(tmp_path / "file", "new")
    assert whole.read_text() == "whole"
    assert (tmp_path / "file").read_text() == "new"
    assert names(tmp_path) == ["file", "whole"]


@pytest.mark.parametrize("new", [new_file, new_folder])
def test_what_another_process_has_just_made_exists(tmp_path, monkeypatch, new):
    """The bug: the other process was said to be making it still."""
    path, part, lock = tmp_path / "made", tmp_path / ".made.part", fcntl.flock

    def lock_what_is_made_meanwhile(*words):
        monkeypatch.undo()
        if part.is_dir():
            (part / "theirs").touch()
        part.rename(path)
        lock(*words)

    monkeypatch.setattr(fcntl, "flock", lock_what_is_made_meanwhile)
    with pytest.raises(FileExistsError, match="already exists"):
        new(path).__enter__()
    assert names(tmp_path) == ["made"]


def plant_link(part):
    part.symlink_to("victim")


@pytest.mark.parametrize("write", [replace_file, make_new])
@pytest.mark.parametrize("plant", [plant_link, os.mkfifo, os.mkdir])
def test_what_a_stranger_put_beside_is_not_written_to(tmp_path, write, plant):
    """The bug: a link there had us empty and replace whatever it named."""
    (tmp_path / "victim").write_text("victim")
    plant(tmp_path / ".file.part")
    with pytest.raises(OSError, match=r"\.file\.part is not a plain file: remove it") as refused:
        write(tmp_path / "file", "new")
    assert refused.value.filename == str(tmp_path / "file")
    assert (tmp_path / "victim").read_text() == "victim"
    assert names(tmp_path) == [".file.part", "victim"]


def test_a_new_folder_is_made_by_one_process(tmp_path):
    """The bug: a second one removed what the first had written, which said that all was there."""
    path = tmp_path / "folder"
    (tmp_path / ".folder.part" / "left").mkdir(parents=True)
    with new_folder(path) as folder:
        assert names(folder) == []
        (folder / "file").write_text("theirs")
        with pytest.raises(BlockingIOError, match="another process is making it now"):
            new_folder(path).__enter__()
    assert names(path) == ["file"]
    with pytest.raises(FileExistsError, match="already exists"):
        new_folder(path).__enter__()
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize("plant", [plant_link, Path.touch, os.mkfifo])
def test_what_a_stranger_put_beside_a_new_folder_is_not_emptied(tmp_path, plant):
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "file").touch()
    plant(tmp_path / ".folder.part")
    with pytest.raises(OSError, match="it is not a plain folder: remove it"):
        new_folder(tmp_path / "folder").__enter__()
    assert names(tmp_path / "victim") == ["file"]
    assert names(tmp_path) == [".folder.part", "victim"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_the_folder_that_it_names_is_made(tmp_path, exists):
    """The bug: a folder cannot be renamed to a link, which was told when all was written."""
    (tmp_path / "link").symlink_to("real")
    if exists:
        (tmp_path / "real").mkdir()
    with new_folder(tmp_path / "link") as folder:
        (folder / "file").touch()
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "real") == ["file"]
    assert names(tmp_path) == ["link", "real"]


@pytest.mark.parametrize("new", [new_file, new_folder])
def test_a_link_to_itself_is_refused_before_anything_is_written(tmp_path, new):
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(FileExistsError, match="already exists"):
        new(tmp_path / "circle").__enter__()
    assert names(tmp_path) == ["circle"]


def test_a_folder_that_cannot_be_filled_leaves_nothing(tmp_path):
    with pytest.raises(IsADirectoryError), new_folder(tmp_path / "folder") as folder:
        folder.write_text("not a folder")
    assert names(tmp_path) == []


@needs("bubblewrap")
@pytest.mark.parametrize("folder", ["writable", "read-only"])
def test_a_file_whose_folder_keeps_it_in_place_is_written_there(tmp_path, folder):
    """The bug: a file that is mounted into a container can be tried, and could not be replaced."""
    path = tmp_path / "file"
    path.write_text("old, and longer")
    path.chmod(0o640)
    how = "--ro-bind" if folder == "read-only" else "--bind"
    walls = ["bwrap", "--dev-bind", "/", "/", how, tmp_path, tmp_path, "--bind", path, path]
    said, _ = begun(WRITING, path, walls=walls).communicate(timeout=PATIENCE)
    assert (said, path.read_text()) == (b"", "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(tmp_path) == ["file"]


@needs("bubblewrap")
def test_what_its_folder_refuses_is_refused(tmp_path):
    walls = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", tmp_path, tmp_path]
    for name in ("file", "new"):
        (tmp_path / "file").write_text("old")
        said, _ = begun(WRITING, tmp_path / name, walls=walls).communicate(timeout=PATIENCE)
        assert said == b"Read-only file system\n" * 2
    assert (tmp_path / "file").read_text() == "old"
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


def test_to_try_to_write_makes_no_file_that_another_process_could_write_to(tmp_path):
    """The bug: what another process wrote between the two steps went with the file."""
    process = begun(TRYING, tmp_path / "file")
    said, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (0, b"")
    assert names(tmp_path) == []
