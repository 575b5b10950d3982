"""What Numba is asked for reaches LLVM, also what it has no option for."""

import numpy as np
import pytest

from engines.kernels.jit import HAS_NUMBA, inlined, unaliased


def overwritten(target, source):
    target[0] = 1
    return source[0]


@pytest.mark.skipif(not HAS_NUMBA, reason="there is nothing to promise without machine code")
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
