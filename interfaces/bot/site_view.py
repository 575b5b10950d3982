"""What the site says: webhooks to our address, replies to what we send, and its public queries.

A webhook is a challenge, or our turn in a game. A reply has a status that counts, words, and what
to do next. The queries list games, ours among them, and say how one of them stands.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from oddly.game_records.abstract_play_turns import game_by_ids
from oddly.game_records.abstract_play_writing import texts_of
from oddly.game_records.kept_game import first_problem
from oddly.games import one_line
from oddly.referee import RecordError
from oddly.safe_files import json_object

if TYPE_CHECKING:
    from oddly.games import Game


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
    challengers: tuple[str, ...] = ()
    """Their ids."""
    hours: float | None = None
    """The hours with which our clock would begin."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """It is our turn in a game: all turns so far, in the site's notation."""

    gameid: str
    meta: str
    game: Game
    texts: tuple[str, ...]
    hours: float | None = field(default=None, compare=False)
    """The hours left on our clock, rounded, when the site said so."""

    @property
    def plies(self) -> int:
        """The number of turns played."""
        return len(self.texts)

    @property
    def where(self) -> str:
        """The game and the turn, as the log names them."""
        return f"game {self.gameid}, after {self.plies} plies"


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
    clock: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        default=None, alias="clockCurr"
    )


_ANY: TypeAdapter[Any] = TypeAdapter(
    Annotated[_ChallengeWebhook | _MoveWebhook, Field(discriminator="verb")]
)


def read_webhook(body: bytes) -> Challenge | TurnRequest:
    """Return what a body asks for. Raises WebhookError if it is malformed or no game of ours.

    It does not check that the turns are legal.
    """
    try:
        webhook = _ANY.validate_json(body)
        game = game_by_ids(webhook.meta, webhook.variants)
        if isinstance(webhook, _ChallengeWebhook):
            return Challenge(game, tuple(webhook.challengers), webhook.clock_start)
        texts = tuple(texts_of(webhook.moves))
        return TurnRequest(webhook.gameid, webhook.meta, game, texts, webhook.clock)
    except ValidationError as error:
        raise WebhookError(f"not a webhook: {first_problem(error)}") from None
    except (RecordError, ValueError, RecursionError) as error:
        raise WebhookError(str(error)) from None


MAX_RETRY_AFTER = 120.0
"""The most seconds that the site may ask us to wait."""
NO_REPLY = 0
"""The status of a request without any reply."""
GATEWAY_WORDS = frozenset(
    {"Internal server error", "Endpoint request timed out", "Service Unavailable"}
)
"""The gateway's own words when the site's program behind it did not answer."""
REFUSED_WORDS = "Unable to apply move"
"""How the site's message begins when its rules refuse a turn."""
_REFUSED = (HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY)


class NextStep(Enum):
    """What to do after a reply."""

    DONE = "done"
    RENEW = "renew the token"
    RETRY = "try again"
    REFUSED = "think again"


