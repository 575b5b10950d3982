"""Steps that play on from a state of a game: what the rules remember, and what the engine chooses.

The rules remember passes, swaps and turns taken back. An engine chooses in every state, on every
board, and before any clock.
"""

from __future__ import annotations

from random import Random

from oddly.games import PASS, SWAP, Position, Turn, create_game, random_turn
from oddly.protocol import Resign
from oddly.referee.check.conversation import Late, Skipped
from oddly.referee.check.engine_under_test import NO_LEGAL_TURN, EngineUnderTest, play_line
from oddly.referee.check.rule_steps import expect_over
from oddly.referee.check.state_steps import BEGINNINGS, QUICK, State, in_a_game, states
from oddly.referee.check.step import chosen, judged, spread, step
from oddly.referee.check.survey import expect_none, follow
from oddly.referee.check.variants import Playout, all_boards, letters, random_game, small_variants

LEAST_TURNS = 6
"""The fewest turns that even a slow engine plays against itself."""
LAST_TURNS = 3
"""Turns left in a random game where the engine chooses one."""


class FollowedGame:
    """A game that the engine follows turn by turn, with our position beside it."""

    def __init__(self, engine: EngineUnderTest, start: Position, seed: str) -> None:
        self.engine = engine
        self.positions = [start]
        self.turns: list[Turn] = []
        self.random = Random(seed)

    @property
    def position(self) -> Position:
        """The position after all turns."""
        return self.positions[-1]

    async def play(self, turn: Turn) -> None:
        """Play a legal turn on both sides. Raises Failed if the engine refuses it."""
        await self.engine.play([(self.position.to_move, turn)])
        self.turns.append(turn)
        self.positions.append(self.position.play(turn))

    async def drop(self) -> None:
        """Play a random turn that is no pass. Raises Skipped if the game is over."""
        await self.play(self.turn_unlike(PASS))

    def turn_unlike(self, other: Turn) -> Turn:
        """Return another random turn. Raises Skipped if the game is over."""
        if self.position.is_over:
            raise Skipped("the games on this board are too short")
        while (turn := random_turn(self.position, self.random)) == other:
            pass
        return turn

    async def undo(self) -> None:
        """Take the last turn back on both sides. Raises Failed if the engine refuses."""
        await self.engine.accepted("undo")
        self.positions.pop()
        self.turns.pop()

    async def expect(self) -> None:
        """Check that the engine agrees whether the game is over. Raises Failed if it does not."""
        await expect_over(self.engine, self.position)

    async def follow(self, script: str) -> None:
        """Do what each word says: `pass`, `drop`, `undo`, or `?` for `expect`. Raises Failed."""
        for word in script.split():
            match word:
                case "pass":
                    await self.play(PASS)
                case "drop":
                    await self.drop()
                case "undo":
                    await self.undo()
                case _:
                    await self.expect()


async def _begun(engine: EngineUnderTest, number: int) -> FollowedGame:
    """Return a game of passes after the first turn, and White's too if `number` is not 0.

    Raises Skipped if there are no passes.
    """
    game = small_variants(engine.game, engine.commands)[-1]
    if game.size == 2 or not _after_one(game.start()).is_legal(PASS):
        game = engine.small
    if not _after_one(game.start()).is_legal(PASS):
        raise Skipped("the game has no pass")
    await engine.set_up(game)
    line = FollowedGame(engine, game.start(), f"{engine.options.seed} passes {number}")
    await line.follow("drop drop" if number else "drop")
    return line


def _after_one(start: Position) -> Position:
    return start.play(random_turn(start, Random(0)))


@step("5.3", "passing")
async def passes(engine: EngineUnderTest) -> None:
    """Ends the game after two passes in a row, and after nothing else."""
    await expect_none(engine, "passing")
    for number in engine.cases((1, 0)):
        line = await _begun(engine, number)
        await line.follow("pass ? drop ? pass ? drop ? drop ? pass ? pass ?")


@step("5.3", "the past", "undo")
async def passes_taken_back(engine: EngineUnderTest) -> None:
    """Remembers the number of passes in a row after undo."""
    for number in engine.cases((1, 0)):
        line = await _begun(engine, number)
        # A pass that is taken back does not count.
        await line.follow("pass undo pass ?")
        # A drop that is taken back leaves the pass before it.
        await line.follow("drop undo pass ?")
        # The end is taken back too, and comes again.
        await line.follow("undo ? pass ?")
        await line.follow("undo undo drop pass ?")


