"""What is stored of a game on the page, and what is shown of it without playing it.

While it runs, its state is stored: its turns, their times, and the half-done turn. Then it becomes
a row in a ledger, which has only finished games.

Analysis and plain pages, which have no WebSocket, show a game as it stands in the store. Such a
game takes no table, and only the time to read it. Browsers without JavaScript get plain HTML: the
board, the turns, and how the game ended.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Annotated, Any, Self
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from oddly.games import Colour, Game, GameError, IllegalTurn, Turn, read_game, xml_text
from oddly.games.drawing.picture import Picture, touched
from oddly.games.drawing.svg import svg
from oddly.games.turns import Drops, Move
from oddly.games.wording import counted
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.viewer.viewer import title
from oddly.interfaces.web.game_request import HUMAN, PEOPLE, GameRequest, GameRequestError, Name
from oddly.interfaces.web.game_store import StoreError
from oddly.interfaces.web.seats import Holder, hashed
from oddly.interfaces.web.views import game_view
from oddly.protocol import NotationError, TurnEvaluation, parse_turn
from oddly.safe_files.sqlite_file import UnusableFileError
from oddly.tournaments import Ledger, ScheduledGame
from oddly.tournaments.ledger.event_facts import FREE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from oddly.interfaces.web.game_store import GameStore
    from oddly.referee import GameRecord


Share = Annotated[float, Field(ge=0, le=1)]
Text = Annotated[str, Field(max_length=16)]


class StoredState(BaseModel):
    """What changes in a game. `drops` and `origin` belong to the half-done turn."""

    model_config = ConfigDict(strict=True, extra="forbid")

    turns: list[Text] = []
    seconds: list[float] = []
    drops: list[Text] = []
    origin: Text | None = None
    resigned: Text | None = None
    on_time: bool = False
    agreed: bool = False
    names: tuple[Name, Name] | None = None
    """The names of the players, if they have changed since the game was opened."""
    expected: list[Share | None] = []
    """How often the player of each turn expected to win; empty if nobody said so."""
    rematch: Annotated[str, Field(max_length=64)] = ""
    """The id of the game that follows; empty if there is none."""
    draw_offer: Annotated[int, Field(ge=0, le=1)] | None = None
    """The seat that offers a draw."""
    began: float | None = None
    """When the turn to come began, as the store counts time; older versions did not say so."""

    @classmethod
    def of(
        cls,
        current: GameInProgress,
        seconds: Sequence[float],
        names: tuple[str, str] | None = None,
        rematch: str = "",
        evaluations: Sequence[TurnEvaluation | None] = (),
        draw_offer: int | None = None,
        began: float | None = None,
    ) -> StoredState:
        """Return the state of a game whose turns took these seconds."""
        return cls(
            turns=[str(turn) for turn in current.turns],
            seconds=[round(spent, 3) for spent in seconds],
            drops=[str(drop) for drop in current.partial.drops],
            origin=current.partial.origin,
            resigned=None if current.resigned is None else str(current.resigned),
            on_time=current.on_time,
            agreed=current.agreed,
            names=names,
            expected=[None if each is None else round(each.win_rate, 3) for each in evaluations],
            rematch=rematch,
            draw_offer=draw_offer,
            began=None if began is None else round(began, 3),
        )

    def restored(self, game: Game) -> GameInProgress:
        """Return the game. Raises IllegalTurn or NotationError for turns that are not legal."""
        current = GameInProgress.of(game)
        for text in self.turns:
            current = current.play(parse_turn(text))
        if current.is_over:
            return current
        if self.resigned is not None:
            side = next((side for side in Colour if str(side) == self.resigned), None)
            return current.resign(side, on_time=self.on_time)
        if self.agreed:
            return current.agree_on_a_draw()
        try:
            return current.with_turn_begun(() if self.origin else self.drops, self.origin)
        except (IllegalTurn, NotationError):
            # An impossible half-done turn is left out.
            return current

    def evaluations(self) -> list[TurnEvaluation | None]:
        """Return the player's evaluation of each turn; None where unknown."""
        missing = len(self.turns) - len(self.expected)
        known = [*self.expected[: len(self.turns)], *[None] * missing]
        return [None if rate is None else TurnEvaluation(rate) for rate in known]

    def times(self) -> list[float]:
        """Return the seconds of each turn."""
        missing = len(self.turns) - len(self.seconds)
        return [*self.seconds[: len(self.turns)], *[0.0] * missing]


