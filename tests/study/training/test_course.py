"""Training: a course goes on where it was interrupted, and a fit finds what made its examples."""

import errno
import json
import os
from io import BytesIO

import numpy as np
import pytest

from oddly.engines.kernels.learnt import FEATURES_AN_ACTION, weight_count
from oddly.games.catalogue import create_game
from oddly.interfaces.text import progress
from oddly.safe_files import lock, unlock
from oddly.study.document import files_of
from oddly.study.training.course import (
    Generation,
    Training,
    TrainingError,
    TrainingPlan,
    report,
    save_weights,
)
from oddly.study.training.self_play import Examples, Losses, fit, joined
from oddly.study.training.subject import PriorSubject

GAME = create_game("odd", 3)
PLAN = TrainingPlan(generations=2, games=12, simulations=20, pairs=2, seed=3)


class Progress:
    """Notes what begins, and interrupts after a number of steps."""

    def __init__(self, limit: int = 10_000) -> None:
        self.begun: list[tuple[str, int]] = []
        self.steps = 0
        self.limit = limit

    def begin(self, what, steps):
        self.begun.append((what, steps))
        return self.step

    def step(self):
        self.steps += 1
        if self.steps == self.limit:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What an uninterrupted course comes to."""
    return Training(GAME, PriorSubject(GAME), PLAN, tmp_path_factory.mktemp("whole")).run(
        Progress().begin
    )


def test_every_generation_plays_learns_and_is_matched(whole):
    weights, generations = whole
    assert weights.shape == (weight_count(GAME),)
    assert weights.any()
    assert [g.number for g in generations] == [1, 2]
    assert [g.games for g in generations] == [12, 24]
    assert all(g.match_games == 4 and 0 <= g.points <= 4 for g in generations)
    assert all(g.losses.after < g.losses.before for g in generations)


@pytest.mark.parametrize("limit", [5, 13, 20, 28])
def test_a_course_that_was_interrupted_comes_to_the_same(whole, tmp_path, limit):
    with pytest.raises(KeyboardInterrupt):
        Training(GAME, PriorSubject(GAME), PLAN, tmp_path).run(Progress(limit).begin)
    progress = Progress()
    weights, generations = Training(GAME, PriorSubject(GAME), PLAN, tmp_path).run(progress.begin)
    np.testing.assert_array_equal(weights, whole[0])
    assert generations == whole[1]
    assert progress.steps == sum(steps for _, steps in progress.begun) == 28


def test_a_folder_is_for_one_course(tmp_path):
    plan = TrainingPlan(generations=1, games=2, simulations=4, pairs=0, seed=1)
    Training(GAME, PriorSubject(GAME), plan, tmp_path).run(Progress().begin)
    other = TrainingPlan(generations=1, games=2, simulations=5, pairs=0, seed=1)
    with pytest.raises(TrainingError, match="other settings"):
        Training(GAME, PriorSubject(GAME), other, tmp_path).run(Progress().begin)


SMALL = TrainingPlan(generations=1, games=2, simulations=4, pairs=1, seed=1)


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def changed(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(20) + content[middle + 20 :]


def foreign(_: bytes) -> bytes:
    """Return an example of features that the game does not have."""
    content = BytesIO()
    classes = np.full((2, FEATURES_AN_ACTION), weight_count(GAME), np.uint16)
    np.savez_compressed(content, np.array([2], np.int32), classes, np.full(2, 0.5, np.float32))
    return content.getvalue()


@pytest.mark.parametrize(
    "damage",
    [lambda _: b"no examples", lambda _: b"", cut, changed, foreign],
    ids=["other", "empty", "cut", "changed", "foreign"],
)
def test_a_damaged_file_of_games_is_told_with_the_way_on(tmp_path, damage):
    """The bug: an empty file, one that was cut short and another game's ended in a traceback."""
    training = Training(GAME, PriorSubject(GAME), SMALL, tmp_path)
    training.run(Progress().begin)
    file = tmp_path / "games-1-0.npz"
    content = file.read_bytes()
    file.write_bytes(damage(content))
    with pytest.raises(TrainingError, match="no examples; without that file, its games are"):
        training.run(Progress().begin)
    file.unlink()
    training.run(Progress().begin)
    assert file.read_bytes() == content


