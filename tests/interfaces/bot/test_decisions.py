"""What a bot decides without input or output: outbox, challenges, hours, and what the site says."""

import json
import math
from dataclasses import replace
from datetime import datetime

import pytest

from oddly.game_records.abstract_play_turns import game_by_ids
from oddly.interfaces.bot.admission import (
    UNLISTED,
    Admission,
    OpeningHoursError,
    read_opening_hours,
)
from oddly.interfaces.bot.outbox import SAME_WORDS, SETTLED, TurnOutbox, TurnStage, must_look
from oddly.interfaces.bot.site_view import (
    Challenge,
    ListedGame,
    SiteReply,
    SiteViewError,
    TurnRequest,
    read_game,
    read_games,
    read_metas,
)
from tests.interfaces.bot.site_double import CLIENT, Games

GAME = game_by_ids("ayu", ["size-9"])
NOW = 1_790_000_000.0


def request(gameid="one", plies=0):
    return TurnRequest(gameid, "ayu", GAME, tuple(f"t{n}" for n in range(plies)))


def sent(box, move="x"):
    """Ask for a turn, decide it and send it."""
    box.ask(request(), NOW)
    box.decide(request(), move, NOW)
    box.begin(box.tasks["one"], NOW)


@pytest.fixture
def kept():
    return []


@pytest.fixture
def box(kept):
    return TurnOutbox(kept.append)


def test_the_most_urgent_turn_goes_first(box):
    for name, deadline in (("slow", NOW + 900), ("unknown", None), ("fast", NOW + 60)):
        assert box.ask(request(name), NOW, deadline)
    assert [task.request.gameid for task in box.to_think(NOW)] == ["fast", "slow", "unknown"]
    for name in ("slow", "unknown", "fast"):
        box.decide(request(name), "x", NOW)
    assert [task.request.gameid for task in box.to_send(NOW)] == ["fast", "slow", "unknown"]


def test_every_step_is_kept_before_anything_is_done(box, kept):
    box.ask(request(), NOW)
    box.decide(request(), "x", NOW)
    (task,) = box.to_send(NOW)
    assert not must_look(task, NOW)
    assert box.begin(task, NOW)
    assert [task.stage for task in kept] == [TurnStage.ASKED, TurnStage.DECIDED, TurnStage.SENDING]
    assert must_look(box.tasks["one"], NOW)
    assert box.next_time() == NOW + SETTLED
    box.answer(task, SiteReply(200), NOW)
    assert kept[-1].stage is TurnStage.TAKEN
    assert box.next_time() == math.inf
    assert not box.ask(request(), NOW)


def test_a_new_process_waits_until_the_last_attempt_has_no_effect_any_more(box, kept):
    sent(box)
    other = TurnOutbox(kept.append, {"one": kept[-1]})
    other.resume(NOW + 20)
    assert other.to_send(NOW + 20 + SETTLED - 1) == []
    assert [task.move for task in other.to_send(NOW + 20 + SETTLED)] == ["x"]


def test_no_turn_waits_for_the_time_of_a_clock_that_was_wrong(box, kept):
    """The bug: a turn for which the engine had failed was not wanted until that time came."""
    wrong = NOW + 30 * 86_400
    box.ask(request("failed"), wrong)
    box.fail(request("failed"), "a crash", wrong)
    for name in ("decided", "sent"):
        box.ask(request(name), wrong)
        box.decide(request(name), "x", wrong)
    box.begin(box.tasks["sent"], wrong)
    assert box.wants("failed", 0, NOW)
    assert box.tasks["decided"] in box.to_send(NOW)
    assert must_look(box.tasks["decided"], NOW)
    other = TurnOutbox(kept.append, dict(box.tasks))
    other.resume(NOW)
    assert [task.request.gameid for task in other.to_send(NOW + SETTLED - 1)] == ["decided"]
    assert len(other.to_send(NOW + SETTLED)) == 2


