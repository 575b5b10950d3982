"""All games of an arena: how they begin, go on and end, and the messages to their players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.arena.effects import (
    AskedFor,
    Begun,
    Effects,
    Finished,
    Heard,
    NewLeader,
    NewRating,
    SetUp,
    TurnCounted,
)
from oddly.arena.game import SET_WITHIN, Answered, ArenaGame, GameEnding, GamePlan, UnheardEnd
from oddly.arena.names import is_visitor
from oddly.arena.sessions import FIRST_PINGS
from oddly.arena.wire.messages import GameEnd, GameStart, Go, RatingNow, TurnAccepted
from oddly.protocol import TurnEvaluation
from oddly.tournaments.formats.plan import RestingEngines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oddly.arena.pairing import GameToBegin
    from oddly.arena.pool import RatedPool
    from oddly.arena.sessions import Sessions
    from oddly.arena.wire.messages import TurnSent
    from oddly.tournaments.formats.plan import Rest


def start_of(
    game: ArenaGame, player: int, address: str, now: float, *, resumed: bool = False
) -> GameStart:
    """Return everything about a game, for one of its players."""
    plan, left = game.plan, game.times_left(now)
    rules = plan.scheduled.game
    return GameStart(
        id=game.id,
        pool=plan.pool,
        game=rules.name,
        size=rules.size,
        settings=dict(rules.settings),
        time=str(plan.control),
        opponent=game.players[1 - player],
        side=player,
        turns=game.texts(),
        opening=game.opening,
        clocks=left.clocks,
        address=address,
        rated=plan.rated,
        seed=plan.scheduled.seed,
        resumed=resumed,
        periods=left.periods,
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


def end_of(end: UnheardEnd, rating: RatingNow | None) -> GameEnd:
    """Return how a game ended, for one of its players."""
    ending = end.ending
    return GameEnd(
        end.game,
        ending.winner,
        ending.score,
        ending.reason[:400],
        ending.termination,
        rating,
        ending.unknown_to(end.player),
        ending.turns,
    )


HOLD = 10.0
"""The maximum seconds for which a clock waits for its player after the arena was away."""
FAULTS = 3
"""Forfeits in a row after which an engine rests."""


class Play:
    """The running games, by id and by the names of their players."""

    def __init__(
        self,
        effects: Effects,
        sessions: Sessions,
        pools: dict[str, RatedPool],
        address_of: Callable[[str], str],
    ) -> None:
        self.games: dict[str, ArenaGame] = {}
        self.playing: dict[str, ArenaGame] = {}
        """The running game of each engine that has one."""
        self.leaders: dict[str, str] = {}
        """Who led each pool at the last check."""
        self.resting = RestingEngines(FAULTS)
        self._effects = effects
        self._sessions = sessions
        self._pools = pools
        self._address_of = address_of
        self._unheard: dict[str, dict[str, UnheardEnd]] = {}
        """By name and game."""
        self._returning: dict[tuple[str, int], float] = {}
        """Until when the clock of a game's player stands still, after the arena was away."""
        self._late: set[str] = set()
        """The engines that did not set up their last game in time."""
        self._rests: list[tuple[float, Rest]] = []

    def restore(
        self, games: Iterable[ArenaGame], unheard: Iterable[UnheardEnd], now: float
    ) -> None:
        """Go on with the games that ran when the arena's clock stopped, at `now`.

        Games are void if their pools are gone, or if a player is in a newer game.
        """
        for end in unheard:
            self._unheard.setdefault(end.name, {})[end.game] = end
        found = [*games]
        for game in found:
            if game.plan.pool not in self._pools:
                game.void(f"the arena no longer has the pool {game.plan.pool!r}")
        newest = {name: game for game in found if game.outcome is None for name in game.players}
        for game in found:
            for name in game.players:
                if newest.get(name, game) is not game:
                    game.void(f"{name} is in another game")
        # Those that are over come first: their players may be in other games.
        for game in sorted(found, key=lambda game: game.outcome is None):
            self._resume(game, now)

    def _resume(self, game: ArenaGame, now: float) -> None:
        game.waits_since = now
        self._enter(game)
        if game.outcome is not None:
            # The crash came between the last turn and the end, or the game is void.
            self._finish(game, now)
            return
        self._returning |= {(game.id, player): now + HOLD for player in (0, 1)}
        self._hold(game, now)
        if game.must_ask and is_visitor(game.players[game.mover]):
            # An engine is asked when it comes back; a visitor has no connection.
            self._ask(game, now)

    def begin(self, paired: GameToBegin, programs: tuple[str, str], now: float) -> ArenaGame:
        """Begin a rated game of two free engines."""
        pool, scheduled = paired.pool, paired.scheduled
        plan = GamePlan(
            scheduled,
            pool.name,
            pool.facts.control,
            programs,
            is_second=paired.is_second,
            opening_turns=pool.facts.opening_turns,
        )
        if not paired.is_second:
            pool.met[frozenset((scheduled.first, scheduled.second))] = scheduled.round
        return self.begin_plan(plan, now)

    def begin_plan(self, plan: GamePlan, now: float) -> ArenaGame:
        """Begin a planned game."""
        game = ArenaGame(plan, now)
        self._enter(game)
        self._effects.write(Begun(plan, now))
        for player, name in enumerate(game.players):
            session = self._sessions.online.get(name)
            if session is not None:
                session.is_ready = False
            self._seat(game, player, now)
        return game

    def _seat(self, game: ArenaGame, player: int, now: float, *, resumed: bool = False) -> None:
        """Ping a player's side, and send it everything about its game."""
        name, address = game.players[player], self._address_of(game.id)
        self._sessions.ping(name, now, FIRST_PINGS)
        self._sessions.tell(name, start_of(game, player, address, now, resumed=resumed))

    def game_of(self, name: str) -> str | None:
        """Return the game that an engine plays, or whose end its side has not heard."""
        game = self.playing.get(name)
        return game.id if game is not None else next(iter(self._unheard.get(name, {})), None)

    def rename(self, old: str, new: str) -> None:
        """Give an engine that is in no game another name, which no other engine has had."""
        self.resting.rename(old, new)
        self.leaders = {pool: new if name == old else name for pool, name in self.leaders.items()}
        if old in self._unheard:
            ends = self._unheard.pop(old)
            self._unheard[new] = {game: end._replace(name=new) for game, end in ends.items()}
        if old in self._late:
            self._late = self._late - {old} | {new}

    def go_on(self, name: str, now: float) -> None:
        """Send a player that has come back its whole game, and what it missed."""
        for end in self._unheard.get(name, {}).values():
            rating = self._pools[end.pool].rating(name) if end.pool in self._pools else None
            self._sessions.tell(name, end_of(end, rating))
        game = self.playing.get(name)
        if game is None:
            return
        player = game.players.index(name)
        self._seat(game, player, now, resumed=True)
        if game.is_running and game.mover == player:
            self._ask(game, now)

    def set_up(self, name: str, identity: str, now: float) -> None:
        """Note that an engine has set its game up."""
        game = self.games.get(identity)
        if game is None or name not in game.players:
            return
        player = game.players.index(name)
        if game.set_by(player):
            self._late.discard(name)
            self._effects.write(SetUp(game.id, player))
            if game.must_ask:
                self._ask(game, now)

    def answer(self, name: str, sent: TurnSent, now: float) -> None:
        """Judge a turn of an engine. A turn of another game is ignored."""
        game = self.games.get(sent.id)
        if game is None or name not in game.players:
            return
        player, before = game.players.index(name), len(game.counted)
        if player == game.mover:
            self._release(game, now)
        self._returning.pop((game.id, player), None)
        answered = game.answer(
            player,
            sent.number,
            sent.turn,
            sent.took,
            now,
            self._sessions.justified(name),
            _evaluation(sent),
        )
        if len(game.counted) > before:
            self._effects.write(TurnCounted(game.id, game.counted[-1], game.plan.pool))
            self._sessions.tell(name, accepted_of(game))
        if answered is Answered.ACCEPTED:
            self._ask(game, now)
        elif answered is Answered.OVER:
            self._finish(game, now)

    def asked(self, identity: str, now: float) -> None:
        """Start the clock of a game's mover: its socket has the question, or it is away.

        A mover that has not come back since the arena was away gets some time for that.
        """
        game = self.games.get(identity)
        if game is None or not game.is_running:
            return
        if game.players[game.mover] in self._sessions.online:
            self._returning.pop((identity, game.mover), None)
        is_new = game.must_ask
        game.ask(now)
        if (identity, game.mover) in self._returning:
            self._hold(game, now)
        elif is_new:
            self._effects.write(AskedFor(game.id, len(game.turns), now))
        else:
            self._release(game, now)

    def heard(self, name: str, identity: str) -> None:
        """Note that an engine's side knows how a game ended."""
        found = self._unheard.get(name, {}).pop(identity, None)
        if found is not None:
            self._effects.write(Heard(identity, found.player))

    def void(self, identity: str, reason: str, now: float) -> None:
        """End a running game without a result. Raises KeyError."""
        game = self.games[identity]
        game.void(reason)
        self._finish(game, now)

    def rate(self, pool: RatedPool, players: tuple[str, str]) -> None:
        """Record the ratings of players after a game of theirs began or ceased to count."""
        for name in players:
            self._effects.write(NewRating(pool.name, name, pool.rating(name)))
        leader = pool.leader()
        if leader and leader != self.leaders.get(pool.name):
            self.leaders[pool.name] = leader
            self._effects.write(NewLeader(pool.name, leader, pool.rating(leader).elo))

    def look(self, now: float) -> None:
        """Rule on the time of all games, and end rests that are over."""
        for game in [*self.games.values()]:
            self._look(game, now)
        self._rests += [(now + rest.seconds, rest) for rest in self.resting.begun()]
        for until, rest in [each for each in self._rests if now >= each[0]]:
            self.resting.wake(rest)
            self._rests.remove((until, rest))

    def _look(self, game: ArenaGame, now: float) -> None:
        if now >= self._returning.get((game.id, game.mover), now + 1):
            del self._returning[game.id, game.mover]
            self._release(game, now)
            if game.must_ask:
                # The question was not on disk, and the mover may never come back for it.
                self._ask(game, now)
        if all(game.is_set):
            if game.look(now, self._sessions.justified(game.players[game.mover])):
                self._finish(game, now)
        elif now >= game.waits_since + SET_WITHIN:
            missing = {game.players[player] for player in (0, 1) if not game.is_set[player]}
            game.not_set(missing - self._late)
            self._late |= missing
            for name in missing:
                self.resting.missing(name)
            self._finish(game, now)

    def _enter(self, game: ArenaGame) -> None:
        self.games[game.id] = game
        for name in game.players:
            self.playing[name] = game
        if (pool := self._rated_in(game)) is not None:
            pool.began(*game.players)

    def _rated_in(self, game: ArenaGame) -> RatedPool | None:
        """Return the pool for which a game is rated; None if it is unrated or its pool is gone."""
        return self._pools.get(game.plan.pool) if game.plan.rated else None

    def _hold(self, game: ArenaGame, now: float) -> None:
        """Stop a clock, also over the arena's next restart."""
        game.hold(now)
        self._note_clock(game)

    def _release(self, game: ArenaGame, now: float) -> None:
        if game.held is not None:
            game.release(now)
            self._note_clock(game)

    def _note_clock(self, game: ArenaGame) -> None:
        if game.asked is not None:
            self._effects.write(AskedFor(game.id, len(game.turns), game.asked, game.held))

    def _ask(self, game: ArenaGame, now: float) -> None:
        """Ask the mover, or start its clock if it is away."""
        self._effects.batch.asks.append(game.id)
        self._sessions.tell(game.players[game.mover], go_of(game, now))

    def _finish(self, game: ArenaGame, now: float) -> None:
        """Record a game that is over, and tell its players."""
        record, plan, pool = game.record(), game.plan, self._rated_in(game)
        outcome = record.outcome
        self._effects.write(Finished(game.id, record, plan.pool))
        del self.games[game.id]
        for player in (0, 1):
            self._returning.pop((game.id, player), None)
        if pool is not None:
            pool.ended(*game.players, outcome.winner, counts=not outcome.is_void)
            if not outcome.is_void:
                self.rate(pool, game.players)
                # A game that began before a restart may have an opening of another length.
                if not plan.is_second and plan.opening_turns in (None, pool.facts.opening_turns):
                    second = pool.second_game(plan.scheduled)
                    pool.due[frozenset(game.players)] = second, now
        ending = GameEnding.of(record)
        for player, name in enumerate(game.players):
            del self.playing[name]
            if is_visitor(name):
                self._effects.write(Heard(game.id, player))
                continue
            if plan.rated and not outcome.is_void:
                at_fault = outcome.is_forfeit and outcome.winner == 1 - player
                self.resting.played(name, at_fault=at_fault)
            end = UnheardEnd(game.id, plan.pool if plan.rated else "", player, name, ending)
            self._unheard.setdefault(name, {})[game.id] = end
            if name in self._sessions.online:
                rating = None if pool is None else pool.rating(name)
                self._sessions.tell(name, end_of(end, rating))


def _evaluation(sent: TurnSent) -> TurnEvaluation | None:
    said = sent.evaluation
    if said is None:
        return None
    return TurnEvaluation(said.win_rate, said.depth, said.visits, said.lead)
