"""Ledgers of several machines become one: engines by identity, every game once, nothing lost."""

from dataclasses import replace

import pytest

from oddly.tournaments import (
    Ledger,
    LedgerError,
    PlayedGame,
    RatingPool,
    merge,
    read_event,
    rule,
    run_tournament,
    verify,
)
from oddly.tournaments.formats.format import Event
from oddly.tournaments.ledger.engines import Entrant
from tests.databases import changed
from tests.tournaments.formats.playing import event, played
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.ledger.test_identity import club as tournament
from tests.tournaments.ledger.test_store import FACTS, WON

MINE = Entrant("mine", ("/home/a/mine",), {}, {"/home/a/mine": "12" * 32})
MOVED = Entrant("mine", ("/srv/mine",), {}, {"/srv/mine": "12" * 32})
REBUILT = replace(MOVED, files={"/srv/mine": "34" * 32})
OTHER = Entrant("other", ("/home/a/other",), {}, {"/home/a/other": "56" * 32})
ELSEWHERE = Entrant("theirs", ("/srv/other",), {}, {"/srv/other": "56" * 32})
THIRD = Entrant("third", ("/home/a/third",), {}, {"/home/a/third": "78" * 32})


def club(path, entrants, seed=1, rounds=1, time="10", **facts):
    """A ledger in which these engines have played, each game another one."""
    names = [entrant.name for entrant in entrants]
    engines = {
        entrant.name: {"command": list(entrant.command), "time": time, "options": {}}
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
            versions = tuple("other" if name in ("theirs", "x", "y") else name for name in players)
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
    two, _ = club(tmp_path / "b.sqlite", [REBUILT, ELSEWHERE], seed=2)
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
        assert set(games) < set(records)
        new = [record for identity, record in records.items() if identity not in games]
        assert [record.players for record in new] == [("mine@2", "other"), ("other", "mine@2")]
        assert ledger.rulings().retired == {"other"}
        assert {row.entrant.name for row in ledger.engines()} == {"mine", "mine@2", "other"}
        assert ledger.event()["merged"]
        assert list(ledger.event()["engines"]) == ["mine", "other", "mine@2"]
        assert read_event(ledger).summaries()[0].counts.games == 4
        assert not ledger.unfinished()


def test_a_ruling_takes_back_an_earlier_one_although_the_clock_was_set_back(tmp_path, monkeypatch):
    one, _ = club(tmp_path / "a.sqlite", [MINE, OTHER])
    two, _ = club(tmp_path / "b.sqlite", [MINE, OTHER], seed=2)
    with Ledger(one) as ledger:
        for kind, year in (("retire", 2036), ("restore", 2026)):
            now = f"{year}-01-01T00:00:00+00:00"
            monkeypatch.setattr("oddly.tournaments.ledger.arbiter.utc_now", lambda now=now: now)
            rule(ledger, kind, ["mine"], "the clock is wrong")
    with Ledger(two) as ledger:
        rule(ledger, "retire", ["other"], "too weak")
    merge([one, two], tmp_path / "c.sqlite")
    with Ledger(tmp_path / "c.sqlite") as ledger:
        assert ledger.rulings().retired == {"other"}
        assert len(ledger.rulings().given) == 3


def ids_of(names, rounds=1, seed=1):
    """The ids of the schedule of these engines."""
    return {game.id for game in round_robin([WON.game], names, rounds, seed, "spring")}


def test_all_games_of_a_rebuilt_engine_count_under_its_new_name(tmp_path):
    one, _ = club(tmp_path / "a.sqlite", [MINE, OTHER, THIRD])
    two, _ = club(tmp_path / "b.sqlite", [REBUILT, OTHER, THIRD], rounds=2)
    both = tmp_path / "c.sqlite"
    (said,) = merge([one, two], both)
    assert said.endswith("it is now 'mine@2'")
    schedule = ids_of(["mine", "other", "third"]) | ids_of(["mine@2", "other", "third"], rounds=2)
    with Ledger(both) as ledger:
        assert set(ledger.records()) == schedule == {game.id for game in ledger.scheduled()}
        assert {game.scheduled.round for game in ledger.all_played()} == {1, 2}
        assert not ledger.rulings().given
        assert not ledger.unfinished()
        assert "merged" not in ledger.event()
        assert read_event(ledger).tallies.games == len(schedule)
    assert verify(both).problems == []


def test_a_tournament_goes_on_with_the_games_of_a_rebuilt_engine(tmp_path):
    clubs = []
    for text in ("one", "two"):
        (tmp_path / text).mkdir()
        clubs.append(tournament(tmp_path / text, text))
        run_tournament(clubs[-1], tmp_path / f"{text}.sqlite")
    both = tmp_path / "c.sqlite"
    merge([tmp_path / "one.sqlite", tmp_path / "two.sqlite"], both)
    rebuilt = replace(clubs[1].engines[0], name="mine@2")
    run = run_tournament(replace(clubs[0], engines=(*clubs[0].engines, rebuilt)), both)
    with Ledger(both) as ledger:
        assert {game.scheduled.id for game in run.played} == set(ledger.records())
        assert len(ledger.records()) == read_event(ledger).games == 6
    assert verify(both).problems == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 0)])
def test_a_rebuilt_engine_is_found_again_in_a_ledger_that_was_merged_before(tmp_path, order):
    one, _ = club(tmp_path / "a.sqlite", [MINE, OTHER])
    two, _ = club(tmp_path / "b.sqlite", [REBUILT, OTHER])
    both = tmp_path / "c.sqlite"
    merge([one, two], both)
    merge([(both, two)[place] for place in order], tmp_path / "d.sqlite")
    with Ledger(tmp_path / "d.sqlite") as ledger:
        assert len(ledger.records()) == 4
        assert len(ledger.event()["engines"]) == 3
        assert not ledger.rulings().given


