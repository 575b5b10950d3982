"""Steps about games and positions: getting ready for them, then sections 5.2 to 5.4.

They compare what the engine says with our own rules along a random game, on a small board if the
engine has one. Then comes `setup`, with positions from games and positions that no game can reach.
"""

from __future__ import annotations

from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from oddly.games import SWAP, Game, Position, Turn, create_game, one_line, setting_text
from oddly.protocol import NotationError, parse_turn
from oddly.referee.check.conversation import Skipped
from oddly.referee.check.engine_under_test import (
    LARGEST_LISTED,
    NO_LEGAL_TURN,
    SOME,
    EngineUnderTest,
    PlayedTurn,
    play_line,
)
from oddly.referee.check.rule_steps import still_takes_back
from oddly.referee.check.step import chosen, spread, step
from oddly.referee.check.survey import follow
from oddly.referee.check.variants import (
    REPETITIONS,
    Playout,
    all_boards,
    ayu_game,
    letters,
    played_out,
    random_game,
    setup_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


SILENT = (
    *("set_option seed 1", "time_left black 8.250 0", "time_settings 300 30 5", "opponent none"),
    *("game_over W+1 nobody knows", "ponder", "stop"),
)
"""Lines with an empty reply, in a game or before it."""
LARGE_LIMIT = 2**33
"""A limit of ten digits, as many as an engine must accept; in 32 bits it is 0."""
LOOKS = 12
"""The number of positions in a game that the engine is asked about."""


@step("7", "setting up")
async def gets_ready(engine: EngineUnderTest) -> None:
    """Sets up its games and boards for the first time, which may take long."""
    lines = list(_lines_of_all_boards(engine))
    if not engine.commands & {"set_game", "boardsize"}:
        raise Skipped("neither set_game nor boardsize is listed")
    if engine.lists("list_games") and engine.lists("set_game"):
        reply = await engine.ask_patiently("list_games")
        lines += [f"set_game {name}" for name in reply.text.split()]
    engine.preparations = [line for line in lines if engine.lists(line)]
    if await engine.prepare() < engine.options.timeout / 2:
        engine.preparations = []


def _lines_of_all_boards(engine: EngineUnderTest) -> Iterator[str]:
    """Yield lines that set up the game on every board, and load what solves it on small ones.

    The engine may refuse some.
    """
    settings = None
    for game in all_boards(engine.game, engine.commands):
        if game.settings != settings:
            settings = game.settings
            pairs = [f"{name} {setting_text(value)}" for name, value in settings.items()]
            yield " ".join(["set_game", game.name, *pairs])
        yield f"boardsize {game.size}"
        if len(game.board) <= LARGEST_LISTED:
            yield "solve 0"


@step("5.2", "setting up")
async def takes_the_game(engine: EngineUnderTest) -> None:
    """Takes the game that was asked for, as the referee sets it up."""
    for line, reply in zip(*await engine.try_to_set_up(engine.game), strict=True):
        if not reply.ok:
            engine.not_set_up.append(line)
            raise engine.failure(f"refused {line!r}: no game of {engine.game} can be played", "=")


@step("4", "setting up")
async def begins_fresh(engine: EngineUnderTest) -> None:
    """Is at the start of a game of its choice before any game is set."""
    if "last_evaluation" in engine.commands:
        await engine.refused("last_evaluation", why="it has chosen no turn yet")
    for line in filter(engine.lists, ("group_counts", "legal_turns 1", "clear_board")):
        # Only setting up a game may take long.
        ask = engine.ask_patiently if line == "clear_board" else engine.conversation.ask
        if not (await ask(line)).ok:
            raise engine.failure(f"refused {line!r} in a new process", "a new game")


PREPARING_STEPS = (begins_fresh, gets_ready, takes_the_game)


@step("5.2", "commands", "list_games")
async def list_games(engine: EngineUnderTest) -> None:
    """Lists the game."""
    if engine.game.name not in (await engine.accepted("list_games")).split():
        raise engine.failure(f"{engine.game.name} is not listed", f"a line {engine.game.name!r}")


@step("5.3", "commands")
async def empty_replies(engine: EngineUnderTest) -> None:
    """Answers commands that only do something with an empty reply."""
    _, turns = engine.playout()
    lines = [*engine.setting_up(engine.small), play_line(*turns[0]), "undo", *SILENT]
    known = list(filter(engine.lists, lines))
    for line, reply in zip(known, await engine.conversation.ask_all(known), strict=True):
        if reply.ok and reply.text:
            raise engine.failure(
                f"answered {one_line(reply.text, 60)!r} to {line!r}", "an empty reply"
            )


@step("5.2", "settings", "set_game")
async def set_game(engine: EngineUnderTest) -> None:
    """Sets the game, and refuses one that does not exist."""
    name = engine.game.name
    as_asked_for, *_ = engine.setting_up(engine.game)
    await engine.accepted(as_asked_for)
    await engine.refused("set_game no_such_game", "unknown game")
    await engine.refused(f"set_game {name} no_such_setting 1")
    with_defaults, *_ = engine.setting_up(create_game(name))
    # An engine need not play the default settings.
    if (await engine.conversation.ask(with_defaults)).ok:
        await engine.accepted(f"set_game {name}")
    await engine.accepted(as_asked_for)


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
        played = index
        before = await engine.reported_position()
        await chosen(engine, positions[index], "reg_genmove")
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
    reports = [await engine.reported_position()]
    for each in turns:
        await engine.play([each])
        reports.append(await engine.reported_position())
    for index in reversed(range(len(turns))):
        await engine.accepted("undo")
        await engine.unchanged_since(reports[index], f"{play_line(*turns[index])!r} and undo")
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
        raise engine.failure("no diagram on the second line", "= and a line feed first")


@step("5.3", "turns", "legal_turns")
async def some_turns(engine: EngineUnderTest) -> None:
    """Lists as many legal turns as it is asked for, each once."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for position, each in engine.cases(zip(positions[:4], turns[:4], strict=False), 2):
        for limit in (0, 1, 3, 100_000, LARGE_LIMIT):
            if limit > SOME and len(engine.small.board) > LARGEST_LISTED:
                continue
            few = (await engine.accepted(f"legal_turns {limit}")).split()
            wanted = min(limit, sum(1 for _ in islice(position.legal_turns(), limit)))
            legal = [text for text in set(few) if position.is_legal(read(engine, text))]
            if not len(legal) == len(few) == wanted:
                raise engine.failure(
                    "other turns, or not as many as asked for", f"{wanted} of the legal turns"
                )
        await engine.play([each])


def read(engine: EngineUnderTest, text: str) -> Turn:
    """Return a turn that the engine wrote. Raises Failed if it is malformed."""
    try:
        turn = parse_turn(text)
    except NotationError as error:
        raise engine.failure(str(error), "a turn as in section 3.2") from None
    engine.note_form(text, turn)
    return turn


def looked_at(index: int, length: int) -> bool:
    """Return whether an index is one of a few spread over a length, both ends included."""
    return index == length - 1 or index % max(1, length // LOOKS) == 0


NAMING_STEPS = (list_games, showboard)
UNDO_STEPS = (some_turns, undo)
NOTATION_STEPS = (colours, any_order)
ASKING_STEPS = (reg_genmove, empty_replies)
GAME_SETTING_STEPS = (set_game, boardsize)


@step("5.2", "setup", "setup", share=14)
async def setup(engine: EngineUnderTest) -> None:
    """Plays on from a position that was set up as it does when turns lead there."""
    seed = f"{engine.options.seed} setup"
    games = [random_game(engine.small, seed, 0.2)]
    if engine.game.name == "ayu" and {"set_game", "boardsize"} <= engine.commands:
        pie = create_game("ayu", engine.small.size, {"pie": True})
        games += [random_game(pie, seed, 0.2), *map(ayu_game, REPETITIONS)]
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
    """Set up a position of a game, and play the turns that came after it. Raises Failed."""
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
        await engine.refused(play_line(start.to_move, SWAP), *NO_LEGAL_TURN)


OURS = ("yodd", "xodd", "odd", "ayu")
"""The games for which section 5.2 says what `setup` must refuse."""


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
            (malformed_setups(played.positions[number]), "syntax error"),
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
    """Return `setup` lines that must be refused, each with the reason why.

    They are variations of the position after `number` turns.
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


def malformed_setups(position: Position) -> dict[str, str]:
    """Return `setup` lines that are syntax errors, each with the reason why."""
    stones, mover = letters(position), position.to_move
    return {
        f"setup green {stones}": "green is no player",
        f"setup {mover} {stones} perhaps": "no such word may follow",
        f"setup {mover} {stones} passes x": "x is no number",
        f"setup {mover} {stones} passes": "the number is missing",
    }


SETUP_STEPS = (setup, impossible)
