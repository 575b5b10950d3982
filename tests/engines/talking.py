"""Engines to talk to: with options, and by lines of the protocol."""

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.engine import Engine, create_engine
from oddly.engines.plain_engines import RandomEngine
from oddly.games.catalogue import create_game
from oddly.games.game import Game
from oddly.protocol.codec import CommandDecoder
from oddly.protocol.messages import Reply


def engine_with(name: str, game: Game | None = None, **options: object) -> Engine:
    """An engine with these options, ready for a game if one is named."""
    engine = create_engine(name)
    for option, value in options.items():
        engine.set_option(option, str(value).lower())
    if game is not None:
        engine.prepare(game)
        engine.new_game()
        engine.wait_until_ready()
    return engine


def lines_in(table: str) -> list[str]:
    """The lines of a table with `|` between them."""
    return [line for row in table.split("\n") for line in row.strip().split("|") if line]


class Talker:
    """Sends lines to a dispatcher and gives the replies."""

    def __init__(self, engine: Engine | None = None, game: str = "yodd", size: int = 3) -> None:
        self.dispatcher = Dispatcher(engine or RandomEngine(), create_game(game, size))

    def reply(self, line: str) -> Reply:
        decoder = CommandDecoder()
        decoder.feed(line.encode() + b"\n")
        command = decoder.next_event()
        assert command is not None
        return self.dispatcher.answer(command)

    def __call__(self, line: str) -> str:
        reply = self.reply(line)
        assert reply.ok, (line, reply.text)
        return reply.text

    def refused(self, line: str) -> str:
        reply = self.reply(line)
        assert not reply.ok, (line, reply.text)
        return reply.text

    @property
    def game(self) -> str:
        return str(self.dispatcher.session.game)
