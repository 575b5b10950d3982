"""Games of other packages and what else may be installed, and what is said if it is not."""

import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint, PackageNotFoundError
from typing import ClassVar

import numpy as np
import pytest

from oddly.games import catalogue
from oddly.games.catalogue import Catalogue, create_game, read_game, read_setting
from oddly.games.installation import install_command, packages_of
from oddly.games.settings import LARGEST_NUMBER, setting, settings_of
from oddly.games.turns import GameError
from oddly.games.yodd import Yodd

DECOYS = """
from oddly.games import Game, Yodd
class Plain(Game):
    name = "plain"
class Renamed(Yodd):
    name = "other"
"""


@pytest.fixture
def games(monkeypatch, tmp_path):
    """A catalogue with these (name, value) entry points."""
    (tmp_path / "decoys.py").write_text(DECOYS)
    (tmp_path / "broken.py").write_text("raise OSError('no disk')")
    monkeypatch.syspath_prepend(tmp_path)

    def make(*entries):
        found = [EntryPoint(name, value, catalogue.ENTRY_POINTS) for name, value in entries]
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found)
        return Catalogue(
            "game", catalogue.ENTRY_POINTS, ("oddly.games.game", "Game"), catalogue._OURS
        )

    return make


def test_a_game_is_loaded_when_it_is_asked_for(games):
    found = games(("yodder", "oddly.games.yodd:Yodd"), ("broken", "broken:Game"))
    assert list(found) == ["yodd", "xodd", "odd", "ayu", "broken", "yodder"]
    assert len(found) == 6
    assert "broken" in found
    assert found["yodd"].name == "yodd"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("broken", "broken:Game", "cannot be loaded from 'broken:Game': OSError: no disk"),
        ("gone", "nowhere:Game", "cannot be loaded from 'nowhere:Game': ModuleNotFoundError"),
        ("lacking", "decoys:Gone", "cannot be loaded from 'decoys:Gone': AttributeError"),
        ("list", "builtins:list", "is not a game: 'builtins:list' is not a subclass of games.Game"),
        ("plain", "decoys:Plain", "is not a dataclass"),
        ("renamed", "decoys:Renamed", "calls itself 'other'"),
    ],
)
def test_what_is_no_game_is_refused_in_one_sentence(games, name, value, said):
    with pytest.raises(GameError, match=said) as refusal:
        games((name, value))[name]
    assert "\n" not in str(refusal.value)


def test_two_games_of_one_name_are_refused(games):
    with pytest.raises(GameError, match="both bring a game named 'twin': uninstall one"):
        list(games(("twin", "one:Game"), ("twin", "other:Game")))
    with pytest.raises(GameError, match="the name of a game of oddly's own"):
        list(games(("yodd", "one:Game")))
    assert list(games(("twin", "one:Game"), ("twin", "one:Game")))[-1] == "twin"


