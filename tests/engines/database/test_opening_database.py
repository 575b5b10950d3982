"""Openings of Odd, found up to symmetry: against whole databases, and what comes with oddly."""

import random
from dataclasses import replace
from types import SimpleNamespace

import pytest

from oddly.engines.database import opening_database
from oddly.engines.database.database import Database
from oddly.engines.database.files import DatabaseError
from oddly.engines.database.opening_database import OpeningDatabase
from oddly.games.board import hexhex_board, square_board
from oddly.games.catalogue import create_game
from oddly.games.odd import Odd
from oddly.games.turns import Colour
from tests.games.positions import strewn


def made(folder, game, most, **settings):
    database = OpeningDatabase(game, folder, most, **settings)
    database.make(threads=2)
    return database


@pytest.mark.sampled
@pytest.mark.parametrize("planes", [8, 16])
@pytest.mark.parametrize(("shape", "size"), [("square", 2), ("square", 3), ("hexhex", 2)])
def test_every_opening_has_the_winner_of_a_whole_database(tmp_path, shape, size, planes):
    game = create_game("odd", size, {"board": shape})
    cells = len(game.board)
    openings = made(tmp_path / "openings", game, cells, planes=planes)
    whole = Database(game, tmp_path / "whole", tuple(range(1, cells + 1)))
    whole.make()
    draw = random.Random(planes)
    for empty in range(1, cells + 1):
        for threshold in range(1, cells + 2):
            position = strewn(replace(game, min_group=threshold), draw, empty)
            assert openings.winner(position) is whole.winner(position)
    assert openings.check(50) == 50


def test_a_position_and_its_images_have_one_winner_and_even_boards_are_whites(tmp_path):
    database = made(tmp_path, create_game("odd", 4, {"board": "square"}), 5)
    draw, ways = random.Random(3), database.table.framed.ways
    assert len(ways) == 16
    for _ in range(20):
        stones = strewn(database.game, draw, 11).stones
        threshold = draw.randint(1, 6)
        found = set()
        for view, is_exchanged in ways:
            image = bytearray(len(stones))
            for cell, stone in enumerate(stones):
                image[view[cell]] = 3 - stone if stone and is_exchanged else stone
            found.add(database.table.mover_wins(image, threshold))
        assert len(found) == 1
    winners = {
        database.winner(replace(database.game, min_group=t).start()) for t in database.thresholds
    }
    assert winners == {Colour.WHITE}


def test_a_stopped_run_goes_on_to_the_same_file(tmp_path):
    class StoppedError(Exception):
        pass

    game = create_game("odd", 4, {"board": "square"})
    whole = made(tmp_path / "whole", game, 3)

    def stop_at(share):
        def stop(done, total):
            if done > share * total:
                raise StoppedError

        return stop

    for share in (0.2, 0.6, 0.9):
        database = OpeningDatabase(game, tmp_path / "stopped", 3)
        with pytest.raises(StoppedError):
            database.make(progress=stop_at(share))
        assert not database.is_complete
    again = made(tmp_path / "stopped", game, 3)
    assert again.folder.facts["sha256"] == whole.folder.facts["sha256"]
    names = sorted(file.name for file in (tmp_path / "stopped").iterdir())
    assert names == ["database.json", "opening.xz"]
    assert OpeningDatabase(game, tmp_path / "stopped", 3).winner(game.start()) is Colour.WHITE


def test_what_is_damaged_or_too_large_is_one_sentence(tmp_path, monkeypatch):
    game = create_game("odd", 3, {"board": "square"})
    database = made(tmp_path / "nine", game, 2)
    with pytest.raises(DatabaseError, match="up to 2 stones, and this one has 3"):
        database.winner(strewn(game, random.Random(1), 6))
    (tmp_path / "nine" / "opening.xz").write_bytes(b"torn")
    with pytest.raises(DatabaseError, match=r"opening\.xz is damaged"):
        OpeningDatabase(game, tmp_path / "nine", 2)
    (tmp_path / "nine" / "opening.xz").unlink()
    with pytest.raises(DatabaseError, match="cannot be read: No such file or directory; delete"):
        OpeningDatabase(game, tmp_path / "nine", 2)
    with pytest.raises(DatabaseError, match="has 37 cells: openings go up to 25"):
        OpeningDatabase(Odd(4), tmp_path)
    with pytest.raises(DatabaseError, match="no openings of Ayu"):
        OpeningDatabase(create_game("ayu", 5), tmp_path)
    monkeypatch.setattr(opening_database, "disk_usage", lambda _: SimpleNamespace(free=0))
    with pytest.raises(DatabaseError, match=r"GB on the disk of .*, and there are 0 GB"):
        made(tmp_path / "full", game, 2)


def test_the_layer_that_is_built_upon_must_be_there(tmp_path):
    game = create_game("odd", 3, {"board": "square"})
    database = OpeningDatabase(game, tmp_path, 2)

    def stop(done, total):
        if done > total // 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        database.make(progress=stop)
    for file in tmp_path.glob("rows-*.values"):
        file.unlink()
    with pytest.raises(DatabaseError, match=r"rows-.*\.values cannot be read"):
        OpeningDatabase(game, tmp_path, 2).make()


def test_the_frame_and_the_core_of_a_board_are_kept_by_its_symmetries():
    from oddly.engines.database.opening_table import FramedBoard

    for board in (square_board(4), square_board(5), hexhex_board(3)):
        framed = FramedBoard(board)
        assert sorted(framed.frame + framed.core) == list(range(len(board)))
        for view, _ in framed.ways:
            assert {view[cell] for cell in framed.core} == set(framed.core)
