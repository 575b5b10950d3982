"""Result tables as text, through tabulate, and the same facts as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tabulate import tabulate, tabulate_formats

from referee.fault import printable
from tournaments.standings import crosstable, standings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tournaments.standings import PlayedGame, Score, Standing

RAW = {"unsafehtml", "latex_raw"}
"""Formats that would let a stranger's name through as markup; they are not offered."""

FORMATS: tuple[str, ...] = tuple(name for name in tabulate_formats if name not in RAW)
DEFAULT_FORMAT = "simple"

BARS = {
    **dict.fromkeys(("github", "pipe", "jira", "asciidoc", "youtrack"), "\\|"),
    **dict.fromkeys(("mediawiki", "moinmoin", "textile"), "&#124;"),
    "orgtbl": "\\vert{}",
}
"""How a bar is written inside a cell, where a bare one would end it."""

STANDING_HEADERS = (
    "",
    "engine",
    "games",
    "points",
    "score",
    "W",
    "D",
    "L",
    "1st",
    "2nd",
    "forfeits",
)


def standings_table(table: Sequence[Standing], format_: str = DEFAULT_FORMAT) -> str:
    """Standings, one engine a row; `score` is the share of points, 1st and 2nd those by seat."""
    rows = [
        (
            str(row.rank),
            shown(row.name, format_),
            str(row.games),
            points_text(row.points),
            f"{100 * row.points / row.games:.0f} %" if row.games else "-",
            str(row.wins),
            str(row.draws),
            str(row.losses),
            points_text(row.as_first),
            points_text(row.as_second),
            str(row.forfeits),
        )
        for row in table
    ]
    align = ("right", "left", *["right"] * (len(STANDING_HEADERS) - 2))
    return tabulate(
        rows,
        STANDING_HEADERS,
        tablefmt=format_,
        colalign=align if rows else None,
        disable_numparse=True,
    )


def crosstable_table(
    order: Sequence[str], played: Sequence[PlayedGame], format_: str = DEFAULT_FORMAT
) -> str:
    """Points and games of each row's engine against each column's: 3.5/4."""
    scores = crosstable(order, played)
    headers = ["", "engine", *(str(place) for place in range(1, len(order) + 1))]
    rows = [
        [
            str(place),
            shown(name, format_),
            *(_cell(name, other, scores[name].get(other)) for other in order),
        ]
        for place, name in enumerate(order, start=1)
    ]
    align = ["right", "left", *["center"] * len(order)]
    return tabulate(
        rows, headers, tablefmt=format_, colalign=align if rows else None, disable_numparse=True
    )


def results(
    engines: Sequence[str], played: Sequence[PlayedGame], format_: str = DEFAULT_FORMAT
) -> str:
    """All tables: standings and crosstable of each game, then a total over several games."""
    parts = []
    for title, games in _by_game(played):
        table = standings(engines, games)
        order = [row.name for row in table]
        parts += [title, standings_table(table, format_), crosstable_table(order, games, format_)]
    return "\n\n".join(parts)


def results_json(engines: Sequence[str], played: Sequence[PlayedGame]) -> dict[str, Any]:
    """The facts of all tables."""
    tables = []
    for title, games in _by_game(played):
        scores = crosstable(engines, games)
        tables.append(
            {
                "title": title,
                "standings": [asdict(row) for row in standings(engines, games)],
                "crosstable": {
                    name: {other: asdict(score) for other, score in row.items()}
                    for name, row in scores.items()
                },
            }
        )
    return {"tables": tables}


def points_text(points: float) -> str:
    """`3` or `3.5`."""
    return f"{points:g}"


def shown(name: str, format_: str = DEFAULT_FORMAT) -> str:
    """A stranger's name on one line, without what a terminal, Markdown or a spreadsheet obeys."""
    text = printable(name.encode())
    if format_ in ("github", "pipe"):
        # Markdown lets HTML through.
        text = text.replace("&", "&amp;").replace("<", "&lt;")
    if format_ in BARS:
        return text.replace("|", BARS[format_])
    if format_ == "tsv" and text[:1] in tuple("=+-@"):
        return f"'{text}"
    return text


def _cell(name: str, other: str, score: Score | None) -> str:
    if name == other:
        return "*"
    if score is None:
        return "-"
    return f"{points_text(score.points)}/{score.games}"


def _by_game(played: Sequence[PlayedGame]) -> list[tuple[str, list[PlayedGame]]]:
    """The games under each heading: one for each game played, and a total if there are several."""
    grouped: dict[str, list[PlayedGame]] = {}
    for game in played:
        grouped.setdefault(str(game.scheduled.game), []).append(game)
    headings = list(grouped.items())
    if len(headings) > 1:
        headings.append(("all games", list(played)))
    return headings
