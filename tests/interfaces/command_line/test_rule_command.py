"""`oddly rule` gives rulings, and every table cites them."""

import json

import pytest
from click.shell_completion import ShellComplete

from oddly.interfaces.command_line import main
from oddly.interfaces.command_line.main import PROGRAM
from oddly.tournaments.ledger.store import Ledger
from tests.tournaments.ledger.test_rulings import GAMES, path  # noqa: F401 - a fixture
from tests.tournaments.ledger.test_store import HOSTILE

REASON = "the <b>disk</b> was full"


@pytest.fixture
def ledger(path):  # noqa: F811
    return str(path)


def test_a_ruling_is_cited_by_every_table(ledger, tmp_path, capsys):
    identity = GAMES[1].id
    assert main(["rule", ledger, "annul", identity, "--reason", REASON]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith(f": game {identity} is annulled: {REASON}")
    for words in (["rule"], ["standings"], ["ratings"], ["ratings", "--over-time"]):
        assert main([words[0], ledger, *words[1:]]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == line
        assert main([words[0], ledger, *words[1:], "--json"]) == 0
        (fact,) = json.loads(capsys.readouterr().out)["rulings"]
        assert (fact["kind"], fact["name"], fact["reason"]) == ("annul", identity, REASON)
    assert main(["report", ledger, "--output", str(tmp_path / "x.html")]) == 0
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "the &lt;b&gt;disk&lt;/b&gt; was full" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["anul", "x", "--reason", "y"], "did you mean 'annul'"),
        (["annul", "--reason", "y"], "annul needs the name of a game"),
        (["retire", "a"], "retire needs a --reason"),
        (["retire", "idel", "--reason", "y"], "did you mean 'idle'"),
        (["--reason", "y"], "--reason goes with"),
    ],
)
def test_bad_words_are_one_sentence(ledger, words, said, capsys):
    assert main(["rule", ledger, *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert main(["rule", ledger]) == 0
    assert capsys.readouterr().out == f"{ledger} has no rulings\n"


def test_no_ledger_is_made(tmp_path, capsys):
    assert main(["rule", str(tmp_path / "x.sqlite"), "retire", "a", "--reason", "y"]) == 2
    assert "there is no ledger" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_run_that_writes_is_told_of(ledger, path, capsys):  # noqa: F811
    with Ledger(path):
        assert main(["rule", ledger, "pardon", "a", "--reason", "y"]) == 0
    assert "it follows a ruling on an engine before its next game" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "begun", "names"),
    [
        ("annul", GAMES[0].id[:5], [GAMES[0].id]),
        ("retire", "i", ["idle"]),
        ("pardon", "", ["a", "idle", HOSTILE]),
        ("restore", "", []),
    ],
)
def test_a_shell_completes_games_and_engines(ledger, kind, begun, names):
    found = ShellComplete(PROGRAM, {}, "oddly", "X").get_completions(["rule", ledger, kind], begun)
    assert [item.value for item in found] == names
