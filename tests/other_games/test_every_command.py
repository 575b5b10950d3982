"""Games of another package, installed by entry point: every command plays them.

Tictac drops stones and defines only what it must; Dash moves runners, who take each other. Both
have settings of their own and no kernel.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, blocks
from tests.interfaces.web.serving import Socket, serving
from tests.patience import PATIENCE

INSTALLED = Path(__file__).parent / "installed"
PLAIN_RULES = "has no kernel, so its plain rules are used"
GAMES = ("tictac", "dash")
TURNS = {"tictac": ["Bb2", "Wa1"], "dash": ["a1-a2", "b4-b3"]}


@pytest.fixture(autouse=True, scope="module")
def _installed():
    """Every program that a test starts finds the games, as if their package were installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(INSTALLED))
        patch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        yield


def oddly(*words, folder=None, stdin="", code=0):
    """What `oddly` prints on standard output, and on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "oddly", *map(str, words)],
        capture_output=True,
        text=True,
        input=stdin,
        cwd=folder,
        timeout=4 * PATIENCE,
    )
    assert done.returncode == code, (words, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def test_perft_counts_by_turn_and_by_drop():
    assert oddly("perft", "--game", "tictac", "--depth", 3)[0] == "1 9\n2 72\n3 504\n"
    assert oddly("perft", "--game", "tictac", "--depth", 3, "--by", "drop")[0].endswith("3 504\n")
    assert oddly("perft", "--game", "dash", "--size", 3, "--depth", 1)[0] == "1 7\n"


def test_there_are_no_databases_of_another_package_s_game(tmp_path):
    _, said = oddly("database", "--game", "tictac", "-o", tmp_path / "database", code=2)
    assert "there are no databases of Tictac, only of Yodd, Xodd, Odd and Ayu" in said


@pytest.mark.parametrize("word", ["a b", "a#b", ""])
def test_a_word_that_engines_could_not_read_is_refused_before_they_start(word):
    match = ("match", "oddly engine random", "oddly engine random", "--game", "dash")
    _, said = oddly(*match, "--mode", word, code=2)
    assert said.startswith("oddly: setting mode of dash is one word of at most 64")


@pytest.mark.parametrize("game", GAMES)
def test_boards_are_shown_and_drawn(game):
    shown, _ = oddly("show", "--game", game, *TURNS[game])
    assert "Black (X) to move" in shown
    assert oddly("diagram", "--game", game, *TURNS[game])[0].startswith("<?xml")
    start = oddly("show", "--game", game)[0]
    assert oddly("diagram", "--game", game, "--to", "ascii", "-", stdin=start)[0]


def test_an_illegal_turn_is_refused_in_the_words_of_the_game():
    said = oddly("show", "--game", "tictac", "Wb2", code=2)[1]
    assert said == "oddly: turn 1, Wb2, is illegal: Wb2 is a stone of the opponent's\n"


def test_settings_are_options_with_the_games_own_limits():
    assert oddly("show", "--game", "tictac", "--size", 4, "--row", 4)[0]
    assert "3 or more in a row" in oddly("show", "--game", "tictac", "--row", 2, code=2)[1]
    assert "dash has no setting 'row'" in oddly("show", "--game", "dash", "--row", 3, code=2)[1]
    assert "--timid" in oddly("show", "--help")[0]


@pytest.mark.sampled
def test_a_position_is_solved_by_the_plain_rules_and_one_sentence_says_so():
    solved, said = oddly("solve", "--game", "tictac", "--json")
    assert json.loads(solved)["winner"] == "draw"
    assert said.count(PLAIN_RULES) == said.count("\n") == 1
    won = json.loads(oddly("solve", "--game", "tictac", "--json", "Bb2", "Wa2")[0])
    assert (won["winner"], won["solved"]) == ("black", True)
    assert json.loads(oddly("solve", "--game", "dash", "--size", 3, "--json")[0])["solved"]
    assert not json.loads(oddly("solve", "--game", "dash", "--nodes", 5, "--json")[0])["solved"]


@pytest.mark.sampled
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("engine", ["random", "greedy", "uct", "rave", "mirror"])
def test_engines_play(game, engine):
    commands = f"set_game {game}\ngenmove b\ngenmove w\nfinal_score\nlist_games\nquit\n"
    words = ["--simulations", 8] if engine in ("uct", "rave") else []
    answered, said = oddly("engine", engine, "--game", game, *words, stdin=commands)
    assert "= yodd\nxodd\nodd\nayu\ndash\ntictac\n" in answered
    assert "? game is not over" in answered
    assert answered.count("?") == 1
    assert said.count(PLAIN_RULES) == (1 if words else 0)


def test_searching_engines_find_what_wins():
    commands = "".join(f"play {turn}\n" for turn in ("b Bb2", "w Wa2", "b Ba1", "w Wb3"))
    for engine in ("uct", "rave", "greedy"):
        words = [] if engine == "greedy" else ["--simulations", 200]
        game = ("--game", "tictac", *words)
        assert "= Bc3" in oddly("engine", engine, *game, stdin=f"{commands}genmove b\nquit\n")[0]
    solved = oddly("engine", "random", "--game", "tictac", stdin=f"{commands}solve\nquit\n")[0]
    assert "= B B" in solved


@pytest.mark.parametrize("game", GAMES)
def test_gogui_plays_it_tap_by_tap(game):
    taps = "genmove b\ngogui-rules_legal_moves\ngogui-rules_board\noddly-parity\n"
    words = ("engine", "random", "--game", game, "--profile", "gogui")
    answered = oddly(*words, stdin=f"{taps}gogui-analyze_commands\nundo\nquit\n")[0]
    assert answered.count("\n?") == 0
    assert "odd_points" not in answered


@pytest.mark.sampled
@pytest.mark.parametrize("game", GAMES)
def test_an_engine_is_checked(game):
    found = oddly("check", "--game", game, "oddly engine greedy")[0]
    assert "FAIL" not in found
    assert "Plays game 1 as the referee has it played" in found


def test_a_match_is_played():
    words = ("match", "--game", "dash", "--size", 3, "--games", 2, "--time", "5")
    assert "dash 3" in oddly(*words, "oddly engine random", "oddly engine greedy")[0]


TOURNAMENT = """\
[tournament]
name = "others"
concurrency = 2
[[game]]
game = "tictac"
[[game]]
game = "dash"
timid = true
opening_turns = 1
[[game]]
game = "tictac"
size = 4
row = 4
[[engine]]
name = "greedy"
command = ["oddly", "engine", "greedy"]
[[engine]]
name = "uct"
command = ["oddly", "engine", "uct", "--game", "tictac"]
options = { simulations = 8 }
"""


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("others")
    (folder / "others.toml").write_text(TOURNAMENT)
    assert "6 games" in oddly("tournament", "others.toml", "--check", folder=folder)[0]
    assert "timid true" in oddly("tournament", "others.toml", "--dry-run", folder=folder)[0]
    oddly("tournament", "others.toml", folder=folder)
    return folder / "others.sqlite"


@pytest.mark.sampled
def test_a_tournaments_ledger_is_told(ledger):
    told = json.loads(oddly("standings", ledger, "--json")[0])
    assert told["played"] == 6
    assert "dash 4 (timid true" in oddly("standings", ledger)[0]
    oddly("report", ledger, folder=ledger.parent)
    assert "tictac" in ledger.with_suffix(".html").read_text()


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["sgf", "jsonl", "turns"])
def test_games_are_exported_and_converted(ledger, tmp_path, form):
    file = tmp_path / f"games.{form}"
    file.write_text(oddly("export", ledger, "--to", form)[0])
    texts = (oddly(*words, "--to", "turns")[0] for words in (("convert", file), ("export", ledger)))
    one, other = ([x for x in text.splitlines() if not x.startswith("#")] for text in texts)
    assert one == other
    assert oddly("convert", file, "--to", "sgf")[0].count("GN[") == 6


def test_an_unknown_setting_is_named_with_its_line(tmp_path):
    (tmp_path / "bad.toml").write_text(TOURNAMENT.replace("timid", "timidd"))
    said = oddly("tournament", "bad.toml", "--check", folder=tmp_path, code=2)[1]
    assert "bad.toml:8: unknown key 'timidd'" in said
    assert "did you mean 'timid'?" in said


@pytest.mark.parametrize("game", GAMES)
def test_people_play_it_in_the_terminal(game, tmp_path):
    typed = "\n".join(["legal", *TURNS[game], "xyzzy!", "resign", ""])
    words = ("play", "--game", game, "--against", "human", "--record", tmp_path / "game.jsonl")
    shown = oddly(*words, stdin=typed)[0]
    assert "Turn 3" in shown
    assert "resigned" in shown


@pytest.mark.sampled
@pytest.mark.parametrize("game", GAMES)
def test_people_play_it_on_the_page(game, tmp_path):
    with serving(tmp_path) as server:
        facts = {each["name"]: each for each in server.get("/api/facts").json()["games"]}
        assert (facts[game]["low"], facts[game]["high"]) == (3, 9)
        assert facts["dash"]["settings"]["timid"]["choices"] == [["false", "no"], ["true", "yes"]]
        settings = {name: each["value"] for name, each in facts[game]["settings"].items()}
        name = server.open_game(game, 3, settings=settings)
        socket = Socket(server, f"/ws/play/{name}")
        assert socket.status == 101
        assert server.get(f"/api/games/{name}/sgf").text.startswith("(;FF[4]")
        socket.raw.close()


@pytest.mark.sampled
def test_it_is_studied(tmp_path):
    words = ("--engine", "random", "--games", 2, "--simulations", 4, "--output", tmp_path)
    oddly("study", "--game", "dash", "--size", 3, *words)
    study = (tmp_path / "dash-3-timid-false-mode-plain.md", tmp_path / "dash-3.md")
    assert any(file.exists() for file in study)


def test_the_page_shows_the_game_that_the_tests_install():
    files = {block.file: block.text for block in blocks(DOCS / "how-to" / "add-a-game.md")}
    assert files["tictac.py"] == (INSTALLED / "tictac.py").read_text(encoding="utf-8")
    project = tomllib.loads(files["pyproject.toml"])["project"]
    ((name, value),) = project["entry-points"]["oddly.games"].items()
    (declared,) = INSTALLED.glob("*.dist-info/entry_points.txt")
    assert f"{name} = {value}\n" in declared.read_text(encoding="utf-8")
