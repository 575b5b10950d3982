"""`oddly rule` gives rulings, and every table cites them."""

import pytest
from click.shell_completion import ShellComplete

from oddly.interfaces.command_line.main import PROGRAM
from oddly.tournaments.ledger.store import Ledger
from tests.tournaments.ledger.test_rulings import GAMES
from tests.tournaments.ledger.test_rulings import path as ledger  # noqa: F401 - a fixture
from tests.tournaments.ledger.test_store import HOSTILE

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


def test_a_run_that_writes_is_told_of(ledger, oddly):  # noqa: F811
    with Ledger(ledger):
        said = oddly("rule", ledger, "pardon", "a", "--reason", "y").err
    assert "it follows a ruling on an engine before its next game" in said


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
