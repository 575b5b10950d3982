"""Compiling ahead of the clock: once on a machine, announced, and by one process at a time.

An engine calls `warm` before its first reply. The first process to do so compiles and leaves a
marker beside the machine code; every later one finds the marker and only loads.
"""

from __future__ import annotations

import gc
import os
import platform
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from oddly.engines.kernels.available import tell_once
from oddly.engines.kernels.cache import exclusive, has_marker, leave_marker
from oddly.engines.kernels.jit import HAS_NUMBA, IS_INSTALLED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOTICE = "compiling kernels once, which takes some 10 seconds"

_ready: set[str] = set()


def without_numba() -> str:
    """Return a sentence about the speed without Numba, and the command that installs it."""
    from oddly.games import install_command

    return (
        "Numba is not installed, so the kernels run about a hundred times slower; "
        f"to install it: {install_command('fast')}"
    )


def warm(name: str, state: Any, run: Callable[[], object]) -> bool:
    """Compile or load every function that `run` calls, and return whether any was compiled.

    `run` calls all functions that the program `name` needs, with the types that it will use, for
    states like `state`; it runs at most once in a process. Without Numba there is nothing to
    compile, and one sentence on standard error says so.
    """
    if not HAS_NUMBA:
        if not IS_INSTALLED:
            tell_once(without_numba())
        return False
    item = _item(name, state)
    if item in _ready:
        return False
    marker = f"{item}.warm"
    is_new = not has_marker(marker)
    if is_new:
        tell_once(NOTICE)
        with exclusive(item):
            is_new = not has_marker(marker)
            if is_new:
                with _no_collection():
                    run()
                leave_marker(marker)
    if not is_new:
        run()
    _ready.add(item)
    return is_new


@contextmanager
def _no_collection() -> Iterator[None]:
    """Leave garbage alone: looking for it takes an eighth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def is_warm(name: str, state: Any) -> bool:
    """Return whether what `name` needs for states like `state` was compiled on this machine."""
    return not HAS_NUMBA or has_marker(f"{_item(name, state)}.warm")


def _item(name: str, state: Any) -> str:
    return f"{name}-{_digest(type_name(state), *_machine())}"


def type_name(state: Any) -> str:
    """Return what machine code depends on: the types of a state and of the arrays in it."""
    import numba

    kind = type(state)
    return f"{kind.__module__}.{kind.__qualname__}: {numba.typeof(state)}"


@cache
def _machine() -> tuple[str, ...]:
    """Return what else machine code depends on: Python and the processor."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    chosen = os.environ.get("NUMBA_CPU_NAME", ""), os.environ.get("NUMBA_CPU_FEATURES", "")
    return (platform.python_version(), llvm.get_host_cpu_name(), features, *chosen)


def _digest(*words: str) -> str:
    return sha256("\0".join(words).encode()).hexdigest()[:16]