@pytest.mark.parametrize("text", ["1.1.5\n", "1.5\nnan\n", "9\n", "-0.5\n"])
def test_a_damaged_match_is_told_with_the_way_on(tmp_path, text):
    (tmp_path / "match-1.txt").write_text(text)
    with pytest.raises(TrainingError, match="other than points; without that file, its games are"):
        Training(GAME, PriorSubject(GAME), SMALL, tmp_path).run(Progress().begin)


def test_empty_settings_of_a_course_are_told_with_the_way_on(tmp_path):
    training = Training(GAME, PriorSubject(GAME), SMALL, tmp_path)
    weights, _ = training.run(Progress().begin)
    note = tmp_path / "course.json"
    note.write_text("")
    with pytest.raises(TrainingError, match=r"course\.json is not JSON; without that file, the tr"):
        training.run(Progress().begin)
    note.unlink()
    np.testing.assert_array_equal(training.run(Progress().begin)[0], weights)


@pytest.mark.parametrize("name", ["course.json", "games-1-0.npz", "weights-1.npy", "match-1.txt"])
def test_a_full_disk_leaves_a_training_that_goes_on(tmp_path, monkeypatch, name):
    """The bug: an empty course.json stayed, and every later run refused it."""
    whole = Training(GAME, PriorSubject(GAME), SMALL, tmp_path / "whole").run(Progress().begin)
    training = Training(GAME, PriorSubject(GAME), SMALL, tmp_path / "full")
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full_disk(tmp_path / "full" / f".{name}.part"))
        with pytest.raises(OSError, match="No space left"):
            training.run(Progress().begin)
    assert not (tmp_path / "full" / name).exists()
    weights, generations = training.run(Progress().begin)
    np.testing.assert_array_equal(weights, whole[0])
    assert generations == whole[1]


def test_a_full_disk_leaves_the_weights_and_the_card_that_were_there(tmp_path, monkeypatch):
    subject, losses = PriorSubject(GAME), Losses(1.0, 0.5)
    last = Generation(1, 2, 3, losses, 0.0, 0)
    for name in ("odd_prior.npy", "odd_prior.toml"):
        file = save_weights(tmp_path, subject, np.zeros(1), {}, last)
        before = [each.read_bytes() for each in (file, file.with_suffix(".toml"))]
        with monkeypatch.context() as patched:
            patched.setattr("os.fsync", full_disk(tmp_path / f".{name}.part"))
            with pytest.raises(OSError, match="No space left"):
                save_weights(tmp_path, subject, np.ones(1), {"game": "odd"}, last)
        assert (tmp_path / name).read_bytes() in before


