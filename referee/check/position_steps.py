"""Steps about games and positions: sections 5.2 to 5.4, on a small board if the engine has one.

Along a random game they compare what the engine says with our own rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import create_game
from oddly.protocol import NotationError, parse_turn
from oddly.referee.check.engine_under_test import LARGEST_LISTED, SOME, play_line
from oddly.referee.check.step import step
from oddly.referee.check.variants import all_boards

if TYPE_CHECKING:
    from oddly.games import Position, Turn
    from oddly.referee.check.engine_under_test import EngineUnderTest

LOOKS = 12
"""The number of positions in a game that the engine is asked about."""


@step("5.2", "list_games")
async def list_games(engine: EngineUnderTest) -> None:
    """Lists the game."""
    if engine.game.name not in (await engine.accepted("list_games")).split():
        raise engine.conversation.failure(
            f"{engine.game.name} is not listed", f"a line {engine.game.name!r}"
        )


@step("5.2", "set_game")
async def set_game(engine: EngineUnderTest) -> None:
    """Sets the game, on its default board, and refuses one that does not exist."""
    name = engine.game.name
    await engine.accepted(f"set_game {name}")
    default = create_game(name)
    before = await engine.reported_position()
    if "legal_turns" in engine.commands:
        await compare_turns(engine, default.start(), complete=len(default.board) <= 400)
    await engine.refused("set_game no_such_game", "unknown game")
    await engine.refused(f"set_game {name} no_such_setting 1")
    await engine.unchanged_since(before, "a refused set_game")


@step("5.2", "boardsize")
async def boardsize(engine: EngineUnderTest) -> None:
    """Accepts the board's size, and refuses sizes that do not exist."""
    await engine.set_up(engine.small)
    await engine.accepted(f"boardsize {engine.game.size}")
    await engine.accepted(f"boardsize {engine.small.size}")
    before = await engine.reported_position()
    known = type(engine.game).sizes()
    between = [size for size in range(known[0], known[-1]) if size not in known]
    largest = max(game.size for game in all_boards(engine.game, engine.commands))
    for size in (0, 1, 99, largest + 1, *between):
        await engine.refused(f"boardsize {size}", "unacceptable size")
    for size in (2**31 - 1, 2**32 + engine.small.size, 2**64 + engine.small.size):
        await engine.refused(f"boardsize {size}")
    await engine.unchanged_since(before, "a refused boardsize")


@step("5.2", "clear_board")
async def clear_board(engine: EngineUnderTest) -> None:
    """Returns to the start of the same game on clear_board, boardsize and set_game."""
    await engine.set_up(engine.small)
    before = await engine.reported_position()
    _, turns = engine.playout()
    for number in (1, 2, len(turns)):
        await engine.play(turns[:number])
        await engine.accepted("clear_board")
        await engine.unchanged_since(before, f"{number} turns and clear_board")
    await engine.play(turns[:1])
    await engine.set_up(engine.small)
    await engine.unchanged_since(before, "a turn and setting up the game")
    await engine.play(turns[:1])


@step("3.3")
async def colours(engine: EngineUnderTest) -> None:
    """Reads both names of both colours in any case."""
    _, turns = engine.playout()
    for words in (("b", "w"), ("black", "white"), ("B", "W"), ("Black", "WHITE")):
        await engine.set_up(engine.small)
        for word, (_, turn) in zip(words, turns[:2], strict=False):
            await engine.accepted(f"play {word} {turn}")


@step("3.2", should=True)
async def any_order(engine: EngineUnderTest) -> None:
    """Reads turns in any case and drops in any order."""
    await engine.set_up(engine.small)
    _, turns = engine.playout()
    for colour, turn in turns:
        text = ",".join(reversed(str(turn).swapcase().split(",")))
        await engine.accepted(f"play {colour} {text}")


@step("5.3")
async def whole_game(engine: EngineUnderTest) -> None:
    """Follows a whole legal game turn by turn, and several games."""
    for number in range(3):
        await engine.set_up(engine.small)
        await engine.play(engine.playout(number)[1])


