"""Puzzles: positions from play in which exactly one turn wins, as the solver proves."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oddly.engines import engine_class, prepare, solver_of
from oddly.engines.plain_engines import GreedyEngine
from oddly.games import DropPosition, Game, Position, Swap, Turn, random_turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.engines import Solver
    from oddly.engines.solver.solution import KnownSolver, PlainSolver

MAX_NODES = 200_000
"""Positions that the solver may search for each turn before it gives a position up."""

TURNS_BEFORE_THE_END = range(2, 9)
"""How many turns before the end of a game a position is taken."""

GREEDY_SHARE = 0.5
"""How often a side plays for groups, so that positions look like those of games."""

FEWEST_TURNS = 4
"""The fewest legal turns of a position that makes a puzzle."""

GRADES = 5

EASY_SHARE = 0.4
"""The maximum share of puzzles of grade 1; some boards yield too many."""

GAMES_IN_VAIN = 1000
"""Small boards have few puzzles; they end after this many games in a row without a new one."""

WEAK = (("greedy", 0), ("uct", 10), ("uct", 30), ("uct", 100), ("uct", 300))
"""The engines that grade, with their simulations per drop or move."""

TRIES = 4
"""How often each engine tries a puzzle."""


@dataclass(frozen=True, slots=True)
class FoundPuzzle:
    """A position with its only winning turn, and the share of weak engines' tries that fail."""

    position: Position
    turn: Turn
    missed: float

    @property
    def grade(self) -> int:
        """The difficulty: 1 (at most a fifth of the tries fail) to 5 (more than four fifths)."""
        return max(1, -int(-self.missed * GRADES // 1))

    def facts(self) -> dict[str, Any]:
        """Return the values for a line of JSON."""
        game = self.position.game
        return {
            "game": game.name,
            "size": game.size,
            "settings": dict(game.settings),
            "stones": "".join(".XO"[stone] for stone in self.position.stones),
            "to_move": str(self.position.to_move),
            "passes": self.position.status.passes,
            "solutions": [str(self.turn)],
            "missed": round(self.missed, 2),
            "grade": self.grade,
        }


def some_puzzles(game: Game, number: int, seed: int) -> Iterator[FoundPuzzle]:
    """Yield a number of puzzles, of which at most two fifths have grade 1.

    They end after GAMES_IN_VAIN games in a row without a new one.
    """
    room = int(EASY_SHARE * number)
    left, in_vain = number, 0
    for puzzle in find_puzzles(game, seed):
        in_vain += 1
        if puzzle is not None and (puzzle.grade > 1 or room):
            room -= puzzle.grade == 1
            left, in_vain = left - 1, 0
            yield puzzle
        if not left or in_vain == GAMES_IN_VAIN:
            return


def find_puzzles(game: Game, seed: int) -> Iterator[FoundPuzzle | None]:
    """Yield puzzles endlessly, no position twice; None for each game that yields none."""
    chance = random.Random(f"{seed} {game}")
    prepare(game)
    solver = solver_of(game)
    graders = Graders(game)
    seen = set()
    while True:
        line = _game_played(game, chance)
        before = chance.choice(TURNS_BEFORE_THE_END)
        if before >= len(line) or line[-before - 1].key in seen:
            yield None
            continue
        position = line[-before - 1]
        seen.add(position.key)
        turn = only_winning_turn(position, solver)
        yield None if turn is None else FoundPuzzle(position, turn, graders.missed(position, turn))


def only_winning_turn(
    position: Position, solver: Solver | PlainSolver | KnownSolver
) -> Turn | None:
    """Return the only turn that wins; None if no turn wins, several do, or there is no proof."""
    turns = list(position.legal_turns())
    if len(turns) < FEWEST_TURNS:
        return None
    mover, found = position.to_move, None
    for turn in turns:
        after = position.play(turn)
        if after.result is not None:
            winner = after.result.winner
        elif (solution := solver.solve(DropPosition(after), MAX_NODES)) is not None:
            winner = solution.winner
        else:
            return None
        # The player who swaps holds the other colour from then on.
        if winner is (mover.other if isinstance(turn, Swap) else mover):
            if found is not None:
                return None
            found = turn
    return found


def _game_played(game: Game, chance: random.Random) -> Sequence[Position]:
    """Return the positions of a game that is played half at random and half for groups."""
    greedy = GreedyEngine()
    greedy.random = chance
    line = [game.start()]
    while not line[-1].is_over:
        position = line[-1]
        if chance.random() < GREEDY_SHARE:
            turn = greedy.choose(position)
        else:
            turn = random_turn(position, chance)
        line.append(position.play(turn))
    return line


class Graders:
    """The weak engines, which try puzzles."""

    def __init__(self, game: Game) -> None:
        self._engines = []
        for name, simulations in WEAK:
            engine = engine_class(name)()
            engine.prepare(game)
            if simulations:
                engine.set_option("simulations", str(simulations))
                engine.set_option("memory", "2")
            self._engines.append(engine)

    def missed(self, position: Position, turn: Turn) -> float:
        """Return the share of tries in which an engine does not find the turn."""
        tries = [
            self._finds(number, position, turn, seed)
            for number in range(len(self._engines))
            for seed in range(TRIES)
        ]
        return tries.count(False) / len(tries)

    def _finds(self, number: int, position: Position, turn: Turn, seed: int) -> bool:
        engine = self._engines[number]
        engine.set_option("seed", str(seed))
        engine.new_game()
        return engine.choose(position) == turn