def full_disk(path):
    """What fails as `fsync` does on a full disk, for this file."""

    def fsync(descriptor):
        if path.exists() and os.path.samestat(path.stat(), os.fstat(descriptor)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return fsync


def test_a_second_run_does_not_train_in_the_same_folder(tmp_path, refusal):
    """The bug: both wrote into the same match, which came out twice as long."""
    words = ["train", "--game", "odd", "--size", "3", "--output", str(tmp_path)]
    held = lock(tmp_path / "course.json")
    try:
        assert "another run is writing to this training now" in refusal(*words)
    finally:
        unlock(held)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("points", [0.0, 20.0, 40.0])
def test_a_report_shows_weights_that_are_worse_too(points):
    """The bug: the chart had no place below 0, and the report was lost in a traceback."""
    generations = [Generation(n, 20 * n, 90, Losses(1.0, 0.5), points, 40) for n in (1, 2)]
    study = report({"game": "odd 3"}, generations)
    [ratings] = [part for part in study.sections[0].parts if part.key == "ratings"]
    values = [estimate.value for _, estimate in ratings.lines[0].points]
    assert values[1] == 2 * values[0]
    assert (values[0] > 0) - (values[0] < 0) == (points > 20) - (points < 20)
    assert "training-ratings.svg" in files_of(study, "training")


def test_the_command_writes_weights_and_a_report(tmp_path, oddly, facts):
    words = ["train", "--game", "odd", "--size", "3", "--generations", "1", "--games", "3"]
    words += ["--simulations", "8", "--pairs", "1", "--output", str(tmp_path)]
    printed = oddly(*words)
    names = [f"training-odd-3.{suffix}" for suffix in ("md", "json", "html")]
    assert printed.out.split() == [str(tmp_path / name) for name in ("odd_prior.npy", *names)]
    assert "training the games of generation 1" in printed.err
    assert np.load(tmp_path / "odd_prior.npy").shape == (weight_count(GAME),)
    report = json.loads((tmp_path / "training-odd-3.json").read_text())
    assert report["tables"].keys() == {"losses", "matches"}
    assert "ratings" in report["charts"]
    assert facts(*words)["tables"] == report["tables"]


def test_the_report_names_the_command_that_makes_it_again(tmp_path, facts):
    words = ["--game", "odd", "--size", "2", "--board", "square", "--min-group", "1"]
    words += ["--generations", "1", "--games", "1", "--simulations", "4", "--pairs", "0"]
    made = facts("train", *words, "--output", tmp_path)["facts"]["command"]
    assert made == f"oddly train {' '.join(words)} --seed 1"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--game", "ayu"], "ayu cannot be trained, only "),
        (["--game", "yodd", "--size", "1"], "size"),
        (["--game", "odd", "--games", "0"], "games"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, refusal):
    assert sentence in refusal("train", *words)


def test_an_interruption_is_told_with_the_way_on(tmp_path, oddly, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("oddly.study.training.subject.PriorSubject.play", interrupted)
    said = oddly("train --game odd --size 3 --output", tmp_path, code=3).err
    assert "the same command goes on" in said


def test_without_a_terminal_a_line_a_minute_tells_how_long_the_rest_takes(capsys):
    times = iter([0.0, 30.0, 70.0, 80.0, 140.0])
    lines = progress._TimeLeft("training", 4, lambda: next(times))
    for _ in range(4):
        lines.step()
    assert capsys.readouterr().err == "training: 2 of 4, about 70 s left\n"


CLASSES = 12


def drawn(positions: int, weights: np.ndarray, seed: int) -> Examples:
    """Examples whose shares are just what the weights foretell."""
    draw = np.random.default_rng(seed)
    parts = []
    for _ in range(positions):
        count = int(draw.integers(2, 9))
        classes = draw.integers(0, CLASSES, (count, 3)).astype(np.uint16)
        powers = np.exp(weights[classes].sum(axis=1))
        shares = (powers / powers.sum()).astype(np.float32)
        parts.append(Examples(np.array([count], np.int32), classes, shares))
    return joined(parts)


def test_it_finds_the_weights_that_made_the_examples():
    weights = np.linspace(-1, 1, CLASSES)
    weights[0] = 0
    found, losses = fit(drawn(1500, weights, 1), CLASSES, 60, 1)
    assert losses.before > 0.2
    assert losses.after < 0.005
    # What all features of a position have in common makes no difference.
    differences = (found[1:] - found[1:].mean()) - (weights[1:] - weights[1:].mean())
    assert np.abs(differences).max() < 0.2


def test_the_same_seed_finds_the_same():
    examples = drawn(100, np.linspace(0, 1, CLASSES), 2)
    one, other = (fit(examples, CLASSES, 3, 5) for _ in range(2))
    np.testing.assert_array_equal(one[0], other[0])
    assert one[1] == other[1]
