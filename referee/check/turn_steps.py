"""Steps about whose turn it is and what is no legal turn: sections 4 and 5.3."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oddly.protocol.errors import NotationError
from oddly.protocol.notation import parse_turn
from oddly.referee.check.engine_under_test import play_line, small_version
from oddly.referee.check.errors import Skipped
from oddly.referee.check.illegal_examples import illegal_examples
from oddly.referee.check.step import Step, step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games.errors import Illegality
    from oddly.games.game import Game, Position
    from oddly.referee.check.engine_under_test import EngineUnderTest, PlayedTurn
    from oddly.referee.check.illegal_examples import Example

NO_TURNS = ("Bc", "knight-f3", "Bc3,", "a0-a1", "resign", "passe", "Bc100", "none", "3c", "B")


@step("5.3", should=True)
async def play_out_of_turn(engine: EngineUnderTest) -> None:
    """Refuses a turn of the player who is not to move, and keeps its position."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for index, (position, each) in enumerate(zip(positions[:4], turns[:4], strict=False)):
        before = await engine.reported_position()
        other = position.to_move.other
        why = whose_turn(position)
        await engine.refused(play_line(other, each[1]), "illegal move", why)
        await engine.unchanged_since(before, "a refused turn")
        await still_takes_back(engine, turns[:index])
        await engine.play([each])


@step("5.3", should=True)
async def genmove_out_of_turn(engine: EngineUnderTest) -> None:
    """Refuses genmove for the player who is not to move, and keeps its position."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for position, each in zip(positions[:4], turns[:4], strict=False):
        before = await engine.reported_position()
        other = position.to_move.other
        for name in ("genmove", "reg_genmove"):
            if name in engine.commands:
                await engine.refused(f"{name} {other}", "", whose_turn(position))
        await engine.unchanged_since(before, "a refused genmove")
        await engine.play([each])


@step("5.3", should=True)
async def no_turns(engine: EngineUnderTest) -> None:
    """Refuses a malformed turn as a syntax error, and keeps its position."""
    await engine.set_up(engine.small)
    _, turns = engine.playout()
    await engine.play(turns[:2])
    before = await engine.reported_position()
    colour, legal = turns[2]
    texts = dict.fromkeys((*NO_TURNS, *spoiled(str(legal)), *spoiled(str(turns[0][1]))))
    lines = {f"play {colour} {text}": f"{text!r} is no turn" for text in texts}
    await engine.all_refused(lines, "syntax error")
    await engine.unchanged_since(before, "a refused turn")
    await still_takes_back(engine, turns[:2])
    await engine.play(turns[2:3])


def spoiled(text: str) -> list[str]:
    """Return texts that are nearly a turn, and none."""
    first = text.partition(",")[0]
    found = [f"{text},", f",{text}", f"{text}-", f"{text}x", f"x{text}", f"{text}{text}"]
    found += [text.replace("-", ""), text.replace("-", ","), f"{text}-{first[-2:]}", first[:-1]]
    found += [first[1:], f"G{first[1:]}", re.sub("([0-9]+)", r"0\1", text), f"{text};{text}"]
    found += [re.sub("[0-9]+", "0", text), f"{text},pass", f"{text}.", f"{text}00"]
    return [each for each in found if each and not _is_turn(each)]


def _is_turn(text: str) -> bool:
    try:
        parse_turn(text)
    except NotationError:
        return False
    return True


@step("4", should=True)
async def genmove_after_the_end(engine: EngineUnderTest) -> None:
    """Refuses genmove once the game is over."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    await engine.play(turns)
    before = await engine.reported_position()
    for colour in (positions[-1].to_move, positions[-1].to_move.other):
        for name in ("genmove", "reg_genmove"):
            if name in engine.commands:
                await engine.refused(f"{name} {colour}", "", "the game is over")
    await engine.unchanged_since(before, "a refused genmove")


async def still_takes_back(engine: EngineUnderTest, turns: Sequence[PlayedTurn]) -> None:
    """Take the last of these turns back and play it again: refused turns must not count for undo.

    Raises Failed if the engine cannot do that.
    """
    if turns and "undo" in engine.commands:
        await engine.accepted("undo")
        await engine.play(turns[-1:])


def whose_turn(position: Position) -> str:
    """Return the reason that a turn of the other colour is illegal: `it is Black's turn`."""
    return f"it is {str(position.to_move).capitalize()}'s turn"


def illegal_steps(game: Game) -> list[Step]:
    """Return a step for each way to break the rules of `game`."""
    examples = illegal_examples(small_version(game) or game)
    kinds = dict.fromkeys(example.illegality for example in examples)
    return [_illegal_step(kind) for kind in kinds]


def _illegal_step(kind: Illegality) -> Step:
    async def refuses(engine: EngineUnderTest) -> None:
        examples = illegal_examples(engine.small, engine.options.seed)
        of_this_kind = [example for example in examples if example.illegality is kind]
        if not of_this_kind:
            raise Skipped("no example on this board")
        for example in of_this_kind:
            await _refuses(engine, example)

    name = f"Refuses an illegal turn and keeps its position: {kind.value}"
    return Step(name, "5.3", refuses, should=True)


async def _refuses(engine: EngineUnderTest, example: Example) -> None:
    """Check that the engine refuses illegal turns and stays as it was."""
    await engine.set_up(engine.small)
    await engine.play(example.before)
    before = await engine.reported_position()
    reasons = {play_line(example.colour, turn): reason for turn, reason in example.turns}
    await engine.all_refused(reasons, "illegal move")
    await engine.unchanged_since(before, "a refused turn")
    await still_takes_back(engine, example.before)
    if example.legal is not None:
        await engine.play([(example.colour, example.legal)])


STEPS = (play_out_of_turn, genmove_out_of_turn, no_turns, genmove_after_the_end)
