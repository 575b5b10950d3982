"""`oddly check` of engines in memory, on trio's autojump clock: their faults need no process."""

import re
import sys
from typing import ClassVar

import pytest

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.plain_engines import RandomEngine
from oddly.engines.session import CommandError
from oddly.games.catalogue import create_game
from oddly.protocol import MalformedCommand, NotationError, Reply
from oddly.protocol.evaluation import Evaluation, TurnEvaluation
from oddly.referee.check import checker, conversation
from oddly.referee.check.analysis_steps import (
    analyzes,
    analyzes_for_people,
    ends_analysis,
    game_over,
    last_evaluation,
    opponent,
    ponders,
)
from oddly.referee.check.checker import check_engine, step_lines
from oddly.referee.check.engine_under_test import CheckOptions
from oddly.referee.check.game_steps import clock, game_steps, keeps_clock, little_time
from oddly.referee.check.leaving_steps import (
    ENDING_STEPS,
    exits_at_end_of_input,
    ignores_a_line_cut_off,
)
from oddly.referee.check.opinion_steps import FullSearch, evaluate, solve
from oddly.referee.check.position_steps import (
    empty_replies,
    reg_genmove,
    set_game,
    some_turns,
)
from oddly.referee.check.session_steps import (
    WIRE_STEPS,
    echoes_ids,
    handshake,
    long_line,
    one_name,
    pipelining,
    required,
    spelled,
)
from oddly.referee.check.setting_steps import (
    SETTING_STEPS,
    list_options,
    listed_games,
    set_option,
    settings_listed,
    time_control,
    time_left,
)
from oddly.referee.check.state_steps import STATE_STEPS
from oddly.referee.conversation.commands import STARTERS
from tests.referee.engine_in_memory import ChattyEngine, InMemory
from tests.referee.test_check import BRIEF, check


class WrongDispatcher(Dispatcher):
    """Our own dispatcher with a fault, which may take its time."""

    def __init__(self) -> None:
        super().__init__(RandomEngine(), create_game("yodd"))
        self.takes = 0.0


class WrongInMemory(InMemory):
    """A channel to an engine with a fault."""

    def __init__(self, wrong: type[WrongDispatcher]) -> None:
        self.wrong = wrong()
        super().__init__(0.0, self.wrong)

    def _answer(self, data: bytes, seconds: float) -> None:
        super()._answer(data, seconds + self.wrong.takes)
        self.wrong.takes = 0.0


@pytest.fixture
def in_memory(monkeypatch):
    """Let checks try engines in memory: those that are made by calling something.

    Each test takes `autojump_clock` itself: pytest-trio looks no further for a clock.
    """

    def let(make):
        monkeypatch.setattr(conversation.EngineProcess, "start", lambda *_, **__: make())
        return ("engine",)

    return let


async def test_an_engine_that_loses_pipelined_input_is_then_asked_one_by_one(
    autojump_clock, in_memory
):
    class Losing(InMemory):
        """Reads a line, and drops what has come behind it."""

        def send_nowait(self, data):
            return super().send_nowait(data.partition(b"\n")[0] + b"\n")

    failed, report = await check(in_memory(lambda: Losing(0.0)), timeout=1.5, budget=BRIEF)
    assert [name for name in failed if "in one write" in name]
    assert all(result.follows_from for name, result in failed.items() if "Plays game" in name)
    assert report.count("pass") > 40


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
    command = in_memory(lambda: WrongInMemory(SlowAtFirst))
    report = await check_engine(command, small, options, lambda result: None, told.append)
    failed = [result.step.name for result in report.results if result.verdict == "fail"]
    assert failed == ["Has version 1 of this protocol"]
    sentence = "the engine is getting ready: it has up to 300 s for"
    assert told.count(f"{sentence} 'set_game odd board hexhex min_group 5'") > 1
    assert told.count(f"{sentence} 'set_game ayu'") > 1


async def test_an_engine_that_takes_too_long_to_set_up_fails_there(autojump_clock, in_memory):
    command = in_memory(lambda: WrongInMemory(SlowAtFirst))
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

    command = in_memory(lambda: WrongInMemory(Silent))
    failed, report = await check(command, games=0, timeout=1.5, budget=BRIEF)
    assert list(failed) == ["Is at the start of a game of its choice before any game is set"]
    assert all("no whole reply within 1.5 s" in result.reason for result in failed.values())
    reasons = {result.reason for result in report.results if result.verdict == "skip"}
    assert "'group_counts' was left without a reply in 2 steps" in reasons


