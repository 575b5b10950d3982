"""Steps about the engine, its options and its clock commands: sections 5.1, 5.5 and 5.6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.referee.check.step import step

if TYPE_CHECKING:
    from oddly.referee.check.engine_under_test import EngineUnderTest

SPECIFIED = (
    *("protocol_version", "oddly_version", "name", "version", "known_command", "list_commands"),
    *("quit", "list_games", "set_game", "boardsize", "clear_board", "play", "genmove"),
    *("reg_genmove", "undo", "legal_turns", "showboard", "group_counts", "final_score"),
    *("list_options", "set_option", "time_control", "time_left", "time_settings"),
    *("list_settings", "setup", "game_over", "analyze", "stop", "ponder", "last_evaluation"),
    *("opponent",),
)
WRONG_ARGUMENTS = (
    *("name x", "version 1 2", "list_commands all", "protocol_version 2", "oddly_version 1"),
    *("known_command", "known_command a b", "list_games yodd", "clear_board now"),
    *("boardsize", "boardsize big", "boardsize 3 3", "play", "play b", "play b pass pass"),
    *("play green pass", "genmove", "genmove b b", "genmove green", "reg_genmove", "undo 1"),
    *("game_over", "setup", "setup b", "list_settings odd"),
    *("analyze", "analyze soon", "analyze 1 2", "stop 1", "ponder 1", "last_evaluation b"),
    *("opponent", "opponent soon x"),
    *("legal_turns many", "showboard 1", "group_counts b", "final_score b", "list_options x"),
    *("set_option", "time_control", "time_control soon", "time_left", "time_left b"),
    *("time_left green 10", "time_left b soon", "time_settings", "time_settings 1 2"),
)
TYPES = ("integer", "number", "boolean", "choice", "text")
TIME_CONTROLS = ("1", "0.5", "300+0", "300+2.5", "600+20/300", "600+5x30", "none")


@step("5")
async def wrong_arguments(engine: EngineUnderTest) -> None:
    """Refuses the wrong number or kind of arguments as a syntax error."""
    for line in WRONG_ARGUMENTS:
        if engine.lists(line):
            await engine.refused(line, "syntax error")
    await engine.accepted("name")


@step("5.1", "known_command")
async def known_command(engine: EngineUnderTest) -> None:
    """Knows exactly the commands that it lists."""
    names = sorted({*SPECIFIED, *engine.commands, "no_such_command"})
    for name in names[:200]:
        listed = "true" if name in engine.commands else "false"
        if await engine.accepted(f"known_command {name}") != listed:
            raise engine.conversation.failure(
                f"known_command and list_commands disagree about {name!r}", f"= {listed}"
            )


@step("5.1", "protocol_version")
async def protocol_version(engine: EngineUnderTest) -> None:
    """Has version 2 of GTP's framing."""
    if await engine.accepted("protocol_version") != "2":
        raise engine.conversation.failure("another protocol version", "= 2")


@step("5.1", "oddly_version")
async def oddly_version(engine: EngineUnderTest) -> None:
    """Has version 1 of this protocol."""
    if await engine.accepted("oddly_version") != "1":
        raise engine.conversation.failure("another version of the protocol", "= 1")


@step("5.5", "list_options")
async def list_options(engine: EngineUnderTest) -> None:
    """Describes each option on a line of its own."""
    for line in (await engine.accepted("list_options")).splitlines():
        if wrong := wrong_option(line):
            raise engine.conversation.failure(
                f"option line {line!r}: {wrong}",
                "NAME type TYPE default VALUE, then min N, max N or choices WORD WORD ...",
            )


@step("5.5", "list_options", "set_option")
async def set_option(engine: EngineUnderTest) -> None:
    """Accepts each option's default, refuses values out of range and unknown names."""
    for line in (await engine.accepted("list_options")).splitlines():
        if wrong_option(line) or line.split()[2] == "text":
            continue
        name, kind, value, facts = read_option(line)
        await engine.accepted(f"set_option {name} {value}")
        if kind != "choice" and kind != "text":
            await engine.refused(f"set_option {name} nonsense")
        if kind == "integer" and "max" in facts:
            await engine.refused(f"set_option {name} {int(facts['max']) + 1}")
        if kind == "integer" and "min" in facts:
            await engine.refused(f"set_option {name} {int(facts['min']) - 1}")
    await engine.refused("set_option no_such_option 1")


@step("5.6", "time_control")
async def time_control(engine: EngineUnderTest) -> None:
    """Accepts every kind of time control and refuses anything else."""
    for text in TIME_CONTROLS:
        await engine.accepted(f"time_control {text}")
    for text in ("300+", "-1", "5x30+600"):
        await engine.refused(f"time_control {text}", "syntax error")


@step("5.6", "time_left")
async def time_left(engine: EngineUnderTest) -> None:
    """Accepts the time left, with decimals and with or without turns."""
    for arguments in ("b 297.250 0", "w 300", "black 0.001 5", "white 86400.000 0"):
        await engine.accepted(f"time_left {arguments}")


@step("5.6", "time_settings")
async def time_settings(engine: EngineUnderTest) -> None:
    """Accepts GTP's time settings."""
    for arguments in ("300 30 5", "300 0 0", "0 5 1", "0 1 0"):
        await engine.accepted(f"time_settings {arguments}")


def wrong_option(line: str) -> str:
    """Return what is wrong with a line of `list_options`, or "" if nothing is."""
    words = line.split(" ")
    if len(words) < 4 or words[1] != "type" or words[3] != "default":
        return "not NAME type TYPE default VALUE"
    if words[2] not in TYPES:
        return f"unknown type {words[2]!r}"
    if words[2] == "text":
        return ""
    if len(words) < 5:
        return "no default value"
    return _wrong_facts(words[2], words[5:])


def _wrong_facts(kind: str, words: list[str]) -> str:
    """Return what is wrong with the words after an option's default, or ""."""
    while words and words[0] in ("min", "max") and kind in ("integer", "number"):
        if len(words) < 2 or not _is_number(kind, words[1]):
            return f"no number after {words[0]}"
        words = words[2:]
    if kind == "choice":
        return "" if words[:1] == ["choices"] and len(words) > 1 else "no choices"
    return f"unexpected {words[0]!r}" if words else ""


def _is_number(kind: str, text: str) -> bool:
    try:
        int(text) if kind == "integer" else float(text)
    except ValueError:
        return False
    return True


def read_option(line: str) -> tuple[str, str, str, dict[str, str]]:
    """Return the name, type, default, and `min` and `max` of an option whose line is right."""
    words = line.split(" ")
    facts = {} if words[2] == "choice" else dict(zip(words[5::2], words[6::2], strict=False))
    return words[0], words[2], words[4], facts


STEPS = (
    wrong_arguments,
    known_command,
    protocol_version,
    oddly_version,
    list_options,
    set_option,
    time_control,
    time_left,
    time_settings,
)
