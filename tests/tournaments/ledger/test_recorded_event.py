"""The event of a ledger: the question that it is played for."""

from tournaments.ledger.recorded_event import asked_by
from tournaments.ratings.sprt import Hypotheses
from tournaments.results.sequential import USUAL_QUESTION, Question


def test_an_event_says_what_it_tests():
    told = {"elo0": -10, "elo1": 10, "alpha": 0.01, "beta": 0.1, "scale": "bradley-terry"}
    assert asked_by(told) == Question(Hypotheses(-10, 10, 0.01, 0.1), "bradley-terry")
    for others in ({}, {**told, "elo0": 99}, {**told, "scale": "?"}, {**told, "beta": "b"}):
        assert asked_by(others) == USUAL_QUESTION