def test_what_nobody_got_is_sent_again_at_once_and_what_somebody_may_have_later(box):
    for was_sent, least in ((False, 1.0), (True, SETTLED)):
        box.tasks.clear()
        sent(box)
        box.answer(box.tasks["one"], SiteReply(0, "TimeoutError", was_sent=was_sent), NOW)
        assert box.next_time() == NOW + least


def test_after_a_bug_a_turn_waits_until_its_last_attempt_has_no_effect_any_more(box, kept):
    for is_sent, least in ((False, 1.0), (True, SETTLED)):
        box.tasks.clear()
        box.ask(request(), NOW)
        box.decide(request(), "x", NOW)
        if is_sent:
            box.begin(box.tasks["one"], NOW)
        before = len(kept)
        box.postpone(box.tasks["one"], NOW + 20)
        assert box.next_time() == NOW + 20 + least
        # A write may be what failed.
        assert len(kept) == before


def answered(box, said, times):
    """The turn `x`, to which the site has given the same answer this many times."""
    box.ask(request(), NOW)
    box.decide(request(), "x", NOW)
    for _ in range(times):
        box.tasks["one"] = replace(box.tasks["one"], stage=TurnStage.DECIDED)
        box.begin(box.tasks["one"], NOW)
        box.answer(box.tasks["one"], said, NOW)
    return box.tasks["one"]


@pytest.mark.parametrize("status", [302, 401, 403, 404, 408, 413, 429, 502, 503, 504])
def test_words_about_the_sender_or_the_site_refuse_no_turn(box, status):
    """The bug: after nine times `401: Unauthorized`, in 17 s, the turn was given up for good."""
    task = answered(box, SiteReply(status, "Unauthorized"), 5 * SAME_WORDS)
    assert (task.is_open, task.move, task.refused) == (True, "x", ())
    assert task.attempts == 5 * SAME_WORDS


def test_the_same_words_about_the_turn_refuse_it(box):
    said = SiteReply(500, "It is not your turn!")
    assert answered(box, said, SAME_WORDS - 1).move == "x"
    # Other words in between say that the cause is another.
    answered(box, SiteReply(429, "Too Many Requests"), 1)
    assert answered(box, said, SAME_WORDS - 1).move == "x"
    task = answered(box, said, 1)
    assert (task.stage, task.refused) == (TurnStage.ASKED, ("x",))


def test_a_turn_that_was_given_up_gets_another_chance_from_a_new_process(box, kept):
    for move in ("x", "y", "z"):
        sent(box, move)
        box.answer(box.tasks["one"], SiteReply(400, "no"), NOW)
    assert box.tasks["one"].stage is TurnStage.REFUSED
    other = TurnOutbox(kept.append, dict(box.tasks))
    other.resume(NOW + 20)
    assert (kept[-1].stage, kept[-1].refused) == (TurnStage.ASKED, ())
    assert other.to_think(NOW + 20) == [kept[-1]]


def test_no_turn_waits_longer_when_the_site_is_back(box):
    for name, was_sent in (("nobody", False), ("somebody", True)):
        box.ask(request(name), NOW)
        box.decide(request(name), "x", NOW)
        for _ in range(6):
            box.tasks[name] = replace(box.tasks[name], stage=TurnStage.DECIDED)
            box.begin(box.tasks[name], NOW)
            box.answer(box.tasks[name], SiteReply(0, "", was_sent=was_sent), NOW)
        assert box.tasks[name].next_try == NOW + 900
    box.site_is_back(NOW + 5)
    assert box.tasks["nobody"].next_try == NOW + 5
    # It may have been sent just now.
    assert box.tasks["somebody"].next_try == NOW + 5 + SETTLED


