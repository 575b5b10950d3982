"""A game of `games/` and the brute force side by side, and how they are compared."""

from dataclasses import dataclass
from random import Random
from typing import Any, Self

from oddly.games.catalogue import create_game
from oddly.games.game import Position
from oddly.games.turns import EMPTY, PASS, SWAP, Colour, Drop, Drops, IllegalTurn, Move, Turn
from tests.games import brute_force
from tests.games.brute_force import Naive

COLOURS = {"B": Colour.BLACK, "W": Colour.WHITE}


def turn_from_text(text: str) -> Turn:
    """The turn that is written so; good enough for well-formed text."""
    if text == "pass":
        return PASS
    if text == "swap":
        return SWAP
    if "-" in text:
        return Move(*text.split("-"))
    return Drops(tuple(Drop(COLOURS[drop[0]], drop[1:]) for drop in text.split(",") if drop))


def illegality(position: Position, text: str) -> str | None:
    """The name of the rule that a turn breaks here, or None if it is legal."""
    try:
        position.play(turn_from_text(text))
    except IllegalTurn as error:
        refusal = error
    else:
        return None
    assert len(refusal.reason) > 5
    assert "\n" not in refusal.reason
    return refusal.illegality.name


@dataclass(frozen=True)
class Pair:
    """One position, as `games/` and as the brute force see it."""

    position: Position
    naive: Naive

    @classmethod
    def at_start(cls, name: str, size: int, settings: dict[str, Any]) -> Self:
        """The initial position of a game."""
        game = create_game(name, size, settings)
        return cls(game.start(), brute_force.start(name, size, **settings))

    def play(self, text: str) -> Self:
        """The position after a legal turn, on both sides."""
        return Pair(self.position.play(turn_from_text(text)), self.naive.play(text))

    def assert_same_position(self) -> None:
        """Stones, side to move, group counts and result agree."""
        position, naive = self.position, self.naive
        vertices = position.game.board.vertices
        stones = {
            vertex: Colour(stone).letter
            for vertex, stone in zip(vertices, position.stones, strict=True)
            if stone != EMPTY
        }
        assert stones == naive.stones
        assert position.to_move.letter == naive.to_move
        assert tuple(position.group_counts) == naive.counts
        assert (None if position.result is None else str(position.result)) == naive.result
        assert position.is_over == (naive.result is not None)

    def assert_same_turns(self) -> None:
        """The legal turns agree, each found once and canonically written."""
        turns = [str(turn) for turn in self.position.legal_turns()]
        assert len(turns) == len(set(turns))
        assert set(turns) == set(self.naive.legal_turns)

    def assert_same_judgement(self, text: str) -> None:
        """A turn is legal on both sides, or refused with a reason that the brute force knows."""
        broken = self.naive.broken_rules(text)
        found = illegality(self.position, text)
        assert (found is None) == (not broken), (text, found, broken)
        assert found is None or found in broken, (text, found, broken)
        assert self.position.is_legal(turn_from_text(text)) == (not broken)


def any_turn(naive: Naive, random: Random) -> str:
    """A turn that may be legal here or break a rule in any way."""
    vertices = [*naive.neighbours, "z1", "a0", "a99"]
    kind = random.randrange(12)
    if kind == 0:
        return random.choice(["pass", "swap", ""])
    if kind == 1:
        return f"{random.choice(vertices)}-{random.choice(vertices)}"
    if isinstance(naive, brute_force.NaiveAyu) and kind < 11:
        return _move_nearby(naive, random)
    number = random.choice([1, 1, 1, 2, 2, 2, 2, 3])
    if kind < 9:
        vertices = [vertex for vertex in naive.neighbours if vertex not in naive.stones] or vertices
    return ",".join(f"{random.choice('BW')}{random.choice(vertices)}" for _ in range(number))


def _move_nearby(naive: Naive, random: Random) -> str:
    """A move of some piece to a point next to its unit, or next to the piece itself."""
    origin = random.choice(list(naive.stones))
    unit = sorted(brute_force.group_of(naive.neighbours, naive.stones, origin))
    beside = random.choice([origin, random.choice(unit)])
    return f"{origin}-{random.choice(naive.neighbours[beside])}"
