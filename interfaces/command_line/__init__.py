"""The command `oddly`. Each subcommand has its own module, imported when it is called.

A subcommand reads its arguments, calls one function of another room, and prints. Start with
`main.py`, which finds and runs a subcommand, then read a short one such as `perft_command.py`.
`command.py` has the decorators for options and reads what is typed; `errors.py` makes the sentence
about a wrong command line, and has the exit codes.
"""

from oddly.interfaces.command_line.main import main

__all__ = ["main"]