async def test_an_engine_may_resign_in_any_state(autojump_clock, in_memory):
    class Resigning(WrongDispatcher):
        def _genmove(self, arguments):
            super()._genmove(arguments)
            self.session.undo()
            return "resign"

    command = in_memory(lambda: WrongInMemory(Resigning))
    failed, _ = await check(command, "odd", games=1, budget=BRIEF)
    # It resigns when it is stopped too, which it must not do for that reason alone.
    assert [name for name in failed if not name.startswith("Stops a genmove")] == []


async def test_games_of_very_few_turns_are_no_obstacle(autojump_clock, in_memory):
    command = in_memory(lambda: InMemory(0.0))
    game = create_game("ayu", 3)
    report = await check_engine(command, game, CheckOptions(games=1), lambda _: None)
    assert report.count("fail") == 0
    assert report.count("pass") > 60


@pytest.fixture
def only(monkeypatch):
    """Let checks consist of the handshake and these steps."""

    def let(*steps):
        monkeypatch.setattr(checker, "all_steps", lambda game, games: [handshake, *steps])

    return let


async def test_a_name_of_two_lines_is_found(autojump_clock, in_memory, only):
    class Double(WrongDispatcher):
        def _name(self, arguments):
            return f"{super()._name(arguments)}\nII"

    only(one_name)
    failed, _ = await check(in_memory(lambda: WrongInMemory(Double)))
    ((name, result),) = failed.items()
    assert (name, result.reason) == ("Has a name of one line", "a name of 2 lines")
    failed, _ = await check(in_memory(lambda: WrongInMemory(WrongDispatcher)))
    assert failed == {}


TEXTS = "Begins the texts of its failures as the protocol recommends"


async def test_another_text_of_a_failure_breaks_one_recommendation_and_no_duty(
    autojump_clock, in_memory
):
    class Curt(WrongDispatcher):
        def answer(self, command):
            reply = super().answer(command)
            return reply if reply.ok else Reply(ok=False, text="", id=reply.id)

    failed, _ = await check(in_memory(lambda: WrongInMemory(Curt)), games=1, budget=BRIEF)
    ((name, result),) = failed.items()
    assert name == TEXTS
    assert result.step.should
    assert result.reason == "refused 'no_such_command' with another text"
    assert b"no_such_command" in result.sent
    assert result.expected == "a failure, '? unknown command...'"


@pytest.mark.parametrize("text", ["illegal move", "syntax error"])
async def test_an_engine_need_not_tell_illegal_turns_from_malformed_ones(
    autojump_clock, in_memory, text
):
    class Vague(WrongDispatcher):
        def _play(self, arguments):
            try:
                return super()._play(arguments)
            except (CommandError, NotationError):
                raise CommandError(text if len(arguments) == 2 else "syntax error") from None

    failed, _ = await check(in_memory(lambda: WrongInMemory(Vague)), games=1, budget=BRIEF)
    assert list(failed) == []


class Analyst(WrongDispatcher):
    """An engine that analyzes."""

    def __init__(self) -> None:
        Dispatcher.__init__(self, ChattyEngine(), create_game("yodd"))
        self.takes = 0.0


class Prolix(WrongInMemory):
    """Analyzes in lines of 30,000 bytes, and ends an analysis after so many lines."""

    def __init__(self, most: float) -> None:
        super().__init__(Analyst)
        self.left = most

    def _answer(self, data: bytes, seconds: float) -> None:
        if data.startswith(b"info turn"):
            data = data.rstrip() + 6000 * b" Ba1" + b"\n"
            self.left -= 1
            if self.left <= 0:
                self._analyzes = False
                data += b"\n"
        super()._answer(data, seconds)


async def test_an_analysis_may_have_long_lines(autojump_clock, in_memory, only):
    only(analyzes, ends_analysis)
    failed, report = await check(in_memory(lambda: Prolix(float("inf"))), budget=BRIEF)
    assert list(failed) == []
    assert report.count("pass") == 3


async def test_an_analysis_of_long_lines_that_ends_by_itself_is_found(
    autojump_clock, in_memory, only
):
    only(analyzes)
    failed, _ = await check(in_memory(lambda: Prolix(12)), budget=BRIEF)
    (result,) = failed.values()
    assert result.reason == "the reply ended before the next command"


async def test_a_line_of_an_analysis_that_is_too_long_is_found(autojump_clock, in_memory, only):
    class Endless(WrongInMemory):
        def _answer(self, data: bytes, seconds: float) -> None:
            super()._answer(data.replace(b"info turn", 70_000 * b" " + b"info turn"), seconds)

    only(analyzes)
    failed, _ = await check(in_memory(lambda: Endless(Analyst)), budget=BRIEF)
    (result,) = failed.values()
    assert result.reason == "a line longer than 65536 bytes"


