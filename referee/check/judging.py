"""Whether what an engine answers is a legal turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.errors import IllegalTurn
from oddly.protocol.errors import NotationError
from oddly.protocol.messages import Resign
from oddly.protocol.notation import parse_answer

if TYPE_CHECKING:
    from oddly.games.game import Position
    from oddly.games.turns import Turn
    from oddly.referee.check.engine_under_test import EngineUnderTest


def judged(engine: EngineUnderTest, position: Position, answer: str) -> Turn | Resign:
    """Return what the engine answered, and note whether it was canonical.

    Raises Failed if it is illegal.
    """
    try:
        turn = parse_answer(answer)
        if not isinstance(turn, Resign):
            position.play(turn)
    except (IllegalTurn, NotationError) as error:
        raise engine.conversation.failure(
            f"answered {answer!r}: {error}", "a legal turn or resign"
        ) from None
    if answer != str(turn):
        engine.not_canonical = engine.not_canonical or answer
    return turn
