"""What `jit.py` uses of Numba that Numba does not promise, each use by itself.

Where a new Numba breaks one of these, mend `engines/kernels/jit.py` (or `levels.py`), then raise
the upper bound of the extra `fast` in pyproject.toml.
"""

from typing import NamedTuple

import numpy as np
import pytest

from engines.kernels.jit import HAS_NUMBA, by_state, compiled, inlined, unaliased

needs_numba = pytest.mark.skipif(not HAS_NUMBA, reason="Numba is not in use")


class OneNumber(NamedTuple):
    numbers: np.ndarray


def first(state):
    return state.numbers[0]


def overwritten(target, source):
    target[0] = 1
    return source[0]


@needs_numba
def test_the_cache_of_a_function_can_be_replaced_by_one_that_takes_locks():
    from numba.core.caching import FunctionCache

    function = compiled(overwritten)
    assert isinstance(function._cache, FunctionCache)
    assert type(function._cache).__name__ == "LockedCache"
    for name in ("load_overload", "save_overload", "flush"):
        assert callable(getattr(FunctionCache, name)), f"FunctionCache.{name} is gone"


@needs_numba
def test_the_cache_lies_where_it_is_told():
    import numba

    assert compiled(overwritten)._cache.cache_path.startswith(numba.config.CACHE_DIR)


@needs_numba
def test_references_to_arrays_are_not_counted():
    from numba.core.caching import NullCache

    function = compiled(overwritten)
    function._cache = NullCache()
    function(np.zeros(1), np.ones(1))
    [code] = function.inspect_llvm().values()
    assert "NRT_incref" not in code.partition("define")[2].partition("cpython")[0]


@needs_numba
def test_the_type_of_a_named_tuple_knows_its_class():
    from numba import typeof

    assert typeof(OneNumber(np.zeros(1))).instance_class is OneNumber
    assert by_state({OneNumber: compiled(first)})(OneNumber(np.ones(1))) == 1


@needs_numba
def test_llvm_is_told_that_arrays_do_not_overlap():
    from numba.core.caching import NullCache

    promises = []
    for decorate in (inlined, unaliased):
        function = decorate(overwritten)
        function._cache = NullCache()  # Code from the disk cannot be inspected.
        assert function(np.zeros(1), np.ones(1)) == 1
        [code] = function.inspect_llvm().values()
        definition = next(line for line in code.splitlines() if line.startswith("define"))
        promises.append(definition.count("noalias"))
    without, with_promise = promises
    assert with_promise > without
