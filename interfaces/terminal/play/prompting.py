"""The prompt on a terminal, by prompt_toolkit: completion, history and a preview."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import trio
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer
from prompt_toolkit.completion import Completion as Offered
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.shortcuts import CompleteStyle

from oddly.games import (
    PASS,
    SWAP,
    Drop,
    Drops,
    Illegality,
    IllegalTurn,
    PartialTurn,
    Position,
    Turn,
    one_line,
)
from oddly.interfaces.human_play.recording import clock_text
from oddly.interfaces.human_play.sentences import counts
from oddly.interfaces.terminal.play.driver import Interrupted
from oddly.interfaces.terminal.play.messages import COMMANDS, command_meaning, destinations
from oddly.interfaces.terminal.play.play_session import with_commas
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    from oddly.interfaces.human_play.game_in_progress import GameInProgress
    from oddly.interfaces.terminal.play.play_session import PlaySession


MENU_LINES = 6
REFRESH = 0.2
"""Seconds between two updates of a running clock."""
AT_REST = "Tab completes, help lists the commands"
OVER = "The game is over: undo, save FILE or quit"


class TurnCompleter(Completer):
    """Completes turns and commands that the session accepts now."""

    def __init__(self, session: PlaySession) -> None:
        self._session = session

    def get_completions(self, document: Document, _event: CompleteEvent) -> Iterator[Offered]:
        """Yield the completions of the text before the cursor."""
        session = self._session
        found = completions(
            session.scoresheet.position,
            document.text_before_cursor,
            with_turns=session.scoresheet.human_is_to_move,
        )
        for text, replaces, meaning in found:
            yield Offered(text, -replaces, display_meta=meaning)


class PromptReader:
    """Lines typed at a terminal. The prompt has its own event loop, in a thread.

    Engines must not start in that thread: they would die with it.
    """

    def __init__(self, session: PlaySession) -> None:
        self._session = session
        self._prompt: PromptSession[str] = PromptSession(
            history=InMemoryHistory(),
            completer=TurnCompleter(session),
            complete_while_typing=False,
            complete_style=CompleteStyle.MULTI_COLUMN,
            reserve_space_for_menu=MENU_LINES,
            enable_suspend=True,
            bottom_toolbar=self._toolbar,
            refresh_interval=REFRESH if session.scoresheet.clock else 0,
        )
        self._pasted: list[str] = []
        """Lines that were pasted behind the one that was read last."""
        self._flag: float | None = None
        """When the time of the person at the prompt ends, on the monotonic clock."""
        self._is_abandoned = False

    async def read(self, prompt: str, left: float | None = None) -> str | None:
        """Return the next line, None after Ctrl-D. Raises Interrupted after Ctrl-C."""
        self._flag = None if left is None else time.monotonic() + left
        self._is_abandoned = False
        return await trio.to_thread.run_sync(self._read, prompt)

    def abandon(self) -> None:
        """End the prompt, which restores the terminal; a prompt not yet shown ends once it is."""
        self._is_abandoned = True
        application = self._prompt.app
        if application.loop is not None and application.is_running:
            # The loop may be closed meanwhile.
            with suppress(RuntimeError):
                application.loop.call_soon_threadsafe(self._leave_if_abandoned)

    def _read(self, prompt: str) -> str | None:
        if self._pasted:
            line = self._pasted.pop(0)
            print(f"{prompt}{one_line(line)}")
            return line
        try:
            text = self._prompt.prompt(prompt, pre_run=self._leave_if_abandoned)
        except EOFError:
            return None
        except KeyboardInterrupt:
            raise Interrupted(had_text=bool(self._prompt.default_buffer.text)) from None
        line, *self._pasted = text.splitlines() or [""]
        return line

    def _leave_if_abandoned(self) -> None:
        application = self._prompt.app
        if self._is_abandoned and application.is_running and not application.is_done:
            application.exit(exception=EOFError())

    def _toolbar(self) -> str:
        """Return the text below the prompt: the time left, and what the line would lead to."""
        scoresheet = self._session.scoresheet
        if not scoresheet.human_is_to_move:
            return OVER if scoresheet.is_over else AT_REST
        text = preview(scoresheet.current, self._prompt.default_buffer.text) or AT_REST
        if self._flag is None:
            return text
        return f"{clock_text(self._flag - time.monotonic())} left; {text}"


class Completion(NamedTuple):
    """A text in place of the last `replaces` characters, and what it means."""

    text: str
    replaces: int
    meaning: str = ""


def completions(position: Position, typed: str, *, with_turns: bool = True) -> list[Completion]:
    """Return the completions of `typed`: commands, and legal drops or moves."""
    found = []
    if " " not in typed.strip():
        word = typed.strip().lower()
        found = [Completion(c, len(typed), COMMANDS[c]) for c in COMMANDS if c.startswith(word)]
    if not with_turns or position.is_over:
        return found
    found += [Completion(w, len(typed)) for w in words(position) if w.startswith(typed.lower())]
    return found + (_drops(position, typed) if position.most_drops else _moves(position, typed))


@lru_cache(maxsize=8)
def words(position: Position) -> tuple[str, ...]:
    """Return which of `pass` and `swap` are legal."""
    return tuple(str(turn) for turn in (PASS, SWAP) if position.is_legal(turn))


@lru_cache(maxsize=8)
def next_drops(position: Position, *drops: Drop) -> tuple[str, ...]:
    """Return the drops that a legal turn contains besides these."""
    return tuple(map(str, PartialTurn(position, drops).next_drops()))


def _drops(position: Position, typed: str) -> list[Completion]:
    typed = typed.lstrip()
    part = re.split(r"[,\s]", typed)[-1]
    if part == typed:
        found = _starting(next_drops(position), typed)
        if len(found) == 1 and found[0].text == typed and position.most_drops > 1:
            # The drop is complete: a second one may follow.
            found = [Completion(f"{typed},", len(typed), "and a second drop")]
        return found
    before = typed.removesuffix(part).rstrip().removesuffix(",").rstrip()
    try:
        turn = parse_turn(with_commas(before))
    except NotationError:
        return []
    if not isinstance(turn, Drops) or len(turn.drops) + 1 > position.most_drops:
        return []
    return _starting(next_drops(position, *turn.drops), part)


def _moves(position: Position, typed: str) -> list[Completion]:
    by_piece = _destinations(position)
    origin, hyphen, part = typed.strip().lower().partition("-")
    if not hyphen:
        return _starting((f"{piece}-" for piece in by_piece), origin)
    return _starting(by_piece.get(origin, ()), part)


_destinations = lru_cache(maxsize=8)(destinations)


def _starting(texts: Iterable[str], part: str) -> list[Completion]:
    return [Completion(t, len(part)) for t in texts if t.lower().startswith(part.lower())]


def preview(current: GameInProgress, typed: str) -> str:
    """Return what the typed turn would lead to, or why it is illegal: the first of pasted lines."""
    typed = typed.strip().partition("\n")[0]
    word = typed.split(" ", 1)[0].lower()
    if does := command_meaning(word):
        return f"{word}: {does}"
    if current.is_over or not typed:
        return ""
    turn, is_whole = _turn_so_far(typed)
    if turn is None:
        return ""
    try:
        after = current.play(turn)
    except IllegalTurn as error:
        return f"{turn}: {error.reason}{_second_drop_hint(current, turn, error)}"
    return f"{turn}: {counts(after)}{'; Enter plays it' if is_whole else ''}"


def _turn_so_far(typed: str) -> tuple[Turn | None, bool]:
    """Return the typed turn without an unfinished last drop, and whether that is the whole text."""
    whole = with_commas(typed)
    for text in (whole, whole.rpartition(",")[0]):
        try:
            return parse_turn(text), text == whole
        except NotationError:
            continue
    return None, False


def _second_drop_hint(current: GameInProgress, turn: Turn, error: IllegalTurn) -> str:
    """Return a hint that a second drop makes the turn legal; empty if none does."""
    if error.illegality is not Illegality.PARITY or not isinstance(turn, Drops):
        return ""
    one_of_two = len(turn.drops) == 1 < current.position.most_drops
    if one_of_two and next_drops(current.position, *turn.drops):
        return "; a second drop can mend it"
    return ""
