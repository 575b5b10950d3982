"""What `jit.py` and `whole_program.py` use of Numba that Numba does not promise, each by itself.

Where a new Numba breaks one of these, mend the file that it names, then raise the upper bound of
the extra `fast` in pyproject.toml.
"""

import operator
from typing import NamedTuple

import numpy as np
import pytest

from oddly.engines.kernels.jit import HAS_NUMBA, by_state, compiled, inlined, unaliased
from tests.engines.running import run_python

pytestmark = pytest.mark.skipif(not HAS_NUMBA, reason="Numba is not in use")


class OneNumber(NamedTuple):
    numbers: np.ndarray


class TwoNumbers(NamedTuple):
    numbers: np.ndarray
    others: np.ndarray


def first(state):
    return state.numbers[0]


def second(state):
    return state.others[0]


def increased(numbers):
    numbers[0] += 1
    return numbers[0]


def overwritten(target, source):
    target[0] = 1
    return source[0]


def definition_of(dispatcher):
    """The first line of the machine code that a dispatcher has made in this process."""
    [code] = dispatcher.inspect_llvm().values()
    return next(line for line in code.splitlines() if line.startswith("define"))


def uncached(function):
    """What Python calls of a compiled function. Code from the disk could not be inspected."""
    from numba.core.caching import NullCache

    function.entry._cache = NullCache()
    return function.entry


@compiled
def twice(numbers):
    return increase(numbers) + increase(numbers)


@compiled
def increase_and_more(numbers):
    return twice(numbers) + increase(numbers)


increase = compiled(increased)


def test_the_cache_of_a_function_can_be_replaced_by_one_that_takes_locks():
    import numba
    from numba.core.caching import FunctionCache

    cache = compiled(overwritten).entry._cache
    assert isinstance(cache, FunctionCache)
    assert type(cache).__name__ == "LockedCache"
    for name in ("load_overload", "save_overload", "flush"):
        assert callable(getattr(FunctionCache, name)), f"FunctionCache.{name} is gone"
    assert cache.cache_path.startswith(numba.config.CACHE_DIR)


def test_references_to_arrays_are_not_counted():
    function = uncached(compiled(overwritten))
    function(np.zeros(1), np.ones(1))
    [code] = function.inspect_llvm().values()
    assert "NRT_incref" not in code.partition("define")[2].partition("cpython")[0]


def test_compiled_callers_choose_by_the_class_of_a_state():
    from numba import typeof

    assert typeof(OneNumber(np.zeros(1))).instance_class is OneNumber
    choice = by_state({OneNumber: compiled(first), TwoNumbers: compiled(second)})
    assert choice(OneNumber(np.ones(1))) == 1

    def called(state):
        return choice(state)

    # A function in a function is not cached.
    function = uncached(compiled(called))
    assert function(OneNumber(np.full(1, 3.0))) == 3
    assert function(TwoNumbers(np.zeros(1), np.full(1, 4.0))) == 4


def test_llvm_is_told_that_arrays_do_not_overlap():
    promises = []
    for decorate in (inlined, unaliased):
        function = uncached(decorate(overwritten))
        assert function(np.zeros(1), np.ones(1)) == 1
        promises.append(definition_of(function).count("noalias"))
    without, with_promise = promises
    assert with_promise > without


def test_only_what_python_calls_becomes_machine_code_with_all_that_it_calls():
    numbers = np.zeros(1)
    entry = uncached(increase_and_more)
    assert entry(numbers) == 1 + 2 + 3
    [code] = entry.inspect_llvm().values()
    assert "increased" in code
    for part in (twice.part, increase.part):
        [made] = part.overloads.values()
        assert type(made.library).__name__ == "InnerLibrary"
        assert not made.library._finalized, "Numba made machine code of an inner function"
        assert "wrapper" not in str(made.library._final_module), "Numba made a wrapper"


def test_an_inner_function_is_lowered_once_however_many_call_it_python_too():
    uncached(twice)(np.zeros(1))
    uncached(increase_and_more)(np.zeros(1))
    [_] = increase.part.overloads
    assert increase.part.stats.cache_misses.total() == 1
    assert uncached(increase)(np.ones(1)) == 2


@pytest.mark.sampled
def test_a_folder_holds_no_more_than_what_python_called(tmp_path):
    code = (
        "import numpy as np\n"
        "from tests.engines.kernels.test_jit import increase_and_more\n"
        "increase_and_more(np.zeros(1))\n"
        "assert sum(increase_and_more.entry.stats.cache_{}.values()) == 1"
    )
    for found in ("misses", "hits"):
        run_python("-c", code.format(found), NUMBA_CACHE_DIR=str(tmp_path))
    [kept] = tmp_path.rglob("*.nbc")
    assert "increase_and_more" in kept.name


def test_the_type_of_a_call_is_found_once_for_all_whole_numbers_that_are_written_out():
    from numba.core import types

    from oddly.engines.kernels.whole_program import Remembering

    class Context:
        asked = 0

        def resolve_function_type(self, function, arguments, keywords):
            self.asked += 1
            return types.int64(*map(types.unliteral, arguments))

    context = Context()
    remembering = Remembering(context, {})
    one, two = (types.literal(number) for number in (1, 2))
    for other in (one, two):
        signature = remembering.resolve_function_type(operator.add, (types.int64, other), {})
        assert signature.args == (types.int64, types.int64)
    assert context.asked == 1
