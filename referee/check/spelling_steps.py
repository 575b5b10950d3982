"""Steps about how lines may be spelled: every command in every spelling that means the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.referee.check.command_table import COMMANDS
from oddly.referee.check.state_steps import SEARCHES, in_a_game, lines_of_command, session, told
from oddly.referee.check.step import step

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.referee.check.engine_under_test import EngineUnderTest

SPELLINGS: dict[str, Callable[[str], str]] = {
    "ended by a carriage return and a line feed": lambda line: f"{line}\r",
    "with a comment": lambda line: f"{line} # play b pass",
    "with tabs": lambda line: line.replace(" ", "\t") + "\t",
    "with many spaces": lambda line: f"  {line.replace(' ', '   ')}  ",
    "with a comment directly behind it": lambda line: f"{line}#5",
    "with control characters": lambda line: "\x01".join(("", *line, "")),
}
"""Ways to write a line that a reader must take for the same."""


@step("2.1", "notation", share=4)
async def spelled(engine: EngineUnderTest) -> None:
    """Takes every command to mean the same with tabs, spaces, comments and control characters."""
    state = in_a_game(engine)
    names = [name for name in COMMANDS if name in engine.commands and name not in SEARCHES]
    some = [line for name in names for line, _ in lines_of_command(engine, state, name)[:1]]
    plain = session(engine, state, some)
    plain = plain._replace(begin=0, end=0)
    _, expected = await told(engine, plain)
    for what, spelling in engine.cases(SPELLINGS.items(), 2):
        replies, got = await told(engine, plain._replace(lines=list(map(spelling, plain.lines))))
        for line, reply, right, now in zip(plain.lines, replies, expected, got, strict=True):
            if now != right:
                raise engine.conversation.failure(
                    f"answered {line!r} differently {what}: {reply.text!r}",
                    f"{'=' if right[0] else '?'} as without that",
                )


SPELLING_STEPS = (spelled,)
