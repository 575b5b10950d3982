"""A game as plain HTML, for browsers without JavaScript: its board, its turns, and how it ended."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from oddly.games import xml_text

if TYPE_CHECKING:
    from oddly.interfaces.web.games_so_far import GameSoFar

NEEDED = "<p>To play, this page needs JavaScript. The same games can be played in a terminal.</p>"
COLOURS = ("black", "white")


def plain_game(game: GameSoFar, turn: int | None) -> str:
    """Return the HTML of a game after `turn` turns, by default after all."""
    played = len(game.turns)
    number = played if turn is None else min(max(turn, 0), played)
    missing = (turn or 0) > played
    unknown = f"<p>The game has {played} turns and no turn {turn}.</p>" if missing else ""
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
    """Return the links to the positions around one."""
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
