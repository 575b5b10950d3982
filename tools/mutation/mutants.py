"""The mutants: engines with one fault each, as patches of one good engine, in mutants.toml."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).parent / "mutants.toml"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: in the good engine's text, `old` is replaced by `new`."""

    name: str
    """What is wrong, in a few words."""
    games: tuple[str, ...]
    """The games in which it shows, if anywhere."""
    old: str
    new: str

    @property
    def digest(self) -> str:
        """A mark of the patch: a recorded outcome is one of this patch only."""
        text = "\0".join((self.old, self.new, *self.games))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def _read() -> tuple[Mutant, ...]:
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutant"]
    return tuple(Mutant(**{**row, "games": tuple(row["games"])}) for row in rows)


MUTANTS = _read()
"""All of them; their names are different."""
