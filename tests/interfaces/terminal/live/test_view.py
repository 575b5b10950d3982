"""The view is a function of a run and a size: golden pictures, and properties at every size.

What happens in a run is in the snapshots of it.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from oddly.games.catalogue import create_game
from oddly.interfaces.terminal.live.lines import clock_text, fitted
from oddly.interfaces.terminal.live.view import SAID_FOR, RunHistory, view
from oddly.referee.justice.outcome import Termination
from oddly.tournaments.results.game_summary import game_summaries
from oddly.tournaments.results.schedule import PlayedGame
from oddly.tournaments.run.control import PAUSED, Control
from tests.interfaces.terminal.live import run_snapshots as scenes
from tests.interfaces.terminal.live.run_snapshots import ENDS, NAMES, golden, history, run
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.results.outcomes import league

RUNNING = st.integers(0, 9)


@pytest.mark.parametrize("size", scenes.SIZES)
@pytest.mark.parametrize("name", scenes.SCENES)
def test_a_picture_is_the_golden_one(name, size):
    assert golden(name, *size) == scenes.path(name, *size).read_text(encoding="utf-8")


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 12), RUNNING, st.integers(1, 150), st.integers(1, 60), st.booleans(),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_it_fits_every_terminal(games, running, width, height, helping, paused, unknown):
    shown = run(games, running, helping=helping, paused=paused)
    if unknown:
        shown = replace(shown, games=None)
    lines = view(shown, width, height)
    assert 1 <= len(lines) <= height
    for line in lines:
        assert line.cell_len <= width
        assert line.plain.isprintable()


def test_what_is_printed_has_no_markup_and_no_escapes_of_strangers():
    console = Console(width=120, record=True, force_terminal=True, color_system="truecolor")
    with console.capture() as capture:
        for line in view(run(9, 3, names=("[red]a[/red]", *NAMES[1:])), 120, 40):
            console.print(line)
    assert "[red]" in capture.get()
    assert "\x1b[31m<script>" not in capture.get()


def test_without_utf_8_the_bar_is_of_plain_characters():
    lines = view(run(9, 1, names=NAMES[:3]), 80, 24, ascii_only=True)
    assert all(line.plain.isascii() for line in lines)


def test_a_player_has_what_the_game_counts():
    told = history(0, 3, boards=(create_game("ayu", 5),))
    shown = "".join(line.plain for line in view(told.snapshot(7.5), 120, 40))
    assert "5 units" in shown
    assert "group" not in shown


def test_a_terminal_of_forty_by_ten_has_the_bar_and_the_games():
    lines = [line.plain for line in view(run(9, 12), 40, 10)]
    assert lines[0].startswith("9/480   ")
    assert len(lines) == 10
    assert lines[-1] == "and 4 more"


def test_standings_are_cut_where_there_is_no_room():
    names = tuple(f"engine {number}" for number in range(20))
    lines = [line.plain for line in view(run(20, 1, names=names), 80, 24)]
    assert "    and 16 more" in lines


def test_the_time_to_go_is_by_the_mean_of_the_games_of_this_run():
    told = history(4, 2)
    at = told.snapshot(41.0)
    # A game took 30 s; of 476 games left, two have been played for a second each.
    assert at.seconds_left == pytest.approx((476 * 30 - 2 * 1) / 2)
    assert history(0, 2).snapshot(1.0).seconds_left is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(-1, "0.0"), (9.34, "9.3"), (65, "1:05"), (7384.9, "2:03:04")]
)
def test_clocks(seconds, text):
    assert clock_text(seconds) == text


@given(st.text(st.characters(categories=["L", "N", "P"])), st.integers(0, 30))
def test_words_fill_their_columns(words, width):
    from rich.cells import cell_len

    assert cell_len(fitted(words, width)) == width


def test_where_nobody_listens_no_keys_are_promised():
    lines = view(run(9, 1, has_keys=False), 80, 24)
    assert "q stop" not in lines[-1].plain
    assert "Ctrl-C" in lines[-1].plain


def test_a_small_terminal_shows_help_and_what_is_said_too():
    helped = [line.plain for line in view(run(9, 3, helping=True), 60, 8)]
    assert any("pause" in line for line in helped)
    told = [line.plain for line in view(run(9, 3, said="games at once: 2"), 40, 8)]
    assert told[-1] == "games at once: 2"


PLAYERS = ["a", "b", "c"]


@settings(deadline=None)
@given(st.text("12dfv", min_size=1, max_size=12), st.integers(0, 6))
def test_standings_are_those_of_the_tables(spelled, split):
    played = league(PLAYERS, spelled)
    told = RunHistory("", len(played), PLAYERS, Control(1), 0.0, played[:split])
    for game in played[split:]:
        told.began(game.scheduled, 1.0)
        told.ended(game, 2.0)
    summary = told.snapshot(3.0).results.summary
    (expected,) = game_summaries(PLAYERS, played)
    assert summary.table == expected.table
    for name in PLAYERS if expected.strength else ():
        assert summary.strength.elo(name) == expected.strength.elo(name)
        assert summary.strength.error_95(name) == expected.strength.error_95(name)
    assert told.snapshot(3.0).faults == sum(
        game.outcome.is_forfeit or game.outcome.is_void for game in played
    )


def test_a_scene_is_not_changed_by_what_comes_later():
    told = history(4, 2)
    before = told.snapshot(50.0)
    rows = before.results.summary.table
    counts = before.results.counts.results.copy()
    for game in before.running:
        told.ended(PlayedGame(game.scheduled, ENDS[0]), 60.0)
    assert len(before.running) == 2
    assert before.results.summary.table == rows
    assert before.results.counts.results == counts
    assert told.snapshot(60.0).played == before.played + 2


def test_tab_shows_the_standings_of_the_next_game():
    boards = [create_game("yodd", 3), create_game("odd", 2)]
    schedule = round_robin(boards, PLAYERS, 1, 0)
    told = RunHistory("", len(schedule), PLAYERS, Control(1), 0.0)
    told.next_game()
    assert told.snapshot(0.0).results is None
    for scheduled in schedule:
        told.began(scheduled, 0.0)
        told.ended(PlayedGame(scheduled, ENDS[0]), 1.0)
    seen = []
    for _ in range(3):
        seen.append(told.snapshot(2.0).results.title)
        told.next_game()
    assert seen == [str(boards[1]), str(boards[0]), str(boards[1])]


@pytest.mark.parametrize(
    ("reports", "said"),
    [({}, "reports nothing beyond the standings"), ({"yodd 3": None}, "nothing to report yet")],
)
def test_a_format_without_a_report_does_not_promise_one(reports, said):
    told = RunHistory("", 1, PLAYERS, Control(1), 0.0, reports=lambda: reports)
    told.reporting = True
    shown = "\n".join(map(str, view(told.snapshot(1.0), 80, 24)))
    assert said in shown
    told.reporting = False
    assert told.snapshot(1.0).report == ()


def test_what_was_said_is_shown_for_a_while_and_a_pause_for_as_long_as_it_lasts():
    control = Control(2)
    told = RunHistory("", 1, PLAYERS, control, 0.0)
    control.listen(lambda what: told.said(what, 10.0))
    control.more()
    assert told.snapshot(10.0 + SAID_FOR - 1).said == "games at once: 3"
    assert told.snapshot(10.0 + SAID_FOR).said == ""
    control.pause_or_resume()
    assert told.snapshot(1000.0).said == PAUSED
    assert told.snapshot(1000.0).paused


def test_only_faults_are_told_again_at_the_end():
    told = history(8, 0)
    assert told.faults_here == len(told.fault_lines) == 4
    for line, termination in zip(told.fault_lines, ("crash", "time") * 2, strict=True):
        assert Termination(termination).value in line
        assert line.isprintable()
