"""Fits a network to examples with PyTorch, and writes it as the kernels read it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from oddly.engines.kernels.network import (
    CHANNELS,
    FACTS,
    LEAD_UNIT,
    PLANES,
    SUMMARIZED_LAYER,
    SUMMARY,
    ways_on,
)
from oddly.games.board import permutations

if TYPE_CHECKING:
    from oddly.games import Board
    from tools.network.examples import Examples

LAYERS, HIDDEN = 4, 32
BATCH = 2048
RATE, LEAST_RATE, WARMING_UP = 0.002, 0.01, 200
WEIGHT_OF_CHANCE = 1.5
"""Who won is learnt beside the policy, since it teaches what to look at; it is not kept."""
HELD_OUT = 20
"""One game in HELD_OUT is held out."""
NEVER = -1e4


class Board2D:
    """Where the cells of a board lie in a picture, and the pictures that are like it."""

    def __init__(self, board: Board, device: str) -> None:
        columns = [column for column, _ in board.coordinates]
        rows = [row for _, row in board.coordinates]
        self.cells, self.width, self.height = len(board), max(columns), max(rows)
        places = [(r - 1) * self.width + c - 1 for c, r in zip(columns, rows, strict=True)]
        self.places = torch.tensor(places, device=device)
        self.images = torch.tensor(permutations(board), device=device)
        self.sources = self.images.argsort(1)
        self.seen = torch.zeros(3, 3, device=device)
        for row, column in ways_on(board):
            self.seen[1 + row, 1 + column] = 1
        self.on_board = torch.zeros(1, 1, self.height * self.width, device=device)
        self.on_board[:, :, self.places] = 1
        self.on_board = self.on_board.view(1, 1, self.height, self.width)


class Convolution(nn.Module):
    """The network of `engines/kernels/network.py`."""

    def __init__(self, board: Board2D) -> None:
        super().__init__()
        self.board = board
        self.first = nn.Conv2d(PLANES, CHANNELS, 3, padding=1)
        self.facts = nn.Linear(FACTS, CHANNELS, bias=False)
        self.layers = nn.ModuleList(
            nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1) for _ in range(LAYERS)
        )
        for layer in self.layers:
            nn.init.normal_(layer.weight, std=float((0.5 / CHANNELS / board.seen.sum()) ** 0.5))
            nn.init.zeros_(layer.bias)
        self.pooling = nn.Linear(2 * CHANNELS, CHANNELS)
        nn.init.normal_(self.pooling.weight, std=0.02)
        self.drops = nn.Conv2d(CHANNELS, 2, 1)
        self.others = nn.Linear(SUMMARY, 2)
        self.hidden, self.chance = nn.Linear(SUMMARY, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, planes: torch.Tensor, facts: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the scores of all actions, shape (batch, actions), and the odds of a win."""
        x = self._convolved(self.first, planes) + self.facts(facts)[:, :, None, None]
        x = torch.relu(x) * self.board.on_board
        for number, layer in enumerate(self.layers):
            more = self._convolved(layer, x)
            if number == SUMMARIZED_LAYER:
                more = more + self.pooling(self._summary(x))[:, :, None, None]
            x = torch.relu(x + more) * self.board.on_board
        summary = torch.cat([self._summary(x), facts], 1)
        drops = self.drops(x).flatten(2)[:, :, self.board.places].transpose(1, 2).flatten(1)
        scores = torch.cat([drops, self.others(summary)], 1)
        return scores, self.chance(torch.relu(self.hidden(summary)))[:, 0]

    def _convolved(self, layer: nn.Conv2d, x: torch.Tensor) -> torch.Tensor:
        return functional.conv2d(x, layer.weight * self.board.seen, layer.bias, padding=1)

    def _summary(self, x: torch.Tensor) -> torch.Tensor:
        average = (x * self.board.on_board).sum((2, 3)) / self.board.cells
        return torch.cat([average, (x * self.board.on_board).amax((2, 3))], 1)

    def weights(self, board: Board) -> dict[str, np.ndarray]:
        """Return the weights in the form of the kernels, float16."""

        def steps(layer: nn.Conv2d) -> np.ndarray:
            return np.stack([array(layer.weight[:, :, 1 + r, 1 + c].T) for r, c in ways_on(board)])

        def array(tensor: torch.Tensor) -> np.ndarray:
            return tensor.detach().float().cpu().numpy()

        found = {
            "first": steps(self.first),
            "first_bias": array(self.first.bias),
            "facts": array(self.facts.weight.T),
            "layers": np.stack([steps(layer) for layer in self.layers]),
            "layer_biases": np.stack([array(layer.bias) for layer in self.layers]),
            "pooling": array(self.pooling.weight.T),
            "pooling_bias": array(self.pooling.bias),
            "drops": array(self.drops.weight[:, :, 0, 0].T),
            "drops_bias": array(self.drops.bias),
            "others": array(self.others.weight.T),
            "others_bias": array(self.others.bias),
        }
        return {name: weights.astype(np.float16) for name, weights in found.items()}


