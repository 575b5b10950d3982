"""How people and programs come in: the command line, the page, the terminal, GoGui, reports.

What is named here is what other programs may build on; each name is imported when it is used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from interfaces.command_line.main import main
    from interfaces.terminal.live.progress import progress
    from interfaces.text.rating_tables import rating_table
    from interfaces.text.summary_tables import summaries_text

__all__ = [
    "main",
    "progress",
    "rating_table",
    "summaries_text",
]

_HOMES = {
    "main": "interfaces.command_line.main",
    "progress": "interfaces.terminal.live.progress",
    "rating_table": "interfaces.text.rating_tables",
    "summaries_text": "interfaces.text.summary_tables",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used. Raises AttributeError for any other."""
    # A stranger's package `games` must not hide ours before `own_packages.py` can say so.
    from games.exports import importer

    return importer(globals(), _HOMES)(name)
