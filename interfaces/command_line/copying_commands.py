"""`oddly examples`, `new-engine` and `completion`: files that come with oddly, to copy or to print.

They are tournament files and engines, the beginning of an engine of your own in one of six
languages, and the script that completes `oddly` in a shell.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
)

from oddly.games import did_you_mean
from oddly.interfaces.command_line.command import OneOf, Value, command
from oddly.interfaces.command_line.declaring import argument, flag, option
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.shipped_examples import (
    LANGUAGES,
    ShippedExample,
    new_engine,
    shipped_examples,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click


PROGRAMS = {".py": "python3", ".js": "node"}
"""The interpreters of engines that need not be built."""


class ExampleName(Value):
    """The name of an example, which a shell completes."""

    def __init__(self) -> None:
        super().__init__(str)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that complete the incomplete one."""
        return [CompletionItem(name) for name in shipped_examples() if name.startswith(incomplete)]


@command()
def examples_command(
    names: tuple[str, ...] = argument("[NAME...]", "examples to copy", kind=ExampleName()),
    *,
    to: Path = option("DIR", "where to copy them", default=Path()),
    all_: bool = flag("copy all of them", names="--all"),
    as_json: bool = flag("print the list as one JSON object", names="--json"),
) -> int:
    """List the examples, or copy those that are named."""
    known = shipped_examples()
    wanted = tuple(known) if all_ else names
    if not wanted:
        _print_list(known, as_json=as_json)
        return DONE
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
    return DONE


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
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        # A program without a suffix is run as it is.
        if not source.suffix or os.access(source, os.X_OK):
            target.chmod(0o755)
    except OSError as error:
        raise BadInputError(f"examples: {target} cannot be written: {error.strerror}") from None


def _what_next(target: Path) -> str:
    """Return what was written, and the command that uses it, if that is one of ours."""
    if target.suffix == ".toml":
        return f"{target}    play it with: oddly tournament {shlex.quote(str(target))}"
    if (program := PROGRAMS.get(target.suffix)) and target.stem != "drops":
        engine = shlex.join([program, str(target)])
        return f"{target}    try it with: oddly check {shlex.quote(engine)} --game odd"
    return str(target)


@command(epilog="The engine plays Odd on hexhex boards at random: change it from there.")
def new_engine_command(
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


SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}


@command(epilog='For bash, put this into ~/.bashrc: eval "$(oddly completion bash)"')
def completion_command(
    shell: str = argument("SHELL", ", ".join(SHELLS), kind=OneOf(*SHELLS, kind="shell")),
) -> int:
    """Print the script."""
    from oddly.interfaces.command_line.main import COMPLETION_VARIABLE, PROGRAM

    print(SHELLS[shell](PROGRAM, {}, "oddly", COMPLETION_VARIABLE).source())
    return DONE
