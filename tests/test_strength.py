"""`python -m benchmarks.strength`: rows that go on, and a table of what is there."""

import json
import sys

import pytest

from benchmarks.strength import __main__ as strength
from benchmarks.strength import rows
from benchmarks.strength.rows import Errors, Kept, Match, all_rows
from oddly.tournaments.ledger.event_facts import event_facts
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.toml.tournament_file import load_tournament


def run(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["strength", *words])
    return strength.main()


def test_every_row_that_plays_games_is_a_tournament(tmp_path):
    for row in all_rows().values():
        if isinstance(row, Match):
            file = tmp_path / f"{row.name}.toml"
            file.write_text(row.toml())
            assert load_tournament(file).name == row.name


def test_a_row_goes_on_where_it_stopped_and_the_table_tells_its_score(monkeypatch, tmp_path, capfd):
    def engine(name, options):
        command = [sys.executable, "-m", "oddly", "engine", options]
        return ["", "[[engine]]", f'name = "{name}"', f"command = {json.dumps(command)}"]

    monkeypatch.setattr(rows, "engine", engine)
    quick = Match("quick", "yodd", 2, "greedy", "random", 4)
    monkeypatch.setattr(strength, "all_rows", lambda: {"quick": quick})
    assert run(monkeypatch, str(tmp_path), "--table") == 0
    assert "quick" not in capfd.readouterr().out
    assert run(monkeypatch, str(tmp_path)) == 0
    (line,) = (x for x in capfd.readouterr().out.splitlines() if x.startswith("| quick"))
    assert [cell.strip() for cell in line.split("|")][2:4] == ["yodd 2: greedy v random", "4"]
    assert run(monkeypatch, str(tmp_path), "quick") == 0
    assert line in capfd.readouterr().out


def test_a_row_whose_first_game_goes_on_has_no_line_yet(tmp_path):
    row = Match("begun", "yodd", 2, "one", "two", 2)
    (tmp_path / "begun.toml").write_text(row.toml())
    with Ledger(tmp_path / "begun.sqlite") as ledger:
        ledger.begin(event_facts(load_tournament(tmp_path / "begun.toml")))
    assert strength.lines_of(row, tmp_path) == []


def test_errors_are_kept_and_told_by_board(tmp_path):
    row = Errors("errors-1s", "", "1")
    board = {"board": "ayu 5", "positions": 50, "thrown": 1, "share": 0.02}
    kept = {"boards": [{**board, "low": 0.004, "high": 0.105}]}
    (tmp_path / "errors-1s.json").write_text(json.dumps(kept))
    assert strength.play(row, tmp_path)
    ((_, what, positions, result, bars),) = strength.lines_of(row, tmp_path)
    assert (what, positions) == ("ayu 5: proven wins thrown away", 50)
    assert (result, bars) == ("1 (2.0%)", "0.4% to 10.5%")


def test_pondering_keeps_what_the_expected_reply_was_visited(tmp_path):
    row = Kept("pondering", "yodd", 3, 2, 3000)
    assert strength.play(row, tmp_path)
    ((_, what, _, kept, _),) = strength.lines_of(row, tmp_path)
    assert what == "yodd 3: visits of the expected reply, of 3,000"
    assert 0 < int(kept.replace(",", "")) < 3000


def test_an_unknown_row_is_named(monkeypatch, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run(monkeypatch, str(tmp_path), "errors-1")
    assert "did you mean 'errors-1s'?" in capsys.readouterr().err
