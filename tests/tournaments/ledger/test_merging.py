"""Ledgers of several machines become one: engines by identity, every game once, nothing lost."""

from dataclasses import replace

import pytest

from oddly.tournaments import Ledger, LedgerError, PlayedGame, RatingPool, merge, read_event, rule
from oddly.tournaments.formats.format import Event
from oddly.tournaments.ledger.engines import Entrant
from tests.tournaments.formats.playing import event, played
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.ledger.test_store import FACTS, WON

MINE = Entrant("mine", ("/home/a/mine",), {}, {"/home/a/mine": "12" * 32})
MOVED = Entrant("mine", ("/srv/mine",), {}, {"/srv/mine": "12" * 32})
REBUILT = replace(MOVED, files={"/srv/mine": "34" * 32})
OTHER = Entrant("other", ("/home/a/other",), {}, {"/home/a/other": "56" * 32})
ELSEWHERE = Entrant("theirs", ("/srv/other",), {}, {"/srv/other": "56" * 32})


def club(path, entrants, seed=1, rounds=1, **facts):
    """A ledger in which these engines have played, each game another one."""
    names = [entrant.name for entrant in entrants]
    engines = {
        entrant.name: {"command": list(entrant.command), "time": "10", "options": {}}
        for entrant in entrants
    }
    schedule = round_robin([WON.game], names, rounds, seed, "spring")
    with Ledger(path) as ledger:
        own = {"rounds": rounds, "settings": {}, "games": [str(WON.game)], "openings": {}}
        ledger.begin({**FACTS, "seed": seed, **own, "engines": engines, **facts})
        ledger.enter(entrants)
        for number, scheduled in enumerate(schedule):
            ledger.announce(scheduled)
            players = scheduled.first, scheduled.second
            versions = tuple({"theirs": "other"}.get(name, name) for name in players)
            record = replace(WON, players=players, engines=versions, seed=100 * seed + number)
            ledger.add(scheduled.id, record, scheduled)
    return path, [scheduled.id for scheduled in schedule]


def test_a_copy_brings_nothing_and_a_later_state_brings_the_rest(tmp_path):
    one, games = club(tmp_path / "a.sqlite", [MINE, OTHER])
    two, more = club(tmp_path / "b.sqlite", [MOVED, OTHER], rounds=2)
    with Ledger(one) as ledger:
        rule(ledger, "annul", games[:1], "a power cut")
    assert merge([one, two], tmp_path / "c.sqlite") == []
    with Ledger(tmp_path / "c.sqlite") as ledger:
        assert set(ledger.records()) == set(more) - set(games[:1])
        assert ledger.event()["rounds"] == 2
        assert "merged" not in ledger.event()
        (ruling,) = ledger.rulings().given
        assert ruling.reason == "a power cut"
        assert [game.id for game in ledger.unfinished()] == games[:1]
        assert sum(what.startswith("merged ") for _, what in ledger.happenings()) == 2
        assert read_event(ledger).games == 4


def test_games_of_other_seeds_are_joined_and_engines_found_by_what_they_are(tmp_path):
    one, games = club(tmp_path / "a.sqlite", [MINE, OTHER])
    two, more = club(tmp_path / "b.sqlite", [REBUILT, ELSEWHERE], seed=2)
    with Ledger(two) as ledger:
        rule(ledger, "retire", ["theirs"], "too weak")
    said = merge([one, two], tmp_path / "c.sqlite")
    why = "since its version or its files differ"
    assert said == [
        f"{two}: engine 'mine' differs, {why}: it is now 'mine@2'",
        f"{two}: engine 'theirs' is 'other', the same program",
    ]
    with Ledger(tmp_path / "c.sqlite") as ledger:
        records = ledger.records()
        assert set(records) == {*games, *more}
        assert records[more[0]].players == ("mine@2", "other")
        assert ledger.rulings().retired == {"other"}
        assert {row.entrant.name for row in ledger.engines()} == {"mine", "mine@2", "other"}
        assert ledger.event()["merged"]
        assert list(ledger.event()["engines"]) == ["mine", "other", "mine@2"]
        assert read_event(ledger).summaries()[0].counts.games == 4
        assert not ledger.unfinished()


