"""Records of random games in all four games, as the referee would have written them."""

import io
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import strategies as st

from oddly.game_records.kept_game import KeptGame, colour_at_the_end
from oddly.games.ayu import Ayu
from oddly.games.game import Game
from oddly.games.legal_turns import random_turn
from oddly.games.odd import Odd
from oddly.games.turns import PASS, Turn
from oddly.games.xodd import Xodd
from oddly.games.yodd import Yodd
from oddly.referee.justice.outcome import Outcome, Termination, score_without_count
from oddly.referee.justice.record import GameRecord, PlayedTurn, RecordError
from tests.games.lockstep import turn_from_text

GAMES = st.one_of(
    st.builds(Yodd, st.integers(2, 5)),
    st.builds(Xodd, st.integers(2, 7)),
    st.builds(Odd, st.integers(2, 4), st.just("hexhex"), st.integers(1, 5)),
    st.builds(Odd, st.integers(2, 6), st.just("square"), st.integers(1, 5)),
    st.builds(Ayu, st.sampled_from([3, 5, 7]), st.booleans()),
)
LARGEST = [Yodd(13), Xodd(19), Odd(13), Odd(19, "square"), Ayu(19, pie=True)]
NAMES = st.text(max_size=12) | st.sampled_from(
    ["=cmd|'<script>\x1b[31m", "](;B[aa]", "a\\", "]\\]", "a\r\nb\u2028", "GN[yodd 8]"]
)
SECONDS = st.integers(0, 10**9).map(lambda microseconds: microseconds / 10**6)
LABELS = st.fixed_dictionaries(
    {}, optional={"id": st.text("0123abc", max_size=9), "round": st.integers(1, 99), "event": NAMES}
)
ENDED_OTHERWISE = [Termination.RESIGNATION, Termination.TIME, Termination.CRASH, Termination.VOID]


@st.composite
def kept_games(draw, games=GAMES, names=NAMES):
    """A random game, to its end or broken off, with everything a record may hold."""
    game = draw(games)
    players = draw(names), draw(names)
    seed = draw(st.integers(0, 2**63))
    turns = played(game, Random(seed), draw(st.integers(0, 60)), lambda: draw(SECONDS))
    outcome = outcome_of(game, turns, draw(st.sampled_from(ENDED_OTHERWISE)), draw(names))
    engines = draw(names), draw(names)
    opening = draw(st.integers(0, len(turns)))
    return KeptGame(
        GameRecord(game, players, engines, seed, tuple(turns), outcome, opening), draw(LABELS)
    )


def played(
    game: Game, random: Random, most: int, seconds: Callable[[], float] = float
) -> list[PlayedTurn]:
    """Random turns; passes are likelier than in `random_turn`, so that games end."""
    turns: list[PlayedTurn] = []
    position = game.start()
    while not position.is_over and len(turns) < most:
        turn: Turn = random_turn(position, random)
        if random.random() < 0.2 and position.is_legal(PASS):
            turn = PASS
        turns.append(PlayedTurn(position.to_move, str(turn), seconds()))
        position = position.play(turn)
    return turns


def turns_in(game: Game, text: str) -> list[PlayedTurn]:
    """The turns of a line, each a quarter of a second longer than the one before."""
    position, turns = game.start(), []
    for number, turn in enumerate(text.split()):
        turns.append(PlayedTurn(position.to_move, turn, number / 4))
        position = position.play(turn_from_text(turn))
    return turns


def refusal(read, data: str | bytes, *arguments: object) -> str:
    """The sentence in which a reader refuses a file; it must be one that people can read."""
    data = data.encode() if isinstance(data, str) else data
    with pytest.raises(RecordError) as caught:
        list(read(io.BytesIO(data), *arguments))
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.isprintable()
    assert len(sentence) < 400
    return sentence


def read_text(read, text: str, *arguments: object) -> list[KeptGame]:
    """The games that a reader finds in a text."""
    return list(read(io.BytesIO(text.encode()), *arguments))


def outcome_of(
    game: Game, turns: list[PlayedTurn], otherwise: Termination, reason: str = "so it was"
) -> Outcome:
    """What the rules say, or that the second player won `otherwise`."""
    position = game.start()
    for turn in turns:
        position = position.play(turn_from_text(turn.turn))
    colours = [colour_at_the_end(turns, player) for player in (0, 1)]
    result = position.result
    if result is not None:
        winner = None if result.winner is None else colours.index(result.winner)
        termination = Termination[result.ending.name]
        return Outcome(winner, result.winner, str(result), termination, reason, len(turns))
    if otherwise is Termination.VOID:
        return Outcome(None, None, "void", otherwise, reason, len(turns))
    score = score_without_count(colours[1], otherwise)
    return Outcome(1, colours[1], score, otherwise, reason, len(turns), "evidence ]\\", "X .\n. O")
