"""`oddly study`, from the command line to its files: every game, going on, and bad input."""

import json
import re
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from oddly.interfaces.command_line import main
from oddly.interfaces.command_line.study_commands import stopped
from oddly.study import sections
from oddly.tournaments import FixedPlan, Ledger, Run, rule

BOARDS = [
    ("yodd-2", ["--game", "yodd", "--size", "2"]),
    ("xodd-3", ["--game", "xodd", "--size", "3", "--engine", "rave", "--levels", "4"]),
    ("odd-2-square-2", ["--game", "odd", "--size", "2", "--board", "square", "--min-group", "2"]),
    ("ayu-5-pie", ["--game", "ayu", "--size", "5", "--pie"]),
]
QUICK = ["--engine", "greedy", "--games", "2", "--simulations", "8", "--concurrency", "2"]
TABLES = {
    "balance": ["both players", "games", "first player's points", "drawn"],
    "ladder": [
        "strong", "weak", "games", "strong's points", "Elo", "Elo a doubling",
        "first player's points", "turns",
    ],
    "mirrors": ["strategy", "against", "games", "its points"],
    "length": ["both players", "games", "turns", "actions"],
    "branching": ["turns", "games that long", "branching factor"],
    "complexity": ["of what", "how", "log10"],
    "distinct": [
        "actions", "positions after so many", "after up to so many", "up to symmetry",
        "of finished games",
    ],
    "leads": ["what", "games", "share"],
    "measures": ["measure", "games", "value"],
    "chosen": ["actions", "how many"],
    "quality": [
        "of the game", "positions", "legal actions", "good", "bad", "only one good action",
    ],
    "chosen_first": [
        "first turn", "turns like it", "games", "of all games", "first player's points",
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_effort(monkeypatch):
    few = {"random_games": 20, "courses": 1, "positions": 3, "max_positions": 500}
    monkeypatch.setattr(sections, "Effort", partial(sections.Effort, **few))


def figures(value):
    """All figures with an interval in some JSON."""
    if isinstance(value, dict) and "interval" in value:
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from figures(item)


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "words"), BOARDS, ids=[name for name, _ in BOARDS])
def test_a_study_has_all_tables_in_three_forms(name, words, tmp_path, output, monkeypatch):
    monkeypatch.setattr(sections, "has_published", lambda game: game.name == "xodd")
    assert output("study", *QUICK, *words, "--output", tmp_path).split() == [
        str(tmp_path / f"{name}.{suffix}") for suffix in ("md", "json", "html", "games.jsonl.xz")
    ]
    facts = json.loads((tmp_path / f"{name}.json").read_text())
    columns = {key: table["columns"] for key, table in facts["tables"].items()}
    columns.pop("kinds", None)
    columns.pop("trend", None)
    if name == "xodd-3":
        # Every published figure finds its own, whatever the board.
        assert columns.pop("published") == ["figure", "published", "here", "ours is"]
        assert all(row[2] is not None for row in facts["tables"]["published"]["rows"])
    assert columns == TABLES
    for table in facts["tables"].values():
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
    for figure in figures(facts):
        if figure["low"] is not None:
            assert figure["low"] <= figure["value"] <= figure["high"]
    assert all(heat["values"] for heat in facts["heat_maps"].values())
    assert {"branching_by_turn", "groups_by_turn", "lead_by_turn"} == set(facts["charts"])
    check_markdown(tmp_path, name, facts)
    check_page((tmp_path / f"{name}.html").read_text(), facts)


def check_markdown(folder, name, facts):
    text = (folder / f"{name}.md").read_text()
    for table in facts["tables"].values():
        assert f"\n### {table['title']}\n" in text
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert len(pictures) == len(facts["charts"]) + len(facts["heat_maps"])
    for picture in pictures:
        assert ET.fromstring((folder / picture).read_text()).tag.endswith("svg")  # noqa: S314


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses, self.titles = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [
            value for key, value in attrs if key in ("src", "href") and value[0] != "#"
        ]

    def handle_data(self, data):
        self.titles.append(data)