def test_a_game_that_one_arbiter_annulled_is_the_one_that_was_played_again(tmp_path):
    one, games = club(tmp_path / "a.sqlite", [MINE, OTHER])
    two, _ = club(tmp_path / "b.sqlite", [MOVED, OTHER])
    with Ledger(two) as ledger:
        rule(ledger, "annul", [games[1]], "played on the wrong machine")
        ledger.add(f"{games[1]}-2", replace(WON, players=("other", "mine"), seed=98))
    assert merge([one, two], tmp_path / "c.sqlite") == []
    with Ledger(tmp_path / "c.sqlite") as ledger:
        assert set(ledger.records()) == {games[0], f"{games[1]}-2"}


def test_a_second_playing_of_a_pairing_is_annulled_on_record(tmp_path):
    one, games = club(tmp_path / "a.sqlite", [MINE, OTHER])
    two = tmp_path / "b.sqlite"
    with Ledger(one, read_only=True) as ledger:
        facts, plans = ledger.event(), ledger.scheduled()
    with Ledger(two) as ledger:
        ledger.begin(facts)
        for scheduled in plans:
            ledger.add(scheduled.id, replace(WON, players=("mine", "other"), seed=5), scheduled)
    (said,) = merge([one, two], tmp_path / "c.sqlite")
    assert said.endswith("2 games of pairings that another ledger has too: annulled on record")
    with Ledger(tmp_path / "c.sqlite") as ledger:
        assert set(ledger.records()) == set(games)
        assert ledger.rulings().annulled == {f"{game}-2" for game in games}
        rule(ledger, "annul", games[:1], "the other one is better")
        rule(ledger, "restore", [f"{games[0]}-2"], "the other one is better")
        assert set(ledger.records()) == {f"{games[0]}-2", games[1]}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (0, 1, 1)])
def test_a_second_playing_that_several_ledgers_have_is_one_game(tmp_path, order):
    one, games = club(tmp_path / "a.sqlite", [MINE, OTHER])
    two = tmp_path / "b.sqlite"
    with Ledger(one, read_only=True) as ledger:
        facts, plans = ledger.event(), ledger.scheduled()
    with Ledger(two) as ledger:
        ledger.begin(facts)
        for scheduled in plans:
            players = scheduled.first, scheduled.second
            ledger.add(scheduled.id, replace(WON, players=players, seed=5), scheduled)
    both = tmp_path / "c.sqlite"
    merge([one, two], both)
    merge([(one, two, both)[place] for place in order], tmp_path / "d.sqlite")
    with Ledger(tmp_path / "d.sqlite") as ledger:
        assert set(ledger.records()) <= {*games, *(f"{game}-2" for game in games)}
        assert len(ledger.records()) == 2
        assert len(ledger.rulings().annulled) == 2


def test_what_cannot_be_merged_leaves_nothing_behind(tmp_path):
    one, _ = club(tmp_path / "a.sqlite", [MINE, OTHER])
    (tmp_path / "x").write_text("no ledger", encoding="utf-8")
    with pytest.raises(LedgerError, match="is not a ledger"):
        merge([one, tmp_path / "x"], tmp_path / "c.sqlite")
    with pytest.raises(LedgerError, match="already exists"):
        merge([one, one], one)
    assert not any(path.name.startswith("c.") for path in tmp_path.iterdir())


def test_events_that_cannot_go_on_become_free(tmp_path):
    one, _ = club(tmp_path / "a.sqlite", [MINE, OTHER], format="knockout")
    two, _ = club(tmp_path / "b.sqlite", [MOVED, OTHER], seed=2, format="knockout")
    (said,) = merge([one, two], tmp_path / "c.sqlite")
    assert "cannot continue with the new ledger" in said
    with Ledger(tmp_path / "c.sqlite", read_only=True) as ledger:
        assert read_event(ledger).format == "free"
        assert len(ledger.records()) == 4


def test_a_pool_goes_on_from_the_games_of_another_machine():
    own = played(RatingPool(games=40).plan(event(3)))
    games = [PlayedGame(scheduled, ended) for scheduled, ended in own.values()]
    seed = Event("club", 2, event(3).games, ("a", "b", "c"), others=games)
    assert len(played(RatingPool(games=60).plan(seed))) == 20