class GamesFile:
    """An open ledger for games that people play. Opening it raises UnusableFileError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure = ""
        """Why the last game was not recorded; empty if it was."""
        self._ledger = Ledger(path)
        self._engines: dict[str, Any] = (self._ledger.event() or {}).get("engines", {})
        self._begin(())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ledger.__exit__(kind, error, trace)

    def keep(self, name: str, record: GameRecord) -> None:
        """Record a game, or set `failure`."""
        first, second = record.players
        scheduled = ScheduledGame(0, record.game, 0, first, second, 0, name)
        try:
            if not {first, second} <= self._engines.keys():
                self._begin((first, second))
            self._ledger.announce(scheduled)
            self._ledger.add(name, record)
            self.failure = ""
        except (sqlite3.Error, UnusableFileError) as error:
            self.failure = f"the game was not kept: cannot write {self.path}: {error}"

    def _begin(self, players: Sequence[str]) -> None:
        """Begin or resume the event with these players added. Raises UnusableFileError."""
        unknown = {"command": [], "time": "none", "options": {}}
        self._engines |= {name: unknown for name in players if name not in self._engines}
        self._ledger.begin(
            {
                "name": "games on the page",
                "format": FREE,
                "seed": 0,
                "rounds": 1,
                "games": [],
                "engines": self._engines,
            }
        )


@dataclass(frozen=True, slots=True)
class GameSoFar:
    """A game so far: its whole turns, and what a list shows of it (`summary_view`)."""

    id: str
    game: Game
    turns: tuple[Turn, ...]
    summary: Mapping[str, Any]
    seats: tuple[str, str]
    holders: tuple[Holder, ...]

    @property
    def title(self) -> str:
        """The game with its board: `Yodd, base 6`."""
        return title(self.game)

    def is_held_back(self, secrets: Collection[str]) -> bool:
        """Return whether two people play it apart, so that no engine helps before the end.

        `secrets` has the hashes of the asking browser's secrets: it may hold both seats.
        """
        if self.summary.get("over") or any(seat not in PEOPLE for seat in self.seats):
            return False
        held = {seat for each in self.holders if each.secret in secrets for seat in each.seats}
        return held != {0, 1} or self.seats != (HUMAN, HUMAN)

    def record(self) -> dict[str, Any]:
        """Return the game for an analysis, as plain values."""
        over = str(self.summary.get("over") or "")
        ended = {"winner": self.summary.get("winner"), "reason": over.rstrip(".")} if over else {}
        return {
            "id": self.id,
            "game": game_view(self.game),
            "players": self.summary.get("players"),
            "turns": [str(turn) for turn in self.turns],
            **ended,
        }

    def picture(self, number: int) -> str:
        """Return the board after the first `number` turns as an SVG file, the last one marked."""
        board = self.game.board
        stones = list(self.game.start().stones)
        for turn in self.turns[:number]:
            match turn:
                case Drops(drops):
                    for drop in drops:
                        stones[board.index_of(drop.vertex)] = drop.colour
                case Move(origin, destination):
                    here, there = board.index_of(origin), board.index_of(destination)
                    stones[there], stones[here] = stones[here], 0
        placed, left = touched(self.turns[number - 1] if number else None)
        said = f"{self.title}, after turn {number}" if number else f"{self.title}, the start"
        return svg(Picture(board, tuple(stones), placed, left, title=said))


def game_so_far(store: GameStore, name: str) -> GameSoFar | None:
    """Return the game that an id or a key names; None if there is none.

    Raises GameRequestError if it cannot be read.
    """
    try:
        key = store.key(hashed(name))
        stored = store.game(name if key is None else key.game)
        summary = stored and store.summary(stored.id)
    except StoreError as error:
        raise GameRequestError(str(error), 503) from None
    if not stored or summary is None:
        return None
    try:
        game, turns, seats = _read(stored.request, stored.state)
    except (ValidationError, GameError, NotationError):
        raise GameRequestError("This game was stored wrongly.", 404) from None
    return GameSoFar(stored.id, game, turns, summary, seats, stored.holders)


@lru_cache(maxsize=64)
def _read(request: str, state: str) -> tuple[Game, tuple[Turn, ...], tuple[str, str]]:
    """Return a stored game, cached because a page and its picture ask for the same one."""
    asked = GameRequest.model_validate_json(request)
    game = read_game(asked.game, asked.size, asked.settings)
    return game, tuple(map(parse_turn, StoredState.model_validate_json(state).turns)), asked.seats


NEEDED = "<p>To play, this page needs JavaScript. The same games can be played in a terminal.</p>"
COLOURS = ("black", "white")


def plain_game(game: GameSoFar, turn: int | None) -> str:
    """Return the HTML of a game after `turn` turns, by default after all."""
    played = len(game.turns)
    number = played if turn is None else min(max(turn, 0), played)
    missing = (turn or 0) > played
    unknown = (
        f"<p>The game has {counted(played, 'turn')} and no turn {turn}.</p>" if missing else ""
    )
    address = f"api/games/{quote(game.id)}/board.svg?turn={number}"
    where = f"after turn {number}, {game.turns[number - 1]}" if number else "at the start"
    parts = [
        f"<h1>{_text(game.title)}</h1>",
        f"<p>{_players(game)}</p>",
        f"<p><strong>{_text(_state(game))}</strong></p>",
        unknown,
        f'<p><img src="{address}" width="480" alt="The board {_text(where)}"></p>',
        f"<p>The board {_text(where)}. {_steps(game, number)}</p>",
        _turns(game, number),
        NEEDED,
    ]
    return "\n".join(filter(None, parts))


def plain_refusal(sentence: str) -> str:
    """Return the HTML for an address without a game."""
    return f"<h1>No such game</h1>\n<p>{_text(sentence)}</p>\n{NEEDED}"


def _state(game: GameSoFar) -> str:
    """Return how the game ended, or whose turn it is."""
    over = str(game.summary.get("over") or "")
    if over:
        return over
    mover = int(game.summary.get("mover") or 0)
    return f"Turn {len(game.turns) + 1}: {_name(game, mover)} is to move."


def _players(game: GameSoFar) -> str:
    first = str(game.summary.get("first") or "black")
    colours = COLOURS if first == "black" else COLOURS[::-1]
    winner = game.summary.get("winner")
    names = [
        f"{colour.capitalize()}: <strong>{_text(_name(game, seat))}</strong>"
        + (" (won)" if winner == seat and game.summary.get("over") else "")
        for seat, colour in enumerate(colours)
    ]
    return ". ".join(names) + "."


def _name(game: GameSoFar, seat: int) -> str:
    players = game.summary.get("players") or ("first", "second")
    return str(players[seat])


def _steps(game: GameSoFar, number: int) -> str:
    """Return the links to the positions around this one."""
    last = len(game.turns)
    known = {
        "To the start": 0,
        "One turn back": number - 1,
        "One turn on": number + 1,
        "To the end": last,
    }
    return " ".join(
        _link(game, to, words) for words, to in known.items() if 0 <= to <= last and to != number
    )


def _turns(game: GameSoFar, number: int) -> str:
    lines = [
        f"<li{' aria-current=step' if index == number else ''}>{_link(game, index, str(turn))}</li>"
        for index, turn in enumerate(game.turns, start=1)
    ]
    return f"<h2>Turns</h2>\n<ol>{''.join(lines)}</ol>" if lines else ""


def _link(game: GameSoFar, number: int, words: str) -> str:
    return f'<a href="?game={quote(game.id)}&amp;turn={number}">{_text(words)}</a>'


def _text(text: str) -> str:
    return escape(xml_text(text))
