"""The files that come with oddly to copy: tournament files, engines, and those of `new-engine`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping


HERE = Path(__file__).parent
SCHEMA = "tournament.schema.json"
WITHOUT_ENGINES = {"languages.toml"}
"""Tournament files whose engines have to be built first, in a checkout."""

ENGINES = {
    "full": "an engine that knows every command and all four games",
    "tiny": "the smallest engine, for Odd only, to begin from",
    "drops": "an engine that plays single drops, for the bridge",
    "join": "an engine that joins an arena by itself",
    "ed25519": "the signatures by which it is known there",
}


class ShippedExample(NamedTuple):
    """A file to read and to copy."""

    path: Path
    summary: str


def examples_folder() -> Path:
    """Return the folder of the examples, with a folder for each language, and `tournaments`."""
    return HERE.parents[1] / "examples"


def shipped_examples() -> Mapping[str, ShippedExample]:
    """Return the examples by name, such as `xodd.toml` and `go/tiny.go`."""
    found: dict[str, ShippedExample] = {}
    folder = examples_folder()
    for path in sorted((folder / "tournaments").glob("*.toml")):
        if path.name not in WITHOUT_ENGINES:
            first_line = path.read_text(encoding="utf-8").split("\n", 1)[0]
            found[path.name] = ShippedExample(path, first_line.removeprefix("# ").rstrip("."))
    found[SCHEMA] = ShippedExample(
        HERE.parents[1] / "tournaments" / SCHEMA,
        "by which editors complete and check tournament files",
    )
    for path in sorted(folder.glob("*/*")):
        if (summary := ENGINES.get(path.stem.lower())) is not None:
            found[str(path.relative_to(folder))] = ShippedExample(path, summary)
    return found


MODULE = Path(__file__)


@dataclass(frozen=True, slots=True)
class EngineTemplate:
    """How a language's engine is built and started, in its own directory."""

    example: str
    """The file in examples/LANGUAGE, and in the wheel."""
    source: str
    program: str
    start: str
    build: str = ""
    files: dict[str, str] = field(default_factory=dict)
    """Its build file, by name; NAME stands for the engine's name."""
    unfit: str = ""
    """Characters that the path of its directory must not have."""


LANGUAGES = {
    "c": EngineTemplate(
        "tiny.c",
        "engine.c",
        "cc",
        "./engine",
        "make",
        {
            "Makefile": "CFLAGS = -std=c99 -O2 -Wall -Wextra\n\nengine: engine.c\n"
            "\t$(CC) $(CFLAGS) -o $@ engine.c\n\ntest: engine\n\t./test.sh\n"
        },
    ),
    "go": EngineTemplate(
        "tiny.go",
        "engine.go",
        "go",
        "./engine",
        "go build -o engine .",
        # Not NAME: `go`, `fmt` and `con` cannot be module paths.
        {"go.mod": "module example.com/engine\n\ngo 1.19\n"},
    ),
    "java": EngineTemplate(
        "Tiny.java",
        "Tiny.java",
        "javac",
        "java -cp build Tiny",
        "make",
        {
            "Makefile": "build/Tiny.class: Tiny.java\n\tjavac -d build Tiny.java\n\n"
            "test: build/Tiny.class\n\t./test.sh\n"
        },
    ),
    "javascript": EngineTemplate(
        "tiny.js",
        "engine.js",
        "node",
        "node engine.js",
        files={
            "package.json": '{\n  "name": "NAME",\n  "version": "1.0.0",\n  "private": true,\n'
            '  "scripts": { "start": "node engine.js", "test": "./test.sh" }\n}\n'
        },
    ),
    "python": EngineTemplate(
        "tiny.py",
        "engine.py",
        "python3",
        "python3 engine.py",
        files={
            "pyproject.toml": '[project]\nname = "NAME"\nversion = "1.0.0"\n'
            'requires-python = ">=3.9"\n\n[tool.setuptools]\npy-modules = ["engine"]\n'
        },
    ),
    "rust": EngineTemplate(
        "tiny.rs",
        "engine.rs",
        "cargo",
        "target/release/engine",
        "cargo build --release",
        {
            "Cargo.toml": '[package]\nname = "NAME"\nversion = "1.0.0"\nedition = "2021"\n\n'
            # Not NAME: cargo keeps `build` and `deps` for itself.
            '[[bin]]\nname = "engine"\npath = "engine.rs"\n\n'
            # It does not belong to a crate whose folder may contain it.
            "[workspace]\n"
        },
        unfit=":%",
    ),
}
"""The languages by name."""

TEST = """#!/bin/sh
# Builds the engine, checks it against the protocol, and plays a match with it.
set -eu
CDPATH='' cd -- "$(dirname -- "$0")"
BUILDoddly check "START" --game odd --size 3
oddly match "START" "oddly engine random" --game odd --size 3 --games 2
"""


def example_file(language: str) -> Path:
    """Return the small engine of a language."""
    return MODULE.parents[2] / "examples" / language / LANGUAGES[language].example


def files_of(template: EngineTemplate, source: str, directory: str) -> dict[str, str]:
    """Return all files of a new engine by name; it is named after its directory."""
    name = re.sub("[^a-z0-9]+", "-", directory.lower()).strip("-")
    if not re.match("[a-z]", name):
        name = f"engine-{name}".rstrip("-")
    build = f"{template.build}\n" if template.build else ""
    test = TEST.replace("BUILD", build).replace("START", template.start)
    files = {template.source: re.sub("tiny-[a-z]+", name, source), "test.sh": test}
    files.update(template.files)
    return {
        path: text if path == template.source else text.replace("NAME", name)
        for path, text in files.items()
    }


def new_engine(language: str, directory: str | Path) -> Path:
    """Write a starter engine with its build file and its test; return the path of its source.

    The directory must not exist or be empty, and the engine is named after it. LANGUAGES has the
    languages. Raises ValueError for an unknown language, a directory that is not empty and a path
    in which no compiler finds it, and OSError if the files cannot be written, each with one
    sentence.

    >>> import oddly
    >>> print(oddly.new_engine("python", "my-engine"))
    my-engine/engine.py

    Then `my-engine/test.sh` builds it, checks it against the protocol and plays two games with it.
    """
    folder, chosen = Path(directory), LANGUAGES.get(language)
    if chosen is None:
        raise ValueError(
            f"unknown language {language!r}: expected one of {', '.join(LANGUAGES)}"
            + did_you_mean(language, LANGUAGES)
        )
    path = str(folder.absolute())
    if not path.isprintable():
        raise ValueError(
            f"{path!r} has a character that compilers may not read: expected a plain name"
        )
    wrong = next((each for each in chosen.unfit if each in path), None)
    if wrong is not None:
        raise ValueError(
            f"{language} builds nothing below {folder}: expected a path without {wrong!r}"
        )
    try:
        if folder.exists() and any(folder.iterdir()):
            raise ValueError(f"{folder} is not empty")
        folder.mkdir(parents=True, exist_ok=True)
        source = example_file(language).read_text(encoding="utf-8")
        for name, text in files_of(chosen, source, folder.resolve().name).items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "test.sh").chmod(0o755)
    except OSError as error:
        raise OSError(f"{folder}: {error.strerror}") from None
    return folder / chosen.source
