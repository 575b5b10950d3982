"""Numba where it is installed; plain Python, slower but the same, where it is not.

Kernels are written in the part of Python that Numba compiles. Every function of theirs stands at
module level and takes its tables as arguments: Numba cannot cache closures.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engines.kernels.cache import cache_directory, exclusive

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

try:
    import numba
    from numba.core.caching import FunctionCache
    from numba.extending import overload
except ImportError:
    IS_INSTALLED = HAS_NUMBA = False
else:
    IS_INSTALLED = True
    HAS_NUMBA = not numba.config.DISABLE_JIT
    numba.config.CACHE_DIR = str(cache_directory())

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


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` as machine code, cached on disk and run without Python's global lock.

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
    """Like `inlined`, for arguments of which no array that is written to overlaps another.

    Without that promise, C's `restrict`, every write to one array may have changed all others: they
    are read again, and a loop tests first whether it may take a vector at a time, or does not try.
    """
    machine_code = inlined(function)
    if HAS_NUMBA:
        # Numba has a flag for that, but no option that sets it.
        compiler: Any = machine_code._compiler  # type: ignore[attr-defined]
        customized = compiler._customize_flags

        def without_overlap(flags: Any) -> Any:
            flags = customized(flags)
            flags.noalias = True
            return flags

        compiler._customize_flags = without_overlap
    return machine_code


def _compiled(function: Callable[..., Any], **more: object) -> Callable[..., Any]:
    if not HAS_NUMBA:
        return function
    options = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False, **more}
    machine_code: Any = numba.njit(**options)(function)
    machine_code._cache = LockedCache(function)
    return cast("Callable[..., Any]", machine_code)


def by_state(implementations: Mapping[type, Callable[..., Any]]) -> Callable[..., Any]:
    """Return a function that calls the implementation for the type of its first argument, a state.

    Compiled callers choose it when they are compiled, so the choice costs nothing at run time.
    """

    def dispatch(state: Any, *arguments: Any) -> Any:
        return implementations[type(state)](state, *arguments)

    if HAS_NUMBA:

        @overload(dispatch)
        def _choose(state, *arguments):  # type: ignore[no-untyped-def]
            implementation = implementations[state.instance_class]
            return lambda state, *arguments: implementation(state, *arguments)  # noqa: PLW0108

    return dispatch
