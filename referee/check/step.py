"""What a check is made of: named steps, how one fails, and what became of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from referee.check.bench import Bench

Verdict = Literal["pass", "fail", "skip"]
StepFunction = Callable[["Bench"], Awaitable[None]]


class Failed(Exception):
    """The engine did something else than the protocol says.

    `sent` and `received` are the last bytes in each direction; empty if nothing was exchanged.
    """

    def __init__(
        self, problem: str, expected: str, sent: bytes = b"", received: bytes = b""
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.expected = expected
        self.sent = sent
        self.received = received


class Late(Failed):
    """No whole reply came in time."""


class Skipped(Exception):
    """The step cannot be judged. The message says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to be checked. `section` is where docs/protocol.md says it."""

    name: str
    section: str
    function: StepFunction
    needs: tuple[str, ...] = ()
    """Commands without which it is skipped."""
    should: bool = False
    """Whether the protocol says SHOULD here, not MUST."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What became of a step; `reason` says why it failed or was skipped."""

    step: Step
    verdict: Verdict
    seconds: float
    reason: str = ""
    expected: str = ""
    sent: bytes = b""
    received: bytes = b""


def step(section: str, *needs: str, should: bool = False) -> Callable[[StepFunction], Step]:
    """Make a function a step, named by its docstring."""

    def made(function: StepFunction) -> Step:
        told = function.__doc__ or str(getattr(function, "__name__", "")).replace("_", " ")
        return Step(told.strip().rstrip("."), section, function, needs, should)

    return made
