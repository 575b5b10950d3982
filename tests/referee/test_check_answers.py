"""What `oddly check` says of answers: analyses and opinions, failures and resignations."""

import re
from itertools import count, cycle

import pytest

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.session import CommandError
from oddly.games.catalogue import create_game
from oddly.protocol import Command, MalformedCommand, NotationError, Reply
from oddly.protocol.evaluation import Evaluation, TurnEvaluation
from oddly.referee.check.analysis_steps import (
    analyzes,
    analyzes_for_people,
    ends_analysis,
    last_evaluation,
)
from oddly.referee.check.checker import check_engine
from oddly.referee.check.engine_under_test import CheckOptions
from oddly.referee.check.game_steps import canonical, game_steps
from oddly.referee.check.opinion_steps import FullSearch, evaluate, solve
from oddly.referee.check.position_steps import empty_replies, reg_genmove, some_turns
from oddly.referee.check.session_steps import required, spelled
from oddly.referee.conversation.commands import STARTERS
from tests.referee.engine_in_memory import ChattyEngine, InMemory
from tests.referee.test_check import BRIEF, check
from tests.referee.wrong_engines import Analyst, Rewritten, WrongDispatcher, WrongInMemory


async def test_an_engine_may_resign_in_any_state(autojump_clock, in_memory):
    class Resigning(WrongDispatcher):
        def _genmove(self, arguments):
            super()._genmove(arguments)
            self.session.undo()
            return "resign"

    command = in_memory(Resigning)
    failed, _ = await check(command, "odd", games=1, budget=BRIEF)
    # It resigns when it is stopped too, which it must not do for that reason alone.
    assert [name for name in failed if not name.startswith("Stops a genmove")] == []


async def test_reg_genmove_may_resign_in_any_case(autojump_clock, in_memory, only):
    class Resigning(WrongDispatcher):
        def _reg_genmove(self, arguments):
            return super()._reg_genmove(arguments) and "Resign"

    only(reg_genmove)
    failed, _ = await check(in_memory(Resigning), budget=BRIEF)
    assert list(failed) == []


async def test_games_of_very_few_turns_are_no_obstacle(autojump_clock, in_memory):
    command = in_memory(lambda: InMemory(0.0))
    game = create_game("ayu", 3)
    report = await check_engine(command, game, CheckOptions(games=1), lambda _: None)
    assert report.count("fail") == 0
    assert report.count("pass") > 60


TEXTS = "Begins the texts of its failures as the protocol recommends"


async def test_another_text_of_a_failure_breaks_one_recommendation_and_no_duty(
    autojump_clock, in_memory
):
    class Curt(WrongDispatcher):
        def answer(self, command):
            reply = super().answer(command)
            return reply if reply.ok else Reply(ok=False, text="", id=reply.id)

    failed, _ = await check(in_memory(Curt), games=1, budget=BRIEF)
    ((name, result),) = failed.items()
    assert name == TEXTS
    assert result.step.should
    assert result.reason == "refused 'no_such_command' with another text"
    assert b"no_such_command" in result.sent
    assert result.expected == "a failure, '? unknown command...'"


CHOOSING = ("genmove", "reg_genmove", "legal_turns")


@pytest.mark.parametrize(
    ("step", "command"),
    [(reg_genmove, b"reg_genmove"), (some_turns, b"legal_turns"), (game_steps(1)[0], b"genmove")],
)
async def test_a_turn_in_another_form_is_shown_with_its_bytes(
    autojump_clock, in_memory, only, step, command
):
    """The bug: the evidence was `received nothing`."""

    class Shouts(WrongDispatcher):
        def answer(self, command):
            reply = super().answer(command)
            is_turn = command.name in CHOOSING
            return reply._replace(text=reply.text.upper()) if is_turn else reply

    only(step, canonical)
    failed, _ = await check(in_memory(Shouts), "odd", budget=BRIEF)
    (result,) = failed.values()
    assert result.step == canonical
    turn = result.expected
    assert result.reason == f"it wrote '{turn.upper()}'"
    assert command in result.sent
    assert turn.upper().encode() in result.received


