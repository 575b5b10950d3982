"""Searching the games of a ledger, compared with a search through all of them."""

from contextlib import closing
from types import SimpleNamespace

import pytest

from oddly.games import create_game
from oddly.tournaments.ledger.arbiter import rule
from oddly.tournaments.ledger.archive import RESULTS, Archive, GameSearch
from oddly.tournaments.ledger.schema import LedgerError
from oddly.tournaments.ledger.store import Ledger
from tests.databases import changed
from tests.interfaces.report.events import add_records, fault_record, make_ledger

ENGINES = ("one", "two", "three")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "event.sqlite"
    make_ledger(path, ENGINES, rounds=2)
    game = create_game("yodd", 3)
    add_records(path, {"fault": fault_record(game, ("one", "three"), "it erred")})
    return path


@pytest.fixture
def archive(path):
    with closing(Archive(path)) as archive:
        archive.refresh()
        yield archive


def fits(record, search):
    outcome, players = record.outcome, record.players
    engine, opponent = ({*names} & {*players} for names in (search.engine, search.opponent))
    if (search.engine and not engine) or (search.opponent and not opponent):
        return False
    if search.engine and engine == opponent:
        return False
    if search.game and str(record.game) != search.game:
        return False
    (name,) = engine or opponent or {None}
    seat = None if name is None else players.index(name)
    is_right = {
        "": True,
        "won": seat is None or outcome.winner == seat,
        "lost": seat is None or outcome.winner == 1 - seat,
        "drawn": outcome.winner is None,
        "first": outcome.winner == 0,
        "second": outcome.winner == 1,
        "fault": outcome.termination.is_forfeit,
    }
    turns = len(record.turns)
    least, most = search.shortest or 0, 10**6 if search.longest is None else search.longest
    return is_right[search.result] and least <= turns <= most


SEARCHES = [
    GameSearch(engine=engine, opponent=opponent, game=game, result=result, shortest=shortest)
    for engine in ((), ("one",), ("nobody",), ("nobody", "one"))
    for opponent in ((), ("two",), ("one",))
    for game in ("", "yodd 3", "xodd 3", "chess")
    for result in ("", *RESULTS)
    for shortest in (None, 12)
] + [GameSearch(longest=most) for most in (0, 7, 30)]


def test_every_search_finds_what_reading_all_games_finds(path, archive):
    with Ledger(path, read_only=True) as ledger:
        records = list(ledger.each_record())[::-1]
    for search in SEARCHES:
        wanted = [name for name, record in records if fits(record, search)]
        found = archive.search(search, 0, 1000)
        assert [game.id for game in found.games] == wanted, search
        assert found.total == len(wanted)
        page = archive.search(search, 3, 2)
        assert [game.id for game in page.games] == wanted[3:5]
        assert page.total == len(wanted)


def test_a_row_says_what_the_record_says(path, archive):
    with Ledger(path, read_only=True) as ledger:
        records = ledger.records()
    for game in archive.search(GameSearch(), 0, 1000).games:
        record = records[game.id]
        assert (game.game, game.players) == (record.game, record.players)
        assert (game.winner, game.ending) == (record.outcome.winner, record.outcome.termination)
        assert game.turns == len(record.turns)
        assert archive.record(game.id) == record
    assert archive.record("nobody") is None
    assert archive.engines() == ["one", "three", "two"]
    assert set(archive.games()) == {str(record.game) for record in records.values()}


def test_games_that_end_later_are_found_and_annulled_ones_are_not(path, archive):
    before = archive.search(GameSearch(), 0, 1).total
    add_records(path, {"later": fault_record(create_game("yodd", 3), ("two", "new"), "it erred")})
    archive.refresh()
    found = archive.search(GameSearch(), 0, 1)
    assert (found.total, found.games[0].id) == (before + 1, "later")
    assert archive.search(GameSearch(engine=("new",)), 0, 9).total == 1
    assert archive.neighbours("later") == ("fault", "")
    with Ledger(path) as ledger:
        rule(ledger, "annul", ["later"], "it was a test")
    archive.refresh()
    assert archive.search(GameSearch(), 0, 1).total == before
    assert archive.search(GameSearch(engine=("new",)), 0, 9).total == 0
    assert archive.is_annulled("later")
    assert not archive.is_annulled("fault")
    assert archive.record("later").players == ("two", "new")


def between_reads(monkeypatch, look):
    """Have all games read one by one, with a look in between."""
    module = "oddly.tournaments.ledger.archive"
    monkeypatch.setattr(f"{module}.AT_ONCE", 1)
    monkeypatch.setattr(f"{module}.time", SimpleNamespace(sleep=lambda _: look()))


def test_after_a_ruling_the_old_games_are_found_until_all_are_read_again(
    path, archive, monkeypatch
):
    before, seen = archive.search(GameSearch(), 0, 1000), []
    between_reads(monkeypatch, lambda: seen.append(archive.search(GameSearch(), 0, 1000)))
    with Ledger(path) as ledger:
        rule(ledger, "annul", ["fault"], "it was a test")
    archive.refresh()
    assert seen == [before] * (before.total - 1)
    assert archive.search(GameSearch(), 0, 1000).games == before.games[1:]


def test_an_archive_is_complete_when_all_games_are_read(path, monkeypatch):
    with closing(Archive(path)) as archive:
        seen = []
        between_reads(monkeypatch, lambda: seen.append(archive.is_complete))
        archive.refresh()
        assert archive.is_complete
    assert seen
    assert not any(seen)


def test_another_ledger_in_its_place_is_noticed(path, archive, tmp_path):
    other = tmp_path / "other.sqlite"
    make_ledger(other, ("x", "y"), games=[create_game("xodd", 3)])
    other.replace(path)
    archive.refresh()
    assert archive.engines() == ["x", "y"]
    path.unlink()
    with pytest.raises(LedgerError, match="there is no ledger"):
        archive.refresh()


@pytest.mark.parametrize(
    ("column", "value"),
    [("winner", "nobody"), ("game", "[]"), ("termination", "boredom"), ("turns", "many")],
)
def test_a_row_that_is_no_game_is_damage(path, column, value):
    changed(path, f"update summaries set {column} = ? where number = 2", value)  # noqa: S608
    with closing(Archive(path)) as archive, pytest.raises(LedgerError, match="damaged"):
        archive.refresh()
