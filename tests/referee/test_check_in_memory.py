"""`oddly check` of engines in memory, on trio's autojump clock: their faults need no process."""

import re

import pytest

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.plain_engines import RandomEngine
from oddly.engines.session import CommandError
from oddly.games.catalogue import create_game
from oddly.protocol import MalformedCommand, NotationError, Reply
from oddly.protocol.evaluation import Evaluation, TurnEvaluation
from oddly.referee.check import checker, conversation
from oddly.referee.check.analysis_steps import analyzes, ends_analysis, last_evaluation
from oddly.referee.check.checker import check_engine, step_lines
from oddly.referee.check.engine_under_test import CheckOptions
from oddly.referee.check.opinion_steps import evaluate
from oddly.referee.check.position_steps import empty_replies, reg_genmove
from oddly.referee.check.session_steps import WIRE_STEPS, handshake, required
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
    class Opinionated(WrongDispatcher):
        def __init__(self):
            Dispatcher.__init__(self, OpinionatedEngine(), create_game("yodd"))
            self.takes = 0.0

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


async def test_a_tab_in_a_reply_is_a_space(autojump_clock, in_memory, only):
    class Tabbed(WrongInMemory):
        def _answer(self, data: bytes, seconds: float) -> None:
            super()._answer(data.replace(b" ", b"\t"), seconds)

    only(*WIRE_STEPS[1:])
    failed, _ = await check(in_memory(lambda: Tabbed(WrongDispatcher)), budget=BRIEF)
    assert list(failed) == []
