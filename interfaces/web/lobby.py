"""The games on the page: opened, found by their addresses, and put away when nobody watches."""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import trio
from pydantic import ValidationError

from oddly.game_records import KeptGame
from oddly.games import GameError, IllegalTurn, read_game
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.human_play.recording import record_of
from oddly.interfaces.web.bounds import Allowances
from oddly.interfaces.web.game_request import (
    GAME_NAMES,
    HUMAN,
    PEOPLE,
    GameRequest,
    GameRequestError,
    InstalledEngine,
    Terms,
    too_many_openings,
    what_is_wrong,
)
from oddly.interfaces.web.game_store import GameStore, StoredGame, StoreError
from oddly.interfaces.web.gathering import Gathering, Refused
from oddly.interfaces.web.page_game import PageGame
from oddly.interfaces.web.seats import (
    Holder,
    hashed,
    in_rematch,
    new_game_id,
    new_invitation,
    new_secret,
    open_seats,
)
from oddly.interfaces.web.stored_games import GamesFile, StoredState
from oddly.interfaces.web.tables import Tables
from oddly.interfaces.web.views import as_sentence
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.interfaces.web.bounds import Bounds
    from oddly.referee import EngineConfiguration, GameRecord

BETWEEN_LOOKS = 30.0
"""Seconds between two searches for abandoned games."""


class Place(NamedTuple):
    """A game that an address names, and the hash of the secret by which a browser plays in it."""

    game: PageGame
    secret: str
    """Empty for a spectator."""


