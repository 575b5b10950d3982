"""One game on the page, with its players and the browsers that show it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import trio

from games.errors import IllegalTurn
from interfaces.human_play.recording import record_of
from interfaces.web.installed_engines import HUMAN, seat_for
from interfaces.web.views import as_sentence, game_view, progress_view
from protocol.messages import Resign
from referee.fault import EngineFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from games.colour import Colour
    from interfaces.human_play.game_in_progress import GameInProgress
    from interfaces.web.adviser import Adviser
    from interfaces.web.websockets import Outbox
    from referee.player import EngineConfiguration
    from referee.record import GameRecord
    from referee.seat import EngineSeat

MAX_VERTEX_LENGTH = 4


class PageGame:
    """A game between two seats, each a human or an engine. Seat 0 opens."""

    def __init__(
        self,
        name: str,
        current: GameInProgress,
        seats: tuple[str, str],
        configurations: Mapping[str, EngineConfiguration],
        keep: Callable[[str, GameRecord], str],
        adviser: Adviser,
        nursery: trio.Nursery,
    ) -> None:
        self.name = name
        self.current = current
        self.seats = seats
        self.outboxes: set[Outbox] = set()
        self.left_at = trio.current_time()
        """The moment when the last browser left."""
        self._configurations = configurations
        self._keep = keep
        self._adviser = adviser
        self._nursery = nursery
        self._seconds = [0.0] * len(current.turns)
        self._since = trio.current_time()
        self._engines: dict[int, EngineSeat] = {}
        self._fault = ""
        self._notice = ""
        self._hint: dict[str, Any] | None = None
        self._hinting = False
        self._news = trio.Event()
        self._thinking = trio.CancelScope()
        self._kept: set[tuple[str, ...]] = set()
        self._scope = trio.CancelScope()

    async def attend(self) -> None:
        """Play the turns of engines until `close`, then stop every engine."""
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    await self._attend(nursery)
        finally:
            for outbox in self.outboxes:
                outbox.close()

    async def _attend(self, nursery: trio.Nursery) -> None:
        self._engines = {
            seat: seat_for(self._configurations[name], nursery)
            for seat, name in enumerate(self.seats)
            if name != HUMAN
        }
        try:
            while True:
                self._news = trio.Event()
                if self._engine_is_to_move:
                    with trio.CancelScope() as self._thinking:
                        await self._let_think()
                else:
                    await self._news.wait()
        finally:
            for engine in self._engines.values():
                await engine.stop()

    def close(self) -> None:
        """Close the game on this server."""
        self._scope.cancel()

    def join(self, outbox: Outbox) -> None:
        """Send the game to one more browser."""
        self.outboxes.add(outbox)
        outbox.put("game", json.dumps(self.view()))

    def leave(self, outbox: Outbox) -> None:
        """Stop sending the game to a browser."""
        self.outboxes.discard(outbox)
        self.left_at = trio.current_time()

    def hear(self, outbox: Outbox, message: dict[str, Any]) -> None:
        """Do what a browser asks for. Only that browser learns of a refusal."""
        try:
            self._act(message)
        except (IllegalTurn, Refused) as error:
            refusal = {"kind": "refused", "sentence": as_sentence(error)}
            outbox.put("refused", json.dumps(refusal))

    def record(self) -> GameRecord:
        """Return the record of the game so far."""
        one, other = (
            self._engines[seat].engine_text if seat in self._engines else "" for seat in (0, 1)
        )
        return record_of(self.current, self.players, (one, other), self._seconds)

    @property
    def players(self) -> tuple[str, str]:
        """The names of both players, numbered if they are equal."""
        one, other = self.seats
        return (one, other) if one != other else (f"{one} #1", f"{other} #2")

    def view(self) -> dict[str, Any]:
        """Return everything that a browser shows."""
        return {
            "kind": "game",
            "id": self.name,
            "game": game_view(self.current.game),
            "seats": list(self.seats),
            "players": list(self.players),
            "thinking": self._engine_is_to_move,
            "fault": self._fault,
            "notice": self._notice,
            "hint": self._hint,
            "hinting": self._hinting,
            **progress_view(self.current),
        }

    @property
    def _engine_is_to_move(self) -> bool:
        current = self.current
        return not current.is_over and not self._fault and self.seats[current.mover] != HUMAN

    def _act(self, message: dict[str, Any]) -> None:
        """Do what a message asks for. Raises IllegalTurn or Refused."""
        turn = message.get("turn")
        if turn is not None and turn != len(self.current.turns):
            raise Refused("The board has changed meanwhile.")
        match message.get("do"):
            case "undo":
                self._undo()
            case "resign":
                self._resign()
            case "restart":
                if not self._fault:
                    raise Refused("The engine has not failed.")
                self._fault = ""
                self._changed()
            case "hint":
                self._want_hint()
            case "click" | "remove" | "end" | "pass" | "swap" as action:
                if self.seats[self.current.mover] != HUMAN and not self.current.is_over:
                    raise Refused(f"It is the turn of {self.seats[self.current.mover]}.")
                self._set(self._after(action, message.get("vertex")))
            case _:
                raise Refused("The page asked for something that this server does not know.")

    def _after(self, action: str, vertex: object) -> GameInProgress:
        current = self.current
        match action:
            case "end":
                return current.end()
            case "pass":
                return current.pass_turn()
            case "swap":
                return current.swap()
        if not isinstance(vertex, str) or len(vertex) > MAX_VERTEX_LENGTH:
            raise Refused("A click names a vertex, such as c3.")
        return current.click(vertex) if action == "click" else current.remove(vertex)

    def _undo(self) -> None:
        """Take back the last step of a human, and an engine's turn or resignation after it."""
        before, current = self.current, self.current.undo()
        resigned_himself = before.resigned is not None and self._holder(before.resigned) == HUMAN
        if HUMAN in self.seats and not resigned_himself:
            while current.turns and self.seats[current.mover] != HUMAN:
                current = current.undo()
        self._fault = ""
        self._set(current)

    def _holder(self, side: Colour) -> str:
        """Return the player who holds a colour now."""
        mover = self.current.mover
        return self.seats[mover if self.current.to_move is side else 1 - mover]

    def _resign(self) -> None:
        humans = [seat for seat, name in enumerate(self.seats) if name == HUMAN]
        if not humans:
            raise Refused("Nobody here can resign for an engine.")
        seat = self.current.mover if self.current.mover in humans else humans[0]
        side = self.current.to_move if seat == self.current.mover else self.current.to_move.other
        self._set(self.current.resign(side))

    def _set(self, current: GameInProgress) -> None:
        """Go on with `current`: keep the times of its turns, and record a game that has ended."""
        played = len(current.turns) - len(self.current.turns)
        if played == 1:
            self._seconds.append(trio.current_time() - self._since)
        elif played < 0:
            del self._seconds[len(current.turns) :]
        if played:
            self._since = trio.current_time()
        self.current = current
        self._hint = None
        if current.is_over:
            self._keep_game()
        self._changed()

    def _keep_game(self) -> None:
        """Record the finished game, once for each way in which it ends."""
        way = (*map(str, self.current.turns), str(self.current.resigned))
        if way not in self._kept:
            name = f"{self.name[:12]}-{len(self._kept) + 1}"
            self._kept.add(way)
            self._notice = self._keep(name, self.record())

    def _changed(self) -> None:
        self._thinking.cancel()
        self._news.set()
        self._show()

    def _show(self) -> None:
        if self.outboxes:
            text = json.dumps(self.view())
            for outbox in self.outboxes:
                outbox.put("game", text)

    async def _let_think(self) -> None:
        """Play the turn of the engine to move, or show its fault."""
        current = self.current
        engine = self._engines[current.mover]
        try:
            turn, _ = await engine.choose(current.position, current.played)
        except EngineFault as fault:
            said = f" It wrote: {fault.evidence}" if fault.evidence else ""
            self._fault = f"{engine.configuration.name}: {fault.reason}.{said}"
            self._show()
            return
        self._set(current.resign() if isinstance(turn, Resign) else current.play(turn))

    def _want_hint(self) -> None:
        if self.current.is_over:
            raise Refused("The game is over.")
        if self._hinting:
            return
        self._hinting = True
        self._show()
        self._nursery.start_soon(self._fetch_hint)

    async def _fetch_hint(self) -> None:
        current = self.current
        with self._hint_ends():
            hint = await self._adviser.hint(current)
            if self.current is current:
                self._hint = hint

    @contextmanager
    def _hint_ends(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._hinting = False
            self._show()


class Refused(Exception):
    """A browser asks for something that is not possible now. The message is one sentence."""
