"""Steps about opinions on the position as it is: none may be of an earlier position.

The last turns of a game are played, taken back and played again, and between them the engine is
asked. An opinion on another position is illegal here, or is on a game that is over.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import islice
from typing import TYPE_CHECKING

from oddly.games import Position
from oddly.protocol import Resign
from oddly.referee.check.analysis_steps import hear_analysis
from oddly.referee.check.opinion_steps import compare_solution, judge_evaluation
from oddly.referee.check.step import Step, judged
from oddly.referee.check.variants import random_game, setup_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.games import Turn
    from oddly.referee.check.engine_under_test import EngineUnderTest

Ask = Callable[["EngineUnderTest", Position], Awaitable[None]]
OTHERS = 4
"""Turns in the place of the last but one."""
LAST = 3
"""Turns of a game, from its end back, between which an engine is asked."""


async def _evaluate(engine: EngineUnderTest, position: Position) -> None:
    reply = await engine.conversation.ask("evaluate")
    if reply.ok:
        judge_evaluation(engine, reply.text, position)
    elif reply.text.startswith("the game is over"):
        raise engine.conversation.failure("this game is not over", "= and an evaluation")


async def _solve(engine: EngineUnderTest, position: Position) -> None:
    if not await compare_solution(engine, position):
        await engine.accepted("solve 0")


OPINIONS: dict[str, tuple[str, str, Ask, int]] = {
    "evaluate": ("5.4", "evaluate", _evaluate, 3),
    "solve": ("5.4", "solve", _solve, 3),
    "analyze": ("5.7", "analyze 0.05", hear_analysis, 1),
}
"""The section of each opinion, how it is asked for, what asks and judges, and in how many games."""


async def _opinions(engine: EngineUnderTest, line: str, ask: Ask, seed: str) -> None:
    """Ask wherever the last turns of a game lead, by every way there. Raises Failed."""
    positions, turns = random_game(engine.small, seed)
    last = len(turns) - 1
    begin = max(0, last - LAST)

    async def opinion(position: Position) -> None:
        if position.is_over:
            await engine.refused(line, "", "the game is over")
        else:
            await ask(engine, position)

    await engine.set_up(engine.small)
    await engine.play(turns[:begin])
    for number in range(begin, last + 1):
        await opinion(positions[number])
        await engine.play(turns[number : number + 1])
    await opinion(positions[-1])
    if engine.lists("undo") and last > 0:
        for position in reversed(positions[begin:-1]):
            await engine.accepted("undo")
            await opinion(position)
        await engine.play(turns[begin:last])
        await opinion(positions[last])
        await engine.accepted("undo")
        for other in _other_turns(positions[last - 1], positions[last]):
            await engine.play([(positions[last - 1].to_move, other)])
            await opinion(positions[last - 1].play(other))
            await engine.accepted("undo")
        await engine.play(turns[last - 1 :])
    if engine.lists("clear_board"):
        await engine.accepted("clear_board")
        await opinion(positions[0])
        await engine.play(turns)
    await engine.set_up(engine.small)
    if engine.lists("setup") and (sets_up := setup_line(positions[begin])):
        await engine.play(turns)
        await engine.accepted(sets_up)
        await opinion(positions[begin])
    else:
        await engine.play(turns[:begin])
    await engine.play(turns[begin:last])
    mover = positions[last].to_move
    turn = judged(engine, positions[last], await engine.accepted(f"genmove {mover}"))
    if not isinstance(turn, Resign):
        await opinion(positions[last].play(turn))


def _other_turns(position: Position, later: Position) -> Iterator[Turn]:
    """Yield turns that are legal in both positions, but hardly after one another."""
    return islice(filter(position.is_legal, later.legal_turns()), OTHERS)


def _named(name: str) -> Step:
    section, line, ask, games = OPINIONS[name]

    async def current(engine: EngineUnderTest) -> None:
        for number in engine.cases(range(games)):
            await _opinions(engine, line, ask, f"{engine.options.seed} {name} {number}")

    told = f"Answers {name} about the position as it is: behind a turn, undo, setup and genmove"
    return Step(told, section, "opinions", current, (name,))


CURRENT_STEPS = tuple(map(_named, OPINIONS))