async def test_a_crash_in_an_analysis_is_told_as_one(autojump_clock, in_memory, only):
    class Crashing(WrongInMemory):
        def _answer(self, data: bytes, seconds: float) -> None:
            self._is_ended = self._is_ended or data.startswith(b"info turn")
            super()._answer(data, seconds)

    only(analyzes)
    failed, _ = await check(in_memory(lambda: Crashing(Analyst)), budget=BRIEF)
    (result,) = failed.values()
    assert result.reason.startswith("the engine exited with status 0")


async def test_an_engine_that_cannot_begin_anew_is_analyzed_in_no_game_that_goes_back(
    autojump_clock, in_memory, only
):
    class Forward(Analyst):
        def __init__(self):
            super().__init__()
            for name in STARTERS:
                del self.handlers[name]

    only(analyzes_for_people)
    _, report = await check(in_memory(lambda: WrongInMemory(Forward)))
    assert [result.verdict for result in report.results] == ["pass", "skip"]


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
    failed, report = await check(in_memory(lambda: WrongInMemory(Unhurried)), budget=BRIEF)
    assert list(failed) == []
    assert report.count("pass") == 2


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
    autojump_clock, in_memory, only, monkeypatch, unknown, verdict, reason
):
    class Late(Clockless):
        def __init__(self):
            super().__init__()
            for name in unknown:
                del self.handlers[name]

    monkeypatch.setattr("oddly.referee.check.game_steps.is_busy", lambda late: False)
    only(little_time, game_steps(1)[0], clock)
    _, report = await check(in_memory(lambda: WrongInMemory(Late)), time=1.0)
    _, little, game, result = report.results
    assert game.verdict == "pass"
    assert (result.verdict, result.reason) == (verdict, reason)
    assert little.verdict == ("skip" if "time_left" in unknown else "fail")


async def test_an_engine_that_lists_no_clock_is_quick_enough_for_any(
    autojump_clock, in_memory, only, monkeypatch
):
    class Quick(WrongDispatcher):
        def __init__(self):
            super().__init__()
            del self.handlers["time_left"], self.handlers["time_control"]

    monkeypatch.setattr("oddly.referee.check.game_steps.is_busy", lambda late: False)
    only(game_steps(1)[0], clock)
    _, report = await check(in_memory(lambda: WrongInMemory(Quick)), time=1.0)
    assert [result.verdict for result in report.results] == ["pass"] * 3


@pytest.mark.parametrize("timed", [little_time, ponders])
async def test_the_start_of_an_engine_is_no_thinking_time(
    autojump_clock, in_memory, only, monkeypatch, timed
):
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

    for steps in ("game_steps", "analysis_steps"):
        monkeypatch.setattr(f"oddly.referee.check.{steps}.is_busy", lambda late: False)
    only(timed)
    _, report = await check(in_memory(StartsSlowly))
    assert [result.verdict for result in report.results] == ["pass", "pass"]


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
    autojump_clock, in_memory, only, monkeypatch, step, is_wrong
):
    """The bug: both clocks were equal in the games, and were long where they differed."""
    monkeypatch.setattr("oddly.referee.check.game_steps.is_busy", lambda late: False)
    only(step, clock)
    engine = type("Engine", (KnowsItsOpponent,), {"takes_the_others_clock": is_wrong})
    failed, _ = await check(in_memory(lambda: WrongInMemory(engine)), time=0.5)
    assert bool(failed) is is_wrong
    if step is keeps_clock and is_wrong:
        (result,) = failed.values()
        assert result.reason.startswith("a genmove took 5.0")
        assert b"opponent 5" in result.sent


@pytest.mark.parametrize("stalls", [1, 2])
async def test_an_engine_may_meet_one_long_stall(
    autojump_clock, in_memory, only, monkeypatch, stalls
):
    """The bug: the first answer that was ten times as late as allowed failed the step."""

    class Stalls(WrongDispatcher):
        left = stalls

        def _genmove(self, arguments):
            self.takes = 9.0 if self.left else 0.0
            self.left = max(0, self.left - 1)
            return super()._genmove(arguments)

    monkeypatch.setattr("oddly.referee.check.game_steps.is_busy", lambda late: False)
    only(little_time)
    failed, _ = await check(in_memory(lambda: WrongInMemory(Stalls)), time=0.5)
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
    failed, _ = await check(in_memory(lambda: WrongInMemory(engine)), time=0.5)
    assert [result.reason.partition(" '")[0] for result in failed.values()] == (
        ["refused"] if longest < 100 else []
    )


