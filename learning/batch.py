"""Many games at once on the kernels: arrays in, arrays out, and no Python for each action.

Random games from a position, for a search of your own, also use the kernel, if the game has one.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

import numpy as np

from oddly.engines import HAS_NUMBA, has_kernel
from oddly.games import DropPosition, Game, Illegality, IllegalTurn, Position
from oddly.learning.one_game import PLANES, grid_shape, observation_shape, places_on

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, eq=False)
class SavedGames:
    """An exact copy of the games of an environment, with the states of their generators."""

    game: Game
    arrays: tuple[np.ndarray, ...]
    generators: np.ndarray
    over: np.ndarray
    """Which games stay at their end."""

    def __len__(self) -> int:
        return len(self.over)


class BatchEnvironment:
    """`number` games of one kind that are played at once, each by its own actions.

    `reset` and `step` return read-only views of arrays that the next call overwrites: copy what you
    keep. With `auto_reset` a game that has ended begins again in the same step, which returns its
    rewards and its end beside the new game's observation. Without it, the game stays at its end,
    has an empty mask and takes no more actions. The arrays are

    - `observations`: uint8, (games, planes, rows, columns), the planes of `PLANES`;
    - `masks`: int8, (games, actions), 1 for each legal action;
    - `rewards`: float32, (games, 2), at an end 1 for the player who won and -1 for the other,
      else 0;
    - `ends`: bool, (games,), whether the last step ended the game;
    - `players`: int8, (games,), the player to move.

    Players are 0, who begins as Black, and 1. `threads` share the games; they run outside Python's
    lock. The first environment for a game on a machine compiles its kernel and says so.

    Raises ValueError if there is no game to play, or no kernel for it (`OneGame` needs none).

    >>> import oddly
    >>> from oddly.learning import BatchEnvironment
    >>> games = BatchEnvironment(oddly.create_game("odd", 2), 3, seed=1)
    >>> observations = games.reset()
    >>> observations.shape, games.masks.shape
    ((3, 8, 3, 3), (3, 14))
    >>> for _ in range(7):
    ...     observations, rewards, ends, masks = games.step(games.random_actions())
    >>> ends.tolist(), rewards.sum(axis=1).tolist()
    ([True, True, True], [0.0, 0.0, 0.0])
    """

    def __init__(
        self,
        game: Game,
        number: int,
        *,
        seed: SupportsIndex | Sequence[int] = 0,
        threads: int = 1,
        auto_reset: bool = True,
    ) -> None:
        if number < 1 or threads < 1:
            raise ValueError(f"{number} games in {threads} threads: expected 1 or more of each")
        if not has_kernel(game):
            raise ValueError(f"{game.name} has no kernel: OneGame plays it by its plain rules")
        from oddly.engines.kernels import batch
        from oddly.engines.kernels.batch import new_stack
        from oddly.engines.kernels.interface import new_state
        from oddly.engines.kernels.jit import warm

        self.game = game
        self.number = number
        self.auto_reset = auto_reset
        self._kernel: Any = batch
        self._start, self._stack = new_state(game), new_stack(game, number)
        self._places = places_on(game.board).copy()
        rows, columns = grid_shape(game.board)
        self._planes = np.zeros((number, len(PLANES), rows * columns), np.uint8)
        self._masks = np.zeros((number, game.action_count), np.int8)
        self._rewards = np.zeros((number, 2), np.float32)
        self._ends = np.zeros(number, np.bool_)
        self._over = np.zeros(number, np.bool_)
        self._players = np.zeros(number, np.int8)
        self._chosen = np.zeros(number, np.int32)
        self._generators = np.zeros(number, np.uint64)
        self.observations = _view(self._planes.reshape(number, *observation_shape(game)))
        self.masks = _view(self._masks)
        self.rewards = _view(self._rewards)
        self.ends = _view(self._ends)
        self.players = _view(self._players)
        # Plain Python runs in one thread at a time, so more would only cost.
        parts = min(threads, number) if HAS_NUMBA else 1
        bounds = np.linspace(0, number, parts + 1).astype(int).tolist()
        self._parts = list(pairwise(bounds))
        self._legal = np.zeros((len(self._parts), game.action_count), np.int32)
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None
        warm("learning", self._start, self._rehearse)
        self.reset(seed)

    def reset(self, seed: SupportsIndex | Sequence[int] | None = None) -> np.ndarray:
        """Begin all games anew and return their observations.

        `seed` sets the random actions: a seed for each game, or one number that gives each game a
        different one; None lets the generators go on. A seed is a whole number of any length.
        Raises ValueError for a wrong number of seeds.
        """
        if seed is not None:
            self._seed(seed)
        every = np.arange(self.number)
        self._kernel.begin_games(self._stack, self._start, every)
        self._rewards[:] = 0
        self._ends[:] = self._over[:] = False
        self._show(every)
        return self.observations

    def step(
        self, actions: np.ndarray | Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Play one action in each game; return `observations`, `rewards`, `ends` and `masks`.

        Raises IllegalTurn if one is illegal, and then changes no game; ValueError unless there is
        one action for each game.
        """
        given = np.asarray(actions)
        if given.shape != (self.number,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions of shape {given.shape} and type {given.dtype}: expected whole numbers, "
                f"of shape ({self.number},)"
            )
        self._chosen[:] = given
        # Beyond 32 bits, a number would be cut to that of another action.
        self._chosen[(given < 0) | (given >= self.game.action_count)] = -1
        wrong = self._kernel.first_illegal(self._masks, self._over, self._chosen)
        if wrong >= 0:
            self._refuse(wrong, int(given[wrong]))
        self._in_parts(self._step_part)
        return self.observations, self.rewards, self.ends, self.masks

    def random_actions(self) -> np.ndarray:
        """Return a uniformly random legal action of each game, int32; 0 where a game is over.

        They come from each game's own generator, so that equal seeds give equal games.
        """
        chosen = np.zeros(self.number, np.int32)

        def draw_part(part: int) -> None:
            first, last = self._parts[part]
            self._kernel.random_actions(self._masks, self._generators, first, last, chosen)

        self._in_parts(draw_part)
        return chosen

    def save(self) -> SavedGames:
        """Return an exact copy of all games, which nothing changes afterwards."""
        arrays = tuple(field.copy() for field in self._own_arrays())
        return SavedGames(self.game, arrays, self._generators.copy(), self._over.copy())

    def restore(
        self,
        saved: SavedGames,
        source: Sequence[int] | np.ndarray | None = None,
        target: Sequence[int] | np.ndarray | None = None,
    ) -> np.ndarray:
        """Put saved games back, and return the observations.

        Game `source[i]` of the copy goes to game `target[i]`; without them each goes to its own
        place. A saved game may go to many places. Raises ValueError if the copy is of another game,
        if no game has one of these numbers, or if a saved game is over and games begin again here.
        """
        if saved.game != self.game:
            raise ValueError(f"these games are of {saved.game}, the environment's of {self.game}")
        targets = _numbers(target, self.number)
        sources = _numbers(source, len(saved))
        if len(targets) != len(sources):
            raise ValueError(f"{len(sources)} saved games for {len(targets)} places")
        over = saved.over[sources]
        if self.auto_reset and over.any():
            raise ValueError(
                f"saved game {sources[over][0]} is over: with auto_reset no game stays at its end"
            )
        for field, kept in zip(self._own_arrays(), saved.arrays, strict=True):
            field[targets] = kept[sources]
        self._generators[targets] = saved.generators[sources]
        self._over[targets] = over
        self._ends[targets] = False
        self._rewards[targets] = 0
        self._show(targets)
        return self.observations

    def load(self, number: int, position: Position | DropPosition) -> None:
        """Put a position into game `number`.

        Raises ValueError if no game has this number, or if the position belongs to another game or
        is over.
        """
        from oddly.engines.kernels.interface import load

        _numbers([number], self.number)
        if position.game != self.game or position.is_over:
            raise ValueError(f"expected a position of {self.game} that is not over")
        at = DropPosition(position) if isinstance(position, Position) else position
        fields = (
            field if isinstance(field, tuple) else field[min(number, len(field) - 1)]
            for field in self._stack
        )
        load(type(self._stack)(*fields), at)
        self._ends[number] = self._over[number] = False
        self._rewards[number] = 0
        self._show(np.array([number]))

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays, which do not grow."""
        fields = (field for field in vars(self).values() if isinstance(field, np.ndarray))
        own = (field for field in fields if field.base is None)
        return sum(array.nbytes for array in (*self._own_arrays(), *own))

    def _own_arrays(self) -> list[np.ndarray]:
        """Return the arrays that differ from game to game."""
        return [
            field
            for field, table in zip(self._stack, self._start, strict=True)
            if not isinstance(field, tuple) and not np.may_share_memory(field, table)
        ]

    def _seed(self, seed: SupportsIndex | Sequence[int]) -> None:
        from oddly.engines.kernels.numbers import generator

        seeds: Any = seed
        if np.ndim(seeds) == 0:
            first = index(seeds) << 32
            seeds = range(first, first + self.number)
        if len(seeds) != self.number:
            raise ValueError(f"{len(seeds)} seeds for {self.number} games")
        self._generators[:] = [generator(index(each))[0] for each in seeds]

    def _show(self, games: np.ndarray) -> None:
        """Write what is seen of these games, given by their numbers, to the arrays."""
        self._kernel.show_games(
            self._stack, games, self._planes, self._masks, self._players, self._places,
            self._legal[0],
        )  # fmt: skip

    def _step_part(self, part: int) -> None:
        first, last = self._parts[part]
        self._kernel.step_games(
            self._stack, self._start, first, last, self._chosen, self._planes, self._masks,
            self._rewards, self._ends, self._over, self._players, self._places, self._legal[part],
            self.auto_reset,
        )  # fmt: skip

    def _in_parts(self, work: Callable[[int], None]) -> None:
        """Have each thread do its part."""
        if self._pool is None:
            work(0)
            return
        for _ in self._pool.map(work, range(len(self._parts))):
            pass

    def _rehearse(self) -> None:
        """Call every compiled function once."""
        self.reset(0)
        self.step(self.random_actions())

    def _refuse(self, number: int, action: int) -> NoReturn:
        where = f"game {number}: action {action}"
        if not 0 <= action < self.game.action_count:
            most = self.game.action_count - 1
            raise IllegalTurn(Illegality.WRONG_KIND, f"{where}, expected a number from 0 to {most}")
        written = self.game.action_of(action)
        raise IllegalTurn(Illegality.FORBIDDEN, f"{where}, {written}, is illegal: see its mask")


def _view(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view


def _numbers(given: Sequence[int] | np.ndarray | None, end: int) -> np.ndarray:
    """Return numbers of games, 0 to `end` - 1. Raises ValueError."""
    numbers = np.arange(end) if given is None else np.asarray(given)
    if numbers.ndim != 1 or (len(numbers) and numbers.dtype.kind not in "iu"):
        raise ValueError(
            f"numbers of games of shape {numbers.shape} and type {numbers.dtype}: expected a row "
            f"of whole numbers{', as np.flatnonzero returns' if numbers.dtype.kind == 'b' else ''}"
        )
    wrong = numbers[(numbers < 0) | (numbers >= end)]
    if len(wrong):
        raise ValueError(f"there is no game {wrong[0]}: expected numbers from 0 to {end - 1}")
    return numbers.astype(np.int64)


class Playouts:
    """Plays uniformly random actions from positions of a game to the end.

    Equal seeds and equal questions give equal answers. One thread may use it at a time. A game
    without a kernel is played by its plain rules, far slower, and at most 200 times a question.

    >>> import oddly
    >>> from oddly.learning import Playouts
    >>> start = oddly.create_game("odd", 3).start()
    >>> 0.4 < Playouts(start.game, seed=1).black_share(start, 1000) < 0.6
    True
    """

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = game
        self._seed = seed
        if not has_kernel(game):
            return
        from oddly.engines.kernels import interface
        from oddly.engines.kernels.jit import warm
        from oddly.engines.kernels.numbers import generator

        self._kernel: Any = interface
        self._at, self._scratch = interface.new_state(game), interface.new_state(game)
        self._random = generator(seed)
        # The same program as an engine's estimate, so that both are compiled once.
        warm("estimate", self._at, lambda: self._points(self._random.copy(), 1))

    def black_share(self, position: Position | DropPosition, number: int = 1) -> float:
        """Return Black's share of the points, 0 to 1, in `number` random games from a position.

        A draw is half a point each. A game that is over already has its result. Raises ValueError
        for a position of another game, or no game to play.
        """
        if position.game != self.game or number < 1:
            raise ValueError(f"expected a position of {self.game}, and 1 playout or more")
        at = DropPosition(position) if isinstance(position, Position) else position
        if not has_kernel(self.game):
            from oddly.games.legal_turns import black_share

            self._seed += 1
            return black_share(at, number, self._seed)
        self._kernel.load(self._at, at)
        return float(self._points(self._random, number)) / number

    def _points(self, random: Any, number: int) -> float:  # noqa: ANN401 - a kernel's array
        points: float = self._kernel.black_points(self._scratch, self._at, random, number)
        return points
