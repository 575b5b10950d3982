"""What `oddly check` says of engines that take their time: to set up, to think, behind a stall."""

import re

import pytest

from oddly.engines.session import CommandError
from oddly.games.catalogue import create_game
from oddly.referee.check.analysis_steps import ends_analysis, game_over, opponent, ponders
from oddly.referee.check.checker import check_engine
from oddly.referee.check.engine_under_test import CheckOptions
from oddly.referee.check.game_steps import clock, game_steps, keeps_clock, little_time
from oddly.referee.check.position_steps import gets_ready
from oddly.referee.check.setting_steps import time_control, time_left
from oddly.referee.conversation.commands import STARTERS, Glance
from tests.referee.test_check import BRIEF, check
from tests.referee.wrong_engines import Analyst, WrongDispatcher, WrongInMemory


@pytest.fixture(autouse=True)
def _judged(monkeypatch):
    """No machine is too busy to judge the time of an engine in memory."""
    for steps in ("game_steps", "analysis_steps"):
        monkeypatch.setattr(f"oddly.referee.check.{steps}.is_busy", lambda late: False)


PREPARING = "Sets up its games and boards for the first time, which may take long"


class SlowAtFirst(WrongDispatcher):
    """Needs 1.7 s for the first game of each of two kinds, and has an unknown version."""

    def __init__(self) -> None:
        super().__init__()
        self.unknown = {"odd", "ayu"}

    def _set_game(self, arguments):
        if arguments[0] in self.unknown:
            self.takes = 1.7
        self.unknown.discard(arguments[0])
        return super()._set_game(arguments)

    def _oddly_version(self, arguments):
        return super()._oddly_version(arguments) and "7"


async def test_an_engine_may_take_long_to_set_up_a_game_first_and_again_after_a_failure(
    autojump_clock, in_memory, monkeypatch
):
    monkeypatch.setattr("oddly.referee.check.engine_under_test.TELLS_AFTER", 0.5)
    told = []
    options = CheckOptions(games=0, timeout=1.5, budget=BRIEF)
    small = create_game("odd", 2)
    command = in_memory(SlowAtFirst)
    report = await check_engine(command, small, options, lambda result: None, told.append)
    failed = [result.step.name for result in report.results if result.verdict == "fail"]
    assert failed == ["Has version 1 of this protocol"]
    sentence = "the engine is getting ready: it has up to 300 s for"
    assert told.count(f"{sentence} 'set_game odd board hexhex min_group 5'") > 1
    assert told.count(f"{sentence} 'set_game ayu'") > 1


class LateAtFirst(SlowAtFirst):
    """Needs more than a minute for the first game of each of two kinds."""

    def _set_game(self, arguments):
        text = super()._set_game(arguments)
        self.takes *= 40
        return text


async def test_an_engine_that_would_lose_a_match_while_it_is_set_up_is_told(
    autojump_clock, in_memory, only
):
    """The bug: a check passed, and each game of a match was lost, without a word."""
    told = []
    only(gets_ready)
    options, game = CheckOptions(games=0, budget=BRIEF), create_game("odd", 2)
    await check_engine(in_memory(LateAtFirst), game, options, lambda result: None, told.append)
    assert (
        "'set_game odd board hexhex min_group 5' took 68 s: in a match a game must be set up "
        "within 60 s (--setup-limit)"
    ) in told


async def test_an_engine_that_takes_too_long_to_set_up_fails_there(autojump_clock, in_memory):
    command = in_memory(SlowAtFirst)
    failed, _ = await check(command, "odd", setup_limit=0.5, until_failure=True)
    ((name, result),) = failed.items()
    assert name == PREPARING
    assert result.reason == "'set_game odd board hexhex min_group 5' was not answered within 0.5 s"


async def test_a_command_without_reply_is_waited_for_twice_and_then_no_more(
    autojump_clock, in_memory
):
    class Silent(WrongDispatcher):
        def _group_counts(self, arguments):
            self.takes = 3600.0
            return super()._group_counts(arguments)

    command = in_memory(Silent)
    failed, report = await check(command, games=0, timeout=1.5, budget=BRIEF)
    assert list(failed) == ["Is at the start of a game of its choice before any game is set"]
    assert all("no whole reply within 1.5 s" in result.reason for result in failed.values())
    reasons = {result.reason for result in report.results if result.verdict == "skip"}
    assert "'group_counts' was left without a reply in 2 steps" in reasons


class Clockless(WrongDispatcher):
    """Needs 1.6 s for a turn, whatever it is told."""

    def _genmove(self, arguments):
        self.takes = 1.6
        return super()._genmove(arguments)


