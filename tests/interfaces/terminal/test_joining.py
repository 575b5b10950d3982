"""What an author reads of an engine at an arena: sentences, and the live line below them."""

import io
from contextlib import nullcontext
from dataclasses import replace

import pyte
import pytest
import trio
from rich.console import Console

from oddly.arena import RatingNow
from oddly.arena.client import events
from oddly.games import create_game
from oddly.interfaces.terminal.joining import (
    CannotJoinError,
    JoiningState,
    LiveLine,
    judge,
    rating_text,
    sentence,
)
from oddly.referee.check.checker import CheckReport
from oddly.referee.check.game_steps import texts
from oddly.referee.check.step import StepResult

GAME = {"game": "g7", "pool": "yodd-8-1+0.1", "opponent": "greedy"}
BEGUN = events.GameBegun(**GAME, side=0, address="http://a/g", rated=True, resumed=False)
RATING = RatingNow(1523.4, 41.2, 60)


def over(points, **changes):
    facts = {"score": "B+3", "reason": "both players passed", "rating": None, **changes}
    return events.GameOver(**GAME, points=points, **facts)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (events.Joined("Hall", "mine", "http://a/e", True, ()),
         "mine is at Hall, for the first time: http://a/e"),
        (events.Joined("Hall", "mine", "http://a/e", False, ()), "mine is at Hall: http://a/e"),
        (events.Joined("Hall", "mine", "http://a/e", False, (), {}, True), "back at Hall"),
        (BEGUN, "game g7 begins against greedy in yodd-8-1+0.1"),
        (over(1.0, rating=RATING),
         "game g7 against greedy won, B+3: both players passed; 1523 ± 41"),
        (over(0.0), "game g7 against greedy lost, B+3: both players passed"),
        (over(None, score="void", reason="no start"),
         "game g7 against greedy does not count, void: no start"),
        (events.Cut("the arena is silent", 0.25),
         "the arena is silent; connecting again in 0.2 s"),
        (events.EngineFailed("the engine exited with 3"),
         "the engine exited with 3; it is started again"),
        (events.Left(1), "left after 1 game"),
        (events.ClockTold("g7", 3, 1.0, 1.0, is_ours=True), ""),
    ],
)  # fmt: skip
def test_an_event_is_a_sentence(event, said):
    assert sentence(event) == said


@pytest.mark.parametrize("should", [True, False])
def test_a_check_before_joining_refuses_what_the_protocol_forbids(capsys, should):
    """The bug: a text of a failure that is only recommended kept an engine out."""
    result = StepResult(replace(texts, should=should), "fail", 0.0, "another text")
    report = CheckReport("mine", (result,))
    with nullcontext() if should else pytest.raises(CannotJoinError, match="fails a step"):
        judge(report, create_game("xodd", 3))
    assert "another text" in capsys.readouterr().err


def test_what_the_arena_says_moves_no_terminal():
    text = sentence(events.Noted("\x1b[2Jgone\nand more" + "x" * 1000))
    assert text.startswith("\\x1b[2Jgone\\nand more")
    assert len(text) < 200


def test_a_rating_says_whether_it_is_provisional():
    assert rating_text(RatingNow(-12.6, 310.0, 2, provisional=True)) == "-13 ± 310?"
    assert rating_text(RatingNow(-0.01, 248.6, 2, provisional=True)) == "0 ± 249?"


def test_the_line_counts_games_and_lets_the_clock_of_the_mover_run():
    state = JoiningState("mine 1.5")
    assert state.line(0.0) == "mine 1.5  0 won, 0 drawn, 0 lost  connecting"
    state.learn(events.Joined("Hall", "mine", "http://a", False, (), {GAME["pool"]: RATING}), 0.0)
    assert state.line(0.0).endswith("1523 ± 41  0 won, 0 drawn, 0 lost  waiting for a game")
    state.learn(BEGUN, 1.0)
    state.learn(events.ClockTold("g7", 2, 60.0, 125.0, is_ours=True), 2.0)
    assert state.line(2.5).endswith("against greedy  0:59 to 2:05")
    state.learn(events.ClockTold("g7", 2, 119.7, 3599.8, is_ours=True), 2.0)
    assert state.line(2.0).endswith("against greedy  1:59 to 59:59")
    state.learn(events.ClockTold("g7", 3, 60.0, 125.0, is_ours=False), 3.0)
    assert state.line(400.0).endswith("against greedy  1:00 to 0.0 s")
    for points in (1.0, 1.0, 0.5, 0.0, None):
        state.learn(over(points, rating=RatingNow(1530.0, 40.0, 61)), 4.0)
    assert state.line(5.0) == "mine 1.5  1530 ± 40  2 won, 1 drawn, 1 lost  waiting for a game"
    state.learn(events.Cut("gone", 1.0), 6.0)
    assert state.line(6.0).endswith("connecting")


JOINED = events.Joined("Hall", "mine", "http://a/[red]e", new=False, pools=())


async def attend_briefly(line):
    with trio.move_on_after(0.05):
        await line.attend()


def shown(width, *told):
    """The lines of a terminal while the live line is there, and when it is gone."""
    output = io.StringIO()
    console = Console(
        file=output, force_terminal=True, width=width, height=20, highlight=False, markup=False
    )
    screens = []
    with LiveLine("mine", console) as line:
        for event in told:
            line.told(event)
        trio.run(attend_briefly, line)
        screens.append(output.getvalue())
    screens.append(output.getvalue())
    found = []
    for text in screens:
        screen = pyte.Screen(width, 20)
        pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
        found.append([row.rstrip() for row in screen.display if row.strip()])
    return found


def test_sentences_stand_above_the_line_and_stay():
    during, after = shown(80, JOINED)
    assert during == [
        "mine is at Hall: http://a/[red]e",
        "mine  0 won, 0 drawn, 0 lost  waiting for a game",
    ]
    assert after == during[:1]


def test_a_narrow_terminal_cuts_the_line_off():
    during, _ = shown(30, JOINED)
    assert during[-1] == "mine  0 won, 0 drawn, 0 lost …"
