"""The page: strangers' text is text, nothing else runs, and the figures are those of the ledger."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from oddly.games.catalogue import create_game
from oddly.interfaces.report.page import replays, statement
from oddly.referee.justice.record import replay
from tests.games.positions import played
from tests.interfaces.report.events import (
    GAMES,
    HOSTILE,
    SHOWN,
    add_records,
    fault_record,
    make_ledger,
    report_of,
)


class Page(HTMLParser):
    """The elements of a page, the text of its tables, and what its scripts and styles hold."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.inside, self.words = [], [], {}, []
        self._raw = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attributes]
        if tag in ("script", "style"):
            self._raw = (tag, dict(attributes).get("type", ""))

    def handle_endtag(self, tag):
        if self._raw and self._raw[0] == tag:
            self._raw = None

    def handle_data(self, data):
        if self._raw:
            self.inside[self._raw] = self.inside.get(self._raw, "") + data
        else:
            self.words.append(data)

    @property
    def games(self):
        return json.loads(self.inside["script", "application/json"])


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "hostile.sqlite"
    records = make_ledger(path, [HOSTILE, "tame", "=other"], name=HOSTILE)
    add_records(path, {"fault": fault_record(GAMES[0], (HOSTILE, "tame"), HOSTILE)})
    text = report_of(path)
    return Page(text), text, records


def test_a_hostile_name_is_text_everywhere(hostile):
    read, text, _ = hostile
    # A data block and one script of our own; pictures are SVG.
    assert [read.tags.count(tag) for tag in ("script", "style", "img")] == [2, 1, 0]
    assert not [pair for pair in read.attributes if pair[1].startswith("on") or pair[1] == "style"]
    for character in HOSTILE:
        if not character.isprintable():
            assert character not in text
    text.encode("utf-8")
    assert SHOWN in read.words
    names = {name for game in read.games["games"] for name in game["players"]}
    assert names == {SHOWN, "tame", "=other"}


def test_the_policy_lets_one_style_and_one_script_run_and_nothing_else(hostile):
    read, _, _ = hostile
    (policy,) = [value for tag, key, value in read.attributes if tag == "meta" and key == "content"
                 and "default-src" in value]  # fmt: skip
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"
    for kind, content in (("style-src", ("style", "")), ("script-src", ("script", ""))):
        digest = hashlib.sha256(read.inside[content].encode()).digest()
        assert allowed[kind] == f"'sha256-{base64.b64encode(digest).decode()}'"


def test_nothing_is_fetched(hostile):
    read, text, _ = hostile
    links = [value for _, key, value in read.attributes if key in ("src", "href", "xlink:href")]
    assert all(link.startswith("#") for link in links)
    assert "url(" not in text
    assert set(re.findall(r"https?://[^\"'\s]+", text)) == {"http://www.w3.org/2000/svg"}


def test_every_game_is_there_with_its_turns_and_what_the_groups_came_to(hostile):
    read, _, records = hostile
    facts = read.games
    fault, *games = facts["games"]
    assert (fault["reason"], fault["turns"], fault["winner"]) == (SHOWN, [], 1)
    assert len(games) == len(records)
    for game, record in zip(games, reversed(records), strict=True):
        board = facts["boards"][game["board"]]
        assert board["title"] == str(record.game)
        cells = [cell["vertex"] for cell in board["geometry"]["cells"]]
        assert cells == list(record.game.board.vertices)
        assert board["start"] == "".join(".XO"[stone] for stone in record.game.start().stones)
        assert game["turns"] == [each.turn for each in record.turns]
        assert game["opening"] == record.opening
        assert game["winner"] == record.outcome.winner
        assert len(game["says"]) == len(record.turns) + 1
        assert facts["sentences"][game["says"][-1]] == statement(replay(record))
        counts = replay(record).group_counts
        lead = None if record.game.name == "odd" else counts.white - counts.black
        assert game["leads"][-1] == lead


def test_only_the_last_games_are_embedded_and_the_page_says_so(tmp_path):
    path = tmp_path / "event.sqlite"
    records = make_ledger(path, ["one", "two"], rounds=2)
    read = Page(report_of(path, 3))
    assert [game["id"] for game in read.games["games"]] == ["0015", "0014", "0013"]
    assert len(records) == 16
    said = " ".join(" ".join(read.words).split())
    assert "The last 3 of 16 games, the newest first." in said
    assert "\\" not in said  # nothing of ours is escaped
    assert "script" not in Page(report_of(path, 0)).tags


def test_an_event_without_games_is_a_page_too(tmp_path):
    path = tmp_path / "event.sqlite"
    make_ledger(path, ["one", "two"], games=())
    assert "No game has ended yet." in "".join(Page(report_of(path)).words)


def test_a_sequential_test_is_drawn_for_two_engines_only(tmp_path):
    games = [create_game("odd", 2)]
    for engines, expected in ((["one", "two"], True), (["one", "two", "three"], False)):
        path = tmp_path / f"{len(engines)}.sqlite"
        make_ledger(path, engines, games=games, rounds=3)
        assert ("log-likelihood ratio" in report_of(path)) is expected


@pytest.mark.parametrize(
    ("name", "size", "turns", "said"),
    [
        ("yodd", 3, [], "No groups yet"),
        ("yodd", 3, ["Bc3", "Wa5,We1"], "1 black + 2 white = 3 groups, odd"),
        ("xodd", 3, ["Ba1", "pass", "pass"], "1 black + 0 white = 1 group, odd: White has fewer"),
        ("odd", 3, ["Bc3"], "Groups of 5 or more: 0 black + 0 white = 0, even: White would win"),
        ("ayu", 5, ["b1-c1"], "5 black units, 6 white units"),
    ],
)
def test_what_the_groups_mean_is_said_by_the_rules_of_each_game(name, size, turns, said):
    assert statement(played(name, size, *turns)).startswith(said)


def test_sentences_are_shared_between_games(hostile):
    read, _, records = hostile
    said = read.games["sentences"]
    assert len(said) == len(set(said)) < sum(len(record.turns) for record in records)
    assert replays([]).as_json() == {"boards": [], "games": [], "sentences": []}
