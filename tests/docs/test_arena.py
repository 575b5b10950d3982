"""The tutorial on arenas, with the arena of its first terminal on a port that is free."""

import re
import subprocess
import sys
import time

import pytest

from tests.docs.pages import DOCS, blocks, work_through
from tests.patience import PATIENCE

PAGE = DOCS / "tutorials" / "arena.md"
PORT = "8770"


@pytest.mark.sampled
def test_a_reader_gets_an_arena_with_three_engines(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (settings,) = (block.text for block in blocks(PAGE) if block.file == "ARENA.toml")
    (tmp_path / "ARENA.toml").write_text(settings.replace(PORT, "0"), encoding="utf-8")
    words = [sys.executable, "-m", "oddly", "arena", str(tmp_path / "ARENA.toml")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as arena:
        try:
            (port,) = re.findall(r":(\d+)/", arena.stdout.readline())
            copy = tmp_path / "page.md"
            copy.write_text(PAGE.read_text(encoding="utf-8").replace(PORT, port), encoding="utf-8")
            began = time.monotonic()
            assert work_through(copy, tmp_path) == 4
            assert time.monotonic() - began < PATIENCE
        finally:
            arena.terminate()
            assert arena.wait(PATIENCE) == 0
    logs = [(tmp_path / f"{name}.log").read_text() for name in ("greedy", "random", "chance")]
    assert all("begins against" in log and "left after" in log for log in logs)