NO_CLOCK_LISTED = (
    "neither time_left nor time_control is listed; a genmove took 1.600 s, which loses a game in a "
    "match with --time 1"
)


@pytest.mark.parametrize(
    ("unknown", "verdict", "reason"),
    [
        ((), "fail", "a genmove took 1.600 s under time_control 1"),
        (("time_left",), "fail", "a genmove took 1.600 s under time_control 1"),
        (("time_control",), "fail", "a genmove took 1.600 s with 1 s left"),
        (("time_left", "time_control"), "skip", NO_CLOCK_LISTED),
    ],
)
async def test_an_engine_is_timed_by_what_it_lists(
    autojump_clock, in_memory, only, unknown, verdict, reason
):
    class Late(Clockless):
        def __init__(self):
            super().__init__()
            for name in unknown:
                del self.handlers[name]

    only(little_time, game_steps(1)[0], clock)
    _, report = await check(in_memory(Late), time=1.0)
    _, little, game, result = report.results
    assert game.verdict == "pass"
    assert (result.verdict, result.reason) == (verdict, reason)
    assert little.verdict == ("skip" if "time_left" in unknown else "fail")


@pytest.mark.parametrize(("late", "verdict"), [(99, "fail"), (1, "pass")])
async def test_the_time_beyond_the_clock_adds_up_over_a_game(
    autojump_clock, in_memory, only, late, verdict
):
    """The bug: only a turn beyond the whole margin failed, which a match grants once per game."""

    class Dawdling(WrongDispatcher):
        turns = 0

        def _genmove(self, arguments):
            self.turns += 1
            self.takes = 1.03 if self.turns <= late else 0.5
            return super()._genmove(arguments)

    only(game_steps(1)[0], clock)
    _, report = await check(in_memory(Dawdling), time=1.0)
    result = report.results[-1]
    assert result.verdict == verdict
    if verdict == "fail":
        assert result.reason == (
            "most genmoves took too long and add up to 0.270 s beyond the clock in 9 turns under "
            "time_control 1"
        )
        assert result.expected == "an answer within 1 s: the margin of 0.1 s is for a whole game"
        assert b"genmove" in result.sent


async def test_an_engine_that_lists_no_clock_is_quick_enough_for_any(
    autojump_clock, in_memory, only
):
    class Quick(WrongDispatcher):
        def __init__(self):
            super().__init__()
            del self.handlers["time_left"], self.handlers["time_control"]

    only(game_steps(1)[0], clock)
    _, report = await check(in_memory(Quick), time=1.0)
    assert [result.verdict for result in report.results] == ["pass"] * 3


@pytest.mark.parametrize("timed", [little_time, ponders])
async def test_the_start_of_an_engine_is_no_thinking_time(autojump_clock, in_memory, only, timed):
    """The bug: an engine that cannot begin anew is started for each game, and that was timed."""

    class Forward(WrongDispatcher):
        def __init__(self):
            super().__init__()
            self._boardsize(("3",))
            self.handlers["ponder"] = lambda _: ""
            for name in (*STARTERS, "time_control", "undo"):
                del self.handlers[name]

    class StartsSlowly(WrongInMemory):
        def __init__(self):
            super().__init__(Forward)
            self._free_at += 5.0

    only(timed)
    _, report = await check(in_memory(StartsSlowly))
    assert [result.verdict for result in report.results] == ["pass", "pass"]


async def test_an_engine_that_starts_slowly_hears_how_long_a_match_waits(
    autojump_clock, in_memory, only
):
    class StartsSlowly(WrongInMemory):
        def __init__(self):
            super().__init__(WrongDispatcher)
            self._free_at += 12.0

    only()
    failed, _ = await check(in_memory(StartsSlowly), timeout=10.0)
    (result,) = failed.values()
    assert result.reason == "no whole reply within 10 s (--timeout); a match waits 60 s"


class KnowsItsOpponent(WrongDispatcher):
    """Takes the time of a fixed time control for a turn, and no notice of its opponent."""

    takes_the_others_clock = False
    longest_name = 1000

    def __init__(self):
        super().__init__()
        self.handlers["opponent"] = self._opponent

    def _opponent(self, arguments):
        name = " ".join(arguments[1:])
        if len(name) > self.longest_name:
            raise CommandError("too long a name")
        if self.takes_the_others_clock:
            self._time_control(arguments[:1])
        return ""

    def _game_over(self, arguments):
        if len(" ".join(arguments[1:])) > self.longest_name:
            raise CommandError("too long a reason")
        return super()._game_over(arguments)

    def _genmove(self, arguments):
        control = self.engine.time.control
        self.takes = 40.0 if control is None else control.main_seconds
        return super()._genmove(arguments)