@dataclass(frozen=True, slots=True)
class SiteReply:
    """A reply of the site: the status that counts, and what it says.

    `was_sent` is true if the site may have got the request.
    """

    status: int
    message: str = ""
    retry_after: float | None = None
    was_sent: bool = True
    value: object = None

    @property
    def next_step(self) -> NextStep:
        """What to do now."""
        if self.status == HTTPStatus.UNAUTHORIZED:
            return NextStep.RENEW
        if self.is_good:
            return NextStep.DONE
        if self.status in _REFUSED or self.message.startswith(REFUSED_WORDS):
            return NextStep.REFUSED
        return NextStep.RETRY

    @property
    def is_good(self) -> bool:
        """Whether the site did what it was asked."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def has_words(self) -> bool:
        """Whether the site has answered with words, so that nothing is under way."""
        is_error = self.status >= HTTPStatus.BAD_REQUEST
        return is_error and bool(self.message) and self.message not in GATEWAY_WORDS

    @property
    def may_refuse(self) -> bool:
        """Whether the words may be about the turn.

        The site's program answers 500, with words, to each turn that it does not take. With another
        status the words are about the sender or the site: the gateway's `401: Unauthorized`.
        """
        return self.has_words and self.status == HTTPStatus.INTERNAL_SERVER_ERROR

    @property
    def sentence(self) -> str:
        """The status and the words."""
        return f"{self.status or 'no reply'}{': ' if self.message else ''}{self.message}"


def read_reply(status: int, body: bytes, retry_after: str = "") -> SiteReply:
    """Return the meaning of an HTTP reply; the gateway may wrap another status in a 200."""
    wait = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else None
    wait = None if wait is None else min(wait, MAX_RETRY_AFTER)
    value = _json(body)
    if isinstance(value, dict):
        inner = value.get("statusCode")
        if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES and type(inner) is int:
            status = inner
            wrapped = value.get("body")
            value = _json(wrapped) if isinstance(wrapped, str) else wrapped
        elif "errorType" in value and "errorMessage" in value:
            # The site's program failed or took too long, and the gateway passes that on as a 200.
            return SiteReply(HTTPStatus.INTERNAL_SERVER_ERROR, "", wait, value=value)
    # The gateway's own 500 has null there.
    message = (value.get("message") or "") if isinstance(value, dict) else ""
    return SiteReply(status, str(message), wait, value=value)


def _json(data: str | bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


MAX_PLIES = 5_000


class SiteViewError(ValueError):
    """A reply that does not answer the query. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game of ours that is being played."""

    gameid: str
    meta: str
    plies: int
    is_our_turn: bool
    opponents: tuple[str, ...]
    """The ids of the others."""
    names: tuple[str, ...]
    left: float
    """The seconds on our clock when the last move was made."""


@dataclass(frozen=True, slots=True)
class GameView:
    """How a game stands."""

    gameid: str
    texts: tuple[str, ...]
    is_our_turn: bool
    is_over: bool
    deadline: float | None
    """When our clock runs out, in Unix seconds."""
    request: TurnRequest | None
    """Our turn in it; None if it is not our turn, or no game of ours."""


class _Lenient(BaseModel):
    """Other keys are allowed, since the site has many more."""

    model_config = ConfigDict(strict=True, populate_by_name=True)


class _Seat(_Lenient):
    id: Word
    name: Annotated[str, AfterValidator(one_line)] = ""
    """It may be no Unicode as it comes."""
    time: float | None = None


class _SeatedGame(_Lenient):
    id: Word
    meta: Word = Field(alias="metaGame")
    players: Annotated[list[_Seat], Field(max_length=20)]
    to_move: str | None = Field(default=None, alias="toMove")

    def is_turn_of(self, player: str) -> bool:
        turn = self.to_move or ""
        number = int(turn) if turn.isascii() and turn.isdigit() and len(turn) < 3 else -1
        return 0 <= number < len(self.players) and self.players[number].id == player

    def seconds_of(self, player: str) -> float:
        return next((each.time or 0.0 for each in self.players if each.id == player), 0.0) / 1000


class _Listed(_SeatedGame):
    plies: Annotated[int, Field(ge=0, le=MAX_PLIES)] = Field(alias="numMoves")


class _Stored(_SeatedGame):
    state: str
    moved: float | None = Field(default=None, alias="lastMoveTime")
    ended: float | None = Field(default=None, alias="gameEnded")


class _Ply(_Lenient):
    move: Word | None = Field(default=None, alias="lastmove")


class _State(_Lenient):
    variants: list[Word] = []
    stack: Annotated[list[_Ply], Field(min_length=1, max_length=MAX_PLIES)]
    is_over: bool = Field(default=False, alias="gameover")


def read_metas(value: object) -> frozenset[str]:
    """Return the ids of the site's games from the reply to `meta_games`. Raises SiteViewError."""
    if not isinstance(value, dict) or not value:
        raise SiteViewError("the site's list of games is no list of games")
    return frozenset(map(str, value))


def read_games(value: object, us: str) -> list[ListedGame]:
    """Return our games from the reply to `games`. Raises SiteViewError.

    A game in a form that we do not know is left out: the others matter too.
    """
    if not isinstance(value, list):
        raise SiteViewError("the site's games are no list")
    found = []
    for each in value:
        try:
            game = _Listed.model_validate(each)
        except ValidationError:
            continue
        others = [player for player in game.players if player.id != us]
        if len(others) < len(game.players):
            found.append(
                ListedGame(
                    game.id,
                    game.meta,
                    game.plies,
                    game.is_turn_of(us),
                    tuple(player.id for player in others),
                    tuple(player.name for player in others),
                    game.seconds_of(us),
                )
            )
    return found


def read_game(value: object, gameid: str, meta: str, us: str) -> GameView:
    """Return how a game stands, from the reply to `get_game`.

    Raises SiteViewError if it is another game, one without us, or nothing that we can read.
    """
    try:
        inner: Any = value.get("game") if isinstance(value, dict) else None
        game = _Stored.model_validate(inner)
        state = _State.model_validate(json_object(game.state))
    except ValidationError as error:
        raise SiteViewError(f"not a game: {first_problem(error)}") from None
    except (ValueError, RecursionError) as error:
        raise SiteViewError(f"not a game: {error}") from None
    if (game.id, game.meta) != (gameid, meta):
        raise SiteViewError("the site answers with another game")
    if all(player.id != us for player in game.players):
        raise SiteViewError("we do not play in it")
    texts = tuple(ply.move or "" for ply in state.stack[1:])
    is_over = state.is_over or game.ended is not None or not game.to_move
    is_ours = not is_over and game.is_turn_of(us)
    deadline = None if game.moved is None else game.moved / 1000 + game.seconds_of(us)
    request = None
    if is_ours and len(game.players) == 2:
        try:
            request = TurnRequest(gameid, meta, game_by_ids(meta, state.variants), texts)
        except RecordError as error:
            raise SiteViewError(str(error)) from None
    return GameView(gameid, texts, is_ours, is_over, deadline, request)
