"""Steps that play games, with clocks and without; each genmove is timed and judged.

A loaded machine may delay the engine as much as this program. So the worst lateness of our own loop
is taken off each answer's time, and an engine has three attempts, or two if both are hopeless.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.games import Colour, Game, Position, Turn, random_turn
from oddly.protocol import Resign, TimeControl, TimeKind
from oddly.referee.check.conversation import ONE_REPLY, Failed, Late, Skipped
from oddly.referee.check.engine_under_test import EngineUnderTest, in_parts
from oddly.referee.check.referee_side import as_referee
from oddly.referee.check.state_steps import lines_apart_from_time
from oddly.referee.check.step import Step, is_busy, judged, step
from oddly.referee.check.variants import Playout, random_game
from oddly.referee.conversation.commands import STARTERS
from oddly.referee.justice.deadline import Deadline, LagMeter
from oddly.referee.justice.legality import rule_on
from oddly.referee.justice.outcome import Outcome, Termination, VoidGame
from oddly.referee.match.adjudication import tell_end
from oddly.referee.program.configuration import Isolation, Resources
from oddly.referee.program.isolation import why_not

if TYPE_CHECKING:
    from oddly.referee.conversation.player import Player


SEEDED_TURNS = 8
LARGEST_SEED = 2**48 - 1
SEEDS = (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 4_804_211_202_531, LARGEST_SEED)
"""Seeds at the ends of the ranges of common integer types."""


SHORT, LONG = 12, 1000
"""The most turns of an opening, for a slow engine and for others."""
LEAST_TURNS = (12, 6)
"""The fewest turns of the first game and of each later one, even for a slow engine."""
OPPONENT_HAS = 3
"""The opponent's time, as a multiple of the engine's."""
TURNS_FROM_OPENING = 16
"""Turns of a random game left after an opening."""


def game_steps(number: int) -> list[Step]:
    """Return a step for each random game, and one for the first again, if any, in isolation.

    The engine moves first in every other game.
    """
    return [*map(_game_step, range(number)), *[isolated] * (number > 0)]


def _game_step(index: int) -> Step:
    async def plays(engine: EngineUnderTest) -> None:
        await _take_game(engine)
        await _play_game(engine, index)

    seat = "second" if index % 2 else "first"
    way = ("in whole lines", "in whole lines", "byte by byte", "from an opening")[index % 4]
    return Step(
        f"Plays game {index + 1} as the referee has it played, moving {seat}, {way}",
        "7",
        "games",
        plays,
        share=10 if index else 15,
    )


async def _take_game(engine: EngineUnderTest) -> None:
    """Raise Skipped if the engine refuses the game: that has failed an earlier step."""
    if not await engine.takes(engine.game):
        raise Skipped("the engine refuses the game")


async def _play_game(engine: EngineUnderTest, index: int) -> None:
    """Play one game of the engine against random turns, as the referee does. Raises Failed."""
    random = Random(f"{engine.options.seed} game {index}")
    opening = (
        _opening(engine.game, random, SHORT if engine.is_slow else LONG)
        if index % 4 == 3
        else Playout([engine.game.start()], [])
    )
    position, control = opening.positions[-1], engine.control
    # An engine that takes the opponent's clock for its own is too slow.
    longer = OPPONENT_HAS * engine.options.time
    clock, opponents = (engine.options.time, 0), (longer, 0)
    opponent = "random turns", TimeControl(TimeKind.FIXED, longer)
    mover_is_engine = (index + len(opening.turns)) % 2 == 0
    opening_turns = [(colour, str(turn)) for colour, turn in opening.turns]
    engine.turn_times.comes_whole = index % 4 != 2
    byte_by_byte = not engine.turn_times.comes_whole
    async with as_referee(engine, str(control), byte_by_byte=byte_by_byte) as player:
        await player.set_up(engine.game, index, opening_turns, opponent)
        last: tuple[Colour, str] | None = None
        core = LEAST_TURNS[index > 0]
        engine.budget.known += 1
        while not position.is_over and (core > 0 or engine.budget.goes_on()):
            core -= 1
            colour = position.to_move
            if mover_is_engine:
                turn, position = await _generate(engine, player, position, last, clock, opponents)
                if isinstance(turn, Resign):
                    break
                last = None
            else:
                chosen = random_turn(position, random)
                last, position = (colour, str(chosen)), position.play(chosen)
            mover_is_engine = not mover_is_engine
        await _tell_end(player, position, last)
        if not player.is_in_step():
            raise engine.failure("replies are missing at the end of the game", ONE_REPLY)


@step("8", "games", should=True, share=10)
async def isolated(engine: EngineUnderTest) -> None:
    """Plays a game isolated as in a match, with no network and files that it may only read."""
    conversation, options = engine.conversation, engine.options
    if options.isolation is Isolation.NONE:
        raise Skipped("--isolation none")
    if (lack := why_not()) is not None:
        raise Skipped(f"engines are not isolated here: {lack}")
    await _take_game(engine)
    conversation.resources = Resources(isolation=options.isolation, network=options.network)
    try:
        await conversation.restart()
        await engine.prepare()
        await _play_game(engine, 0)
    except VoidGame as void:
        raise Skipped(void.reason) from None
    finally:
        conversation.resources = Resources()
        await conversation.stop()


def _opening(game: Game, random: Random, longest: int) -> Playout:
    """Return a random game without its last turns, of at most `longest` turns."""
    played = random_game(game, str(random.random()))
    number = max(0, min(len(played.turns) - TURNS_FROM_OPENING, longest))
    return Playout(played.positions[: number + 1], played.turns[:number])


async def _generate(
    engine: EngineUnderTest,
    player: Player,
    position: Position,
    last: tuple[Colour, str] | None,
    clock: tuple[float, int],
    opponents: tuple[float, int],
) -> tuple[Turn | Resign, Position]:
    """Ask for a turn as the referee does; return it with the position after it."""
    deadline = Deadline(engine.options.time + engine.options.timeout)
    watch = LagMeter.of_this_run().watch()
    try:
        answer, seconds = await player.generate(position.to_move, clock, last, deadline, opponents)
    finally:
        late = watch.end()
    # The deadline has taken off a stall within the wait.
    thought = seconds if deadline.lost_seconds else max(0.0, seconds - late)
    allowed, busy = engine.options.time, is_busy(late)
    engine.turn_times.note(thought, allowed, engine.conversation, busy=busy)
    turn, after = rule_on(position, answer)
    engine.note_form(answer, turn)
    return turn, after


async def _tell_end(player: Player, position: Position, last: tuple[Colour, str] | None) -> None:
    """Tell the engine that the game is over, by the rules or because we stop here."""
    result = position.result
    termination = Termination[result.ending.name] if result else Termination.TURN_LIMIT
    score = str(result) if result else "B+"
    reason = result.ending.value if result else "the check has seen enough"
    await tell_end(player, Outcome(None, None, score, termination, reason, 0), last)


@step("5.5", "options", "list_options", "set_option", should=True)
async def seed(engine: EngineUnderTest) -> None:
    """Plays the same turns with the same seed."""
    await _has_seed(engine)
    for number in engine.cases((LARGEST_SEED, 2011)):
        try:
            first = await _seeded(engine, number)
            second = await _seeded(engine, number, is_set_before=True)
        except Late as late:
            await engine.conversation.stop()
            raise Skipped(f"without a clock: {late.problem}") from None
        if first != second:
            raise engine.failure(
                f"with seed {number} it played {' '.join(first)}, then {' '.join(second)}",
                "equal games with equal seeds and no clock, the seed set before or after set_game",
            )


@step("5.5", "options", "list_options", "set_option")
async def seeds(engine: EngineUnderTest) -> None:
    """Accepts every seed from 0 to 2^48 - 1."""
    await _has_seed(engine)
    for number in SEEDS:
        await engine.accepted(f"set_option seed {number}")


async def _has_seed(engine: EngineUnderTest) -> None:
    """Raise Skipped if the engine has no option `seed`."""
    options = (await engine.accepted("list_options")).splitlines()
    if "seed" not in [line.split(" ", 1)[0] for line in options]:
        raise Skipped("it has no option 'seed'")


async def _seeded(
    engine: EngineUnderTest, number: int, *, is_set_before: bool = False
) -> list[str]:
    """Return the first turns of a game of the engine against itself.

    The seed is set after the game is set up, as the referee does, or before.
    """
    # An engine that cannot be set up is started anew, and forgets its options.
    is_set_before = is_set_before and not STARTERS.isdisjoint(engine.commands)
    if is_set_before:
        await engine.accepted(f"set_option seed {number}")
    await engine.set_up(engine.small, "none")
    if not is_set_before:
        await engine.accepted(f"set_option seed {number}")
    position = engine.small.start()
    answers: list[str] = []
    while not position.is_over and len(answers) < SEEDED_TURNS:
        answer = await engine.accepted(f"genmove {position.to_move}")
        turn = judged(engine, position, answer)
        answers.append(str(turn))
        if isinstance(turn, Resign):
            break
        position = position.play(turn)
    return answers


@step("3.2", "spelling", should=True)
async def canonical(engine: EngineUnderTest) -> None:
    """Writes its turns in canonical form."""
    if engine.not_canonical:
        raise engine.not_canonical


@step("5", "commands", should=True)
async def texts(engine: EngineUnderTest) -> None:
    """Begins the texts of its failures as the protocol recommends."""
    if engine.other_text:
        raise engine.other_text


GAME_STEPS = (seeds, seed)


ATTEMPTS = 3
SLACK = 0.25
"""Seconds allowed here beyond the margin: starting to think costs something."""
BUSY_FACTOR = 10
"""An engine is scheduled many times in a turn, and each time it may wait as long as our loop."""
TURNS = 2
"""Turns under each clock."""


class ShortClock(NamedTuple):
    """A clock that has nearly run down: what `time_left` says, and the seconds a turn may take."""

    control: str
    left: str
    seconds: float


CLOCK_COMMANDS = frozenset({"time_control", "time_left"})
"""The commands that tell an engine how much time it has."""
CLOCKS = (
    ShortClock("0.3", "0.300 0", 0.3),
    ShortClock("60+0", "0.400 0", 0.4),
    ShortClock("0+1/0.4", "0.400 1", 0.4),
    ShortClock("0+2x0.4", "0.400 1", 0.4),
    ShortClock("60+0.5", "0.500 0", 0.5),
    ShortClock("60+5/30", "0.500 5", 0.5),
)


OTHER_CLOCKS = ("opponent 5 Deep Odd 1.2", "opponent none")
"""Clocks of an opponent that leave an engine more time than it has."""
HOPELESS = 10
"""A second answer that takes this many times as long as allowed gets no third attempt."""


@step("6", "pace")
async def clock(engine: EngineUnderTest) -> None:
    """Answers every genmove of these games within its time."""
    allowed, margin, times = engine.options.time, engine.options.margin, engine.turn_times
    if times.turns == 0:
        raise Skipped("no game was played")
    problem, expected = "", f"an answer within {allowed:g} s"
    # A long game has a turn for each point.
    turns = len(engine.game.board) // 2
    if times.slowest > allowed + margin:
        problem = f"a genmove took {times.slowest:.3f} s"
    elif (beyond := times.beyond_in(turns)) > margin:
        problem = (
            f"most genmoves took too long and add up to {beyond:.3f} s beyond the clock in "
            f"{turns} turns"
        )
        expected += f": the margin of {margin:g} s is for a whole game"
    if problem:
        if CLOCK_COMMANDS.isdisjoint(engine.commands):
            raise Skipped(
                f"neither time_left nor time_control is listed; {problem}, which loses a game in a "
                f"match with --time {allowed:g}"
            )
        is_controlled = "time_control" in engine.commands
        told = f"under time_control {allowed:g}" if is_controlled else f"with {allowed:g} s left"
        raise Failed(f"{problem} {told}", expected, times.sent, times.received)
    if times.slowest_busy > allowed + margin:
        raise Skipped(
            f"the machine was too busy to judge it: a genmove took {times.slowest_busy:.3f} s"
        )


@step("6", "clock", "time_left", share=3)
async def little_time(engine: EngineUnderTest) -> None:
    """Answers in time when time_left says that little is left, and for that player only."""
    for each in engine.cases(CLOCKS, 2):
        await engine.set_up(engine.small, each.control)
        position = engine.small.start()
        for _ in range(TURNS):
            if position.is_over:
                break
            mover = position.to_move
            lines = [f"time_left {mover} {each.left}", f"time_left {mover.other} 60.000 0"]
            if len(engine.small.board) % 2:
                lines.reverse()
            answer = await _in_time(engine, [*lines, f"genmove {mover}"], each)
            turn = judged(engine, position, answer)
            if isinstance(turn, Resign):
                break
            position = position.play(turn)


@step("5.6", "clock", "time_control")
async def keeps_clock(engine: EngineUnderTest) -> None:
    """Keeps its clock whatever else it is asked for or set to, a new game included."""
    each = CLOCKS[0]
    await engine.set_up(engine.small, each.control)
    for lines in engine.cases(in_parts(lines_apart_from_time(engine))):
        await engine.conversation.ask_all(lines)
    position = engine.small.start()
    for before in [[line] for line in OTHER_CLOCKS if engine.lists(line)] or [[]]:
        answer = await _in_time(engine, [*before, f"genmove {position.to_move}"], each)
        turn = judged(engine, position, answer)
        if isinstance(turn, Resign) or position.play(turn).is_over:
            break
        position = position.play(turn)


async def _in_time(engine: EngineUnderTest, lines: list[str], clock: ShortClock) -> str:
    """Return the answer to the last line. Raises Failed if it is late at every attempt."""
    allowed = clock.seconds + engine.options.margin + SLACK
    for attempt in range(ATTEMPTS):
        may_again = "undo" in engine.commands and attempt < ATTEMPTS - 1
        watch = LagMeter.of_this_run().watch()
        began = trio.current_time()
        replies = await engine.conversation.ask_all(lines, engine.options.timeout + 60)
        late = watch.end()
        took = trio.current_time() - began - BUSY_FACTOR * late
        took -= SLACK if is_busy(late) else 0.0
        for line, reply in zip(lines, replies, strict=True):
            if not reply.ok:
                raise engine.failure(f"refused {line!r}: {reply.text}", "= ...")
        if took <= allowed:
            break
        # The first answer may have met a single stall of the machine.
        if not may_again or (attempt > 0 and took > HOPELESS * allowed):
            state = f"with {clock.left.split()[0]} s left"
            if "time_control" in engine.commands:
                state = f"under {clock.control} {state}"
            raise engine.failure(
                f"a genmove took {took:.3f} s {state}", f"an answer within {clock.seconds:g} s"
            )
        await engine.accepted("undo")
    return replies[-1].text


CLOCK_STEPS = (little_time, keeps_clock)
LAST_STEPS = (clock, canonical, texts)
