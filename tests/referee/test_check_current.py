"""`oddly check` finds engines whose opinions are about an earlier position, and no others."""

import pytest

from oddly.games.catalogue import create_game
from oddly.referee.check import checker
from oddly.referee.check.engine_under_test import CheckOptions
from oddly.referee.check.opinion_steps import CURRENT_STEPS, OPINIONS
from oddly.referee.check.session_steps import handshake
from tools.mutation.mutants import Mutant
from tools.mutation.score import SIZES, make_engine

OVER = '            raise Failure("the game is over")\n'
ASKED = {
    "evaluate": "        turn = next(self.position.legal_turns())\n",
    "solve": f"{OVER}        try:\n            value",
    "analyze": f"{OVER}        words = source",
}
"""Where the good engine turns to a position."""
OLD = {
    "before the last turn": "self.past[-1] if self.past else self.position",
    "with as many turns before it, when that was first asked about": (
        "self.__dict__.setdefault('kept', {}).setdefault(len(self.past), self.position)"
    ),
    "furthest in the game, whatever was taken back": (
        "self.__dict__.update(kept=max(getattr(self, 'kept', (0, self.position)) if self.past "
        "else (0, self.position), (len(self.past), self.position), key=lambda each: each[0])) "
        "or self.kept[1]"
    ),
}
"""Which position a wrong engine speaks of, as an expression."""


def wrong_engine(folder, opinion, old):
    """The command of an engine with an opinion on an old position."""
    text = ASKED[opinion]
    if opinion == "evaluate":
        new = text.replace("self.position", f"({old})")
    else:
        new = text.replace(OVER, f"{OVER}        position = {old}\n")
    return make_engine(folder, Mutant(f"{opinion} {old}", ("odd",), text, new))


async def verdicts(command, monkeypatch, name="odd", opinions=tuple(OPINIONS)):
    """What comes of the steps about opinions, by what is asked for."""
    steps = [step for step in CURRENT_STEPS if step.needs[0] in opinions]
    monkeypatch.setattr(checker, "all_steps", lambda game, games: [handshake, *steps])
    game, options = create_game(name, SIZES[name]), CheckOptions(timeout=60.0)
    report = await checker.check_engine(command, game, options, lambda _: None)
    return {result.step.needs[0]: result.verdict for result in report.results[1:]}


@pytest.mark.sampled
@pytest.mark.timed
@pytest.mark.parametrize("old", OLD)
@pytest.mark.parametrize("opinion", OPINIONS)
async def test_an_opinion_on_an_old_position_is_found(tmp_path, monkeypatch, opinion, old):
    command = wrong_engine(tmp_path, opinion, OLD[old])
    assert await verdicts(command, monkeypatch, opinions=[opinion]) == {opinion: "fail"}


@pytest.mark.sampled
@pytest.mark.timed
@pytest.mark.parametrize("name", SIZES)
async def test_opinions_on_the_position_as_it_is_pass(tmp_path, monkeypatch, name):
    found = await verdicts(make_engine(tmp_path, None), monkeypatch, name)
    assert found == dict.fromkeys(OPINIONS, "pass")