@step("5.3", "legal_turns")
async def legal_turns(engine: EngineUnderTest) -> None:
    """Lists the same legal turns as our rules, at most as many as asked for."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    complete = len(engine.small.board) <= LARGEST_LISTED
    for index, position in enumerate(positions):
        if looked_at(index, len(positions)):
            await compare_turns(engine, position, complete=complete)
        await engine.play(turns[index : index + 1])


@step("5.3", "reg_genmove")
async def reg_genmove(engine: EngineUnderTest) -> None:
    """Answers a legal turn to reg_genmove without playing it."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for index, (colour, turn) in enumerate(turns):
        if looked_at(index, len(turns)):
            before = await engine.reported_position()
            answer = await engine.accepted(f"reg_genmove {colour}")
            if answer != "resign" and not positions[index].is_legal(read(engine, answer)):
                raise engine.conversation.failure(f"{answer!r} is illegal", "a legal turn")
            await engine.unchanged_since(before, "reg_genmove")
        await engine.play([(colour, turn)])


@step("5.3", "undo")
async def undo(engine: EngineUnderTest) -> None:
    """Takes back whole turns, one at a time, to the start and no further."""
    await engine.set_up(engine.small)
    _, turns = engine.playout()
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


@step("5.4", "showboard")
async def showboard(engine: EngineUnderTest) -> None:
    """Draws a diagram that starts on the line after the mark."""
    await engine.set_up(engine.small)
    await engine.play(engine.playout()[1][:2])
    first, _, rest = (await engine.accepted("showboard")).partition("\n")
    if first or not rest.strip():
        raise engine.conversation.failure(
            "no diagram on the second line", "= and a line feed first"
        )


@step("5.4", "group_counts")
async def group_counts(engine: EngineUnderTest) -> None:
    """Counts groups as our rules do."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for index, position in enumerate(positions):
        expected = "{} {}".format(*position.group_counts)
        if await engine.accepted("group_counts") != expected:
            raise engine.conversation.failure(
                f"other counts than ours after {index} turns", f"= {expected}"
            )
        await engine.play(turns[index : index + 1])


@step("5.4", "final_score")
async def final_score(engine: EngineUnderTest) -> None:
    """Refuses the score before the end, and answers it as our rules do at the end."""
    for number in range(3):
        await engine.set_up(engine.small)
        positions, turns = engine.playout(number)
        await engine.refused("final_score", "game is not over")
        await engine.play(turns[:-1])
        await engine.refused("final_score", "game is not over")
        await engine.play(turns[-1:])
        if await engine.accepted("final_score") != str(positions[-1].result):
            raise engine.conversation.failure(
                "another result than ours", f"= {positions[-1].result}"
            )


async def compare_turns(engine: EngineUnderTest, position: Position, *, complete: bool) -> None:
    """Compare `legal_turns` with our rules, in full or in part. Raises Failed if they differ."""
    asked = "legal_turns" if complete else f"legal_turns {SOME}"
    lines = (await engine.accepted(asked)).split("\n")
    got = [read(engine, line) for line in lines if line]
    failure = engine.conversation.failure
    for turn in got:
        if not position.is_legal(turn):
            raise failure(f"lists the illegal turn {turn}", "legal turns only")
    if len(set(got)) < len(got):
        raise failure("lists a turn twice", "every legal turn once")
    if complete and (missing := set(position.legal_turns()) - set(got)):
        raise failure(
            f"does not list {len(missing)} turns, {min(map(str, missing))} among them",
            "every legal turn",
        )
    for limit in (0, 1, 3, 100_000):
        if limit > len(got) and not complete:
            continue
        few = (await engine.accepted(f"legal_turns {limit}")).split()
        if len(set(few)) != min(limit, len(got)) or not all(
            position.is_legal(read(engine, text)) for text in few[:SOME]
        ):
            raise engine.conversation.failure(
                "other turns, or not as many as asked for",
                f"{min(limit, len(got))} of the legal turns",
            )


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


POSITION_STEPS = (
    list_games,
    set_game,
    boardsize,
    clear_board,
    colours,
    any_order,
    whole_game,
    legal_turns,
    reg_genmove,
    undo,
    showboard,
    group_counts,
    final_score,
)
