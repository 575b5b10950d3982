"""Every example engine keeps the protocol and the rules, and all languages play each other.

By default each language is tried in one game, which the commit chooses; `--soak` tries all.
"""

import json
import sys
import tomllib

import pytest

from oddly.games.catalogue import GAMES, create_game
from oddly.referee.check.checker import check_engine
from oddly.referee.check.engine_under_test import CheckOptions
from tests.engines.running import run_python
from tests.examples.languages import LANGUAGES, ROOT
from tests.games.positions import SIZES
from tests.programs import needs
from tests.sampling import sample_number

NAMES = tuple(GAMES)
PLAYOUTS = 10
FILE = ROOT / "examples" / "tournaments" / "languages.toml"

each_language = pytest.mark.parametrize(
    "language",
    # A reason to skip that is given in a test would be lost on its way through trio.
    [pytest.param(each, id=each.name, marks=needs(*each.toolchain)) for each in LANGUAGES],
)


@pytest.fixture(autouse=True)
def _in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def sampled_game(language) -> str:
    return NAMES[(sample_number() + LANGUAGES.index(language)) % len(NAMES)]


async def check(command, name, settings=None):
    """The steps of `oddly check` that fail, and the report."""
    game = create_game(name, SIZES[name], settings)
    options = CheckOptions(games=2, time=30.0, timeout=30.0)
    report = await check_engine(command, game, options, lambda result: None)
    failed = [(r.step.name, r.reason) for r in report.results if r.verdict == "fail"]
    return failed, report


async def passes(command, engine, least, name, settings=None):
    failed, report = await check(command, name, settings)
    assert failed == []
    assert report.engine == f"{engine} 1"
    assert report.count("pass") >= least


@pytest.mark.sampled
@each_language
async def test_the_first_engine_passes_the_check(language):
    language.ready()
    await passes(language.tiny, f"tiny-{language.name.lower()}", 29, "odd")


async def the_full_engine_passes(language, name, settings=None):
    language.ready()
    command = language.full_with(PLAYOUTS)
    await passes(command, f"full-{language.name.lower()}", 45, name, settings)


@pytest.mark.sampled
@each_language
async def test_the_full_engine_passes_the_check_in_the_sampled_game(language):
    name = sampled_game(language)
    await the_full_engine_passes(language, name, {"pie": True} if name == "ayu" else None)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *((name, None) for name in NAMES),
        ("odd", {"board": "square", "min_group": 3}),
        ("ayu", {"pie": True}),
    ],
)
@each_language
async def test_the_full_engine_passes_the_check_in_every_game(language, name, settings):
    await the_full_engine_passes(language, name, settings)


DROPS = (sys.executable, "-m", "oddly", "bridge", "python3 examples/python/drops.py")


async def the_engine_of_drops_passes(name, settings=None):
    await passes((*DROPS, "--drop-level"), "drops-python", 40, name, settings)


@pytest.mark.sampled
async def test_the_engine_of_drops_passes_the_check_behind_a_bridge_in_the_sampled_game():
    await the_engine_of_drops_passes(NAMES[sample_number() % len(NAMES)])


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
async def test_the_engine_of_drops_passes_the_check_behind_a_bridge_in_every_game(name):
    await the_engine_of_drops_passes(name, {"pie": True} if name == "ayu" else None)


def played(tmp_path, games: list[dict]) -> dict:
    """What `languages.toml` comes to, in these games, between the languages here."""
    if sum(not language.missing for language in LANGUAGES) < 2:
        # One language alone plays nobody: the test is skipped by what the next one needs.
        next(language for language in LANGUAGES if language.missing).ready()
    event = tomllib.loads(FILE.read_text(encoding="utf-8"))
    assert [engine["name"] for engine in event["engine"]] == [each.name for each in LANGUAGES]
    lines = ["[tournament]", 'name = "languages"', "seed = 6", 'time = "30"']
    for game in games:
        lines += ["[[game]]", *(f"{key} = {json.dumps(value)}" for key, value in game.items())]
    for language, engine in zip(LANGUAGES, event["engine"], strict=True):
        if language.missing:
            continue
        language.ready()
        command = engine["command"]
        if language.takes_playouts:
            command[-1] = str(PLAYOUTS)
        facts = {"name": language.name, "command": command}
        lines += ["[[engine]]", *(f"{key} = {json.dumps(value)}" for key, value in facts.items())]
    path = tmp_path / "languages.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    words = ("--json", "--no-ledger", "--concurrency", "2")
    return json.loads(run_python("-m", "oddly", "tournament", str(path), *words).stdout)


def all_games_ended_by_the_rules(report: dict, kinds: int) -> None:
    here = sum(not language.missing for language in LANGUAGES)
    assert len(report["games"]) == kinds * here * (here - 1)
    ends = {game["termination"] for game in report["games"]}
    assert ends <= {"double pass", "board full", "no legal move", "repetition"}


@pytest.mark.sampled
def test_all_languages_play_each_other_in_the_sampled_game(tmp_path):
    name = NAMES[sample_number() % len(NAMES)]
    report = played(tmp_path, [{"game": name, "size": {"xodd": 4, "ayu": 5}.get(name, 3)}])
    all_games_ended_by_the_rules(report, 1)


@pytest.mark.soak
def test_all_languages_play_each_other_in_all_games(tmp_path):
    games = tomllib.loads(FILE.read_text(encoding="utf-8"))["game"]
    assert [game["game"] for game in games] == list(GAMES)
    all_games_ended_by_the_rules(played(tmp_path, games), len(games))


@pytest.mark.sampled
def test_the_tournament_of_languages_is_a_tournament():
    for language in LANGUAGES:
        language.ready()
    run_python("-m", "oddly", "tournament", str(FILE), "--check")
