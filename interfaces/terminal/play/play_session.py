"""A game in a terminal as a pure machine: lines and engines' answers in, requests out.

It never waits, draws or writes: `driver.py` carries out its requests in order.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import IllegalTurn, Turn, one_line
from oddly.interfaces.human_play.sentences import counts, lacks_colour
from oddly.interfaces.terminal.play import messages
from oddly.interfaces.terminal.play.messages import (
    AskEngine,
    AskHint,
    Keep,
    Leave,
    Request,
    Save,
    Say,
    ShowBoard,
    command_meaning,
    help_text,
    legal,
    nearest_command,
)
from oddly.protocol import NotationError, Resign, parse_answer
from oddly.protocol.messages import VERTEX

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.interfaces.terminal.play.scoresheet import Scoresheet

BETWEEN_DROPS = re.compile(r"(?<=[0-9])(?:\s*,\s*|\s+)(?=[BbWw])")
MAX_LINE_LENGTH = 4096
MAX_STUB_LENGTH = 2
"""Letters that may be the beginning of a turn: `Bc`."""


def with_commas(text: str) -> str:
    """Return the typed text with commas between drops: people type `Bc3 We2` for `Bc3,We2`."""
    return BETWEEN_DROPS.sub(",", text)


class PlaySession:
    """A game and the commands on it. Every event returns the requests that follow from it."""

    def __init__(self, scoresheet: Scoresheet) -> None:
        self.scoresheet = scoresheet
        self.engine_failed = False
        """Whether the engine to move has failed and needs a restart."""
        self._spent = 0.0
        self._commands: dict[str, Callable[[str], list[Request]]] = {
            "undo": self._undo,
            "hint": self._hint,
            "legal": self._legal,
            "board": self._board_again,
            "turns": self._turns,
            "save": self._save,
            "resign": self._resign,
            "restart": self._restart,
            "help": self._help,
            **dict.fromkeys(messages.QUIT, self._quit),
        }

    @property
    def prompt(self) -> str:
        """The prompt for the next line."""
        scoresheet = self.scoresheet
        if scoresheet.is_over:
            return "over> "
        if self.engine_failed:
            return "restart? "
        return f"{scoresheet.position.to_move}> "

    def begin(self) -> list[Request]:
        """Return the first requests: to show the goal and the board, and to begin the turn."""
        return [Say(messages.goal(self.scoresheet.current.game)), *self._go_on()]

    def line(self, text: str, spent: float = 0.0) -> list[Request]:
        """Return the requests that follow from a typed line, a turn or a command.

        `spent` is the time in seconds since the person to move began the turn.
        """
        self._spent = spent
        text = text.strip()
        if len(text) > MAX_LINE_LENGTH:
            return [Say(f"a line of {len(text)} characters is neither a turn nor a command")]
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        if not word:
            return []
        if handler := self._commands.get(word.lower()):
            if rest and word.lower() not in ("save", "legal", "help"):
                return [Say(f"{word.lower()} stands alone; {one_line(rest)!r} is too much")]
            return handler(rest)
        return self._typed_turn(text)

    def played(self, turn: Turn | Resign, seconds: float) -> list[Request]:
        """Play the engine's turn and return what follows.

        Raises IllegalTurn and changes nothing if the turn is not legal.
        """
        scoresheet = self.scoresheet
        name, colour = scoresheet.mover.name, messages.side(scoresheet.position.to_move)
        if isinstance(turn, Resign):
            scoresheet.resign(scoresheet.current.mover)
            return [Say(f"{name} ({colour}) resigns after {seconds:.1f} s."), *self._ended()]
        scoresheet.play(turn, seconds)
        return [Say(f"{name} plays {turn} ({seconds:.1f} s)."), Keep(), *self._go_on()]

    def failed(self, reason: str) -> list[Request]:
        """Return the requests that report why the engine to move has no turn."""
        self.engine_failed = True
        name = self.scoresheet.mover.name
        return [
            Say(
                f"{name} did not play: {reason}. The game stands as it was: "
                "restart asks it again, undo takes your turn back, quit leaves."
            )
        ]

    def flag_fell(self) -> list[Request]:
        """Return the requests that report a loss on time of the person to move."""
        self.scoresheet.lose_on_time()
        return self._ended()

    def hinted(self, name: str, turn: Turn | Resign, seconds: float) -> list[Request]:
        """Return the requests that show the turn that the adviser would play."""
        would = "would resign" if isinstance(turn, Resign) else f"would play {turn}"
        after = ""
        if not isinstance(turn, Resign):
            after = f", which leaves {counts(self.scoresheet.current.play(turn))}"
        return [Say(f"{name} {would}{after} ({seconds:.1f} s).")]

    def no_hint(self, name: str, reason: str) -> list[Request]:
        """Return the requests that report why the adviser has no turn."""
        return [Say(f"no hint: {name}: {reason}")]

    def _typed_turn(self, text: str) -> list[Request]:
        """Play a typed turn, with drops in any order."""
        scoresheet = self.scoresheet
        try:
            turn = parse_answer(with_commas(text))
        except NotationError as error:
            return [Say(self._unreadable(text, error))]
        if isinstance(turn, Resign):
            return self._resign("")
        if self.engine_failed:
            name = scoresheet.mover.name
            return [Say(f"it is {name}'s turn: restart asks it again, undo takes yours back")]
        try:
            scoresheet.play(turn, self._spent)
        except IllegalTurn as error:
            return [Say(f"{turn} is not legal: {error.reason}")]
        return [Keep(), *self._go_on()]

    def _unreadable(self, text: str, error: NotationError) -> str:
        """Return what is wrong with a line, with a caret if it is nearly a turn."""
        word = text.split(maxsplit=1)[0]
        game = self.scoresheet.current.game
        if self.scoresheet.current.has_drops and VERTEX.fullmatch(word.lower()):
            vertex = word.lower()
            return f"{vertex} {lacks_colour(vertex)}"
        if near := nearest_command(word):
            return f"unknown command {one_line(word)!r}{near}"
        if word.isalpha() and len(word) > MAX_STUB_LENGTH:
            return (
                f"{one_line(word)!r} is neither a turn, as in {game.example_turns}, "
                "nor a command; help lists those"
            )
        return f"{error}; a turn is typed as in {game.example_turns}\n{error.pointed()}"

    def _go_on(self) -> list[Request]:
        """Show the position and begin the next turn."""
        scoresheet = self.scoresheet
        if scoresheet.is_over:
            return self._ended()
        if not scoresheet.mover.is_human:
            return [self._board(), AskEngine()]
        self._spent = 0.0
        return [self._board(), Say(messages.whose_turn(scoresheet))]

    def _ended(self) -> list[Request]:
        """Say how the game ended."""
        return [self._board(), Say(messages.ending(self.scoresheet)), Keep()]

    def _board(self) -> ShowBoard:
        placed, left = self.scoresheet.current.last
        return ShowBoard(self.scoresheet.position, placed | left)

    def _undo(self, _rest: str) -> list[Request]:
        scoresheet = self.scoresheet
        taken = []
        if scoresheet.current.resigned is not None:
            taken.append("the loss on time" if scoresheet.current.on_time else "the resignation")
        taken += [f"{turn.colour}'s {turn.turn}" for turn in scoresheet.take_back()]
        if not taken:
            return [Say("you have no turn to take back")]
        self.engine_failed = False
        return [Say(f"taken back: {', '.join(taken)}"), Keep(), *self._go_on()]

    def _hint(self, _rest: str) -> list[Request]:
        if not self.scoresheet.human_is_to_move:
            return [Say("a hint is for you when it is your turn")]
        return [AskHint()]

    def _legal(self, rest: str) -> list[Request]:
        return legal(self.scoresheet.current, rest)

    def _board_again(self, _rest: str) -> list[Request]:
        if self.scoresheet.is_over:
            return self._ended()
        return [self._board(), Say(messages.whose_turn(self.scoresheet, self._spent))]

    def _turns(self, _rest: str) -> list[Request]:
        if not self.scoresheet.turns:
            return [Say("nobody has played yet")]
        numbered = enumerate(self.scoresheet.turns, start=1)
        return [Say("\n".join(f"{n:4}  {t.colour}  {t.turn}" for n, t in numbered))]

    def _save(self, rest: str) -> list[Request]:
        if not rest:
            return [Say("save FILE: a name is missing, as in save game.sgf or save game.jsonl")]
        try:
            return [Save(Path(rest).expanduser())]
        except RuntimeError:
            return [Say(f"cannot save {one_line(rest)}: there is no such user")]

    def _resign(self, _rest: str) -> list[Request]:
        scoresheet = self.scoresheet
        if scoresheet.is_over:
            return [Say("the game is over already")]
        mover = scoresheet.current.mover
        scoresheet.resign(mover if scoresheet.mover.is_human else 1 - mover)
        self.engine_failed = False
        return self._ended()

    def _restart(self, _rest: str) -> list[Request]:
        if not self.engine_failed:
            return [Say("restart is for an engine that has failed; none has")]
        self.engine_failed = False
        return [AskEngine()]

    def _help(self, rest: str) -> list[Request]:
        if rest:
            known = command_meaning(rest)
            return [Say(known or f"unknown command {one_line(rest)!r}{nearest_command(rest)}")]
        return [Say(help_text(self.scoresheet.current.game.example_turns))]

    def _quit(self, _rest: str) -> list[Request]:
        return [Leave()]
