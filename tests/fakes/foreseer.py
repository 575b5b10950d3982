"""An engine whose analysis expects four turns from every position: always the first legal ones.

Passes and swaps are the last that it thinks of."""

import sys
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from oddly.engines import Engine, run
from oddly.games import PASS, SWAP
from oddly.protocol import TurnEvaluation
from oddly.protocol.evaluation import Analysis, RankedTurn

AHEAD = 4
RATES = (0.9, 0.9, 0.5, 0.2)
"""By the number of stones, so that some turns are mistakes."""


class Foreseer(Engine):
    name = "foreseer"
    can_analyze = True

    def choose(self, position):
        return next(position.legal_turns())

    def last_evaluation(self):
        return TurnEvaluation(0.75)

    def analyze(self, position, interval, has_more):
        """The same analysis again and again."""
        ranked = tuple(
            RankedTurn(line[0], visits, self._rate(position), None, line)
            for visits, line in ((80, self._line(position, 0)), (20, self._line(position, 1)))
        )
        yield Analysis(ranked)
        while not has_more(interval):
            yield Analysis(ranked)

    def _rate(self, position):
        return RATES[sum(map(bool, position.stones)) % len(RATES)]

    def _line(self, position, skipped):
        line = []
        while len(line) < AHEAD and not position.is_over:
            stones = (turn for turn in position.legal_turns() if turn not in (PASS, SWAP))
            turns = [*islice(stones, 2)] or [PASS]
            turn = turns[-1] if skipped and not line else turns[0]
            line.append(turn)
            position = position.play(turn)
        return tuple(line)


run(Foreseer())
