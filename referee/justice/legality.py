"""Whether an answer to `genmove` is a legal turn: a turn, a resignation or a fault."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module

import trio

from oddly.games import IllegalTurn, Position, Turn, one_line
from oddly.protocol import NotationError, Resign, parse_answer
from oddly.referee.justice.outcome import EngineFault, Termination

GRAMMAR = "oddly.protocol.grammar"
"""The module that reads unusual notation; importing it takes longer than a turn may."""


def rule_on(position: Position, answer: str) -> tuple[Turn | Resign, Position]:
    """Return the turn that `answer` names and the position after it.

    A resignation does not change the position. Raises EngineFault if the answer is not in the
    notation or the turn is not legal.
    """
    try:
        turn = parse_answer(answer)
        if isinstance(turn, Resign):
            return turn, position
        return turn, position.play(turn)
    except (IllegalTurn, NotationError) as error:
        said = one_line(answer) or "an empty answer"
        reason = f"{said} is not legal: {error}"
        raise EngineFault(Termination.ILLEGAL_TURN, reason, answer.encode()) from None


async def import_grammar() -> None:
    """Import the module that reads unusual notation, off the loop and before any clock runs."""
    if GRAMMAR not in sys.modules:
        with suppress(RuntimeError):
            # If no thread is available, it is imported when it is needed.
            await trio.to_thread.run_sync(import_module, GRAMMAR)
