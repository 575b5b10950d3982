"""The ruling on an engine's answer to `genmove`: a legal turn, or a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.errors import IllegalTurn
from games.untrusted_text import one_line
from protocol.errors import NotationError
from protocol.messages import Resign
from protocol.notation import parse_answer
from referee.fault import EngineFault
from referee.outcome import Termination

if TYPE_CHECKING:
    from games.game import Position
    from games.turns import Turn


def rule_on(position: Position, answer: str) -> tuple[Turn | Resign, Position]:
    """Return the turn that `answer` names and the position after it.

    A resignation leaves the position as it is. Raises EngineFault if the answer is not in the
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
