"""`tools/network`: examples say what lies on the board, and the kernel does what was learnt."""

import json
import lzma
import sys

import numpy as np
import pytest

from oddly.engines.kernels.network import PLANES, new_network
from oddly.games import Colour, create_game
from oddly.games.drop_level import DropPosition
from tests.engines.kernels.test_network import asked, facts_of, groups_of, planes_of, stones_of
from tests.programs import needs
from tools.network.__main__ import main
from tools.network.examples import examples_of, joined, play, published, read

GAMES = [create_game("yodd", 3), create_game("xodd", 4)]


def positions_in(game, actions):
    """The position before each action of a game."""
    at, found = DropPosition(game.start()), []
    for action in actions:
        found.append(at)
        at = at.act(game.action_of(action))
    return found


def planes_in(codes):
    """The planes that the codes of an example stand for."""
    stone, own, other = codes & 3, codes >> 2 & 3, codes >> 4 & 3
    planes = [stone == 1, stone == 2, stone == 0]
    planes += [own >= least for least in (1, 2, 3)] + [other >= least for least in (1, 2, 3)]
    return np.stack(planes, 1).astype(float)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_examples_say_what_lies_on_the_board_and_what_was_tried(game):
    (line,) = play(game, 1, 60, 5, with_network=False)
    examples = examples_of(game, iter([line]))
    positions, drops = positions_in(game, line.actions), 2 * len(game.board)
    assert len(examples.won) == len(line.tried) > 5
    for row, (number, tried) in enumerate(line.tried.items()):
        at = positions[number]
        side, stones = at.start.to_move, stones_of(at)
        groups = {
            colour: groups_of(game.board, stones, colour) for colour in (Colour.BLACK, Colour.WHITE)
        }
        facts = facts_of(at, stones, groups)
        assert (planes_in(examples.cells[row]) == planes_of(at, stones, groups)).all()
        assert facts[examples.moment[row]] == 1
        assert facts[3] == examples.lead[row] / 4
        assert examples.empties[row] == stones.count(None)
        legal = np.unpackbits(examples.legal[row]).nonzero()[0]
        swap = side is Colour.WHITE
        numbers = {action ^ swap if action < drops else action for action in legal.tolist()}
        # A pass that loses at once is legal, but not promising.
        assert numbers <= set(at.legal_actions())
        assert set(at.legal_actions()) - numbers <= {drops}
        kept = examples.actions[row][examples.actions[row] >= 0].tolist()
        assert {action ^ swap if action < drops else action for action in kept} <= set(tried)
        assert examples.shares[row].sum() == pytest.approx(1, abs=0.01)
        assert examples.won[row] == (line.black_won if not swap else 1 - line.black_won)


def test_published_games_are_read_turn_by_turn(tmp_path):
    game, file = GAMES[1], tmp_path / "xodd-4.games.jsonl.xz"
    turns = [["black", "Ba1", 0.0], ["white", "Wb2,Bc3", 0.0], ["black", "Wd4", 0.0]]
    facts = {"turns": [*turns, ["white", "pass", 0.0], ["black", "pass", 0.0]]}
    facts["winning_colour"] = "white"
    lines = [
        {"game": "xodd 4"},
        facts | {"players": ["random", "rave 300"]},
        facts | {"players": ["rave 100", "rave 300"]},
    ]
    file.write_bytes(lzma.compress("\n".join(map(json.dumps, lines)).encode()))
    (line,) = published(game, file)
    numbers = [game.board.index[vertex] for vertex in game.board.vertices]
    assert numbers == list(range(16))
    cells = 2 * len(numbers)
    assert line.actions == [0, 2 * 5 + 1, 2 * 10, 2 * 15 + 1, cells + 1, cells, cells]
    assert sorted(line.tried) == [1, 2, 5]
    assert line.black_won == 0.0
    assert len(examples_of(game, iter([line])).won) == 3


def test_games_of_several_files_are_numbered_on():
    game = GAMES[0]
    parts = [examples_of(game, play(game, 2, 20, seed, with_network=False)) for seed in (1, 7)]
    assert sorted(set(joined(parts).game.tolist())) == [0, 1, 2, 3]


@needs("torch")
def test_the_kernel_does_what_was_learnt(tmp_path, monkeypatch, capsys):
    import torch

    from tools.network.learning import Board2D, Convolution, Lessons, losses_of

    game = GAMES[0]
    played, board_words = tmp_path / "played.npz", ["yodd", "3", "--output"]
    playing = ["play", *board_words, str(played), "--games", "25", "--simulations", "40"]
    learning = ["learn", *board_words, str(tmp_path), str(played), "--minutes", "0.1"]
    for words in (playing, learning):
        monkeypatch.setattr(sys, "argv", ["tools.network", *words])
        main()
    file = tmp_path / "yodd_3_network.npz"
    assert str(file) in capsys.readouterr().out
    assert 'game = "yodd 3"' in file.with_suffix(".toml").read_text(encoding="utf-8")
    with np.load(file) as arrays:
        network = new_network(game, {name: arrays[name] for name in arrays.files})
    assert sum(asked(DropPosition(game.start()), network).values()) == pytest.approx(1, abs=1e-4)

    board = Board2D(game.board, "cpu")
    convolution = Convolution(board)
    lessons = Lessons(read(played), board, "cpu")
    batch = lessons.batch(torch.arange(20), 0)
    assert batch[0].shape[1] == PLANES
    scores, _ = convolution(batch[0], batch[1])
    shares = torch.softmax(scores.detach().masked_fill(~batch[2], -1e4), 1)
    weights = convolution.weights(game.board)
    (line,) = play(game, 1, 40, 1, with_network=False)
    positions = positions_in(game, line.actions)
    for row, number in enumerate(list(line.tried)[:20]):
        found = asked(positions[number], new_network(game, weights))
        swap = positions[number].start.to_move is Colour.WHITE
        drops = 2 * len(game.board)
        expected = {
            action ^ swap if action < drops else action: float(shares[row, action])
            for action in batch[2][row].nonzero()[:, 0].tolist()
        }
        # A pass that loses at once is asked about only here.
        whole = sum(found[action] for action in expected)
        for action, share in expected.items():
            assert found[action] / whole == pytest.approx(share, abs=2e-3)
    assert len(line.tried) > 5
    for image in range(len(board.images)):
        policy, chance = losses_of(convolution, lessons.batch(torch.arange(20), image))
        assert (policy > -1e-4).all()
        assert (chance > 0).all()
