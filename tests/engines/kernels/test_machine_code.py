"""Where machine code is kept, and for how long."""

import ast
import importlib
import os
import shutil
from pathlib import Path

import pytest

from oddly.engines.kernels import machine_code
from oddly.engines.kernels.jit import HAS_NUMBA, MachineCode
from tests.engines.running import run_python

PASSING = """
import os, sys
from pathlib import Path
from oddly.engines.kernels import machine_code
machine_code._candidates = lambda: [Path("/proc/nowhere")]
folder = machine_code.cache_directory()
if os.fork() == 0:
    sys.exit()
os.wait()
print(folder.is_dir())
"""


@pytest.fixture
def choose(monkeypatch):
    """The folder that is chosen among candidates, or by the environment."""

    def chosen(*candidates):
        if candidates:
            monkeypatch.setattr(machine_code, "_candidates", lambda: list(candidates))
        return machine_code.cache_directory.__wrapped__()

    return chosen


def test_it_lies_in_the_package_where_that_can_be_written_to_and_where_numba_is_told(
    choose, monkeypatch, tmp_path
):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert choose().parent == machine_code.ENGINES / "__pycache__"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert choose().parent == tmp_path


def test_else_it_lies_in_the_users_cache_and_nowhere_without_a_home(monkeypatch, tmp_path):
    def homeless():
        raise RuntimeError("no home")

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert machine_code._candidates()[1:] == [tmp_path / "oddly"]
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for platform, place in (("linux", ".cache"), ("darwin", "Library/Caches")):
        monkeypatch.setattr(machine_code.sys, "platform", platform)
        assert machine_code._candidates()[1:] == [tmp_path / place / "oddly"]
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    assert machine_code._candidates() == [machine_code.ENGINES / "__pycache__"]


def test_a_place_that_cannot_be_written_to_is_passed_over(choose, tmp_path):
    (tmp_path / "file").touch()
    for bad in (tmp_path / "file", Path("/proc/nowhere")):
        assert choose(bad, tmp_path / "good").parent == tmp_path / "good"


def test_with_no_place_at_all_it_is_a_passing_one(choose):
    folder = choose(Path("/proc/nowhere"))
    assert folder.is_dir()
    shutil.rmtree(folder)


def test_a_passing_folder_is_removed_by_the_process_that_made_it_alone(tmp_path):
    said = run_python("-c", PASSING, TMPDIR=str(tmp_path)).stdout
    assert said == "True\n"
    assert list(tmp_path.iterdir()) == []


def test_without_a_temporary_folder_it_lies_in_shared_memory(choose, monkeypatch, tmp_path):
    def full(prefix, dir=None):  # noqa: A002 - the name is the library's
        if dir is None:
            raise FileNotFoundError("No usable temporary directory found")
        return mkdtemp(prefix=prefix, dir=dir)

    mkdtemp = machine_code.tempfile.mkdtemp
    monkeypatch.setattr(machine_code.tempfile, "mkdtemp", full)
    monkeypatch.setattr(machine_code, "SHARED_MEMORY", str(tmp_path))
    folder = choose(Path("/proc/nowhere"))
    assert folder.parent == tmp_path
    monkeypatch.setattr(machine_code, "SHARED_MEMORY", "/proc/nowhere")
    assert choose(Path("/proc/nowhere")) is None


@pytest.mark.parametrize("folder", ["removed", "/proc/nowhere", None])
def test_a_lock_needs_no_folder(monkeypatch, tmp_path, folder):
    folder = folder and tmp_path / folder
    monkeypatch.setattr(machine_code, "cache_directory", lambda: folder)
    with machine_code.exclusive("index"):
        machine_code.leave_marker("marker")
    assert machine_code.has_marker("marker") is (folder is not None and folder.is_dir())


def test_the_folder_in_use_is_not_the_first_to_be_removed(choose, tmp_path):
    folder = choose(tmp_path)
    os.utime(folder, (1e9, 1e9))
    assert choose(tmp_path).stat().st_mtime > 1e9


def test_only_the_newest_versions_are_kept_and_only_ours_are_removed(choose, tmp_path):
    names = [f"oddly-{number:016x}" for number in range(6)]
    for age, name in enumerate(names):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code").touch()
        os.utime(tmp_path / name, (1e9 + age, 1e9 + age))
    (tmp_path / "oddly-mine").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / names[0])
    folder = choose(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"oddly-mine", "link", folder.name, *names[-(machine_code.KEPT - 1) :]}
    assert choose(tmp_path) == folder


def test_another_text_a_later_time_and_another_numba_make_another_name(monkeypatch, tmp_path):
    source = tmp_path / "kernel.py"
    source.write_text("one", encoding="utf-8")
    monkeypatch.setattr(machine_code, "SOURCES", (source,))
    digests = [machine_code._digest()]
    for change in (
        lambda: os.utime(source, (1e9, 1e9)),
        lambda: (source.write_text("two", encoding="utf-8"), os.utime(source, (1e9, 1e9))),
        lambda: monkeypatch.setattr(machine_code, "version", lambda _: "0.0"),
        lambda: monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1"),
    ):
        change()
        digests.append(machine_code._digest())
    assert len(set(digests)) == len(digests)
    assert machine_code._digest() == digests[-1]


@pytest.mark.skipif(not HAS_NUMBA, reason="nothing is compiled")
def test_the_sources_are_all_that_is_compiled_and_what_it_uses():
    unnamed = []
    for path in sorted(machine_code.ENGINES.rglob("*.py")):
        functions = compiled_functions(path)
        if functions and path not in machine_code.SOURCES:
            unnamed.append(path)
        homes = imported_names(path)
        used = {name for function in functions for name in function.__code__.co_names}
        for module in {homes[name] for name in used & homes.keys()}:
            home = machine_code.ENGINES.parents[1].joinpath(*module.split(".")).with_suffix(".py")
            if (
                module.startswith(("oddly.engines.", "oddly.games."))
                and home not in machine_code.SOURCES
            ):
                unnamed.append(home)
    assert unnamed == []


def compiled_functions(path):
    """The Python functions that a module compiles to keep; what is not kept cannot go stale."""
    module = importlib.import_module(
        ".".join(path.relative_to(machine_code.ENGINES.parent).parts)[:-3]
    )
    found = [value.py_func for value in vars(module).values() if isinstance(value, MachineCode)]
    return [function for function in found if function.__module__ == module.__name__]


def imported_names(path):
    """The module that each name comes from which a module imports."""
    return {
        name.asname or name.name: node.module
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
