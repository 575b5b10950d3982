"""One game on the page, with its players and the browsers that show it."""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

import trio

from oddly.games import IllegalTurn
from oddly.interfaces.human_play.game_in_progress import ACTIONS, GameInProgress
from oddly.interfaces.human_play.recording import record_of
from oddly.interfaces.web.game_request import GameEngines, GameRequest, Terms
from oddly.interfaces.web.game_store import StoreError
from oddly.interfaces.web.gathering import Gathering, Host, Refused
from oddly.interfaces.web.stored_games import StoredState
from oddly.interfaces.web.views import (
    as_sentence,
    colour_named,
    game_view,
    progress_view,
    summary_view,
)
from oddly.protocol import Resign
from oddly.referee import EngineFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.interfaces.web.seats import Holder
    from oddly.interfaces.web.websockets import Outbox
    from oddly.protocol import TurnEvaluation
    from oddly.referee import EngineConfiguration, GameRecord

MAX_VERTEX_LENGTH = 4
BETWEEN_TRIES = 1.0
"""Seconds until a loss on time that could not be stored is tried again."""


class PageGame(Gathering):
    """A game between two seats, each a human or an engine. Seat 0 opens."""

    def __init__(
        self,
        name: str,
        request: GameRequest,
        holders: Iterable[Holder],
        current: GameInProgress,
        configurations: Mapping[str, EngineConfiguration],
        host: Host,
        state: StoredState,
    ) -> None:
        super().__init__(name, request, holders, current, host, state.rematch)
        self._seconds = state.times() or [0.0] * len(current.turns)
        self._evaluations = state.evaluations() or [None] * len(current.turns)
        # An engine begins its turn anew, and older versions did not store the moment.
        began = None if self._is_engine(current.mover) else state.began
        self._since = host.now() if began is None else min(began, host.now())
        self._engines = GameEngines(
            {n: configurations[name] for n, name in enumerate(self.seats) if name in configurations}
        )
        self.fault = ""
        """What the engine to move did wrong; empty if it has not failed."""
        self._notice = ""
        self._engine_seconds = request.seconds
        self._offer = state.draw_offer
        self._news = trio.Event()
        self._thinking = trio.CancelScope()
        self._scope = trio.CancelScope()

    async def attend(self) -> None:
        """Play the turns of engines until `close`, then stop every engine."""
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    await self._attend(nursery)
        finally:
            self._close_outboxes()

    async def _attend(self, nursery: trio.Nursery) -> None:
        self._engines.begin(nursery, self.current)
        try:
            while True:
                self._news = trio.Event()
                if self._engine_is_to_move:
                    with trio.CancelScope() as self._thinking:
                        await self._let_think()
                    continue
                if not self.is_played:
                    await self._engines.rest()
                await self._await_people()
        finally:
            await self._engines.stop()

    @property
    def holds_table(self) -> bool:
        """Whether it is being played, or its engines still run."""
        return self.is_played or self._engines.are_running

    @property
    def is_played(self) -> bool:
        """Whether it goes on: in an exhibition nobody can restart an engine that has failed."""
        return not self.current.is_over and not (self.fault and self._is_exhibition)

    async def _await_people(self) -> None:
        """Wait for news, or for the end of the mover's time."""
        left = self._time_left()
        with trio.move_on_after(math.inf if left is None else max(0.0, left)):
            await self._news.wait()
            return
        try:
            self._end_if_late()
        except StoreError as error:
            self._notice = str(error)
            self._show()
            with trio.move_on_after(BETWEEN_TRIES):
                await self._news.wait()

    def _end_if_late(self) -> None:
        """Let the mover lose if no time is left. Raises StoreError."""
        left = self._time_left()
        if left is not None and left <= 0:
            self._set(self.current.resign(on_time=True))

    def _time_left(self) -> float | None:
        """Return the seconds that the mover has; None if no clock runs, as for an engine."""
        clock, current = self.terms.clock, self.current
        rests = not current.turns or current.is_over or self._mover_is_missing
        if clock is None or rests or self._is_engine(current.mover):
            return None
        spent = self._host.now() - self._since
        return clock.left(current.mover, self._seconds) - spent

    @property
    def _began(self) -> float:
        """When the turn to come began: not before its player has come."""
        return self._host.now() if self._mover_is_missing else self._since

    def seat(self, holders: Iterable[Holder], terms: Terms, seat: int) -> None:
        """Go on with new holders of the seats, after a taken seat was stored."""
        self._since = self._began
        super().seat(holders, terms, seat)
        self._news.set()

    def clocks(self) -> list[float | None]:
        """Return the seconds that each person has left; None for engines, and without a clock.

        In an exhibition, these are the seconds that each engine has for its turn.
        """
        if self._is_exhibition:
            limits: list[float | None] = [float(self._engine_seconds)] * 2
            if self._engine_is_to_move:
                spent = self._host.now() - self._since
                limits[self.current.mover] = round(max(0.0, self._engine_seconds - spent), 1)
            return limits
        clock = self.terms.clock
        if clock is None:
            return [None, None]
        left = [clock.left(seat, self._seconds) for seat in (0, 1)]
        now = 0.0 if self.current.on_time else self._time_left()
        if now is not None:
            left[self.current.mover] = now
        return [None if self._is_engine(seat) else round(left[seat], 1) for seat in (0, 1)]

    @property
    def _ticking(self) -> int | None:
        """The seat whose clock runs; None for none."""
        runs = self._engine_is_to_move if self._is_exhibition else self._time_left() is not None
        return self.current.mover if runs else None

    def close(self) -> None:
        """Close the game on this server. Browsers reconnect, to the stored game."""
        self._scope.cancel()
        self._close_outboxes()

    def _close_outboxes(self) -> None:
        for outbox in self.outboxes:
            outbox.close()

    def hear(self, outbox: Outbox, message: dict[str, Any]) -> None:
        """Do what a browser asks for. Only that browser learns of a refusal."""
        if self._scope.cancel_called:
            # The game, fetched from the store, may go on while its engines stop here.
            return
        try:
            self._end_if_late()
            self._act(message, self.seating.of(self.outboxes[outbox]))
        except (IllegalTurn, Refused, StoreError) as error:
            refusal = {"kind": "refused", "sentence": as_sentence(error)}
            outbox.put("refused", json.dumps(refusal))

    def record(self) -> GameRecord:
        """Return the record of the game so far."""
        one, other = (self._engines.text(seat) for seat in (0, 1))
        return record_of(
            self.current, self.players, (one, other), self._seconds, evaluations=self._evaluations
        )

    def state(self, terms: Terms | None = None) -> tuple[str, dict[str, Any]]:
        """Return the state to store, as JSON, and what a list shows; under other terms if given."""
        return self._state_of(self.current, self._seconds, self._evaluations, self._offer, terms)

    def view(self, holder: Holder) -> dict[str, Any]:
        """Return everything that a browser with these rights shows.

        The half-done turn of another player is not shown.
        """
        plays = self.current.mover in holder.seats
        shown = self.current if plays else self.current.with_turn_begun((), None)
        progress = progress_view(shown)
        can = {
            **progress["can"],
            **{action: progress["can"][action] and plays for action in ("end", "pass", "swap")},
            "undo": progress["can"]["undo"] and self._may_undo(holder.seats),
            "resign": progress["can"]["resign"] and bool(holder.seats),
            "draw": self._may_draw and bool(holder.seats),
            "name": bool(holder.seats) and not self.current.is_over,
            "rematch": bool(holder.seats) and self.current.is_over,
        }
        return {
            "kind": "game",
            "id": self.name,
            "game": game_view(self.current.game),
            **self.seating.view(holder),
            "players": list(self.players),
            "may_move": plays and not self.current.is_over,
            "rematch": self._rematch,
            "thinking": self._engine_is_to_move,
            "terms": {"seconds": self._engine_seconds, **self.terms.model_dump(mode="json")},
            "clocks": self.clocks(),
            "ticking": self._ticking,
            "draw_offer": self._offer,
            "fault": self.fault,
            "notice": self._notice,
            **progress,
            "can": can,
        }

    @property
    def _engine_is_to_move(self) -> bool:
        return self.is_played and not self.fault and self._is_engine(self.current.mover)

    def _act(self, message: dict[str, Any], holder: Holder) -> None:
        """Do what a holder of seats asks for. Raises IllegalTurn, Refused, StoreError."""
        seats = holder.seats
        self._check_up_to_date(message, holder)
        if self._ask(message, holder):
            return
        match message.get("do"):
            case "undo":
                self._undo(seats)
            case "resign":
                self._resign(seats)
            case "draw":
                self._draw(seats)
            case "restart":
                if not self.fault:
                    raise Refused("The engine has not failed.")
                self.fault, self._since = "", self._host.now()
                self._changed()
            case "click" | "remove" | "end" | "pass" | "swap" as action:
                if self.current.mover not in seats and not self.current.is_over:
                    raise Refused(f"It is the turn of {self.players[self.current.mover]}.")
                self._set(self._after(action, message))
            case _:
                raise Refused("The page asked for something that this server does not know.")

    def _check_up_to_date(self, message: dict[str, Any], holder: Holder) -> None:
        """Raise Refused if a message comes from a spectator, or from before the last turn."""
        hands_out = message.get("do") == "invite" and holder.is_owner
        if not holder.seats and not hands_out:
            raise Refused("You are looking on: this browser has no seat in the game.")
        turn = message.get("turn")
        if turn is not None and turn != len(self.current.turns):
            raise Refused("The board has changed meanwhile.")

    def _after(self, action: str, message: dict[str, Any]) -> GameInProgress:
        vertex = message.get("vertex")
        is_vertex = isinstance(vertex, str) and len(vertex) <= MAX_VERTEX_LENGTH
        if action in ("click", "remove") and not is_vertex:
            raise Refused("A click names a vertex, such as c3.")
        return ACTIONS[action](self.current, str(vertex), colour_named(message.get("colour")))

    def _may_undo(self, seats: tuple[int, ...]) -> bool:
        """Return whether the holder of these seats may undo: nobody takes back another's turn."""
        if self.current.partial.is_begun:
            return self.current.mover in seats
        return bool(seats) and all(self._is_engine(seat) or seat in seats for seat in (0, 1))

    def _undo(self, seats: tuple[int, ...]) -> None:
        """Take back the last step of a human, and an engine's turn or resignation after it."""
        if not self._may_undo(seats):
            raise Refused("A turn that the other player has seen cannot be taken back.")
        before, current = self.current, self.current.undo()
        resigned_himself = before.resigned is not None and not self._is_engine(
            self._holder(before.resigned)
        )
        if not resigned_himself:
            while current.turns and self._is_engine(current.mover):
                current = current.undo()
        self._set(current)

    def _resign(self, seats: tuple[int, ...]) -> None:
        seat = self.current.mover if self.current.mover in seats else seats[0]
        side = self.current.to_move if seat == self.current.mover else self.current.to_move.other
        self._set(self.current.resign(side))

    @property
    def _may_draw(self) -> bool:
        """Whether two people play a game that knows draws."""
        are_people = not any(self._is_engine(seat) for seat in (0, 1))
        return are_people and self.current.game.can_repeat and not self.current.is_over

    def _draw(self, seats: tuple[int, ...]) -> None:
        """Offer a draw, or accept the other player's."""
        if not self._may_draw:
            raise Refused("Only two people can agree on a draw, in a game that knows draws.")
        if len(seats) == 2 or self._offer not in (None, *seats):
            self._set(self.current.agree_on_a_draw())
        else:
            state = self._state_of(self.current, self._seconds, self._evaluations, seats[0])
            self._host.change(self.name, *state)
            self._offer = seats[0]
            self._show()

    def _state_of(
        self,
        current: GameInProgress,
        seconds: Sequence[float],
        evaluations: Sequence[TurnEvaluation | None],
        offer: int | None,
        terms: Terms | None = None,
        since: float | None = None,
    ) -> tuple[str, dict[str, Any]]:
        terms = terms or self.terms
        known = evaluations if any(evaluations) else ()
        began = self._began if since is None else since
        state = StoredState.of(current, seconds, terms.names, self._rematch, known, offer, began)
        return state.model_dump_json(), summary_view(current, terms.players(self.seats), self.seats)

    def _set(self, current: GameInProgress, expected: TurnEvaluation | None = None) -> None:
        """Go on with `current`, once it is stored, and record a game that has ended.

        `expected` is the player's evaluation of a new turn. Raises StoreError or Refused, and then
        changes nothing.
        """
        if self.current.is_over and not current.is_over:
            self._host.resume(self)
        now, played = self._host.now(), len(current.turns) - len(self.current.turns)
        seconds = self._seconds[: len(current.turns)]
        evaluations = self._evaluations[: len(current.turns)]
        if played == 1:
            seconds.append(now - self._since)
            evaluations.append(expected)
        is_new = bool(played) or self.current.is_over
        offer = None if is_new else self._offer
        since = now if is_new else self._since
        state = self._state_of(current, seconds, evaluations, offer, since=since)
        self._host.change(self.name, *state)
        self._seconds, self._evaluations, self._offer = seconds, evaluations, offer
        self._since = since
        self.current, self.fault = current, ""
        self._notice = self._keep_game() if current.is_over else ""
        self._changed()

    def _keep_game(self) -> str:
        """Record the finished game, once for each way it ends. Returns a notice, or nothing."""
        current = self.current
        ending = (current.resigned, current.on_time, current.agreed, *self.players)
        way = repr([str(each) for each in (*current.turns, *ending)])
        digest = hashlib.sha256(way.encode()).hexdigest()
        return self._host.keep(f"{self.name[:12]}-{digest[:8]}", self.record())

    def _changed(self) -> None:
        self._thinking.cancel()
        self._news.set()
        self._show()

    async def _let_think(self) -> None:
        """Play the turn of the engine to move, or show its fault."""
        current = self.current
        try:
            turn, expected = await self._engines.choose(current)
            # An engine's opponent is not told what it thinks of its turn.
            expected = expected if self._is_exhibition else None
            after = current.resign() if isinstance(turn, Resign) else current.play(turn)
            self._set(after, expected)
        except EngineFault as fault:
            said = f" It wrote: {fault.evidence}" if fault.evidence else ""
            self.fault = f"{self.seats[current.mover]}: {fault.reason}.{said}"
            self._show()
        except StoreError as error:
            self.fault = str(error)
            self._show()
