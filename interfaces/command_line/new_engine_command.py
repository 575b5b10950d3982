"""`oddly new-engine`: begin an engine of one's own, in one of six languages."""

from __future__ import annotations

import shutil
from pathlib import Path

from oddly.interfaces.command_line.command import argument, command
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.shipped_examples import LANGUAGES, example_file, files_of
from oddly.interfaces.command_line.values import OneOf


@command(epilog="The engine plays Odd on hexhex boards at random: change it from there.")
@argument(
    "language",
    type=OneOf(*LANGUAGES, kind="language"),
    metavar="LANGUAGE",
    help=", ".join(LANGUAGES),
)
@argument("directory", metavar="DIRECTORY", help="a directory that does not exist or is empty")
def run(language: str, directory: str) -> int:
    """Write the engine, its build file and its test."""
    chosen, folder = LANGUAGES[language], Path(directory)
    try:
        if folder.exists() and any(folder.iterdir()):
            raise BadInputError(f"new-engine: {folder} is not empty")
        folder.mkdir(parents=True, exist_ok=True)
        source = example_file(language).read_text(encoding="utf-8")
        for name, text in files_of(chosen, source, folder.resolve().name).items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "test.sh").chmod(0o755)
    except OSError as error:
        raise BadInputError(f"new-engine: {folder}: {error.strerror}") from None
    print(f"{folder / chosen.source} is an engine. Build and test it with {folder / 'test.sh'}")
    if chosen.program and not shutil.which(chosen.program):
        print(f"It needs {chosen.program}, which is not on PATH.")
    return DONE
