"""Published games: the pages follow from them, and what does not is named."""

import json
import lzma
from functools import partial

import pytest

from oddly.games.catalogue import create_game
from oddly.interfaces.command_line import main
from oddly.study import sections
from oddly.study.atlas import AtlasError
from oddly.study.published import PublishedGames, read_published
from oddly.tournaments import Ledger
from tests.study.random_records import random_record

NAME = "odd-2"
GAMES = f"{NAME}.games.jsonl.xz"
WORDS = ["study", "--game", "odd", "--size", "2", "--engine", "greedy", "--games", "2",
         "--first-turn-games", "2", "--simulations", "8", "--concurrency", "2"]  # fmt: skip

FEW = {"random_games": 20, "courses": 1, "positions": 3, "max_positions": 500}


def write_turns(game, path):
    """Write three random games, whose results the rules tell."""
    games = [random_record(game, seed).turns for seed in range(3)]
    lines = [" ".join(played.turn for played in turns) for turns in games]
    path.write_text("\n".join([f"# {game}", *lines]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small study with its games, games of others beside them, and its atlas."""
    place = tmp_path_factory.mktemp("studies")
    write_turns(create_game("odd", 2), place / "random bots.turns")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sections, "Effort", partial(sections.Effort, **FEW))
        beside = ["--beside", str(place / "random bots.turns"), "--output", str(place)]
        assert main([*WORDS, *beside]) == 0
    (place / "random bots.turns").unlink()
    assert main(["atlas", str(place)]) == 0
    return place


@pytest.fixture
def checked(oddly):
    """Check a folder; what is said but for what is going on."""

    def said(folder, code=0):
        lines = "".join(oddly("atlas", "--check", folder, code=code)).splitlines()
        return [line for line in lines if not line.startswith("deriving")]

    return said


@pytest.mark.sampled
def test_every_file_follows_from_the_games(folder, checked):
    assert checked(folder) == ["atlas: as published"]
    tables = json.loads((folder / f"{NAME}.json").read_text())["tables"]
    assert [row[:2] for row in tables["beside"]["rows"]] == [
        ["greedy against itself", 2], ["random bots", 3],
    ]  # fmt: skip
    assert {"first_turns", "pie", "replies", "chosen_first"} <= set(tables)


@pytest.mark.sampled
def test_a_figure_that_was_changed_is_named(folder, checked):
    page = folder / f"{NAME}.json"
    text = page.read_text()
    facts = json.loads(text)
    facts["tables"]["balance"]["rows"][0][1] += 1
    try:
        page.write_text(json.dumps(facts))
        said = checked(folder, 1)
    finally:
        page.write_text(text)
    assert said == [
        f"atlas: {NAME}: the table 'balance' does not follow from its games",
        f"atlas: {page} does not follow from the games",
    ]


def head_changed(head, games):
    return [head.replace('"greedy"', '"gready"', 1), *games]


def facts_changed(head, games):
    return [json.dumps(json.loads(head) | {"facts": 5}), *games]


def game_changed(head, games):
    other = games[0].replace('"winner_index": 0', '"winner_index": 2')
    return [head, other.replace('"winner_index": 1', '"winner_index": 2'), *games[1:]]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (head_changed, "does not begin with what a study plays: unknown engine 'gready'"),
        (game_changed, "after its first line, line 1: not a game record: winner_index"),
        (lambda head, games: [head, "{"], "after its first line, line 1: not a game record"),
        (lambda head, games: ["[]"], "does not begin with what a study plays"),
        (lambda head, games: ["[" * 60_000], "does not begin with what a study plays"),
        (lambda head, games: ['{"game": "odd 99"}'], "'odd 99' is no game"),
        (facts_changed, "does not begin with what a study plays"),
        (None, "cannot read the games of"),
    ],
)
def test_games_that_cannot_be_read_are_one_sentence(folder, checked, change, said):
    path = folder / GAMES
    whole = path.read_bytes()
    head, *games = lzma.decompress(whole).decode().splitlines()
    try:
        text = "\n".join(change(head, games)) if change else ""
        path.write_bytes(lzma.compress(text.encode()) if change else b"no xz")
        (line,) = checked(folder, 2)
    finally:
        path.write_bytes(whole)
    assert said in line


def test_a_folder_in_the_place_of_games_is_refused_with_the_reason(tmp_path):
    with pytest.raises(AtlasError) as refusal:
        read_published(tmp_path)
    assert str(refusal.value) == f"cannot read the games of {tmp_path}: Is a directory"


def test_a_study_without_games_is_named(folder, checked, oddly, tmp_path):
    (tmp_path / f"{NAME}.json").write_text((folder / f"{NAME}.json").read_text())
    oddly("atlas", tmp_path)
    (line,) = checked(tmp_path, 1)
    assert f"{NAME} has no games" in line


def test_a_file_without_games_of_the_board_is_refused(tmp_path, refusal):
    path = tmp_path / "bots.turns"
    write_turns(create_game("ayu", 3), path)
    assert f"{path} has no finished games of odd 2" in refusal(
        *WORDS, "--beside", path, "--output", tmp_path
    )
    said = refusal(*WORDS, "--beside", tmp_path / "none.turns")
    assert said.strip().endswith("none.turns: No such file or directory")


def test_files_of_others_are_told_apart_by_their_names(tmp_path, refusal):
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        write_turns(create_game("odd", 2), tmp_path / place / "bots.turns")
    beside = ["--beside", tmp_path / "a" / "bots.turns", "--beside", tmp_path / "b" / "bots.turns"]
    said = refusal(*WORDS, *beside, "--output", tmp_path)
    assert "two files of --beside are named 'bots': rename one" in said


@pytest.mark.sampled
def test_a_file_of_others_may_have_any_name(tmp_path, oddly, monkeypatch):
    """The bugs: a traceback, a broken table, and the engine's own games replaced."""
    monkeypatch.setattr(sections, "Effort", partial(sections.Effort, **FEW))
    names = ("bots \udcff", "a|b\n<i>", "greedy against itself")
    paths = [tmp_path / f"{name}.turns" for name in names]
    for path in paths:
        write_turns(create_game("odd", 2), path)
    oddly(*WORDS, *(word for path in paths for word in ("--beside", path)), "--output", tmp_path)
    rows = json.loads((tmp_path / f"{NAME}.json").read_text())["tables"]["beside"]["rows"]
    own = ["greedy against itself", 2]
    assert [row[:2] for row in rows] == [
        own, [r"bots \udcff", 3], [r"a|b\n<i>", 3], [own[0], 3],
    ]  # fmt: skip
    assert r"| a\|b\n&lt;i>" in (tmp_path / f"{NAME}.md").read_text()


def alone(folder, place):
    """Put the games of the study into a folder without its ledger; return the words to go on."""
    (place / GAMES).write_bytes((folder / GAMES).read_bytes())
    return [*WORDS, "--output", str(place)]


@pytest.mark.sampled
def test_a_study_goes_on_from_its_published_games(folder, tmp_path, monkeypatch, oddly):
    monkeypatch.setattr(sections, "Effort", partial(sections.Effort, **FEW))
    words = alone(folder, tmp_path)
    assert "no game is left" in oddly(*words).err
    for path in tmp_path.glob(f"{NAME}*"):
        if path.suffix != ".sqlite":
            # Those of others are still there.
            assert path.read_bytes() == (folder / path.name).read_bytes(), path
    oddly("verify", tmp_path / f"{NAME}.sqlite")

    (tmp_path / f"{NAME}.sqlite").unlink()
    with Ledger(folder / f"{NAME}.sqlite") as old:
        before = {identity: record.turns for identity, record in old.records().items()}
    words[words.index("--games") + 1] = "4"
    assert f"{len(before)} of " in oddly(*words).err
    with Ledger(tmp_path / f"{NAME}.sqlite") as new:
        found = new.records()
    assert len(found) > len(before)
    for identity, turns in before.items():
        assert [turn.turn for turn in found[identity].turns] == [turn.turn for turn in turns]


def test_a_ledger_that_was_cut_off_while_it_was_filled_is_filled_again(
    folder, tmp_path, oddly, monkeypatch
):
    words, ledger = alone(folder, tmp_path), tmp_path / f"{NAME}.sqlite"
    scheduled = PublishedGames.scheduled

    def cut_off(games):
        yield next(scheduled(games))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(PublishedGames, "scheduled", cut_off)
        oddly(*words, code=3)
    assert not ledger.exists()
    assert "no game is left" in oddly(*words).err


def test_a_ledger_that_cannot_be_written_is_one_sentence(folder, tmp_path, refusal):
    words = [*alone(folder, tmp_path), "--ledger", "/dev/full/ledger.sqlite"]
    assert "cannot write /dev/full/ledger.sqlite: Not a directory" in refusal(*words)


@pytest.mark.parametrize(
    ("change", "more", "said"),
    [
        (None, ["--seed", "4"], "has games of another study: --seed was 0 and is 4 now. Undo"),
        (
            lambda head, games: [head.replace('"fingerprint": "', '"fingerprint": "old '), *games],
            [],
            "has games of another study: the engine's fingerprint changed from old ",
        ),
        (
            lambda head, games: [head, *games, games[0]],
            [],
            "has more games of random - random again than its first line says",
        ),
        (lambda head, games: [head, "{"], [], "move that file away to begin without its games"),
    ],
)
def test_published_games_of_something_else_are_refused(
    folder, tmp_path, refusal, change, more, said
):
    words = alone(folder, tmp_path)
    path = tmp_path / GAMES
    if change is not None:
        head, *games = lzma.decompress(path.read_bytes()).decode().splitlines()
        path.write_bytes(lzma.compress("\n".join(change(head, games)).encode()))
    before = path.read_bytes()
    assert said in refusal(*words, *more)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("*.sqlite*"))
