"""A lock is held by one process at a time, and its file is gone when nobody holds it."""

import subprocess
import sys

CROWD = """
import sys
from pathlib import Path
from oddly.safe_files.sqlite_file import UnusableFileError, lock, unlock

path, inside = Path(sys.argv[1]), Path(sys.argv[2])
held = 0
while held < 300:
    try:
        file = lock(path)
    except UnusableFileError:
        continue
    inside.touch(exist_ok=False)
    inside.unlink()
    unlock(file)
    held += 1
"""


def test_no_two_processes_hold_a_lock_at_once(tmp_path):
    words = [sys.executable, "-c", CROWD, tmp_path / "a.sqlite", tmp_path / "inside"]
    crowd = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[1] for process in crowd] == ["", "", ""]
    assert list(tmp_path.iterdir()) == []
