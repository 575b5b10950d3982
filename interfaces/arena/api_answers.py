"""The answers of `/api/v1`, each declared once: handlers return them, and schemas come from them.

Ratings are in Elo, errors half the 95 % interval, and moments UTC in ISO 8601.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Elo = Annotated[float, Field(description="the rating in Elo")]
Half = Annotated[float, Field(ge=0, description="half the 95 % interval of the rating, in Elo")]
Count = Annotated[int, Field(ge=0)]
Moment = Annotated[str, Field(description="UTC, ISO 8601")]
Players = Annotated[
    tuple[str, str], Field(description="the names of both engines; the one who opened comes first")
]
Winner = Annotated[
    int | None, Field(ge=0, le=1, description="the index of the winner in players, or null")
]


class ApiAnswer(BaseModel):
    """Any answer. A later version may have more members."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class ApiProblem(ApiAnswer):
    """What was wrong."""

    error: str = Field(description="one sentence")


class ApiArena(ApiAnswer):
    """The arena now."""

    name: str
    address: str = Field(description="its public address, without a slash at the end")
    engines: Count = Field(description="engines that are registered")
    online: Count = Field(description="engines that are connected")
    running: Count = Field(description="games that are played now")
    pools: list[str] = Field(description="the names of its pools")
    openapi: str = Field(description="the address of this interface's description")


class ApiLeader(ApiAnswer):
    """Who has the highest rating of a pool that is not provisional."""

    name: str
    slug: str
    elo: Elo
    error: Half


class ApiPool(ApiAnswer):
    """A game with a board and a time control, in which engines are rated."""

    name: str
    title: str = Field(description="its game and board for people")
    game: str
    size: Count
    settings: dict[str, Any] = Field(description="settings of the game that are not its defaults")
    time: str = Field(description="the time control, as in '1+0.1'")
    engines: Count = Field(description="engines with a game that counts")
    games: Count = Field(description="games that count")
    leader: ApiLeader | None = Field(description="null while every rating is provisional")


class ApiPools(ApiAnswer):
    """All pools."""

    pools: list[ApiPool]


class ApiRow(ApiAnswer):
    """An engine in the ladder of a pool."""

    rank: int = Field(ge=1)
    name: str
    slug: str
    owner: str
    elo: Elo
    error: Half
    games: Count
    won: Count
    drawn: Count
    lost: Count
    is_provisional: bool = Field(description="whether the rating is not sure enough yet")
    is_online: bool


class ApiPage(ApiAnswer):
    """One page of a list."""

    page: int = Field(ge=1)
    pages: int = Field(ge=1, description="the number of the last page")
    total: Count = Field(description="how many there are on all pages")


class ApiLadder(ApiPage):
    """The engines of a pool, the highest rating first."""

    pool: str
    engines: list[ApiRow]


class ApiEngineName(ApiAnswer):
    """An engine in a list."""

    name: str
    slug: str = Field(description="the engine's part of addresses")
    family: str
    owner: str
    state: str = Field(description="plays, rests (a newer version plays) or retired")
    is_online: bool
    game: str | None = Field(description="the id of the game that it plays now")


class ApiEngines(ApiPage):
    """All engines, in the order in which they were registered."""

    engines: list[ApiEngineName]


class ApiScore(ApiAnswer):
    """Games that were won, drawn and lost."""

    won: Count
    drawn: Count
    lost: Count


class ApiMet(ApiAnswer):
    """What an engine did against another one."""

    opponent: str
    as_black: ApiScore
    as_white: ApiScore


class ApiOpening(ApiAnswer):
    """How games went that began in the same way."""

    turns: str
    score: ApiScore


