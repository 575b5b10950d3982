"""The list of attacks is complete, and every test that it names exists."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
LISTED = re.findall(
    r"`([\w/]+\.py)::(test_\w+)` \|$",
    Path(__file__).with_name("attacks.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)
FILES = (
    "interfaces/web/test_security.py",
    "interfaces/web/test_hostile.py",
    "interfaces/web/test_websockets.py",
    "tournaments/ledger/test_strangers.py",
)
"""Files of nothing but attacks."""


def made_in(file):
    text = (TESTS / file).read_text(encoding="utf-8")
    return re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)


@pytest.mark.parametrize("file", sorted({file for file, _ in LISTED}))
def test_every_named_attack_is_made(file):
    named = [name for each, name in LISTED if each == file]
    assert len(named) == len(set(named))
    assert set(named) <= set(made_in(file))


@pytest.mark.parametrize("file", FILES)
def test_every_attack_is_in_the_list(file):
    assert set(made_in(file)) == {name for each, name in LISTED if each == file}
