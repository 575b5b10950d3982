"""The command `oddly`. Each subcommand has a module of its own, imported when it is called."""

from oddly.interfaces.command_line.main import main

__all__ = ["main"]