def check_page(text, facts):
    page = Page(text)
    assert page.addresses == []
    assert "script" not in page.tags
    assert page.tags.count("table") == len(facts["tables"])
    assert page.tags.count("svg") == len(facts["charts"]) + len(facts["heat_maps"])
    assert "default-src 'none'" in text
    assert {table["title"] for table in facts["tables"].values()} <= set(page.titles)


@pytest.mark.sampled
def test_a_study_goes_on_from_its_ledger_and_grows(tmp_path, output, oddly, monkeypatch):
    words = ["study", "--game", "xodd", "--size", "3", "--engine", "random", "--seed", "3"]
    words += ["--concurrency", "1", "--output", str(tmp_path)]
    assert main([*words, "--games", "2"]) == 0
    first = json.loads((tmp_path / "xodd-3.json").read_text())
    with Ledger(tmp_path / "xodd-3.sqlite") as ledger:
        rule(ledger, "annul", [next(iter(ledger.records()))], "a power cut")
    shown = oddly(*words, "--games", "3", "--json")
    assert "rounds changed from 1 to 2" in shown.err
    assert "15 of 32 games were played before" in shown.err
    second = json.loads(shown.out[shown.out.index("{") :])
    assert second["tables"]["balance"]["rows"][0][1] == 4
    assert first["tables"]["balance"]["rows"][0][1] == 2

    assert "32 of 32 games" in output("standings", tmp_path / "xodd-3.sqlite")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("oddly.study.published.make_study", stop)
    assert "the same command goes on" in oddly(*words, "--games", "3", code=3).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--game", "yod"], "unknown game 'yod'"),
        (["--game", "yodd", "--engine", "raev"], "did you mean 'rave'?"),
        (["--game", "yodd", "--engine", "misbehave"], "unknown engine 'misbehave'"),
        (["--game", "yodd", "--levels", "30,x"], "whole numbers from 1, separated by commas"),
        (["--game", "yodd", "--levels=-1"], "whole numbers from 1, separated by commas"),
        (["--game", "yodd", "--levels", "30,30"], "increasing numbers are expected, not '30,30'"),
        (["--game", "yodd", "--levels", "0,30"], "numbers from 1 to"),
        (
            ["--game", "yodd", "--engine", "greedy", "--levels", "9"],
            "an engine that searches, not greedy",
        ),
        (["--game", "yodd", "--games", "0"], "a whole number from 1 is expected, not '0'"),
        (["--game", "yodd", "--equal-games", "9,x"], "whole numbers from 1, separated by commas"),
        (["--game", "yodd", "--equal-games", "0"], "whole numbers from 1, separated by commas"),
        (["--game", "yodd", "--equal-games", "9,9"], "2 numbers of games between equals for 5"),
        (["--game", "odd", "--games", "100000"], "1,600,000 games are too many: at most 1,000,000"),
        (["--game", "yodd", "--output", "/dev/null/x"], "cannot write to /dev/null/x"),
    ],
)
def test_bad_input_is_one_sentence(refusal, words, said):
    assert said in refusal("study", *words)


@pytest.mark.sampled
def test_games_of_another_study_are_refused(tmp_path, refusal, oddly):
    words = ["--game", "odd", "--size", "2", "--engine", "random", "--games", "2"]
    ledger = ["--ledger", str(tmp_path / "games.sqlite"), "--output", str(tmp_path)]
    oddly("study", *words, *ledger, "--concurrency", "1")
    said = refusal("study", *words, *ledger, "--seed", "4")
    assert "has games of another study: --seed was 0 and is 4 now. Undo the change" in said
    (tmp_path / "games.sqlite").write_text("not a database, not at all")
    assert "is not a ledger" in refusal("study", *words, *ledger)


HOW_TO_GO_ON = "interrupted: 0 of 4 games were played; the same command goes on from there\n"


@pytest.mark.parametrize(
    ("is_interrupted", "code", "more"), [(False, 1, ""), (True, 3, HOW_TO_GO_ON)]
)
def test_an_interrupted_study_says_so_also_after_a_failure(capsys, is_interrupted, code, more):
    run = Run(FixedPlan([]), 4, failures=["the disk is full"], interrupted=is_interrupted)
    assert stopped(run, Path("study.sqlite")) == code
    assert capsys.readouterr().err == f"oddly: the disk is full\n{more}"
