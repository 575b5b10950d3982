"""Steps about choosing turns: in every state, on every board, before any clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import random_turn
from oddly.protocol import Resign
from oddly.referee.check.budget import spread
from oddly.referee.check.conversation import Late, Skipped
from oddly.referee.check.past_steps import FollowedGame, take_back
from oddly.referee.check.state_steps import BEGINNINGS, QUICK, State, in_a_game, states
from oddly.referee.check.step import chosen, step
from oddly.referee.check.variants import all_boards, letters, random_game

if TYPE_CHECKING:
    from oddly.referee.check.engine_under_test import EngineUnderTest


LAST_TURNS = 3
"""Turns left in a random game where the engine chooses one."""


@step("5.3", "choosing", share=8)
async def chooses_in_every_state(engine: EngineUnderTest) -> None:
    """Chooses legal turns in every state of a game, and where another turn follows undo."""
    playing = [state for state in states(engine) if not state.position.is_over]
    for state in engine.cases(playing):
        line = await _reached(engine, state)
        for name in ("reg_genmove", "genmove", "genmove"):
            await _chooses(line, name)
        if "undo" in engine.commands:
            line = await _reached(engine, state)
            await _chooses(line, "genmove")
            if not line.turns:
                # It has resigned.
                continue
            await line.undo()
            await line.play(random_turn(line.position, line.random))
            for name in ("reg_genmove", "genmove"):
                await _chooses(line, name)


async def _reached(engine: EngineUnderTest, state: State) -> FollowedGame:
    """Bring the engine to a state; return a game that starts there. Raises Failed or Skipped."""
    await engine.set_up(state.game, QUICK)
    for line in state.lines:
        await engine.accepted(line)
    return FollowedGame(engine, state.position, f"{engine.options.seed} {state.name}")


async def _chooses(line: FollowedGame, name: str) -> None:
    """Ask for a turn, which `genmove` plays. Raises Failed if it is illegal."""
    engine, position = line.engine, line.position
    if position.is_over or not engine.lists(name):
        return
    turn = await chosen(engine, position, name)
    if name == "genmove" and not isinstance(turn, Resign):
        line.turns.append(turn)
        line.positions.append(position.play(turn))


@step("5.3", "choosing", "undo", share=2)
async def chooses_after_another_game(engine: EngineUnderTest) -> None:
    """Chooses legal turns in a second game, after undo of the whole first one."""
    seed = f"{engine.options.seed} another"
    before, game = (random_game(engine.small, f"{seed} {number}") for number in range(2))
    length = max(0, min(len(before.turns), len(game.turns)) - LAST_TURNS)
    await engine.set_up(engine.small, QUICK)
    await engine.play(before.turns[:length])
    line = FollowedGame(engine, before.positions[length], seed)
    for name in ("reg_genmove", "genmove"):
        await _chooses(line, name)
    await take_back(engine, length + len(line.turns))
    await engine.play(game.turns[:length])
    line = FollowedGame(engine, game.positions[length], seed)
    for name in ("reg_genmove", "genmove"):
        await _chooses(line, name)


@step("5.3", "choosing", "boardsize", share=4)
async def chooses_on_every_board(engine: EngineUnderTest) -> None:
    """Chooses a legal turn on every board that it accepts."""
    boards = all_boards(engine.game, engine.commands)
    for index in engine.cases(spread(len(boards)), 2):
        if await engine.takes(boards[index], QUICK):
            await _chooses(FollowedGame(engine, boards[index].start(), ""), "genmove")


@step("5.6", "choosing")
async def chooses_before_any_clock(engine: EngineUnderTest) -> None:
    """Chooses a turn in a new process, before any clock was set."""
    await engine.conversation.restart()
    for line in engine.setting_up(engine.small):
        if line.startswith(BEGINNINGS) and not (await engine.ask_patiently(line)).ok:
            raise Skipped(f"the game could not be set up: the engine refuses {line!r}")
    try:
        await _chooses(FollowedGame(engine, engine.small.start(), ""), "genmove")
    except Late as late:
        await engine.conversation.stop()
        raise Skipped(f"without a clock: {late.problem}") from None


COLOURED = ("genmove {}", "reg_genmove {}", "time_left {} 60.000 0", "setup {} STONES")


@step("3.3", "choosing", share=2)
async def colours_everywhere(engine: EngineUnderTest) -> None:
    """Reads both names of a colour in any case in every command that has one."""
    state = in_a_game(engine)
    mover, stones = state.position.to_move, letters(state.position)
    for name in engine.cases((mover.letter, str(mover).upper(), str(mover), str(mover)[0])):
        for template in filter(engine.lists, COLOURED):
            await _reached(engine, state)
            line = template.replace("STONES", stones)
            if line != template and not await _is_taken(engine, line.format(mover)):
                continue
            await engine.accepted(line.format(name))


async def _is_taken(engine: EngineUnderTest, setup: str) -> bool:
    """Return whether the engine sets up this position: some games can set up only their start."""
    return (await engine.conversation.ask(setup)).ok


CHOOSING_STEPS = (
    chooses_before_any_clock,
    chooses_in_every_state,
    chooses_after_another_game,
    chooses_on_every_board,
    colours_everywhere,
)
