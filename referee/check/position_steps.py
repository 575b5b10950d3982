"""Steps about games and positions: sections 5.2 to 5.4, on a small board where the engine has one.

What the engine says is compared with our own rules along a random game of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.catalogue import create_game
from protocol.errors import NotationError
from protocol.notation import parse_turn
from referee.check.bench import LARGEST_LISTED, SOME, play_line
from referee.check.step import step

if TYPE_CHECKING:
    from games.game import Position
    from games.turns import Turn
    from referee.check.bench import Bench

LOOKS = 12
"""Positions of a game at which the engine is asked about them."""


@step("5.2", "list_games")
async def list_games(bench: Bench) -> None:
    """Lists the game."""
    if bench.game.name not in (await bench.accepted("list_games")).split():
        raise bench.conversation.failure(
            f"{bench.game.name} is not listed", f"a line {bench.game.name!r}"
        )


@step("5.2", "set_game")
async def set_game(bench: Bench) -> None:
    """Sets the game, on its default board, and refuses one that does not exist."""
    name = bench.game.name
    await bench.accepted(f"set_game {name}")
    default = create_game(name)
    before = await bench.told_position()
    if "legal_turns" in bench.commands:
        await compare_turns(bench, default.start(), complete=len(default.board) <= 400)
    await bench.refused("set_game no_such_game")
    await bench.refused(f"set_game {name} no_such_setting 1")
    await bench.unchanged_since(before, "a refused set_game")


@step("5.2", "boardsize")
async def boardsize(bench: Bench) -> None:
    """Takes the board's size, and refuses sizes that do not exist."""
    await bench.set_up(bench.small)
    await bench.accepted(f"boardsize {bench.game.size}")
    await bench.accepted(f"boardsize {bench.small.size}")
    before = await bench.told_position()
    for size in (0, 1, 99):
        await bench.refused(f"boardsize {size}", "unacceptable size")
    await bench.unchanged_since(before, "a refused boardsize")


@step("5.2", "clear_board")
async def clear_board(bench: Bench) -> None:
    """Comes back to the start of the same game on clear_board, boardsize and set_game."""
    await bench.set_up(bench.small)
    before = await bench.told_position()
    _, turns = bench.playout()
    for number in (1, 2, len(turns)):
        await bench.play(turns[:number])
        await bench.accepted("clear_board")
        await bench.unchanged_since(before, f"{number} turns and clear_board")
    await bench.play(turns[:1])
    await bench.set_up(bench.small)
    await bench.unchanged_since(before, "a turn and setting up the game")
    await bench.play(turns[:1])


@step("3.3")
async def colours(bench: Bench) -> None:
    """Reads both names of both colours in any case."""
    _, turns = bench.playout()
    for words in (("b", "w"), ("black", "white"), ("B", "W"), ("Black", "WHITE")):
        await bench.set_up(bench.small)
        for word, (_, turn) in zip(words, turns[:2], strict=False):
            await bench.accepted(f"play {word} {turn}")


@step("3.2", should=True)
async def any_order(bench: Bench) -> None:
    """Reads turns in any case and drops in any order."""
    await bench.set_up(bench.small)
    _, turns = bench.playout()
    for colour, turn in turns:
        text = ",".join(reversed(str(turn).swapcase().split(",")))
        await bench.accepted(f"play {colour} {text}")


@step("5.3")
async def whole_game(bench: Bench) -> None:
    """Takes note of a whole legal game turn by turn, and of several."""
    for number in range(3):
        await bench.set_up(bench.small)
        await bench.play(bench.playout(number)[1])


@step("5.3", "legal_turns")
async def legal_turns(bench: Bench) -> None:
    """Lists the same legal turns as our rules, at most as many as asked for."""
    await bench.set_up(bench.small)
    positions, turns = bench.playout()
    complete = len(bench.small.board) <= LARGEST_LISTED
    for index, position in enumerate(positions):
        if looked_at(index, len(positions)):
            await compare_turns(bench, position, complete=complete)
        await bench.play(turns[index : index + 1])