@step("5.3", "the past", "undo", share=10)
async def other_ways(engine: EngineUnderTest) -> None:
    """Follows other turns after undo, and reaches the same end by the same turns."""
    variants = small_variants(engine.game, engine.commands)[:6]
    variants.sort(key=lambda game: len(game.board))
    for number, game in enumerate(engine.cases(variants)):
        if not await engine.takes(game):
            continue
        first = random_game(game, f"{engine.options.seed} first {number}", 0.25)
        again = random_game(game, f"{engine.options.seed} second {number}")
        await engine.play(first.turns)
        back = len(first.turns) // 2
        await take_back(engine, len(first.turns) - back)
        await follow_on(engine, first, back)
        await take_back(engine, len(first.turns))
        await engine.refused("undo", "cannot undo")
        await follow(engine, again)


async def take_back(engine: EngineUnderTest, number: int) -> None:
    """Undo this many turns. Raises Failed if the engine refuses one."""
    for reply in await engine.conversation.ask_all(["undo"] * number):
        if not reply.ok:
            raise engine.failure("refused 'undo' of a turn", "=")


async def follow_on(engine: EngineUnderTest, played: Playout, begin: int) -> None:
    """Follow a game from its turn `begin` on. Raises Failed as `follow` does."""
    await follow(engine, Playout(played.positions[begin:], played.turns[begin:]))


@step("5.3", "choosing")
async def genmove_plays(engine: EngineUnderTest) -> None:
    """Plays the answer to genmove, which undo takes back."""
    variants = small_variants(engine.game, engine.commands)
    games = dict.fromkeys((*variants[1:3], variants[-1]))
    for number, game in enumerate(engine.cases(games)):
        if not await engine.takes(game):
            continue
        if "time_control" in engine.commands:
            await engine.accepted("time_control 0.2")
        line = FollowedGame(engine, game.start(), f"{engine.options.seed} genmove {number}")
        await self_play(line)


async def self_play(line: FollowedGame) -> None:
    """Have the engine play both sides, and look at its position after each turn."""
    engine = line.engine
    engine.budget.known += 1
    while not line.position.is_over and len(line.turns) < 60:
        if len(line.turns) >= LEAST_TURNS and not engine.budget.goes_on():
            return
        mover = line.position.to_move
        answer = await engine.accepted(f"genmove {mover}")
        turn = judged(engine, line.position, answer)
        if isinstance(turn, Resign):
            return
        if "undo" in engine.commands and len(line.turns) % 4 == 1:
            await engine.accepted("undo")
            await engine.play([(mover, turn)])
        line.turns.append(turn)
        line.positions.append(line.position.play(turn))
        if "group_counts" in engine.commands:
            expected = "{} {}".format(*line.position.group_counts)
            if await engine.accepted("group_counts") != expected:
                raise engine.failure(
                    f"after its own {answer!r} to genmove the counts are not ours",
                    f"= {expected}",
                )
    await line.expect()


@step("5.3", "swapping", "set_game")
async def swap(engine: EngineUnderTest) -> None:
    """Leaves White to move after a swap, and allows one on White's first turn only."""
    line = await _with_pie(engine)
    await expect_none(engine, "swapping")
    await engine.set_up(line.position.game)
    await refuse_swap(line)
    await line.drop()
    listed = await engine.accepted("legal_turns") if "legal_turns" in engine.commands else "swap"
    if listed.lower().split().count("swap") != 1:
        raise engine.failure("legal_turns does not list the swap", "a line 'swap'")
    await engine.refused(play_line(line.position.to_move.other, SWAP), *NO_LEGAL_TURN)
    await line.play(SWAP)
    await refuse_swap(line)
    await line.expect()
    for _ in range(2):
        await line.drop()
        await refuse_swap(line)
    # Even without a swap, White's second turn may not be one.
    line = await _with_pie(engine)
    for _ in range(3):
        await line.play(line.turn_unlike(SWAP))
    await refuse_swap(line)
    await line.expect()


@step("5.3", "the past", "set_game", "undo")
async def swap_taken_back(engine: EngineUnderTest) -> None:
    """Opens a swap again with undo, and closes it."""
    line = await _with_pie(engine)
    await line.drop()
    opening = line.turns[0]
    await line.undo()
    await refuse_swap(line)
    await line.play(opening)
    before = await engine.reported_position()
    await line.play(SWAP)
    await line.undo()
    await engine.unchanged_since(before, "a swap and undo")
    await line.play(SWAP)
    await refuse_swap(line)


async def _with_pie(engine: EngineUnderTest) -> FollowedGame:
    """Set up a game with the pie rule. Raises Skipped if there is none."""
    if "pie" not in engine.game.settings:
        raise Skipped("the game has no swap")
    game = create_game(engine.game.name, engine.small.size, {"pie": True})
    if not await engine.takes(game):
        raise Skipped("the engine does not play with the pie rule")
    return FollowedGame(engine, game.start(), f"{engine.options.seed} swap")


async def refuse_swap(line: FollowedGame) -> None:
    """Check that a swap is refused now. Raises Failed if it is not."""
    why = "only White's first turn may be a swap"
    await line.engine.refused(play_line(line.position.to_move, SWAP), *NO_LEGAL_TURN, why=why)


