"""The settings of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


EXPLORATION, EQUIVALENCE, EXPANSION, PLIES, WORTH, TRUST, SPREAD = range(7)
"""Indices of `Settings.as_array`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What makes one search differ from another.

    `selection.py` and `simulation.py` say what each does.
    """

    exploration: float
    equivalence: float
    expansion: int
    plies: int = -1
    worth: float = 0.0
    trust: float = 0.0
    spread: float = 0.0

    def as_array(self) -> np.ndarray:
        """Return the settings in the form that `simulate` takes."""
        import numpy as np

        values = (
            self.exploration,
            self.equivalence,
            self.expansion,
            self.plies,
            self.worth,
            self.trust,
            self.spread,
        )
        return np.array(values, dtype=np.float32)