def test_an_answer_to_an_older_turn_changes_nothing(box):
    box.ask(request(), NOW)
    box.decide(request(), "x", NOW)
    old = box.tasks["one"]
    box.begin(old, NOW)
    box.ask(request(plies=2), NOW)
    box.answer(old, SiteReply(200), NOW)
    assert (box.tasks["one"].stage, box.tasks["one"].request.plies) == (TurnStage.ASKED, 2)
    assert not box.begin(old, NOW)
    box.decide(request(), "y", NOW)
    assert box.tasks["one"].move == ""


def test_a_closed_machine_thinks_where_the_clock_would_not_last(box):
    box.ask(request("short"), NOW, NOW + 7200)
    box.ask(request("long"), NOW, NOW + 72 * 3600)
    assert [task.request.gameid for task in box.to_think(NOW, NOW + 8 * 3600)] == ["short"]
    assert len(box.to_think(NOW, None)) == 2


# Opening hours. 2026-11-23 is a Monday.


@pytest.mark.parametrize(
    ("text", "is_open", "is_closed"),
    [
        ("9:00-17:00", ["23 09:00", "29 16:59"], ["23 08:59", "23 17:00"]),
        ("Mon-Fri 18:00-08:00, Sat-Sun", ["23 18:00", "24 07:59", "28 12:00", "28 07:00"],
         ["23 07:59", "23 08:00", "27 17:59", "24 12:00"]),
        ("fri-Mon", ["27 00:00", "23 23:59", "29 12:00"], ["24 00:00", "26 23:59"]),
        ("Sunday 22:00-02:00", ["29 23:00", "30 01:59"], ["29 21:59", "30 02:00"]),
    ],
)  # fmt: skip
def test_hours_are_read(text, is_open, is_closed):
    hours = read_opening_hours(text)
    for moment, expected in [*((m, True) for m in is_open), *((m, False) for m in is_closed)]:
        assert hours.is_open(datetime.fromisoformat(f"2026-11-{moment}")) is expected, moment


def test_closures_are_measured():
    hours = read_opening_hours("Mon-Fri 18:00-08:00, Sat-Sun")
    assert hours.next_opening(datetime(2026, 11, 24, 9, 30, 7)) == datetime(2026, 11, 24, 18)
    night = datetime(2026, 11, 24, 3, 0, 7)
    assert hours.next_opening(night) == night
    assert hours.longest_closure == 18  # Monday from midnight: Sunday's hours end then.
    assert read_opening_hours("Mon-Sun").longest_closure == 0
    assert read_opening_hours("Wed").longest_closure == 6 * 24


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "'' is not a part of opening hours"),
        ("Mon 8-9", "'Mon 8-9' is not a part of opening hours"),
        ("Mon 8:00-25:00", "'8:00-25:00' are no hours"),
        ("Mon 8:70-9:00", "'8:70-9:00' are no hours"),
        ("8:00-8:00", "'8:00-8:00' are no hours"),
        ("Mno-Fri", "'Mno' is not a day: expected Mon.*did you mean 'mon'"),
        ("Mon-Tue-Wed", "'Mon-Tue-Wed' is not a range of days"),
    ],
)
def test_other_hours_are_told(text, words):
    with pytest.raises(OpeningHoursError, match=words):
        read_opening_hours(text)


# Challenges.


def listed(gameid="g", opponent="a", plies=3):
    return ListedGame(gameid, "ayu", plies, False, (opponent,), ("A",), 0.0)


def test_games_are_bounded_per_opponent_and_in_all():
    admission = Admission(lambda game: True, per_opponent=2, in_all=3)
    by_a, by_b = Challenge(GAME, ("a",), 72.0), Challenge(GAME, ("b",), 72.0)
    assert admission.objection(by_a, NOW) is None
    admission.accept(by_a, NOW)
    admission.learn([listed()], NOW + 1)
    assert "2 games with one opponent" in admission.objection(by_a, NOW + 2)
    assert admission.objection(by_b, NOW + 2) is None
    admission.accept(by_b, NOW + 2)
    assert "3 games are enough" in admission.objection(Challenge(GAME, ("c",)), NOW + 3)
    # The site lists what was accepted before, or its game never began.
    admission.learn([listed()], NOW + 100)
    assert admission.objection(by_a, NOW + 100) is None
    admission.accept(by_a, NOW + 100)
    assert admission.objection(by_a, NOW + 101 + UNLISTED) is None
    # Turns in games that run are not challenges.
    assert admission.objection(request(), NOW) is None


