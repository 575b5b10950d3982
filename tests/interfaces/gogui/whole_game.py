"""A whole game in GoGui's window between a human who taps anything and the computer.

The mirror is the table of taps once more, naively, on top of `games/`: what GoGui must be shown.
"""

import copy
from dataclasses import dataclass, field
from random import Random

from oddly.games.ayu_units import units
from oddly.games.catalogue import create_game
from oddly.games.game import Position
from oddly.games.turns import PASS, SWAP, Colour, Drop, Drops, Move, Turn
from oddly.protocol.notation import gogui_vertex, grid_width, vertex_at
from tests.interfaces.gogui.double import Gogui, Shown

BOARDS = {
    "yodd": ("yodd", 3, {}),
    "xodd": ("xodd", 4, {}),
    "odd": ("odd", 3, {"min_group": 3}),
    "odd on a square": ("odd", 4, {"board": "square", "min_group": 2}),
    "ayu": ("ayu", 5, {}),
    "ayu with the pie rule": ("ayu", 5, {"pie": True}),
}
MAX_TAPS = 60
"""After these both sides pass, where that is legal."""


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
        lying = zip(self.board.vertices, self.position.stones, strict=True)
        return {**{v: Colour(stone) for v, stone in lying if stone}, **self.placed}

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
        symbols = {**dict.fromkeys(self.board.vertices, "."), None: "?"}
        symbols |= {v: "X" if c is Colour.BLACK else "O" for v, c in self.stones.items()}
        return "".join(
            "\n" + " ".join(symbols[vertex_at(self.board, x, y)] for x in range(1, width + 1))
            for y in range(width, 0, -1)
        )

    def counts(self) -> str:
        lying = [int(self.stones.get(vertex, 0)) for vertex in self.board.vertices]
        least = getattr(self.position.game, "min_group", 1)
        sides = [units(self.board, lying, colour) for colour in (Colour.WHITE, Colour.BLACK)]
        return " ".join(str(sum(len(unit) >= least for unit in side)) for side in sides)


def check(shown: Shown, mirror: Mirror) -> None:
    assert shown.board == mirror.rules_board()
    assert shown.counts == mirror.counts()
    assert shown.side == str(mirror.position.to_move)
    assert shown.legal == set(mirror.legal())
    assert (not shown.legal) == mirror.position.is_over


def human_tap(shown: Shown, mirror: Mirror, random: Random) -> str:
    """Any legal tap, though seldom one that leads in a circle or passes."""
    taps = sorted(shown.legal)
    onwards = [t for t in taps if t != "pass" and mirror.legal()[t] not in mirror.placed]
    return random.choice(onwards if onwards and random.random() < 0.7 else taps)


def play_to_the_end(gogui: Gogui, mirror: Mirror, random: Random) -> Shown:
    """Play, go back now and then, and find what is shown to be what the rules say."""
    shown = gogui.refresh()
    check(shown, mirror)
    past = [copy.copy(mirror)]
    computer = random.choice(list(Colour))
    while not mirror.position.is_over:
        legal = mirror.legal()
        late = len(gogui.moves) >= MAX_TAPS and "pass" in legal
        stuck = mirror.placed and not late and len(gogui.moves) >= MAX_TAPS
        if stuck or random.random() < 0.1:
            fresh = max(n for n, earlier in enumerate(past) if not earlier.placed)
            number = fresh if stuck else random.randrange(max(len(past) - 3, 0), len(past))
            shown = gogui.go_to(number)
            del past[number + 1 :]
            mirror = copy.deepcopy(past[number])
            check(shown, mirror)
            continue
        if late:
            shown = gogui.click("pass")
        elif mirror.position.to_move is computer and not is_dead_end(mirror):
            shown = gogui.genmove()
        else:
            shown = gogui.click("Z99") or gogui.click(human_tap(shown, mirror, random))
        tapped = gogui.moves[-1][1]
        mirror = copy.deepcopy(mirror)
        mirror.tap(legal["pass" if tapped == "PASS" else tapped])
        past.append(copy.deepcopy(mirror))
        check(shown, mirror)
    assert mirror.position.is_over
    check_the_end(gogui, mirror)
    return shown


def is_dead_end(mirror: Mirror) -> bool:
    """Whether the stones placed belong to no legal turn, so that the computer cannot go on."""
    points = set(mirror.placed)
    return bool(points) and not any(
        points <= {drop.vertex for drop in getattr(turn, "drops", ())}
        for turn in mirror.position.legal_turns()
    )


def check_the_end(gogui: Gogui, mirror: Mirror) -> None:
    result = mirror.position.result
    winner = "Draw" if result.winner is None else f"{str(result.winner).capitalize()} wins"
    for talk in (gogui.ruler, gogui.program):
        assert talk("final_score") == str(result)
        sentence = talk("gogui-rules_final_result")
        assert sentence.startswith(winner)
        assert f"({result})" in sentence or result.winner is None
        assert talk.refused("play b A1").startswith("illegal move")
    assert gogui.program.refused("genmove b") == "the game is over"
