"""The tutorial on learning a game, with two lessons, two simulations and two games a match."""

from tests.docs.pages import DOCS, work_through
from tests.programs import needs

PAGE = DOCS / "tutorials" / "learn-a-game.md"
SHORTER = (
    ("learn.py 240", "learn.py 2"), ("\n240 lessons", "\n2 lessons"),
    ("engine.py 20", "engine.py 2"), ("--simulations 20", "--simulations 2"),
    ("--games 100", "--games 2"),
)  # fmt: skip


@needs("torch")
def test_a_reader_teaches_a_network_and_has_it_play(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    for long, short in SHORTER:
        assert long in page
        page = page.replace(long, short)
    copy = tmp_path / "page.md"
    copy.write_text(page, encoding="utf-8")
    assert work_through(copy, tmp_path) == 8
    assert (tmp_path / "network.pt").stat().st_size > 30_000
