"""An engine that knows single drops only, for the bridge's adapter: `drop_engine.py GAME SIZE`."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[2]))

from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition

COMMANDS = "name version list_commands quit set_game boardsize clear_board play genmove undo solve"


class DropEngine:
    """Plays random actions."""

    def __init__(self, game) -> None:
        self.game = game
        self.past = [DropPosition(game.start())]
        self.random = Random(1)

    def answer(self, name: str, words: list[str]) -> str:
        """The reply to a command. Raises KeyError for what is wrong with it."""
        match name:
            case "list_commands":
                return COMMANDS.replace(" ", "\n")
            case "set_game" | "boardsize" | "clear_board":
                self.begin(name, words)
            case "undo":
                self.past.pop()
            case "play":
                self.act(*words)
            case "genmove":
                actions = sorted(map(str, self.past[-1].actions()))
                return self.act(words[0], self.random.choice(actions))
            case "name" | "version" | "quit":
                return f"the {name} of drops"
            case _:
                raise KeyError(name)
        return ""

    def begin(self, name: str, words: list[str]) -> None:
        if name == "set_game":
            self.game = create_game(words[0])
        elif name == "boardsize":
            self.game = create_game(self.game.name, int(words[0]))
        self.past = [DropPosition(self.game.start())]

    def act(self, player: str, text: str) -> str:
        position = self.past[-1]
        actions = {str(action): action for action in position.actions()}
        if player != str(position.start.to_move):
            raise KeyError(player)
        self.past.append(position.act(actions[text]))
        return text


def main() -> None:
    """Answer commands until quit."""
    engine = DropEngine(create_game(sys.argv[1], int(sys.argv[2])))
    for line in sys.stdin:
        number, name, *words = line.split()
        try:
            print(f"={number} {engine.answer(name, words)}\n", flush=True)
        except KeyError as error:
            print(f"?{number} wrong: {error}\n", flush=True)
        if name == "quit":
            break


if __name__ == "__main__":
    main()
