"""Engines in memory that have a fault, for `oddly check` on trio's autojump clock."""

from collections.abc import Callable

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.plain_engines import RandomEngine
from oddly.games.catalogue import create_game
from tests.referee.engine_in_memory import ChattyEngine, InMemory


class WrongDispatcher(Dispatcher):
    """Our own dispatcher with a fault, which may take its time."""

    def __init__(self) -> None:
        super().__init__(RandomEngine(), create_game("yodd"))
        self.takes = 0.0


class WrongInMemory(InMemory):
    """A channel to an engine with a fault."""

    def __init__(self, wrong: type[WrongDispatcher]) -> None:
        self.wrong = wrong()
        super().__init__(0.0, self.wrong)

    def _answer(self, data: bytes, seconds: float) -> None:
        super()._answer(data, seconds + self.wrong.takes)
        self.wrong.takes = 0.0


class Rewritten(WrongInMemory):
    """Writes something else than its dispatcher does."""

    def __init__(self, rewrite: Callable[[bytes], bytes], wrong=WrongDispatcher) -> None:
        super().__init__(wrong)
        self.rewrite = rewrite

    def _answer(self, data: bytes, seconds: float) -> None:
        super()._answer(self.rewrite(data), seconds)


class Losing(WrongInMemory):
    """Reads a line, and drops what has come behind it."""

    def send_nowait(self, data):
        return super().send_nowait(data.partition(b"\n")[0] + b"\n")


class Analyst(WrongDispatcher):
    """An engine that analyzes."""

    def __init__(self) -> None:
        Dispatcher.__init__(self, ChattyEngine(), create_game("yodd"))
        self.takes = 0.0
