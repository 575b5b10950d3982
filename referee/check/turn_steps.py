"""Steps about whose turn it is and what is no legal turn: sections 4 and 5.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.catalogue import create_game
from games.turns import SWAP
from referee.check.engine_under_test import play_line, small_version
from referee.check.errors import Skipped
from referee.check.illegal_examples import illegal_examples
from referee.check.step import Step, step

if TYPE_CHECKING:
    from games.colour import Colour
    from games.errors import Illegality
    from games.game import Game, Position
    from referee.check.engine_under_test import EngineUnderTest
    from referee.check.illegal_examples import Example

NO_TURNS = ("Bc", "knight-f3", "Bc3,", "a0-a1", "resign")
MAX_EXAMPLES = 4


@step("5.3", should=True)
async def play_out_of_turn(engine: EngineUnderTest) -> None:
    """Refuses a turn of the player who is not to move, and stays as it was."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for position, each in zip(positions[:4], turns[:4], strict=False):
        before = await engine.reported_position()
        other = position.to_move.other
        why = whose_turn(position)
        await engine.refused(play_line(other, each[1]), "illegal move", why)
        await engine.unchanged_since(before, "a refused turn")
        await engine.play([each])


@step("5.3", should=True)
async def genmove_out_of_turn(engine: EngineUnderTest) -> None:
    """Refuses genmove for the player who is not to move, and stays as it was."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for position, each in zip(positions[:4], turns[:4], strict=False):
        before = await engine.reported_position()
        other = position.to_move.other
        await engine.refused(f"genmove {other}", "", whose_turn(position))
        await engine.unchanged_since(before, "a refused genmove")
        await engine.play([each])


@step("5.3", should=True)
async def no_turns(engine: EngineUnderTest) -> None:
    """Refuses what is no turn at all as a syntax error, and stays as it was."""
    await engine.set_up(engine.small)
    _, turns = engine.playout()
    before = await engine.reported_position()
    for text in NO_TURNS:
        await engine.refused(f"play {turns[0][0]} {text}", "syntax error", f"{text!r} is no turn")
    await engine.unchanged_since(before, "a refused turn")
    await engine.play(turns[:1])


@step("4", should=True)
async def genmove_after_the_end(engine: EngineUnderTest) -> None:
    """Refuses genmove once the game is over."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    await engine.play(turns)
    before = await engine.reported_position()
    for colour in (positions[-1].to_move, positions[-1].to_move.other):
        await engine.refused(f"genmove {colour}", "", "the game is over")
    await engine.unchanged_since(before, "a refused genmove")


@step("5.3", "set_game")
async def swap(engine: EngineUnderTest) -> None:
    """Leaves White to move after a swap, which undo takes back."""
    if "pie" not in engine.game.settings:
        raise Skipped("the game has no swap")
    game = create_game(engine.game.name, engine.small.size, {"pie": True})
    await engine.set_up(game)
    start = game.start()
    opening = next(turn for turn in start.legal_turns())
    opened = start.play(opening)
    white: Colour = opened.to_move
    reply = next(turn for turn in opened.legal_turns() if turn != SWAP)
    await engine.play([(start.to_move, opening), (white, SWAP)])
    await engine.refused(play_line(white, SWAP), "illegal move", "only one swap is allowed")
    if "undo" in engine.commands:
        await engine.accepted("undo")
        await engine.play([(white, SWAP)])
    await engine.play([(white, reply)])


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
        for example in of_this_kind[:MAX_EXAMPLES]:
            await _refuses(engine, example)

    name = f"Refuses an illegal turn and stays as it was: {kind.value}"
    return Step(name, "5.3", refuses, should=True)


async def _refuses(engine: EngineUnderTest, example: Example) -> None:
    """Check that the engine refuses an illegal turn and stays as it was."""
    await engine.set_up(engine.small)
    await engine.play(example.before)
    before = await engine.reported_position()
    line = play_line(example.colour, example.turn)
    await engine.refused(line, "illegal move", example.reason)
    await engine.unchanged_since(before, "a refused turn")
    if example.legal is not None:
        await engine.play([(example.colour, example.legal)])


STEPS = (play_out_of_turn, genmove_out_of_turn, no_turns, genmove_after_the_end, swap)