class Lessons:
    """Examples on the device, from which batches are drawn."""

    def __init__(self, examples: Examples, board: Board2D, device: str) -> None:
        self.board = board
        self.cells = torch.tensor(examples.cells, device=device)
        self.legal = torch.tensor(examples.legal, device=device)
        self.moment = torch.tensor(examples.moment.astype(np.int64), device=device)
        self.lead = torch.tensor(examples.lead.astype(np.float32), device=device)
        self.fill = 1 - torch.tensor(examples.empties / board.cells, device=device).float()
        self.actions = torch.tensor(examples.actions.astype(np.int64), device=device)
        self.shares = torch.tensor(examples.shares.astype(np.float32), device=device)
        self.won = torch.tensor(examples.won.astype(np.float32), device=device)
        held_out = examples.game % HELD_OUT == HELD_OUT - 1
        self.taught = torch.tensor((~held_out).nonzero()[0], device=device)
        self.held_out = torch.tensor(held_out.nonzero()[0], device=device)

    def batch(self, which: torch.Tensor, image: int) -> tuple[torch.Tensor, ...]:
        """Return planes, facts, legal actions, shares of all actions, and who won, as turned."""
        board, count = self.board, len(which)
        sources = board.sources[image]
        codes = self.cells[which][:, sources].long()
        stone, own, other = codes & 3, codes >> 2 & 3, codes >> 4 & 3
        seen = [stone == 1, stone == 2, stone == 0]
        seen += [own >= least for least in (1, 2, 3)] + [other >= least for least in (1, 2, 3)]
        planes = torch.zeros(count, PLANES, board.height * board.width, device=codes.device)
        planes[:, :, board.places] = torch.stack(seen, 1).float()
        lead, fill = self.lead[which] * float(LEAD_UNIT), self.fill[which]
        facts = torch.cat(
            [
                functional.one_hot(self.moment[which], 3).float(),
                torch.stack([lead, fill, lead * fill], 1),
            ],
            1,
        )
        shifts = torch.arange(7, -1, -1, device=codes.device)
        bits = (self.legal[which][:, :, None] >> shifts & 1).flatten(1).bool()
        drops = 2 * board.cells
        turned = bits[:, :drops].view(count, board.cells, 2)[:, sources].flatten(1)
        legal = torch.cat([turned, bits[:, drops : drops + 2]], 1)
        actions = self.actions[which]
        cell = torch.where((actions >= 0) & (actions < drops), actions >> 1, 0)
        turned = torch.where(
            actions < drops, 2 * board.images[image][cell] + (actions & 1), actions
        ).clamp(min=0)
        targets = torch.zeros(count, drops + 2, device=codes.device)
        targets.scatter_add_(1, turned, self.shares[which] * (actions >= 0))
        # A search may leave out what symmetry or a proof makes needless, and keeps 40 actions.
        targets = targets / targets.sum(1, keepdim=True).clamp(min=1e-6)
        planes = planes.view(count, PLANES, board.height, board.width)
        return planes, facts, legal, targets, self.won[which]


def losses_of(network: Convolution, batch: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """Return the loss of the policy and of the chance for each position of a batch."""
    planes, facts, legal, targets, won = batch
    scores, odds = network(planes, facts)
    logarithms = functional.log_softmax(scores.masked_fill(~legal, NEVER), 1)
    policy = (torch.special.xlogy(targets, targets) - targets * logarithms).sum(1)
    chance = functional.binary_cross_entropy_with_logits(odds, won, reduction="none")
    return policy, chance


def fit(
    board: Board, examples: Examples, seconds: float, seed: int
) -> tuple[dict[str, np.ndarray], list[float]]:
    """Return weights fitted in `seconds` seconds, and their loss on held-out games, in nats.

    That is the cross entropy with what the search tried, less its entropy: in all, and in positions
    with up to a third of the board full, up to two thirds, and more.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    picture = Board2D(board, device)
    lessons, network = Lessons(examples, picture, device), Convolution(picture).to(device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-3)
    began, step = time.monotonic(), 0
    while (part := (time.monotonic() - began) / seconds) < 1:
        rate = RATE * min(1, (step + 1) / WARMING_UP) * ((1 + np.cos(np.pi * part)) / 2)
        for group in optimizer.param_groups:
            group["lr"] = max(rate, RATE * LEAST_RATE)
        drawn = torch.randint(len(lessons.taught), (BATCH,), device=device)
        batch = lessons.batch(lessons.taught[drawn], int(draw.integers(len(picture.images))))
        policy, chance = losses_of(network, batch)
        loss = policy.mean() + WEIGHT_OF_CHANCE * chance.mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        step += 1
    return network.weights(board), _held_out(network, lessons)


def _held_out(network: Convolution, lessons: Lessons) -> list[float]:
    found = []
    with torch.inference_mode():
        for some in lessons.held_out.split(BATCH):
            loss, _ = losses_of(network, lessons.batch(some, 0))
            found.append(torch.stack([loss, lessons.fill[some]]))
    loss, fill = torch.cat(found, 1).cpu().numpy()
    third = np.minimum((3 * fill).astype(int), 2)
    parts = [np.ones(len(third), bool), *(third == number for number in range(3))]
    return [float(loss[part].mean()) for part in parts]
