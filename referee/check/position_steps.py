"""Steps about games and positions: sections 5.2 to 5.4, on a small board if the engine has one.

Along a random game they compare what the engine says with our own rules.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from oddly.protocol import NotationError, parse_turn
from oddly.referee.check.engine_under_test import (
    LARGEST_LISTED,
    SOME,
    EngineUnderTest,
    PlayedTurn,
    play_line,
)
from oddly.referee.check.step import step
from oddly.referee.check.variants import all_boards

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games import Turn

LOOKS = 12
"""The number of positions in a game that the engine is asked about."""


@step("5.2", "commands", "list_games")
async def list_games(engine: EngineUnderTest) -> None:
    """Lists the game."""
    if engine.game.name not in (await engine.accepted("list_games")).split():
        raise engine.conversation.failure(
            f"{engine.game.name} is not listed", f"a line {engine.game.name!r}"
        )


@step("5.2", "settings", "set_game")
async def set_game(engine: EngineUnderTest) -> None:
    """Sets the game, and refuses one that does not exist."""
    name = engine.game.name
    await engine.accepted(f"set_game {name}")
    await engine.refused("set_game no_such_game", "unknown game")
    await engine.refused(f"set_game {name} no_such_setting 1")
    await engine.accepted(f"set_game {name}")


@step("5.2", "settings", "boardsize")
async def boardsize(engine: EngineUnderTest) -> None:
    """Accepts the board's size, and refuses sizes that do not exist."""
    await engine.set_up(engine.small)
    await engine.accepted(f"boardsize {engine.game.size}")
    await engine.accepted(f"boardsize {engine.small.size}")
    known = type(engine.game).sizes()
    between = [size for size in range(known[0], known[-1]) if size not in known]
    largest = max(game.size for game in all_boards(engine.game, engine.commands))
    for size in engine.cases((0, 1, 99, largest + 1, *between), 4):
        await engine.refused(f"boardsize {size}", "unacceptable size")
    for size in (2**31 - 1, 2**32 + engine.small.size, 2**64 + engine.small.size):
        await engine.refused(f"boardsize {size}")


@step("3.3", "notation")
async def colours(engine: EngineUnderTest) -> None:
    """Reads both names of both colours in any case."""
    _, turns = engine.playout()
    names = (("b", "w"), ("black", "white"), ("B", "W"), ("Black", "WHITE"))
    for words in engine.cases(names, 3):
        await engine.set_up(engine.small)
        for word, (_, turn) in zip(words, turns[:2], strict=False):
            await engine.accepted(f"play {word} {turn}")


@step("3.2", "notation", should=True)
async def any_order(engine: EngineUnderTest) -> None:
    """Reads turns in any case and drops in any order."""
    await engine.set_up(engine.small)
    _, turns = engine.playout()
    for colour, turn in engine.cases(turns, 4):
        text = ",".join(reversed(str(turn).swapcase().split(",")))
        await engine.accepted(f"play {colour} {text}")


@step("5.3", "choosing", "reg_genmove", share=3)
async def reg_genmove(engine: EngineUnderTest) -> None:
    """Answers a legal turn to reg_genmove without playing it."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    looked, played = [index for index in range(len(turns)) if looked_at(index, len(turns))], 0
    for index in engine.cases(looked, 2):
        await engine.play(turns[played:index])
        played, (colour, _) = index, turns[index]
        before = await engine.reported_position()
        answer = await engine.accepted(f"reg_genmove {colour}")
        if answer != "resign" and not positions[index].is_legal(read(engine, answer)):
            raise engine.conversation.failure(f"{answer!r} is illegal", "a legal turn")
        await engine.unchanged_since(before, "reg_genmove")


@step("5.3", "undo", "undo", share=5)
async def undo(engine: EngineUnderTest) -> None:
    """Takes back whole turns, one at a time, to the start and no further."""
    _, turns = engine.playout()
    for each in engine.cases((turns[:3], turns)):
        await _takes_back(engine, each)


async def _takes_back(engine: EngineUnderTest, turns: Sequence[PlayedTurn]) -> None:
    """Play turns from the start and take all of them back. Raises Failed."""
    await engine.set_up(engine.small)
    told = [await engine.reported_position()]
    for each in turns:
        await engine.play([each])
        told.append(await engine.reported_position())
    for index in reversed(range(len(turns))):
        await engine.accepted("undo")
        await engine.unchanged_since(told[index], f"{play_line(*turns[index])!r} and undo")
        if looked_at(index, len(turns)):
            await engine.play([turns[index]])
            await engine.accepted("undo")
    await engine.refused("undo", "cannot undo")
    await engine.play(turns[:1])


@step("5.4", "commands", "showboard")
async def showboard(engine: EngineUnderTest) -> None:
    """Draws a diagram that starts on the line after the mark."""
    await engine.set_up(engine.small)
    first, _, rest = (await engine.accepted("showboard")).partition("\n")
    if first or not rest.strip():
        raise engine.conversation.failure(
            "no diagram on the second line", "= and a line feed first"
        )


@step("5.3", "turns", "legal_turns")
async def some_turns(engine: EngineUnderTest) -> None:
    """Lists as many legal turns as it is asked for, each once."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for position, each in engine.cases(zip(positions[:4], turns[:4], strict=False), 2):
        for limit in (0, 1, 3, 100_000):
            if limit > SOME and len(engine.small.board) > LARGEST_LISTED:
                continue
            few = (await engine.accepted(f"legal_turns {limit}")).split()
            wanted = min(limit, sum(1 for _ in islice(position.legal_turns(), limit)))
            legal = [text for text in set(few) if position.is_legal(read(engine, text))]
            if not len(legal) == len(few) == wanted:
                raise engine.conversation.failure(
                    "other turns, or not as many as asked for", f"{wanted} of the legal turns"
                )
        await engine.play([each])


def read(engine: EngineUnderTest, text: str) -> Turn:
    """Return a turn that the engine wrote. Raises Failed if it is malformed."""
    try:
        turn = parse_turn(text)
    except NotationError as error:
        raise engine.conversation.failure(str(error), "a turn as in section 3.2") from None
    if str(turn) != text:
        engine.not_canonical = engine.not_canonical or text
    return turn


def looked_at(index: int, length: int) -> bool:
    """Whether an index is one of the few that are spread over a length, both ends included."""
    return index == length - 1 or index % max(1, length // LOOKS) == 0


NAMING_STEPS = (list_games, showboard)
UNDO_STEPS = (some_turns, undo)
NOTATION_STEPS = (colours, any_order)
ASKING_STEPS = (reg_genmove,)
GAME_SETTING_STEPS = (set_game, boardsize)
