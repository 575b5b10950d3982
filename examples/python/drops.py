#!/usr/bin/env python3
"""An engine that thinks of a turn as single drops: `oddly bridge "..." --drop-level` is for such.

It plays by lot. The rules of whole turns and most commands are those of `full.py`, beside this
file; what is here is how a turn is put together.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from full import (
    FULL_NAME,
    OTHER,
    Drop,
    Drops,
    Engine,
    Failure,
    Game,
    Position,
    Turn,
    player_of,
    read_turn,
    serve,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

Past = list[tuple[Position, tuple[Drop, ...]]]


class DropsEngine(Engine):
    """`position` is where the turn began, `drops` are those made in it."""

    past: Past

    def __init__(self) -> None:
        super().__init__()
        self.drops: tuple[Drop, ...] = ()

    def begin(self, game: Game) -> str:
        """Come to the start of a game."""
        self.drops = ()
        return super().begin(game)

    def act(self, action: Turn) -> None:
        """Carry out a drop, an `end`, a pass, a move or a swap. Fails if it is illegal."""
        if not isinstance(action, Drops):
            turn = self.ended() if action == "end" else action
            if action != "end" and self.drops:
                raise Failure("illegal move: a drop or the end of the turn is due")
            self.enter(self.position.play(turn), ())
            return
        drops = self.with_drop(action.drops[0])
        if len(drops) == self.most_drops():
            self.enter(self.position.play(Drops(drops)), ())
        elif any(self.turns_with(drops[0])):
            self.enter(self.position, drops)
        else:
            raise Failure("illegal move: no legal turn has that drop")

    def enter(self, position: Position, drops: tuple[Drop, ...]) -> None:
        """Remember where we are, and be somewhere else."""
        self.past.append((self.position, self.drops))
        self.position, self.drops = position, drops

    def most_drops(self) -> int:
        """How many drops end the turn by themselves."""
        return 1 if self.position.takes_one_drop() else 2

    def with_drop(self, drop: Drop) -> tuple[Drop, ...]:
        """The drops of this turn and one more, in the order that they are written in."""
        return tuple(sorted((*self.drops, drop)))

    def ended(self) -> Turn:
        """The turn that the drops so far make."""
        if not self.drops:
            raise Failure("illegal move: there is no turn to end")
        return Drops(self.drops)

    def turns_with(self, first: Drop) -> Iterator[Turn]:
        """The legal turns with this drop and no other, or with one more, in any order."""
        candidates = [Drops((first,))]
        if self.most_drops() == 2:
            candidates += [Drops(tuple(sorted((first, drop)))) for drop in self.any_drops()]
        return (turn for turn in candidates if not self.position.problem_with(turn))

    def any_drops(self) -> list[Drop]:
        """All drops on empty cells, legal or not, in any order."""
        found = [Drop(cell, colour) for cell in self.position.empty() for colour in OTHER]
        random.shuffle(found)
        return found

    def choose_action(self) -> Turn:
        """A drop by lot that is part of a legal turn; a pass to win, or for want of drops."""
        position = self.position
        if position.game.name == "ayu":
            return random.choice(list(position.legal_turns()))
        if self.drops:
            turn = random.choice(list(self.turns_with(self.drops[0])))
            rest = tuple(drop for drop in turn.drops if drop not in self.drops)
            return Drops(rest) if rest else "end"
        wins = position.passes and position.score().startswith(position.to_move)
        if not wins or position.problem_with("pass"):
            for drop in self.any_drops():
                if any(self.turns_with(drop)):
                    return Drops((drop,))
        return "pass"

    def do_name(self) -> str:
        return "drops-python"

    def do_play(self, colour: str, action: str) -> str:
        player = player_of(colour)
        read = "end" if action.lower() == "end" else read_turn(action, self.position.board)
        if isinstance(read, Drops) and len(read.drops) > 1:
            raise Failure("syntax error: one drop at a time")
        if player != self.position.to_move:
            raise Failure(f"illegal move: it is {FULL_NAME[self.position.to_move]}'s turn")
        self.act(read)
        return ""

    def do_genmove(self, colour: str) -> str:
        player = player_of(colour)
        if self.position.is_over():
            raise Failure("the game is over")
        if player != self.position.to_move:
            raise Failure(f"it is {FULL_NAME[self.position.to_move]}'s turn")
        action = self.choose_action()
        text = written(action, self.position.board)
        self.act(action)
        return text

    def do_undo(self) -> str:
        if not self.past:
            raise Failure("cannot undo")
        self.position, self.drops = self.past.pop()
        return ""


if __name__ == "__main__":
    serve(DropsEngine())
