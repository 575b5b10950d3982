"""What `oddly check` says of lines: greetings, prompts, control characters, ends of input, ids."""

import re

import pytest

from oddly.referee.check.analysis_steps import analyzes, ends_analysis
from oddly.referee.check.checker import step_lines
from oddly.referee.check.session_steps import (
    ENDING_STEPS,
    WIRE_STEPS,
    echoes_ids,
    exits_at_end_of_input,
    framing,
    handshake,
    ignores_a_line_cut_off,
    long_line,
    one_name,
    pipelining,
    spelled,
    utf_8,
)
from tests.referee.test_check import BRIEF, check
from tests.referee.wrong_engines import Analyst, Losing, Rewritten, WrongDispatcher, WrongInMemory


async def test_an_engine_that_loses_pipelined_input_is_then_asked_one_by_one(
    autojump_clock, in_memory
):
    failed, report = await check(in_memory(lambda: Losing(Analyst)), timeout=1.5, budget=BRIEF)
    assert [name for name in failed if "in one write" in name]
    assert all(result.follows_from for name, result in failed.items() if "Plays game" in name)
    assert report.count("pass") > 40


async def test_an_engine_that_is_asked_one_by_one_can_end_its_analysis(
    autojump_clock, in_memory, only
):
    only(pipelining, analyzes)
    failed, report = await check(in_memory(lambda: Losing(Analyst)), budget=BRIEF)
    assert [result.step for result in failed.values()] == [pipelining]
    assert report.count("pass") == 2


async def test_a_name_of_two_lines_is_found(autojump_clock, in_memory, only):
    class Double(WrongDispatcher):
        def _name(self, arguments):
            return f"{super()._name(arguments)}\nII"

    only(one_name)
    failed, _ = await check(in_memory(Double))
    ((name, result),) = failed.items()
    assert (name, result.reason) == ("Has a name of one line", "a name of 2 lines")
    failed, _ = await check(in_memory(WrongDispatcher))
    assert failed == {}


@pytest.mark.parametrize(("encoding", "fails"), [("utf-8", 0), ("latin-1", 1)])
async def test_a_name_in_latin_1_breaks_a_recommendation(
    autojump_clock, in_memory, only, encoding, fails
):
    def french(data):
        return data.replace(b" random\n", " hérisson\n".encode(encoding))

    only(*WIRE_STEPS[1:])
    failed, _ = await check(in_memory(lambda: Rewritten(french)), budget=BRIEF)
    assert [(each.step, each.reason) for each in failed.values()] == [
        (utf_8, r"the byte '\xe9' is not UTF-8")
    ] * fails


async def test_a_reply_may_be_longer_than_a_line(autojump_clock, in_memory, only):
    """The bug: it was cut for the steps on UTF-8 and on frames, which then failed."""

    class Long(WrongDispatcher):
        def _version(self, arguments):
            return "\n".join(["é" * 30_000] * 2)

    only(framing, utf_8)
    failed, _ = await check(in_memory(Long))
    assert failed == {}


async def test_a_name_in_latin_1_is_found_in_an_engine_that_is_asked_one_by_one(
    autojump_clock, in_memory, only
):
    """The bug: only the version was looked at."""

    class French(Losing):
        def _answer(self, data, seconds):
            super()._answer(data.replace(b" random\n", b" h\xe9risson\n"), seconds)

    only(pipelining, utf_8)
    failed, _ = await check(in_memory(lambda: French(WrongDispatcher)), budget=BRIEF)
    assert [each.step for each in failed.values()] == [pipelining, utf_8]


async def test_commands_may_be_listed_in_another_order_each_time(autojump_clock, in_memory, only):
    class Shuffling(WrongDispatcher):
        def _list_commands(self, arguments):
            names = super()._list_commands(arguments).split("\n")
            self.handlers = {name: self.handlers[name] for name in reversed(names)}
            return "\n".join(names)

    only(*WIRE_STEPS[1:])
    failed, _ = await check(in_memory(Shuffling), budget=BRIEF)
    assert list(failed) == []


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"> ", b"Ready? "])
async def test_a_prompt_or_a_byte_order_mark_is_no_reply(autojump_clock, in_memory, only, before):
    only(*WIRE_STEPS[1:])
    failed, _ = await check(in_memory(lambda: Rewritten(lambda data: before + data)), budget=BRIEF)
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
    only()
    failed, _ = await check(in_memory(lambda: Rewritten(lambda _: b"well ")), budget=BRIEF)
    (result,) = failed.values()
    assert result.reason == "output that is not a reply"


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
    def prompting(data: bytes) -> bytes:
        return b"> " + data.replace(b"=", b"\0=\0")

    only()
    failed, _ = await check(in_memory(lambda: Rewritten(prompting)), budget=BRIEF)
    (result,) = failed.values()
    assert result.reason == "output that is not a reply"
    assert result.seconds < 1


async def test_a_tab_in_a_reply_is_a_space(autojump_clock, in_memory, only):
    only(*WIRE_STEPS[1:])
    tabbed = in_memory(lambda: Rewritten(lambda data: data.replace(b" ", b"\t")))
    failed, _ = await check(tabbed, budget=BRIEF)
    assert list(failed) == []


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


def with_ids_apart(data):
    """What is written, with a space between the mark of a reply and its id."""
    return re.sub(rb"^([=?])(?=[0-9])", rb"\1 ", data)


async def test_a_space_before_the_id_fails_the_step_about_ids_and_games_only(
    autojump_clock, in_memory
):
    """The bug: two dozen steps failed, as the id counted as a part of every answer."""
    command = in_memory(lambda: Rewritten(with_ids_apart, Analyst))
    failed, _ = await check(command, "odd", games=1, budget=BRIEF)
    first, *games = failed.values()
    assert first.step == echoes_ids
    assert first.reason == "the reply has a space between its mark and its id"
    assert first.expected == "=1 ..."
    assert {each.follows_from for each in games} == {echoes_ids.name}
    reason = r"a reply with a space between its mark and its id where id [0-9]+ was expected"
    assert all(re.fullmatch(reason, each.reason) for each in games)


async def test_a_number_that_is_no_id_stays_in_the_answer(autojump_clock, in_memory, only):
    class First(WrongDispatcher):
        def _version(self, arguments):
            return super()._version(arguments) and "1"

    def without_ids(data):
        return re.sub(rb"^([=?])[0-9]+", rb"\1", data)

    only(echoes_ids, pipelining)
    failed, _ = await check(in_memory(lambda: Rewritten(without_ids, First)), budget=BRIEF)
    assert [each.reason for each in failed.values()] == ["the reply has no id"]


async def test_an_engine_that_reads_lines_right_passes_the_same_steps(
    autojump_clock, in_memory, only
):
    only(echoes_ids, exits_at_end_of_input, *(step for step, _ in WRONG_LINES.values()))
    _, report = await check(in_memory(Analyst), "xodd", budget=BRIEF)
    assert {result.verdict for result in report.results} == {"pass"}
