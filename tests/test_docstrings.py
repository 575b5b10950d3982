"""Public docstrings say which errors a function raises. Ruff holds that there are docstrings.

A step of the check and a command of the command line are called by their decorators, which say what
they do with errors.
"""

import ast

from tests.source import Function, Module, modules, public_functions, raised_by

EXCEPTIONS: set[str] = {
    "engines/kernels/ayu_kernel.py action_number: ValueError",
    "engines/kernels/group_kernel.py action_number: ValueError",
    "engines/kernels/odd_kernel.py action_number: ValueError",
    "engines/session.py Session.choose: CommandError",
    "engines/session.py Session.play: CommandError",
    "engines/session.py Session.set_game: CommandError",
    "engines/session.py Session.set_size: CommandError",
    "engines/session.py Session.undo: CommandError",
    "game_records/files.py new_file: FileExistsError",
    "game_records/files.py new_folder: FileExistsError",
    "games/ayu.py Ayu.__post_init__: GameError",
    "games/odd.py Odd.__post_init__: GameError",
    "interfaces/command_line/bridge_command.py host: BadInputError",
    "interfaces/command_line/bridge_command.py join: BadInputError",
    "interfaces/command_line/bridge_command.py join: BridgeError",
    "interfaces/command_line/command.py Command.parse_args: UnknownArgumentError",
    "interfaces/command_line/commands.py PROGRAM: UnknownArgumentError",
    "interfaces/command_line/ratings_command.py tell_over_time: BadInputError",
    "interfaces/command_line/ratings_command.py tell_ratings: BadInputError",
    "interfaces/command_line/study_command.py write: BadInputError",
    "protocol/vectors/facts.py illegal_facts: ValueError",
    "protocol/vectors/facts.py whole_game_facts: ValueError",
    "referee/check/conversation.py Conversation.channel: RuntimeError",
    "referee/check/conversation.py Conversation.more: Late",
    "referee/check/wire_steps.py survives: Skipped",
}
"""Functions that do not say yet what they raise. To be emptied."""
ABSTRACT = {"NotImplementedError"}
CALLED_BY_A_DECORATOR = {"step", "command"}


def is_called_by_a_decorator(function: Function) -> bool:
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Name) and called.id in CALLED_BY_A_DECORATOR:
            return True
    return False


def silent(module: Module) -> list[str]:
    """The functions of a module that raise something that their docstring does not name."""
    return [
        f"{module.path} {name}: {raised}"
        for name, function, docstring in public_functions(module)
        if not is_called_by_a_decorator(function)
        for raised in sorted(raised_by(function) - ABSTRACT)
        if raised not in docstring
    ]


def test_public_functions_say_what_they_raise():
    found = {place for module in modules() for place in silent(module)}
    assert sorted(found - EXCEPTIONS) == []


def test_what_a_docstring_does_not_say_is_found():
    text = '''
class Kept:
    """Raises KeyError without a name."""

    def __init__(self, name):
        if not name:
            raise KeyError
        if name == "a":
            raise ValueError("a")

    def read(self):
        """Return it. Raises OSError."""
        def inner():
            raise TypeError
        raise OSError("no")

    def _private(self):
        raise RuntimeError
'''
    module = Module("kept.py", text, ast.parse(text))
    assert silent(module) == ["kept.py Kept.__init__: ValueError"]
