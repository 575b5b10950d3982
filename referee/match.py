"""One game between two engines, judged by our own rules.

The referee believes nothing an engine says except the turn it wants to play, and plays that on a
position of its own.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import trio

from games.diagram import draw
from games.untrusted_text import one_line
from protocol.messages import Resign
from referee.clock import Clock
from referee.fault import EngineFault, VoidGame
from referee.limits import Limits
from referee.outcome import Outcome, Termination, abandoned, score_without_count
from referee.pool import EnginePool
from referee.process import EngineProcess
from referee.record import GameRecord, PlayedTurn
from referee.ruling import rule_on
from referee.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from games.colour import Colour
    from games.game import Game
    from games.turns import Turn
    from referee.channel import OpenChannel
    from referee.player import EngineConfiguration, Player
    from referee.snapshot import Watch
    from referee.wire_log import WireLog


async def play_game(
    game: Game,
    configurations: tuple[EngineConfiguration, EngineConfiguration],
    seed: int | None = None,
    limits: Limits | None = None,
    watch: Watch | None = None,
    open_channel: OpenChannel = EngineProcess.start,
) -> GameRecord:
    """Play one game; the first configuration opens as Black.

    Engines are started for the game and gone after it, whatever happens. `seed` is handed to
    engines that take one, and `watch` sees the game after each turn.
    """
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, limits or Limits(), open_channel=open_channel)
        try:
            return await play_pooled_game(pool, game, configurations, seed, watch)
        finally:
            await pool.stop()


async def play_pooled_game(
    pool: EnginePool,
    game: Game,
    configurations: tuple[EngineConfiguration, EngineConfiguration],
    seed: int | None = None,
    watch: Watch | None = None,
    log: WireLog | None = None,
    opening: Sequence[Turn] = (),
    ended: Callable[[GameRecord], None] | None = None,
) -> GameRecord:
    """Play one game with engines of `pool`, which gets them back.

    The turns of `opening` are played for both, before the clocks run. `watch` sees the game after
    each other turn; what it does is on no player's clock. After a VoidGame the outcome is
    `abandoned`: the caller has the game played again. `ended` gets the record before the engines
    are released, so that nothing that they do then can lose it.
    """
    players: list[Player | None] = [None, None]
    table = Table(game, configurations, watch, opening)
    try:
        outcome = await _prepare(table, players, pool, seed, log) or await table.play()
        record = _record(table, players, outcome, seed, len(opening))
    except VoidGame as void:
        table.at_fault.clear()
        outcome = abandoned(void.reason, len(table.turns))
        record = _record(table, players, outcome, seed, len(opening))
    except BaseException:
        await _release(table, players, pool, at_fault={0, 1})
        raise
    try:
        if ended is not None:
            ended(record)
    finally:
        await _release(table, players, pool, None if outcome.is_abandoned else table.at_fault)
    return record


def _record(
    table: Table,
    players: Sequence[Player | None],
    outcome: Outcome,
    seed: int | None,
    opening: int,
) -> GameRecord:
    one, other = table.configurations
    engines = tuple(_engine_text(player) if player else "" for player in players)
    deaths = tuple(player.death_before if player else "" for player in players)
    return GameRecord(
        table.position.game,
        (one.name, other.name),
        (engines[0], engines[1]),
        seed,
        tuple(table.turns),
        outcome,
        opening,
        deaths=(deaths[0], deaths[1]),
    )


async def _release(
    table: Table, players: Sequence[Player | None], pool: EnginePool, at_fault: set[int] | None
) -> None:
    """Give both players back at once. None at fault leaves the count of faults as it is."""
    async with trio.open_nursery() as nursery:
        for index, player in enumerate(players):
            if player is not None:
                player.log_to(None)
                wrong = None if at_fault is None else index in at_fault
                nursery.start_soon(partial(pool.release, player, at_fault=wrong))


class Table:
    """A game in progress. Players are 0, who opened, and 1; a swap changes their colours."""

    def __init__(
        self,
        game: Game,
        configurations: tuple[EngineConfiguration, EngineConfiguration],
        watch: Watch | None = None,
        opening: Sequence[Turn] = (),
    ) -> None:
        self.configurations = configurations
        self.players: tuple[Player, ...] = ()
        self.position = game.start()
        self.turns: list[PlayedTurn] = []
        self.clocks = tuple(Clock(configuration.time) for configuration in configurations)
        self.mover = 0
        self.at_fault: set[int] = set()
        self._watch = watch
        for turn in opening:
            self.turns.append(PlayedTurn(self.position.to_move, str(turn), 0.0))
            self.position = self.position.play(turn)
            self.mover = 1 - self.mover

    async def play(self) -> Outcome:
        """Play until the rules, a resignation or a fault end the game."""
        with trio.CancelScope() as flag:
            return await self._play(flag)
        # The flag has fallen.
        late = f"no turn within {self.clocks[self.mover].allowance():.3f} s"
        return self.forfeited(self.mover, EngineFault(Termination.TIME, late))

    async def _play(self, flag: trio.CancelScope) -> Outcome:
        """Play on; `flag` gets each turn's deadline, for one scope a game costs less than many."""
        last: tuple[Colour, str] | None = None
        while not self.position.is_over:
            colour = self.position.to_move
            try:
                turn = await self._ask_for_turn(colour, last, flag)
            except EngineFault as fault:
                return self.forfeited(self.mover, fault)
            if isinstance(turn, Resign):
                return self.lost(self.mover, Termination.RESIGNATION, "resigned")
            last = colour, self.turns[-1].turn
            self.mover = 1 - self.mover
        flag.deadline = math.inf
        if last is not None:
            await self.players[self.mover].take_note(*last)
        return self._by_the_rules()

    async def _ask_for_turn(
        self, colour: Colour, last: tuple[Colour, str] | None, flag: trio.CancelScope
    ) -> Turn | Resign:
        """The mover's turn, already played on our board. Raises EngineFault."""
        clock, player = self.clocks[self.mover], self.players[self.mover]
        allowance = clock.allowance()
        flag.deadline = trio.current_time() + allowance + player.limits.margin
        answer, seconds = await player.generate(colour, clock.left(), last)
        clock.spend(min(seconds, allowance))
        turn, self.position = rule_on(self.position, answer)
        if isinstance(turn, Resign):
            return turn
        self.turns.append(PlayedTurn(colour, str(turn), seconds))
        if self._watch:
            self._watch(self._snapshot())
        return turn

    def _snapshot(self) -> Snapshot:
        one, other = self.clocks
        left = one.allowance(), other.allowance()
        return Snapshot(self.position, len(self.turns), self.turns[-1], 1 - self.mover, left)

    def colour_of(self, player: int) -> Colour:
        """The colour that a player holds now: whoever's turn it is holds the side to move."""
        side = self.position.to_move
        return side if player == self.mover else side.other

    def forfeited(self, loser: int, fault: EngineFault) -> Outcome:
        """The outcome when `loser` was at fault, with the board for an illegal turn."""
        self.at_fault.add(loser)
        illegal = fault.termination is Termination.ILLEGAL_TURN
        diagram = draw(self.position) if illegal else ""
        outcome = self.lost(loser, fault.termination, fault.reason)
        return replace(outcome, evidence=fault.evidence, diagram=diagram)

    def lost(self, loser: int, termination: Termination, reason: str) -> Outcome:
        """The outcome when `loser` resigned or was at fault."""
        winner = self.colour_of(1 - loser)
        return Outcome(
            1 - loser,
            winner,
            score_without_count(winner, termination),
            termination,
            f"{self.configurations[loser].name}: {reason}",
            len(self.turns),
        )

    def _by_the_rules(self) -> Outcome:
        result = self.position.result
        if result is None:
            raise RuntimeError("the game is not over")
        winner = None
        if result.winner is not None:
            winner = self.mover if self.colour_of(self.mover) is result.winner else 1 - self.mover
        return Outcome(
            winner,
            result.winner,
            str(result),
            Termination[result.ending.name],
            result.ending.value,
            len(self.turns),
        )