def test_our_games_are_made_without_looking_for_others():
    program = (
        "import sys; from oddly.games.catalogue import create_game; create_game('yodd', 3); "
        "rare = 'importlib.metadata', 'oddly.games.ayu', 'oddly.games.odd'; "
        "print([m for m in rare if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_settings_come_from_the_fields_of_the_class():
    assert list(settings_of(catalogue.GAMES["odd"])) == ["board", "min_group"]
    assert settings_of(catalogue.GAMES["yodd"]) == {}
    assert read_setting("ayu", "pie", "TRUE") is True
    # There is no largest number of stones; beyond every board all numbers are the same.
    assert read_setting("odd", "min_group", "0" + "9" * 5000) == LARGEST_NUMBER
    assert (
        create_game("odd", settings={"min_group": 10**30}).settings["min_group"] == LARGEST_NUMBER
    )
    with pytest.raises(GameError, match="min_group of odd is a whole number, not True"):
        create_game("odd", settings={"min_group": True})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("yodd", 3.0), "the size of yodd is a whole number, not 3.0"),
        (("yodd", "3"), "the size of yodd is a whole number, not '3'"),
        (("yodd", True), "the size of yodd is a whole number, not True"),
        ((None,), "unknown game None: expected one of yodd, "),
        ((3,), "unknown game 3: expected one of yodd, "),
        (("ayu", 5, [("pie", True)]), "settings are a mapping from names to values, not"),
        (("ayu", 5, {3: True}), "ayu has no setting 3: it has pie"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_in_one_sentence(arguments, said):
    with pytest.raises(GameError) as refusal:
        create_game(*arguments)
    assert str(refusal.value).startswith(said)


@pytest.fixture
def coloured(monkeypatch):
    """Make a game with one setting of this default the only one besides ours."""

    def make(default, **metadata):
        @dataclass(frozen=True)
        class Coloured(Yodd):
            name: ClassVar[str] = "coloured"
            kind: str = setting(default, **metadata)

        monkeypatch.setattr(catalogue, "GAMES", {"coloured": Coloured})

    return make


def test_without_a_size_the_board_is_the_nearest_to_the_usual_one_that_the_settings_allow(
    monkeypatch,
):
    @dataclass(frozen=True)
    class Rows(Yodd):
        name: ClassVar[str] = "rows"
        size: int = 5
        row: int = 3

        def __post_init__(self):
            if not 3 <= self.row <= self.size <= 9:
                raise GameError("3 to 9 in a row", "size")

    monkeypatch.setattr(catalogue, "GAMES", {"rows": Rows})
    assert [read_game("rows", None, {"row": row}).size for row in "3579"] == [5, 5, 7, 9]
    for size, row in ((5, 7), (None, 2)):
        with pytest.raises(GameError, match="3 to 9 in a row"):
            create_game("rows", size, {"row": row})


@pytest.mark.parametrize("text", ["a b", "", "a#b", "a\nb", "a\u2028b", "x" * 65])
def test_text_that_cannot_be_sent_as_one_word_is_no_setting(coloured, text):
    coloured("blue")
    for make in (create_game, read_game):
        with pytest.raises(
            GameError, match="kind of coloured is one word of at most 64"
        ) as refusal:
            make("coloured", 3, {"kind": text})
        assert len(str(refusal.value)) < 200
        assert str(refusal.value).isprintable()
    coloured(text)
    with pytest.raises(GameError, match="setting kind of coloured cannot be '"):
        create_game("coloured", 3)


def test_a_word_is_kept_in_lower_case_and_meant_whatever_its_case(coloured):
    coloured("blue", choices={"blue": "", "green": ""})
    for make in (create_game, read_game):
        assert make("coloured", 3, {"kind": "Green"}).settings == {"kind": "green"}
    for default, choice in (("Blue", "green"), ("blue", "Green")):
        coloured(default, choices={choice: ""})
        with pytest.raises(GameError, match="a word is in lower case, without spaces or #"):
            create_game("coloured", 3)


@pytest.mark.parametrize("name", ["game", "size", "openings", "opening_turns"])
def test_no_setting_has_the_name_of_another_key_of_a_tournament_file(coloured, name):
    coloured("blue", name=name)
    with pytest.raises(GameError, match=f"setting {name} of coloured needs another name"):
        create_game("coloured", 3, {name: "blue"})


def test_a_size_may_be_a_number_of_numpy():
    game = create_game("yodd", np.int64(4))
    assert (game, type(game.size)) == (create_game("yodd", 4), int)


def test_a_game_knows_its_sizes():
    hexhex = tuple(range(2, 14))
    assert {name: game.sizes() for name, game in catalogue.GAMES.items()} == {
        "yodd": hexhex, "xodd": tuple(range(2, 20)), "odd": hexhex, "ayu": tuple(range(3, 20, 2))
    }  # fmt: skip


def test_the_goal_of_odd_counts_every_group_where_one_stone_is_enough():
    assert "an odd number of groups, White" in create_game("odd", 3, {"min_group": 1}).goal
    assert (
        "an odd number of groups of 2 stones or more"
        in create_game("odd", 3, {"min_group": 2}).goal
    )


def test_an_extra_has_packages_with_their_bounds():
    (numba,) = packages_of("fast")
    assert numba.startswith("numba")
    assert "<" in numba
    assert packages_of("no-such-extra") == []


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/me/oddly/.venv", "/python -m pip install 'numba<9'"),
        ("/home/me/.local/share/pipx/venvs/oddly", "pipx inject oddly 'numba<9'"),
        ("/home/me/.local/share/uv/tools/oddly", "/python 'numba<9'"),
    ],
)
def test_the_command_is_for_the_environment_that_runs(monkeypatch, prefix, command):
    lines = ["trio>=1", "numba<9; extra == 'fast'", 'pytest; extra == "test"']
    monkeypatch.setattr("importlib.metadata.requires", lambda _: lines)
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(sys, "executable", f"{prefix}/bin/python")
    assert install_command("fast").endswith(command)


def test_without_an_installation_it_is_a_checkout(monkeypatch):
    def requires(_):
        raise PackageNotFoundError

    monkeypatch.setattr("importlib.metadata.requires", requires)
    assert install_command("serve") == "pip install -e '.[serve]'"
