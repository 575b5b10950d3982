"""Tables look as before, in every format, whatever the name of an engine."""

import json

import pytest

from oddly.interfaces.text.summary_tables import MAX_CROSSTABLE, ratings_by_game, summaries_text
from oddly.interfaces.text.tables import table_formats
from oddly.tournaments.results.game_summary import game_summaries
from oddly.tournaments.results.results_json import results_json
from tests.interfaces.text.make_golden import FOLDER, FORMATS, NAMES, RESULTS, golden
from tests.tournaments.results.outcomes import HOSTILE, league


@pytest.mark.parametrize("format_", FORMATS)
def test_a_table_is_the_golden_one(format_):
    assert golden(format_) == (FOLDER / f"{format_}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("format_", table_formats())
def test_no_format_lets_a_control_character_through(format_):
    text = golden(format_)
    assert "\x1b" not in text
    assert "strong" in text


def test_html_and_markdown_escape_what_strangers_call_themselves():
    assert "<script>" not in golden("html")
    assert "&lt;script&gt;" in golden("html")
    assert "<script" not in golden("github")


@pytest.mark.parametrize("format_", ["github", "pipe", "orgtbl", "jira", "youtrack"])
def test_a_bar_in_a_name_adds_no_cell(format_):
    rows = [line for line in golden(format_).splitlines() if line.startswith("|")]
    # Twelve columns of standings, nine without ratings, five of a crosstable; double bars around
    # headings count once.
    plain = [
        row.replace("\\|", "").replace("+-95", "").replace("||", "|").replace("+", "|")
        for row in rows
    ]
    assert {row.count("|") for row in plain} == {13, 10, 6}


@pytest.mark.parametrize("format_", ["asciidoc", "mediawiki", "moinmoin", "textile"])
def test_a_bar_in_a_name_is_never_bare(format_):
    assert "script>|" not in golden(format_).replace("&gt;", ">")


def test_a_spreadsheet_does_not_take_a_name_for_a_formula():
    text = summaries_text(game_summaries(["=cmd", "b"], league(["=cmd", "b"], "1")), "tsv")
    assert "\t'=cmd" in text


def test_formats_that_pass_markup_through_are_not_offered():
    assert "unsafehtml" not in table_formats()


def test_one_game_has_no_total_and_several_have():
    assert "all games" not in summaries_text(game_summaries(NAMES, league(NAMES, RESULTS)))
    assert "all games" in summaries_text(game_summaries(NAMES, league(NAMES, RESULTS, games=2)))


def test_json_has_the_same_facts():
    summaries = game_summaries(NAMES, league(NAMES, RESULTS, games=2))
    value = json.loads(json.dumps(results_json(summaries)))
    titles = [table["title"] for table in value["tables"]]
    assert titles == ["yodd 3", "ayu 5 (pie false)", "all games"]
    total = value["tables"][-1]
    assert {row["name"] for row in total["standings"]} == set(NAMES)
    assert total["crosstable"]["strong"]["middling"]["wins"] >= 1
    assert HOSTILE in total["crosstable"]
    assert [row["elo"] for row in total["standings"]] == [None] * 3
    assert total["first_player_advantage"] is None


def test_a_wide_crosstable_is_printed_only_if_it_is_asked_for():
    names = [f"e{number:02}" for number in range(MAX_CROSSTABLE + 1)]
    wide = game_summaries(names, league(names, "1"))
    narrow = game_summaries(names[1:], league(names[1:], "1"))
    assert "wins-losses against" in summaries_text(narrow)
    text = summaries_text(wide)
    assert "wins-losses against" not in text
    assert "The crosstable of 21 engines is left out" in text
    assert max(map(len, text.splitlines())) < 130
    assert "wins-losses against" in summaries_text(wide, crosstable=True)
    assert "left out" not in summaries_text(wide, crosstable=False)
    text = summaries_text(wide, top=3)
    assert "wins-losses against" in text
    assert "The first 3 of 21 engines." in text
    last = wide[0].order[3]
    assert last not in text


@pytest.mark.parametrize(
    ("names", "rated", "games"), [("abc", False, 2), ("abcdefg", True, 2), ("ab", False, 1)]
)
def test_every_engine_has_its_rating_at_every_game(names, rated, games):
    names = list(names)
    summaries = game_summaries(names, league(names, "112", games))
    lines = ratings_by_game(summaries).splitlines()
    assert lines[0].split() == ["engine", "yodd", "3", "ayu", "5"][: 1 + 2 * games]
    for line, name in zip(lines[2:], summaries[-1].order, strict=True):
        assert line.split()[1] == name
        for summary in summaries[:games]:
            unknown, error = summary.strength.unknown(name), summary.strength.error_95(name)
            assert (unknown is None) == rated
            assert (unknown or f"{summary.strength.elo(name):z.0f} +- {error:.0f}") in line
