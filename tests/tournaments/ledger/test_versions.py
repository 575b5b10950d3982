"""A ledger that oddly 1.0.0 wrote opens, is verified and goes on; other versions are refused."""

import gzip

import pytest

from oddly.safe_files import lock, unlock
from oddly.tournaments import Ledger, LedgerError, rule, salvage, verify
from oddly.tournaments.ledger.schema import VERSION
from tests.databases import changed
from tests.source import ROOT
from tests.tournaments.toml.written import tournament_file

FIRST = ROOT / "tests" / "data" / "ledgers" / "1.0.0.sqlite.gz"
"""Written by oddly 1.0.0: a round robin of two rounds, and a ruling that annuls the first game."""
ANNULLED = "6edc183f3b712ba2"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "spring.sqlite"
    path.write_bytes(gzip.decompress(FIRST.read_bytes()))
    return path


def test_it_is_read_and_verified_as_it_is(path, output):
    before = path.read_bytes()
    with Ledger(path, read_only=True) as ledger:
        assert ledger.counts() == {
            ("random", "greedy", "second"): 1,
            ("greedy", "random", "first"): 2,
        }
        assert ledger.rulings().annulled == {ANNULLED}
        assert len(ledger.engines()) == 2
    said = output("verify", path)
    assert f"{path} is sound: 4 games, a chain of 7 entries up to " in said
    assert "it is of version 2, whose chain does not cover plans, engines and deaths" in said
    assert path.read_bytes() == before


def test_a_run_goes_on_with_it_and_its_chain_covers_everything_then(path, tmp_path, oddly):
    engines = {name: ["oddly", "engine", name] for name in ("random", "greedy")}
    game = 'game = "odd"\nsize = 3'
    keys = 'rounds = 3\nseed = 1\ntime = "5"'
    assert (
        "rounds changed from 2 to 3"
        in oddly("tournament", tournament_file(tmp_path, "spring", keys, game, engines)).err
    )
    found = verify(path)
    assert (found.games, found.problems, found.lacks) == (7, [], "")
    changed(path, "update engines set hash = 'x' where rowid = 1")
    assert [problem.what for problem in verify(path).problems] == [
        "engine 1 does not match the chain"
    ]


def test_what_is_salvaged_from_it_is_of_this_version(path, tmp_path):
    found = salvage(path, tmp_path / "good")
    assert (found.saved, found.unproven, found.lost) == (4, 0, [])
    assert verify(tmp_path / "good").version == VERSION


def test_a_ruling_beside_a_run_leaves_it_of_its_version(path):
    """The run that holds it may be one of 1.0.0, which goes on without entries for engines."""
    held = lock(path)
    with Ledger(path, beside_run=True) as ledger:
        rule(ledger, "retire", ["random"], "it was us")
    unlock(held)
    found = verify(path)
    assert (found.version, found.problems) == (2, [])


def test_summaries_that_its_merge_left_to_the_next_run_are_written_by_it(path):
    changed(path, "delete from summaries")
    with pytest.raises(LedgerError, match="lacks the summaries of games: a run that goes on with"):
        Ledger(path, read_only=True)
    assert verify(path).problems == []
    with Ledger(path) as ledger:
        assert sum(ledger.counts().values()) == 3
    assert verify(path).problems == []


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("version", "way"),
    [(VERSION + 1, "install a newer one"), (1, "'oddly salvage' makes a new ledger of its games")],
)
def test_another_version_is_refused(path, tmp_path, version, way, read_only):
    changed(path, f"pragma user_version = {version}")
    said = f"{path} is a ledger of version {version}; this oddly knows 2 to 3: {way}"
    with pytest.raises(LedgerError) as raised:
        Ledger(path, read_only=read_only)
    assert str(raised.value) == said
    assert salvage(path, tmp_path / "good").saved == 4
