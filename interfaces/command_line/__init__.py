"""The command `oddly`. Each subcommand has a module of its own, imported when it is called.

A subcommand reads its arguments, calls one function of another room, and prints. Start with
`main.py` and `commands.py`, the table of all subcommands, then read a short one such as
`perft_command.py`. `command.py` has the decorators for options, `values.py` reads what is typed,
and `errors.py` turns exceptions into sentences and exit codes.
"""

from oddly.interfaces.command_line.main import main

__all__ = ["main"]
