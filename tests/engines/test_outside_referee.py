"""An outside referee, the brute force of `tests/games`, judges live engines over pipes.

It shares no rule with what it judges: every answer, every refusal, every list of legal turns, every
count and every score of `oddly engine random` is compared with its own.
"""

import subprocess
import sys
from itertools import takewhile
from random import Random
from typing import Self

import pytest

from tests.games import brute_force
from tests.games.lockstep import any_turn
from tests.patience import PATIENCE

BOARDS = [
    ("yodd", 2, {}),
    ("yodd", 3, {}),
    ("xodd", 3, {}),
    ("odd", 2, {"min_group": 2}),
    ("odd", 4, {"board": "square", "min_group": 3}),
    ("ayu", 3, {"pie": True}),
    ("ayu", 5, {"pie": True}),
    ("ayu", 7, {}),
]
GAMES = 8

ANY_DROP = {"OFF_BOARD", "OCCUPIED", "SAME_VERTEX", "DROP_COUNT", "WRONG_KIND", "GAME_OVER"}
ANY_MOVE = {"OFF_BOARD", "OCCUPIED", "NO_PIECE", "WRONG_PIECE", "NOT_ADJACENT", "NOT_CLOSER"}
BROKEN = {
    "yodd": ANY_DROP | {"FIRST_TURN", "PARITY"},
    "xodd": ANY_DROP | {"FIRST_TURN", "PARITY"},
    "odd": ANY_DROP,
    "ayu": ANY_MOVE | {"SPLITS_GROUP", "NO_SWAP", "WRONG_KIND", "GAME_OVER"},
}
"""The rules that can be broken; the turns tried break them all but on the smallest Ayu board."""


class Pipe:
    """A conversation with a live engine, one command at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "oddly", "engine", "random"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.communicate("quit\n", timeout=PATIENCE)
        assert self.process.returncode == 0

    def ask(self, command: str) -> tuple[bool, str]:
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        text = "".join(takewhile(lambda line: line != "\n", self.process.stdout))
        return text[0] == "=", text[1:].strip()

    def get(self, command: str) -> str:
        ok, text = self.ask(command)
        assert ok, (command, text)
        return text


def compare(pipe: Pipe, naive: brute_force.Naive) -> None:
    """What the engine says of the position, against the brute force."""
    assert set(pipe.get("legal_turns").split()) == set(naive.legal_turns)
    assert tuple(map(int, pipe.get("group_counts").split())) == naive.counts
    is_over = naive.result is not None
    assert pipe.ask("final_score") == (is_over, naive.result or "game is not over")


def provoke(pipe: Pipe, naive: brute_force.Naive, random: Random) -> set[str]:
    """Turns that may break any rule: refused exactly if illegal, and taken back if not.

    Gives the rules that were broken.
    """
    tried = set()
    side = naive.to_move.lower()
    other = "w" if side == "b" else "b"
    for text in filter(None, (any_turn(naive, random) for _ in range(12))):
        ok, reason = pipe.ask(f"play {side} {text}")
        assert ok == (not naive.broken_rules(text)), (text, reason)
        tried |= naive.broken_rules(text)
        if ok:
            pipe.get("undo")
    if naive.result is None:
        assert not pipe.ask(f"play {other} {naive.legal_turns[0]}")[0]
        assert not pipe.ask(f"genmove {other}")[0]
    else:
        assert not pipe.ask(f"genmove {side}")[0]
    compare(pipe, naive)
    return tried


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "size", "settings"), BOARDS)
def test_a_live_engine_plays_by_the_rules_of_the_brute_force(name, size, settings):
    random = Random(f"{name} {size}")
    tried = set()
    with Pipe() as pipe:
        words = [str(word).lower() for pair in settings.items() for word in pair]
        pipe.get(" ".join(["set_game", name, *words]))
        pipe.get(f"boardsize {size}")
        for number in range(GAMES):
            pipe.get(f"set_option seed {number}")
            pipe.get("clear_board")
            naive = brute_force.start(name, size, **settings)
            compare(pipe, naive)
            while naive.result is None:
                tried |= provoke(pipe, naive, random)
                side = naive.to_move.lower()
                if random.random() < 0.5:
                    turn = pipe.get(f"genmove {side}")
                    assert turn in naive.legal_turns
                else:
                    turn = random.choice(naive.legal_turns)
                    pipe.get(f"play {side} {turn}")
                naive = naive.play(turn)
                compare(pipe, naive)
            tried |= provoke(pipe, naive, random)
    assert tried == BROKEN[name] or (name, size) == ("ayu", 3)
