"""The ledger that somebody who named a missing one may have meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.errors import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path


def nearest_ledger(path: Path) -> str:
    """Return `; did you mean 'spring.sqlite'?` for a near miss beside `path`, else an empty string.

    A path that exists is not missing.
    """
    if path.exists():
        return ""
    return did_you_mean(path.name, (other.name for other in path.parent.glob("*.sqlite")))
