"""The page in a real browser, where there is one: its script runs, and shows what the rules say."""

import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from games.colour import EMPTY, Colour
from games.drawing.trace import touched
from interfaces.report.page import page
from interfaces.report.reported_event import read_event
from interfaces.report.statement import statement
from protocol.notation import parse_turn
from tests.interfaces.report.events import GAMES, HOSTILE, SHOWN, make_ledger
from tests.patience import PATIENCE
from tournaments.ledger.store import Ledger

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")


class Seen(HTMLParser):
    """What stands in elements with an id, and the classes of the vertices on the shown board."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.vertices = {}, {}
        self._open, self._templates = [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self._templates += tag == "template"
        if "data-vertex" in found and not self._templates:
            self.vertices[found["data-vertex"]] = set((found.get("class") or "").split())
        if tag in ("p", "div", "a"):
            self._open.append((tag, found.get("id")))

    def handle_endtag(self, tag):
        self._templates -= tag == "template"
        if self._open and self._open[-1][0] == tag:
            self._open.pop()

    def handle_data(self, data):
        for _, name in self._open:
            self.texts[name] = self.texts.get(name, "") + data


@pytest.fixture(scope="module")
def event(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    path = folder / "event.sqlite"
    make_ledger(path, [HOSTILE, "tame"], name=HOSTILE)
    with Ledger(path, read_only=True) as ledger:
        read = read_event(ledger, 99)
    (folder / "event.html").write_text(page(read, "oddly test"), encoding="utf-8")
    return folder / "event.html", read


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_game_is_shown_at_the_turn_that_the_address_names(game, event, tmp_path):
    path, read = event
    identity, record = next(pair for pair in read.latest if pair[1].game == game)
    turns = [parse_turn(played.turn) for played in record.turns]
    number = len(turns) // 2
    position = game.start()
    for turn in turns[:number]:
        position = position.play(turn)

    words = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}",
        "--virtual-time-budget=3000", "--dump-dom", f"{path.as_uri()}#replay={identity}/{number}",
    ]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
    seen = Seen(done.stdout)

    assert seen.texts["statement"] == statement(position)
    assert seen.texts["said"].startswith(f"Turn {number} of {len(turns)}: {turns[number - 1]}")
    assert SHOWN in seen.texts["players"]
    placed, left = touched(turns[number - 1])
    for vertex, stone in zip(game.board.vertices, position.stones, strict=True):
        expected = set() if stone == EMPTY else {str(Colour(stone))}
        expected |= {"placed"} if vertex in placed else set()
        expected |= {"vacated"} if vertex in left else set()
        assert seen.vertices[vertex] == expected
