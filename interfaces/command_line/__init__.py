"""The command `oddly`. A subcommand's module is imported when it is called.

Related commands share a file `*_commands.py`; each other command has its own `*_command.py`.
A subcommand reads its arguments, calls one function of another room, and prints. Start with
`main.py`, which finds and runs a subcommand, then read a short file such as `copying_commands.py`.
`command.py` has the decorators for options and reads what is typed; `errors.py` words the sentence
about a wrong command line and has the exit codes.
"""

from oddly.interfaces.command_line.main import main

__all__ = ["main"]
