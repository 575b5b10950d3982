"""The command `oddly`. A subcommand's module is imported when it is called.

Commands that belong together are in one file `*_commands.py`, the others each in a `*_command.py`.
A subcommand reads its arguments, calls one function of another room, and prints. Start with
`main.py`, which finds and runs a subcommand, then read a short file such as `copying_commands.py`.
`command.py` has the decorators for options and reads what is typed; `errors.py` makes the sentence
about a wrong command line, and has the exit codes.
"""

from oddly.interfaces.command_line.main import main

__all__ = ["main"]
