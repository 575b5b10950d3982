"""The judge: it finds the worths that made its examples, and its course ends with a card."""

import tomllib

import numpy as np
import pytest

from oddly.engines.kernels.learnt import worth_count
from oddly.games.catalogue import create_game
from oddly.interfaces.command_line import main
from oddly.study.training.subject import Endings, fit_judge, odds_of

CLASSES, SEEN = 8, 6


def drawn(count: int, worths: np.ndarray, seed: int) -> Endings:
    """Examples whose games ended as the worths foretell."""
    draw = np.random.default_rng(seed)
    classes = draw.integers(0, CLASSES, (count, SEEN)).astype(np.uint16)
    amounts, fills = draw.choice([-1, 1], (count, SEEN)).astype(np.int8), draw.random(count)
    unknown = np.zeros(count, bool)
    examples = Endings(classes, amounts, fills, unknown, np.arange(count) % 10 == 9)
    odds = odds_of(examples, worths, np.arange(count))
    return examples._replace(won=draw.random(count) < 1 / (1 + np.exp(-odds)))


def test_it_finds_the_worths_that_made_the_examples():
    worths = np.array([np.linspace(-1, 1, CLASSES), np.linspace(2, -2, CLASSES)])
    found, losses = fit_judge(drawn(20_000, worths, 1), CLASSES, 1)
    # The ridge makes all of them smaller.
    assert min(np.corrcoef(found, worths)[[0, 1], [2, 3]]) > 0.98
    assert 0 < losses.after < losses.before - 0.1
    assert len(losses.thirds) == 3
    assert min(losses.thirds) <= losses.after <= max(losses.thirds)


def test_the_command_writes_worths_their_card_and_a_report(tmp_path, capsys):
    words = ["train", "--game", "yodd", "--size", "2", "--judge", "--generations", "1"]
    words += ["--games", "10", "--simulations", "4", "--pairs", "1", "--output", str(tmp_path)]
    assert main(words) == 0
    assert str(tmp_path / "yodd_judge.npy") in capsys.readouterr().out
    worths = np.load(tmp_path / "yodd_judge.npy")
    assert worths.shape == (2, worth_count(create_game("yodd", 2)))
    assert worths.any()
    card = tomllib.loads((tmp_path / "yodd_judge.toml").read_text(encoding="utf-8"))
    assert card["command"].startswith("oddly train --game yodd --size 2 --judge --generations 1")
    assert card["seed"] == "1"
    assert len(card["loss"]) == 4
    assert "of the first third" in (tmp_path / "training-yodd-2-judge.md").read_text()


@pytest.mark.parametrize("game", ["odd", "ayu"])
def test_other_games_have_no_judge_to_train(game, refusal):
    assert f"train: {game} has no judge to train, only yodd, xodd" in refusal(
        "train", "--game", game, "--judge"
    )
