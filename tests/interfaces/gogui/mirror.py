"""The table of taps once more, naively, on top of `games/`: what GoGui must be shown."""

from dataclasses import dataclass, field

from oddly.games.catalogue import create_game
from oddly.games.colour import Colour
from oddly.games.game import Position
from oddly.games.groups import units
from oddly.games.turns import PASS, SWAP, Drop, Drops, Move, Turn
from oddly.protocol.points import gogui_vertex, grid_width, vertex_at


@dataclass
class Mirror:
    """A position of `games/`, the stones placed this turn, and the piece that was taken."""

    position: Position
    placed: dict[str, Colour] = field(default_factory=dict)
    origin: str | None = None
    turns: list[Turn] = field(default_factory=list)

    @classmethod
    def of(cls, name, size, settings):
        return cls(create_game(name, size, settings).start())

    @property
    def board(self):
        return self.position.game.board

    @property
    def stones(self):
        return {
            **{v: Colour(stone) for v, stone in self._lying if stone},
            **self.placed,
        }

    @property
    def _lying(self):
        return zip(self.board.vertices, self.position.stones, strict=True)

    def legal(self) -> dict[str, str]:
        """The legal taps as GoGui writes them, with what they are here."""
        found = self._legal_points()
        return {**{gogui_vertex(self.board, v): v for v in found}, **self._legal_pass()}

    def _ends(self) -> bool:
        drops = Drops(tuple(Drop(c, v) for v, c in self.placed.items()))
        return bool(self.placed) and self.position.is_legal(drops)

    def _legal_points(self) -> set[str]:
        if self.position.is_over:
            return set()
        turns = list(self.position.legal_turns())
        if self.position.most_drops == 0:
            moves = [turn for turn in turns if isinstance(turn, Move)]
            if self.origin is None:
                return {move.origin for move in moves}
            return {move.destination for move in moves if move.origin == self.origin} | {
                self.origin
            }
        lying = set(self.stones) - set(self.placed)
        found = set(self.placed) | (lying if self._ends() else set())
        if not self.placed:
            return found | {d.vertex for t in turns if isinstance(t, Drops) for d in t.drops}
        if len(self.placed) < self.position.most_drops:
            found |= set(self.board.vertices) - set(self.stones)
        return found

    def _legal_pass(self) -> dict[str, str]:
        if self.placed:
            return {"pass": "pass"} if self._ends() else {}
        fresh = not self.origin and not self.position.is_over
        turns = [PASS, SWAP] if fresh else []
        return {"pass": "pass"} if any(map(self.position.is_legal, turns)) else {}

    def tap(self, vertex: str) -> None:
        mover = self.position.to_move
        if self.position.most_drops == 0:
            if vertex == "pass":
                self.play(SWAP)
            elif self.origin in (None, vertex):
                self.origin = vertex if self.origin is None else None
            else:
                self.play(Move(self.origin, vertex))
        elif vertex in self.placed:
            self.placed[vertex] = self.placed[vertex].other
        elif vertex in self.stones or (vertex == "pass" and self.placed):
            self.play(Drops(tuple(Drop(c, v) for v, c in self.placed.items())))
        elif vertex == "pass":
            self.play(PASS)
        else:
            self.placed[vertex] = mover

    def play(self, turn: Turn) -> None:
        self.position = self.position.play(turn)
        self.turns.append(turn)
        self.placed, self.origin = {}, None

    def rules_board(self) -> str:
        width = grid_width(self.board)
        rows = []
        for y in range(width, 0, -1):
            vertices = [vertex_at(self.board, x, y) for x in range(1, width + 1)]
            rows.append(" ".join(self._symbol(vertex) for vertex in vertices))
        return "\n" + "\n".join(rows)

    def _symbol(self, vertex) -> str:
        if vertex is None:
            return "?"
        stone = self.stones.get(vertex)
        return "." if stone is None else "X" if stone is Colour.BLACK else "O"

    def counts(self) -> str:
        lying = [int(self.stones.get(vertex, 0)) for vertex in self.board.vertices]
        least = getattr(self.position.game, "min_group", 1)
        numbers = (
            sum(len(unit) >= least for unit in units(self.board, lying, colour))
            for colour in (Colour.WHITE, Colour.BLACK)
        )
        return "{} {}".format(*numbers)
