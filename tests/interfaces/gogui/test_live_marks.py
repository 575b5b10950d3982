"""What GoGui paints while an engine thinks."""

from oddly.engines.engine import Engine, Thought
from oddly.games.ayu import Ayu
from oddly.games.catalogue import create_game
from oddly.games.colour import Colour
from oddly.games.drop_level import END, DropPosition
from oddly.games.turns import Drop, Drops, Move
from oddly.games.xodd import Xodd
from oddly.interfaces.gogui.dispatcher import GoguiDispatcher
from oddly.interfaces.gogui.marks import live_marks
from oddly.protocol.evaluation import Candidate, Evaluation
from tests.interfaces.gogui.double import Talker

FIRST = Drop(Colour.WHITE, "e5")
THOUGHT = Thought(
    DropPosition(Xodd(5).start()),
    Evaluation(0.625, 800, (Candidate(FIRST, 0.75, 0.625),)),
    (FIRST, END, Drop(Colour.BLACK, "a1"), Drop(Colour.BLACK, "e5")),
)


class Thinking(Engine):
    """Thinks aloud once a turn."""

    name = "thinking"

    def choose(self, position):
        if self.on_thought is not None:
            self.on_thought(THOUGHT)
        return Drops((FIRST,))


def test_candidates_and_the_best_line_are_painted_and_wiped_off_at_the_end(capsys):
    talk = Talker(GoguiDispatcher(Thinking(), create_game("xodd", 5)))
    assert talk("genmove b") == "E5"
    assert capsys.readouterr().err == (
        "gogui-gfx:\n"
        "COLOR #00ff00 E5\n"
        "LABEL E5 W62\n"
        "TEXT thinking: Black, to move, wins 62% of 800 simulations; best: W E5\n"
        "VAR W E5 B A1\n"
        "\n"
        "gogui-gfx: CLEAR\n"
    )
    talk("genmove b")
    assert capsys.readouterr().err == ""
    talk("oddly-best_turn")
    assert capsys.readouterr().err == ""


def test_a_move_has_squares():
    move = Move("b1", "b2")
    thought = Thought(
        DropPosition(Ayu(5).start()), Evaluation(0.5, 10, (Candidate(move, 1.0, 0.5),)), (move,)
    )
    assert "SQUARE B1 B2" in live_marks("rave", thought)
    assert "VAR" not in live_marks("rave", thought)
