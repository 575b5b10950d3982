"""Steps about a session: its handshake, its bytes and lines, and its end.

They also send every command in every spelling that means the same. At the end come `quit`, the end
of the input, and what is left behind.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import trio

from oddly.games import one_line
from oddly.protocol.codec import CONTROLS, MAX_LINE, TABS
from oddly.protocol.messages import MAX_ID
from oddly.referee.check.conversation import Failed, Late, Skipped
from oddly.referee.check.replies import REPLY_MARK, numbered
from oddly.referee.check.state_steps import SEARCHES, in_a_game, lines_of_command, session, told
from oddly.referee.check.step import COMMANDS, is_busy, step
from oddly.referee.conversation.commands import other_id
from oddly.referee.justice.deadline import LagMeter
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.protocol import Reply
    from oddly.referee.check.conversation import Conversation
    from oddly.referee.check.engine_under_test import EngineUnderTest
    from oddly.referee.program.channel import Channel


REQUIRED = ("name", "version", "list_commands", "play", "genmove", "quit")
QUIET = 0.1
"""Seconds in which the engine must stay silent."""
ONE_FRAME = rb"[=?][0-9]*( [^\n]*)?\n([^\n]+\n)*\n"
FEW_NAMES = ("name", "version", "list_commands")
PIPELINED = (12, 40)
"""Commands in one write."""
FRAMED = (b"name\n", b"1 list_commands\n", b"version\n", b"no_such_command\n")
MALFORMED = (
    *(b"5", b"2147483648 name", b"\xff\xfe\x80", b"-1 name", b"7 # name", b"5 6", b"=", b"?"),
    *(b"99999999999 name", b"18446744073709551617 name"),
)
SILENCE = "silence until a command"
PATIENCE = 1.0
"""Seconds from `quit` or the end of input until the referee would send SIGTERM."""
LOOK_AGAIN = 0.05
BUSY_FACTOR = 5
"""What `PATIENCE` is multiplied by on a busy machine."""
WENT_ON = "closed its output and went on running"


@step("7", "starting")
async def handshake(engine: EngineUnderTest) -> None:
    """Starts and answers name, version and list_commands."""
    try:
        answers = [await engine.accepted(line) for line in FEW_NAMES]
    except Late as late:
        late.problem += f" (--timeout); a match waits {engine.conversation.limits.handshake:g} s"
        raise
    engine.engine_name, engine.engine_version = (answer.strip() for answer in answers[:2])
    engine.commands = frozenset(answers[2].split())


@step("8", "commands")
async def required(engine: EngineUnderTest) -> None:
    """Lists the commands that every engine must know, one per line."""
    names = (await engine.accepted("list_commands")).splitlines()
    if joined := [line for line in names if " " in line.strip()]:
        raise engine.failure(f"{one_line(joined[0], 60)!r} is no name", "one per line")
    missing = [name for name in REQUIRED if name not in engine.commands]
    if missing:
        raise engine.failure(f"{missing[0]!r} is not listed", ", ".join(REQUIRED))


@step("5.1", "commands")
async def one_name(engine: EngineUnderTest) -> None:
    """Has a name of one line."""
    if (lines := (await engine.accepted("name")).count("\n") + 1) > 1:
        raise engine.failure(f"a name of {lines} lines", "one line")


@step("2.1", "commands", should=True)
async def utf_8(engine: EngineUnderTest) -> None:
    """Writes its name and its version in UTF-8."""
    conversation = engine.conversation
    for line in ("name", "version"):
        await conversation.ask(line)
        try:
            conversation.received.decode("utf-8")
        except UnicodeDecodeError as error:
            wrong = error.object[error.start : error.start + 1]
            problem = f"the byte {str(wrong)[1:]} is not UTF-8"
            raise conversation.failure(problem, "text in UTF-8") from None


@step("2.3", "framing")
async def framing(engine: EngineUnderTest) -> None:
    """Writes one reply to each command, ended by an empty line, and nothing else."""
    conversation = engine.conversation
    received = b""
    for line in FRAMED:
        await conversation.exchange(line, 1)
        received += bytes(conversation.received)
    if conversation.greeting:
        greeting = conversation.greeting
        raise Failed("output before the first reply", SILENCE, received=greeting)
    if await conversation.unrequested(QUIET):
        raise conversation.failure("output that nothing asked for", SILENCE)
    if not re.fullmatch(
        b"(?:" + ONE_FRAME + b"){%d}" % len(FRAMED), received.translate(TABS, CONTROLS)
    ):
        raise conversation.failure(
            "more or fewer lines than the replies have",
            "= or ?, the id, a space and the text, and one empty line after each reply",
        )


@step("2.3", "ids")
async def echoes_ids(engine: EngineUnderTest) -> None:
    """Repeats the id of a command in its reply."""
    conversation = engine.conversation
    for number in (1, 0, 17, MAX_ID):
        await _has_id(conversation, number, "name", "=")
    await _has_id(conversation, 5, "no_such_command", "?")
    conversation.checks_ids = True


async def _has_id(conversation: Conversation, number: int, line: str, mark: str) -> None:
    """Send a command with an id. Raises Failed if the reply has no id or another one."""
    await conversation.write(numbered(number, line))
    (reply,) = await conversation.raw_replies(1)
    if reply.id != number:
        what = "reply" if mark == "=" else "failure"
        problem = f"the {what} has {other_id(reply, number)}"
        raise conversation.failure(problem, f"{mark}{number} ...")


@step("2.3", "ids")
async def no_id_without_id(engine: EngineUnderTest) -> None:
    """Replies without an id to a command without one."""
    await engine.conversation.exchange(b"3 name\n", 1)
    (reply,) = await engine.conversation.exchange(b"name\n", 1)
    if reply.id is not None:
        raise engine.failure("the reply has an id", "= ... without an id")


@step("2.4", "input")
async def pipelining(engine: EngineUnderTest) -> None:
    """Answers many commands that come in one write, in their order."""
    conversation = engine.conversation
    conversation.pipelines = False
    alone = {line: _words(await conversation.ask(line)) for line in FEW_NAMES}
    for number in engine.cases(PIPELINED):
        names = [FEW_NAMES[i % len(FEW_NAMES)] for i in range(number)]
        data = "".join(f"{i} {name}\n" for i, name in enumerate(names)).encode()
        replies = await conversation.exchange(data, number)
        if [*map(_words, replies)] != [alone[name] for name in names]:
            raise conversation.failure("the replies are not in order", "a reply to each, in order")
    conversation.pipelines = True


def _words(reply: Reply) -> list[str]:
    """Return the words of a reply, sorted: commands may be listed in any order."""
    return sorted(reply.text.split())


@step("2.4", "input")
async def pieces(engine: EngineUnderTest) -> None:
    """Understands a command that arrives in pieces."""
    conversation = engine.conversation
    name = await engine.accepted("name")
    await conversation.write(b"na")
    early = await conversation.unrequested(QUIET / 2)
    if early:
        raise conversation.failure("an answer to half a line", "silence until the line feed")
    (reply,) = await conversation.exchange(b"me\nna", 1)
    (other,) = await conversation.exchange(b"me\n", 1)
    if not (reply.ok and other.ok and reply.text == other.text == name):
        raise conversation.failure("'name' in two pieces is not 'name'", f"= {name}")


@step("2.1", "lines")
async def white_space(engine: EngineUnderTest) -> None:
    """Ignores comments, empty lines, spaces, tabs, carriage returns and control characters."""
    name = await engine.accepted("name")
    for data in (
        b"name\r\n",
        b"\tname \t \n",
        b"  name  \n",
        b"5\tname\n",
        b"name # a comment\n",
        b"name#5\n",
        b"\n\r\n   \n# only a comment\n\t\nname\n",
        b"na\x00me\x01\n",
        b"name\x7f\n",
        b"\x01\n\x02 \x03\nna\rme\n",
    ):
        (reply,) = await engine.conversation.exchange(data, 1)
        if not reply.ok or reply.text != name:
            raise engine.failure("the line was not read as 'name'", f"= {name}")
    if await engine.conversation.unrequested(QUIET / 2):
        raise engine.failure("a reply to an empty line", "one reply, to 'name'")
    if "known_command" in engine.commands:
        for data in (b"known_command\tname\n", b"known_command   name\t# x\n"):
            (reply,) = await engine.conversation.exchange(data, 1)
            if not reply.ok or reply.text != "true":
                raise engine.failure("not read as 'known_command name'", "= true")


@step("5", "lines")
async def unknown_command(engine: EngineUnderTest) -> None:
    """Refuses an unknown command, and goes on."""
    for line in ("no_such_command", "no_such_command with arguments", "NAME"):
        await engine.refused(line, "unknown command")
        await engine.accepted("name")


@step("2.2", "lines")
async def malformed_lines(engine: EngineUnderTest) -> None:
    """Refuses lines that are not commands: an id alone, bytes that are not UTF-8."""
    for line in engine.cases(MALFORMED, 4):
        (reply,) = await engine.conversation.exchange(line + b"\n", 1)
        if reply.ok:
            raise engine.failure("accepted a line that is no command", "a failure, '? ...'")
        await survives(engine, line + b"\n")
    await survives(engine, b"name \xc3(\n")


@step("2.2", "lines")
async def long_line(engine: EngineUnderTest) -> None:
    """Survives lines of 65,536 bytes and more."""
    name = await engine.accepted("name")
    for beginning, answer in {b"name #": name, b"known_command ": "false"}.items():
        if engine.lists(beginning.split()[0].decode()):
            line = beginning.ljust(MAX_LINE - 1, b"x") + b"\n"
            (reply,) = await engine.conversation.exchange(line, 1)
            if not reply.ok or reply.text != answer:
                problem = f"refused or misread a line of {MAX_LINE:,} bytes, which is not too long"
                raise engine.failure(problem, f"= {answer}")
    lengths = (MAX_LINE + 1, MAX_LINE, 3 * MAX_LINE)
    beginnings = (b"known_command ", b"name #")
    for beginning, length in engine.cases(product(beginnings, lengths), 2):
        await survives(engine, beginning.ljust(length - 1, b"x") + b"\n")


async def survives(engine: EngineUnderTest, data: bytes) -> None:
    """Send a line that may go unanswered, then two that must be answered.

    Raises Failed if the two are not, and Skipped if the engine loses commands sent in one write.
    """
    conversation = engine.conversation
    if not conversation.pipelines:
        raise Skipped("it loses commands that come in one write")
    name = await engine.accepted("name")
    replies = await conversation.exchange(data + b"2011 name\n2012 no_such_command\n", 2)
    if replies[1].ok:
        # The line itself was answered.
        replies = [replies[1], *await conversation.more(1)]
    wrong_ids = conversation.checks_ids and [reply.id for reply in replies] != [2011, 2012]
    if not replies[0].ok or replies[0].text != name or replies[1].ok or wrong_ids:
        raise conversation.failure(
            "the commands after the line were not answered in step", f"=2011 {name} and ?2012 ..."
        )


WIRE_STEPS = (
    handshake,
    required,
    framing,
    echoes_ids,
    no_id_without_id,
    pipelining,
    pieces,
    white_space,
    unknown_command,
    malformed_lines,
    long_line,
    one_name,
    utf_8,
)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "ended by a carriage return and a line feed": lambda line: f"{line}\r",
    "with a comment": lambda line: f"{line} # play b pass",
    "with tabs": lambda line: "\t".join(("", *line.split(" "), "")),
    "with many spaces": lambda line: f"  {line.replace(' ', '   ')}  ",
    "with a comment directly behind it": lambda line: f"{line}#5",
    "with control characters": lambda line: "\x01".join(("", *line, "")),
}
"""Ways to write a line without changing its meaning."""


@step("2.1", "notation", share=4)
async def spelled(engine: EngineUnderTest) -> None:
    """Takes every command to mean the same with tabs, spaces, comments and control characters."""
    state = in_a_game(engine)
    names = [name for name in COMMANDS if name in engine.commands and name not in SEARCHES]
    some = [line for name in names for line, _ in lines_of_command(engine, state, name)[:1]]
    plain = session(engine, state, some)
    plain = plain._replace(begin=0, end=0)
    _, expected = await told(engine, plain)
    for what, spelling in engine.cases(SPELLINGS.items(), 3):
        replies, got = await told(engine, plain._replace(lines=list(map(spelling, plain.lines))))
        for line, reply, right, now in zip(plain.lines, replies, expected, got, strict=True):
            # A diagram is for people and may say more, such as the time.
            is_same = now.ok == right.ok if line == "showboard" else now == right
            if not is_same:
                raise engine.failure(
                    f"answered {line!r} differently {what}: {reply.text!r}",
                    f"{'=' if right.ok else '?'} as without that",
                )


SPELLING_STEPS = (spelled,)


@step("5.1", "leaving")
async def quits(engine: EngineUnderTest) -> None:
    """Answers quit, and exits with all that it has started."""
    conversation = engine.conversation
    await engine.refused("quit now")
    if isinstance(conversation.channel, EngineProcess):
        conversation.channel.spares_what_is_left = True
    reply = await conversation.ask("quit")
    if not reply.ok:
        raise conversation.failure("refused quit", "=")
    watch = LagMeter.of_this_run().watch()
    began = trio.current_time()
    if conversation.has_more or await conversation.unrequested(PATIENCE):
        raise conversation.failure("output behind the reply to quit", "= and an exit")
    left_behind = await _left_behind(conversation.channel, began + PATIENCE)
    left = PATIENCE - (trio.current_time() - began)
    late = 10 * PATIENCE if is_busy(watch.end()) else 0.0
    watched = PATIENCE
    if left_behind and late:
        watched += late
        left_behind = await _left_behind(conversation.channel, trio.current_time() + late)
    # What is left behind may hold its standard error open for ever.
    ended = await conversation.channel.how_it_ended(max(0.0, left, 0.0 if left_behind else late))
    await conversation.stop()
    if ended == WENT_ON:
        raise conversation.failure(f"did not exit within {PATIENCE:g} s", "= and an exit")
    if "killed" in ended:
        raise conversation.failure(f"the engine {ended} after quit", "= and an exit")
    if left_behind:
        noun = "process" if left_behind == 1 else "processes"
        problem = f"left {left_behind} {noun} running for {watched:g} s after its exit"
        raise conversation.failure(problem, "= and the end of all its processes")


async def _left_behind(channel: Channel, until: float) -> int:
    """Return how many processes have outlived the engine at a time; 0 if it has not exited."""
    if not isinstance(channel, EngineProcess):
        return 0
    while running := await channel.number_running():
        if trio.current_time() >= until:
            return running if channel.has_exited() else 0
        await trio.sleep(LOOK_AGAIN)
    return 0


@step("4", "leaving")
async def exits_at_end_of_input(engine: EngineUnderTest) -> None:
    """Exits at the end of its input."""
    await engine.accepted("name")
    await ends_with_its_input(engine)
    if engine.conversation.received.translate(None, CONTROLS):
        raise engine.failure("output at the end of its input", "an exit")


@step("2.1", "leaving")
async def ignores_a_line_cut_off(engine: EngineUnderTest) -> None:
    """Ignores what follows the last line feed of its input."""
    conversation = engine.conversation
    await engine.accepted("name")
    # Whether it exits is the matter of another step.
    await conversation.end_input(b"name", 2 * PATIENCE)
    if REPLY_MARK.search(conversation.received):
        raise conversation.failure("carried out a line without its line feed", "nothing")


async def ends_with_its_input(engine: EngineUnderTest) -> None:
    """End the input of the engine. Raises Failed if it does not exit."""
    conversation = engine.conversation
    began = trio.current_time()
    watch = LagMeter.of_this_run().watch()
    ended = await conversation.end_input(b"", 2 * BUSY_FACTOR * PATIENCE)
    patience = PATIENCE * (BUSY_FACTOR if is_busy(watch.end()) else 1)
    if trio.current_time() - began >= patience:
        raise conversation.failure(f"did not exit within {PATIENCE:g} s", "an exit")
    if ended is not None and "killed" in ended:
        raise conversation.failure(f"the engine {ended}", "an exit")


ENDING_STEPS = (quits, exits_at_end_of_input, ignores_a_line_cut_off)
