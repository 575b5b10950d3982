"""Steps about the opinions that an engine is asked for: `solve` and `evaluate`.

An opinion must be about the current position. So the last turns of a game are played, taken back
and played again, and the engine is asked in between. An opinion about another position is illegal
here, or about a game that is over.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from oddly.games import Colour, DropPosition, IllegalTurn, Position, Turn, one_line
from oddly.protocol import NotationError, Resign, parse_turn
from oddly.protocol.evaluation import parse_evaluation
from oddly.referee.check.analysis_steps import hear_analysis
from oddly.referee.check.conversation import Late, Skipped
from oddly.referee.check.rule_steps import repeating
from oddly.referee.check.step import Step, chosen, step
from oddly.referee.check.variants import random_game, setup_line, small_variants

if TYPE_CHECKING:
    from oddly.referee.check.engine_under_test import EngineUnderTest


SOLVED_WITHIN = 3_000
"""The most positions that we look at to solve one."""
GIVEN = 20_000
"""Positions that the engine may look at."""
MANY = 2**33
"""A number of ten digits, as many as an engine must accept; in 32 bits it is 0."""
TINY = 60
"""The most positions that can follow where it is asked with that number."""
SOLVED_EACH = 4
"""Positions solved per game, from its end back."""


class TooLargeError(Exception):
    """More positions than we look at."""


class FullSearch:
    """Perfect play by exhaustive search."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def value(self, position: Position, side: Colour) -> int:
        """Return 1, 0 or -1 if `side` wins, draws or loses. Raises TooLargeError."""
        if position.result is not None:
            winner = position.result.winner
            return 0 if winner is None else 1 if winner is side else -1
        self.left -= 1
        if self.left < 0:
            raise TooLargeError
        best = -1
        for turn in position.legal_turns():
            after = position.play(turn)
            value = self.value(after, position.to_move)
            best = max(best, value)
            if best == 1:
                break
        return best if position.to_move is side else -best


@step("5.4", "solving", "solve")
async def solve(engine: EngineUnderTest) -> None:
    """Solves the ends of games correctly, with a turn that keeps a win or a draw."""
    variants = small_variants(engine.game, engine.commands)[:8]
    for number, game in enumerate(engine.cases(variants)):
        if not await engine.takes(game):
            continue
        played = random_game(game, f"{engine.options.seed} solve {number}")
        await engine.play(played.turns)
        await engine.refused("solve", why="the game is over")
        for position in list(reversed(played.positions[:-1]))[:SOLVED_EACH]:
            if "undo" not in engine.commands:
                return
            await engine.accepted("undo")
            if not await compare_solution(engine, position):
                break
            await _solves_with_any_limit(engine, position)
    await _solve_draws(engine)
    await engine.refused("solve x", "syntax error")


async def _solves_with_any_limit(engine: EngineUnderTest, position: Position) -> None:
    """Check that a larger limit leaves a tiny position solved. Raises Failed if it does not."""
    if _count(position, TINY) > TINY:
        return
    lines = [f"solve {limit}" for limit in (GIVEN, MANY)]
    few, many = await engine.conversation.ask_all(lines)
    if few.ok and few.text != "unknown" and many.text[:1] != few.text[:1]:
        raise engine.failure(
            f"answered {one_line(many.text, 60)!r} to {lines[1]!r}", f"= {few.text}"
        )


def _count(position: Position, most: int) -> int:
    """Return how many positions can follow, this one included; any larger number than `most`."""
    count = 1
    for turn in () if position.is_over else position.legal_turns():
        if count > most:
            break
        count += _count(position.play(turn), most - count)
    return count


async def _solve_draws(engine: EngineUnderTest) -> None:
    """Compare the solutions one turn before a position occurs again. Raises Failed."""
    if engine.game.name == "ayu" and {"set_game", "boardsize"} <= engine.commands:
        for played in engine.cases(repeating(engine)):
            await engine.set_up(played.positions[0].game)
            await engine.play(played.turns[:-1])
            await compare_solution(engine, played.positions[-2])


async def compare_solution(engine: EngineUnderTest, position: Position) -> bool:
    """Compare the engine's solution with ours. Raises Failed if it is wrong.

    Returns whether we have one; if not, the engine is not asked.
    """
    value = _value(position)
    if value is not None:
        await _solved(engine, position, value)
    return value is not None