class ApiEngineInPool(ApiAnswer):
    """What an engine did in a pool."""

    pool: str
    rank: int | None = Field(description="its place in the ladder; null if it has none")
    elo: Elo
    error: Half
    games: Count
    is_provisional: bool
    is_complete: bool = Field(description="whether all games are counted in what follows")
    as_black: ApiScore
    as_white: ApiScore
    opponents: list[ApiMet] = Field(description="those with most games first, at most 100")
    own_openings: list[ApiOpening] = Field(description="first turns of its own")
    given_openings: list[ApiOpening] = Field(description="openings that the arena drew")
    endings: dict[str, int] = Field(description="how games ended, without faults of its own")
    faults: dict[str, int] = Field(description="by which faults of its own it lost")
    hours: list[int] = Field(description="its games by the hour in which they ended, UTC")
    turns: Count
    seconds: float = Field(description="how long it thought about its turns")


class ApiEngine(ApiEngineName):
    """An engine: who it is, and what it did in each pool."""

    program: str = Field(description="the name and version that it gives itself")
    about: str = Field(description="what its owner says of it")
    created: Moment
    seen: Moment = Field(description="when it joined last: UTC, ISO 8601")
    versions: list[str] = Field(description="the slugs of its family, the oldest first")
    pools: list[ApiEngineInPool]


class ApiRatingThen(ApiAnswer):
    """A rating at the end of an hour."""

    hour: str = Field(description="UTC, ISO 8601 as far as the hour")
    elo: Elo
    error: Half
    games: Count


class ApiRatings(ApiAnswer):
    """The ratings of an engine over time, at most 300."""

    engine: str
    pool: str
    ratings: list[ApiRatingThen]


class ApiFoundGame(ApiAnswer):
    """A finished game in a list."""

    id: str
    pool: str
    title: str
    players: Players
    winner: Winner
    score: str
    ending: str
    turns: Count
    finished: Moment


class ApiGames(ApiPage):
    """Finished games that count, the last one to end first."""

    reached: Count = Field(description="how many of them pages show; choose a pool to reach all")
    games: list[ApiFoundGame]


class ApiRunningGame(ApiAnswer):
    """A game that is played now."""

    id: str
    pool: str
    players: Players
    turns: Count


class ApiRunning(ApiAnswer):
    """The games that are played now, at most 500."""

    total: Count
    games: list[ApiRunningGame]


class ApiEvaluation(ApiAnswer):
    """What the player of a turn expected of it."""

    win_rate: float = Field(ge=0, le=1)
    depth: int | None
    visits: int | None
    lead: float | None


class ApiTurn(ApiAnswer):
    """One turn."""

    colour: str = Field(description="black or white")
    turn: str
    seconds: float = Field(description="what it took from its player's clock")
    evaluation: ApiEvaluation | None


class ApiOutcome(ApiAnswer):
    """How a game ended."""

    winner: Winner
    score: str
    ending: str
    reason: str
    is_void: bool = Field(description="whether it is void or annulled, and counts for nobody")
    annulled: str | None = Field(description="why the keeper has annulled it; null if not so")


class ApiGame(ApiAnswer):
    """A game, running or over."""

    id: str
    pool: str
    game: str
    size: Count
    settings: dict[str, Any]
    time: str = Field(description="its time control, as in '1+0.1'")
    players: Players
    programs: tuple[str, str] = Field(description="the names that the engines give themselves")
    opening: Count = Field(description="how many of the turns were played for the engines")
    turns: list[ApiTurn]
    clocks: tuple[float, float] | None = Field(description="seconds left; null if it is over")
    outcome: ApiOutcome | None = Field(description="null while it runs")


class ApiRuling(ApiAnswer):
    """A ruling of the keeper."""

    moment: Moment
    kind: str
    subject: str = Field(description="game, engine or owner")
    name: str = Field(description="the id of the game, or the name of the engine or owner")
    value: str = Field(description="the new name or key, if there is one")
    reason: str


class ApiRulings(ApiAnswer):
    """All rulings, in their order."""

    rulings: list[ApiRuling]


class ApiLead(ApiAnswer):
    """An engine took the lead of a pool."""

    moment: Moment
    pool: str
    engine: str
    elo: Elo


class ApiLeads(ApiAnswer):
    """Who took the lead of a pool, the last first, at most 100."""

    leads: list[ApiLead]