def in_32_bits(number):
    return number % 2**32


async def test_limits_have_ten_digits(autojump_clock, in_memory, only):
    class Wraps(WrongDispatcher):
        def _legal_turns(self, arguments):
            return super()._legal_turns([str(in_32_bits(int(each))) for each in arguments])

    only(some_turns)
    failed, _ = await check(in_memory(lambda: WrongInMemory(Wraps)))
    assert [result.reason for result in failed.values()] == [
        "other turns, or not as many as asked for"
    ]


@pytest.mark.parametrize("bits", [32, 64])
async def test_numbers_of_positions_have_ten_digits(autojump_clock, in_memory, only, bits):
    class Solves(WrongDispatcher):
        def _solve(self, arguments):
            position = self.session.position
            if position.is_over:
                raise CommandError("the game is over")
            if int(arguments[0]) % 2**bits == 0:
                return "unknown"
            mover = position.to_move
            for turn in position.legal_turns():
                if FullSearch(10_000).value(position.play(turn), mover) == 1:
                    return f"{mover.letter} {turn}"
            return mover.other.letter

    class SolvesInMemory(WrongInMemory):
        def __init__(self, wrong):
            super().__init__(wrong)
            self._dispatcher.handlers["solve"] = self._dispatcher._solve

    only(solve)
    command = in_memory(lambda: SolvesInMemory(Solves))
    failed, report = await check(command, "odd")
    assert report.count("skip") == 0
    assert [result.reason for result in failed.values()] == (
        ["answered 'unknown' to 'solve 8589934592'"] if bits == 32 else []
    )


class Choosy(WrongDispatcher):
    """Plays some games only, each with some settings only, and on some sizes only."""

    plays: ClassVar = {"yodd": lambda settings: True}
    sizes = range(2, 20)
    listed = ("yodd size type choice default 8 choices 2 3 4 5 6 7 8 9 10 11 12 13",)

    def _list_games(self, arguments):
        super()._list_games(arguments)
        return "\n".join(self.plays)

    def _list_settings(self, arguments):
        super()._list_settings(arguments)
        return "\n".join(self.listed)

    def _set_game(self, arguments):
        asked = Dispatcher(RandomEngine(), create_game("yodd"))
        asked._set_game(arguments)
        game = asked.session.game
        if game.name not in self.plays:
            raise CommandError("unknown game")
        if not self.plays[game.name](game.settings):
            raise CommandError("settings that are not played")
        return super()._set_game(arguments)

    def _boardsize(self, arguments):
        if arguments and arguments[0].isdigit() and int(arguments[0]) not in self.sizes:
            raise CommandError("unacceptable size")
        return super()._boardsize(arguments)


class AyuWithThePieOnOneBoard(Choosy):
    plays: ClassVar = {"ayu": lambda settings: settings["pie"]}
    sizes = (5,)
    listed = (
        "ayu size type choice default 5 choices 5",
        "ayu pie type choice default true choices true",
    )


class AyuWithoutThePie(Choosy):
    plays: ClassVar = {"ayu": lambda settings: not settings["pie"]}
    listed = ("ayu pie type choice default false choices false",)


class AyuOnALargeBoard(AyuWithoutThePie):
    sizes = (7,)


class OddOnOneBoard(Choosy):
    plays: ClassVar = {"odd": lambda settings: settings["board"] == "hexhex"}
    sizes = (4,)
    listed = (
        "odd size type choice default 4 choices 4",
        "odd board type choice default hexhex choices hexhex",
        "odd min_group type integer default 5 min 1",
    )


class OddWithOneThresholdOnSquares(Choosy):
    plays: ClassVar = {
        "odd": lambda settings: (
            settings["min_group"] in ((3, 5) if settings["board"] == "hexhex" else (5,))
        )
    }
    listed = (
        "odd size type choice default 5 choices 3 4 5 if board hexhex",
        "odd size type choice default 5 choices 4 5 6 if board square",
        "odd board type choice default hexhex choices hexhex square",
        "odd min_group type choice default 5 choices 3 5 if board hexhex",
        "odd min_group type choice default 5 choices 5 if board square",
    )


class YoddAndAyuWithThePie(Choosy):
    plays: ClassVar = {
        "yodd": lambda settings: True,
        "ayu": AyuWithThePieOnOneBoard.plays["ayu"],
    }
    listed = (*Choosy.listed, "ayu pie type choice default true choices true")


class YoddAndAyuWithThePieUnsaid(YoddAndAyuWithThePie):
    listed = (*Choosy.listed, "ayu pie type boolean default false")


