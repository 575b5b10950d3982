"""A game between two file formats, and the checks that each game read goes through.

A file may name its game or leave it to be guessed from the board. `LeftOut` names the contents of a
file for which a record has no place.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from oddly.games import (
    GAMES,
    Colour,
    Game,
    GameError,
    Position,
    create_game,
    one_line,
    read_game,
)
from oddly.games.wording import listed
from oddly.protocol import grid_width
from oddly.referee import (
    GameRecord,
    Outcome,
    PlayedTurn,
    RecordError,
    Termination,
    replay,
    score_without_count,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Notice = Callable[[str], None]
    """Takes what the user should know of a file, in a sentence."""


MAX_SECONDS = 1e8
"""The longest time in a record, three years: SGF has nine digits for it."""
MAX_SHOWN = 100
"""The characters of a value that a sentence shows."""
Seconds = Annotated[float, Field(ge=0, le=MAX_SECONDS, allow_inf_nan=False)]
Number = Annotated[float, Field(allow_inf_nan=False)]
ColourName = Literal["black", "white"]
_CLAIMED = {
    "R": (Termination.RESIGNATION, "resigned"),
    "RESIGN": (Termination.RESIGNATION, "resigned"),
    "T": (Termination.TIME, "lost on time"),
    "TIME": (Termination.TIME, "lost on time"),
}
_DRAW = {"0", "DRAW"}
AGREED = "the players agreed on a draw"
UNFINISHED = "the game was not finished"


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A record with the labels that its file adds: its id, number, round and event."""

    record: GameRecord
    labels: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return plain values, as `--records` writes them; `read` takes their text."""
        return {**self.labels, **self.record.as_json()}

    def check_seconds(self) -> None:
        """Raise RecordError for seconds that `read` would refuse."""
        record = self.record
        for number, played in enumerate(record.turns, start=1):
            _check_seconds(played.seconds, f"turn {number}, {one_line(played.turn)}, took")
        _check_seconds(record.outcome.lag, "the lag is")

    @classmethod
    def read(cls, text: str | bytes) -> KeptGame:
        """Return the game of one JSON object, judged by the rules. Raises RecordError."""
        try:
            _Shape.model_validate_json(text)
            value = json.loads(text)
            record = GameRecord.from_json(value)
        except ValidationError as error:
            raise RecordError(f"not a game record: {first_problem(error)}") from None
        except (ValueError, RecursionError, GameError) as error:
            raise RecordError(str(error)) from None
        replay(record)
        known = record.as_json()
        return cls(record, {name: fact for name, fact in value.items() if name not in known})


def json_text(facts: Mapping[str, Any], *, is_ascii: bool = True) -> str:
    """Return a game's plain values as JSON. Raises RecordError for text that is not Unicode."""
    text = json.dumps(facts, ensure_ascii=is_ascii)
    # In ASCII half of a pair begins so; most games have no such text, and need no second look.
    if not text.isascii() or r"\ud" in text:
        for name, fact in facts.items():
            _check_unicode(json.dumps({name: fact}, ensure_ascii=False))
    return text


def _check_unicode(text: str) -> None:
    """Raise RecordError with the place in JSON where text is not Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        before = max(0, error.start - MAX_SHOWN // 2)
        shown = ("..." if before else "") + one_line(text[before:], MAX_SHOWN)
        raise RecordError(f"{shown}: expected Unicode text, not {text[error.start]!r}") from None


def _check_seconds(seconds: float, what: str) -> None:
    if not 0 <= seconds <= MAX_SECONDS:
        raise RecordError(f"{what} {seconds} s: expected 0 to {MAX_SECONDS:.0f} s")


class _OpenShape(BaseModel):
    """A shape of JSON in which other keys are kept as they are."""

    model_config = ConfigDict(strict=True, extra="allow")


class _CreditsShape(_OpenShape):
    quota: tuple[Number, Number, Number]
    given: list[Number]


class _TimingShape(_OpenShape):
    controls: tuple[str, str]
    margin: Number
    waits: list[tuple[Number, Number, Number]]
    credits: _CreditsShape | None = None


class _Shape(_OpenShape):
    """The shape of a record in JSON."""

    game: str
    size: int
    settings: dict[str, bool | int | str]
    players: tuple[str, str]
    engines: tuple[str, str]
    seed: int | None
    opening: Annotated[int, Field(ge=0)] = 0
    turns: list[tuple[ColourName, str, Seconds]]
    winner_index: Literal[0, 1] | None
    winning_colour: ColourName | None
    score: str
    termination: str
    reason: str
    evidence: str
    diagram: str = ""
    lag: Seconds = 0.0
    host: str = ""
    deaths: tuple[str, str] = ("", "")
    abandoned: list[str] = []
    evaluations: list[dict[str, Number] | None] = []
    timing: _TimingShape | None = None


def first_problem(error: ValidationError) -> str:
    """Return the place and kind of a JSON value's first problem, as part of a sentence."""
    problem = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, problem["loc"]))
    message = problem["msg"]
    return f"{place + ': ' if place else ''}{message[:1].lower()}{message[1:]}"


