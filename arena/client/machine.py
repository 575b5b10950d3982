"""The engine's side as a state machine: messages and the engine's answers in, effects out.

It knows no sockets, no processes and no time. A connection begins with `connected` and ends with
`broken`; the engine answers with `found_out`, `is_set`, `answered` and `failed`; the owner calls
`rest` and `resign`. A game outlives its connections: the engine is not asked anything twice, and a
turn is kept until the arena has accepted it.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from oddly.arena.client.events import (
    ClockTold,
    Effect,
    EngineFailed,
    FindOut,
    Forget,
    GameBegun,
    GameOver,
    Joined,
    LeaveArena,
    Noted,
    Redial,
    SeatedGame,
    SendMessage,
    SetGameUp,
    Tell,
    TellEnd,
    Think,
    TurnTaken,
)
from oddly.arena.client.identity import Identity, NotWelcomeError, PlayablePools
from oddly.arena.wire.members import WireError
from oddly.arena.wire.messages import (
    RESIGN,
    EndHeard,
    GameEnd,
    GameSet,
    GameStart,
    Go,
    Hello,
    JoinRefused,
    NoMoreGames,
    Note,
    Ping,
    Pong,
    PoolOffer,
    ReadyForGame,
    RestAgreed,
    TurnAccepted,
    TurnSent,
    Welcome,
    WireEvaluation,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.arena.wire.members import Message

    Effects = list[Effect]

MAX_FAILURES = 3
"""Games in a row that the engine may spoil before its owner has to see to it."""
SET_BACK = "the arena was restored and lacks turns of the game; the engine plays them anew"


class Phase(Enum):
    """The state of the present connection."""

    AWAY = "away"
    CONNECTED = "connected"
    """Until `welcome`."""
    REGISTERED = "registered"
    """The arena is about to say what became of an earlier game."""
    READY = "ready"
    PLAYING = "playing"
    DRAINING = "draining"
    """No new game is wanted, and the arena has not agreed yet."""


class ClientMachine:
    """One engine's side of an arena, over any number of connections.

    `program` is what the engine calls itself; after `games` games it leaves.
    """

    def __init__(self, who: Identity, program: str, games: int | None = None) -> None:
        self.who = who
        self.phase = Phase.AWAY
        self.table: SeatedGame | None = None
        """The current game."""
        self.games = 0
        """The number of games that have ended since the client began."""
        self._program = program
        self._max_games = games
        self._playable = PlayablePools()
        self._hello: Hello | None = None
        self._pools: list[str] = []
        self.has_joined = False
        self.wants_rest = self._is_resting = self._resigns = False
        self._is_seated = False
        """Whether the present connection has brought the `start` of the game."""
        self._is_set = False
        self._expected: str | None = None
        """The game whose `start` or `end` the arena has announced."""
        self._asked: int | None = None
        """The number of the turn that the engine is thinking about."""
        self._kept: TurnSent | None = None
        """The turn that the arena has not accepted."""
        self._clocks = [0.0, 0.0]
        self._failures = 0

    # The connection.

    def connected(self) -> None:
        """Begin a connection."""
        self.phase, self._hello = Phase.CONNECTED, None
        self._is_seated = self._is_resting = False

    def broken(self) -> None:
        """Note that the connection is gone."""
        self.phase, self._hello = Phase.AWAY, None
        self._is_seated = False

    @property
    def is_away(self) -> bool:
        """Whether the arena has not welcomed the engine on the present connection."""
        return self.phase in (Phase.AWAY, Phase.CONNECTED)

    def heard(self, message: Message) -> Effects:
        """Return how to react to a message of the arena."""
        try:
            return self._heard(message)
        except NotWelcomeError as error:
            return [LeaveArena(str(error))]
        except WireError as error:
            return [Redial(f"the arena sent an invalid message: {error}")]

    def _heard(self, message: Message) -> Effects:
        match message:
            case Ping(number):
                return [SendMessage(Pong(number))]
            case Hello():
                return self._greeted(message)
            case Welcome():
                return self._welcomed(message)
            case JoinRefused():
                if message.again is None:
                    return [LeaveArena(f"the arena refuses: {message.reason}")]
                return [Redial(message.reason, message.again)]
            case Note(text):
                return [Tell(Noted(text))]
            case RestAgreed():
                self._is_resting = self.wants_rest
                return [] if self.table or self._expected else self._next()
        return self._heard_of_game(message)

    def _heard_of_game(self, message: Message) -> Effects:
        match message:
            case GameStart():
                return self._started(message)
            case Go():
                return self._to_move(message)
            case TurnAccepted():
                return self._accepted(message)
            case GameEnd():
                return self._ended(message)
        return []

    def _greeted(self, hello: Hello) -> Effects:
        self._hello = hello
        if unknown := self._playable.unknown(self.who.wanted(hello)):
            return [FindOut(unknown, bool(self.who.pools))]
        return self._join()

    def found_out(self, reasons: dict[str, str]) -> Effects:
        """Note which rules the engine plays, or why not, and join if it still can."""
        self._playable.learn(reasons)
        try:
            return self._join()
        except NotWelcomeError as error:
            return [LeaveArena(str(error))]

    def _join(self) -> Effects:
        if self._hello is None or self.phase is not Phase.CONNECTED:
            return []
        offers: Sequence[PoolOffer] = self.who.wanted(self._hello)
        self._pools = self._playable.among(offers, named=bool(self.who.pools))
        return [SendMessage(self.who.join(self._hello, self._program, self._pools))]

    def _welcomed(self, welcome: Welcome) -> Effects:
        self.phase = Phase.REGISTERED
        arena = self._hello.arena if self._hello else ""
        joined = Joined(
            arena,
            self.who.name,
            welcome.page,
            welcome.new,
            tuple(self._pools),
            welcome.ratings,
            self.has_joined,
        )
        self.has_joined = True
        effects: Effects = [Tell(joined)]
        if self.table is not None and self.table.id != welcome.game:
            effects += self._forgotten("the arena knows no more of the game; it is over")
        self._expected = welcome.game
        if welcome.game is None:
            return effects + self._next()
        return [*effects, SendMessage(NoMoreGames())] if self.wants_rest else effects

    def _next(self) -> Effects:
        """Return what to do without a game: get another one, or leave."""
        if self._max_games is not None and self.games >= self._max_games:
            self.wants_rest = True
        if not self.wants_rest:
            self.phase = Phase.READY
            return [SendMessage(ReadyForGame())]
        if self._is_resting:
            return [LeaveArena(self._problem())]
        self.phase = Phase.DRAINING
        return [SendMessage(NoMoreGames())]

    def _problem(self) -> str:
        if self._failures < MAX_FAILURES:
            return ""
        return f"the engine failed in {self._failures} games in a row"

    # The game.

    def _started(self, start: GameStart) -> Effects:
        before, table = self.table, SeatedGame.of(start)
        self.phase, self._is_seated, self._expected = Phase.PLAYING, True, None
        self._clocks = [start.clocks[start.side], start.clocks[1 - start.side]]
        begun: Effects = [Tell(_begun(start))]
        if before is not None and table.goes_on_from(before):
            self.table = table
            self._drop_kept_turn_that_is_in(table)
            if self._is_set:
                begun.append(SendMessage(GameSet(start.id)))
            return begun + self._resigned()
        effects, resigns = [], False
        if before is not None:
            is_set_back = before.id == table.id
            resigns = self._resigns and is_set_back
            effects = self._forgotten(SET_BACK if is_set_back else "")
        self.table, self._is_set, self._resigns = table, False, resigns
        return [*effects, *begun, SetGameUp(table), *self._resigned()]

    def is_set(self, game: str) -> Effects:
        """Note that the engine has the game."""
        if self.table is None or self.table.id != game:
            return []
        self._is_set = True
        return [SendMessage(GameSet(game))] if self._is_seated else []

    def _to_move(self, go: Go) -> Effects:
        table = self.table
        if table is None or table.id != go.id or not self._is_seated or go.number < table.number:
            return []
        self.table = table = table.caught_up(go.number, go.last)
        side = table.start.side
        self._clocks = [go.clocks[side], go.clocks[1 - side]]
        if self._kept is not None and self._kept.number == go.number:
            return [SendMessage(self._kept)]
        if self._resigns or self._asked == go.number:
            return self._resigned()
        self._asked, self._kept = go.number, None
        left, opponents = zip(go.clocks, go.periods, strict=True)
        if side == 1:
            left, opponents = opponents, left
        return [self._clock_told(is_ours=True), Think(table, left, opponents)]

    def answered(
        self, game: str, number: int, turn: str, took: float, evaluation: WireEvaluation | None
    ) -> Effects:
        """Note that the engine has chosen a turn."""
        if self.table is None or self.table.id != game or self._asked != number:
            return []
        self._asked = None
        self._kept = TurnSent(game, number, turn, took, evaluation)
        taken = Tell(TurnTaken(game, number, turn, took))
        return [taken, SendMessage(self._kept)] if self._is_seated else [taken]

    def failed(self, game: str, why: str) -> Effects:
        """Note that the engine cannot go on with a game, even after restarts."""
        if self.table is None or self.table.id != game:
            return []
        self._failures += 1
        if self._failures >= MAX_FAILURES:
            self.wants_rest = True
        self._asked = None
        self._resigns = True
        return [Tell(EngineFailed(f"{why}; the game is resigned")), *self._resigned()]

    def _resigned(self) -> Effects:
        """Return the resignation, if owner or engine gave up and the arena can hear it now."""
        if not self._resigns or self.table is None or not self._is_seated:
            return []
        return [SendMessage(TurnSent(self.table.id, self.table.number, RESIGN, 0.0))]

    def _accepted(self, accepted: TurnAccepted) -> Effects:
        kept, table = self._kept, self.table
        if (
            table is None
            or kept is None
            or (accepted.id, accepted.number) != (kept.id, kept.number)
        ):
            return []
        self._kept = None
        self.table = table.after([kept.turn])
        self._clocks[0] = accepted.clock
        return [self._clock_told(is_ours=False)]

    def _drop_kept_turn_that_is_in(self, table: SeatedGame) -> None:
        if self._kept is not None and self._kept.number < table.number:
            self._kept = None
        if self._asked is not None and self._asked < table.number:
            self._asked = None

    def _ended(self, end: GameEnd) -> Effects:
        heard = SendMessage(EndHeard(end.id))
        table, is_expected = self.table, self._expected == end.id
        if is_expected:
            self._expected = None
        if table is None or table.id != end.id:
            return [heard, *(self._next() if is_expected else [])]
        over = GameOver(
            end.id,
            table.start.pool,
            table.start.opponent,
            _points(end, table.start.side),
            end.score,
            end.reason,
            end.rating,
        )
        if not self._resigns:
            self._failures = 0
        self.games += 1
        stop: Effects = [Forget()] if self._asked is not None or not self._is_set else []
        self._clear()
        return [*stop, TellEnd(table, end), Tell(over), heard, *self._next()]

    def _forgotten(self, why: str = "") -> Effects:
        self._clear()
        return [Forget(), *([Tell(Noted(why))] if why else [])]

    def _clear(self) -> None:
        self.table = self._kept = self._asked = None
        self._is_set = self._resigns = False

    def _clock_told(self, *, is_ours: bool) -> Tell:
        table = self.table
        if table is None:
            raise RuntimeError("there is no game")
        ours, theirs = self._clocks
        return Tell(ClockTold(table.id, table.number, ours, theirs, is_ours))

    # The owner.

    def rest(self) -> Effects:
        """Leave when the present game is over, or at once without one."""
        self.wants_rest = True
        if self.is_away:
            return [] if self.table is not None else [LeaveArena()]
        if self.phase is Phase.READY:
            self.phase = Phase.DRAINING
        return [SendMessage(NoMoreGames())]

    def resign(self) -> Effects:
        """Resign the present game and leave; without a game leave at once."""
        self.wants_rest = True
        if self.table is None:
            return [LeaveArena()]
        self._resigns, self._asked, self._kept = True, None, None
        return [Forget(), *self._resigned()]


def _begun(start: GameStart) -> GameBegun:
    return GameBegun(
        start.id,
        start.pool,
        start.opponent,
        start.side,
        start.address,
        start.rated,
        start.resumed,
    )


def _points(end: GameEnd, side: int) -> float | None:
    """Return the engine's points; None for a void game."""
    if end.winner is None:
        return None if end.score == "void" else 0.5
    return float(end.winner == side)
