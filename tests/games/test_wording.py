"""Numbers of things in sentences."""

import pytest

from oddly.games.wording import counted


@pytest.mark.parametrize(
    ("number", "style", "said"),
    [(0, "", "0 games"), (1, "", "1 game"), (2, "", "2 games"), (1234, ",", "1,234 games")],
)
def test_one_thing_is_singular(number, style, said):
    assert counted(number, "game", style) == said
