"""The messages by which the players of a game learn its state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.arena.wire.from_arena import GameEnd, GameStart, Go, TurnAccepted

if TYPE_CHECKING:
    from oddly.arena.game import ArenaGame
    from oddly.arena.store.plan_json import GameEnding
    from oddly.arena.wire.from_arena import RatingNow


def start_of(
    game: ArenaGame, player: int, address: str, now: float, *, resumed: bool = False
) -> GameStart:
    """Return everything about a game, for one of its players."""
    plan, left = game.plan, game.times_left(now)
    rules = plan.scheduled.game
    return GameStart(
        game.id,
        plan.pool,
        rules.name,
        rules.size,
        dict(rules.settings),
        str(plan.control),
        game.players[1 - player],
        player,
        game.texts(),
        game.opening,
        left.clocks,
        address,
        plan.rated,
        plan.scheduled.seed,
        resumed,
        left.periods,
    )


def go_of(game: ArenaGame, now: float) -> Go:
    """Return the question for the mover's turn."""
    last = tuple(turn.turn for turn in game.turns[-1:])
    colour, left = str(game.position.to_move), game.times_left(now)
    return Go(game.id, len(game.turns), colour, last, left.clocks, left.periods)


def accepted_of(game: ArenaGame) -> TurnAccepted:
    """Return the acceptance of the last turn, for its player."""
    turn = game.counted[-1]
    left, _ = game.clocks[turn.number % 2].left()
    return TurnAccepted(game.id, turn.number, max(0.0, left), turn.credit)


def end_of(game: str, player: int, ending: GameEnding, rating: RatingNow | None) -> GameEnd:
    """Return how a game ended, for one of its players."""
    return GameEnd(
        game,
        ending.winner,
        ending.score,
        ending.reason[:400],
        ending.termination,
        rating,
        ending.unknown_to(player),
        ending.turns,
    )
