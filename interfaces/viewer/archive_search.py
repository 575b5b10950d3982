"""A search in the archive as its address states it, and the pages of its results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from oddly.games import did_you_mean, one_line
from oddly.tournaments.ledger.archive import OF_AN_ENGINE, GameSearch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WORDS = {
    "won": "won by the engine",
    "lost": "lost by the engine",
    "drawn": "drawn",
    "first": "won by who began",
    "second": "won by who replied",
    "fault": "ended by a fault",
}
FIELDS = ("engine", "opponent", "game", "result", "from", "to")
MAX_PAGE = 1_000_000


@dataclass(frozen=True, slots=True)
class AskedGames:
    """The search that an address asks for, with its errors."""

    fields: Mapping[str, str]
    """The text of each of FIELDS, and of others that the address keeps."""
    page: int
    problem: str

    @classmethod
    def of(cls, given: Mapping[str, str], also: Sequence[str] = ()) -> AskedGames:
        """Return what the query of an address asks for; `also` names fields beside FIELDS."""
        fields = {name: given.get(name, "") for name in (*FIELDS, *also)}
        problem = ""
        for name in ("from", "to"):
            if fields[name] and _number(fields[name]) is None:
                problem = f"Turns {name} {one_line(fields[name], 40)!r}: expected a whole number."
        if fields["result"] and fields["result"] not in WORDS:
            wrong = fields["result"]
            problem = f"There is no result {one_line(wrong, 40)!r}: expected one of " + (
                ", ".join(WORDS) + (did_you_mean(wrong, WORDS) or ".")
            )
        if fields["result"] in OF_AN_ENGINE and not (fields["engine"] or fields["opponent"]):
            problem = f"Name the engine to find the games that it {fields['result']}."
        page = _number(given.get("page", "")) or 1
        return cls(fields, min(max(1, page), MAX_PAGE), problem)

    @property
    def search(self) -> GameSearch:
        """The search, without its wrong parts."""
        fields = self.fields
        return GameSearch(
            _names(fields["engine"]),
            _names(fields["opponent"]),
            fields["game"],
            fields["result"] if fields["result"] in WORDS else "",
            _number(fields["from"]),
            _number(fields["to"]),
        )

    @property
    def is_search(self) -> bool:
        """Whether the address asks for anything."""
        return any(self.fields.values())

    @property
    def results(self) -> Sequence[tuple[str, str]]:
        """The results that can be searched for, with their labels."""
        return list(WORDS.items())

    def unknown(self, engines: Sequence[str], games: Sequence[str]) -> str:
        """Return a sentence about an engine or game that has no games here; empty if all have."""
        for name, noun, known in (
            ("engine", "engine", engines),
            ("opponent", "engine", engines),
            ("game", "game", games),
        ):
            text = self.fields[name]
            if text and text not in known:
                near = did_you_mean(text, known) or "."
                return f"There is no {noun} {one_line(text, 60)!r} in this archive{near}"
        return ""

    def address(self, page: int) -> str:
        """Return the address of another page of the same search."""
        asked = {name: text for name, text in self.fields.items() if text}
        if page > 1:
            asked["page"] = str(page)
        return f"archive?{urlencode(asked)}" if asked else "archive"


class PagesOfGames(NamedTuple):
    """The page shown, the number of pages, and the addresses of others; empty if there is none."""

    number: int
    last: int
    links: Sequence[tuple[str, str]]


def pages_of(asked: AskedGames, found: int, on_a_page: int) -> PagesOfGames:
    """Return the pages of the results."""
    last = max(1, -(-found // on_a_page))
    here = asked.page
    places = {"First": 1, "Previous": here - 1, "Next": here + 1, "Last": last}
    links = [
        (name, asked.address(place) if 1 <= place <= last and place != here else "")
        for name, place in places.items()
    ]
    return PagesOfGames(here, last, links)


def _names(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _number(text: str) -> int | None:
    """Return a whole number from 0; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else None