@pytest.mark.parametrize(
    ("engine", "name", "size", "settings"),
    [
        (AyuWithThePieOnOneBoard, "ayu", 5, {"pie": True}),
        (AyuWithoutThePie, "ayu", 5, {}),
        (AyuOnALargeBoard, "ayu", 7, {}),
        (OddOnOneBoard, "odd", 4, {}),
        (OddWithOneThresholdOnSquares, "odd", 4, {"min_group": 3}),
        (YoddAndAyuWithThePie, "yodd", 3, {}),
    ],
)
async def test_an_engine_need_play_no_other_size_or_setting(
    autojump_clock, in_memory, only, engine, name, size, settings
):
    """The bug: steps sent sizes and settings that the engine neither lists nor takes."""
    only(set_game, *SETTING_STEPS, *STATE_STEPS)
    command = in_memory(lambda: WrongInMemory(engine))
    failed, report = await check(command, name, settings, size)
    assert {name: result.reason for name, result in failed.items()} == {}
    assert not report.not_set_up


async def test_sizes_listed_for_a_setting_are_tried_with_that_setting_at_least(
    autojump_clock, in_memory, only
):
    class ListsTooMuch(OddWithOneThresholdOnSquares):
        sizes = (3, 4, 5)

    only(settings_listed)
    command = in_memory(lambda: WrongInMemory(ListsTooMuch))
    failed, _ = await check(command, "odd", {"min_group": 3})
    (result,) = failed.values()
    assert result.reason == "lists the size 6, and refused it"


async def test_an_engine_plays_a_listed_game_with_the_defaults_that_it_lists(
    autojump_clock, in_memory, only
):
    only(listed_games)
    command = in_memory(lambda: WrongInMemory(YoddAndAyuWithThePieUnsaid))
    failed, report = await check(command)
    assert [result.reason for result in failed.values()] == [
        "lists ayu, and refused 'set_game ayu'"
    ]
    assert report.not_set_up == ("set_game ayu",)


class OpinionatedEngine(ChattyEngine):
    """Has an opinion about everything."""

    def __init__(self):
        super().__init__()
        self.said = None

    def new_game(self):
        self.said = None
        super().new_game()

    def choose(self, position):
        self.said = TurnEvaluation(0.5, 1)
        return super().choose(position)

    def evaluate(self, at):
        return Evaluation(0.5, 100, ())

    def last_evaluation(self):
        return self.said


WRONG_ANSWERS = {
    "a number with an exponent": (
        evaluate,
        "evaluate",
        lambda _: "4565e-4 100",
        "a number from 0 to 1",
    ),
    "keys in another order": (
        analyzes,
        "analyze",
        lambda text: re.sub("(visits [0-9]+) (win_rate [0-9.]+)", r"\2 \1", text),
        "turn, visits, win_rate, lead, rules in this order and once",
    ),
    "a key twice": (
        analyzes,
        "analyze",
        lambda text: text.replace(" visits", " win_rate 0.5 visits", 1),
        "in this order and once",
    ),
    "a capital in a key": (
        analyzes,
        "analyze",
        lambda text: text.replace(" variation", " Mood 7 variation", 1),
        "a key of a to z and _",
    ),
    "an expectation with a key twice": (
        last_evaluation,
        "last_evaluation",
        lambda text: f"{text} win_rate 0.5",
        "each key at most once",
    ),
    "a text for play": (empty_replies, "play", lambda _: "ok", "answered 'ok' to 'play "),
    "all names in a line": (
        required,
        "list_commands",
        lambda text: text.replace("\n", " "),
        "is no name",
    ),
    "spaces in a turn": (
        reg_genmove,
        "reg_genmove",
        lambda text: f"{text} , Wa1",
        "one word without spaces",
    ),
}


@pytest.mark.parametrize("fault", WRONG_ANSWERS)
async def test_an_answer_that_breaks_the_grammar_is_found(autojump_clock, in_memory, only, fault):
    step, name, spoilt, reason = WRONG_ANSWERS[fault]

    class Spoiling(WrongDispatcher):
        def __init__(self):
            Dispatcher.__init__(self, OpinionatedEngine(), create_game("yodd"))
            self.takes = 0.0

        def answer(self, command):
            reply = super().answer(command)
            if isinstance(command, MalformedCommand) or command.name != name or not reply.ok:
                return reply
            return reply._replace(text=spoilt(reply.text))

    class SpoilingInMemory(WrongInMemory):
        def _answer(self, data: bytes, seconds: float) -> None:
            if data.startswith(b"info turn"):
                data = spoilt(data.decode()).encode()
            super()._answer(data, seconds)

    only(step)
    failed, _ = await check(in_memory(lambda: SpoilingInMemory(Spoiling)), budget=BRIEF)
    (result,) = failed.values()
    assert result.step == step
    assert reason in result.reason


