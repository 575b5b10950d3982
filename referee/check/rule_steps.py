"""Steps that compare an engine's rules with ours: on many boards, in turn and out of turn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oddly.protocol import NotationError, parse_turn
from oddly.referee.check.conversation import Skipped
from oddly.referee.check.engine_under_test import (
    ENOUGH_CELLS,
    NO_LEGAL_TURN,
    EngineUnderTest,
    PlayedTurn,
    in_parts,
    play_line,
)
from oddly.referee.check.step import Step, step
from oddly.referee.check.variants import (
    REPETITIONS,
    Example,
    Playout,
    all_boards,
    ayu_game,
    illegal_examples,
    smallest,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.games import Game, Illegality, Position


VERTEX = re.compile("[a-z][1-9][0-9]?")


@step("3.1", "boards", "boardsize", share=8)
async def vertices(engine: EngineUnderTest) -> None:
    """Knows every vertex of every board that it accepts, and no other."""
    boards = sorted(all_boards(engine.game, engine.commands), key=lambda game: len(game.board))
    for game in engine.cases([boards[-1], *boards[:-1]]):
        if not await engine.takes(game):
            continue
        start = game.start()
        if "legal_turns" in engine.commands and not (game.name == "ayu" and game.size > 11):
            await mentions_all(engine, start)
        elif game.name != "ayu" and "clear_board" in engine.commands:
            await corners(engine, start)
        await refuses_beyond(engine, game)


async def mentions_all(engine: EngineUnderTest, start: Position) -> None:
    """Compare the vertices of the first turns with ours. Raises Failed if one is missing or new.

    If the engine lists no turn, its rules are wrong, not its board.
    """
    got = set(VERTEX.findall(await engine.accepted("legal_turns")))
    ours = set(VERTEX.findall(" ".join(map(str, start.legal_turns()))))
    if got and (wrong := got - set(start.game.board.vertices)):
        raise engine.failure(
            f"plays on {min(wrong)}, which is off the {start.game.board}", "vertices of the board"
        )
    if got and start.game.name == "ayu":
        got, ours = ({word for vertex in every for word in _names(vertex)} for every in (got, ours))
    if got and (missing := ours - got):
        raise engine.failure(
            f"never plays on {min(missing)} of the {start.game.board}", "every vertex of the board"
        )


def _names(vertex: str) -> tuple[str, str]:
    """Return the names of a vertex's column and row."""
    return f"column {vertex[0]}", f"row {vertex[1:]}"


async def corners(engine: EngineUnderTest, start: Position) -> None:
    """Drop a first stone on each vertex where a row begins or ends. Raises Failed."""
    names = start.game.board.vertices
    rows = {int(name[1:]) for name in names}
    ends = [
        name
        for row in sorted(rows)
        for line in [[name for name in names if int(name[1:]) == row]]
        for name in {line[0], line[-1]}
    ]
    for name in ends:
        await engine.play([(start.to_move, parse_turn(f"W{name}"))])
        await engine.accepted("clear_board")


async def refuses_beyond(engine: EngineUnderTest, game: Game) -> None:
    """Play off the board. Raises Failed if that is accepted."""
    for vertex in off_board(game):
        text = f"{vertex}-{game.board.vertices[0]}" if game.name == "ayu" else f"B{vertex}"
        why = f"{vertex} is off the {game.board}"
        await engine.refused(f"play b {text}", *NO_LEGAL_TURN, why=why)


