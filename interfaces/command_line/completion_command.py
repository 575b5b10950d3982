"""`oddly completion SHELL`: the script that completes `oddly` in a shell."""

from __future__ import annotations

from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from oddly.interfaces.command_line.command import OneOf, command
from oddly.interfaces.command_line.declaring import argument
from oddly.interfaces.command_line.errors import DONE

SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}


@command(epilog='For bash, put this into ~/.bashrc: eval "$(oddly completion bash)"')
def run(
    shell: str = argument("SHELL", ", ".join(SHELLS), kind=OneOf(*SHELLS, kind="shell")),
) -> int:
    """Print the script."""
    from oddly.interfaces.command_line.main import COMPLETION_VARIABLE, PROGRAM

    print(SHELLS[shell](PROGRAM, {}, "oddly", COMPLETION_VARIABLE).source())
    return DONE
