"""`oddly doctor`: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import sqlite3
import sys
import webbrowser
from importlib.metadata import PackageNotFoundError, metadata, version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import oddly
from oddly.engines.kernels.machine_code import cache_directory
from oddly.games import VERSION, install_command
from oddly.games.drawing.png import FONT_REMEDY, NO_FONT, draws_text
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import command
from oddly.interfaces.command_line.declaring import flag
from oddly.interfaces.text.tables import folded
from oddly.referee.program.configuration import (
    games_that_fit,
    machine_memory,
    raise_descriptor_limit,
)
from oddly.referee.program.isolation import why_not
from oddly.tournaments.executors.conditions import cores

if TYPE_CHECKING:
    from collections.abc import Iterator

EXTRAS = {
    "fast engines": (
        "fast",
        ("numba",),
        "uct, rave and the solver play about a hundred times slower",
    ),
    "oddly bot": (
        "bot",
        ("starlette", "anycorn", "cryptography", "httpx2"),
        "no engine can play on Abstract Play",
    ),
    "oddly serve": ("serve", ("starlette", "anycorn"), "there is no web page to play or watch on"),
    "oddly join": ("join", ("cryptography",), "no engine can dial in to an arena"),
    "oddly arena": (
        "arena",
        ("starlette", "anycorn", "cryptography", "prometheus-client", "scipy", "websockets"),
        "no arena can be opened here for engines to dial in to",
    ),
    "format swiss": ("swiss", ("rustworkx",), "Swiss tournaments cannot be paired"),
    "ratings of thousands": (
        "large",
        ("scipy",),
        "more than 2,000 engines are not rated, and large pools rate all anew for every game",
    ),
    "PNG pictures": ("png", ("resvg-py",), "oddly diagram writes SVG and text only"),
    "cluster": ("cluster", ("distributed",), "tournaments run on this machine only"),
    "PettingZoo": ("pettingzoo", ("pettingzoo",), "oddly.learning has no PettingZoo adapter"),
    "Gymnasium": ("gymnasium", ("gymnasium",), "oddly.learning has no Gymnasium adapter"),
    "OpenSpiel": ("open-spiel", ("open-spiel",), "oddly.learning has no OpenSpiel adapter"),
}


class Checkup(NamedTuple):
    """The result of one check."""

    what: str
    is_there: bool
    state: str
    remedy: str = ""
    """What is lost without it, and how to get it."""


@command("doctor")
def run(*, as_json: bool = flag("print the findings as one JSON object", names="--json")) -> None:
    """Check the machine and the installation, without changing anything."""
    findings = [*_installation(), *_extras(), *_fonts(), *_programs(), *_machine()]
    if as_json:
        print(json.dumps({"findings": [each._asdict() for each in findings]}, indent=2))
        return
    width = max(len(each.what) for each in findings)
    for each in findings:
        mark = "ok     " if each.is_there else "missing"
        print(folded(f"{mark}  {each.what:<{width}}  {each.state}", indent=width + 11))
        if each.remedy:
            print(folded(f"{'':{width + 11}}{each.remedy}", indent=width + 11))
    lacking = sum(not each.is_there for each in findings)
    optional = f"{lacking} missing, all of them optional: see above."
    print(f"\n{optional if lacking else 'Everything is there.'}")


def _installation() -> Iterator[Checkup]:
    here = platform.python_version()
    tested = _tested_pythons()
    is_tried = sys.version_info[:2] in tested
    oldest, newest = (".".join(map(str, each)) for each in (min(tested), max(tested)))
    untried = "" if is_tried else f"the tests run with Python {oldest} to {newest}"
    yield Checkup("Python", is_tried, f"{here}, {sys.executable}", untried)
    yield Checkup("oddly", True, f"{VERSION}, in {Path(oddly.__file__).parent}")
    yield Checkup("SQLite", True, sqlite3.sqlite_version)
    folder = cache_directory()
    yield Checkup(
        "compiled code", folder is not None, f"kept in {folder}" if folder else "kept nowhere",
        "" if folder else "no folder can be written to, so each run compiles it again: name one in "
        "NUMBA_CACHE_DIR",
    )  # fmt: skip


def _tested_pythons() -> set[tuple[int, int]]:
    """Return the versions of Python that the project's classifiers name."""
    classifiers = metadata("oddly").get_all("Classifier") or []
    found = (
        re.fullmatch(r"Programming Language :: Python :: (\d+)\.(\d+)", each)
        for each in classifiers
    )
    return {(int(match[1]), int(match[2])) for match in found if match}


def _extras() -> Iterator[Checkup]:
    for what, (extra, packages, cost) in EXTRAS.items():
        found = {package: _version(package) for package in packages}
        lacking = [package for package, known in found.items() if known is None]
        if lacking:
            remedy = f"without it {cost}; get it: {install_command(extra)}"
            yield Checkup(what, False, f"no {', '.join(lacking)}", remedy)
        else:
            yield Checkup(what, True, ", ".join(f"{name} {known}" for name, known in found.items()))


def _fonts() -> Iterator[Checkup]:
    """Check whether PNG pictures can have words, if PNG pictures are possible at all."""
    try:
        has_font = draws_text()
    except ImportError:
        return
    yield Checkup(
        "words in PNG pictures", has_font, "a font draws them" if has_font else NO_FONT,
        "" if has_font else f"oddly diagram writes PNG pictures without words; {FONT_REMEDY}",
    )  # fmt: skip


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _programs() -> Iterator[Checkup]:
    lack, bubblewrap = why_not(), shutil.which("bwrap")
    can_get_it = bubblewrap is None and sys.platform == "linux"
    how = "; get it: apt install bubblewrap" if can_get_it else ""
    yield Checkup(
        "isolation of engines", lack is None, lack or f"bubblewrap, {bubblewrap}",
        f"without it engines can reach each other and you{how}" if lack else "",
    )  # fmt: skip
    browser = _browser()
    yield Checkup(
        "a browser", browser is not None, browser or "none was found",
        "" if browser else "'oddly serve' prints an address, for one elsewhere",
    )  # fmt: skip
    gogui = os.environ.get("ODDLY_GOGUI") or shutil.which("gogui")
    yield Checkup(
        "GoGui", gogui is not None, gogui or "no program gogui on the PATH",
        "" if gogui else "to play in GoGui, a program in Java: see docs/how-to/play-in-gogui.md",
    )  # fmt: skip


def _browser() -> str | None:
    """Return the browser that would be opened; None if there is none."""
    try:
        return getattr(webbrowser.get(), "name", None) or "the one of this desktop"
    except webbrowser.Error:
        return None


def _machine() -> Iterator[Checkup]:
    raise_descriptor_limit()
    fit = games_that_fit()
    games = "any number of games" if fit is None else f"descriptors for {counted(fit, 'game')}"
    memory = f"{machine_memory() / 2**30:.0f} GiB of memory"
    yield Checkup(
        "this machine", True, f"{counted(cores(), 'core')}, {memory}, {games} at once"
    )  # fmt: skip
    encoding = sys.stdout.encoding or "ascii"
    is_utf8 = encoding.lower().replace("-", "") == "utf8"
    yield Checkup(
        "terminal", is_utf8, f"{os.environ.get('TERM') or 'no TERM'}, {encoding}",
        "" if is_utf8 else "names beyond ASCII are shown as \\x..: set LANG to a UTF-8 locale",
    )  # fmt: skip
