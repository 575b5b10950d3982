"""Writes the tables of all options into the docs: `python tools/write_options.py`.

They come from the commands themselves, as `--help` does.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oddly.interfaces.command_line.main import GROUPS, PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
ALL = "docs/reference/options.md"
ONE = "docs/reference/tournaments.md"
BLOCK = re.compile(r"(<!-- options of tournament -->\n)(.*?)(<!-- end of options -->)", re.DOTALL)
HEAD = """# Options

This page lists every argument and option of every command, as `oddly COMMAND --help` does. `python
tools/write_options.py` writes it from the program. [Commands](commands.md) has an example of each.
"""


def generated() -> dict[str, str]:
    """Return the text of each page with generated tables, by its path."""
    page = (ROOT / ONE).read_text(encoding="utf-8")
    tables = "\n\n".join(_tables("tournament"))
    return {
        ALL: "\n".join([HEAD, *_sections()]),
        ONE: BLOCK.sub(lambda found: f"{found[1]}{tables}\n{found[3]}", page),
    }


def _sections() -> Iterator[str]:
    for title, commands in GROUPS.items():
        yield f"## {title}\n"
        for name, summary in commands.items():
            parts = [f"### oddly {name}", f"{summary[0].upper()}{summary[1:]}.", *_tables(name)]
            yield "\n\n".join(parts) + "\n"


def _tables(name: str) -> list[str]:
    """Return a table of the arguments of a command, then one for each group of its options."""
    context = click.Context(PROGRAM, info_name="oddly")
    command = PROGRAM.get_command(context, name)
    # With its own settings: a command keeps the option for help that it makes first.
    context = click.Context(command, info_name=name, parent=context, **command.context_settings)
    groups: dict[str, list[str]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or "--help" in parameter.opts:
            continue
        default = "argument" if isinstance(parameter, click.Argument) else "option"
        title = getattr(parameter, "group", "Options").partition(" (")[0]
        heading = f"| {default if title == 'Options' else title} | meaning |\n| --- | --- |"
        names, meaning = (" ".join(cell.replace("|", "\\|").split()) for cell in record)
        if isinstance(parameter, click.Argument):
            names = re.sub(r"[\[\]]", "", names)
        groups.setdefault(heading, []).append(f"| `{names}` | {meaning} |")
    return ["\n".join([heading, *rows]) for heading, rows in groups.items()]


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    for path, text in generated().items():
        (ROOT / path).write_text(text, encoding="utf-8")
