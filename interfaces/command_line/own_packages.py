"""Whether our packages are ours: their names are common, and another may have taken one."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HOME = Path(__file__).parents[2]
ROOMS = (
    "games", "protocol", "engines", "referee", "game_records", "tournaments", "study", "interfaces",
)  # fmt: skip


def strange_packages() -> Mapping[str, str]:
    """Return where a package is found that should be ours and is not, by its name."""
    found = {}
    for room in ROOMS:
        spec = find_spec(room)
        origin = None if spec is None else spec.origin
        if origin is None or Path(origin).parent != HOME / room:
            found[room] = origin or "nowhere"
    return found


def what_to_do() -> str | None:
    """Return a sentence about the first package that is not ours; None if all of them are."""
    for room, place in strange_packages().items():
        return (
            f"the package {room!r} of oddly is not in {HOME}, but found at {place}: something else "
            "has taken its name. Start oddly by its command, without PYTHONPATH, from an "
            "environment of its own"
        )
    return None
