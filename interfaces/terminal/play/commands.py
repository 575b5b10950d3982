"""The commands that a player types besides turns."""

from __future__ import annotations

from games.errors import did_you_mean

COMMANDS = {
    "undo": "take back everything since your last turn, that turn included",
    "hint": "ask an engine what it would play for you",
    "legal": "where a drop would end the turn, or which pieces can move; legal Bc3, legal d4",
    "board": "draw the board again",
    "turns": "list the turns so far",
    "save": "save FILE writes the game: .jsonl, .sgf or .txt, as the name ends",
    "resign": "give the game up",
    "restart": "start the engine again after it failed, and let it play on",
    "help": "this list",
    "quit": "leave; the game is kept (so does Ctrl-D)",
}


def help_text(example: str) -> str:
    """Return an example of a turn, then one line for each command."""
    width = max(map(len, COMMANDS))
    lines = [f"A turn is typed as in {example}; Tab completes it.", "Besides turns there are"]
    return "\n".join(
        [*lines, *(f"  {name:{width}}  {summary}" for name, summary in COMMANDS.items())]
    )


def nearest_command(word: str) -> str:
    """Return `; did you mean 'undo'?` if `word` resembles a command, `pass` or `swap`."""
    return did_you_mean(word, (*COMMANDS, "pass", "swap"))
