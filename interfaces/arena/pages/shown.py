"""One game of the arena as a page shows it, running or over, at one of its turns.

A chart as SVG has the players' chances, turn by turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from markupsafe import Markup

from oddly.games import Position, touched, xml_text
from oddly.games.wording import counted
from oddly.interfaces.human_play.recording import clock_text
from oddly.interfaces.viewer.viewer import board_markup, first_colour, positions_of, title
from oddly.protocol import parse_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.arena.game import ArenaGame
    from oddly.interfaces.arena.pages.reading import FinishedGame
    from oddly.protocol import TurnEvaluation
    from oddly.referee import GameRecord, PlayedTurn


@dataclass(frozen=True, slots=True)
class SpectatedGame:
    """A game with its positions."""

    id: str
    pool: str
    players: tuple[str, str]
    positions: Sequence[Position]
    turns: Sequence[PlayedTurn]
    clocks: tuple[float, float] | None
    """Both players' seconds left in a running game."""
    record: GameRecord | None
    """The record of a game that is over."""
    annulled: str = ""
    """Why the keeper has annulled it; empty if that is not so."""

    def expected(self, at: int) -> list[str]:
        """Return each player's last evaluation up to a turn, in words; empty if there is none."""
        found = ["", ""]
        for number, played in enumerate(self.turns[:at]):
            if played.evaluation is not None:
                found[number % 2] = _expectation(played.evaluation)
        return found

    def about(self, at: int) -> str:
        """Return what the board shows after `at` turns: its name for those who do not see it."""
        return f"{self.players[0]} against {self.players[1]} after {counted(at, 'turn')}"

    def line(self, at: int) -> str:
        """Return what happens at a turn, in a sentence."""
        last = len(self.turns)
        if at < last:
            return f"Turn {at} of {last}: {self.turns[at - 1].turn}." if at else f"Start of {last}."
        if self.record is None:
            return f"Turn {last + 1}: {self.players[last % 2]} is to move."
        outcome = self.record.outcome
        if outcome.is_void:
            return f"Void: {outcome.reason}."
        won = "" if outcome.winner is None else f"{self.players[outcome.winner]} wins: "
        why = f" ({outcome.reason})" if outcome.termination.is_forfeit and outcome.reason else ""
        return (
            f"{won}{outcome.score}, {outcome.termination.value} after {counted(last, 'turn')}{why}."
        )


def _expectation(evaluation: TurnEvaluation) -> str:
    """Return what an engine expects of the game, and how deeply it searched, as far as it says."""
    words = [f"expects {100 * evaluation.win_rate:.0f} %"]
    if evaluation.lead is not None:
        side = "behind" if evaluation.lead < 0 else "ahead"
        words.append(f"{side} by {abs(evaluation.lead):.1f}")
    if evaluation.depth is not None:
        words.append(f"{counted(evaluation.depth, 'turn')} deep")
    if evaluation.visits is not None:
        words.append(f"{evaluation.visits:,} visits")
    return ", ".join(words)


def running_game(game: ArenaGame, now: float) -> SpectatedGame:
    """Return a game that is played now."""
    positions = positions_of(game.plan.scheduled.game, game.texts())
    turns = tuple(game.turns[: len(positions) - 1])
    clocks = game.times_left(now).clocks
    return SpectatedGame(game.id, game.plan.pool, game.players, positions, turns, clocks, None)


def finished_game(identity: str, game: FinishedGame) -> SpectatedGame:
    """Return a game that is over."""
    record = game.record
    positions = positions_of(record.game, [played.turn for played in record.turns])
    turns = record.turns[: len(positions) - 1]
    return SpectatedGame(
        identity, game.pool, record.players, positions, turns, None, record, game.annulled
    )


def drawn(shown: SpectatedGame, turn: int | None = None) -> dict[str, Any]:
    """Return what a template shows of a game, by default at its end."""
    last = len(shown.positions) - 1
    at = last if turn is None else min(turn, last)
    return {
        **_board_of(shown, shown.positions[at], at),
        "last": last,
        "is_running": shown.record is None,
        "is_live": shown.record is None and at == last,
        "mover": last % 2,
        "clocks": [clock_text(left) for left in shown.clocks] if shown.clocks else ["", ""],
        "chart": chances_chart(shown.players, shown.turns),
        "annulled": shown.annulled,
        "turns": [played.turn for played in shown.turns],
    }


