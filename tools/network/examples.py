"""Examples: positions of games as the player to move sees them, and what became of them."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.engines.kernels.group_rules import BLACK, DROPS, EMPTIES, SIDE, WHITE, touched
from oddly.engines.kernels.interface import (
    action_count,
    is_over,
    load,
    new_state,
    play_action,
    reward,
    safe_actions,
)
from oddly.engines.kernels.learnt import NO_JUDGE, NO_PRIOR
from oddly.engines.kernels.network import NO_NETWORK, new_network
from oddly.engines.rave_engine import tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.games import DropPosition

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oddly.games import Game

MAX_ACTIONS = 40
"""So many of the actions that a search tried most often are kept."""

RANDOM_ACTIONS = (0, 1, 2, 3, 4, 6, 8, 12)
"""A game begins with one of these numbers of random actions."""

VARIED_ACTIONS, SHARPNESS = (4, 40), 1.5
"""Then actions are drawn by this power of the visits, up to an action between these."""

LEAST_SIMULATIONS, LEAST_TO_LEARN_FROM = 100, 300
"""Of published games: of both players, and of one whose turns are learnt."""


class Examples(NamedTuple):
    """One row for each position, as the player to move sees it.

    `cells`: 1 own stone, 2 the opponent's, else 4 times the own groups that touch the cell, at most
    3, and 16 times the opponent's. `legal`: bits of the promising actions, drops of an own stone
    before those of the opponent's colour. `moment`, `lead` and `empties` are the facts of
    `network.py`. `actions` (-1: none) were tried with `shares`; `won` is 1 if the player to move
    won. `game` numbers the games.
    """

    cells: np.ndarray
    legal: np.ndarray
    moment: np.ndarray
    lead: np.ndarray
    empties: np.ndarray
    actions: np.ndarray
    shares: np.ndarray
    won: np.ndarray
    game: np.ndarray


class Line(NamedTuple):
    """A game: its actions, what was tried before some of them, and whether Black won."""

    actions: list[int]
    tried: dict[int, dict[int, int]]
    black_won: float


def joined(parts: list[Examples]) -> Examples:
    """Return all examples, the games numbered on."""
    first, numbered = 0, []
    for part in parts:
        numbered.append(part._replace(game=part.game + first))
        first += int(part.game.max(initial=-1)) + 1
    return Examples(*(np.concatenate(column) for column in zip(*numbered, strict=True)))


def read(file: Path) -> Examples:
    """Return the examples in a file."""
    with np.load(file, allow_pickle=False) as arrays:
        return Examples(**{name: arrays[name] for name in Examples._fields})


def play(
    game: Game, games: int, simulations: int, seed: int, *, with_network: bool
) -> Iterator[Line]:
    """Yield games of `rave` against itself, without prior and judge."""
    network = new_network(game) if with_network else NO_NETWORK
    searcher = Searcher(game, megabytes=128, prior=NO_PRIOR, judge=NO_JUDGE, network=network)
    settings = replace(tuned_for(game), trust=0.0)
    for number in range(games):
        random = Random(seed + number)
        searcher.forget(random.randrange(1 << 30))
        searcher.load(DropPosition(game.start()))
        random_actions, varied = random.choice(RANDOM_ACTIONS), random.randint(*VARIED_ACTIONS)
        actions: list[int] = []
        tried: dict[int, dict[int, int]] = {}
        while not is_over(searcher.root):
            if len(actions) < random_actions:
                action = random.choice(searcher.safe_actions())
            else:
                finding = searcher.think(settings, simulations=simulations)
                votes = searcher.votes().items()
                action = finding.action
                visits = {a: int(v.visits) for a, v in votes if v.visits > 0 and not v.is_lost}
                if visits and not finding.is_proven:
                    tried[len(actions)] = visits
                if visits and len(actions) < varied:
                    weights = [count**SHARPNESS for count in visits.values()]
                    (action,) = random.choices(list(visits), weights)
            actions.append(action)
            searcher.play(action)
        yield Line(actions, tried, float(reward(searcher.root)))


def published(game: Game, file: Path) -> Iterator[Line]:
    """Yield the games of searches that a study published; each turn was tried once."""
    where = {str(vertex): index for index, vertex in enumerate(game.board.vertices)}
    cells = len(game.board)
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            facts = json.loads(line)
            strengths = [
                int(name.split()[1]) for name in facts.get("players", ()) if "rave" in name
            ]
            if len(strengths) < 2 or min(strengths) < LEAST_SIMULATIONS:
                continue
            actions: list[int] = []
            tried: dict[int, dict[int, int]] = {}
            for colour, turn, _ in facts["turns"]:
                made = [2 * cells]
                if turn != "pass":
                    made = [2 * where[drop[1:]] + (drop[0] == "W") for drop in turn.split(",")]
                    if len(made) == 1 and actions:
                        made.append(2 * cells + 1)
                for action in made:
                    if strengths[colour == "white"] >= LEAST_TO_LEARN_FROM:
                        tried[len(actions)] = {action: 1}
                    actions.append(action)
            yield Line(actions, tried, float(facts["winning_colour"] == "black"))


def examples_of(game: Game, lines: Iterator[Line]) -> Examples:
    """Return the examples of some games."""
    parts = [_examples_in(game, line) for line in lines]
    if not any(len(part.won) for part in parts):
        raise SystemExit("these games have no examples")
    return joined(parts)


def _examples_in(game: Game, line: Line) -> Examples:
    state, legal = new_state(game), np.zeros(action_count(game), np.int32)
    load(state, DropPosition(game.start()))
    colours = np.full(len(game.board), -1)
    rows = []
    for number, action in enumerate(line.actions):
        if number in line.tried:
            side = int(state.numbers[SIDE])
            count = int(safe_actions(state, legal))
            seen = _as_seen(state, colours, side)
            won = line.black_won if side == 0 else 1 - line.black_won
            known = _targets(line.tried[number], legal[:count], side, 2 * len(colours))
            rows.append((*seen[:1], known[0], *seen[1:], *known[1:], won, 0))
        if action < 2 * len(colours):
            colours[action >> 1] = action & 1
        play_action(state, action)
    bits = -(-(2 * len(colours) + 2) // 8)
    shapes = [(len(colours),), (bits,), (), (), (), (MAX_ACTIONS,), (MAX_ACTIONS,), (), ()]
    types = ("u1", "u1", "i1", "i1", "i2", "i2", "f2", "f4", "i4")
    columns = zip(*rows, strict=True) if rows else [[] for _ in shapes]
    return Examples(
        *(
            np.array(column, kind).reshape(-1, *shape)
            for column, kind, shape in zip(columns, types, shapes, strict=True)
        )
    )


def _as_seen(state: object, colours: np.ndarray, side: int) -> tuple[np.ndarray, int, int, int]:
    """Return the cells, the moment, the lead and the empty cells."""
    numbers, points = state.numbers, state.points  # type: ignore[attr-defined]
    cells = np.where(colours == side, 1, 2).astype(np.uint8)
    for index in (colours < 0).nonzero()[0]:
        point = np.uint64(points[index])
        own, other = (min(int(touched(state, point, colour)), 3) for colour in (side, 1 - side))
        cells[index] = own << 2 | other << 4
    lead = int(numbers[WHITE] - numbers[BLACK]) * (1 if side == 0 else -1)
    moment = 0 if numbers[DROPS] == 0 else 1 + int(numbers[BLACK] + numbers[WHITE]) % 2
    return cells, moment, lead, int(numbers[EMPTIES])


def _targets(
    tried: dict[int, int], legal: np.ndarray, side: int, drops: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the bits of the legal actions, and the actions tried most often with their shares."""
    flags = np.zeros(drops + 2, bool)
    flags[np.where(legal < drops, legal ^ side, legal)] = True
    actions = np.full(MAX_ACTIONS, -1, np.int16)
    shares = np.zeros(MAX_ACTIONS, np.float16)
    most = sorted(tried.items(), key=lambda item: -item[1])[:MAX_ACTIONS]
    for place, (action, visits) in enumerate(most):
        actions[place] = action ^ side if action < drops else action
        shares[place] = visits / sum(visits for _, visits in most)
    return np.packbits(flags), actions, shares