async def test_an_engine_whose_answers_are_right_passes_the_same_steps(
    autojump_clock, in_memory, only
):
    only(*dict.fromkeys(step for step, *_ in WRONG_ANSWERS.values()))
    _, report = await check(in_memory(lambda: WrongInMemory(Opinionated)), budget=BRIEF)
    assert {result.verdict for result in report.results} == {"pass"}


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"> ", b"Ready? "])
async def test_a_prompt_or_a_byte_order_mark_is_no_reply(autojump_clock, in_memory, only, before):
    class Prompting(WrongInMemory):
        def _answer(self, data: bytes, seconds: float) -> None:
            super()._answer(before + data, seconds)

    only(*WIRE_STEPS[1:])
    failed, _ = await check(in_memory(lambda: Prompting(WrongDispatcher)), budget=BRIEF)
    (result,) = failed.values()
    assert result.step == handshake
    assert result.reason == "output that is not a reply"
    assert result.received.startswith(before)
    assert "\\xef\\xbb\\xbf=1" in step_lines(result) or before != b"\xef\xbb\xbf"
    assert result.seconds < 1


@pytest.mark.parametrize(
    "greeting", [b"tiny 1.0 threads=4\n\n", b"options: size=5 swap=1\nready\n\n", b"(=77 x)\n\n"]
)
async def test_a_greeting_with_numbers_is_no_hidden_reply(
    autojump_clock, in_memory, only, greeting
):
    """The bug: such a greeting ended the check before its first step."""

    class Greeting(WrongInMemory):
        def __init__(self) -> None:
            super().__init__(WrongDispatcher)
            self._answer(greeting, 0.0)

        def _answer(self, data: bytes, seconds: float) -> None:
            super()._answer(data, seconds + 0.01)

    only(*WIRE_STEPS[1:])
    failed, _ = await check(in_memory(Greeting), budget=BRIEF)
    ((_, result),) = failed.items()
    assert (result.reason, result.received) == ("output before the first reply", greeting)


async def test_output_that_never_becomes_a_reply_is_told_as_that(autojump_clock, in_memory, only):
    class Muttering(WrongInMemory):
        def _answer(self, data: bytes, seconds: float) -> None:
            super()._answer(b"well ", seconds)

    only()
    failed, _ = await check(in_memory(lambda: Muttering(WrongDispatcher)), budget=BRIEF)
    (result,) = failed.values()
    assert result.reason == "output that is not a reply"


async def test_reg_genmove_may_resign_in_any_case(autojump_clock, in_memory, only):
    class Resigning(WrongDispatcher):
        def _reg_genmove(self, arguments):
            return super()._reg_genmove(arguments) and "Resign"

    only(reg_genmove)
    failed, _ = await check(in_memory(lambda: WrongInMemory(Resigning)), budget=BRIEF)
    assert list(failed) == []


@pytest.mark.parametrize("where", ["before each reply", "a moment behind each reply"])
async def test_control_characters_around_replies_mean_nothing(
    autojump_clock, in_memory, only, where
):
    """The bug: one before the first reply failed the handshake, and one behind it the framing."""

    class Controlling(WrongInMemory):
        def _answer(self, data: bytes, seconds: float) -> None:
            super()._answer(b"\0" + data if where == "before each reply" else data, seconds)
            super()._answer(b"\r\x7f", 0.01)

    only(*WIRE_STEPS[1:], *ENDING_STEPS)
    failed, _ = await check(in_memory(lambda: Controlling(WrongDispatcher)), budget=BRIEF)
    assert list(failed) == []


async def test_control_characters_before_a_prompt_do_not_hide_it(autojump_clock, in_memory, only):
    class Prompting(WrongInMemory):
        def _answer(self, data: bytes, seconds: float) -> None:
            super()._answer(b"> " + data.replace(b"=", b"\0=\0"), seconds)

    only()
    failed, _ = await check(in_memory(lambda: Prompting(WrongDispatcher)), budget=BRIEF)
    (result,) = failed.values()
    assert result.reason == "output that is not a reply"
    assert result.seconds < 1


