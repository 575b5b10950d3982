"""Progress is told in lines that a stranger's text cannot break."""

import io
import sys
from dataclasses import replace

from games.colour import Colour
from referee.outcome import Outcome, Termination
from tests.tournaments.outcomes import HOSTILE, league
from tournaments.progress import LiveProgress, PlainProgress, game_line, progress

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


def test_a_draw_a_void_game_and_a_late_referee_are_told():
    draw = replace(WON, winner=None, winning_colour=None, termination=Termination.REPETITION)
    void = replace(draw, termination=Termination.VOID, reason="neither was ready")
    assert "  0.5-0.5  " in game_line(played(draw), 2)
    assert "  void  " in game_line(played(void), 2)
    assert "(neither was ready)" in game_line(played(void), 2)
    assert game_line(played(replace(WON, lag=0.25)), 2).endswith("the referee was 0.250 s late]")


def test_where_no_terminal_is_each_game_gets_a_line(capsys):
    with progress(2) as shown:
        assert isinstance(shown, PlainProgress)
        for game in league(NAMES, "12"):
            shown.began(game.scheduled)
            shown.ended(game, None)
    assert len(capsys.readouterr().err.splitlines()) == 2


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_bar_shows_running_games_and_forfeits(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with progress(2) as shown:
        assert isinstance(shown, LiveProgress)
        one, other = league(NAMES, "12")
        shown.began(one.scheduled)
        shown.began(other.scheduled)
        assert shown.bar.tasks[0].fields["running"] == (
            "yodd 3: one - [red]two; yodd 3: [red]two - one"
        )
        shown.ended(played(LOST), None)
        assert shown.bar.tasks[0].fields["forfeits"] == "1 forfeit"
        assert shown.bar.tasks[0].completed == 1
        shown.bar.refresh()
    text = terminal.getvalue()
    assert "yodd 3: [red]two - one" in text
    assert "crash, 1 turn" in text
    assert "\x1b[31m<script>" not in text
