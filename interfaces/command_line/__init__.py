"""The command `oddly`. Each subcommand has a module of its own, imported when it is called."""

import sys

from interfaces.command_line.own_packages import what_to_do

try:
    from interfaces.command_line.main import main
except ImportError:
    if (sentence := what_to_do()) is None:
        raise
    print(f"oddly: {sentence}", file=sys.stderr)
    sys.exit(2)

__all__ = ["main"]
