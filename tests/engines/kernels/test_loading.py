"""What is compiled already is loaded beside the first commands; what is not, when it is needed."""

from threading import Event, current_thread, main_thread

import pytest

from oddly.engines import compiling
from oddly.engines.compiling import Loading
from oddly.engines.dispatcher import Dispatcher
from oddly.engines.search_engine import SearchEngine
from oddly.engines.uct_engine import UctEngine
from oddly.games.catalogue import create_game
from oddly.protocol.messages import Command

YODD = create_game("yodd", 3)


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(compiling, "cache_directory", lambda: tmp_path)
    return tmp_path


def loading_of(name, game, load) -> Loading:
    """A loading that has begun."""
    begun = Loading()
    begun.begin(name, game, load)
    return begun


def test_the_first_time_it_is_done_when_it_is_needed_and_later_beside_what_comes_next():
    where = []
    first = loading_of("engine", YODD, lambda: where.append(current_thread()))
    assert where == []
    first.wait()
    first.wait()
    assert where == [main_thread()]
    may_go_on, later = Event(), Loading()
    later.begin("engine", YODD, lambda: (may_go_on.wait(10), where.append(current_thread())))
    assert len(where) == 1
    may_go_on.set()
    later.wait()
    assert len(where) == 2
    assert where[1] is not main_thread()


@pytest.mark.parametrize(
    ("name", "game"), [("other", YODD), ("engine", create_game("yodd", 4))], ids=["name", "game"]
)
def test_another_engine_or_board_is_another_first_time(name, game):
    loading_of("engine", YODD, lambda: None).wait()
    where = []
    loading_of(name, game, lambda: where.append(current_thread())).wait()
    assert where == [main_thread()]


def test_what_is_not_compiled_and_not_needed_after_all_is_never_done():
    done = []
    engine = loading_of("engine", YODD, lambda: done.append("yodd"))
    engine.begin("engine", create_game("odd", 3), lambda: done.append("odd"))
    engine.wait()
    assert done == ["odd"]
    Loading().wait()


def test_the_first_questions_are_answered_before_anything_is_compiled(monkeypatch):
    compiled = []
    monkeypatch.setattr(SearchEngine, "load", lambda _, game: compiled.append(str(game)))
    monkeypatch.setattr(SearchEngine, "make_ready", lambda *_: None)
    dispatcher = Dispatcher(UctEngine(), create_game("yodd"))
    for name in ("name", "list_commands", "list_options"):
        assert dispatcher.answer(Command(name)).ok
    assert compiled == []
    assert dispatcher.answer(Command("set_game", ("odd",))).ok
    assert compiled == ["odd 5 (board hexhex, min_group 5)"]


def test_an_error_is_raised_where_it_is_waited_for(folder):
    def fail():
        raise ValueError("broken")

    engine = loading_of("engine", YODD, fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            engine.wait()
    assert list(folder.iterdir()) == []
    engine.begin("engine", YODD, lambda: None)
    engine.wait()
    engine.begin("engine", YODD, fail)
    with pytest.raises(ValueError, match="broken"):
        engine.wait()
    engine.wait()
