"""What the engine makes of a turn that a human has begun: every stone keeps its colour."""

from random import Random

import pytest

from oddly.engines.engine import Engine
from oddly.engines.plain_engines import GreedyEngine, RandomEngine
from oddly.engines.rave_engine import RaveEngine
from oddly.engines.search_engine import UctEngine
from oddly.games.catalogue import create_game
from oddly.games.drop_level import END
from oddly.games.turns import Drop
from oddly.protocol.evaluation import Candidate, Evaluation, TurnEvaluation
from oddly.protocol.notation import gogui_vertex, parse_turn
from tests.interfaces.gogui.double import Talker, talker

ENGINES = {"greedy": GreedyEngine, "random": RandomEngine, "rave": RaveEngine, "uct": UctEngine}
BOARDS = [("xodd", 4, {}), ("yodd", 3, {}), ("odd", 2, {"min_group": 1})]


def engine_called(name: str) -> Engine:
    engine = ENGINES[name]()
    if name in ("rave", "uct"):
        engine.set_option("plain", "true")
        engine.set_option("simulations", "20")
    engine.set_option("seed", "3")
    return engine


def begun(talk: Talker, random: Random) -> tuple[str, int] | None:
    """Begin a turn with one stone of either colour that a legal turn has; where, and as what."""
    session = talk.dispatcher.session
    first = list(session.partial.next_drops())
    if session.position.most_drops < 2 or not first:
        return None
    drop = random.choice(first)
    point = gogui_vertex(session.game.board, drop.vertex)
    side = session.position.to_move
    talk(f"play {side.letter} {point}")
    if drop.colour is not side:
        talk(f"play {side.letter} {point}")
    assert session.partial.drops == (drop,)
    return drop.vertex, drop.colour


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board[0])
def test_the_stone_of_a_human_stays_as_it_is(name, board):
    game, size, settings = board
    random = Random(f"{name} {game}")
    talk = talker(game, size, engine_called(name), **settings)
    session = talk.dispatcher.session
    seen = 0
    while not session.position.is_over and session.position.vertices_with(0):
        stone, start = begun(talk, random), session.position
        if stone is not None:
            assert "would play" in talk("oddly-best_turn")
            seen += 1
        while session.position is start:
            talk(f"genmove {start.to_move.letter}")
            if stone is not None and session.position is start:
                assert Drop(stone[1], stone[0]) in session.partial.drops
        if stone is not None:
            index = start.game.board.index[stone[0]]
            assert session.position.stones[index] == stone[1]
    assert seen > 3 or game == "odd"


class Opinionated(Engine):
    """Wants `best`, expects `rates`, and finishes as `finish` says."""

    name = "opinionated"

    def __init__(self, best, finish, rates):
        super().__init__()
        self.best, self.end, self.rates, self.rate = best, finish, rates, None

    def choose(self, position):
        self.rate = self.rates[0]
        return self.best

    def finish(self, at):
        self.rate = self.rates[1]
        return self.end

    def last_evaluation(self):
        return None if self.rate is None else TurnEvaluation(self.rate)


@pytest.mark.parametrize(
    ("rates", "said"),
    [
        ((0.58, 0.31), ", and win 31%; no good turn has W E5: better W A1, B B5, and win 58%"),
        ((0.58, 0.5), ", and win 50%; W A1, B B5, and win 58%, is about as good"),
        ((None, None), "; without these stones it would play W A1, B B5"),
    ],
)
def test_the_label_says_whether_a_good_turn_has_the_stone(rates, said):
    engine = Opinionated(parse_turn("Wa1,Bb5"), parse_turn("We5,Wb2"), rates)
    talk = talker("xodd", 5, engine)
    talk("gogui-play_sequence b C3 b PASS w E5")
    assert talk("oddly-best_turn") == f"opinionated would play W B2, W E5 as White{said}"
    assert [talk("genmove w") for _ in range(2)] == ["B2", "C3"]
    assert talk("gogui-rules_board").splitlines()[1].endswith("O")


@pytest.mark.parametrize(
    ("best", "taps", "said"),
    [
        # It has the stone.
        ("We5,Bb5", "w E5", "B B5, W E5 as White, and win 50%"),
        # All stones are placed, and the win rate is of another turn.
        (
            "Wa1,Bb5",
            "w E5 w A5",
            "W A5, W E5 as White; without these stones it would play W A1, B B5, and win 50%",
        ),
    ],
)
def test_the_engines_own_turn_is_taken_or_named_beside_it(best, taps, said):
    talk = talker("xodd", 5, Opinionated(parse_turn(best), None, (0.5, 0.1)))
    talk(f"gogui-play_sequence b C3 b PASS {taps}")
    assert talk("oddly-best_turn") == f"opinionated would play {said}"


@pytest.mark.parametrize("command", ["oddly-best_turn", "genmove w"])
def test_a_planned_turn_keeps_the_win_rate_that_it_was_chosen_with(command):
    engine = Opinionated(parse_turn("Wa1,Bb5"), parse_turn("We5,Wb2"), (0.58, 0.31))
    talk = talker("xodd", 5, engine)
    talk("gogui-play_sequence b C3 b PASS")
    talk(command)
    if command == "genmove w":
        talk("undo")
    talk("play w E5")
    assert "and win 31%" in talk("oddly-best_turn")
    talk("undo")
    talk("play w A1")
    assert talk("oddly-best_turn") == "opinionated would play W A1, B B5 as White, and win 58%"


def test_stones_that_no_turn_has_are_not_recoloured_but_named():
    engine = Opinionated(parse_turn("Wa1,Bb5"), None, (0.5, 0.5))
    talk = talker("xodd", 5, engine)
    talk("gogui-play_sequence b C3 b PASS w C4 w C5")
    sentence = "no legal turn has the stones in these colours: change one"
    assert talk.refused("genmove w") == sentence
    assert talk("oddly-best_turn") == sentence
    talk("play w C5")
    assert [talk("genmove w")] == ["C3"]


def test_stones_that_a_human_changes_after_the_advice_stay_changed():
    engine = Opinionated(parse_turn("Wa1,Bb5"), parse_turn("Be5,Bb2"), (0.5, 0.5))
    talk = talker("xodd", 5, engine)
    talk("gogui-play_sequence b C3 b PASS")
    assert "W A1, B B5" in talk("oddly-best_turn")
    talk("gogui-play_sequence w E5 w E5")
    while talk("gogui-rules_side_to_move") == "white":
        talk("genmove w")
    assert talk("gogui-rules_board").splitlines()[1].endswith("X")


class Rating(Engine):
    """Rates every position alike, and ends each turn as soon as it may."""

    name = "rating"

    def choose(self, position):
        return parse_turn("Wc3")

    def evaluate(self, at):
        action = END if at.can_end else next(iter(at.actions()))
        return Evaluation(0.5, 10, (Candidate(action, 1.0, 0.5),))


def test_an_engine_that_rates_positions_inside_a_turn_finishes_by_that():
    game = create_game("xodd", 5)
    at = talker("xodd", 5, Rating())
    at("gogui-play_sequence b C3 b PASS w C4 w C4")
    partial = at.dispatcher.session.partial
    assert partial.can_end
    assert at("genmove w") == "C3"
    assert game.start().play(parse_turn("Bc3")).is_legal(parse_turn("Bc4"))
