"""One game between two engines, judged by our own rules.

The referee trusts nothing that an engine says except the turn it chooses, and plays that turn on
its own position.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import trio

from oddly.games import Colour, Game, Turn, draw, one_line
from oddly.protocol import Resign
from oddly.referee.justice.clock import Clock, Timing, Wait, margin_left
from oddly.referee.justice.deadline import Deadline, LagMeter
from oddly.referee.justice.legality import import_grammar, rule_on
from oddly.referee.justice.outcome import (
    EngineFault,
    Outcome,
    Termination,
    VoidGame,
    abandoned,
    ended_by_rules,
    ended_early,
    lost_by,
    player_with,
)
from oddly.referee.justice.record import GameRecord, OnTurn, PlayedTurn, Snapshot
from oddly.referee.match.adjudication import EarlyEnds, Verdict, announce, tell_end
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.wire_log import GameLog, WireLog
from oddly.referee.program.configuration import EngineConfiguration, Limits
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.referee.conversation.player import Player
    from oddly.referee.program.channel import OpenChannel


async def play_game(
    game: Game,
    configurations: tuple[EngineConfiguration, EngineConfiguration],
    seed: int | None = None,
    limits: Limits | None = None,
    on_turn: OnTurn | None = None,
    open_channel: OpenChannel = EngineProcess.start,
    ends: EarlyEnds | None = None,
) -> GameRecord:
    """Play one game and return its record; the first configuration opens as Black.

    Engines start for the game and stop after it, whatever happens. Engines that take a seed get
    `seed`, `on_turn` sees the game after each turn, and `ends` may end it before its rules do.
    """
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, limits or Limits(), open_channel=open_channel)
        try:
            return await play_pooled_game(pool, game, configurations, seed, on_turn, ends=ends)
        finally:
            await pool.stop()


async def play_pooled_game(
    pool: EnginePool,
    game: Game,
    configurations: tuple[EngineConfiguration, EngineConfiguration],
    seed: int | None = None,
    on_turn: OnTurn | None = None,
    log: WireLog | None = None,
    opening: Sequence[Turn] = (),
    ended: Callable[[GameRecord], None] | None = None,
    ends: EarlyEnds | None = None,
) -> GameRecord:
    """Play one game with engines of `pool`, give them back, and return the record.

    The turns of `opening` are played for both players before the clocks run. `on_turn` sees the
    game after each other turn. Neither its time nor that of `ends` is on a player's clock. After a
    VoidGame the outcome is `abandoned`, and the caller replays the game. `ended` gets the record
    before the engines are released, so nothing they do then can lose it; `log` is closed by then.
    """
    players: list[Player | None] = [None, None]
    match = MatchGame(game, configurations, on_turn, opening, log, ends)
    lag = LagMeter.of_this_run().watch()
    try:
        outcome = await _prepare(match, players, pool, seed) or await match.play()
    except VoidGame as void:
        match.at_fault.clear()
        outcome = abandoned(void.reason, len(match.turns))
    except BaseException:
        match.log.close()
        await _release(match, players, pool, at_fault={0, 1})
        raise
    finally:
        worst = lag.end()
    record = _record(match, players, replace(outcome, lag=worst), seed, len(opening))
    try:
        match.log.close(record)
        if ended is not None:
            ended(record)
        await _announce(match, players, outcome, pool)
    finally:
        await _release(match, players, pool, None if outcome.is_abandoned else match.at_fault)
    return record


async def _announce(
    match: MatchGame, players: Sequence[Player | None], outcome: Outcome, pool: EnginePool
) -> None:
    """Tell both engines how the game ended, except one at fault."""
    with pool.noting_failures("an engine was not told how its game ended"):
        async with trio.open_nursery() as nursery:
            for index, player in enumerate(players):
                if player is not None and index not in match.at_fault and not outcome.is_abandoned:
                    nursery.start_soon(announce, player, outcome)


def _record(
    match: MatchGame,
    players: Sequence[Player | None],
    outcome: Outcome,
    seed: int | None,
    opening: int,
) -> GameRecord:
    one, other = match.configurations
    engines = tuple(_engine_text(player) if player else "" for player in players)
    deaths = tuple(player.death_before if player else "" for player in players)
    return GameRecord(
        match.position.game,
        (one.name, other.name),
        (engines[0], engines[1]),
        seed,
        tuple(match.turns),
        outcome,
        opening,
        deaths=(deaths[0], deaths[1]),
        timing=match.timing(),
    )


async def _release(
    match: MatchGame, players: Sequence[Player | None], pool: EnginePool, at_fault: set[int] | None
) -> None:
    """Return both players to the pool. If `at_fault` is None, the counts of faults stay."""
    async with trio.open_nursery() as nursery:
        for index, player in enumerate(players):
            if player is not None:
                wrong = None if at_fault is None else index in at_fault
                nursery.start_soon(partial(pool.release, player, at_fault=wrong))


class MatchGame:
    """A game in progress. Player 0 opens; a swap changes players' colours, not their numbers."""

    def __init__(
        self,
        game: Game,
        configurations: tuple[EngineConfiguration, EngineConfiguration],
        on_turn: OnTurn | None = None,
        opening: Sequence[Turn] = (),
        log: WireLog | None = None,
        ends: EarlyEnds | None = None,
    ) -> None:
        self._ends = ends
        self.configurations = configurations
        self.players: tuple[Player, ...] = ()
        self.margins = [0.0, 0.0]
        """What is left of each player's margin: overruns add up."""
        self.position = game.start()
        self.turns: list[PlayedTurn] = []
        self.clocks = tuple(Clock(configuration.time) for configuration in configurations)
        self.mover = 0
        self.at_fault: set[int] = set()
        self._on_turn = on_turn
        self.log = GameLog(log)
        self._began = trio.current_time()
        self._waits: list[tuple[float, float, float]] = []
        """The fields of each Wait: making a Wait at every turn costs time."""
        self._meter = LagMeter.of_this_run()
        for turn in opening:
            self.turns.append(PlayedTurn(self.position.to_move, str(turn), 0.0))
            self.position = self.position.play(turn)
            self.mover = 1 - self.mover

    async def play(self) -> Outcome:
        """Play until the rules, a resignation or a fault end the game; return the outcome.

        Raises VoidGame if nobody knows whether a turn came in time.
        """
        last: tuple[Colour, str] | None = None
        while not self.position.is_over:
            colour = self.position.to_move
            try:
                turn = await self._ask_for_turn(colour, last)
            except EngineFault as fault:
                return self.forfeited(self.mover, fault)
            if isinstance(turn, Resign):
                return self.lost(self.mover, Termination.RESIGNATION, "resigned")
            last = colour, self.turns[-1].turn
            self.mover = 1 - self.mover
            if self._ends is not None and not self.position.is_over:
                early = await self._ends.after(self.position, self.turns)
                if early is not None:
                    return await self._ended_early(*early, last)
        if last is not None:
            await self.players[self.mover].take_note(*last)
        return ended_by_rules(self.position, self.mover, len(self.turns))

    async def _ended_early(
        self, termination: Termination, verdict: Verdict, last: tuple[Colour, str]
    ) -> Outcome:
        """Tell both engines that the game is over, and why; return the outcome."""
        winner = player_with(verdict.winner, self.position, self.mover)
        colour, turns = verdict.winner, len(self.turns)
        outcome = ended_early(winner, colour, termination, verdict.reason, turns)
        async with trio.open_nursery() as nursery:
            for index, player in enumerate(self.players):
                unknown = last if index == self.mover else None
                nursery.start_soon(tell_end, player, outcome, unknown)
        return replace(outcome, evidence=verdict.evidence)

    async def _ask_for_turn(self, colour: Colour, last: tuple[Colour, str] | None) -> Turn | Resign:
        """Return the mover's turn, already played on our board.

        Raises EngineFault, or VoidGame if nobody knows whether it came in time.
        """
        mover = self.mover
        clock, player = self.clocks[mover], self.players[mover]
        allowance = clock.allowance()
        deadline = Deadline(allowance, self.margins[mover], strict=True, meter=self._meter)
        try:
            theirs = self.clocks[1 - mover].left()
            answer, seconds = await player.generate(colour, clock.left(), last, deadline, theirs)
        except (EngineFault, VoidGame):
            if deadline.asked < math.inf:
                deadline.close()
                self._note(deadline, answered=False)
            raise
        self._note(deadline)
        self.margins[mover] = margin_left(self.margins[mover], seconds, allowance)
        clock.spend(min(seconds, allowance))
        turn, self.position = rule_on(self.position, answer)
        if isinstance(turn, Resign):
            return turn
        self.turns.append(PlayedTurn(colour, str(turn), seconds, player.turn_evaluation))
        if self._on_turn:
            self._on_turn(self._snapshot())
        return turn

    def _note(self, deadline: Deadline, *, answered: bool = True) -> None:
        """Record the stamps of a wait."""
        began, ended, lost = self._began, deadline.ended, deadline.lost_seconds
        self._waits.append((deadline.asked - began, ended - began, deadline.taken))
        if lost or not answered:
            self.log.wait(self.mover, ended, lost, answered=answered)

    def timing(self) -> Timing | None:
        """Return the stamps of the game so far; None if nobody was asked for a turn."""
        if not self._waits:
            return None
        one, other = (str(configuration.time) for configuration in self.configurations)
        waits = tuple(map(Wait._make, self._waits))
        return Timing((one, other), self.players[0].limits.margin, waits)

    def _snapshot(self) -> Snapshot:
        one, other = self.clocks
        left = one.allowance(), other.allowance()
        return Snapshot(self.position, len(self.turns), self.turns[-1], 1 - self.mover, left)

    def colour_of(self, player: int) -> Colour:
        """Return the player's present colour; the mover has the side to move."""
        side = self.position.to_move
        return side if player == self.mover else side.other

    def forfeited(self, loser: int, fault: EngineFault) -> Outcome:
        """Return the outcome when `loser` is at fault, with the board for an illegal turn."""
        self.at_fault.add(loser)
        illegal = fault.termination is Termination.ILLEGAL_TURN
        diagram = draw(self.position) if illegal else ""
        outcome = self.lost(loser, fault.termination, fault.reason)
        return replace(outcome, evidence=fault.evidence, diagram=diagram)

    def lost(self, loser: int, termination: Termination, reason: str) -> Outcome:
        """Return the outcome when `loser` resigns or is at fault."""
        name, winner = self.configurations[loser].name, self.colour_of(1 - loser)
        return lost_by(loser, name, winner, termination, reason, len(self.turns))


