"""An engine is what it says, its options and its content, wherever its program lies."""

import sys
from dataclasses import replace

import pytest

from oddly.games import create_game
from oddly.protocol import NO_CLOCK
from oddly.referee import EngineConfiguration
from oddly.tournaments import (
    Gauntlet,
    Ledger,
    LedgerError,
    Match,
    PlayingSettings,
    RoundRobin,
    Tournament,
    run_tournament,
)
from oddly.tournaments.ledger.engines import (
    OURS,
    Entrant,
    KnownEngine,
    program_change,
    same_command,
    same_options,
)
from oddly.tournaments.ledger.identity import next_name, next_successor, successor, successors
from tests.referee.fakes import FAKE

ODD = create_game("odd", 2)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("/home/a/venv/bin/oddly engine rave", "/opt/oddly engine rave", True),
        ("/home/a/venv/bin/oddly engine rave", "/usr/bin/python3 -m oddly engine rave", True),
        ("/home/a/venv/bin/oddly engine rave", "/opt/oddly engine uct", False),
        ("/usr/bin/python3.11 /home/a/mine.py --level 3", "/bin/python3 {here} --level 3", True),
        ("/usr/bin/python3 /home/a/mine.py --level 3", "/bin/python3 {here} --level 4", False),
        ("/home/a/engine", "/srv/engine", True),
        ("/home/a/engine", "/srv/engine --fast", False),
        ("/home/a/engine --net=/home/a/x.bin", "/srv/engine --net=/srv/x.bin", True),
        ("/home/a/engine --net=/home/a/x.bin", "/srv/engine --book=/srv/x.bin", False),
    ],
)
def test_a_path_is_only_where_a_program_is_now(old, new, same):
    words = [__file__ if word == "{here}" else word for word in new.split()]
    assert same_command(old.split(), words) is same


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ({"net": "/home/a/x.bin", "level": "3"}, {"net": "/srv/x.bin", "level": "3"}, True),
        ({"net": "/home/a/old.bin"}, {"net": __file__}, True),
        ({"net": "/home/a/old.bin"}, {"net": "/srv/new.bin"}, False),
        ({"net": "/home/a/x.bin"}, {}, False),
        ({"share": "1/2"}, {"share": "3/2"}, False),
    ],
)
def test_a_file_of_an_option_may_lie_elsewhere(old, new, same):
    assert same_options(old, new) is same


def known(command: str, **files: str) -> KnownEngine:
    return KnownEngine(Entrant("a", tuple(command.split()), {}, files), "a 1", "then", "then")


def test_what_only_runs_an_engine_is_not_the_engine():
    script = known("/a/python3.11 /a/x.py", **{"/a/python3.11": "1", "/a/x.py": "2"})
    moved = Entrant("a", ("/b/python3.13", "x.py"), {}, {"/b/python3.13": "3", "x.py": "2"})
    assert program_change(script, moved) is None
    said = program_change(script, replace(moved, files={"/b/python3.13": "3", "x.py": "4"}))
    assert ": x.py; its games" in said
    ours = known("/a/oddly engine rave", **{"/a/oddly": "1", OURS: "2"})
    assert (
        program_change(ours, Entrant("a", ("/b/oddly",), {}, {"/b/oddly": "3", OURS: "2"})) is None
    )
    assert program_change(ours, Entrant("a", ("/b/oddly",), {}, {OURS: "3"})) is not None


def test_the_names_of_engines_that_became_new_ones():
    assert next_name("mine", {"mine"}) == "mine@2"
    assert next_name("mine@2", {"mine", "mine@2", "mine@3"}) == "mine@4"
    assert next_successor("mine", {"mine", "mine@7", "mine@2@8"}) == "mine@8"
    assert successor("mine", ["mine", "mine@2", "mine@10", "other@11"]) == "mine@10"
    assert successor("mine", ["mine", "other@2"]) is None
    assert successors({"a", "b", "c"}, ["a", "b", "c", "a@2", "b@2", "a@3"]) == {
        "a": "a@3",
        "b": "b@2",
    }
    assert successors({"a", "a@2"}, ["a", "a@2"]) == {}


def club(folder, text: str, format_=None, **options) -> Tournament:
    script = folder / "mine.py"
    script.write_text(f"# {text}\nimport runpy\nrunpy.run_path({FAKE!r}, run_name='__main__')\n")
    mine = EngineConfiguration("mine", (sys.executable, str(script)), NO_CLOCK, options)
    other = EngineConfiguration("other", (sys.executable, FAKE), NO_CLOCK)
    return Tournament(
        name="club",
        format=format_ or RoundRobin(1),
        games=(ODD,),
        engines=(mine, other),
        settings=PlayingSettings(concurrency=1),
    )


