"""Games as lines of a terminal: one line each, or a card with the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.colour import Colour
from oddly.games.diagram import SYMBOLS, draw_board
from oddly.games.untrusted_text import one_line
from oddly.interfaces.terminal.live.text import clock_text, fitted, line
from oddly.interfaces.text.tables import points_text
from oddly.referee.justice.clock import HARD_CAP

if TYPE_CHECKING:
    from rich.text import Text

    from oddly.interfaces.terminal.live.run_snapshot import RunningGame
    from oddly.referee.justice.record import Snapshot
    from oddly.tournaments.results.played_game import PlayedGame

GAP = 3
"""Columns between two cards."""
MAX_NAME_LENGTH = 16
"""Columns for a name in the list of finished games."""
NARROW = 60
"""Columns below which a line omits the name of the game."""
SMALLEST_CARD = 36
STONES = {"X": "bold", "O": "bold cyan", ".": "dim"}


def card(game: RunningGame, now: float) -> list[Text]:
    """Return a game with its board as lines of one width."""
    board = board_lines(game)
    width = max(SMALLEST_CARD, *(len(row) for row in board))
    rows = [
        line(width, (fitted(title(game), width), "bold")),
        *(player_line(game, player, now, width) for player in (0, 1)),
        *(_stones(row, width) for row in board),
        line(width, (fitted(last_turn(game), width), "dim")),
    ]
    for row in rows:
        row.pad_right(width - row.cell_len)
    return rows


def board_lines(game: RunningGame) -> list[str]:
    """Return the board as it is now."""
    position = game.snapshot.position if game.snapshot else game.scheduled.game.start()
    return [row.rstrip() for row in draw_board(position)]


def player_line(game: RunningGame, player: int, now: float, width: int) -> Text:
    """Return a player with its colour, groups and clock, marked if it is to move."""
    name = one_line((game.scheduled.first, game.scheduled.second)[player])
    if game.snapshot is None:
        return line(width, fitted(f"  {'XO'[player]} {name}", width))
    moves = game.snapshot.mover == player
    position = game.snapshot.position
    colour = position.to_move if moves else position.to_move.other
    counts = position.group_counts
    groups = counts.black if colour is Colour.BLACK else counts.white
    word = "group " if groups == 1 else "groups"
    facts = f" {groups:>3} {word} {clock(game, game.snapshot, player, now):>6}"
    mark = ">" if moves else " "
    words = f"{mark} {SYMBOLS[colour]} {fitted(name, width - 4 - len(facts))}{facts}"
    return line(width, (words, "bold" if moves else ""))


def game_line(game: RunningGame, now: float, width: int) -> Text:
    """Return a running game as one line."""
    start = f"{title(game)}  " if width >= NARROW else f"#{game.scheduled.number}  "
    if game.snapshot is None:
        return line(width, start, players(game, width - len(start)))
    mover = game.snapshot.mover
    time, last = clock(game, game.snapshot, mover, now), last_turn(game)
    end = f"  {time:>7}"
    counts = game.snapshot.position.group_counts
    wide = f"  {counts.black:>2}-{counts.white:<2}"
    room = width - len(start) - len(end)
    if room >= 40 + len(wide):
        end = wide + end
        room -= len(wide)
    if room >= 36 + len(last):
        end += f"  {last}"
        room -= len(last) + 2
    return line(width, start, fitted(players(game, room), room), (end, "dim"))


def ended_line(played: PlayedGame) -> str:
    """Return a finished game in few words."""
    scheduled, outcome = played.scheduled, played.outcome
    one, other = (
        fitted(one_line(name), MAX_NAME_LENGTH).rstrip()
        for name in (scheduled.first, scheduled.second)
    )
    first, second = played.points
    points = "void" if outcome.is_void else f"{points_text(first)}-{points_text(second)}"
    number = f"#{scheduled.number} {scheduled.game.name}"
    return f"{number}  {one} {points} {other}  {outcome.score}, {outcome.termination.value}"


def players(game: RunningGame, room: int) -> str:
    """Return both names in `room` columns, the one to move with a mark."""
    names = [one_line(game.scheduled.first), one_line(game.scheduled.second)]
    marks = ["", ""]
    if game.snapshot is not None:
        marks[game.snapshot.mover] = "> "
    one, other = (f"{mark}{name}" for mark, name in zip(marks, names, strict=True))
    half = (room - 3) // 2
    if len(one) + len(other) + 3 > room:
        one, other = fitted(one, half).rstrip(), fitted(other, half).rstrip()
    return f"{one} - {other}"


def title(game: RunningGame) -> str:
    """Return for example `#12 yodd 6, turn 31`."""
    turn = f", turn {game.snapshot.turns + 1}" if game.snapshot else ""
    return f"#{game.scheduled.number} {game.scheduled.game.name} {game.scheduled.game.size}{turn}"


def last_turn(game: RunningGame) -> str:
    """Return the last turn and its time."""
    if game.snapshot is None:
        return "no turn yet"
    played = game.snapshot.last
    digits = 2 if played.seconds >= 0.1 else 3
    return f"{played.turn} in {played.seconds:.{digits}f} s"


def clock(game: RunningGame, snapshot: Snapshot, player: int, now: float) -> str:
    """Return the time left to a player; without a clock, the time it has been thinking."""
    left = snapshot.seconds_left[player]
    thinks = snapshot.mover == player
    thinking = max(0.0, now - game.last_turn) if thinks else 0.0
    if left >= HARD_CAP:
        return f"+{clock_text(thinking)}" if thinks else ""
    return clock_text(left - thinking)


def _stones(row: str, width: int) -> Text:
    text = line(width, fitted(row, width))
    for symbol, style in STONES.items():
        text.highlight_words([symbol], style)
    return text