def off_board(game: Game) -> Iterator[str]:
    """Yield vertices just beside the board: beyond the end of each row, and above the last one."""
    names = game.board.vertices
    known = set(names)
    around = []
    for name in names:
        column, row = ord(name[0]), int(name[1:])
        around += [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
    beside = {
        f"{chr(column)}{row}"
        for column, row in around
        if ord("a") <= column <= ord("z") and 1 <= row <= 99
    }
    yield from sorted(beside - known)[:12]
    yield from ("z26", "z99", "a99")


@step("5.3", "repetition", "set_game", "boardsize")
async def repetition(engine: EngineUnderTest) -> None:
    """Ends a game of Ayu as a draw when a position occurs again, and only then."""
    for played in repeating(engine):
        await engine.set_up(played.positions[0].game)
        await engine.play(played.turns[:-1])
        await expect_over(engine, played.positions[-2])
        await engine.play(played.turns[-1:])
        await expect_over(engine, played.positions[-1])


@step("5.3", "the past", "set_game", "boardsize", "undo")
async def repetition_taken_back(engine: EngineUnderTest) -> None:
    """Forgets with undo that a position of Ayu has occurred."""
    for played in repeating(engine):
        await engine.set_up(played.positions[0].game)
        await engine.play(played.turns)
        await engine.accepted("undo")
        await expect_over(engine, played.positions[-2])
        for _ in range(4):
            await engine.accepted("undo")
        await engine.play(played.turns[-5:-1])
        await expect_over(engine, played.positions[-2])
        await engine.play(played.turns[-1:])
        await expect_over(engine, played.positions[-1])


def repeating(engine: EngineUnderTest) -> Iterator[Playout]:
    """Yield games of Ayu whose last turn repeats a position. Raises Skipped if there are none."""
    if engine.game.name != "ayu":
        raise Skipped("no position of the game occurs again")
    for text in REPETITIONS:
        yield ayu_game(text)


async def expect_over(engine: EngineUnderTest, position: Position) -> None:
    """Check in every way that the engine agrees whether the game is over. Raises Failed."""
    if "final_score" in engine.commands:
        if position.is_over:
            right = str(position.result)
            ending = position.result.ending.value if position.result else ""
            reply = await engine.conversation.ask("final_score")
            if not reply.ok:
                raise engine.failure(f"goes on although {ending}", f"= {right}")
            if reply.text != right:
                raise engine.failure(f"another result, although {ending}", f"= {right}")
        else:
            await engine.refused("final_score", "game is not over")
    if "legal_turns" in engine.commands:
        some = bool((await engine.accepted("legal_turns 1")).strip())
        if some == position.is_over:
            raise engine.failure(
                "legal turns after the end" if some else "no legal turn before the end",
                "no turn" if position.is_over else "one turn",
            )
    elif "final_score" not in engine.commands and position.is_over:
        await engine.refused(f"genmove {position.to_move}", why="the game is over")


BOARD_STEPS = (vertices,)
REPETITION_STEPS = (repetition, repetition_taken_back)


NO_TURNS = ("Bc", "knight-f3", "Bc3,", "a0-a1", "resign", "passe", "Bc100", "none", "3c", "B")


@step("5.3", "refusing", should=True)
async def play_out_of_turn(engine: EngineUnderTest) -> None:
    """Refuses a turn of the player who is not to move, and keeps its position."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    first = enumerate(zip(positions[:4], turns[:4], strict=False))
    for index, (position, each) in engine.cases(first, 2):
        before = await engine.reported_position()
        other = position.to_move.other
        line = play_line(other, each[1])
        await engine.refused(line, *NO_LEGAL_TURN, why=whose_turn(position))
        await engine.unchanged_since(before, "a refused turn")
        await still_takes_back(engine, turns[:index])
        await engine.play([each])


@step("5.3", "refusing", should=True)
async def genmove_out_of_turn(engine: EngineUnderTest) -> None:
    """Refuses genmove for the player who is not to move, and keeps its position."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for position, each in engine.cases(zip(positions[:4], turns[:4], strict=False), 2):
        before = await engine.reported_position()
        other = position.to_move.other
        for name in ("genmove", "reg_genmove"):
            if name in engine.commands:
                await engine.refused(f"{name} {other}", why=whose_turn(position))
        await engine.unchanged_since(before, "a refused genmove")
        await engine.play([each])


@step("5.3", "refusing", should=True, share=3)
async def no_turns(engine: EngineUnderTest) -> None:
    """Refuses a malformed turn, and keeps its position."""
    await engine.set_up(engine.small)
    _, turns = engine.playout()
    await engine.play(turns[:2])
    before = await engine.reported_position()
    colour, legal = turns[2]
    texts = dict.fromkeys((*NO_TURNS, *spoiled(str(legal)), *spoiled(str(turns[0][1]))))
    lines = [f"play {colour} {text}" for text in texts]
    for some in engine.cases(in_parts(lines)):
        reasons = {line: f"{line.split()[2]!r} is not a turn" for line in some}
        await engine.all_refused(reasons, *reversed(NO_LEGAL_TURN))
    await engine.unchanged_since(before, "a refused turn")
    await still_takes_back(engine, turns[:2])
    await engine.play(turns[2:3])


def spoiled(text: str) -> list[str]:
    """Return texts that are nearly, but not quite, a turn."""
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


@step("4", "refusing", should=True)
async def genmove_after_the_end(engine: EngineUnderTest) -> None:
    """Refuses genmove once the game is over."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    await engine.play(turns)
    before = await engine.reported_position()
    for colour in (positions[-1].to_move, positions[-1].to_move.other):
        for name in ("genmove", "reg_genmove"):
            if name in engine.commands:
                await engine.refused(f"{name} {colour}", why="the game is over")
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
    examples = illegal_examples(smallest(game, ENOUGH_CELLS))
    kinds = dict.fromkeys(example.illegality for example in examples)
    return [_illegal_step(kind) for kind in kinds]


def _illegal_step(kind: Illegality) -> Step:
    async def refuses(engine: EngineUnderTest) -> None:
        examples = illegal_examples(engine.small, engine.options.seed)
        of_this_kind = [example for example in examples if example.illegality is kind]
        if not of_this_kind:
            raise Skipped("no example on this board")
        for example in engine.cases(of_this_kind):
            await _refuses(engine, example)

    name = f"Refuses an illegal turn and keeps its position: {kind.value}"
    return Step(name, "5.3", "refusing", refuses, should=True, share=3)


async def _refuses(engine: EngineUnderTest, example: Example) -> None:
    """Check that the engine refuses illegal turns and stays as it was."""
    await engine.set_up(engine.small)
    await engine.play(example.before)
    before = await engine.reported_position()
    reasons = {play_line(example.colour, turn): reason for turn, reason in example.turns}
    await engine.all_refused(reasons, *NO_LEGAL_TURN)
    await engine.unchanged_since(before, "a refused turn")
    await still_takes_back(engine, example.before)
    if example.legal is not None:
        await engine.play([(example.colour, example.legal)])


TURN_STEPS = (play_out_of_turn, genmove_out_of_turn, no_turns, genmove_after_the_end)