def test_rulings_and_replays_follow_a_game_of_a_rebuilt_engine(tmp_path):
    one, games = club(tmp_path / "a.sqlite", [MINE, OTHER])
    two, _ = club(tmp_path / "b.sqlite", [REBUILT, OTHER])
    with Ledger(two) as ledger:
        rule(ledger, "annul", games[:1], "a power cut")
        ledger.add(f"{games[0]}-2", replace(WON, players=("mine", "other"), seed=98))
    merge([one, two], tmp_path / "c.sqlite")
    first, second = round_robin([WON.game], ["mine@2", "other"], 1, 1, "spring")
    with Ledger(tmp_path / "c.sqlite") as ledger:
        assert set(ledger.records()) == {*games, f"{first.id}-2", second.id}
        assert ledger.rulings().annulled == {first.id}


def test_engines_of_one_name_in_ledgers_of_one_other_event_do_not_share_games(tmp_path):
    paths = [
        club(tmp_path / f"{number}.sqlite", [entrant, OTHER], seed=seed)[0]
        for number, (entrant, seed) in enumerate([(MINE, 1), (REBUILT, 2), (MOVED, 2)])
    ]
    merge(paths, tmp_path / "c.sqlite")
    with Ledger(tmp_path / "c.sqlite") as ledger:
        assert len(ledger.records()) == 6
        assert ledger.event()["merged"]
        assert not ledger.rulings().given


def test_a_game_without_its_plan_does_not_fill_the_place_of_another_engine(tmp_path):
    one, _ = club(tmp_path / "a.sqlite", [MINE, OTHER])
    two, _ = club(tmp_path / "b.sqlite", [REBUILT, OTHER])
    changed(two, "delete from scheduled")
    merge([one, two], tmp_path / "c.sqlite")
    with Ledger(tmp_path / "c.sqlite") as ledger:
        assert len(ledger.records()) == 4
        assert ledger.event()["merged"]


@pytest.mark.parametrize(("format_", "follows"), [("gauntlet", "gauntlet"), ("match", "free")])
def test_another_challenger_or_opponent_makes_another_event(tmp_path, format_, follows):
    one, _ = club(tmp_path / "a.sqlite", [MINE, OTHER], format=format_)
    two, _ = club(tmp_path / "b.sqlite", [REBUILT, OTHER], format=format_)
    merge([one, two], tmp_path / "c.sqlite")
    with Ledger(tmp_path / "c.sqlite") as ledger:
        assert len(ledger.records()) == 4
        assert ledger.event()["merged"]
        assert ledger.event()["format"] == follows


@pytest.mark.parametrize("entered", ["3", '{"command": 3}', '{"options": []}'])
def test_engines_of_another_kind_in_a_strangers_ledger_are_an_error_with_a_sentence(
    tmp_path, entered
):
    one, _ = club(tmp_path / "a.sqlite", [MINE, OTHER])
    two, _ = club(tmp_path / "b.sqlite", [MINE, ELSEWHERE])
    changed(one, "update event set facts = json_set(facts, '$.engines.other', json(?))", entered)
    with pytest.raises(LedgerError, match="the ledgers cannot be merged"):
        merge([two, one], tmp_path / "c.sqlite")


def test_the_file_of_an_option_may_lie_elsewhere(tmp_path):
    mine, moved = (
        replace(entrant, options={"net": net}, files={**entrant.files, net: "9" * 64})
        for entrant, net in ((MINE, "/home/a/net.bin"), (MOVED, "/srv/net.bin"))
    )
    one, _ = club(tmp_path / "a.sqlite", [mine, OTHER])
    two, _ = club(tmp_path / "b.sqlite", [moved, OTHER])
    assert merge([one, two], tmp_path / "c.sqlite") == []


def fast(entrant, name):
    """The same program under a name, with one more word in its command."""
    return replace(entrant, name=name, command=(*entrant.command, "--fast"))


TWINS = {
    "the same program": ([OTHER], [ELSEWHERE], "10", {"theirs"}),
    "another command": ([OTHER], [fast(ELSEWHERE, "theirs")], "10", set()),
    "another clock": ([OTHER], [ELSEWHERE], "1", set()),
    "two in the first ledger": ([OTHER, replace(OTHER, name="x")], [ELSEWHERE], "10", set()),
    "two in the later one": ([OTHER], [ELSEWHERE, replace(ELSEWHERE, name="y")], "10", set()),
    "two, of which one differs": ([OTHER], [ELSEWHERE, fast(ELSEWHERE, "y")], "10", {"theirs"}),
}


@pytest.mark.parametrize("case", TWINS)
def test_an_engine_gets_another_name_only_if_it_surely_is_that_engine(tmp_path, case):
    first, later, time, renamed = TWINS[case]
    one, _ = club(tmp_path / "a.sqlite", [*first, THIRD])
    two, _ = club(tmp_path / "b.sqlite", [*later, THIRD], seed=2, time=time)
    said = merge([one, two], tmp_path / "c.sqlite")
    told = [line for line in said if "the same program" in line]
    assert told == [f"{two}: engine {name!r} is 'other', the same program" for name in renamed]
    with Ledger(tmp_path / "c.sqlite") as ledger:
        names = {entrant.name for entrant in later} - renamed
        assert names <= set(ledger.event()["engines"])


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
