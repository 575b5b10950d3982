"""`oddly examples`, `new-engine`, `completion`: files that come with oddly, to copy or to print.

They are tournament files, engines, a starter for your own engine in one of six languages, and the
script that completes `oddly` in a shell.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import did_you_mean
from oddly.interfaces.command_line.command import OneOf, Value, command
from oddly.interfaces.command_line.completing import SHELLS, script
from oddly.interfaces.command_line.declaring import argument, flag, option
from oddly.interfaces.command_line.errors import BadInputError, refusing

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
CHECKED = {"full", "tiny"}
"""Those that speak the protocol on standard input, turn by turn."""


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
            # A crate whose folder contains this one must not claim it.
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
    return examples_folder() / language / LANGUAGES[language].example


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

    The directory must be new or empty, and the engine is named after it. LANGUAGES has the
    languages. Raises ValueError for an unknown language, a directory that is not empty and a path
    that the compiler cannot use, and OSError if the files cannot be written, each with one
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


PROGRAMS = {".py": "python3", ".js": "node"}
"""The interpreters of engines that need not be built."""


@command("examples xodd.toml")
def examples_command(
    names: tuple[str, ...] = argument(
        "[NAME...]", "examples to copy", kind=Value(str, shipped_examples)
    ),
    *,
    to: Path = option("DIR", "where to copy them", default=Path()),
    all_: bool = flag("copy all of them", names="--all"),
    as_json: bool = flag("print the list as one JSON object", names="--json"),
) -> None:
    """List the examples, or copy those that are named."""
    known = shipped_examples()
    wanted = tuple(known) if all_ else names
    if not wanted:
        _print_list(known, as_json=as_json)
        return
    wanted = tuple(f"{name}.toml" if f"{name}.toml" in known else name for name in wanted)
    for name in wanted:
        if name not in known:
            near = did_you_mean(name, known) or "; 'oddly examples' lists them"
            raise BadInputError(f"examples: there is no example {name!r}{near}")
    targets = {name: to / name for name in wanted}
    for target in targets.values():
        if target.exists():
            raise BadInputError(f"examples: {target} already exists, and nothing was copied")
    for name, target in targets.items():
        _copy(known[name].path, target)
        print(_what_next(target))


def _print_list(known: Mapping[str, ShippedExample], *, as_json: bool) -> None:
    if as_json:
        facts = [{"name": name, "summary": each.summary} for name, each in known.items()]
        print(json.dumps({"examples": facts}, indent=2))
        return
    width = max(map(len, known))
    for name, example in known.items():
        print(f"{name:<{width}}  {example.summary}")
    print("\n'oddly examples NAME' copies one, 'oddly examples --all --to DIR' all of them.")


def _copy(source: Path, target: Path) -> None:
    """Copy a file, with its permission to run. Raises BadInputError."""
    with refusing(OSError, where=f"examples: {target} cannot be written"):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        # A program without a suffix is run as it is.
        if not source.suffix or os.access(source, os.X_OK):
            target.chmod(0o755)


def _what_next(target: Path) -> str:
    """Return the name of the copy, and the `oddly` command that uses it, if any."""
    if target.suffix == ".toml":
        return f"{target}    play it with: oddly tournament {shlex.quote(str(target))}"
    if (program := PROGRAMS.get(target.suffix)) and target.stem in CHECKED:
        engine = shlex.join([program, str(target)])
        return f"{target}    try it with: oddly check {shlex.quote(engine)} --game odd"
    return str(target)


@command(
    "new-engine go my-engine",
    epilog="The engine plays Odd on hexhex boards at random: change it from there.",
)
def new_engine_command(
    language: str = argument(
        "LANGUAGE", ", ".join(LANGUAGES), kind=OneOf(*LANGUAGES, kind="language")
    ),
    directory: str = argument("DIRECTORY", "a directory that does not exist or is empty"),
) -> None:
    """Write the engine, its build file and its test."""
    with refusing(OSError, ValueError, where="new-engine"):
        source = new_engine(language, directory)
    test = source.with_name("test.sh")
    # A shell looks for a name without a slash on PATH alone.
    called = str(test) if len(test.parts) > 1 else f"./{test}"
    print(f"{source} is an engine. Build and test it with {shlex.quote(called)}")
    program = LANGUAGES[language].program
    if program and not shutil.which(program):
        print(f"It needs {program}, which is not on PATH.")


@command(
    "completion bash", epilog='For bash, put this into ~/.bashrc: eval "$(oddly completion bash)"'
)
def completion_command(
    shell: str = argument("SHELL", ", ".join(SHELLS), kind=OneOf(*SHELLS, kind="shell")),
) -> None:
    """Print the script."""
    from oddly.interfaces.command_line.main import PROGRAM

    print(script(PROGRAM, shell))
