"""Control characters mean nothing, wherever an engine writes them: they cost nobody a game."""

import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from oddly.games.catalogue import create_game
from oddly.protocol.codec import CONTROLS
from oddly.referee.justice.outcome import Termination
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.game import play_pooled_game
from oddly.referee.program.configuration import Limits
from tests.referee.fakes import ScriptedChannel, scripted

LIMITS = Limits()
ODD = create_game("odd", 2)
BLACK, WHITE = "Bb1 Bc1 Ba2 Bb2", "Wc2 Wa3 Wb3"
SOME = st.lists(st.sampled_from([bytes([c]) for c in CONTROLS]), max_size=3).map(b"".join)
PLACES = ("before", "behind the id", "within", "before the first line feed", "before the second")


class Returning(ScriptedChannel):
    """Plays on in the same process."""

    also_lists = "clear_board"


class Controlling(Returning):
    """Writes control characters around and in its replies, and more of them a moment later."""

    also_lists = "clear_board game_over"

    def __init__(self, characters, later):
        super().__init__(characters[0])
        self.characters, self.later = characters[1], later

    def answer(self, command):
        delay = self.delays.pop(0) if command.name == "genmove" and self.delays else 0.0
        head, text = f"={command.id}", self._answer(command)
        before, behind, within, first, second = self.characters
        middle = text[1:] and text[:1].encode() + within + text[1:].encode()
        data = before + head.encode() + behind + b" " + (middle or text.encode()) + first
        self.write(data + b"\n" + second + b"\n", delay)
        for at, characters in self.later:
            self.write(characters, at)


@given(
    characters=st.tuples(*[SOME] * len(PLACES)),
    later=st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), SOME.filter(bool)), max_size=2),
)
def test_they_cost_nobody_a_game(characters, later):
    started = []

    def open_channel(command, most_stderr=0, resources=None):
        started.append(command)
        if command[0].startswith("Bb1"):
            return Controlling((command, characters), later)
        return Returning(command)

    async def play():
        async with trio.open_nursery() as nursery:
            pool = EnginePool(nursery, open_channel=open_channel, limits=LIMITS)
            one, two = (
                scripted(f"{BLACK} {BLACK}", "a"),
                scripted(f"{WHITE} {WHITE}", "b", "5", "1"),
            )
            records = [await play_pooled_game(pool, ODD, (one, two)) for _ in range(2)]
            await pool.stop()
            nursery.cancel_scope.cancel()
        return records

    records = trio.run(play, clock=MockClock(autojump_threshold=0))
    assert [record.outcome.termination for record in records] == [Termination.BOARD_FULL] * 2
    # An engine that writes nothing else is in step, and plays on.
    assert len(started) == 2
