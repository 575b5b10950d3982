"""Years of a league: engines come, change versions and go, and the arena is killed meanwhile.

They play one evening a week, so that two years are some ten thousand games.
"""

import math
from dataclasses import dataclass

import pytest

from tests.arena.sim_engine import SimEngine
from tests.arena.test_world import check, habits_of_all_kinds
from tests.arena.world import POOL, World
from tests.sampling import sample_number

WEEK = 7 * 86_400.0
HOUSE = {"house low": -150.0, "house even": 0.0, "house high": 150.0}
"""Engines that are there every evening, and whose Elo is known."""
PRESENT = 0.3
"""The share of the others that come on an evening."""
CHANGES = 0.3
"""The share of engines that have a second version."""


@dataclass
class Career:
    """When a version plays, in weeks."""

    engine: SimEngine
    first: int
    last: int


def careers(world, engines, weeks):
    """All versions of all engines, and those of the house."""
    draw, found = world.draw, []
    for name, strength in HOUSE.items():
        engine = world.add(name, strength, owner="house", family=name, at=math.inf)
        found.append(Career(engine, 0, weeks))
    for number in range(engines):
        first = draw.randrange(max(1, weeks * 3 // 4))
        last = min(weeks, first + draw.randint(2, weeks))
        change = draw.randint(first + 1, last) if draw.random() < CHANGES else last
        strength, habits = draw.gauss(0, 200), habits_of_all_kinds(number)
        family, owner = f"family {number}x", f"owner {number}x"
        for version, begins, ends in ((1, first, change), (2, change, last)):
            if begins < ends:
                name = f"{family}.{version}"
                engine = world.add(name, strength, habits, family, owner, at=math.inf)
                found.append(Career(engine, begins, ends))
                strength += draw.gauss(40, 60)
    return found


class Covered:
    """How many bars had the truth in them, of all that were looked at."""

    def __init__(self, world) -> None:
        self.world = world
        self.within = self.seen = self.moments = 0

    def look(self) -> None:
        """Look at all ratings of innocent engines."""
        if self.world.arena is None:
            return
        self.moments += 1
        ratings = self.world.arena.pools[POOL.name].ratings()
        for name, rating in ratings.items():
            engine = self.world.engines[name]
            if rating.games and engine.habits.is_innocent and name not in HOUSE:
                self.seen += 1
                self.within += abs(rating.elo - engine.strength) <= rating.error


@pytest.mark.parametrize(
    ("engines", "weeks", "evening"),
    [(12, 4, 15.0), pytest.param(300, 104, 40.0, marks=pytest.mark.soak)],
)
def test_a_league_over_years(tmp_path, engines, weeks, evening):
    """Every game once, no innocent loss, and ratings that are true at any moment."""
    seed = sample_number()
    pool = POOL._replace(anchors=HOUSE)
    world = World(seed, tmp_path, pools=(pool,), kills=0.0003 if weeks > 10 else 0.003, gather=0.5)
    world.start()
    covered = Covered(world)
    league, quiet = careers(world, engines, weeks), 0
    for week in range(weeks):
        deaths = world.deaths
        for career in league:
            engine = career.engine
            is_there = engine.name in HOUSE or world.draw.random() < PRESENT
            if career.first <= week < career.last and is_there:
                come = world.draw.uniform(0, evening / 4)
                world.after(come, lambda engine=engine: engine.visit(evening))
        world.run(2 * evening, covered.look, every=evening / 2)
        world.run((week + 1) * WEEK - world.now)
        quiet += world.deaths == deaths
    assert world.now == weeks * WEEK
    states = {each.family for each in world.engines.values() if each.refused is not None}
    assert states == set(), seed
    records = check(world)
    # An arena that was killed may come back when the evening is over.
    assert len(records) >= engines * quiet / 4, seed
    bars = f"{covered.within} of {covered.seen} bars at {covered.moments} moments"
    print(
        f"seed {seed}: {len(records)} games, {len(league)} versions, {world.deaths} kills, {bars}"
    )
    if covered.seen > 1000:
        assert covered.within >= 0.93 * covered.seen, (seed, covered.within, covered.seen)
