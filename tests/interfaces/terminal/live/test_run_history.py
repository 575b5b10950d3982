"""What happens in a run is in the snapshots of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.interfaces.terminal.live.view import SAID_FOR, RunHistory, view
from oddly.referee.justice.outcome import Termination
from oddly.tournaments.results.game_summary import game_summaries
from oddly.tournaments.results.schedule import PlayedGame
from oddly.tournaments.run.observer import PAUSED, Control
from tests.interfaces.terminal.live.run_snapshots import ENDS, history
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.results.outcomes import league

NAMES = ["a", "b", "c"]


@settings(deadline=None)
@given(st.text("12dfv", min_size=1, max_size=12), st.integers(0, 6))
def test_standings_are_those_of_the_tables(spelled, split):
    played = league(NAMES, spelled)
    told = RunHistory("", len(played), NAMES, Control(1), 0.0, played[:split])
    for game in played[split:]:
        told.began(game.scheduled, 1.0)
        told.ended(game, 2.0)
    summary = told.snapshot(3.0).results.summary
    (expected,) = game_summaries(NAMES, played)
    assert summary.table == expected.table
    for name in NAMES if expected.strength else ():
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
    schedule = round_robin(boards, NAMES, 1, 0)
    told = RunHistory("", len(schedule), NAMES, Control(1), 0.0)
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
    told = RunHistory("", 1, NAMES, Control(1), 0.0, reports=lambda: reports)
    told.reporting = True
    shown = "\n".join(map(str, view(told.snapshot(1.0), 80, 24)))
    assert said in shown
    told.reporting = False
    assert told.snapshot(1.0).report == ()


def test_what_was_said_is_shown_for_a_while_and_a_pause_for_as_long_as_it_lasts():
    control = Control(2)
    told = RunHistory("", 1, NAMES, control, 0.0)
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
