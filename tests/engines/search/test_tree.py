"""The table of a tree: every node is found by its key, and none when all are forgotten."""

from __future__ import annotations

import numpy as np
import pytest

from engines.search.tree import NODES, clear, new_tree, node_of


@pytest.mark.parametrize("seed", range(3))
def test_nodes_are_found_by_their_keys_until_they_are_forgotten(seed):
    tree = new_tree(100, 1)
    draw = np.random.default_rng(seed)
    for _ in range(3):
        # Few different places in the table, so that many keys meet at one.
        keys = draw.integers(1, 1 << 63, 400, dtype=np.uint64) & np.uint64(0x7FFFFFFF0000003F)
        keys = np.unique(keys & ~np.uint64(0xFFFF_0000_0000))
        nodes = [node_of(tree, key) for key in keys]
        assert nodes == list(range(1, len(keys) + 1))
        assert [node_of(tree, key) for key in keys] == nodes
        clear(tree)
        assert tree.used[NODES] == 1
        assert not tree.slots.any()
