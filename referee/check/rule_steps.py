"""Steps that compare an engine's rules with ours, on many boards and with many settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from oddly.games.catalogue import create_game
from oddly.games.errors import IllegalTurn
from oddly.protocol.notation import parse_turn
from oddly.protocol.repetitions import AYU_SIZE, REPETITIONS
from oddly.referee.check.engine_under_test import play_line
from oddly.referee.check.errors import Skipped
from oddly.referee.check.position_steps import compare_turns
from oddly.referee.check.step import step
from oddly.referee.check.variants import Playout, all_boards, random_game, small_variants

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.games.game import Game, Position
    from oddly.referee.check.engine_under_test import EngineUnderTest

GAMES_EACH = 8
"""Games on each small board; every second one with passes."""
LISTED_CELLS = 20
"""The most cells of a small board on which all legal turns are compared."""
LISTED_AT = 5
"""Positions of a game at which they are."""
BUDGET = 6.0
"""Seconds after which a step tries no more boards, so that a slow engine can be checked too."""


@step("5.4")
async def small_boards(engine: EngineUnderTest) -> None:
    """Counts, ends and scores random games as our rules do, on small boards of all settings."""
    over = trio.current_time() + BUDGET
    variants = small_variants(engine.game, engine.commands)
    for number in range(GAMES_EACH):
        for game in variants:
            if trio.current_time() > over and number:
                return
            if await accepts(engine, game):
                seed = f"{engine.options.seed} {game} {number}"
                await follow(engine, random_game(game, seed, 0.25 * (number % 2)))


@step("5.3", "legal_turns")
async def legal_on_small_boards(engine: EngineUnderTest) -> None:
    """Lists the legal turns of our rules on small boards of all settings."""
    over = trio.current_time() + BUDGET
    for number in range(2):
        for game in small_variants(engine.game, engine.commands):
            if len(game.board) > LISTED_CELLS and game.name != "ayu":
                continue
            if trio.current_time() > over or not await accepts(engine, game):
                continue
            positions, turns = random_game(game, f"{engine.options.seed} legal {game} {number}")
            every = max(1, len(turns) // LISTED_AT)
            for index, position in enumerate(positions):
                if index % every == number or position.is_over:
                    await compare_turns(engine, position, complete=True)
                await engine.play(turns[index : index + 1])


@step("5.3")
async def whole_board(engine: EngineUnderTest) -> None:
    """Follows a random game on the board asked for, and counts as our rules do."""
    if not await accepts(engine, engine.game):
        raise Skipped("the engine does not take this game")
    await follow(engine, random_game(engine.game, f"{engine.options.seed} whole"))


@step("3.1", "boardsize")
async def vertices(engine: EngineUnderTest) -> None:
    """Knows every vertex of every board that it accepts, and no other."""
    over = trio.current_time() + BUDGET
    boards = sorted(all_boards(engine.game, engine.commands), key=lambda game: len(game.board))
    for game in [boards[-1], *boards[:-1]]:
        if trio.current_time() > over:
            return
        if not await accepts(engine, game):
            continue
        start = game.start()
        if "legal_turns" in engine.commands and not (game.name == "ayu" and game.size > 11):
            await compare_turns(engine, start, complete=True)
        elif game.name != "ayu" and "clear_board" in engine.commands:
            await corners(engine, start)
        for vertex in off_board(game):
            text = (
                f"{vertex}-{start.game.board.vertices[0]}" if game.name == "ayu" else f"B{vertex}"
            )
            why = f"{vertex} is off the {game.board}"
            await engine.refused(f"play b {text}", "illegal move", why)


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


async def follow(engine: EngineUnderTest, played: Playout) -> None:
    """Send a game in one write, and compare counts after each turn and the score at the end.

    Raises Failed if the engine refuses a turn, or tells something else than our rules.
    """
    lines, expected = [], []
    for index, position in enumerate(played.positions):
        if index:
            lines.append(play_line(*played.turns[index - 1]))
            expected.append("")
        if "group_counts" in engine.commands:
            lines.append("group_counts")
            expected.append("{} {}".format(*position.group_counts))
    if played.positions[-1].is_over and "final_score" in engine.commands:
        lines.append("final_score")
        expected.append(str(played.positions[-1].result))
    replies = await engine.conversation.ask_all(lines)
    for index, (line, reply, right) in enumerate(zip(lines, replies, expected, strict=True)):
        if not reply.ok or (right and reply.text != right):
            before = " ".join(word for word in lines[:index] if word.startswith("play"))
            told = reply.text if reply.ok else f"? {reply.text}"
            raise engine.conversation.failure(
                f"answered {told!r} to {line!r} in {played.positions[0].game} after {before!r}",
                f"= {right}".rstrip(),
            )


async def accepts(engine: EngineUnderTest, game: Game) -> bool:
    """Set up a game; return whether the engine takes it."""
    try:
        await engine.set_up(game)
    except Skipped:
        return False
    return True


@step("5.3", "set_game", "boardsize")
async def repetition(engine: EngineUnderTest) -> None:
    """Ends a game of Ayu as a draw when a position occurs again, and only then."""
    if engine.game.name != "ayu":
        raise Skipped("no position of the game occurs again")
    game = create_game("ayu", AYU_SIZE)
    if not await accepts(engine, game):
        raise Skipped("the engine does not take the board")
    for text in REPETITIONS:
        await engine.set_up(game)
        positions, turns = [game.start()], []
        for word in text.split():
            turn = parse_turn(word)
            turns.append((positions[-1].to_move, turn))
            positions.append(positions[-1].play(turn))
        await engine.play(turns[:-1])
        await expect_over(engine, positions[-2])
        await engine.play(turns[-1:])
        await expect_over(engine, positions[-1])
        if "undo" in engine.commands:
            await engine.accepted("undo")
            await expect_over(engine, positions[-2])
            for _ in range(4):
                await engine.accepted("undo")
            await engine.play(turns[-5:])
            await expect_over(engine, positions[-1])


async def expect_over(engine: EngineUnderTest, position: Position) -> None:
    """Check by all means whether the engine thinks that the game is over. Raises Failed."""
    if "final_score" in engine.commands:
        if position.is_over:
            right = str(position.result)
            if await engine.accepted("final_score") != right:
                raise engine.conversation.failure("another result than ours", f"= {right}")
        else:
            await engine.refused("final_score", "game is not over")
    if "legal_turns" in engine.commands:
        some = bool((await engine.accepted("legal_turns 1")).strip())
        if some == position.is_over:
            raise engine.conversation.failure(
                "legal turns after the end" if some else "no legal turn before the end",
                "no turn" if position.is_over else "one turn",
            )
    if position.is_over:
        await engine.refused(f"genmove {position.to_move}", "", "the game is over")


def is_legal(position: Position, text: str) -> bool:
    """Return whether a turn as text is legal."""
    try:
        position.play(parse_turn(text))
    except IllegalTurn:
        return False
    return True


STEPS = (small_boards, legal_on_small_boards, whole_board, vertices, repetition)
