"""`oddly new-engine`: begin your own engine, in one of six languages."""

from __future__ import annotations

import shlex
import shutil

from oddly.interfaces.command_line.command import OneOf, command
from oddly.interfaces.command_line.declaring import argument
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.shipped_examples import LANGUAGES, new_engine


@command(epilog="The engine plays Odd on hexhex boards at random: change it from there.")
def run(
    language: str = argument(
        "LANGUAGE", ", ".join(LANGUAGES), kind=OneOf(*LANGUAGES, kind="language")
    ),
    directory: str = argument("DIRECTORY", "a directory that does not exist or is empty"),
) -> int:
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
