"""Unrated games of visitors against engines whose owners allow them."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import TYPE_CHECKING

from oddly.arena.game import ArenaGame, GamePlan
from oddly.arena.names import is_visitor, visitor_name
from oddly.arena.sessions import is_here
from oddly.arena.wire.messages import RESIGN, TurnSent
from oddly.protocol import parse_time_control
from oddly.referee import EngineFault
from oddly.referee.justice.legality import rule_on
from oddly.tournaments.results.schedule import scheduled

if TYPE_CHECKING:
    from oddly.arena.arena import Arena

CONTROL = parse_time_control("600+15")
"""The time control of both players: people need more time than engines."""
MAX_VISITORS = 20
"""The maximum number of visitors' games at the same time."""
MAX_OF_ADDRESS = 2
"""The maximum number of games at the same time of visitors from one address."""
UNRATED = 0
"""The round number of a visitor's game."""


class VisitError(ValueError):
    """A visitor may not do this now. The message is one sentence."""


def may_be_challenged(arena: Arena, name: str) -> bool:
    """Return whether an engine is free, and its owner lets visitors play against it."""
    session = arena.sessions.online.get(name)
    return session is not None and session.takes_challenges and name in arena.free()


def challenge(
    arena: Arena,
    name: str,
    pool: str,
    now: float,
    *,
    opens: bool,
    secret: str = "",
    address: str = "",
) -> ArenaGame:
    """Begin a visitor's game against an engine by a pool's rules.

    `opens` says whether the visitor moves first. Anyone who knows the secret holds the seat.
    Raises VisitError.
    """
    address = "" if is_here(address) else arena.hash_of(address)
    if not may_be_challenged(arena, name):
        raise VisitError(f"{name} is not free for a game with a visitor now")
    if pool not in arena.plays_in(name):
        raise VisitError(f"{name} does not play in that pool")
    if arena.is_draining:
        raise VisitError("the arena is about to restart: no new games begin")
    visits = [game for game in arena.play.games.values() if any(map(is_visitor, game.players))]
    if len(visits) >= MAX_VISITORS:
        raise VisitError(f"{MAX_VISITORS} visitors play now: try again later")
    held = sum(game.plan.address == address for game in visits)
    if address and held >= MAX_OF_ADDRESS:
        raise VisitError(f"{held} games from your address are running: end one of them first")
    word = secrets.token_hex(4)
    visitor, program = visitor_name(word), arena.registry.engine(name).program
    first, second = (visitor, name) if opens else (name, visitor)
    rules, seed = arena.pools[pool].facts.game, secrets.randbits(32)
    game = scheduled(1, rules, UNRATED, first, second, seed, f"{pool} {word}")
    programs = ("", program) if opens else (program, "")
    seat = _digest(secret)
    plan = GamePlan(game, pool, CONTROL, programs, rated=False, seat=seat, address=address)
    begun = arena.play.begin_plan(plan, now)
    arena.play.set_up(visitor, begun.id, now)
    return begun


def seat_of_visitor(game: ArenaGame) -> int:
    """Return which player of a game is a visitor. Raises VisitError if neither is."""
    for player, name in enumerate(game.players):
        if is_visitor(name):
            return player
    raise VisitError("no visitor plays this game")


def holds_seat(game: ArenaGame, secret: str) -> bool:
    """Return whether a secret belongs to the visitor in a game."""
    return secrets.compare_digest(game.plan.seat, _digest(secret))


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def play_for_visitor(arena: Arena, game: ArenaGame, text: str, now: float) -> None:
    """Play a visitor's turn, or resign. Raises VisitError if it is not legal or not due."""
    player = seat_of_visitor(game)
    if text != RESIGN:
        if player != game.mover:
            raise VisitError("it is not your turn")
        if game.asked is None:
            raise VisitError("the engine is not ready yet: try again")
        try:
            rule_on(game.position, text)
        except EngineFault as fault:
            raise VisitError(fault.reason) from None
    sent = TurnSent(game.id, len(game.turns), text, 0.0)
    arena.play.answer(game.players[player], sent, now)
