"""An engine that gets another board gives the memory of the last one back, at once."""

import gc
import weakref

import pytest

from oddly.engines import search_engine
from oddly.engines.catalogue import create_engine
from oddly.games.catalogue import create_game


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
    engine = create_engine(name)
    for option, value in {"simulations": 20, "memory": 2, "threads": 2}.items():
        engine.set_option(option, str(value))
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
    engine = create_engine("uct")
    engine.set_option("memory", "2")
    trees = []
    make = search_engine.new_searcher

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
