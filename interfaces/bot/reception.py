"""What to answer to each webhook, and which turns to think about. It waits for nothing."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from oddly.interfaces.bot.signatures import SignatureCheck, SignatureError
from oddly.interfaces.bot.webhooks import Challenge, TurnRequest, WebhookError, read_webhook

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games.game import Game

MAX_GAMES = 10_000
"""Games of which it is remembered how far they were answered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The HTTP status, a sentence for the log, and the turn to think about, if any."""

    status: HTTPStatus
    sentence: str
    request: TurnRequest | None = None


class AnsweredGames:
    """How many plies each game had when it was answered last, or when thinking about it began."""

    def __init__(self) -> None:
        self._plies: OrderedDict[str, int] = OrderedDict()

    def take(self, request: TurnRequest) -> bool:
        """Note that a turn is being answered; return whether it was not before."""
        before = self._plies.get(request.gameid, -1)
        if request.plies <= before:
            return False
        self._plies[request.gameid] = request.plies
        self._plies.move_to_end(request.gameid)
        while len(self._plies) > MAX_GAMES:
            self._plies.popitem(last=False)
        return True

    def is_newest(self, request: TurnRequest) -> bool:
        """Return whether no later turn of the game has come."""
        return self._plies.get(request.gameid, -1) <= request.plies

    def give_up(self, request: TurnRequest) -> None:
        """Forget a turn that could not be answered, so that it may be asked for again."""
        if self._plies.get(request.gameid) == request.plies:
            del self._plies[request.gameid]


class Reception:
    """Answers webhooks. `plays` says which games our engines can play."""

    def __init__(
        self,
        check: SignatureCheck,
        plays: Callable[[Game], bool],
        answered: AnsweredGames,
    ) -> None:
        self._check = check
        self._plays = plays
        self._answered = answered

    def answer(
        self, headers: Sequence[tuple[str, str]], body: bytes, now: float, *, is_full: bool = False
    ) -> Answer:
        """Return the answer to a POST with these headers, names in lower case, and raw body.

        `now` is in Unix seconds; `is_full` says that no more turns can wait.
        """
        try:
            self._check.check(headers, body, now)
        except SignatureError as error:
            return Answer(HTTPStatus.UNAUTHORIZED, f"refused: {error}")
        try:
            asked = read_webhook(body)
        except WebhookError as error:
            return Answer(HTTPStatus.BAD_REQUEST, f"refused: {error}")
        if not self._plays(asked.game):
            return Answer(HTTPStatus.BAD_REQUEST, f"refused: no engine here plays {asked.game}")
        if isinstance(asked, Challenge):
            return Answer(HTTPStatus.OK, f"a challenge to {asked.game}: accepted")
        where = f"game {asked.gameid}, after {asked.plies} plies"
        if is_full:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, f"{where}: too many turns wait")
        if not self._answered.take(asked):
            return Answer(HTTPStatus.ACCEPTED, f"{where}: answered before")
        return Answer(HTTPStatus.ACCEPTED, f"{where}: our turn at {asked.game}", asked)