async def test_commands_may_be_listed_in_another_order_each_time(autojump_clock, in_memory, only):
    class Shuffling(WrongDispatcher):
        def _list_commands(self, arguments):
            names = super()._list_commands(arguments).split("\n")
            self.handlers = {name: self.handlers[name] for name in reversed(names)}
            return "\n".join(names)

    only(*WIRE_STEPS[1:])
    failed, _ = await check(in_memory(lambda: WrongInMemory(Shuffling)), budget=BRIEF)
    assert list(failed) == []


async def test_an_engine_that_is_asked_one_by_one_can_end_its_analysis(
    autojump_clock, in_memory, only
):
    class Losing(WrongInMemory):
        """Reads a line, and drops what has come behind it."""

        def send_nowait(self, data):
            return super().send_nowait(data.partition(b"\n")[0] + b"\n")

    only(pipelining, analyzes)
    failed, report = await check(in_memory(lambda: Losing(Analyst)), budget=BRIEF)
    assert [result.step for result in failed.values()] == [pipelining]
    assert report.count("pass") == 2


async def test_a_tab_in_a_reply_is_a_space(autojump_clock, in_memory, only):
    class Tabbed(WrongInMemory):
        def _answer(self, data: bytes, seconds: float) -> None:
            super()._answer(data.replace(b" ", b"\t"), seconds)

    only(*WIRE_STEPS[1:])
    failed, _ = await check(in_memory(lambda: Tabbed(WrongDispatcher)), budget=BRIEF)
    assert list(failed) == []


class WithOptions(WrongDispatcher):
    """Has a number and a choice among its options; it compares numbers as floats."""

    listed, least, most, styles = "min -2.5 max 3.25", -2.5, 3.25, ("calm", "wild")

    def _list_options(self, arguments):
        return (
            f"noise type number default 0.5 {self.listed}\n"
            "style type choice default calm choices calm wild"
        )

    def _set_option(self, arguments):
        name, value = arguments
        is_noise = name == "noise" and value != "nonsense"
        if is_noise and self.least <= float(value) <= self.most:
            return ""
        if name == "style" and value in self.styles:
            return ""
        raise CommandError("no such value")


def between(least: int, most: int) -> dict[str, object]:
    """What an option has with these limits."""
    return {
        "listed": f"min {least} max {most}",
        "least": float(least),
        "most": float(most),
    }


async def test_a_whole_number_of_any_length_may_be_a_limit(autojump_clock, in_memory, only):
    """The bug: Python reads at most 4,300 digits, and the check ended with a traceback."""

    class Long(WithOptions):
        most = 9 * "9" + 5000 * "0"

        def _list_options(self, arguments):
            return f"noise type integer default 5 max {self.most}"

        def _set_option(self, arguments):
            if " ".join(arguments) in ("noise 5", f"noise {self.most}"):
                return ""
            raise CommandError("no such value")

    only(list_options, set_option)
    failed, _ = await check(in_memory(lambda: WrongInMemory(Long)), budget=BRIEF)
    assert list(failed) == []


@pytest.mark.parametrize(
    ("fault", "reasons"),
    [
        ({}, []),
        ({"styles": ("calm",)}, ["refused 'set_option style wild'"]),
        ({"most": 99.5}, ["accepted 'set_option noise 4.25'"]),
        ({"least": -99.5}, ["accepted 'set_option noise -3.5'"]),
        (between(-(2**53), 2**53), []),
        (between(-1, 10**30), []),
        (between(-int(sys.float_info.max), int(sys.float_info.max)), []),
        (between(-1, 2**53) | {"most": 1e17}, ["accepted 'set_option noise 9016206453995732.992'"]),
    ],
)
async def test_options_are_tried_with_every_choice_and_beyond_every_limit(
    autojump_clock, in_memory, only, fault, reasons
):
    only(list_options, set_option)
    wrong = type("Wrong", (WithOptions,), fault)
    failed, _ = await check(in_memory(lambda: WrongInMemory(wrong)), budget=BRIEF)
    assert [result.reason for result in failed.values()] == reasons


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
    failed, _ = await check(in_memory(lambda: WrongInMemory(Narrow)), budget=BRIEF)
    assert [result.step for result in failed.values()] == [step]


@pytest.mark.parametrize(
    ("game", "right", "wrong", "expected"),
    [
        ("odd", "min_group type integer default 5", "min_group type integer default 4", "5"),
        ("ayu", "pie type boolean default false", "pie type boolean default true", "false"),
        ("odd", "default 5 choices 2 3 4 5 6", "default 6 choices 2 3 4 5 6", "5"),
        ("odd", "default 5 choices 2 3 4 5 ", "default 3 choices 2 3 4 ", ""),
        ("odd", "default 5 min 1", "default 7 min 6", ""),
    ],
)
async def test_a_listed_default_is_that_of_the_game_if_the_engine_plays_it(
    autojump_clock, in_memory, only, game, right, wrong, expected
):
    class Listing(WrongDispatcher):
        def _list_settings(self, arguments):
            text = super()._list_settings(arguments)
            assert right in text
            return text.replace(right, wrong)

    only(settings_listed)
    failed, _ = await check(in_memory(lambda: WrongInMemory(Listing)), game, budget=BRIEF)
    told = [result.expected for result in failed.values()]
    assert told == ([f"default {expected}"] if expected else [])


