"""A turn's commands in a wire log, and whether the replies to all of them make it a turn."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from oddly.protocol import Reply
from oddly.protocol.codec import REPLY_HEAD
from oddly.referee.conversation.commands import other_id


@dataclass(slots=True)
class AskedTurn:
    """The commands to an engine for one turn, and what came of them so far."""

    asked: float
    heard: float
    """When the last whole reply ended."""
    waiting: deque[tuple[str, str]] = field(default_factory=deque)
    """The ids and names of the commands that have no whole reply yet, in order."""
    is_for_turn: bool = False
    reply: list[str] = field(default_factory=list)
    """The mark and the lines of the reply that has begun."""
    answer: list[str] = field(default_factory=list)
    """The reply to `genmove`."""
    fault: str = ""

    @property
    def is_over(self) -> bool:
        """Whether a turn was asked for, and every command answered, or one in a wrong way."""
        return self.is_for_turn and (bool(self.fault) or not self.waiting)

    def ask(self, number: str, name: str) -> None:
        """Wait for a reply to a further command."""
        self.waiting.append((number, name))
        self.is_for_turn |= name == "genmove"

    def hear(self, text: str, seconds: float) -> None:
        """Handle one line of the engine. What comes after the last reply is nobody's."""
        if self.fault or not self.waiting:
            return
        if self.reply and text:
            self.reply.append(text)
        elif self.reply:
            self._end_reply(seconds)
        elif text.strip(" "):
            self._begin_reply(text)

    def _begin_reply(self, text: str) -> None:
        number = self.waiting[0][0]
        if (head := REPLY_HEAD.fullmatch(text)) is None:
            self.fault = f"output that is not a reply: {text[:60]}"
            return
        mark, identity, said = head.groups()
        reply = Reply(mark == "=", (said or "").strip(" "), int(identity) if identity else None)
        if reply.id != int(number):
            got = other_id(reply, int(number))
            self.fault = f"a reply with {got} where id {number} was expected"
        else:
            self.reply = [mark, reply.text]

    def _end_reply(self, seconds: float) -> None:
        self.heard = seconds
        name = self.waiting.popleft()[1]
        if self.reply[0] == "?" and name in ("play", "genmove"):
            self.fault = "\n".join([f"{name} was refused: {self.reply[1]}", *self.reply[2:]])
        if name == "genmove":
            self.answer = self.reply
        self.reply = []
