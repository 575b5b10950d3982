"""The database of Ayu on 3x3, against the rules, and its numbers against those of the page."""

import pytest

from oddly.engines.database.files import DatabaseError
from oddly.engines.solver.ayu_database import KEYS, AyuDatabase
from oddly.engines.solver.solution import VARIABLE, known_solution
from oddly.engines.solver.solve import solve
from oddly.games.ayu import Ayu
from oddly.games.colour import Colour
from oddly.games.drop_level import DropPosition
from tests.engines.solver.minimax import all_positions
from tests.source import ROOT


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    found = AyuDatabase(Ayu(3), tmp_path_factory.mktemp("databases") / "ayu-3")
    found.make()
    return found


def test_every_position_that_play_comes_to_has_the_solvers_value(database):
    positions = list(all_positions(Ayu(3)))
    assert {database.key(position) for position in positions} == set(database._keys.tolist())
    for position in positions:
        if not position.is_over:
            fresh = position.game.set_up(position.stones, position.to_move, position.status)
            assert database.winner(position) is solve(DropPosition(fresh)).winner
    assert database.check(50) == 50
    assert database.folder.facts["layers"]["0"]["numbers"] == {"won": 2, "lost": 1, "drawn": 0}


def test_a_position_and_its_images_share_a_key(database):
    start = Ayu(3).start()
    assert len({database.key(start.play(turn)) for turn in start.legal_turns()}) == 1
    assert database.key(database.position_of(database.key(start))) == database.key(start)


def test_a_position_with_a_past_is_left_to_the_solver(database, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(database.folder.path.parent))
    start = Ayu(3).start()
    found = known_solution(start)
    assert (found.winner, str(found.turn)) == (Colour.BLACK, "b1-b2")
    assert known_solution(start.play(found.turn)) is None
    assert known_solution(Ayu(3, pie=True).start()) is None


def test_what_is_damaged_or_unknown_is_one_sentence(database, tmp_path):
    with pytest.raises(DatabaseError, match="go up to 5x5"):
        AyuDatabase(Ayu(7), tmp_path)
    with pytest.raises(DatabaseError, match="without the pie rule"):
        AyuDatabase(Ayu(3, pie=True), tmp_path)
    stones = [Colour.BLACK, 0, Colour.BLACK, 0, 0, 0, 0, Colour.WHITE, Colour.WHITE]
    nowhere = Ayu(3).set_up(stones, Colour.BLACK, Ayu(3).start().status)
    assert not nowhere.is_over
    with pytest.raises(DatabaseError, match="no game comes to this position"):
        database.winner(nowhere)
    for file in database.folder.path.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / KEYS).write_bytes(bytes(24))
    with pytest.raises(DatabaseError, match="is damaged"):
        AyuDatabase(Ayu(3), tmp_path).winner(Ayu(3).start())


@pytest.mark.soak
def test_ayu_5_has_the_numbers_of_the_page(tmp_path):
    page = (ROOT / "docs" / "reference" / "solved.md").read_text(encoding="utf-8")
    found = AyuDatabase(Ayu(5), tmp_path)
    found.make()
    numbers = found.folder.facts["layers"]["0"]["numbers"]
    assert numbers == {"won": 1_377_274, "lost": 862_610, "drawn": 0}
    assert all(f"{number:,}" in page for number in (sum(numbers.values()), 862_610))
    start = Ayu(5).start()
    won = [str(turn) for turn in start.legal_turns() if found.winner(start.play(turn)) == 1]
    assert " ".join(won) in page
    assert found.check(2000) == 2000
