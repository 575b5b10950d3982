"""The state of a conversation with GoGui: the turn being tapped, the taps before, and advice.

Advice says in a sentence what an engine would play, even if a human has begun the turn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oddly.engines import CommandError
from oddly.engines.session import Session
from oddly.games import (
    EMPTY,
    Colour,
    Drop,
    DropPosition,
    Drops,
    Game,
    GameError,
    IllegalTurn,
    PartialTurn,
    Pass,
    Position,
    Status,
    Turn,
    Vertex,
)
from oddly.games.partial_turn import next_tap, tapped, turn_ended_by
from oddly.interfaces.gogui.display import spelt
from oddly.protocol import Resign, grid_width

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from oddly.engines import Engine


GOOD = 0.1
"""How much more often the best turn may win than a turn that is still called good."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A turn, its win rate if the engine gives one, and a better turn.

    `otherwise` is what the engine would play without the stones that are placed, if that differs.
    """

    turn: Turn | Resign
    win_rate: float | None = None
    otherwise: Advice | None = None


def sentence(name: str, partial: PartialTurn, advice: Advice) -> str:
    """Return what the engine `name` would make of the turn.

    It says so if no good turn has the stones that are placed.
    """
    if isinstance(advice.turn, Resign):
        return f"{name} would resign"
    board = partial.start.game.board
    side = str(partial.to_move).capitalize()
    text = f"{name} would play {spelt(board, advice.turn)} as {side}{_wins(advice)}"
    otherwise = advice.otherwise
    if otherwise is None:
        return text
    if isinstance(otherwise.turn, Resign):
        return f"{text}; without these stones it would resign"
    better = f"{spelt(board, otherwise.turn)}{_wins(otherwise)}"
    if advice.win_rate is None or otherwise.win_rate is None:
        return f"{text}; without these stones it would play {better}"
    if otherwise.win_rate - advice.win_rate <= GOOD:
        return f"{text}; {better}, is about as good"
    placed = ", ".join(spelt(board, drop) for drop in partial.drops)
    return f"{text}; no good turn has {placed}: better {better}"


def _wins(advice: Advice) -> str:
    return "" if advice.win_rate is None else f", and win {advice.win_rate:.0%}"


class GoguiSession(Session):
    """The state that GoGui's commands act on. `position` is where the turn began."""

    def __init__(self, engine: Engine, game: Game) -> None:
        super().__init__(engine, game)
        self.opening: Sequence[tuple[Colour, Turn]] = ()
        self._begun_from: Position | None = None
        self._earlier: list[tuple[PartialTurn, Vertex | Pass]] = []
        self.partial = PartialTurn(self.position)
        self._plan: tuple[Hashable, Advice] | None = None
        self._way: set[Sequence[Drop]] = set()

    def go_on_from(self, turns: Sequence[tuple[Colour, Turn]]) -> None:
        """Begin this game after these turns, now and whenever it begins. Raises IllegalTurn."""
        position = self.game.start()
        for _, turn in turns:
            position = position.play(turn)
        self.opening, self._begun_from = tuple(turns), position
        self._start_from(position)

    def begin(self, game: Game) -> None:
        """Set up the starting position of `game`, or where a saved game of it goes on.

        Raises GameError if the engine cannot play it.
        """
        super().begin(game)
        saved = self._begun_from
        self._start_from(saved if saved is not None and saved.game == game else self.position)

    def set_position(self, position: Position) -> None:
        """Begin at a position of the current game. Raises GameError if the engine cannot play it.

        Nothing before it can be undone.
        """
        super().set_position(position)
        self._start_from(position)

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
        if before is None and self.position is self._begun_from and self.opening:
            *earlier, _ = self.opening
            before = self.game.start()
            for _, turn in earlier:
                before = before.play(turn)
        if before is None:
            return ()
        pairs = zip(before.stones, self.position.stones, strict=True)
        vertices = self.game.board.vertices
        return [vertices[index] for index, (was, now) in enumerate(pairs) if was != now]

    def tell_past(self, at: Position, drops: Sequence[Drop] = ()) -> None:
        """Give the turns up to `at` to an engine that needs the whole game.

        A turn of these drops begins at `at`, or has ended there.
        """

    def choose_turn(self, player: Colour) -> Turn | Resign:
        """Return the engine's turn for `player`, who must be to move, with the stones so far.

        The engine is asked once; its choice is kept until the turn ends or a human places other
        stones. Raises CommandError if no legal turn has the stones that are placed.
        """
        planned = self._planned()
        if planned is not None and player is self.position.to_move:
            return planned.turn
        advice = self._finish(player) if self.partial.drops else self._chosen_afresh(player)
        self._plan_on(advice)
        return advice.turn

    def advise(self) -> Advice:
        """Return the turn that the engine would make of the stones so far.

        Raises CommandError if the game is over.
        """
        planned, drops = self._planned(), self.partial.drops
        if planned is not None:
            return planned
        best = self._chosen_afresh(self.position.to_move)
        if not drops or _has(best.turn, drops):
            self._plan_on(best)
            return best
        return replace(self._finish(self.position.to_move), otherwise=best)

    def generate_tap(self, player: Colour) -> Vertex | Pass | Resign:
        """Play the next tap of the turn that `choose_turn` returns, and return it."""
        tap = self.choose_tap(player)
        if not isinstance(tap, Resign):
            self.tap(player, tap)
            self._way.add(self.partial.drops)
        return tap

    def choose_tap(self, player: Colour) -> Vertex | Pass | Resign:
        """Return the next tap of the turn that `choose_turn` returns. Plays nothing.

        Raises the errors of `choose_turn`, and RuntimeError if no tap leads to the turn: a bug.
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

    def _planned(self) -> Advice | None:
        """Return the plan, if the engine has begun it or it has the stones that a human placed."""
        if self._plan is None or not self.partial.is_begun or self._plan[0] != self.position.key:
            return None
        plan, drops = self._plan[1], self.partial.drops
        # A plan may place a stone in the other colour first: then the engine tapped it.
        return plan if not drops or drops in self._way or _has(plan.turn, drops) else None

    def _plan_on(self, advice: Advice) -> None:
        self._plan = None if isinstance(advice.turn, Resign) else (self.position.key, advice)
        self._way.clear()

    def _just_chosen(self, turn: Turn | Resign) -> Advice:
        """Return the turn that the engine has just chosen, with the win rate that it expects."""
        evaluation = self.engine.last_evaluation()
        return Advice(turn, None if evaluation is None else evaluation.win_rate)

    def _chosen_afresh(self, player: Colour) -> Advice:
        """Return the engine's turn without the tentative stones."""
        return self._just_chosen(self.choose(player))

    def _finish(self, player: Colour) -> Advice:
        """Return the engine's turn with the tentative stones, each in its colour.

        Raises CommandError if there is none.
        """
        partial = self.partial
        if player is not partial.to_move:
            raise CommandError(self._whose_turn())
        if partial.is_full and partial.can_end:
            return Advice(Drops(partial.drops))
        if partial.is_full or not partial.can_be_completed:
            mends = any(each.can_be_completed for each in partial.recoloured())
            how = "in these colours: change one" if mends else "that are placed: take one back"
            raise CommandError(f"no legal turn has the stones {how}")
        self.tell_past(partial.start)
        turn = self.engine.finish(DropPosition(partial.start, partial.drops))
        if turn is not None and partial.start.is_legal(turn) and _has(turn, partial.drops):
            return self._just_chosen(turn)
        return Advice(self._best_by_groups())

    def _best_by_groups(self) -> Turn:
        """Return the turn with the tentative stones that leaves the best groups."""
        start = self.position
        score, side = start.game.score, start.to_move
        return max(
            self.partial.completions(),
            key=lambda turn: score(start.group_counts_with(turn.drops), side) or 0,
        )

    def _start_from(self, position: Position) -> None:
        """Begin from `position` and forget earlier turns."""
        self._earlier.clear()
        self._plan = None
        self._way.clear()
        self._enter(PartialTurn(position))

    def _enter(self, partial: PartialTurn) -> None:
        self.partial = partial
        self.position = partial.start


def _has(turn: Turn | Resign, drops: Iterable[Drop]) -> bool:
    """Return whether a turn has these stones, each in its colour."""
    return isinstance(turn, Drops) and set(drops) <= set(turn.drops)
