"""Memory: trees take a quarter of what is free, and another board gives the last one's back."""

import gc
import resource
import sys
import weakref

import pytest

from oddly.engines import search_engine, search_options
from oddly.games.catalogue import create_game
from tests.engines.talking import Talker, engine_with


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with 2 GB available and no other limit; its files may be written to."""
    monkeypatch.setattr(search_options, "MEMORY_FILE", tmp_path / "meminfo")
    monkeypatch.setattr(search_options, "GROUP", tmp_path)
    unlimited = resource.RLIM_INFINITY
    monkeypatch.setattr(search_options.resource, "getrlimit", lambda _: (unlimited, unlimited))
    (tmp_path / "meminfo").write_text("MemTotal: 8000000 kB\nMemAvailable: 2000000 kB\n")
    return tmp_path


@pytest.mark.usefixtures("machine")
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


@pytest.mark.usefixtures("machine")
def test_the_limit_of_a_process_counts(monkeypatch):
    monkeypatch.setattr(search_options.resource, "getrlimit", lambda _: (10**9, 10**9))
    assert search_options.default_megabytes() == 250


def test_a_machine_that_does_not_say_is_asked_for_all_it_has(machine):
    (machine / "meminfo").unlink()
    assert 64 <= search_options.default_megabytes() <= 1024


@pytest.fixture
def room_for_32_gigabytes():
    """A process that cannot get more, whatever the machine has."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (32 << 30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


NO_ROOM = "no room for a tree of 65536 MB: give option memory a smaller number"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits address space")
@pytest.mark.usefixtures("room_for_32_gigabytes")
@pytest.mark.parametrize("command", ["genmove b", "evaluate", "analyze 1", "ponder"])
def test_a_tree_without_room_is_refused_in_a_sentence(command, capfd):
    talk = Talker(engine_with("uct", memory=65_536, simulations=20), "odd", 3)
    assert talk.refused("clear_board") == NO_ROOM
    assert talk.refused(command) == NO_ROOM
    assert "Traceback" not in capfd.readouterr().err
    talk("set_option memory 2")
    assert talk("genmove b")


@pytest.fixture
def without_garbage_collection():
    """Only what nothing refers to is freed: a cycle of references may stay for hours."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_garbage_collection")
@pytest.mark.parametrize("name", ["uct", "rave"])
def test_what_was_for_another_board_is_freed(name):
    engine = engine_with(name, simulations=20, memory=2, threads=2)
    kept = []
    for size in (3, 4, 3, 4):
        game = create_game("odd", size)
        engine.prepare(game)
        engine.new_game()
        engine.choose(game.start())
        refs = [weakref.ref(engine._searcher), weakref.ref(engine._searcher.tree.words)]
        if name == "rave":
            refs.append(weakref.ref(engine._endgame))
        kept.append(refs)
    assert [[ref() is not None for ref in refs] for refs in kept] == [
        [size_is_last] * len(kept[0]) for size_is_last in (False, False, False, True)
    ]


@pytest.mark.usefixtures("without_garbage_collection")
def test_the_old_tree_goes_before_the_new_one_comes(monkeypatch):
    engine, trees, make = engine_with("uct", memory=2), [], search_engine.new_searcher

    def new_searcher(*arguments, **more):
        assert not any(tree() for tree in trees)
        searcher = make(*arguments, **more)
        trees.append(weakref.ref(searcher))
        return searcher

    monkeypatch.setattr(search_engine, "new_searcher", new_searcher)
    for size in (3, 4, 5):
        engine.prepare(create_game("odd", size))
        engine.wait_until_ready()
    assert len(trees) == 3