async def _prepare(
    table: Table,
    players: list[Player | None],
    pool: EnginePool,
    seed: int | None,
    log: WireLog | None,
) -> Outcome | None:
    """Have both engines ready for the game. The outcome if one or both are not, else None."""
    faults: dict[int, EngineFault] = {}
    voids: list[VoidGame] = []

    async def begin(index: int) -> None:
        try:
            await _seat(index, table, players, pool, seed, log)
        except EngineFault as fault:
            faults[index] = fault
            table.at_fault.add(index)
        except VoidGame as void:
            voids.append(void)

    async with trio.open_nursery() as nursery:
        for index in (0, 1):
            nursery.start_soon(begin, index)
    if voids:
        raise voids[0]
    if not faults:
        table.players = tuple(player for player in players if player)
        return None
    if len(faults) == 1:
        ((loser, fault),) = faults.items()
        return table.forfeited(loser, fault)
    reason = "; ".join(
        f"{table.configurations[index].name}: {faults[index].reason}" for index in (0, 1)
    )
    return Outcome(None, None, "void", Termination.VOID, f"neither engine was ready: {reason}", 0)


async def _seat(
    index: int,
    table: Table,
    players: list[Player | None],
    pool: EnginePool,
    seed: int | None,
    log: WireLog | None,
) -> None:
    """Give one side a player that is ready for the game. Raises EngineFault or VoidGame."""
    opening = [(turn.colour, turn.turn) for turn in table.turns]
    player = await pool.acquire(table.configurations[index])
    while True:
        players[index] = player
        if log is not None:
            player.log_to(partial(log.data, index))
        try:
            await player.set_up(table.position.game, seed, opening)
        except EngineFault as fault:
            # A kept engine may have died since its last game, and nobody has noticed.
            if fault.termination is not Termination.CRASH or not player.games:
                raise
            players[index] = None
            player = await pool.replace(player, fault.reason)
        else:
            return


def _engine_text(player: Player) -> str:
    return one_line(f"{player.engine_name} {player.engine_version}".strip())
