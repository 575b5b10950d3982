"""Public docstrings say which errors a function raises. Ruff holds that there are docstrings.

A step of the check and a command of the command line are called by their decorators, which say what
they do with errors.
"""

import ast

from tests.source import Function, Module, modules, public_functions, raised_by

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
    assert [place for module in modules() for place in silent(module)] == []


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
