"""Steps about an engine's thinking: its analysis, pondering and last evaluation.

Limits are longer on a busy machine, which our own lag reveals.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

from oddly.games import one_line
from oddly.protocol import NotationError, Reply, Resign, parse_analysis
from oddly.protocol.evaluation import parse_turn_evaluation
from oddly.referee.check.conversation import Skipped
from oddly.referee.check.engine_under_test import EngineUnderTest, play_line
from oddly.referee.check.referee_side import as_people
from oddly.referee.check.session_steps import ends_with_its_input
from oddly.referee.check.step import COMMANDS, chosen, is_busy, judged, step
from oddly.referee.check.variants import PASSING, all_boards, letters, random_game
from oddly.referee.conversation.commands import STARTERS
from oddly.referee.justice.deadline import LagMeter

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from oddly.games import Game, Position


WITHIN = 1.0
"""Seconds within which a search must end."""
BUSY_FACTOR = 5
"""What that limit is multiplied by on a busy machine."""
LISTENING = 0.2
"""The shortest time that an analysis runs, in seconds."""
LISTENING_FIRST = 1.5
"""The same for the first analysis: it must not end by itself."""
INTERVALS = ("1", "0.125", "0.01", "1000000", "30.0")
"""Seconds between lines, which every engine must accept."""
LINES = 3
"""The fewest lines of an analysis: it must not fall silent."""
LONG = "60"
"""A time per turn, in seconds, that nobody waits out."""
FULL_LINE = one_line("Go 圍棋 " * 400)
"""An opponent's name, or the reason of an end, as long as the referee sends it."""
MAX_LINES = 20
LAST_TURNS = 6
"""Turns left in a random game where its end is analyzed."""
ENDED = "an analysis that goes on until the next command"


