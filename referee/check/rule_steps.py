"""Steps that compare an engine's rules with ours: on many boards, in turn and out of turn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import trio

from oddly.games import IllegalTurn, create_game
from oddly.protocol import NotationError, parse_turn
from oddly.referee.check.conversation import Skipped
from oddly.referee.check.engine_under_test import play_line, small_version
from oddly.referee.check.illegal_examples import illegal_examples
from oddly.referee.check.position_steps import compare_turns
from oddly.referee.check.step import Step, step
from oddly.referee.check.variants import (
    AYU_SIZE,
    REPETITIONS,
    Playout,
    all_boards,
    random_game,
    small_variants,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.games import Game, Illegality, Position
    from oddly.referee.check.engine_under_test import EngineUnderTest, PlayedTurn
    from oddly.referee.check.illegal_examples import Example


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


RULE_STEPS = (small_boards, legal_on_small_boards, whole_board, vertices, repetition)


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


TURN_STEPS = (play_out_of_turn, genmove_out_of_turn, no_turns, genmove_after_the_end)