async def _prepare(
    match: MatchGame,
    players: list[Player | None],
    pool: EnginePool,
    seed: int | None,
) -> Outcome | None:
    """Make both engines ready for the game; return the outcome if one is not, else None.

    Raises VoidGame if the machine cannot start them.
    """
    faults: dict[int, EngineFault] = {}
    voids: list[VoidGame] = []

    async def begin(index: int) -> None:
        try:
            await _seat(index, match, players, pool, seed)
        except EngineFault as fault:
            faults[index] = fault
            match.at_fault.add(index)
        except VoidGame as void:
            voids.append(void)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(import_grammar)
        for index in (0, 1):
            nursery.start_soon(begin, index)
    if voids:
        raise voids[0]
    if not faults:
        match.players = tuple(player for player in players if player)
        match.margins = [player.limits.margin for player in match.players]
        return None
    if len(faults) == 1:
        ((loser, fault),) = faults.items()
        return match.forfeited(loser, fault)
    reason = "; ".join(
        f"{match.configurations[index].name}: {faults[index].reason}" for index in (0, 1)
    )
    return Outcome(None, None, "void", Termination.VOID, f"neither engine was ready: {reason}", 0)


async def _seat(
    index: int,
    match: MatchGame,
    players: list[Player | None],
    pool: EnginePool,
    seed: int | None,
) -> None:
    """Give one side a player that is ready for the game. Raises EngineFault or VoidGame."""
    opening = [(turn.colour, turn.turn) for turn in match.turns]
    player = await pool.acquire(match.configurations[index])
    while True:
        players[index] = player
        match.log.follow(index, player)
        try:
            opponent = match.configurations[1 - index]
            known = opponent.name, opponent.time
            await player.set_up(match.position.game, seed, opening, known)
        except EngineFault as fault:
            # A kept engine may have died unnoticed since its last game.
            if fault.termination is not Termination.CRASH or not player.games:
                raise
            players[index] = None
            match.log.restart(index)
            player = await pool.replace(player, fault.reason)
        else:
            return


def _engine_text(player: Player) -> str:
    return one_line(f"{player.engine_name} {player.engine_version}".strip())
