"""One game between two engines, judged by our own rules.

The referee believes nothing an engine says except the turn it wants to play, and plays that on a
position of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from games.errors import IllegalTurn
from protocol.errors import NotationError
from protocol.notation import Resign, parse_answer
from referee.clock import Clock
from referee.fault import EngineFault, printable
from referee.limits import Limits
from referee.outcome import Outcome, Termination, score_without_count
from referee.player import Contestant, Player
from referee.process import EngineProcess
from referee.record import GameRecord, PlayedTurn

if TYPE_CHECKING:
    from collections.abc import Callable

    from games.colour import Colour
    from games.game import Game, Position
    from games.turns import Turn
    from referee.channel import OpenChannel


async def play_game(
    game: Game,
    contestants: tuple[Contestant, Contestant],
    seed: int | None = None,
    limits: Limits | None = None,
    watch: Callable[[Position], None] | None = None,
    open_channel: OpenChannel = EngineProcess.start,
) -> GameRecord:
    """Play one game; the first contestant opens as Black.

    Engines are started for the game and gone after it, whatever happens. `seed` is handed to
    engines that take one, and `watch` sees the position after each turn.
    """
    limits = limits or Limits()
    players = Player(contestants[0], limits), Player(contestants[1], limits)
    async with trio.open_nursery() as drains:
        try:
            table = Table(game, players, watch)
            outcome = await _prepare(table, seed, open_channel, drains) or await table.play()
        finally:
            with trio.CancelScope(shield=True):
                async with trio.open_nursery() as stops:
                    for player in players:
                        stops.start_soon(player.stop)
            drains.cancel_scope.cancel()
    for player in players:
        player.close()
    return GameRecord(
        game,
        (contestants[0].name, contestants[1].name),
        (_engine_text(players[0]), _engine_text(players[1])),
        seed,
        tuple(table.turns),
        outcome,
    )


class Table:
    """A game in progress. Players are 0, who opened, and 1; a swap changes their colours."""

    def __init__(
        self,
        game: Game,
        players: tuple[Player, Player],
        watch: Callable[[Position], None] | None = None,
    ) -> None:
        self.players = players
        self.position = game.start()
        self.turns: list[PlayedTurn] = []
        self.clocks = Clock(players[0].contestant.time), Clock(players[1].contestant.time)
        self.mover = 0
        self._watch = watch

    async def play(self) -> Outcome:
        """Play until the rules, a resignation or a fault end the game."""
        last: tuple[Colour, Turn] | None = None
        while not self.position.is_over:
            colour = self.position.to_move
            try:
                turn = await self._ask_for_turn(colour, last)
            except EngineFault as fault:
                return self.lost(self.mover, fault.termination, fault.reason, fault.evidence)
            if isinstance(turn, Resign):
                return self.lost(self.mover, Termination.RESIGNATION, "resigned")
            last = colour, turn
            self.mover = 1 - self.mover
        if last is not None:
            await self.players[self.mover].take_note(*last)
        return self._by_the_rules()

    async def _ask_for_turn(
        self, colour: Colour, last: tuple[Colour, Turn] | None
    ) -> Turn | Resign:
        """The mover's turn, already played on our board. Raises EngineFault."""
        clock = self.clocks[self.mover]
        allowance = clock.allowance()
        answer, seconds = await self.players[self.mover].generate(
            colour, clock.left(), last, allowance
        )
        clock.spend(min(seconds, allowance))
        try:
            turn = parse_answer(answer)
            if isinstance(turn, Resign):
                return turn
            self.position = self.position.play(turn)
        except (IllegalTurn, NotationError) as error:
            said = printable(answer.encode()) or "an empty answer"
            reason = f"{said} is not legal: {error}"
            raise EngineFault(Termination.ILLEGAL_TURN, reason, answer.encode()) from None
        self.turns.append(PlayedTurn(colour, str(turn), seconds))
        if self._watch:
            self._watch(self.position)
        return turn

    def colour_of(self, player: int) -> Colour:
        """The colour that a player holds now: whoever's turn it is holds the side to move."""
        side = self.position.to_move
        return side if player == self.mover else side.other

    def lost(
        self, loser: int, termination: Termination, reason: str, evidence: str = ""
    ) -> Outcome:
        """The outcome when `loser` resigned or was at fault."""
        winner = self.colour_of(1 - loser)
        return Outcome(
            1 - loser,
            winner,
            score_without_count(winner, termination),
            termination,
            f"{self.players[loser].contestant.name}: {reason}",
            len(self.turns),
            evidence,
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
    table: Table, seed: int | None, open_channel: OpenChannel, drains: trio.Nursery
) -> Outcome | None:
    """Start both engines and set the game up. The outcome if one or both can't, else None."""
    faults: dict[int, EngineFault] = {}

    async def begin(index: int) -> None:
        try:
            table.players[index].start(open_channel, drains)
            await table.players[index].shake_hands()
            await table.players[index].set_up(table.position.game, seed)
        except EngineFault as fault:
            faults[index] = fault

    async with trio.open_nursery() as nursery:
        for index in (0, 1):
            nursery.start_soon(begin, index)
    if not faults:
        return None
    if len(faults) == 1:
        ((loser, fault),) = faults.items()
        return table.lost(loser, fault.termination, fault.reason, fault.evidence)
    reason = "; ".join(
        f"{table.players[index].contestant.name}: {faults[index].reason}" for index in (0, 1)
    )
    return Outcome(None, None, "void", Termination.VOID, f"neither engine was ready: {reason}", 0)


def _engine_text(player: Player) -> str:
    return printable(f"{player.engine_name} {player.engine_version}".strip().encode())