class Lobby:
    """The games that are open, by their ids. All others are in the store.

    An address has the public id of a game, or a key, which opens its game by itself: the links of
    older versions are keys, and a program that opens a game gets one.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        opponents: Mapping[str, InstalledEngine],
        bounds: Bounds,
        file: GamesFile,
        store: GameStore,
    ) -> None:
        self.games: dict[str, PageGame] = {}
        self.opponents = opponents
        self._nursery = nursery
        self._bounds = bounds
        self._file = file
        self.store = store
        self._ahead = store.served() - trio.current_time()
        self._tables = Tables(self.games, bounds.games)
        self._fetches = Allowances(bounds.fetches, bounds.fetch_burst)
        self.openings = Allowances(bounds.openings, bounds.opening_burst)
        """How many games each address may open."""

    def open(
        self, body: bytes, secret: str, address: str = "", *, is_key: bool = False
    ) -> PageGame:
        """Open and return the game that a request describes in JSON.

        The browser with the secret owns it, and plays all seats of humans except those of friends.
        The game takes a table of the visitor's `address`. Raises GameRequestError.
        """
        try:
            request = GameRequest.model_validate_json(body)
        except ValidationError as error:
            raise GameRequestError(what_is_wrong(error), 400) from None
        for seat, name in enumerate(request.terms.names):
            if request.seats[seat] in PEOPLE:
                self._check_name(name)
        name = new_game_id()
        own = tuple(seat for seat in (0, 1) if request.seats[seat] == HUMAN)
        holder = Holder(hashed(secret), name, own, True, is_key)
        return self._open(name, request, (holder,), address)

    def count_opening(self, address: str, number: int = 1) -> None:
        """Count games that an address opens. Raises GameRequestError for too many."""
        now = trio.current_time()
        if not self.openings.spend(address, now, number):
            wait = self.openings.wait(address, now, number)
            raise GameRequestError(too_many_openings(wait), 429, wait=wait)

    def _open(
        self, name: str, request: GameRequest, holders: Iterable[Holder], address: str
    ) -> PageGame:
        """Open a game for these holders, with invitations to all other seats of humans.

        Raises GameRequestError.
        """
        current = self._game_in_progress(request)
        configurations = self._configurations(request)
        if not current.is_over:
            self._tables.make_room(address)
        holders = tuple(holders)
        game = PageGame(name, request, holders, current, configurations, self, StoredState())
        state, summary = game.state()
        secrets = {seat: new_secret() for seat in open_seats(request.seats, holders)}
        invitations = [new_invitation(secret, name, seat) for seat, secret in secrets.items()]
        stored = StoredGame(name, request.without_turns(), state, holders)
        try:
            self.store.add(stored, summary, invitations)
        except StoreError as error:
            raise GameRequestError(str(error), 507) from None
        game.seating.invitations = secrets
        return self._begin(game, address)

    def find(self, name: str, secrets: Iterable[str] = (), address: str = "") -> Place | None:
        """Return the game that an address names; None if there is none.

        `secrets` are the browser's. A game that was put away is fetched, to a table of the
        visitor's `address`. Raises GameRequestError if there is no room for it.
        """
        found = self._stored(name)
        if found is None:
            return None
        key, stored = found
        game = self.games.get(stored.id) or self._fetch(stored, address)
        known = {holder.secret for holder in game.seating.holders if not holder.is_key}
        given = [key, *(each for each in map(hashed, secrets) if each in known)]
        return Place(game, next(filter(None, given), ""))

    def _fetch(self, stored: StoredGame, address: str) -> PageGame:
        self._count_fetch(address)
        request, state, current = self._read(stored)
        if not current.is_over:
            self._tables.make_room(address)
        # The server may have other engines than when the game was opened.
        engines = self._known(request)
        game = PageGame(stored.id, request, stored.holders, current, engines, self, state)
        return self._begin(game, address)

    def _count_fetch(self, address: str) -> None:
        """Count a game that is read from the store. Raises GameRequestError for too many."""
        if not self._fetches.spend(address, trio.current_time()):
            raise GameRequestError("Many games were fetched from your address. Wait a moment.", 503)

    def kept(self, name: str, address: str = "") -> KeptGame | None:
        """Return the game that an address names, so far; None if there is none.

        Raises GameRequestError if it cannot be read, or too many were read for `address`.
        """
        found = self._stored(name)
        if found is None:
            return None
        _, stored = found
        if stored.id in self.games:
            return KeptGame(self.games[stored.id].record())
        self._count_fetch(address)
        request, state, current = self._read(stored)
        times, players = state.times(), request.terms.players(request.seats)
        thought = state.evaluations()
        return KeptGame(record_of(current, players, ("", ""), times, evaluations=thought))

    def has(self, name: str) -> bool:
        """Return whether an address names a game."""
        try:
            return self.store.has(name) or self.store.key(hashed(name)) is not None
        except StoreError:
            return False

    def knows(self, secret: str) -> bool:
        """Return whether a browser with this secret holds a seat in any game."""
        try:
            return self.store.knows(hashed(secret))
        except StoreError:
            return False

    def listed(self, body: bytes, secrets: Sequence[str] = ()) -> list[dict[str, object]]:
        """Return what a list shows of the games whose ids or keys are in a JSON array.

        The last changed comes first. Raises GameRequestError.
        """
        try:
            asked = GAME_NAMES.validate_json(body)
            found = [view for name in asked if (view := self._listed(name, secrets)) is not None]
        except ValidationError:
            raise GameRequestError("A list of games is expected.", 400) from None
        except StoreError as error:
            raise GameRequestError(str(error), 503) from None
        return sorted(found, key=lambda view: str(view["changed"]), reverse=True)

    def _listed(self, name: str, secrets: Iterable[str]) -> dict[str, object] | None:
        key = self.store.key(hashed(name))
        identity = name if key is None else key.game
        summary = self.store.summary(identity)
        if summary is None:
            return None
        known = {hashed(each) for each in secrets} if key is None else {key.secret}
        holders = self.store.holders(identity)
        mine = [each for each in holders if each.secret in known]
        own = {seat for each in mine for seat in each.seats}
        is_owner = any(each.is_owner for each in mine)
        return {**summary, "id": name, "seats": sorted(own), "owner": is_owner}

    def now(self) -> float:
        """Return the time by which the clocks of people run: it stands still without a server.

        It is the seconds for which servers have had the store open; the date does not matter.
        """
        return trio.current_time() + self._ahead

    def _keep_time(self) -> None:
        """Write the seconds so far; if that fails, the next time may succeed."""
        with suppress(StoreError):
            self.store.keep_served(self.now())

    def change(self, identity: str, state: str, summary: Mapping[str, Any]) -> None:
        """Write the state of a game. Raises StoreError."""
        self.store.change(identity, state, summary)

    def keep(self, name: str, record: GameRecord) -> str:
        """Record a finished game. Returns a notice for the players, or nothing."""
        self._file.keep(name, record)
        return self._file.failure

    def resume(self, game: Gathering) -> None:
        """Give a table to a game that was over and goes on. Raises Refused if there is none."""
        if not game.holds_table:
            try:
                self._tables.make_room(self._tables.address_of(game.name))
            except GameRequestError as error:
                raise Refused(str(error)) from None

    def invite(self, game: Gathering, seat: int) -> None:
        """Make a new invitation to a seat; it ends an older one. Raises StoreError."""
        secret = new_secret()
        self.store.invite(new_invitation(secret, game.name, seat))
        game.seating.invitations[seat] = secret

    def rematch(self, game: Gathering, *, exchanged: bool) -> str:
        """Open a rematch for the same browsers. Raises Refused or StoreError."""
        stored = self.store.game(game.name)
        if stored is None:
            raise Refused("This game is no longer on the server.")
        # Guests may ask too, so it counts for the address that opened the game before.
        address, now = self._tables.address_of(game.name), trio.current_time()
        if wait := self.openings.wait(address, now):
            raise Refused(too_many_openings(wait))
        try:
            asked = GameRequest.model_validate_json(stored.request)
            request = asked.rematch(game.terms.names, exchanged=exchanged)
            name = new_game_id()
            holders = in_rematch(game.seating.holders, name, exchanged=exchanged)
            if not holders:
                raise Refused("A rematch is played by browsers, and this game has none.")
            following = self._open(name, request, holders, address)
        except (ValidationError, GameRequestError) as error:
            raise Refused(str(error)) from None
        self.openings.spend(address, now)
        return following.name

    def named(self, terms: Terms, seat: int, name: str) -> Terms:
        """Return the terms with a player renamed. Raises Refused."""
        try:
            self._check_name(name)
            return terms.named(seat, name)
        except (GameRequestError, ValueError) as error:
            raise Refused(str(error)) from None

    def _check_name(self, name: str) -> None:
        """Raise GameRequestError if a human takes the name of an engine, and so its results."""
        given = f"{name.strip()},".casefold()
        if any(given.startswith(f"{engine},".casefold()) for engine in self.opponents):
            raise GameRequestError(f"An engine has the name {name.strip()!r}: choose another.")

    def _stored(self, name: str) -> tuple[str, StoredGame] | None:
        """Return the hash of the key in an address, empty if none, and the game that it names."""
        try:
            key = self.store.key(hashed(name))
            stored = self.store.game(name if key is None else key.game)
        except StoreError as error:
            raise GameRequestError(str(error), 503) from None
        return None if stored is None else ("" if key is None else key.secret, stored)

    def _read(self, stored: StoredGame) -> tuple[GameRequest, StoredState, GameInProgress]:
        """Return what the store has of a game. Raises GameRequestError if it makes no sense."""
        try:
            request = GameRequest.model_validate_json(stored.request)
            state = StoredState.model_validate_json(stored.state)
            if state.names is not None:
                terms = request.terms.model_copy(update={"names": state.names})
                request = request.model_copy(update={"terms": terms})
            start = self._game_in_progress(request)
            return request, state, state.restored(start.game)
        except (ValidationError, IllegalTurn, NotationError) as error:
            with suppress(OSError):
                print(
                    f"oddly: the stored game {stored.id!r} makes no sense: {error}", file=sys.stderr
                )
            raise GameRequestError("This game was stored wrongly and cannot go on.", 404) from None

    def _begin(self, game: PageGame, address: str) -> PageGame:
        self._tables.add(game, address)
        self._nursery.start_soon(self._attend, game)
        return game

    async def look_after(self) -> None:
        """Put away games that nobody has watched for long, until cancelled.

        Those that nobody has played for much longer are deleted.
        """
        while True:
            await trio.sleep(BETWEEN_LOOKS)
            self._keep_time()
            limit = trio.current_time() - self._bounds.idle
            for game in [g for g in self.games.values() if not g.outboxes and g.left_at < limit]:
                self._tables.give_up(game)
            with suppress(StoreError):
                self.store.expire(self.games)

    def close(self) -> None:
        """Put all games away."""
        self._keep_time()
        for game in list(self.games.values()):
            self._tables.give_up(game)

    async def _attend(self, game: PageGame) -> None:
        """Run one game. A bug in it ends this game alone."""
        try:
            await game.attend()
        except Exception as error:
            traceback.print_exception(error)
        finally:
            self._tables.forget(game)

    def _game_in_progress(self, request: GameRequest) -> GameInProgress:
        if len(request.turns) > self._bounds.turns:
            raise GameRequestError(f"A game may have {self._bounds.turns} turns.")
        try:
            current = GameInProgress.of(read_game(request.game, request.size, request.settings))
            for number, text in enumerate(request.turns, start=1):
                try:
                    current = current.play(parse_turn(text))
                except (IllegalTurn, NotationError) as error:
                    raise GameRequestError(f"Turn {number}, {text}: {error}.") from None
        except GameError as error:
            raise GameRequestError(as_sentence(error)) from None
        return current

    def _configurations(self, request: GameRequest) -> dict[str, EngineConfiguration]:
        if request.seconds not in self._bounds.seconds:
            known = ", ".join(map(str, self._bounds.seconds))
            raise GameRequestError(
                f"An engine's time is one of {known} seconds, not {request.seconds}."
            )
        names = {name for name in request.seats if name not in PEOPLE}
        for name in names:
            if name not in self.opponents:
                raise GameRequestError(f"There is no engine {name!r} on this server.")
        if names.issuperset(request.seats) and not request.exhibition:
            raise GameRequestError("One player must be human: 'oddly match' plays engines.")
        return self._known(request)

    def _known(self, request: GameRequest) -> dict[str, EngineConfiguration]:
        """Return the engines of a game that this server has."""
        level = request.terms.level
        return {
            name: self.opponents[name].configuration(request.seconds, self._bounds, level)
            for name in request.seats
            if name in self.opponents
        }
