"""Rows that may be written a little later."""

from oddly.arena.effects import LAZY_FOR, AskedFor, Batch, Heard, LazyRows, SetUp

SET = SetUp("a", 0)


def written(lazy, now, *rows, beats=False):
    """The rows of a batch that are written now."""
    batch = Batch([*rows], beats=beats)
    lazy.go_with(batch, now)
    return batch.writes


def test_they_go_with_the_next_rows_that_must_be_written():
    lazy = LazyRows()
    assert written(lazy, 1.0, AskedFor("a", 3, 1.0), Heard("b", 1)) == []
    assert written(lazy, 1.1, SET) == [SET, AskedFor("a", 3, 1.0), Heard("b", 1)]
    assert written(lazy, 9.0, SET) == [SET]


def test_a_newer_question_of_a_game_replaces_the_older():
    lazy = LazyRows()
    assert written(lazy, 1.0, SET, AskedFor("a", 3, 1.0)) == [SET, AskedFor("a", 3, 1.0)]
    soon = 1.0 + LAZY_FOR / 2
    assert written(lazy, soon, SET, AskedFor("a", 4, 1.1), AskedFor("b", 1, 1.1)) == [SET]
    assert written(lazy, soon, SET, AskedFor("a", 5, 1.2)) == [SET]
    late = [SET, AskedFor("a", 5, 1.2), AskedFor("b", 1, 1.1)]
    assert written(lazy, 1.0 + LAZY_FOR, SET) == late


def test_they_are_written_when_the_clock_is():
    lazy = LazyRows()
    assert written(lazy, 1.0, SET) == [SET]
    assert written(lazy, 1.0, AskedFor("a", 3, 1.0), beats=True) == [AskedFor("a", 3, 1.0)]
