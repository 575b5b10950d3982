"""The memory that the trees take by default: a quarter of what is free, within limits."""

import resource

import pytest

from oddly.engines import search_options


@pytest.fixture(autouse=True)
def machine(monkeypatch, tmp_path):
    """A machine with 2 GB available and no other limit; its files may be written to."""
    monkeypatch.setattr(search_options, "MEMORY_FILE", tmp_path / "meminfo")
    monkeypatch.setattr(search_options, "GROUP", tmp_path)
    unlimited = resource.RLIM_INFINITY
    monkeypatch.setattr(search_options.resource, "getrlimit", lambda _: (unlimited, unlimited))
    (tmp_path / "meminfo").write_text("MemTotal: 8000000 kB\nMemAvailable: 2000000 kB\n")
    return tmp_path


def test_it_is_a_quarter_of_what_is_available():
    assert search_options.default_megabytes() == 512


@pytest.mark.parametrize(("kilobytes", "megabytes"), [(1000, 64), (64_000_000, 1024)])
def test_it_is_neither_tiny_nor_huge(machine, kilobytes, megabytes):
    (machine / "meminfo").write_text(f"MemAvailable: {kilobytes} kB\n")
    assert search_options.default_megabytes() == megabytes


def test_the_limit_of_a_container_counts(machine):
    (machine / "memory.max").write_text("900000000\n")
    (machine / "memory.current").write_text("100000000\n")
    assert search_options.default_megabytes() == 200
    (machine / "memory.max").write_text("max\n")
    assert search_options.default_megabytes() == 512


def test_the_limit_of_a_process_counts(monkeypatch):
    monkeypatch.setattr(search_options.resource, "getrlimit", lambda _: (10**9, 10**9))
    assert search_options.default_megabytes() == 250


def test_a_machine_that_does_not_say_is_asked_for_all_it_has(machine):
    (machine / "meminfo").unlink()
    assert 64 <= search_options.default_megabytes() <= 1024