@lru_cache(maxsize=64)
def _value(position: Position) -> int | None:
    """Return 1, 0 or -1 if its side wins, draws or loses; None if that takes us too long."""
    try:
        return FullSearch(SOLVED_WITHIN).value(position, position.to_move)
    except TooLargeError:
        return None


async def _solved(engine: EngineUnderTest, position: Position, value: int) -> None:
    """Ask for the solution and compare it. Raises Failed if it is wrong."""
    try:
        reply = await engine.accepted(f"solve {GIVEN}")
    except Late as late:
        await engine.conversation.stop()
        raise Skipped(late.problem) from None
    if reply == "unknown":
        return
    mover = position.to_move
    winner = "0" if value == 0 else (mover if value > 0 else mover.other).letter
    words = reply.split()
    expected = f"= {winner}" + (" and a turn" if value >= 0 else "")
    if not words or words[0] != winner or len(words) != (2 if value >= 0 else 1):
        raise engine.failure(f"a solution other than ours: {reply!r}", expected)
    if value < 0:
        return
    try:
        after = position.play(parse_turn(words[1]))
        keeps = FullSearch(10 * SOLVED_WITHIN).value(after, mover) == value
    except TooLargeError:
        return
    except (IllegalTurn, NotationError):
        keeps = False
    if not keeps:
        raise engine.failure(f"{words[1]} does not keep the result", expected)


@step("5.4", "opinions", "evaluate")
async def evaluate(engine: EngineUnderTest) -> None:
    """Answers evaluate in the right form, with legal candidates, or fails."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for index in range(min(3, len(turns))):
        reply = await engine.conversation.ask("evaluate")
        if reply.ok:
            judge_evaluation(engine, reply.text, positions[index])
        await engine.play(turns[index : index + 1])
    await engine.play(turns[min(3, len(turns)) :])
    await engine.refused("evaluate", why="the game is over")


def judge_evaluation(engine: EngineUnderTest, text: str, position: Position) -> None:
    """Raise Failed if a reply to `evaluate` is no evaluation of a position."""
    try:
        evaluation = parse_evaluation(text)
    except ValueError as error:
        raise engine.failure(
            str(error), "how often it wins and the simulations, then candidates"
        ) from None
    legal = {str(action) for action in DropPosition(position).actions()}
    for candidate in evaluation.candidates:
        if str(candidate.action) not in legal:
            raise engine.failure(
                f"the candidate {candidate.action} is illegal", "what is legal here"
            )


OPINION_STEPS = (solve, evaluate)


Ask = Callable[["EngineUnderTest", Position], Awaitable[None]]
OTHERS = 4
"""Turns tried in place of the last but one."""
LAST = 3
"""Turns at the end of a game between which the engine is asked."""


async def _evaluate(engine: EngineUnderTest, position: Position) -> None:
    reply = await engine.conversation.ask("evaluate")
    if reply.ok:
        judge_evaluation(engine, reply.text, position)
    elif reply.text.startswith("the game is over"):
        raise engine.failure("this game is not over", "= and an evaluation")


async def _solve(engine: EngineUnderTest, position: Position) -> None:
    if not await compare_solution(engine, position):
        await engine.accepted("solve 0")


OPINIONS: dict[str, tuple[str, str, Ask, int]] = {
    "evaluate": ("5.4", "evaluate", _evaluate, 3),
    "solve": ("5.4", "solve", _solve, 3),
    "analyze": ("5.7", "analyze 0.05", hear_analysis, 1),
}
"""Each opinion's section, its command, what asks and judges it, and the number of games."""


async def _opinions(engine: EngineUnderTest, line: str, ask: Ask, seed: str) -> None:
    """Ask at every position that a game's last turns lead to, by every way there. Raises Failed."""
    positions, turns = random_game(engine.small, seed)
    last = len(turns) - 1
    begin = max(0, last - LAST)

    async def opinion(position: Position) -> None:
        if position.is_over:
            await engine.refused(line, why="the game is over")
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
    turn = await chosen(engine, positions[last])
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

    title = f"Answers {name} about the position as it is: behind a turn, undo, setup and genmove"
    return Step(title, section, "opinions", current, (name,))


CURRENT_STEPS = tuple(map(_named, OPINIONS))
