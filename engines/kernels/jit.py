"""Numba where it is installed; plain Python, slower but the same, where it is not.

Kernels are written in the part of Python that Numba compiles. Their functions stand at module level
and take their tables as arguments: Numba cannot cache closures.

They are compiled ahead of the clock: once on a machine, announced, and by one process at a time. An
engine calls `warm` before its first reply. The first process to do so compiles and leaves a marker
beside the machine code; every later one finds the marker and only loads.
"""

from __future__ import annotations

import gc
import os
import platform
import warnings
from contextlib import contextmanager, suppress
from functools import cache, cached_property, update_wrapper
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from oddly.engines.kernels.machine_code import (
    cache_directory,
    exclusive,
    has_marker,
    leave_marker,
    tell_once,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


try:
    import numba
    from numba.core.caching import FunctionCache

    from oddly.engines.kernels.whole_program import ChoiceType, EntryCompiler, InnerCompiler
except ImportError:
    IS_INSTALLED = HAS_NUMBA = False
else:
    IS_INSTALLED = True
    HAS_NUMBA = not numba.config.DISABLE_JIT
    """Whether kernels run as machine code."""
    numba.config.CACHE_DIR = str(cache_directory() or "")

    class LockedCache(FunctionCache):  # type: ignore[misc]
        """A function's machine code on disk, written by one process at a time.

        Numba's own takes no lock: two processes that save two types of a function at the same time
        can give both the same file, and later calls get the wrong one.
        """

        def load_overload(self, signature: Any, target_context: Any) -> Any:
            """Return the code kept for `signature`; None if there is none or it cannot be read."""
            try:
                return super().load_overload(signature, target_context)
            except Exception:
                # A damaged file is as good as none, whatever its bytes make Numba do.
                with suppress(OSError), exclusive("index"):
                    self.flush()
                return None

        def save_overload(self, signature: Any, result: Any) -> None:
            """Keep the `result` of compiling for `signature` if the disk has room."""
            with suppress(OSError), exclusive("index"):
                super().save_overload(signature, result)


if not HAS_NUMBA:
    # Machine arithmetic wraps, and NumPy warns of it; its own setting is for this thread alone.
    np.seterr(over="ignore")
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)


NOTICE = "compiling kernels once, which takes some 10 seconds"


class MachineCode:
    """A function that Numba compiles, when it is first called, for the types it is called with.

    Where Python calls it, it becomes an *entry*: machine code of its own, kept on disk, including
    all that it calls. Where compiled functions call it, it becomes a part of their entries.
    """

    def __init__(self, function: Callable[..., Any], has_overlap: bool, **options: object) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._has_overlap = has_overlap
        self._options = {"nogil": True, "error_model": "numpy", "_nrt": False, **options}

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code; the first time for these types, load or compile it."""
        return self.entry(*arguments)

    @cached_property
    def entry(self) -> Any:
        """What Python calls."""
        dispatcher = self._dispatcher(EntryCompiler, no_cfunc_wrapper=True)
        # Where nothing can be written, Numba refuses, and nothing is kept.
        with suppress(RuntimeError):
            dispatcher._cache = LockedCache(self.py_func)
        return dispatcher

    @cached_property
    def part(self) -> Any:
        """What compiled functions call."""
        return self._dispatcher(InnerCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)

    @property
    def _numba_type_(self) -> Any:
        """Numba asks every global name in a compiled function for its type by this name."""
        return self.part._numba_type_

    def _dispatcher(self, compiler: type, **more: object) -> Any:
        options: dict[str, Any] = {"pipeline_class": compiler, **self._options, **more}
        dispatcher: Any = numba.njit(**options)(self.py_func)
        if not self._has_overlap:
            # Numba has a flag for that, but no option that sets it.
            customized = dispatcher._compiler._customize_flags

            def without_overlap(flags: Any) -> Any:
                flags = customized(flags)
                flags.noalias = True
                return flags

            dispatcher._compiler._customize_flags = without_overlap
        return dispatcher


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` as machine code that runs without Python's global lock.

    It may make no arrays and return none: references are not counted (`_nrt`), because Numba counts
    one, with a locked instruction, for every array taken out of a state.
    """
    return _compiled(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `compiled`, but copied into every function that calls it.

    This is for functions called so often that passing a state, a hundred words, costs too much.
    """
    return _compiled(function, forceinline=True)


def unaliased(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `inlined`, for functions in which no array that is written to overlaps another.

    Without that promise, C's `restrict`, every write to one array may have changed all others: they
    are read again, and a loop tests first whether it may take a vector at a time, or does not try.
    """
    return _compiled(function, has_overlap=False, forceinline=True)


def _compiled(
    function: Callable[..., Any], has_overlap: bool = True, **more: object
) -> Callable[..., Any]:
    return MachineCode(function, has_overlap, **more) if HAS_NUMBA else function


def by_state(implementations: Mapping[type, Callable[..., Any]]) -> Callable[..., Any]:
    """Return a function that calls the implementation for the type of its first argument, a state.

    Compiled callers choose it when they are compiled, so the choice costs nothing at run time.
    """

    def dispatch(state: Any, *arguments: Any) -> Any:
        return implementations[type(state)](state, *arguments)

    if HAS_NUMBA:
        choice: Any = dispatch
        choice._numba_type_ = ChoiceType(f"choice({id(dispatch)})", implementations)
    return dispatch


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
