"""The address that the site calls: what it may send, and what is answered to it."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Literal

import trio
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.routing import Route

from oddly.game_records.abstract_play_turns import game_by_ids
from oddly.game_records.abstract_play_writing import texts_of
from oddly.game_records.kept_game import first_problem
from oddly.interfaces.bot.signatures import SignatureCheck, SignatureError
from oddly.referee import RecordError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.games import Game
    from oddly.interfaces.bot.journal import Journal

    Receive = Callable[[list[tuple[str, str]], bytes, float], "Answer"]


MAX_ID_LENGTH = 200
Word = Annotated[str, Field(max_length=MAX_ID_LENGTH)]
Hours = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Rounds = list[list[Annotated[str, Field(max_length=MAX_ID_LENGTH)]]]


class WebhookError(ValueError):
    """A webhook that asks for nothing that we can do. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """Somebody wants to play this game."""

    game: Game


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """It is our turn in a game: all turns so far, in the site's notation."""

    gameid: str
    meta: str
    game: Game
    texts: tuple[str, ...]

    @property
    def plies(self) -> int:
        """How many turns were played."""
        return len(self.texts)


class _Webhook(BaseModel):
    """Other keys are allowed, since the site may add some."""

    model_config = ConfigDict(strict=True)

    meta: Word = Field(alias="metaGame")
    variants: list[Word] = []


class _ChallengeWebhook(_Webhook):
    verb: Literal["challenge"]
    challengers: list[Word] = []
    clock_start: Hours | None = Field(default=None, alias="clockStart")
    clock_increment: Hours | None = Field(default=None, alias="clockInc")
    clock_most: Hours | None = Field(default=None, alias="clockMax")


class _MoveWebhook(_Webhook):
    verb: Literal["move"]
    gameid: Annotated[str, Field(min_length=1, max_length=MAX_ID_LENGTH)]
    players: Literal[2] = Field(default=2, alias="numPlayers")
    moves: Rounds
    clock: float | None = Field(default=None, alias="clockCurr")


_ANY: TypeAdapter[Any] = TypeAdapter(
    Annotated[_ChallengeWebhook | _MoveWebhook, Field(discriminator="verb")]
)


def read_webhook(body: bytes) -> Challenge | TurnRequest:
    """Return what a body asks for. Raises WebhookError if it is malformed or no game of ours.

    That the turns are legal is not checked.
    """
    try:
        webhook = _ANY.validate_json(body)
        game = game_by_ids(webhook.meta, webhook.variants)
        if isinstance(webhook, _ChallengeWebhook):
            return Challenge(game)
        return TurnRequest(webhook.gameid, webhook.meta, game, tuple(texts_of(webhook.moves)))
    except ValidationError as error:
        raise WebhookError(f"not a webhook: {first_problem(error)}") from None
    except (RecordError, ValueError, RecursionError) as error:
        raise WebhookError(str(error)) from None


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


LARGEST_BODY = 131_072
"""Bytes of a webhook: many times the longest game."""
BODY_PATIENCE = 3.0
"""Seconds in which a body must have come; the site is answered within five."""
CLOSE = {"connection": "close"}


class _BodyError(Exception):
    """A body that is not read to its end."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def application(receive: Receive, journal: Journal, name: str) -> Starlette:
    """Return the application. `receive` answers headers, body and the time in Unix seconds.

    What it says is written to the log; the site is sent no more than the status.
    """

    async def ping(_: Request) -> Response:
        return JSONResponse({"operational": True, "name": name})

    async def webhook(request: Request) -> Response:
        try:
            body = await _body(request)
        except _BodyError as error:
            journal.say(f"refused: {error}")
            return JSONResponse({"message": str(error)}, error.status, CLOSE)
        headers = [(k.decode("latin-1"), v.decode("latin-1")) for k, v in request.headers.raw]
        answer = receive(headers, body, time.time())
        journal.say(answer.sentence)
        facts = {"accepted": True} if answer.status < HTTPStatus.BAD_REQUEST else {
            "message": answer.sentence
        }  # fmt: skip
        return JSONResponse(facts, answer.status)

    return Starlette(
        routes=[Route("/", ping, methods=["GET"]), Route("/", webhook, methods=["POST"])]
    )


async def _body(request: Request) -> bytes:
    """The raw body. Raises _BodyError if it is too large or too slow."""
    too_large = _BodyError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {LARGEST_BODY} bytes are read"
    )
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and (len(announced) > 9 or int(announced) > LARGEST_BODY):
        raise too_large
    body = bytearray()
    with trio.move_on_after(BODY_PATIENCE) as scope:
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:
                    raise too_large
        except ClientDisconnect:
            raise _BodyError(HTTPStatus.BAD_REQUEST, "the body broke off") from None
    if scope.cancelled_caught:
        raise _BodyError(
            HTTPStatus.REQUEST_TIMEOUT, f"the body did not come within {BODY_PATIENCE:g} s"
        )
    return bytes(body)
