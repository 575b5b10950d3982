"""All formats by name: ours, and those that other packages bring by entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.catalogue import Catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.tournaments.formats.format import Format

ENTRY_POINTS = "oddly.formats"
"""The group of entry points by which other packages bring formats."""
_HERE = "oddly.tournaments.formats"
_OURS = {
    "round-robin": (f"{_HERE}.round_robin", "RoundRobin"),
    "gauntlet": (f"{_HERE}.round_robin", "Gauntlet"),
    "swiss": (f"{_HERE}.swiss", "Swiss"),
    "knockout": (f"{_HERE}.knockout", "Knockout"),
    "match": (f"{_HERE}.round_robin", "Match"),
    "sprt": (f"{_HERE}.sprt", "Sprt"),
    "rating-pool": (f"{_HERE}.pool", "RatingPool"),
    "tuning": (f"{_HERE}.tuning", "Tuning"),
}

FORMATS: Mapping[str, type[Format]] = Catalogue(
    "format", ENTRY_POINTS, (f"{_HERE}.format", "Format"), _OURS
)
"""Every format's class by its name in a tournament file."""
