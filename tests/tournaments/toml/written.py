"""Tournament files that tests write, and tournaments run from them."""

import json
import subprocess
import sys
from pathlib import Path

from oddly.tournaments import Ledger
from tests.referee.fakes import COMPOSED

ODDLY = [sys.executable, "-m", "oddly"]


def ours(*words: str) -> list[str]:
    """The command of an engine of ours."""
    return [*ODDLY, "engine", *words]


QUICK = [sys.executable, "-E", "-S", COMPOSED, "[]"]
"""The command of an engine that plays Odd on hexhex boards and starts in no time."""
TWO_QUICK = {"one": QUICK, "two": QUICK}
TWO_RANDOM = {"one": ours("random"), "two": ours("random")}


def tournament_file(
    folder: Path,
    name: str,
    keys: str = "",
    game: str = 'game = "odd"\nsize = 2',
    engines: dict[str, list[str]] = TWO_QUICK,
    more: dict[str, str] | None = None,
) -> Path:
    """Write a tournament of that name; `keys` are its own, `more` those of engines."""
    tables = [f'[tournament]\nname = "{name}"\n{keys}', f"[[game]]\n{game}"]
    tables += [
        f'[[engine]]\nname = "{engine}"\ncommand = {json.dumps(command)}\n'
        f"{(more or {}).get(engine, '')}"
        for engine, command in engines.items()
    ]
    path = folder / f"{name}.toml"
    path.write_text("\n".join(tables) + "\n", encoding="utf-8")
    return path


def started(path: Path, *words: str, **options) -> subprocess.Popen:
    """The tournament as a process; its output is text in pipes unless `options` say otherwise."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*ODDLY, "tournament", str(path), *words], **pipes | options)


def records_of(ledger: Path) -> dict:
    """The games that a ledger has; none while it is not there yet."""
    if not ledger.exists() or not ledger.stat().st_size:
        return {}
    with Ledger(ledger, read_only=True) as opened:
        return opened.records()