@pytest.mark.parametrize("is_wrong", [False, True])
@pytest.mark.parametrize("step", [keeps_clock, game_steps(1)[0]])
async def test_an_engine_that_takes_its_opponents_clock_for_its_own_is_found(
    autojump_clock, in_memory, only, step, is_wrong
):
    """The bug: both clocks were equal in the games, and were long where they differed."""
    only(step, clock)
    engine = type("Engine", (KnowsItsOpponent,), {"takes_the_others_clock": is_wrong})
    failed, _ = await check(in_memory(engine), time=0.5)
    assert bool(failed) is is_wrong
    if step is keeps_clock and is_wrong:
        (result,) = failed.values()
        assert result.reason.startswith("a genmove took 5.0")
        assert b"opponent 5" in result.sent


@pytest.mark.parametrize(("stall", "least"), [("before the answer", 0.15), ("behind it", 0.0)])
async def test_a_stall_of_ours_is_taken_off_a_turn_once(
    autojump_clock, in_memory, only, monkeypatch, stall, least
):
    """The bug: it was taken off twice, so that a turn took less than no time."""

    class Thinks(WrongDispatcher):
        def _genmove(self, arguments):
            if stall == "before the answer":
                autojump_clock.jump(0.5)
            self.takes = 0.2
            return super()._genmove(arguments)

    if stall == "behind it":
        monkeypatch.setattr(Glance, "note", lambda *_: autojump_clock.jump(0.5))
    only(game_steps(1)[0])
    _, report = await check(in_memory(Thinks), budget=BRIEF)
    assert report.count("pass") == 2
    assert least <= report.thinking <= 0.2


@pytest.mark.parametrize("stalls", [1, 2])
async def test_an_engine_may_meet_one_long_stall(autojump_clock, in_memory, only, stalls):
    """The bug: the first answer that was ten times as late as allowed failed the step."""

    class Stalls(WrongDispatcher):
        left = stalls

        def _genmove(self, arguments):
            self.takes = 9.0 if self.left else 0.0
            self.left = max(0, self.left - 1)
            return super()._genmove(arguments)

    only(little_time)
    failed, _ = await check(in_memory(Stalls), time=0.5)
    assert [result.reason[:18] for result in failed.values()] == ["a genmove took 9.0"] * (
        stalls - 1
    )


@pytest.mark.parametrize("longest", [60, 1000])
@pytest.mark.parametrize("step", [opponent, game_over])
async def test_words_are_as_long_as_the_referee_sends_them(
    autojump_clock, in_memory, only, step, longest
):
    only(step)
    engine = type("Engine", (KnowsItsOpponent,), {"longest_name": longest})
    failed, _ = await check(in_memory(engine), time=0.5)
    assert [result.reason.partition(" '")[0] for result in failed.values()] == (
        ["refused"] if longest < 100 else []
    )


async def test_an_engine_without_a_clock_may_think_long_behind_an_analysis(
    autojump_clock, in_memory, only
):
    class Unhurried(Analyst):
        def __init__(self):
            super().__init__()
            del self.handlers["time_control"]

        def _genmove(self, arguments):
            self.takes = 7.0
            return super()._genmove(arguments)

    only(ends_analysis)
    failed, report = await check(in_memory(Unhurried), budget=BRIEF)
    assert list(failed) == []
    assert report.count("pass") == 2


@pytest.mark.parametrize(
    ("step", "method", "refused"),
    [
        (time_control, "_time_control", r".*[0-9]{4}[/x].*"),
        (time_control, "_time_control", r"[0-9.]{8,}.*"),
        (time_left, "_time_left", r".*\.[0-9]{7,}"),
        (time_left, "_time_left", r"[0-9]{6,}.*"),
    ],
)
async def test_times_are_tried_with_as_many_digits_as_there_may_be(
    autojump_clock, in_memory, only, step, method, refused
):
    class Narrow(WrongDispatcher):
        pass

    def narrow(self, arguments):
        if any(re.fullmatch(refused, word) for word in arguments):
            raise CommandError("syntax error")
        return getattr(WrongDispatcher, method)(self, arguments)

    setattr(Narrow, method, narrow)
    only(step)
    failed, _ = await check(in_memory(Narrow), budget=BRIEF)
    assert [result.step for result in failed.values()] == [step]
