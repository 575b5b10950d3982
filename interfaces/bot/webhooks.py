"""What the site sends to our address: a challenge, or our turn in a game."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from oddly.game_records.abstract_play_turns import game_by_ids
from oddly.game_records.abstract_play_writing import texts_of
from oddly.game_records.kept_game import first_problem
from oddly.referee import RecordError

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
    """What our clock would begin with."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """It is our turn in a game: all turns so far, in the site's notation."""

    gameid: str
    meta: str
    game: Game
    texts: tuple[str, ...]
    hours: float | None = field(default=None, compare=False)
    """What is left on our clock, rounded, when the site said so."""

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
    clock: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        default=None, alias="clockCurr"
    )


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
            return Challenge(game, tuple(webhook.challengers), webhook.clock_start)
        texts = tuple(texts_of(webhook.moves))
        return TurnRequest(webhook.gameid, webhook.meta, game, texts, webhook.clock)
    except ValidationError as error:
        raise WebhookError(f"not a webhook: {first_problem(error)}") from None
    except (RecordError, ValueError, RecursionError) as error:
        raise WebhookError(str(error)) from None