def test_a_ledger_goes_on_elsewhere_and_a_changed_program_may_become_a_new_engine(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    path = tmp_path / "x.sqlite"
    assert len(run_tournament(club(old, "one"), path).played) == 2
    # Moved, and nothing else: nothing is said and nothing is played.
    with Ledger(path) as ledger:
        before = len(ledger.engines())
    assert len(run_tournament(club(new, "one"), path).played) == 2
    # Rebuilt: it is told, and stays the same engine unless it is entered as a new one.
    assert len(run_tournament(club(new, "two"), path).played) == 2
    run = run_tournament(club(new, "two"), path, as_new=True)
    assert len(run.played) == 4
    assert set(run.engines) == {"mine", "mine@2", "other"}
    with Ledger(path) as ledger:
        (ruling,) = ledger.rulings().given
        assert ruling.sentence().endswith(
            "engine 'mine' is retired: its program changed; it continues as 'mine@2'"
        )
        assert before < len(ledger.engines())
        (told,) = [what for _, what in ledger.happenings() if "has changed since" in what]
        assert "unless --as-new makes it a new engine" in told
    # The file still says `mine`.
    assert len(run_tournament(club(new, "two"), path).played) == 4
    # Other options are another engine.
    with pytest.raises(
        LedgerError, match=r"options of engine 'mine@2' changed .* --as-new enters engines"
    ):
        run_tournament(club(new, "two", level="3"), path)
    assert "mine@3" in run_tournament(club(new, "two", level="3"), path, as_new=True).engines


def test_the_file_pauses_the_engine_that_an_engine_of_it_became(tmp_path):
    """The bug: `active = false` was lost with the name, so the engine played on."""
    path = tmp_path / "x.sqlite"
    run_tournament(club(tmp_path, "one"), path)
    run_tournament(club(tmp_path, "two"), path, as_new=True)
    paused = replace(club(tmp_path, "two", RoundRobin(2)), inactive=frozenset({"mine"}))
    assert len(run_tournament(paused, path).played) == 4
    assert len(run_tournament(replace(paused, inactive=frozenset()), path).played) == 6


def test_an_engine_called_like_a_successor_becomes_a_new_one_too(tmp_path):
    """The bug: mine@2 became mine@3, which the next run did not know from the file."""
    path = tmp_path / "x.sqlite"

    def written(text: str) -> Tournament:
        made = club(tmp_path, text)
        mine, other = made.engines
        return replace(made, engines=(replace(mine, name="mine@2"), other))

    run_tournament(written("one"), path)
    run = run_tournament(written("two"), path, as_new=True)
    assert set(run.engines) == {"mine@2", "mine@2@2", "other"}
    assert len(run_tournament(written("two"), path).played) == 4


def test_a_run_that_is_killed_as_an_engine_becomes_a_new_one_goes_on(tmp_path, monkeypatch):
    """The bug: the successor was the challenger already, but no ruling said so."""
    path = tmp_path / "x.sqlite"
    run_tournament(club(tmp_path, "one", Gauntlet(1)), path)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("oddly.tournaments.ledger.rulings.append", killed)
        with pytest.raises(KeyboardInterrupt):
            run_tournament(club(tmp_path, "two", Gauntlet(1)), path, as_new=True)
    assert len(run_tournament(club(tmp_path, "two", Gauntlet(1)), path).played) == 2
    assert len(run_tournament(club(tmp_path, "two", Gauntlet(1)), path, as_new=True).played) == 4


def test_the_file_of_an_option_is_part_of_the_engine(tmp_path):
    path = tmp_path / "x.sqlite"
    ledgers = {}
    for place, weights in (("old", "1"), ("new", "1"), ("newer", "2")):
        folder = tmp_path / place
        folder.mkdir()
        (folder / "net.bin").write_text(weights)
        run_tournament(club(folder, "one", level=str(folder / "net.bin")), path)
        with Ledger(path) as ledger:
            ledgers[place] = [what for _, what in ledger.happenings() if "changed" in what]
    assert ledgers["old"] == ledgers["new"] == []
    (told,) = ledgers["newer"]
    assert "newer/net.bin; its games" in told


def test_where_no_engine_can_be_added_none_becomes_a_new_one(tmp_path):
    path = tmp_path / "x.sqlite"
    run_tournament(club(tmp_path, "one", Match(2)), path)
    with pytest.raises(LedgerError, match="the format match does not allow"):
        run_tournament(club(tmp_path, "two", Match(2)), path, as_new=True)
    with Ledger(path) as ledger:
        assert not ledger.rulings().given
