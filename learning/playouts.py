"""Random games from a position, for a search of one's own: on the kernels where there is one."""

from __future__ import annotations

from typing import Any

from oddly.engines import has_kernel
from oddly.games import DropPosition, Game, Position


class Playouts:
    """Plays uniformly random actions from positions of a game to the end.

    Equal seeds and equal questions give equal answers. One thread may use it at a time. A game
    without a kernel is played by its plain rules, far slower.

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
        from oddly.engines.kernels.numbers import generator
        from oddly.engines.kernels.warm import warm

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
            from oddly.engines.kernels.available import black_share

            self._seed += 1
            return black_share(at, number, self._seed)
        self._kernel.load(self._at, at)
        return float(self._points(self._random, number)) / number

    def _points(self, random: Any, number: int) -> float:  # noqa: ANN401 - a kernel's array
        points: float = self._kernel.black_points(self._scratch, self._at, random, number)
        return points
