"""`oddly rule` gives rulings, and every table cites them."""

import json
import signal

import pytest
from click.shell_completion import ShellComplete

from oddly.arena.effects import Batch, Finished
from oddly.interfaces.command_line.main import PROGRAM
from oddly.tournaments import rule
from oddly.tournaments.ledger.store import Ledger
from tests.arena.store.test_store import POOL, new_game, store
from tests.arena.store.test_store import ledger as pool_ledger
from tests.arena.store.test_store import played as play
from tests.patience import PATIENCE
from tests.tournaments.ledger.test_rulings import GAMES
from tests.tournaments.ledger.test_rulings import path as ledger  # noqa: F401 - a fixture
from tests.tournaments.ledger.test_store import FACTS, HOSTILE
from tests.tournaments.toml.written import records_of, started, tournament_file

REASON = "the <b>disk</b> was full"


def test_a_ruling_is_cited_by_every_table(ledger, tmp_path, output, facts):  # noqa: F811
    identity = GAMES[1].id
    (line,) = output("rule", ledger, "annul", identity, "--reason", REASON).splitlines()
    assert line.endswith(f": game {identity} is annulled: {REASON}")
    for words in (["rule"], ["standings"], ["ratings"], ["ratings", "--over-time"]):
        told = output(words[0], ledger, *words[1:])
        assert told.replace("\n  ", " ").splitlines()[-1] == line
        (fact,) = facts(words[0], ledger, *words[1:])["rulings"]
        assert (fact["kind"], fact["name"], fact["reason"]) == ("annul", identity, REASON)
    output("report", ledger, "--output", tmp_path / "x.html")
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "the &lt;b&gt;disk&lt;/b&gt; was full" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("anul x --reason y", "did you mean 'annul'"),
        ("annul --reason y", "annul needs the name of a game"),
        ("retire a", "retire needs a --reason"),
        ("retire idel --reason y", "did you mean 'idle'"),
        ("--reason y", "--reason goes with"),
    ],
)
def test_bad_words_are_one_sentence(ledger, words, said, output, refusal):  # noqa: F811
    assert said in refusal("rule", ledger, *words.split())
    assert output("rule", ledger) == f"{ledger} has no rulings\n"


def test_no_ledger_is_made(tmp_path, refusal, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "there is no ledger" in refusal("rule x.sqlite retire a --reason y")
    assert not list(tmp_path.iterdir())
    (tmp_path / "x.sqlite").touch()
    for words in ("rule x.sqlite retire a --reason y", "rule x.sqlite", "standings x.sqlite"):
        assert "x.sqlite is an empty file, not a ledger of oddly" in refusal(words)
    assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [("x.sqlite", 0)]


def test_an_arena_rules_on_its_own_games(tmp_path, output, refusal):
    """The bug: the arena went on with a game that its ledger had annulled."""
    with store(tmp_path) as arena:
        game = new_game()
        arena.write(Batch([*play(game), Finished(game.id, game.record(), POOL.name)]), 20.0)
        arena.file_games()
    pool, copy = pool_ledger(tmp_path), tmp_path / "elsewhere.sqlite"
    copy.write_bytes(pool.read_bytes())
    words = "annul", game.id, "--reason", REASON
    said = refusal("rule", pool, *words)
    assert "'oddly arena ARENA.toml annul NAME --reason TEXT' rules in both" in said
    assert output("rule", pool) == f"{pool} has no rulings\n"
    assert f"game {game.id} is annulled" in output("rule", copy, *words)


def test_a_run_that_writes_is_told_of(ledger, oddly):  # noqa: F811
    with Ledger(ledger):
        said = oddly("rule", ledger, "retire", "a", "--reason", "y").err
    assert "it follows a ruling on an engine before its next game" in said


@pytest.mark.parametrize(("format_", "is_told"), [("round-robin", True), ("knockout", False)])
def test_games_missed_by_a_retired_engine_wait_for_the_next_run_unless_this_one_plays_them(
    tmp_path, oddly, format_, is_told
):
    with Ledger(tmp_path / "x.sqlite") as opened:
        opened.begin({**FACTS, "format": format_, "engines": {"a": {}}})
        said = oddly("rule", opened.path, "retire", "a", "--reason", "y").err
    assert ("those that an engine missed while it was retired" in said) == is_told


@pytest.mark.sampled
def test_a_run_says_that_games_were_annulled_meanwhile_and_goes_on_with_them(tmp_path, facts):
    path = tournament_file(tmp_path, "cup", 'format = "knockout"\npairs = 4\nextra_pairs = 0')
    process = started(path, "--json", "--concurrency", "1")
    while not (games := list(records_of(path.with_suffix(".sqlite")))):
        assert process.poll() is None
    process.send_signal(signal.SIGUSR1)
    # Two signals in one moment may arrive as one.
    while "paused" not in process.stderr.readline():
        assert process.poll() is None
    with Ledger(path.with_suffix(".sqlite"), beside_run=True) as opened:
        rule(opened, "annul", games[:1], "a power cut")
    process.send_signal(signal.SIGUSR1)
    output, error = process.communicate(timeout=PATIENCE)
    said = "1 game was annulled meanwhile; the same command plays again what is needed\n"
    assert error.endswith(said)
    (bracket,) = json.loads(output)["format"].values()
    assert bracket["winner"] is None
    assert sum(bracket["encounters"][0]["points"]) == 7
    (bracket,) = facts("tournament", path)["format"].values()
    assert bracket["winner"] is not None
    assert sum(bracket["encounters"][0]["points"]) == 8


@pytest.mark.parametrize(
    ("kind", "begun", "names"),
    [
        ("annul", GAMES[0].id[:5], [GAMES[0].id]),
        ("retire", "i", ["idle"]),
        ("pardon", "", ["a", "idle", HOSTILE]),
        ("restore", "", []),
    ],
)
def test_a_shell_completes_games_and_engines(ledger, kind, begun, names):  # noqa: F811
    shell = ShellComplete(PROGRAM, {}, "oddly", "X")
    found = shell.get_completions(["rule", str(ledger), kind], begun)
    assert [item.value for item in found] == names
