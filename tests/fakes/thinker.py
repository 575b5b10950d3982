"""An engine that takes its time, and has an opinion of every position, always the same."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from oddly.engines import Engine, run
from oddly.protocol.evaluation import Candidate, Evaluation


class Thinker(Engine):
    name = "thinker"

    def choose(self, position):
        time.sleep(0.15)
        return next(position.legal_turns())

    def evaluate(self, at):
        actions = list(at.actions())
        return Evaluation(0.75, 1000, (Candidate(actions[len(actions) // 2 - 1], 0.5, 0.75),))


run(Thinker())
