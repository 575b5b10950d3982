"""Databases of small boards, against a minimax over the rules and against the theorems."""

import random
from dataclasses import replace
from hashlib import sha256

import pytest

from oddly.engines.database.database import Database
from oddly.engines.database.files import DatabaseError
from oddly.engines.database.opening_database import OpeningDatabase
from oddly.engines.solver.ayu_database import KEYS, AyuDatabase
from oddly.engines.solver.solution import VARIABLE, known_solution
from oddly.engines.solver.solve import solve
from oddly.games.ayu import Ayu
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.odd import Odd
from oddly.games.turns import Colour
from tests.engines.solver.minimax import all_positions, winner
from tests.source import ROOT


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
    database.folder.verify()
    file = tmp_path / "xodd" / "layer-05-00.bits"
    flipped = bytes(byte ^ 0xFF for byte in file.read_bytes())
    file.write_bytes(flipped)
    with pytest.raises(DatabaseError, match=r"layer-05-00\.bits is damaged"):
        Database(database.game, tmp_path / "xodd").folder.verify()
    database.folder.facts["layers"]["5"]["sha256"]["0"] = sha256(flipped).hexdigest()
    database.folder.save_facts()
    with pytest.raises(
        DatabaseError, match=r"does not follow .*; delete .*xodd/database\.json and"
    ):
        Database(database.game, tmp_path / "xodd").check(300, seed=1)


def test_the_first_lookup_finds_a_flipped_bit(tmp_path):
    """The bug: lookups answered from damaged files, so a search began with the wrong winner."""
    database = made(tmp_path, "xodd", 3)
    start = database.game.start()
    file = tmp_path / "xodd" / "layer-00-00.bits"
    file.write_bytes(bytes(byte ^ 0xFF for byte in file.read_bytes()))
    flipped = Database(database.game, tmp_path / "xodd")
    for _ in range(2):
        with pytest.raises(DatabaseError, match=r"layer-00-00\.bits is damaged"):
            flipped.winner(start)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda layer: layer.pop("positions"), "positions is missing, expected a whole number"),
        (lambda layer: layer.update(positions="9"), "positions is '9', expected a whole number"),
        (lambda layer: layer.pop("seconds"), "seconds is missing, expected a number"),
        (lambda layer: layer.update(sha256=7), r"sha256\.0 is missing, expected 64 digits of SHA"),
        (lambda layer: layer["sha256"].update({"0": 5}), r"sha256\.0 is 5, expected 64 digits"),
        (lambda layer: layer["sha256"].clear(), r"sha256\.0 is missing, expected 64 digits"),
    ],
)
def test_facts_changed_by_hand_are_told_with_their_key(tmp_path, change, said):
    """The bug: a bare KeyError."""
    database = made(tmp_path, "xodd", 2)
    change(database.folder.facts["layers"]["3"])
    database.folder.save_facts()
    with pytest.raises(
        DatabaseError, match=rf"xodd/database\.json: layers\.3\.{said}.*; delete .* and make"
    ):
        Database(database.game, tmp_path / "xodd")


@pytest.mark.parametrize("key", ["three", "٣", "9999"])
def test_layers_are_named_by_their_stones(tmp_path, key):
    database = made(tmp_path, "xodd", 2)
    database.folder.facts["layers"][key] = database.folder.facts["layers"]["3"]
    database.folder.save_facts()
    with pytest.raises(DatabaseError, match=rf"layers\.{key}, expected a number of stones"):
        Database(database.game, tmp_path / "xodd")


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


NEW = [
    lambda folder: Database(create_game("xodd", 3), folder),
    lambda folder: OpeningDatabase(create_game("odd", 3, {"board": "square"}), folder, 3),
    lambda folder: AyuDatabase(Ayu(3), folder),
]
KINDS = ["whole", "openings", "ayu"]


@pytest.mark.sampled
@pytest.mark.parametrize("new", NEW, ids=KINDS)
def test_only_one_process_at_a_time_makes_a_database(tmp_path, new):
    said = []

    def meanwhile(done, total):
        if not said:
            with pytest.raises(DatabaseError) as error:
                new(tmp_path).make()
            said.append(str(error.value))

    database = new(tmp_path)
    database.make(progress=meanwhile)
    facts = tmp_path / "database.json"
    assert said == [f"{facts}: another run is writing to this database now"]
    assert database.check(100) == 100
    assert not list(tmp_path.glob("*-lock"))


@pytest.mark.parametrize("new", NEW, ids=KINDS)
def test_what_another_process_has_made_meanwhile_is_not_made_again(tmp_path, new):
    late = new(tmp_path)
    new(tmp_path).make()
    written = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    late.make()
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == written
    assert late.check(100) == 100


def test_a_damaged_layer_is_not_built_upon(tmp_path):
    database = made(tmp_path, "xodd", 3)
    del database.folder.facts["layers"]["0"]
    database.folder.save_facts()
    (tmp_path / "xodd" / "layer-01-00.bits").write_bytes(b"\0\0\0")
    with pytest.raises(DatabaseError, match=r"layer-01-00\.bits is damaged"):
        Database(database.game, tmp_path / "xodd").make()
    (tmp_path / "xodd" / "layer-01-00.bits").unlink()
    with pytest.raises(DatabaseError, match="cannot be read: No such file or directory; delete"):
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


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    found = AyuDatabase(Ayu(3), tmp_path_factory.mktemp("databases") / "ayu-3")
    found.make()
    return found


@pytest.mark.sampled
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
    after = start.play(found.turn)
    assert known_solution(after).winner is Colour.BLACK, "what was joined leaves no past"
    assert known_solution(replace(after, earlier=frozenset({start.key}))) is None
    assert known_solution(Ayu(3, pie=True).start()) is None


def test_what_is_damaged_or_unknown_is_one_sentence(database, tmp_path):
    with pytest.raises(DatabaseError, match="go up to 5x5"):
        AyuDatabase(Ayu(7), tmp_path)
    with pytest.raises(DatabaseError, match="without the pie rule"):
        AyuDatabase(Ayu(3, pie=True), tmp_path)
    stones = [Colour.BLACK, 0, Colour.BLACK, 0, 0, 0, 0, Colour.WHITE, Colour.WHITE]
    nowhere = Ayu(3).set_up(stones, Colour.BLACK, Ayu(3).start().status)
    assert not nowhere.is_over
    with pytest.raises(DatabaseError, match="no game reaches this position"):
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
