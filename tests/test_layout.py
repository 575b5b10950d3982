"""The layout: no room is most of the house, no file is long, and public names come cheaply."""

import importlib
import re
import statistics
import subprocess
import sys
from collections import Counter

import pytest

from tests.source import PACKAGES, ROOT, modules

MAX_LINES = 400
MAX_SHARE = 0.36
"""About a third of the code, for one top-level room."""
HEAVY = {"numpy", "numba", "trio", "pydantic", "jinja2", "rich", "rustworkx", "pyparsing"}
EXPORTING = [
    name for name in PACKAGES if hasattr(importlib.import_module(f"oddly.{name}"), "__all__")
]


def test_no_file_is_longer_than_400_lines():
    lengths = {module.path: len(module.text.splitlines()) for module in modules()}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_LINES} == {}
    assert 60 < statistics.median(lines for lines in lengths.values() if lines > 5) < 200


def test_no_room_holds_more_than_about_a_third_of_the_code():
    sizes = Counter[str]()
    for module in modules():
        sizes[module.room] += len(module.text.splitlines())
    assert set(sizes) == set(PACKAGES)
    assert {room: n for room, n in sizes.items() if n > MAX_SHARE * sizes.total()} == {}


@pytest.mark.parametrize("package", EXPORTING)
def test_every_public_name_is_there(package):
    room = importlib.import_module(f"oddly.{package}")
    assert sorted(room.__all__) == sorted(set(room.__all__))
    for name in room.__all__:
        assert getattr(room, name) is not None
    with pytest.raises(AttributeError, match="attribute no_such_name"):
        _ = room.no_such_name


def test_no_package_imports_what_is_heavy_before_it_is_used():
    code = f"import sys; from oddly import {', '.join(PACKAGES)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert HEAVY & set(done.stdout.split()) == set()


def test_the_page_about_the_house_names_rooms_and_files_that_exist():
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    rooms = page.split("## The rooms")[1].split("## Why")[0].split("\n- **")[1:]
    assert {rooms[n].partition("/")[0] for n in range(len(PACKAGES))} == set(PACKAGES)
    missing = []
    for room in rooms:
        folder = ROOT / room.partition("/")[0]
        for name in re.findall(r"`([\w/]+(?:\.py|/))`", room):
            inside = list(folder.rglob(name)) if "/" not in name.rstrip("/") else []
            if not inside and not (folder / name).exists() and not (ROOT / name).exists():
                missing.append(f"{folder.name}: {name}")
    assert missing == []


def test_what_is_written_about_files_names_files_that_exist():
    known = {path.name for path in ROOT.rglob("*.py") if ".venv" not in path.parts}
    stale = [
        f"{module.path}:{line} {name}"
        for module in modules()
        for line, text in module.docstrings()
        for name in re.findall(r"(?<![\w*])[a-z]\w*\.py\b", text)
        if name not in known
    ]
    assert stale == []