def change_of(game: ArenaGame, before: Sequence[int] | None, now: float) -> dict[str, Any]:
    """Return the changes for a spectator's page: all stones, or those that differ from `before`."""
    position = game.position
    at = len(game.turns)
    text = game.turns[-1].turn if game.turns else ""
    placed, left = touched(parse_turn(text) if text else None)
    names = {1: "black", 2: "white"}
    stones = {
        vertex: names.get(int(stone), "")
        for vertex, stone, was in zip(
            position.game.board.vertices, position.stones, before or position.stones, strict=True
        )
        if before is None or stone != was
    }
    shown = SpectatedGame(game.id, game.plan.pool, game.players, (), game.turns, None, None)
    return {
        "id": game.id,
        "turn": at,
        "text": text,
        "stones": stones,
        "placed": sorted(placed),
        "left": sorted(left),
        "about": shown.about(at),
        "mover": at % 2,
        **_sides(position, at),
        "clocks": [round(each, 2) for each in game.times_left(now).clocks],
        "expects": shown.expected(at),
        "said": game.turns[-1].evaluation and game.turns[-1].evaluation.win_rate if at else None,
        "line": shown.line(at),
        "over": False,
        **({"texts": [*game.texts()]} if before is None else {}),
    }


def on_air(game: ArenaGame, now: float) -> dict[str, Any]:
    """Return what a template shows of one running game among others: only the last position."""
    at = len(game.turns)
    shown = SpectatedGame(game.id, game.plan.pool, game.players, (), game.turns, None, None)
    return {
        **_board_of(shown, game.position, at),
        "is_live": True,
        "mover": at % 2,
        "clocks": [clock_text(left) for left in game.times_left(now).clocks],
    }


def _board_of(shown: SpectatedGame, position: Position, at: int) -> dict[str, Any]:
    """Return what a template shows of a game after `at` turns, however it goes on."""
    text = shown.turns[at - 1].turn if at else ""
    return {
        "id": shown.id,
        "pool": shown.pool,
        "title": title(position.game),
        "players": shown.players,
        "at": at,
        "board": board_markup(position, text, shown.about(at)),
        **_sides(position, at),
        "expects": shown.expected(at),
        "line": shown.line(at),
    }


def _sides(position: Position, at: int) -> dict[str, Any]:
    """Return the colours of both players after `at` turns, and the groups of each."""
    first = first_colour(at % 2, position.to_move)
    counts = position.group_counts
    by_colour = {"black": counts.black, "white": counts.white}
    colours = [str(first), str(first.other)]
    return {"colours": colours, "counts": [by_colour[each] for each in colours]}


def chances_chart(players: Sequence[str], turns: Sequence[PlayedTurn]) -> Markup:
    """Return the chances of the player who opened, turn by turn, as each engine sees them.

    A script adds points: x is the number of the turn, and y, from above, the other player's chance
    in percent.
    """
    lines: list[list[str]] = [[], []]
    for number, played in enumerate(turns, start=1):
        if played.evaluation is not None:
            player = (number - 1) % 2
            chance = played.evaluation.win_rate if player == 0 else 1 - played.evaluation.win_rate
            lines[player].append(f"{number},{100 * (1 - chance):.1f}")
    look = {"viewBox": f"0 0 {max(10, len(turns))} 100", "class": "chart chances", "role": "img",
            "preserveAspectRatio": "none"}  # fmt: skip
    root = ET.Element("svg", look)
    told = f"The chances of {players[0]}, from 0 below to 100 % above, as either engine sees them"
    ET.SubElement(root, "title").text = xml_text(told)
    half = {"class": "grid", "x1": "0", "x2": "10000", "y1": "50", "y2": "50"}
    ET.SubElement(root, "line", half)
    for player, points in enumerate(lines):
        ET.SubElement(root, "polyline", {"class": f"of-{player}", "points": " ".join(points)})
    # The library that writes XML escapes every text in it.
    return Markup(ET.tostring(root, "unicode"))  # noqa: S704
