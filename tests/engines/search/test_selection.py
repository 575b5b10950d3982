"""The greatest of many values."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oddly.engines.search.selection import _place_of_greatest

VALUES = st.floats(-1e9, 1e9, width=32).filter(lambda value: value != 0)


@given(st.lists(VALUES, min_size=1, max_size=70), st.integers(0, 3))
def test_the_first_of_the_greatest_values_is_found(values, copies):
    values += values[:copies]
    floats = np.array(values, np.float32)
    place = _place_of_greatest(floats.view(np.int32), np.uint64(len(values)))
    assert place == values.index(max(values))


def test_what_lies_behind_the_values_does_not_matter():
    floats = np.array([0.25, -3.0, 7.0], np.float32)
    assert _place_of_greatest(floats.view(np.int32), np.uint64(2)) == 0
