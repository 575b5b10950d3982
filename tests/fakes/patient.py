"""An engine that resigns at a turn which an option sets, so that the more patient side wins."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from oddly.engines import Engine, Option, run
from oddly.engines.engine import SEED
from oddly.games import random_turn
from oddly.protocol.messages import RESIGN


class Patient(Engine):
    name = "patient"
    options = (SEED, Option("turns", "integer", 4, 1, 12, summary="turns before it resigns"))

    def new_game(self):
        super().new_game()
        self.left = self.values["turns"]

    def choose(self, position):
        self.left -= 1
        return random_turn(position, self.random) if self.left > 0 else RESIGN


run(Patient())
