"""Progress as lines that untrusted text cannot break."""

import io
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import pytest

from oddly.games.turns import Colour
from oddly.interfaces.terminal.live.lines import ended_line
from oddly.interfaces.terminal.live.progress import PlainProgress, ScoreProgress, progress
from oddly.interfaces.terminal.live.screen import LiveProgress
from oddly.interfaces.terminal.live.view import MAX_FAULTS
from oddly.interfaces.text.tables import game_line
from oddly.referee import PlayedTurn, Snapshot
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.tournaments.run.control import STOPPING, Control
from oddly.tournaments.run.observer import Observers, RunStart
from tests.tournaments.results.outcomes import HOSTILE, league

NAMES = ["one", "[red]two"]
WON = Outcome(0, Colour.BLACK, "B+3", Termination.DOUBLE_PASS, "", 31)
LOST = Outcome(1, Colour.WHITE, "W+F", Termination.CRASH, f"{HOSTILE}: it ended", 1)


def played(outcome: Outcome):
    return replace(league(NAMES, "1")[0], outcome=outcome)


def test_a_game_is_told_on_one_line():
    line = game_line(played(WON), 48)
    assert line == " 1/48  yodd 3  one - [red]two  1-0  B+3  double pass, 31 turns"


def test_a_forfeit_is_told_with_its_reason_and_without_what_a_terminal_obeys():
    line = game_line(played(LOST), 2)
    assert line.startswith("1/2  yodd 3  one - [red]two  0-1  W+F  crash, 1 turn  (")
    assert "it ended" in line
    assert line.isprintable()


def test_a_draw_and_a_late_referee_are_told():
    draw = replace(WON, winner=None, winning_colour=None, termination=Termination.REPETITION)
    assert "  0.5-0.5  " in game_line(played(draw), 2)
    assert game_line(played(replace(WON, lag=0.25)), 2).endswith("the referee was 0.250 s late]")


def test_a_void_game_says_so_once():
    void = Outcome(None, None, "void", Termination.VOID, "neither was ready", 0)
    abandoned = replace(void, termination=Termination.ABANDONED, turns=3)
    start = "1/2  yodd 3  one - [red]two  "
    reason = "(neither was ready)"
    assert game_line(played(void), 2) == f"{start}void, 0 turns  {reason}"
    assert game_line(played(abandoned), 2) == f"{start}void  abandoned, 3 turns  {reason}"
    assert ended_line(played(void)) == "#1 yodd  one - [red]two  void"
    assert ended_line(played(abandoned)) == "#1 yodd  one - [red]two  void, abandoned"
    assert ended_line(played(WON)) == "#1 yodd  one 1-0 [red]two  B+3, double pass"


def test_where_no_terminal_is_each_game_gets_a_line_and_what_is_said_another(capsys):
    control = Control(1)
    shown = progress()
    assert isinstance(shown, PlainProgress)
    with Observers([shown]).during(RunStart("", 2, NAMES, control)):
        for game in league(NAMES, "12"):
            shown.began(game.scheduled)
            shown.ended(game, None)
        control.stop()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert lines[-1] == STOPPING


def test_without_a_terminal_the_time_left_is_told_once_a_minute(capsys):
    moments = iter([0.0, 30.0, 61.0, 62.0, 200.0])
    shown = PlainProgress(lambda: next(moments))
    games = league(NAMES, "12")
    with Observers([shown]).during(RunStart("", 6, NAMES, Control(1), earlier=games)):
        for game in games * 2:
            shown.ended(game, None)
    told = [line for line in capsys.readouterr().err.splitlines() if "left" in line]
    assert told == ["4 of 6 games, about 61 s left"]


class Terminal(io.StringIO):
    """Standard error as a terminal that is not ours to draw on."""

    def isatty(self) -> bool:
        return True


def put_on_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


def test_a_job_in_the_background_of_a_terminal_prints_lines(monkeypatch):
    put_on_terminal(monkeypatch)
    assert isinstance(progress(), PlainProgress)


@pytest.mark.parametrize("error", [None, RuntimeError, KeyboardInterrupt])
def test_the_screen_is_left_as_it_was_and_faults_are_told_after_it(monkeypatch, error):
    terminal = put_on_terminal(monkeypatch)
    shown = LiveProgress()
    run = Observers([shown]).during(RunStart("", 2, NAMES, Control(1)))
    with suppress(RuntimeError, KeyboardInterrupt), run:
        game = league(NAMES, "1")[0]
        shown.began(game.scheduled)
        shown.ended(replace(game, outcome=LOST), None)
        if error is not None:
            raise error
    drawn, after = terminal.getvalue().split("\x1b[?1049l")
    assert drawn.startswith("\x1b[?1049h")
    assert "\x1b[?25l" in drawn
    assert "\x1b[?25h" in drawn + after
    assert "crash, 1 turn" in after
    assert "\x1b[31m<script>" not in terminal.getvalue()


@pytest.mark.parametrize(("more", "said"), [(1, "and 1 fault before"), (2, "and 2 faults before")])
def test_faults_that_have_no_line_are_counted(monkeypatch, more, said):
    put_on_terminal(monkeypatch)
    shown, game = LiveProgress(), replace(league(NAMES, "1")[0], outcome=LOST)
    with Observers([shown]).during(RunStart("", None, NAMES, Control(1))):
        for _ in range(MAX_FAULTS + more):
            shown.began(game.scheduled)
            shown.ended(game, None)
    assert sys.stderr.getvalue().endswith(f"{said}\n")


def test_a_game_that_is_played_again_is_shown_without_its_earlier_turns(monkeypatch):
    put_on_terminal(monkeypatch)
    shown = LiveProgress()
    with Observers([shown]).during(RunStart("", 2, NAMES, Control(1))):
        game = league(NAMES, "1")[0].scheduled
        shown.began(game)
        last = PlayedTurn(Colour.BLACK, "Bc3", 0.5)
        shown.turned(game, Snapshot(game.game.start(), 1, last, 0, (9.0, 9.0)))
        assert shown.history.snapshot(1.0).running[0].snapshot is not None
        shown.began_again(game)
        assert shown.history.snapshot(1.0).running[0].snapshot is None


def test_keys_do_what_the_help_says(monkeypatch):
    put_on_terminal(monkeypatch)
    control = Control(3)
    shown = LiveProgress()
    states = [*[""] * 5, "paused", "", "helping", "", "stopping"]
    with Observers([shown]).during(RunStart("", 2, NAMES, control)):
        for key, state in zip("+=-_-pp?xq", states, strict=True):
            shown.press(key)
            assert (control.paused, control.stopping) == (state == "paused", state == "stopping")
            assert shown.history.helping == (state == "helping")
    assert control.at_once == 2


def test_a_run_of_which_the_score_is_shown_gets_a_line_for_each_tenth(capsys):
    names = [*NAMES, "three", "four", "five"]
    games = league(names, "12d")
    assert len(games) == 20
    shown = ScoreProgress()
    with Observers([shown]).during(RunStart("", 20, names, Control(1), earlier=games[:3])):
        for game in games[3:]:
            shown.ended(game, None)
    *lines, last = capsys.readouterr().err.splitlines()
    assert last == ""
    assert [line[:11] for line in lines] == [f"{games:>2} of 20 ga" for games in range(4, 21, 2)]
    points = Counter()
    for game in games:
        points[game.scheduled.first] += game.points[0]
        points[game.scheduled.second] += game.points[1]
    told = "  ".join(f"{name} {points[name]:g}" for name in names)
    assert lines[-1] == f"20 of 20 games, points: {told}"