@step("5.3", "reg_genmove")
async def reg_genmove(bench: Bench) -> None:
    """Answers a legal turn to reg_genmove without playing it."""
    await bench.set_up(bench.small)
    positions, turns = bench.playout()
    for index, (colour, turn) in enumerate(turns):
        if looked_at(index, len(turns)):
            before = await bench.told_position()
            answer = await bench.accepted(f"reg_genmove {colour}")
            if answer != "resign" and not positions[index].is_legal(read(bench, answer)):
                raise bench.conversation.failure(f"{answer!r} is illegal", "a legal turn")
            await bench.unchanged_since(before, "reg_genmove")
        await bench.play([(colour, turn)])


@step("5.3", "undo")
async def undo(bench: Bench) -> None:
    """Takes back whole turns, one at a time, to the start and no further."""
    await bench.set_up(bench.small)
    _, turns = bench.playout()
    told = [await bench.told_position()]
    for each in turns:
        await bench.play([each])
        told.append(await bench.told_position())
    for index in reversed(range(len(turns))):
        await bench.accepted("undo")
        await bench.unchanged_since(told[index], f"{play_line(*turns[index])!r} and undo")
        if looked_at(index, len(turns)):
            await bench.play([turns[index]])
            await bench.accepted("undo")
    await bench.refused("undo", "cannot undo")
    await bench.play(turns[:1])


@step("5.4", "showboard")
async def showboard(bench: Bench) -> None:
    """Draws a diagram that starts on the line after the mark."""
    await bench.set_up(bench.small)
    await bench.play(bench.playout()[1][:2])
    first, _, rest = (await bench.accepted("showboard")).partition("\n")
    if first or not rest.strip():
        raise bench.conversation.failure("no diagram on the second line", "= and a line feed first")


@step("5.4", "group_counts")
async def group_counts(bench: Bench) -> None:
    """Counts groups as our rules do."""
    await bench.set_up(bench.small)
    positions, turns = bench.playout()
    for index, position in enumerate(positions):
        expected = "{} {}".format(*position.group_counts)
        if await bench.accepted("group_counts") != expected:
            raise bench.conversation.failure(
                f"other counts than ours after {index} turns", f"= {expected}"
            )
        await bench.play(turns[index : index + 1])


@step("5.4", "final_score")
async def final_score(bench: Bench) -> None:
    """Refuses the score before the end, and answers it as our rules do at the end."""
    for number in range(3):
        await bench.set_up(bench.small)
        positions, turns = bench.playout(number)
        await bench.refused("final_score", "game is not over")
        await bench.play(turns[:-1])
        await bench.refused("final_score", "game is not over")
        await bench.play(turns[-1:])
        if await bench.accepted("final_score") != str(positions[-1].result):
            raise bench.conversation.failure(
                "another result than ours", f"= {positions[-1].result}"
            )


async def compare_turns(bench: Bench, position: Position, *, complete: bool) -> None:
    """Compare `legal_turns` with our rules: all of them, or some."""
    limit = "" if complete else f" {SOME}"
    lines = (await bench.accepted(f"legal_turns{limit}")).split("\n")
    got = [read(bench, line) for line in lines if line]
    failure = bench.conversation.failure
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
    few = (await bench.accepted("legal_turns 1")).split()
    if len(few) != min(1, len(got)):
        raise bench.conversation.failure("not as many turns as asked for", "one turn, if any")


def read(bench: Bench, text: str) -> Turn:
    """A turn that the engine wrote. Raises Failed if it is none."""
    try:
        return parse_turn(text)
    except NotationError as error:
        raise bench.conversation.failure(str(error), "a turn as in section 3.2") from None


def looked_at(index: int, length: int) -> bool:
    """Whether an index is one of the few that are spread over a length, both ends included."""
    return index == length - 1 or index % max(1, length // LOOKS) == 0


STEPS = (
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
