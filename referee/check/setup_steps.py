"""Steps about `setup`: positions of games, and positions that no game can reach."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from oddly.games import SWAP, create_game
from oddly.referee.check.budget import spread
from oddly.referee.check.conversation import Skipped
from oddly.referee.check.engine_under_test import EngineUnderTest, play_line
from oddly.referee.check.rule_steps import still_takes_back
from oddly.referee.check.step import step
from oddly.referee.check.survey import follow
from oddly.referee.check.variants import (
    AYU_SIZE,
    REPETITIONS,
    Playout,
    played_out,
    random_game,
    setup_line,
    turns_in,
)

if TYPE_CHECKING:
    from oddly.games import Game, Position


@step("5.2", "setup", "setup", share=14)
async def setup(engine: EngineUnderTest) -> None:
    """Plays on from a position that was set up as it does when turns lead there."""
    seed = f"{engine.options.seed} setup"
    games = [random_game(engine.small, seed, 0.2)]
    if engine.game.name == "ayu" and {"set_game", "boardsize"} <= engine.commands:
        pie = create_game("ayu", engine.small.size, {"pie": True})
        repeated = [
            played_out(create_game("ayu", AYU_SIZE).start(), turns_in(text)) for text in REPETITIONS
        ]
        games += [random_game(pie, seed, 0.2), *repeated]
    # The games take turns, as do their beginnings and ends.
    orders = [[(played, index) for index in spread(len(played.turns))] for played in games]
    every = [each for row in zip_longest(*orders) for each in row if each and each[1]]
    is_up = None
    for played, index in engine.cases(every):
        if played is not is_up:
            await engine.set_up(played.positions[0].game)
        is_up = played
        await _sets_up(engine, played, index)


async def _sets_up(engine: EngineUnderTest, played: Playout, index: int) -> None:
    """Set a position of a game up, and play the turns that came after it. Raises Failed."""
    position = played.positions[index]
    line = setup_line(position)
    if not line:
        raise Skipped(f"no position of {position.game} but the start can be set up")
    await engine.accepted(line)
    if "undo" in engine.commands:
        await engine.refused("undo", "cannot undo")
    status = position.status
    start = position.game.set_up(position.stones, position.to_move, status)
    rest = [turn for _, turn in played.turns[index:]]
    await follow(engine, played_out(start, rest))
    if engine.game.name == "ayu" and not status.may_swap:
        await engine.refused(play_line(start.to_move, SWAP), "illegal move")


OURS = ("yodd", "xodd", "odd", "ayu")
"""The games of which section 5.2 says what `setup` must refuse."""


@step("5.2", "setup", "setup", share=3)
async def impossible(engine: EngineUnderTest) -> None:
    """Refuses to set up what no game can reach, and keeps its position."""
    if engine.game.name not in OURS:
        raise Skipped("the protocol does not say what is impossible in this game")
    for game in engine.cases(_with_and_without_swap(engine)):
        if not await engine.takes(game):
            continue
        played = random_game(game, f"{engine.options.seed} impossible")
        number = min(3, len(played.turns) - 1)
        await engine.play(played.turns[:number])
        before = await engine.reported_position()
        for lines, beginning in (
            (impossible_lines(played, number), "illegal position"),
            (malformed_lines(played.positions[number]), "syntax error"),
        ):
            for line, why in engine.cases(lines.items(), 4):
                await engine.all_refused({line: why}, beginning)
        await engine.unchanged_since(before, "a refused setup")
        await still_takes_back(engine, played.turns[:number])


def _with_and_without_swap(engine: EngineUnderTest) -> list[Game]:
    pies = ({"pie": True}, {"pie": False}) if engine.game.name == "ayu" else ()
    known = [create_game("ayu", engine.small.size, pie) for pie in pies]
    return known if known and "set_game" in engine.commands else [engine.small]


def impossible_lines(played: Playout, number: int) -> dict[str, str]:
    """Return `setup` lines like the position after `number` turns that must all be refused.

    Each comes with the reason why.
    """
    start, position = played.positions[0], played.positions[number]
    name, stones, mover = start.game.name, letters(position), position.to_move
    empty = letters(start)
    lines = {
        f"setup {mover} {stones[:-1]}": "a stone is missing",
        f"setup {mover} {stones}.": "there are too many stones",
        f"setup {mover} {stones} passes 2": "the game would be over",
        f"setup {mover} {stones.lower()}": "b and w are no stones",
        f"setup {mover} x{stones[1:]}": "x is no stone",
    }
    if position.stones != played.positions[1].stones:
        lines[f"setup {mover} {stones} swap"] = "no swap is open here"
    if name in ("yodd", "xodd"):
        two = f"B{'.' * (len(stones) - 2)}B"
        lines |= {
            f"setup {mover} {two}": "two groups are an even number",
            f"setup white {empty}": "White does not begin",
            f"setup black {empty} passes 1": "nobody has passed before the first turn",
        }
    else:
        lines[f"setup {mover} {stones} passes 1"] = "the game has no pass"
    if name == "odd":
        lines[f"setup {mover.other} {stones}"] = "each player drops one stone a turn"
    if name == "ayu":
        lines |= {
            f"setup {mover} {stones.replace('B', '.', 1)}": "a black piece is missing",
            f"setup {mover} {stones.replace('W', 'B', 1)}": "there is a black piece too many",
            f"setup black {letters(played.positions[1])} swap": "only White may swap",
        }
    return lines


def malformed_lines(position: Position) -> dict[str, str]:
    """Return `setup` lines that are syntax errors, each with the reason why."""
    stones, mover = letters(position), position.to_move
    return {
        f"setup green {stones}": "green is no player",
        f"setup {mover} {stones} perhaps": "no such word may follow",
        f"setup {mover} {stones} passes x": "x is no number",
        f"setup {mover} {stones} passes": "the number is missing",
    }


def letters(position: Position) -> str:
    """Return the word of a position's stones."""
    return "".join(".BW"[stone] for stone in position.stones)


SETUP_STEPS = (setup, impossible)