@step("5.7", "opinions", "analyze", share=4)
async def analyzes(engine: EngineUnderTest) -> None:
    """Analyzes line after line until the next command, in the right form."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for interval in engine.cases(INTERVALS, 2):
        reply, _ = await engine.conversation.ask_all([f"analyze {interval}", "name"])
        if not reply.ok:
            raise engine.failure(f"refused the interval {interval}", "= and lines")
    for index in engine.cases(range(min(3, len(turns)))):
        # A stop without a search must not stop the next one.
        await engine.conversation.ask_all(["name", *filter(engine.lists, ["stop"])])
        await hear_analysis(engine, positions[index], LISTENING if index else LISTENING_FIRST)
        if index == 0:
            await _ignores_empty_lines(engine)
        await engine.play(turns[index : index + 1])
    await engine.play(turns[index + 1 :])
    await engine.refused("analyze 0.1", why="the game is over")


@step("5.7", "opinions", "analyze", share=4)
async def analyzes_other_positions(engine: EngineUnderTest) -> None:
    """Analyzes another turn than the one taken back, and the last turns on the largest boards."""
    for game, lines, position in engine.cases(_other_positions(engine)):
        if not await engine.takes(game):
            continue
        for line in lines:
            await engine.accepted(line)
        await hear_analysis(engine, position)


def _other_positions(engine: EngineUnderTest) -> Iterator[tuple[Game, list[str], Position]]:
    """Yield games with the lines that lead to a position, and that position."""
    first, other = (random_game(engine.small, f"elsewhere {number}") for number in range(2))
    if "undo" in engine.commands:
        number = min(2, len(first.turns) - 1, len(other.turns) - 1)
        lines = [play_line(*each) for each in first.turns[:number]]
        lines += ["undo"] * len(lines) + [play_line(*each) for each in other.turns[:number]]
        yield engine.small, lines, other.positions[number]
    for game in dict.fromkeys((engine.game, all_boards(engine.game, engine.commands)[-1])):
        if game.name == "ayu":
            # Its turns are all over the board from the start.
            yield game, [], game.start()
            continue
        played = random_game(game, f"{engine.options.seed} analysis", PASSING / 4)
        number = max(0, len(played.turns) - LAST_TURNS)
        lines = [play_line(*each) for each in played.turns[:number]]
        yield game, lines, played.positions[number]


@step("5.7", "opinions", "analyze", share=4)
async def ends_analysis(engine: EngineUnderTest) -> None:
    """Ends an analysis at whatever comes next, with an empty line, and answers that."""
    _, turns = engine.playout()
    mover, turn = turns[0]
    # Without a clock a turn may take any time.
    chosen = (f"genmove {mover}",) if engine.lists("time_control") else ()
    endings = (
        ("stop", *chosen),
        (play_line(mover, turn), "undo"),
        tuple(engine.setting_up(engine.small, "0.2")),
        ("stop",),
        ("name",),
        ("analyze 0.05", "name"),
        ("quit",),
    )
    for ending in engine.cases(endings, 3):
        known = [line for line in ending if engine.lists(line)]
        if not known:
            continue
        await engine.start()
        await engine.set_up(engine.small, "0.2")
        await _begin_analysis(engine, LISTENING)
        lines = "".join(f"{number} {line}\n" for number, line in enumerate(known, 20002))
        more = engine.conversation.write_more
        limit = WITHIN + (0.2 if "genmove" in lines else 0.0)
        replies = await _in_time(engine, more, lines.encode(), 1 + len(known), limit)
        for line, reply in zip(known, replies[1:], strict=True):
            if not reply.ok:
                raise engine.failure(f"refused {line!r} behind analyze", "=")
        if known == ["quit"]:
            await engine.conversation.stop()
    await engine.start()
    await engine.set_up(engine.small)
    await _begin_analysis(engine, LISTENING)
    await ends_with_its_input(engine)
    if engine.conversation.hears:
        raise engine.failure(
            "left out the empty line at the end of its input", "the end of the reply, and an exit"
        )


@step("5.7", "opinions", "analyze", share=4)
async def analyzes_for_people(engine: EngineUnderTest) -> None:
    """Analyzes a game that goes forward and back, as on the page, whole and byte by byte."""
    if STARTERS.isdisjoint(engine.commands):
        raise Skipped("no command begins its game anew")
    positions, turns = engine.playout()
    for byte_by_byte in engine.cases((False, True)):
        async with as_people(engine, byte_by_byte=byte_by_byte) as seat:
            for number in (0, 1, 2, 1, 0):
                position = positions[number]
                async with seat.analyze(position, turns[:number], 0.05) as stream:
                    analysis = None
                    with trio.move_on_after(engine.options.timeout):
                        analysis = await anext(stream, None)
                if analysis is None:
                    raise engine.failure("no analysis", ENDED)
                await seat.follow(engine.small, turns[:number])
            if "ponder" in engine.commands:
                await seat.ponder(positions[1], turns[:1])
            await seat.choose(positions[1], turns[:1], engine.options.timeout)


@step("5.7", "opinions", "stop", share=2)
async def stops(engine: EngineUnderTest) -> None:
    """Stops a genmove, which then answers and plays a legal turn; stop alone does nothing."""
    await engine.accepted("stop")
    await engine.set_up(engine.small, LONG)
    position = engine.small.start()
    before = await engine.reported_position()
    # The stop may come after other commands.
    replies = await _stopped(engine, [f"genmove {position.to_move}", "name", "stop"])
    turn = judged(engine, position, replies[0].text)
    if isinstance(turn, Resign):
        raise engine.failure("resigned because it was stopped", "a turn")
    if "undo" in engine.commands:
        await engine.accepted("undo")
        await engine.unchanged_since(before, "genmove, stop and undo")
        await engine.play([(position.to_move, turn)])
    for command in ("reg_genmove", "evaluate", "solve"):
        if command in engine.commands:
            words = f"{command} {position.to_move.other}" if command == "reg_genmove" else command
            await _stopped(engine, [words, "stop"], may_fail=command == "evaluate")


async def _ignores_empty_lines(engine: EngineUnderTest) -> None:
    """Send lines without a command during an analysis. Raises Failed if they end it."""
    conversation = engine.conversation
    await _begin_analysis(engine, LISTENING)
    await conversation.write_more(b"# a comment\n\n")
    await conversation.listen(2 * LISTENING)
    if not conversation.hears:
        raise conversation.failure("a line without a command ended the analysis", ENDED)
    await _in_time(engine, conversation.write_more, b"20002 name\n", 2)


async def hear_analysis(
    engine: EngineUnderTest, position: Position, seconds: float = LISTENING
) -> None:
    """Have a position analyzed for `seconds`. Raises Failed if a line is not about it."""
    heard = await _begin_analysis(engine, seconds)
    reply, _ = await _in_time(engine, engine.conversation.write_more, b"20002 name\n", 2)
    for line in filter(str.strip, (reply.text, *heard.last)):
        _judge(engine, line, position)


@dataclass
class _Heard:
    """What has been heard of an analysis until now."""

    turns: int = 0
    """The number of its lines that are about turns."""
    last: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_LINES))

    def add(self, line: str) -> None:
        """Hear a line."""
        self.turns += line.startswith("info turn")
        self.last.append(line)


async def _begin_analysis(engine: EngineUnderTest, seconds: float) -> _Heard:
    """Send `analyze`, listen for `seconds` and for LINES lines, and return them. Raises Failed.

    What is heard later is added to them.
    """
    conversation, heard = engine.conversation, _Heard()
    await conversation.write(b"20001 analyze 0.05\n")
    conversation.hear(heard.add)
    with trio.move_on_after(engine.options.timeout) as scope:
        await conversation.listen(seconds)
        while conversation.hears and heard.turns < LINES:
            await conversation.listen(LISTENING)
    if not conversation.hears:
        raise conversation.failure("the reply ended before the next command", ENDED)
    if scope.cancelled_caught:
        limit = f"{engine.options.timeout:g} s"
        raise conversation.failure(
            f"{heard.turns or 'no'} lines within {limit} at 0.05 s each", ENDED
        )
    return heard


async def _stopped(
    engine: EngineUnderTest, lines: Sequence[str], *, may_fail: bool = False
) -> list[Reply]:
    """Return the replies to commands that a stop ends. Raises Failed."""
    conversation = engine.conversation
    data = "".join(f"{number} {line}\n" for number, line in enumerate(lines, start=20003))
    replies = await _in_time(engine, conversation.write, data.encode(), len(lines))
    for line, reply in zip(lines, replies, strict=True):
        if not reply.ok and not (may_fail and line == lines[0]):
            raise conversation.failure(f"refused {line!r}: {reply.text}", "= ...")
    return replies


async def _in_time(
    engine: EngineUnderTest,
    write: Callable[[bytes], Awaitable[None]],
    data: bytes,
    number: int,
    within: float = WITHIN,
) -> list[Reply]:
    """Write `data` and return its replies. Raises Failed if they are late or out of order."""
    conversation = engine.conversation
    watch = LagMeter.of_this_run().watch()
    began = trio.current_time()
    await write(data)
    replies = await conversation.more(number)
    limit = within * (BUSY_FACTOR if is_busy(watch.end()) else 1)
    took = trio.current_time() - began
    if took > limit:
        raise conversation.failure(
            f"the search went on for {took:.1f} s", f"its end within {WITHIN:g} s"
        )
    ids = [reply.id for reply in replies]
    if conversation.checks_ids and ids != sorted(ids, key=lambda each: each or 0):
        raise conversation.failure("replies in another order", "replies in their order")
    return replies


def _judge(engine: EngineUnderTest, line: str, position: Position) -> None:
    """Raise Failed if a line is no analysis of a position."""
    try:
        analysis = parse_analysis(line)
    except ValueError as error:
        raise engine.failure(
            str(error), "info turn T visits N win_rate W variation T ..."
        ) from None
    for ranked in analysis.turns:
        if not position.is_legal(ranked.turn):
            raise engine.failure(f"{ranked.turn} is illegal", "what is legal here")


@step("5.7", "opinions", "last_evaluation")
async def last_evaluation(engine: EngineUnderTest) -> None:
    """Reports its evaluation of its last turn in the right form, and none before its first turn."""
    await engine.set_up(engine.small)
    await engine.refused("last_evaluation", why="it has chosen no turn yet")
    position = engine.small.start()
    turn = await chosen(engine, position)
    reply = await engine.conversation.ask("last_evaluation")
    if reply.ok:
        try:
            parse_turn_evaluation(reply.text)
        except NotationError as error:
            raise engine.failure(str(error), "win_rate 0.5 depth 3 ...") from None
        after = position if isinstance(turn, Resign) else position.play(turn)
        following = play_line(after.to_move, next(after.legal_turns()))
        for line in filter(engine.lists, (following, "undo")):
            await engine.accepted(line)
            if (await engine.conversation.ask("last_evaluation"))[:2] != reply[:2]:
                problem = f"another answer to last_evaluation behind {line!r}"
                raise engine.failure(problem, f"= {reply.text}")
    setup = f"setup {position.to_move} {letters(position)}"
    for line in filter(engine.lists, (setup, "clear_board")):
        await engine.accepted(line)
        await engine.refused("last_evaluation", why="a new game has begun")
        await chosen(engine, position)


@step("5.7", "opinions", "ponder", share=4)
async def ponders(engine: EngineUnderTest) -> None:
    """Ponders until the next command, which it answers promptly."""
    await engine.set_up(engine.small)
    positions, turns = engine.playout()
    for index in range(min(2, len(turns))):
        await _in_time(engine, engine.conversation.write, b"20010 ponder\n", 1)
        await trio.sleep(LISTENING)
        await _in_time(engine, engine.conversation.write, b"20011 name\n", 1)
        await engine.play(turns[index : index + 1])
    await chosen(engine, positions[index + 1])


OPPONENTS = (
    *("none", "300+2.5 Deep Odd 1.2", "600+5x30 <b> Bjørn 圍棋"),
    *(f"0.5 {FULL_LINE}", "60+0 play b"),
)


@step("5.6", "opinions", "opponent")
async def opponent(engine: EngineUnderTest) -> None:
    """Accepts any name and time control of an opponent."""
    await engine.set_up(engine.small)
    for words in OPPONENTS:
        await engine.accepted(f"opponent {words}")
    position = engine.small.start()
    clocks = [f"time_left {position.to_move.other} 60.000 0", f"time_left {position.to_move} 1.000"]
    clocks = [line for line in clocks if engine.lists(line)]
    for line in clocks:
        await engine.accepted(line)
    await chosen(engine, position)


@step("5.4", "opinions", "game_over")
async def game_over(engine: EngineUnderTest) -> None:
    """Accepts any end of a game, in any state."""
    await engine.set_up(engine.small)
    _, turns = engine.playout()
    for played in (turns[:0], turns[:2]):
        await engine.play(played)
        for words in (
            *COMMANDS["game_over"].harmless,
            "W+1 Zeit überschritten",
            f"B+F {FULL_LINE}",
        ):
            await engine.accepted(f"game_over {words}")


ANALYSIS_STEPS = (
    analyzes,
    analyzes_other_positions,
    ends_analysis,
    analyzes_for_people,
    stops,
    last_evaluation,
    ponders,
    opponent,
    game_over,
)
