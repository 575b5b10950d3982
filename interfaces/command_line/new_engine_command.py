"""`oddly new-engine`: begin an engine of one's own, in one of six languages."""

from __future__ import annotations

import shlex
import shutil

from oddly.interfaces.command_line.command import OneOf, argument, command
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.shipped_examples import LANGUAGES, new_engine


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
    try:
        source = new_engine(language, directory)
    except (OSError, ValueError) as error:
        raise BadInputError(f"new-engine: {error}") from None
    test = shlex.quote(str(source.with_name("test.sh")))
    print(f"{source} is an engine. Build and test it with {test}")
    program = LANGUAGES[language].program
    if program and not shutil.which(program):
        print(f"It needs {program}, which is not on PATH.")
    return DONE
