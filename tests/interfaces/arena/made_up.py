"""Finished games for tests of pages: random turns, made-up endings."""

from oddly.games import create_game, random_turn
from oddly.referee import GameRecord, Outcome, PlayedTurn, Termination
from oddly.referee.justice.outcome import score_without_count

GAME = create_game("xodd", 3)


def random_record(players, draw, *, game=GAME, turns=None, opening=0, loser=None, fault=None):
    """A game at random, to its end or for some turns; with a fault, `loser` commits it."""
    position, played = game.start(), []
    while not position.is_over and (turns is None or len(played) < turns):
        turn = random_turn(position, draw)
        seconds = 0.0 if len(played) < opening else draw.random()
        played.append(PlayedTurn(position.to_move, str(turn), seconds))
        position = position.play(turn)
    mover = len(played) % 2
    if fault is not None:
        colour = position.to_move if loser != mover else position.to_move.other
        outcome = Outcome(1 - loser, colour, score_without_count(colour, fault), fault,
                          f"{players[loser]}: {fault.value}", len(played))  # fmt: skip
    else:
        result = position.result
        first = position.to_move if mover == 0 else position.to_move.other
        winner = None if result.winner is None else int(result.winner is not first)
        outcome = Outcome(winner, result.winner, str(result), Termination[result.ending.name],
                          result.ending.value, len(played))  # fmt: skip
    return GameRecord(game, tuple(players), ("one 1", "two 2"), 7, tuple(played), outcome, opening)


def random_games(names, number, draw):
    """Games of random pairs by made-up ids; some end by a fault, some have an opening."""
    found = {}
    for count in range(number):
        players = draw.sample(names, 2)
        more = {"opening": draw.choice((0, 0, 2))}
        if draw.random() < 0.3:
            fault = draw.choice((Termination.TIME, Termination.CRASH, Termination.ILLEGAL_TURN))
            more |= {"turns": draw.randrange(2, 5), "loser": draw.randrange(2), "fault": fault}
        found[f"game-{count}"] = random_record(players, draw, **more)
    return found
