"""`python -m tools.network`: play, read, learn."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from pathlib import Path

import numpy as np

from oddly.engines.kernels.network import network_file
from oddly.games import Game, create_game
from tools import network as package
from tools.network.examples import examples_of, joined, play, published, read


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tools.network", description=package.__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="play games, and keep their examples")
    playing.add_argument("--games", type=int, default=100)
    playing.add_argument("--simulations", type=int, default=10_000, help="of an action")
    playing.add_argument("--network", action="store_true", help="go by the network that ships")
    reading = commands.add_parser("read", help="keep examples of games that a study published")
    learning = commands.add_parser("learn", help="fit a network to examples, with PyTorch")
    learning.add_argument("--minutes", type=float, default=5)
    for command in (playing, reading, learning):
        command.add_argument("game", choices=("yodd", "xodd"))
        command.add_argument("size", type=int)
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("--output", type=Path, required=True)
    reading.add_argument("file", type=Path)
    learning.add_argument("examples", type=Path, nargs="+")
    options = parser.parse_args()
    game = create_game(options.game, options.size)
    if options.command == "learn":
        learn(game, options)
        return
    if options.command == "read":
        lines = published(game, options.file)
    else:
        with_network = options.network
        lines = play(
            game, options.games, options.simulations, options.seed, with_network=with_network
        )
    examples = examples_of(game, lines)
    np.savez_compressed(options.output, **examples._asdict())
    print(f"{options.output}: {len(examples.won)} positions of {examples.game.max() + 1} games")


def learn(game: Game, options: argparse.Namespace) -> None:
    """Fit a network, and write it and its card to a folder."""
    try:
        from tools.network.learning import fit
    except ModuleNotFoundError as error:
        sys.exit(f"{error}; to install PyTorch: pip install torch")
    examples = joined([read(file) for file in options.examples])
    weights, loss = fit(game.board, examples, 60 * options.minutes, options.seed)
    options.output.mkdir(parents=True, exist_ok=True)
    file = options.output / network_file(game)
    np.savez_compressed(file, **weights)
    card = {
        "game": f"{game.name} {game.board.size}",
        "games": f"{examples.game.max() + 1} of {len(options.examples)} files",
        "command": " ".join(["python -m tools.network", *sys.argv[1:]]),
        "date": date.today().isoformat(),
        "positions": len(examples.won),
        "loss": [round(part, 3) for part in loss],
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in card.items()]
    file.with_suffix(".toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(file)


if __name__ == "__main__":
    main()
