"""Engines of the arena's own, as programs of this machine: they are there before any guest."""

import sys

import pytest

from oddly.arena.arena import HouseError, enter_house
from oddly.arena.registry import Owner, Registry
from oddly.tournaments import Ledger
from tests.interfaces.arena.guests import Guest
from tests.interfaces.arena.hosting import Host, hosted, running
from tests.interfaces.arena.test_service import agree, play_for, until
from tests.patience import PATIENCE

RANDOM = [sys.executable, "-m", "oddly", "engine", "random"]
ENGINE = '\n[[engine]]\nname = "{name}"\ncommand = {command}\n{more}'


def engine(name, command=None, more=""):
    command = RANDOM if command is None else command
    return ENGINE.format(name=name, command=str(command).replace("'", '"'), more=more)


def furnished(host, *engines):
    """Add engines to the file of a host."""
    with host.file.open("a") as file:
        file.write('anchors = { "house one" = 1200.0 }\n' + "".join(engines))


@pytest.mark.sampled
async def test_the_first_guest_meets_the_house(tmp_path):
    host = Host(tmp_path)
    furnished(host, engine("house one"))
    with running(host):
        guest = Guest(host.url, "guest x")
        await play_for([guest], lambda: len(guest.ends) >= 2)
        host.stop()
        records = host.records()
        agree([guest], records)
        for game in guest.ends:
            assert sorted(records[game].players) == ["guest x", "house one"]
        assert {name for record in records.values() for name in record.engines} >= {"guest 1"}
        assert abs([*guest.ends.values()][-1].rating.elo - 1200) < 500
        # The same names and key serve again.
        host.start()
        count = len(guest.ends)
        await play_for([guest], lambda: len(guest.ends) > count)
        host.stop()


@pytest.mark.sampled
async def test_house_engines_meet_each_other_only_if_the_file_says_so(tmp_path):
    host = Host(tmp_path, "house_games = true")
    furnished(host, *(engine(f"house {word}") for word in ("one", "two", "three")))
    host.start()
    try:

        def games():
            with Ledger(host.ledger, read_only=True) as ledger:
                return len(ledger.records())

        await until(games)
    finally:
        host.stop()
    for record in host.records().values():
        assert all(name.startswith("house") for name in record.players)


async def test_an_engine_that_does_not_start_is_said_and_hurts_nobody(tmp_path):
    host = Host(tmp_path)
    furnished(host, engine("house one", ["false"]))
    host.start()
    try:
        guests = [Guest(host.url, f"guest {n}x") for n in range(2)]
        await play_for(guests, lambda: all(guest.ends for guest in guests))
    finally:
        host.process.terminate()
        _, errors = host.process.communicate(timeout=PATIENCE)
    assert "the engine 'house one': it does not start" in errors
    assert "Traceback" not in errors


@pytest.mark.sampled
async def test_a_guests_name_is_not_taken_by_the_house(tmp_path):
    with hosted(tmp_path) as host:
        guest = Guest(host.url, "house one")
        await play_for([guest], lambda: guest.welcomes)
        host.stop()
        furnished(host, engine("house one"))
        host.start()
        _, errors = host.process.communicate(timeout=PATIENCE)
    assert host.process.returncode == 2
    assert "the engine 'house one' of the house needs another name" in errors


def test_a_house_with_a_new_name_is_told_its_earlier_one():
    registry = Registry()
    enter_house(registry, "house", "", ["house one"], "")
    for engine in ("house one", "house two"):
        with pytest.raises(
            HouseError, match=r"""is called 'house' here: set house = "house" again"""
        ):
            enter_house(registry, "mine", "", [engine], "")
    assert [*registry.owners] == ["house"]


@pytest.mark.parametrize("house", ["house", "mine"])
def test_an_older_arena_with_two_houses_has_one_advice(house):
    """The bug: the advice was to call the house by its other name, and the other way round."""
    registry = Registry()
    for name in ("house", "mine"):
        owner = Owner(name, "", is_house=True)
        registry.load([*registry.owners.values(), owner], registry.engines.values())
        enter_house(registry, name, "", [f"{name} one"], "")
    with pytest.raises(HouseError, match="one' of the house needs another name"):
        enter_house(registry, house, "", ["house one", "mine one"], "")
    enter_house(registry, house, "", [f"{house} one", f"{house} two"], "")