PASSING_STEPS = (passes, swap)
PAST_STEPS = (passes_taken_back, swap_taken_back, other_ways)
PLAYING_STEPS = (genmove_plays,)


@step("5.3", "choosing", share=8)
async def chooses_in_every_state(engine: EngineUnderTest) -> None:
    """Chooses legal turns in every state of a game, and where another turn follows undo."""
    playing = [state for state in states(engine) if not state.position.is_over]
    for state in engine.cases(playing):
        line = await _reached(engine, state)
        for name in ("reg_genmove", "genmove", "genmove"):
            await _chooses(line, name)
        if "undo" in engine.commands:
            line = await _reached(engine, state)
            await _chooses(line, "genmove")
            if not line.turns:
                # It has resigned.
                continue
            await line.undo()
            await line.play(random_turn(line.position, line.random))
            for name in ("reg_genmove", "genmove"):
                await _chooses(line, name)


async def _reached(engine: EngineUnderTest, state: State) -> FollowedGame:
    """Bring the engine to a state; return a game that starts there. Raises Failed or Skipped."""
    await engine.set_up(state.game, QUICK)
    for line in state.lines:
        await engine.accepted(line)
    return FollowedGame(engine, state.position, f"{engine.options.seed} {state.name}")


async def _chooses(line: FollowedGame, name: str) -> None:
    """Ask for a turn, which `genmove` plays. Raises Failed if it is illegal."""
    engine, position = line.engine, line.position
    if position.is_over or not engine.lists(name):
        return
    turn = await chosen(engine, position, name)
    if name == "genmove" and not isinstance(turn, Resign):
        line.turns.append(turn)
        line.positions.append(position.play(turn))


@step("5.3", "choosing", "undo", share=2)
async def chooses_after_another_game(engine: EngineUnderTest) -> None:
    """Chooses legal turns in a second game, after undo of the whole first one."""
    seed = f"{engine.options.seed} another"
    before, game = (random_game(engine.small, f"{seed} {number}") for number in range(2))
    length = max(0, min(len(before.turns), len(game.turns)) - LAST_TURNS)
    await engine.set_up(engine.small, QUICK)
    await engine.play(before.turns[:length])
    line = FollowedGame(engine, before.positions[length], seed)
    for name in ("reg_genmove", "genmove"):
        await _chooses(line, name)
    await take_back(engine, length + len(line.turns))
    await engine.play(game.turns[:length])
    line = FollowedGame(engine, game.positions[length], seed)
    for name in ("reg_genmove", "genmove"):
        await _chooses(line, name)


@step("5.3", "choosing", "boardsize", share=4)
async def chooses_on_every_board(engine: EngineUnderTest) -> None:
    """Chooses a legal turn on every board that it accepts."""
    boards = all_boards(engine.game, engine.commands)
    for index in engine.cases(spread(len(boards)), 2):
        if await engine.takes(boards[index], QUICK):
            await _chooses(FollowedGame(engine, boards[index].start(), ""), "genmove")


@step("5.6", "choosing")
async def chooses_before_any_clock(engine: EngineUnderTest) -> None:
    """Chooses a turn in a new process, before any clock was set."""
    await engine.conversation.restart()
    for line in engine.setting_up(engine.small):
        if line.startswith(BEGINNINGS) and not (await engine.ask_patiently(line)).ok:
            raise Skipped(f"the game could not be set up: the engine refuses {line!r}")
    try:
        await _chooses(FollowedGame(engine, engine.small.start(), ""), "genmove")
    except Late as late:
        await engine.conversation.stop()
        raise Skipped(f"without a clock: {late.problem}") from None


COLOURED = ("genmove {}", "reg_genmove {}", "time_left {} 60.000 0", "setup {} STONES")


@step("3.3", "choosing", share=2)
async def colours_everywhere(engine: EngineUnderTest) -> None:
    """Reads both names of a colour in any case in every command that has one."""
    state = in_a_game(engine)
    mover, stones = state.position.to_move, letters(state.position)
    for name in engine.cases((mover.letter, str(mover).upper(), str(mover), str(mover)[0])):
        for template in filter(engine.lists, COLOURED):
            await _reached(engine, state)
            line = template.replace("STONES", stones)
            if line != template and not await _is_taken(engine, line.format(mover)):
                continue
            await engine.accepted(line.format(name))


async def _is_taken(engine: EngineUnderTest, setup: str) -> bool:
    """Return whether the engine sets up this position: some games can set up only their start."""
    return (await engine.conversation.ask(setup)).ok


CHOOSING_STEPS = (
    chooses_before_any_clock,
    chooses_in_every_state,
    chooses_after_another_game,
    chooses_on_every_board,
    colours_everywhere,
)
