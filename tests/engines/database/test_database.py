"""Databases of small boards, against a minimax over the rules and against the theorems."""

import random
from dataclasses import replace

import pytest

from oddly.engines.database.database import Database
from oddly.engines.database.files import DatabaseError
from oddly.games.catalogue import create_game
from oddly.games.colour import Colour
from oddly.games.odd import Odd
from tests.engines.solver.minimax import all_positions, winner


def made(tmp_path, name, size, thresholds=None, **settings):
    database = Database(create_game(name, size, settings), tmp_path / name, thresholds)
    database.make()
    return database


@pytest.mark.parametrize(
    ("name", "size", "settings"),
    [("xodd", 2, {}), ("yodd", 2, {}), ("odd", 2, {"board": "square", "min_group": 2})],
)
def test_every_position_that_a_game_can_come_to_has_its_minimax_value(
    tmp_path, name, size, settings
):
    database, known = made(tmp_path, name, size, **settings), {}
    for position in all_positions(database.game):
        assert database.winner(position) is winner(position, known)


def test_odd_3x3_is_won_at_the_thresholds_that_the_theorems_page_names(tmp_path):
    database = made(tmp_path, "odd", 3, tuple(range(1, 10)), board="square")
    winners = [
        database.winner(replace(database.game, min_group=threshold).start())
        for threshold in range(1, 11)
    ]
    assert winners == [Colour.BLACK] * 5 + [Colour.WHITE] * 5


def test_samples_derived_again_agree_and_a_flipped_bit_is_found(tmp_path):
    database = made(tmp_path, "xodd", 3)
    assert database.check(300, seed=1) == 300
    file = tmp_path / "xodd" / "layer-05-00.bits"
    file.write_bytes(bytes(byte ^ 0xFF for byte in file.read_bytes()))
    with pytest.raises(DatabaseError, match="does not follow"):
        Database(database.game, tmp_path / "xodd").check(300, seed=1)


def test_a_stopped_run_goes_on_with_the_next_layer(tmp_path):
    class StoppedError(Exception):
        pass

    whole = made(tmp_path / "whole", "xodd", 3)

    def stop(done, total):
        if done > total // 2:
            raise StoppedError

    database = Database(whole.game, tmp_path / "xodd")
    with pytest.raises(StoppedError):
        database.make(progress=stop)
    assert not database.is_complete
    again = Database(whole.game, tmp_path / "xodd")
    assert any(again.folder.has(stones) for stones in range(10))
    again.make(threads=2)
    assert again.is_complete
    for stones in range(10):
        assert (again.folder.bits(stones, 0) == whole.folder.bits(stones, 0)).all()


def test_a_damaged_layer_is_not_built_upon(tmp_path):
    database = made(tmp_path, "xodd", 3)
    del database.folder.facts["layers"]["0"]
    database.folder.save_facts()
    (tmp_path / "xodd" / "layer-01-00.bits").write_bytes(b"\0\0\0")
    with pytest.raises(DatabaseError, match=r"layer-01-00\.bits is damaged"):
        Database(database.game, tmp_path / "xodd").make()
    (tmp_path / "xodd" / "layer-01-00.bits").unlink()
    with pytest.raises(DatabaseError, match="cannot be read"):
        Database(database.game, tmp_path / "xodd").make()


def test_a_folder_of_another_game_is_refused(tmp_path):
    made(tmp_path, "xodd", 2)
    with pytest.raises(DatabaseError, match="its size is 2, expected 3"):
        Database(create_game("xodd", 3), tmp_path / "xodd")
    (tmp_path / "xodd" / "database.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(DatabaseError, match="is not the facts of a database"):
        Database(create_game("xodd", 2), tmp_path / "xodd")


def test_what_has_no_database_is_said_in_a_sentence(tmp_path):
    with pytest.raises(DatabaseError, match="no databases of Ayu"):
        Database(create_game("ayu", 3), tmp_path)
    with pytest.raises(DatabaseError, match="has 37 cells: databases go up to 20"):
        Database(create_game("yodd", 4), tmp_path)
    database = made(tmp_path, "odd", 2, (2,), board="square", min_group=2)
    with pytest.raises(DatabaseError, match="no values for groups of 3, only of 2"):
        database.winner(Odd(2, "square", 3).start())


def test_the_copier_of_odd_wins_from_every_position_it_can_come_to(tmp_path):
    database = made(tmp_path, "odd", 2, (1, 2, 3, 4), board="square")
    draw = random.Random(5)
    for threshold in range(1, 5):
        position = replace(database.game, min_group=threshold).start()
        while not position.is_over:
            assert database.winner(position) is Colour.WHITE
            position = position.play(draw.choice(list(position.legal_turns())))
            replies = [position.play(t) for t in position.legal_turns()]
            position = next(p for p in replies if database.winner(p) is Colour.WHITE)