class Opinionated(WrongDispatcher):
    """Has an evaluation of its last turn, until a command of that name."""

    forgets = ""

    def __init__(self):
        Dispatcher.__init__(self, OpinionatedEngine(), create_game("yodd"))
        self.takes = 0.0

    def answer(self, command):
        reply = super().answer(command)
        if getattr(command, "name", "") == self.forgets:
            self.engine.said = None
        return reply


@pytest.mark.parametrize("name", ["", "undo", "play"])
async def test_the_last_evaluation_outlives_undo_and_play(autojump_clock, in_memory, only, name):
    only(last_evaluation)
    wrong = type("Wrong", (Opinionated,), {"forgets": name})
    failed, _ = await check(in_memory(lambda: WrongInMemory(wrong)), budget=BRIEF)
    assert [result.reason.partition(" '")[0] for result in failed.values()] == (
        ["another answer to last_evaluation behind"] if name else []
    )


class EndsAtAnyLine(WrongInMemory):
    """Ends its analysis at a line without a command."""

    def send_nowait(self, data):
        if self._analyzes and data.startswith(b"#"):
            self._answer(b"\n", 0.0)
            self._analyzes = False
        return super().send_nowait(data)


class EndsAbruptly(WrongInMemory):
    """Ends without the empty line of its analysis."""

    async def stop(self, grace, farewell=b""):
        self._analyzes = False
        await super().stop(grace, farewell)


class ReadsOn(WrongInMemory):
    """Carries out what follows the last line feed."""

    async def stop(self, grace, farewell=b""):
        if farewell:
            self.send_nowait(farewell.rstrip(b"\n") + b"\n")
        await super().stop(grace, farewell)


class SaysFarewell(WrongInMemory):
    """Says something that is no reply at the end of its input."""

    async def stop(self, grace, farewell=b""):
        self._answer(b"bye bye\n", 0.0)
        await super().stop(grace, farewell)


class Short(WrongInMemory):
    """Refuses a line that just fits."""

    def send_nowait(self, data):
        return super().send_nowait(b"?\n" if len(data) == 65_536 else data)


class RunsTogether(WrongInMemory):
    """Does not take a tab for a space if it comes before `stop`."""

    def send_nowait(self, data):
        return super().send_nowait(data.replace(b"\tstop", b"stop"))


WRONG_LINES = {
    EndsAtAnyLine: (analyzes, "a line without a command ended the analysis"),
    EndsAbruptly: (ends_analysis, "left out the empty line at the end of its input"),
    ReadsOn: (ignores_a_line_cut_off, "carried out a line without its line feed"),
    Short: (long_line, "refused or misread a line of 65,536 bytes, which is not too long"),
    RunsTogether: (spelled, "a reply with no id"),
}


@pytest.mark.parametrize("wrong", WRONG_LINES)
async def test_a_fault_in_reading_lines_is_found(autojump_clock, in_memory, only, wrong):
    step, reason = WRONG_LINES[wrong]
    only(echoes_ids, step)
    failed, _ = await check(in_memory(lambda: wrong(Analyst)), "xodd", budget=BRIEF)
    assert [(each.step, each.reason) for each in failed.values()] == [(step, reason)]


async def test_words_at_the_end_of_input_are_no_carried_out_line(autojump_clock, in_memory, only):
    """The bug: whatever came was taken for the reply to a line that was cut off."""
    only(exits_at_end_of_input, ignores_a_line_cut_off)
    failed, _ = await check(in_memory(lambda: SaysFarewell(WrongDispatcher)), budget=BRIEF)
    assert [(each.step, each.reason) for each in failed.values()] == [
        (exits_at_end_of_input, "output at the end of its input")
    ]


async def test_an_engine_that_reads_lines_right_passes_the_same_steps(
    autojump_clock, in_memory, only
):
    only(echoes_ids, exits_at_end_of_input, *(step for step, _ in WRONG_LINES.values()))
    _, report = await check(in_memory(lambda: WrongInMemory(Analyst)), "xodd", budget=BRIEF)
    assert {result.verdict for result in report.results} == {"pass"}
