"""Positions from play that the side to move wins by force, as the solver proves."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from oddly.engines.engine import create_engine
from oddly.engines.position_reading import read_facts, read_position, turns_in
from oddly.engines.solver.solve import prepare, solver_of
from oddly.games import EMPTY, DropPosition, Game, Position, Turn
from oddly.games.turns import player_after
from oddly.protocol import Resign

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from oddly.engines.solver.solution import SearchingSolver

SIMULATIONS = 100
"""Simulations of the search that plays the games, for each drop or move."""
NODES = 500_000
"""Nodes of a proof; positions that take more are not used."""
NODES_OF_AN_ANSWER = 20_000_000
"""Nodes for judging an answer, which may lead to a harder position."""
SEEDS = 2**63
"""How many seeds an engine has."""
GAMES_IN_VAIN = 50
"""On a small board few games differ; the positions end after this many in a row without a new
one."""
MAX_EMPTY = {"yodd": 12, "xodd": 12, "odd": 13}
"""The most empty cells of a position; in Ayu they say nothing about how hard it is."""
BOARDS = (("yodd", 4), ("xodd", 5), ("odd", 4), ("ayu", 5), ("ayu", 7))
"""The boards that an engine is measured on by default."""


@dataclass(frozen=True, slots=True)
class DecidedPosition:
    """A position whose side to move wins by force, and the turns that lead to it."""

    turns: tuple[Turn, ...]
    position: Position

    def line(self) -> str:
        """Return the position as a line of JSON, as `oddly engine NAME --batch` reads it too."""
        game = self.position.game
        facts = {"game": game.name, "size": game.size, **game.settings}
        return json.dumps({**facts, "turns": " ".join(map(str, self.turns))})


def read_lines(lines: Iterable[str]) -> Iterator[DecidedPosition]:
    """Yield the positions of a file, one a line. Raises ValueError, which begins with the line."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _read_line(line)
        except (ValueError, TypeError) as error:
            raise ValueError(f"line {number}: {error}") from None


def _read_line(line: str) -> DecidedPosition:
    facts = read_facts(line)
    position = read_position(facts)
    if "turns" not in facts:
        raise ValueError('expected a field \'turns\', as in "turns": "Bc3 Wb2"')
    if position.is_over:
        raise ValueError(f"the game is over after these turns: {position.result}")
    return DecidedPosition(tuple(turns_in(facts)), position)


def decided_positions(game: Game, seed: int = 0) -> Iterator[DecidedPosition]:
    """Yield positions, each from a different game that `rave` plays against itself.

    Each is drawn from the earlier half of its game's proven wins. They end after GAMES_IN_VAIN
    games in a row without a new one.
    """
    prepare(game)
    solver = solver_of(game)
    random = Random(seed)
    seen: set[Hashable] = set()
    number = last_new = 0
    while number - last_new < GAMES_IN_VAIN:
        turns = play_game(game, (100_000 * seed + number) % SEEDS)
        won = _won_positions(game, turns, solver)
        number += 1
        if not won:
            continue
        decided = random.choice(won[len(won) // 2 :])
        if decided.position.key not in seen:
            seen.add(decided.position.key)
            last_new = number
            yield decided


def _won_positions(game: Game, turns: list[Turn], solver: SearchingSolver) -> list[DecidedPosition]:
    """Return the positions that the side to move provably wins, the last one first."""
    past = [game.start()]
    for turn in turns:
        past.append(past[-1].play(turn))
    won = []
    for index in range(len(turns) - 1, 0, -1):
        position = past[index]
        if position.stones.count(EMPTY) > MAX_EMPTY.get(game.name, len(game.board)):
            break
        solution = solver.solve(DropPosition(position), NODES)
        if solution is None:
            break
        if solution.winner is position.to_move:
            won.append(DecidedPosition(tuple(turns[:index]), position))
    return won


def play_game(game: Game, seed: int) -> list[Turn]:
    """Return the turns of a game that `rave` plays against itself."""
    engine = create_engine("rave")
    for name, value in (("simulations", SIMULATIONS), ("memory", 16), ("seed", seed)):
        engine.set_option(name, str(value))
    engine.prepare(game)
    engine.new_game()
    turns: list[Turn] = []
    position = game.start()
    while not position.is_over:
        turn = engine.choose(position)
        if isinstance(turn, Resign):
            break
        turns.append(turn)
        position = position.play(turn)
    return turns


def keeps_the_win(
    decided: DecidedPosition, answer: Turn | Resign, solver: SearchingSolver
) -> bool | None:
    """Return whether an answer keeps the win; None if it takes too long to prove either.

    None also if there is no win to keep, as in a position that somebody else wrote into a file.
    """
    position, mover = decided.position, decided.position.to_move
    if not isinstance(answer, Resign):
        after = position.play(answer)
        ended = after.result or solver.solve(DropPosition(after), NODES_OF_AN_ANSWER)
        if ended is None:
            return None
        if ended.winner is player_after(answer, mover):
            return True
    before = solver.solve(DropPosition(position), NODES_OF_AN_ANSWER)
    return False if before is not None and before.winner is mover else None
