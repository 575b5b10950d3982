"""A step of a check, and its result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from oddly.referee.check.engine_under_test import EngineUnderTest

Verdict = Literal["pass", "fail", "skip"]
StepFunction = Callable[["EngineUnderTest"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to check; `section` is its place in docs/reference/protocol.md.

    `function` raises Failed if the engine does it wrong, and Skipped if it cannot be judged.
    """

    name: str
    section: str
    function: StepFunction
    needs: tuple[str, ...] = ()
    """The commands without which the step is skipped."""
    should: bool = False
    """Whether the protocol says SHOULD here, not MUST."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step; `reason` says why it failed or was skipped."""

    step: Step
    verdict: Verdict
    seconds: float
    reason: str = ""
    expected: str = ""
    sent: bytes = b""
    received: bytes = b""


def step(section: str, *needs: str, should: bool = False) -> Callable[[StepFunction], Step]:
    """Return a decorator that turns a function into a step, with its docstring as the name."""

    def made(function: StepFunction) -> Step:
        told = function.__doc__ or str(getattr(function, "__name__", "")).replace("_", " ")
        return Step(told.strip().rstrip("."), section, function, needs, should)

    return made
