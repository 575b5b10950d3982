"""What is compiled already is loaded beside the first commands; what is not, before them."""

from threading import Event, current_thread, main_thread

import pytest

from engines.kernels import loading
from engines.kernels.loading import Loading
from games.catalogue import create_game

YODD = create_game("yodd", 3)


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(loading, "cache_directory", lambda: tmp_path)
    return tmp_path


def test_the_first_time_it_is_done_at_once_and_later_beside_what_comes_next():
    where = []
    Loading().begin("engine", YODD, lambda: where.append(current_thread()))
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
    Loading().begin("engine", YODD, lambda: None)
    where = []
    Loading().begin(name, game, lambda: where.append(current_thread()))
    assert where == [main_thread()]


def test_an_error_is_raised_where_it_is_waited_for_and_once(folder):
    def fail():
        raise ValueError("broken")

    engine = Loading()
    with pytest.raises(ValueError, match="broken"):
        engine.begin("engine", YODD, fail)
    assert list(folder.iterdir()) == []
    engine.begin("engine", YODD, lambda: None)
    engine.begin("engine", YODD, fail)
    with pytest.raises(ValueError, match="broken"):
        engine.wait()
    engine.wait()


def test_waiting_for_nothing_is_done_at_once():
    Loading().wait()