def colour_at_the_end(turns: Sequence[PlayedTurn], player: int) -> Colour:
    """Return a player's colour at the end: player 0 opened, and a swap exchanges colours."""
    swapped = any(played.turn == "swap" for played in turns)
    return Colour.BLACK if (player == 0) is not swapped else Colour.WHITE


def game_without_outcome(
    game: Game, position: Position, turns: Sequence[PlayedTurn], names: Mapping[Colour, str],
    claimed: str = "",
) -> KeptGame:  # fmt: skip
    """Return the record of a game whose file does not fully say how it ended.

    `names` are the players by their colours at the end. `claimed` is a result as SGF writes it, and
    is believed where the rules do not say who won. Raises RecordError if they say otherwise. A game
    without any result is void.
    """
    colours = [colour_at_the_end(turns, player) for player in (0, 1)]
    winner, termination, score, reason = _ending(position, claimed, names)
    outcome = Outcome(
        None if winner is None else colours.index(winner),
        winner, score, termination, reason, len(turns),
    )  # fmt: skip
    first, second = (names[colour] for colour in colours)
    return KeptGame(GameRecord(game, (first, second), ("", ""), None, tuple(turns), outcome))


def _ending(
    position: Position, claimed: str, names: Mapping[Colour, str]
) -> tuple[Colour | None, Termination, str, str]:
    """Return who won, how, the score and the reason."""
    claimed = claimed.strip().upper()
    winner_letter, plus, how = claimed.partition("+")
    claims = {"B": Colour.BLACK, "W": Colour.WHITE}.get(winner_letter) if plus else None
    is_draw = claimed in _DRAW
    result = position.result
    if result is not None:
        if claims not in (None, result.winner) or (is_draw and result.winner is not None):
            raise RecordError(f"the file says {one_line(claimed[:20])}, the rules {result}")
        reason = result.ending.value
        return result.winner, Termination[result.ending.name], str(result), reason
    if is_draw:
        return None, Termination.AGREEMENT, "0", AGREED
    if claims is None:
        return None, Termination.VOID, "void", UNFINISHED
    # A count of groups cannot end a game that the rules have not ended.
    termination, did = _CLAIMED.get(how, (Termination.WITHDRAWN, "forfeited"))
    score = score_without_count(claims, termination)
    return claims, termination, score, f"{names[claims.other]}: {did}"


_NAME = re.compile(r"([a-z]{1,20}) ([0-9]{1,3})(?: \(([a-z0-9_, ]{1,200})\))?", re.ASCII)


def game_named(text: str) -> Game | None:
    """Return the game with that heading, `odd 5 (board square, min_group 5)`, or None.

    People begin names with a capital letter.
    """
    found = _NAME.fullmatch(text.strip().lower())
    if found is None:
        return None
    name, size, words = found.groups()
    pairs = (pair.partition(" ")[::2] for pair in words.split(", ")) if words else ()
    try:
        return read_game(name, int(size), dict(pairs))
    except GameError:
        return None


_SHAPES: tuple[dict[str, str], ...] = ({}, {"board": "hexhex"}, {"board": "square"})
"""Settings that give a game each of its shapes of board."""


def games_of_width(width: int) -> Iterator[Game]:
    """Yield every game, otherwise with default settings, whose board has a grid of that width."""
    found: set[str] = set()
    for name in GAMES:
        for size in (width, (width + 1) // 2):
            for shape in _SHAPES:
                try:
                    game = create_game(name, size, shape)
                except GameError:
                    continue
                if grid_width(game.board) == width and str(game) not in found:
                    found.add(str(game))
                    yield game


def other_rules(game: Game) -> Iterator[Game]:
    """Yield games on the same board, each with another value of a setting."""
    for name, value in game.settings.items():
        if isinstance(value, int):
            other = not value if isinstance(value, bool) else value + 1
            yield create_game(game.name, game.size, {**game.settings, name: other})


COMMENTS, VARIATIONS, MARKS = "comments", "variations", "marks"
UNNAMED = "properties without a capital letter"
"""Only capitals count in the names of properties."""
TAPS = "taps that make no whole turn"
_PARTS = (COMMENTS, MARKS, VARIATIONS, TAPS, UNNAMED)


class LeftOut:
    """Collects what the games of a file lose when they are read."""

    def __init__(self) -> None:
        self._games = 0
        self._lossy = 0
        self._words: Counter[str] = Counter()

    def add(self, words: Iterable[str]) -> None:
        """Note the losses of a game, each in words or as the name of a property."""
        lost = set(words)
        self._games += 1
        self._lossy += bool(lost)
        self._words.update(lost)

    def tell(self, notice: Notice) -> None:
        """Call `notice` with a sentence on what was lost, if anything."""
        if not self._words:
            return
        names = sorted(word for word in self._words if word.isupper())
        parts = [word for word in _PARTS if word in self._words]
        if names:
            parts.append(f"the propert{'ies' if len(names) > 1 else 'y'} {listed(names)}")
        are = "is" if len(names) == 1 and len(parts) == 1 else "are"
        where = "" if self._lossy == self._games else f", in {self._lossy} of {self._games} games"
        notice(f"of what this file holds, {listed(parts)} {are} left out{where}")
