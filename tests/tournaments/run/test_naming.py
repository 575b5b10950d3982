"""Engines that give themselves the same name get different ones, which say what differs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.tournaments.run.preparing import told_apart


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        (["oddly engine rave --threads 2", "oddly engine rave --threads 4"],
         ["rave threads=2", "rave threads=4"]),
        (["oddly engine rave", "oddly engine rave --threads 4"], ["rave", "rave threads=4"]),
        (["oddly engine rave --threads=2 --level 3", "oddly engine rave --level 3"],
         ["rave threads=2", "rave"]),
        (["mine --fast", "mine"], ["rave fast", "rave"]),
        (["mine --fast --level 1", "mine --level 2"], ["rave fast level=1", "rave level=2"]),
        (["/home/me/old/engine", "/home/me/new/engine"], ["rave old", "rave new"]),
        (["/srv/1.0/bin/it x", "/srv/1.1/bin/it y"], ["rave 1.0 x", "rave 1.1 y"]),
        (["python old.py", "python new.py"], ["rave old.py", "rave new.py"]),
        (["mine", "mine"], ["rave (first)", "rave (second)"]),
        (["mine", "mine", "mine", "mine"],
         ["rave (first)", "rave (second)", "rave (third)", "rave (4)"]),
    ],
)  # fmt: skip
def test_names_say_what_differs(commands, names):
    assert told_apart("rave", [command.split() for command in commands]) == names


WORDS = st.lists(st.sampled_from(["a", "--b", "--c=1", "--c=2", "x/y", "x/z", "-", "--"]))


@given(st.lists(WORDS, min_size=2, max_size=5))
def test_names_always_differ(commands):
    names = told_apart("it", commands)
    assert len(set(names)) == len(names) == len(commands)
    assert all(name.startswith("it") for name in names)