@pytest.mark.parametrize(("name", "settings"), [("xodd", None), ("ayu", {"pie": True})])
async def test_turns_in_a_form_that_varies_break_one_recommendation_and_no_duty(
    autojump_clock, in_memory, name, settings
):
    """The bug: `undo`, `set_game`, other commands and a seed seemed to change the position."""

    class Varying(WrongDispatcher):
        spellings = cycle((str, spelt_backwards))

        def answer(self, command):
            reply = super().answer(command)
            is_turn = isinstance(command, Command) and command.name in CHOOSING
            spelling = next(self.spellings) if reply.ok and is_turn else str
            return reply._replace(text="\n".join(map(spelling, reply.text.splitlines())))

    failed, _ = await check(in_memory(Varying), name, settings, games=1, budget=BRIEF)
    assert {name: result.step.should for name, result in failed.items()} == {canonical.name: True}


def spelt_backwards(turn):
    """The same turn in upper case, with its drops in the other order."""
    return ",".join(reversed(turn.upper().split(",")))


async def test_a_diagram_may_say_something_else_each_time(autojump_clock, in_memory, only):
    """The bug: the engine seemed to read `showboard` otherwise with a carriage return."""

    class Timed(WrongDispatcher):
        diagrams = count(1)

        def _showboard(self, arguments):
            return f"{super()._showboard(arguments)}\nDiagram {next(self.diagrams)}"

    only(spelled)
    failed, _ = await check(in_memory(Timed), budget=BRIEF)
    assert failed == {}


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

    failed, _ = await check(in_memory(Vague), games=1, budget=BRIEF)
    assert list(failed) == []


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
    def longer(data: bytes) -> bytes:
        return data.replace(b"info turn", 70_000 * b" " + b"info turn")

    only(analyzes)
    failed, _ = await check(in_memory(lambda: Rewritten(longer, Analyst)), budget=BRIEF)
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
    _, report = await check(in_memory(Forward))
    assert [result.verdict for result in report.results] == ["pass", "skip"]


def in_32_bits(number):
    return number % 2**32


async def test_limits_have_ten_digits(autojump_clock, in_memory, only):
    class Wraps(WrongDispatcher):
        def _legal_turns(self, arguments):
            return super()._legal_turns([str(in_32_bits(int(each))) for each in arguments])

    only(some_turns)
    failed, _ = await check(in_memory(Wraps))
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

    class Spoiling(Opinionated):
        def answer(self, command):
            reply = super().answer(command)
            if isinstance(command, MalformedCommand) or command.name != name or not reply.ok:
                return reply
            return reply._replace(text=spoilt(reply.text))

    def rewrite(data: bytes) -> bytes:
        return spoilt(data.decode()).encode() if data.startswith(b"info turn") else data

    only(step)
    failed, _ = await check(in_memory(lambda: Rewritten(rewrite, Spoiling)), budget=BRIEF)
    (result,) = failed.values()
    assert result.step == step
    assert reason in result.reason


async def test_an_engine_whose_answers_are_right_passes_the_same_steps(
    autojump_clock, in_memory, only
):
    only(*dict.fromkeys(step for step, *_ in WRONG_ANSWERS.values()))
    _, report = await check(in_memory(Opinionated), budget=BRIEF)
    assert {result.verdict for result in report.results} == {"pass"}


@pytest.mark.parametrize("name", ["", "undo", "play"])
async def test_the_last_evaluation_outlives_undo_and_play(autojump_clock, in_memory, only, name):
    only(last_evaluation)
    wrong = type("Wrong", (Opinionated,), {"forgets": name})
    failed, _ = await check(in_memory(wrong), budget=BRIEF)
    assert [result.reason.partition(" '")[0] for result in failed.values()] == (
        ["another answer to last_evaluation behind"] if name else []
    )
