"""The state of a conversation with GoGui: the turn being tapped, and the taps before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.engines import CommandError
from oddly.engines.session import Session
from oddly.games import EMPTY, Colour, GameError, IllegalTurn, PartialTurn, Status
from oddly.games.taps import next_tap, tapped, turn_ended_by
from oddly.protocol import Resign, grid_width

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from oddly.engines import Engine
    from oddly.games import Game, Pass, Position, Turn, Vertex


class GoguiSession(Session):
    """The state that GoGui's commands act on. `position` is where the turn began."""

    def __init__(self, engine: Engine, game: Game) -> None:
        super().__init__(engine, game)
        self._earlier: list[tuple[PartialTurn, Vertex | Pass]] = []
        self.partial = PartialTurn(self.position)
        self._plan: tuple[Hashable, Turn] | None = None

    def begin(self, game: Game) -> None:
        """Set up the starting position of `game`. Raises GameError if the engine cannot play it."""
        super().begin(game)
        self._start_from(self.position)

    def set_width(self, width: int) -> None:
        """Begin the same game on the board with a grid of `width` points.

        Raises CommandError if the game has no such board.
        """
        present = grid_width(self.game.board)
        if width == present:
            self.begin(self.game)
        elif self.game.board.shape == "square":
            self.set_size(width)
        elif width % 2 == 0:
            raise CommandError(
                f"unacceptable size {width}: a hexhex board of base n is 2n - 1 points wide, "
                f"this one {present}"
            )
        else:
            self.set_size((width + 1) // 2)

    def tap(self, player: Colour, tap: Vertex | Pass) -> None:
        """Play one tap of `player`. Raises CommandError if it is not legal."""
        if not self.position.is_over and player is not self.position.to_move:
            raise CommandError(f"illegal move: {self._whose_turn()}")
        try:
            after = tapped(self.partial, tap)
        except IllegalTurn as error:
            raise CommandError(f"illegal move: {error.reason}") from None
        self._earlier.append((self.partial, tap))
        self._enter(after)

    def tap_all(self, taps: Iterable[tuple[Colour, Vertex | Pass]]) -> None:
        """Play these taps, or none of them if one is illegal. Raises CommandError."""
        before, number = self.partial, len(self._earlier)
        for count, (player, tap) in enumerate(taps, start=1):
            try:
                self.tap(player, tap)
            except CommandError as error:
                del self._earlier[number:]
                self._enter(before)
                raise CommandError(f"{error} (move {count} of the sequence)") from None

    def undo(self) -> None:
        """Take back the last tap. Raises CommandError if there is none."""
        if not self._earlier:
            raise CommandError("cannot undo")
        self._enter(self._earlier.pop()[0])

    @property
    def first(self) -> Position:
        """The position before the first turn."""
        return self._earlier[0][0].start if self._earlier else self.position

    @property
    def turns(self) -> list[tuple[Colour, Turn]]:
        """The turns from `first` to `position`, each with its player."""
        after = [*(partial.start for partial, _ in self._earlier[1:]), self.position]
        return [
            (partial.to_move, turn_ended_by(partial, tap))
            for (partial, tap), then in zip(self._earlier, after, strict=False)
            if then is not partial.start
        ]

    @property
    def last_vertices(self) -> Sequence[Vertex]:
        """The points that the turn before `position` changed; none after a pass or a set-up."""
        starts = (partial.start for partial, _ in reversed(self._earlier))
        before = next((start for start in starts if start is not self.position), None)
        if before is None:
            return ()
        pairs = zip(before.stones, self.position.stones, strict=True)
        vertices = self.game.board.vertices
        return [vertices[index] for index, (was, now) in enumerate(pairs) if was != now]

    def choose_turn(self, player: Colour) -> Turn | Resign:
        """Return the engine's turn for `player`, who must be to move, from the taps so far.

        The engine is asked once; its choice is kept until the turn has ended. Raises CommandError
        if no legal turn has the stones tapped so far.
        """
        key = self.position.key
        if self.partial.is_begun and self._plan is not None and self._plan[0] == key:
            planned = self._plan[1]
            if player is self.position.to_move and next_tap(self.partial, planned) is not None:
                return planned
        turn = self.choose(player)
        if not isinstance(turn, Resign):
            if next_tap(self.partial, turn) is None:
                turn = self._finish()
            self._plan = key, turn
        return turn

    def choose_tap(self, player: Colour) -> Vertex | Pass | Resign:
        """Return the next tap of the turn that `choose_turn` returns. Plays nothing.

        Raises its errors, and RuntimeError if no tap leads to the turn, which is a bug.
        """
        turn = self.choose_turn(player)
        if isinstance(turn, Resign):
            return turn
        tap = next_tap(self.partial, turn)
        if tap is None:
            raise RuntimeError(f"no way from {self.partial} to {turn}")
        return tap

    def set_up(self, stones: Mapping[Vertex, Colour]) -> None:
        """Begin from these stones alone, with any side to move that the rules permit.

        Raises CommandError if the rules permit none.
        """
        board = self.game.board
        lying = [int(stones.get(vertex, EMPTY)) for vertex in board.vertices]
        try:
            self._start_from(self._set_up(lying, self.position.to_move))
        except GameError as first:
            try:
                self._start_from(self._set_up(lying, self.position.to_move.other))
            except GameError:
                raise CommandError(f"cannot set up that position: {first}") from None

    def set_up_player(self, player: Colour) -> None:
        """Begin from the present stones with `player` to move.

        Raises CommandError if the rules do not permit it.
        """
        if player is self.position.to_move and not self.partial.is_begun:
            return
        try:
            self._start_from(self._set_up(self.position.stones, player))
        except GameError as error:
            raise CommandError(f"cannot set up that position: {error}") from None

    def _set_up(self, stones: Iterable[int], player: Colour) -> Position:
        return self.game.set_up(list(stones), player, Status())

    def _finish(self) -> Turn:
        """Return the best turn with the tentative stones, judged without a search."""
        start = self.position
        turns = [turn for each in self.partial.recoloured() for turn in each.completions()]
        if not turns:
            raise CommandError("no legal turn has the stones that are placed: take one back")
        score, side = start.game.score, start.to_move
        return max(turns, key=lambda turn: score(start.group_counts_with(turn.drops), side) or 0)

    def _start_from(self, position: Position) -> None:
        """Begin from `position` and forget earlier turns."""
        self._earlier.clear()
        self._plan = None
        self._enter(PartialTurn(position))

    def _enter(self, partial: PartialTurn) -> None:
        self.partial = partial
        self.position = partial.start
