"""One game on the page: a table, who sits at it, and the browsers that look on."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import trio

from games.errors import IllegalTurn
from interfaces.web.games_file import record_of
from interfaces.web.installed_engines import HUMAN, seat_for
from interfaces.web.views import game_view, table_view
from protocol.messages import Resign
from referee.fault import EngineFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from games.colour import Colour
    from interfaces.human_play.table import Table
    from interfaces.web.adviser import Adviser
    from interfaces.web.mailbox import Mailbox
    from referee.player import EngineConfiguration
    from referee.record import GameRecord
    from referee.seat import EngineSeat

MAX_VERTEX_LENGTH = 4


class PageGame:
    """A game between two seats, each a human or an engine. Seat 0 opens."""

    def __init__(
        self,
        name: str,
        table: Table,
        seats: tuple[str, str],
        configurations: Mapping[str, EngineConfiguration],
        keep: Callable[[str, GameRecord], str],
        adviser: Adviser,
        nursery: trio.Nursery,
    ) -> None:
        self.name = name
        self.table = table
        self.seats = seats
        self.mailboxes: set[Mailbox] = set()
        self.left_at = trio.current_time()
        """When nobody looked on any more."""
        self._configurations = configurations
        self._keep = keep
        self._adviser = adviser
        self._nursery = nursery
        self._seconds = [0.0] * len(table.turns)
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
        """Have the engines play their turns until `close`; every engine is seen out."""
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    await self._attend(nursery)
        finally:
            for mailbox in self.mailboxes:
                mailbox.close()

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
        """End the game as far as this server is concerned."""
        self._scope.cancel()

    def join(self, mailbox: Mailbox) -> None:
        """Show the game in one more place."""
        self.mailboxes.add(mailbox)
        mailbox.put("table", json.dumps(self.view()))

    def leave(self, mailbox: Mailbox) -> None:
        """That place has gone."""
        self.mailboxes.discard(mailbox)
        self.left_at = trio.current_time()

    def hear(self, mailbox: Mailbox, message: dict[str, Any]) -> None:
        """Do what a browser asks for; a refusal is told to that browser alone."""
        try:
            self._act(message)
        except (IllegalTurn, Refused) as error:
            text = str(error)
            sentence = f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."
            mailbox.put("refused", json.dumps({"kind": "refused", "sentence": sentence}))

    def record(self) -> GameRecord:
        """The game so far."""
        one, other = (
            self._engines[seat].engine_text if seat in self._engines else "" for seat in (0, 1)
        )
        return record_of(self.table, self.players, (one, other), self._seconds)

    @property
    def players(self) -> tuple[str, str]:
        """The names of the two; the same name twice gets numbers."""
        one, other = self.seats
        return (one, other) if one != other else (f"{one} #1", f"{other} #2")

    def view(self) -> dict[str, Any]:
        """Everything a browser shows."""
        return {
            "kind": "table",
            "id": self.name,
            "game": game_view(self.table.game),
            "seats": list(self.seats),
            "players": list(self.players),
            "thinking": self._engine_is_to_move,
            "fault": self._fault,
            "notice": self._notice,
            "hint": self._hint,
            "hinting": self._hinting,
            **table_view(self.table),
        }

    @property
    def _engine_is_to_move(self) -> bool:
        table = self.table
        return not table.is_over and not self._fault and self.seats[table.mover] != HUMAN

    def _act(self, message: dict[str, Any]) -> None:
        """Raises IllegalTurn or Refused."""
        turn = message.get("turn")
        if turn is not None and turn != len(self.table.turns):
            raise Refused("The board has changed meanwhile.")
        match message.get("do"):
            case "undo":
                self._undo()
            case "resign":
                self._resign()
            case "restart":
                if not self._fault:
                    raise Refused("The engine is at the table.")
                self._fault = ""
                self._changed()
            case "hint":
                self._want_hint()
            case "click" | "remove" | "end" | "pass" | "swap" as action:
                if self.seats[self.table.mover] != HUMAN and not self.table.is_over:
                    raise Refused(f"It is the turn of {self.seats[self.table.mover]}.")
                self._set(self._after(action, message.get("vertex")))
            case _:
                raise Refused("The page asked for something that this server does not know.")

    def _after(self, action: str, vertex: object) -> Table:
        table = self.table
        match action:
            case "end":
                return table.end()
            case "pass":
                return table.pass_turn()
            case "swap":
                return table.swap()
        if not isinstance(vertex, str) or len(vertex) > MAX_VERTEX_LENGTH:
            raise Refused("A click names a vertex, such as c3.")
        return table.click(vertex) if action == "click" else table.remove(vertex)

    def _undo(self) -> None:
        """Take back the last step of a human; an engine's turns and resignation go with it."""
        before, table = self.table, self.table.undo()
        resigned_himself = before.resigned is not None and self._holder(before.resigned) == HUMAN
        if HUMAN in self.seats and not resigned_himself:
            while table.turns and self.seats[table.mover] != HUMAN:
                table = table.undo()
        self._fault = ""
        self._set(table)

    def _holder(self, side: Colour) -> str:
        """Who holds that colour now."""
        mover = self.table.mover
        return self.seats[mover if self.table.to_move is side else 1 - mover]

    def _resign(self) -> None:
        humans = [seat for seat, name in enumerate(self.seats) if name == HUMAN]
        if not humans:
            raise Refused("Nobody here can resign for an engine.")
        seat = self.table.mover if self.table.mover in humans else humans[0]
        side = self.table.to_move if seat == self.table.mover else self.table.to_move.other
        self._set(self.table.resign(side))

    def _set(self, table: Table) -> None:
        """Go on with another table: keep the times of its turns, and a game that has ended."""
        played = len(table.turns) - len(self.table.turns)
        if played == 1:
            self._seconds.append(trio.current_time() - self._since)
        elif played < 0:
            del self._seconds[len(table.turns) :]
        if played:
            self._since = trio.current_time()
        self.table = table
        self._hint = None
        if table.is_over:
            self._keep_game()
        self._changed()

    def _keep_game(self) -> None:
        """Each way in which the game ends is kept once."""
        way = (*map(str, self.table.turns), str(self.table.resigned))
        if way not in self._kept:
            name = f"{self.name[:12]}-{len(self._kept) + 1}"
            self._kept.add(way)
            self._notice = self._keep(name, self.record())

    def _changed(self) -> None:
        self._thinking.cancel()
        self._news.set()
        self._show()

    def _show(self) -> None:
        if self.mailboxes:
            text = json.dumps(self.view())
            for mailbox in self.mailboxes:
                mailbox.put("table", text)

    async def _let_think(self) -> None:
        """Play the turn of the engine that is to move, or say what it did wrong."""
        table = self.table
        engine = self._engines[table.mover]
        try:
            turn, _ = await engine.choose(table.position, table.played)
        except EngineFault as fault:
            said = f" It wrote: {fault.evidence}" if fault.evidence else ""
            self._fault = f"{engine.configuration.name}: {fault.reason}.{said}"
            self._show()
            return
        self._set(table.resign() if isinstance(turn, Resign) else table.play(turn))

    def _want_hint(self) -> None:
        if self.table.is_over:
            raise Refused("The game is over.")
        if self._hinting:
            return
        self._hinting = True
        self._show()
        self._nursery.start_soon(self._fetch_hint)

    async def _fetch_hint(self) -> None:
        table = self.table
        with self._hint_ends():
            hint = await self._adviser.hint(table)
            if self.table is table:
                self._hint = hint

    @contextmanager
    def _hint_ends(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._hinting = False
            self._show()


class Refused(Exception):
    """Something that a browser may not ask for now. The message is one sentence."""