def test_a_clock_that_does_not_outlast_the_night_is_declined():
    admission = Admission(lambda game: True, hours=read_opening_hours("8:00-20:00"))
    assert "rest for up to 12 h" in admission.objection(Challenge(GAME, ("a",), 8.0), NOW)
    assert admission.objection(Challenge(GAME, ("a",), 12.0), NOW) is None
    assert admission.objection(Challenge(GAME, ("a",), None), NOW) is None


# What the site's queries say.


@pytest.fixture
def site():
    games = Games()
    game = games.begin("one", NOW, meta="ayu", variants=["size-9"], hours=24.0)
    game["texts"] += ["b1-c1", "a2-a3"]
    return games


def test_a_game_is_read(site):
    (found,) = read_games(site.tell("games", {"metaGame": "ayu"})[1], CLIENT)
    assert (found.gameid, found.plies, found.is_our_turn) == ("one", 2, True)
    assert (found.opponents, found.names, found.left) == (("human",), ("Human",), 86_400.0)
    value = site.tell("get_game", {"id": "one", "metaGame": "ayu"})[1]
    view = read_game(value, "one", "ayu", CLIENT)
    assert view.texts == ("b1-c1", "a2-a3")
    assert (view.is_our_turn, view.is_over, view.deadline) == (True, False, NOW + 86_400)
    assert view.request == TurnRequest("one", "ayu", GAME, view.texts)
    assert read_game(value, "one", "ayu", "human").request is None
    site.games["one"]["over"] = True
    value = site.tell("get_game", {"id": "one", "metaGame": "ayu"})[1]
    assert read_game(value, "one", "ayu", CLIENT).is_over


def test_other_peoples_and_unknown_games_are_left_out(site):
    value = site.tell("games", {"metaGame": "ayu"})[1]
    broken = [{}, None, {**value[0], "toMove": [True, False]}, {**value[0], "numMoves": "2"}]
    assert [game.gameid for game in read_games([*broken, *value], CLIENT)] == ["one"]
    assert read_games(value, "somebody else") == []
    assert read_metas({"ayu": {}, "zendo": {}}) == {"ayu", "zendo"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": "two"}, "another game"),
        ({"metaGame": "yodd"}, "another game"),
        ({"players": [{"id": "x"}, {"id": "y"}]}, "we do not play in it"),
        ({"state": "gz:AAAA"}, "not a game"),
        ({"state": json.dumps({"stack": []})}, "not a game"),
        ({"state": "[" * 100_000}, "not a game"),
        ({"state": json.dumps({"stack": [{}], "variants": ["size-99"]})}, "no variant"),
        ({"players": "x"}, "not a game"),
    ],
)
def test_what_is_not_our_game_is_never_taken_for_it(site, change, words):
    value = site.tell("get_game", {"id": "one", "metaGame": "ayu"})[1]
    value["game"].update(change)
    with pytest.raises(SiteViewError, match=words):
        read_game(value, "one", "ayu", CLIENT)


@pytest.mark.parametrize("value", [None, [], "x", {}, {"game": None}])
def test_a_reply_of_another_kind_is_told(value):
    with pytest.raises(SiteViewError):
        read_game(value, "one", "ayu", CLIENT)
    if value != []:
        with pytest.raises(SiteViewError):
            read_games(value, CLIENT)
    if not isinstance(value, dict) or not value:
        with pytest.raises(SiteViewError):
            read_metas(value)
