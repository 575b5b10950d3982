"""The engines that may be played against: a list of this server's, of which the page knows ids."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.catalogue import ENGINES
from interfaces.command_line.parser import BadInputError
from protocol.time_control import parse_time_control
from referee.player import EngineConfiguration
from referee.program import ProgramError, find_program
from referee.resources import Resources

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interfaces.web.bounds import Bounds

HUMAN = "human"
NOT_OFFERED = "misbehave"
"""An engine of ours that is there to try referees on."""
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


@dataclass(frozen=True, slots=True)
class Opponent:
    """An engine by its id, with what the page says of it and how this server starts it."""

    id: str
    summary: str
    command: tuple[str, ...]

    def configuration(self, seconds: int, bounds: Bounds) -> EngineConfiguration:
        """The engine with so many seconds a turn, held to what a page's engine may use."""
        return EngineConfiguration(
            self.id,
            self.command,
            parse_time_control(str(seconds)),
            resources=Resources(memory=bounds.memory, environment=ONE_THREAD),
        )


def installed(more: Iterable[str] = ()) -> dict[str, Opponent]:
    """Our engines, then those of `NAME=COMMAND` texts. Raises BadInputError."""
    found = {
        name: Opponent(name, entry.summary, find_program(("oddly", "engine", name)))
        for name, entry in ENGINES.items()
        if name != NOT_OFFERED
    }
    for text in more:
        name, is_there, command = text.partition("=")
        name = name.strip()
        if not is_there or not name or not name.isprintable() or len(name) > 40:
            raise BadInputError(
                f"serve: --engine {text!r}: expected NAME=COMMAND, as in 'mine=./my-engine --fast'"
            )
        if name in found or name == HUMAN:
            raise BadInputError(f"serve: --engine {text!r}: there is an engine {name!r} already")
        try:
            found[name] = Opponent(name, command.strip(), find_program(shlex.split(command)))
        except (ValueError, ProgramError) as error:
            raise BadInputError(f"serve: --engine {text!r}: {error}") from None
    return found
