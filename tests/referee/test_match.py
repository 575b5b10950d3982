"""Games that end as the rules say, between real engine processes."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trio

from oddly.games.catalogue import create_game
from oddly.games.turns import Colour
from oddly.protocol.notation import parse_time_control, parse_turn
from oddly.referee.justice.clock import Clock
from oddly.referee.justice.outcome import Outcome, Termination, VoidGame, abandoned
from oddly.referee.justice.record import GameRecord, PlayedTurn, RecordError, replay
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.game import play_game, play_pooled_game
from oddly.referee.program.configuration import EngineConfiguration, Limits, Resources
from tests.referee.fakes import ScriptedChannel, fake, scripted

if TYPE_CHECKING:
    from oddly.referee.justice.record import Snapshot

GAMES = [
    ("yodd", 3, {}, {Termination.DOUBLE_PASS}),
    ("xodd", 4, {}, {Termination.DOUBLE_PASS}),
    ("odd", 3, {"min_group": 2}, {Termination.BOARD_FULL}),
    ("odd", 4, {"board": "square"}, {Termination.BOARD_FULL}),
    ("ayu", 5, {"pie": True}, {Termination.NO_MOVES, Termination.REPETITION}),
]


def engine(name: str) -> EngineConfiguration:
    command = (sys.executable, "-m", "oddly", "engine", name)
    return EngineConfiguration(name, command, parse_time_control("10"))


@pytest.mark.parametrize(("name", "size", "settings", "endings"), GAMES)
async def test_a_game_is_judged_by_the_rules_and_replays(name, size, settings, endings):
    game = create_game(name, size, settings)
    record = await play_game(game, (engine("greedy"), engine("random")), seed=7)
    assert record.outcome.termination in endings
    assert str(replay(record).result) == record.outcome.score
    assert record.engines[0].startswith("greedy ")
    assert record.outcome.turns == len(record.turns)


async def test_a_record_survives_json():
    record = await play_game(create_game("xodd", 3), (engine("random"), engine("random")), seed=1)
    value = record.as_json()
    assert GameRecord.from_json(value).as_json() == value


async def test_a_changed_record_does_not_replay():
    record = await play_game(create_game("xodd", 3), (engine("random"), engine("random")), seed=1)
    value = record.as_json()
    value["score"] = "B+99"
    with pytest.raises(RecordError, match="the record says B\\+99"):
        replay(GameRecord.from_json(value))
    value["turns"][1][1] = value["turns"][0][1]
    with pytest.raises(RecordError, match="turn 2"):
        replay(GameRecord.from_json(value))


def test_what_is_no_record_is_refused_in_one_sentence():
    with pytest.raises(RecordError, match="not a game record"):
        GameRecord.from_json({"game": "yodd"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"players": ["a", "b", "c"]}, "players is ['a', 'b', 'c']: expected a list of 2 values"),
        ({"engines": "ab"}, "engines is 'ab': expected a list of 2 values"),
        ({"deaths": [""]}, "deaths is ['']: expected a list of 2 values"),
        ({"turns": [["black", "Ba1", 0, 0]]}, "turn 1 is ['black', 'Ba1', 0, 0]: expected a list"),
        ({"turns": [["black"]]}, "turn 1 is ['black']: expected a list of 3 values"),
        ({"evaluations": [None, None]}, "2 evaluations are too many: 1 expected"),
        ({"timing": {"controls": ["1"]}}, "timing: controls is ['1']: expected a list of 2"),
        (
            {"timing": {"controls": ["1", "1"], "margin": 0, "waits": [[0, 1, 1], [1]]}},
            "timing: wait 2 is [1]: expected a list of 3 values",
        ),
        (
            {
                "timing": {
                    "controls": ["1", "1"],
                    "margin": 0,
                    "waits": [],
                    "credits": {"quota": [1], "given": []},
                }
            },
            "timing: quota is [1]: expected a list of 3 values",
        ),
    ],
)
def test_a_list_of_a_wrong_length_is_named(change, said):
    """The bug: "too many values to unpack" named neither the place nor the text."""
    record = GameRecord(
        create_game("odd", 2),
        ("a", "b"),
        ("", ""),
        0,
        (PlayedTurn(Colour.BLACK, "Ba1", 0.0),),
        Outcome(None, None, "void", Termination.VOID, "ended", 1),
    )
    with pytest.raises(RecordError) as caught:
        GameRecord.from_json(record.as_json() | change)
    assert str(caught.value).startswith(f"not a game record: {said}")


async def test_equal_seeds_make_equal_games():
    async def turns(seed):
        players = (engine("random"), engine("greedy"))
        record = await play_game(create_game("yodd", 3), players, seed)
        return [played.turn for played in record.turns]

    assert await turns(3) == await turns(3)
    assert await turns(3) != await turns(4)


async def test_after_a_swap_the_players_have_exchanged_colours():
    game = create_game("ayu", 3, {"pie": True})
    record = await play_game(game, (fake(name="opener"), fake("--swap", name="swapper")))
    assert [played.turn for played in record.turns[:2]][1] == "swap"
    assert [played.colour for played in record.turns[:3]] == [
        Colour.BLACK,
        Colour.WHITE,
        Colour.WHITE,
    ]
    white_is_opener = record.outcome.winning_colour is Colour.WHITE
    assert record.outcome.winner == (0 if white_is_opener else 1)


@pytest.mark.parametrize("first", ["Bb1", "Wb1"])
@pytest.mark.parametrize("opening", [0, 1, 2])
async def test_the_player_wins_who_holds_the_winners_colour(first, opening, autojump_clock):
    """Two passes end the game; after Bb1 White has no group, and so wins."""
    game, turns = create_game("xodd", 2), [first, "pass", "pass"]
    plays = [" ".join(turns[opening:][number::2]) for number in (0, 1)]
    seats = plays if opening % 2 == 0 else plays[::-1]
    players = scripted(seats[0], "a"), scripted(seats[1], "b")
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, Limits(), open_channel=ScriptedChannel)
        parsed = tuple(parse_turn(turn) for turn in turns[:opening])
        record = await play_pooled_game(pool, game, players, 1, opening=parsed)
        await pool.stop()
    winner = Colour.WHITE if first == "Bb1" else Colour.BLACK
    assert record.outcome.winning_colour is winner
    assert record.outcome.winner == int(winner is Colour.WHITE)


async def test_a_resignation_gives_the_game_to_the_opponent():
    record = await play_game(create_game("odd", 2), (fake("--fault", "resign"), fake()))
    assert record.outcome.termination is Termination.RESIGNATION
    assert (record.outcome.winner, record.outcome.score) == (1, "W+R")
    assert not record.outcome.is_forfeit
    assert replay(record).result is None


@pytest.mark.parametrize("number", range(len(GAMES)))
async def test_a_record_with_the_other_player_as_winner_does_not_replay(number):
    """The bug: only files of games were refused, and a ledger of such games was called sound."""
    name, size, settings, _ = GAMES[number]
    record = await play_game(
        create_game(name, size, settings), (engine("greedy"), engine("random")), seed=7
    )
    outcome = record.outcome
    forged = replace(record, outcome=replace(outcome, winner=1 - outcome.winner))
    with pytest.raises(RecordError, match=f"and {outcome.winning_colour}, but that player was "):
        replay(forged)


LAST = {"illegal turn": "Bz9", "time": "Ba1", "resignation": "resign"}


@pytest.mark.parametrize("end", LAST)
@pytest.mark.parametrize("turns", [0, 1, 2])
async def test_a_record_in_which_the_player_to_move_wins_by_its_turn_does_not_replay(
    end, turns, autojump_clock
):
    """The bug: a record could say of either player that it lost on time."""
    plays = [*["Bb1", "Wc2"][:turns], LAST[end]]
    delays = [*["0"] * turns, "9" if end == "time" else "0"]
    one, other = (
        scripted(" ".join(plays[seat::2]), "ab"[seat], "1", " ".join(delays[seat::2]))
        for seat in (0, 1)
    )
    record = await play_game(create_game("odd", 2), (one, other), open_channel=ScriptedChannel)
    assert record.outcome.termination.value == end
    loser, winner = turns % 2, record.outcome.winning_colour
    assert record.outcome.winner == 1 - loser
    assert not replay(record).is_over
    score = record.outcome.score.replace(winner.letter, winner.other.letter)
    claimed = replace(record.outcome, winner=loser, winning_colour=winner.other, score=score)
    forged = replace(record, outcome=claimed)
    if end == "resignation":
        # In the arena, either player may resign at any time.
        assert not replay(forged).is_over
        return
    said = f"{winner.other} is said to win by '{end}', but was to move"
    with pytest.raises(RecordError, match=said):
        replay(forged)
    # A flag of a file without stamps may have fallen in other ways.
    assert (end == "time") is not refuses(replace(forged, timing=None))


def refuses(record: GameRecord) -> bool:
    """Whether a record does not replay."""
    try:
        replay(record)
    except RecordError:
        return True
    return False


async def test_a_watcher_sees_the_game_after_every_turn():
    seen: list[Snapshot] = []
    players = (fake(time="60+1"), fake("--nth", "1", time="5"))
    record = await play_game(create_game("odd", 2), players, on_turn=seen.append)
    assert [snapshot.turns for snapshot in seen] == list(range(1, 8))
    assert [snapshot.last for snapshot in seen] == list(record.turns)
    assert [snapshot.mover for snapshot in seen] == [1, 0, 1, 0, 1, 0, 1]
    assert seen[-1].position.is_over
    clock = Clock(parse_time_control("60+1"))
    for snapshot in seen:
        if snapshot.mover == 1:
            clock.spend(snapshot.last.seconds)
        assert snapshot.seconds_left == (clock.allowance(), 5.0)


async def test_a_failure_of_the_machine_abandons_the_game_and_costs_nobody_anything():
    def open_channel(command, most_stderr, resources=None):
        if len(started) == 1:
            raise VoidGame("cannot start 'b': too many open files")
        started.append(command)
        return ScriptedChannel(command, most_stderr)

    started = []
    players = (scripted("Bb1", "a"), scripted("", "b"))
    record = await play_game(create_game("odd", 2), players, open_channel=open_channel)
    outcome = replace(record.outcome, lag=0.0)
    assert outcome == abandoned("cannot start 'b': too many open files")
    assert record.outcome.is_void
    assert record.outcome.is_abandoned
    assert not record.outcome.is_forfeit
    # A lag is written to the microsecond.
    lag = pytest.approx(record.outcome.lag, abs=1e-6)
    assert GameRecord.from_json(record.as_json()).outcome == replace(record.outcome, lag=lag)


def test_the_colour_of_a_turn_out_of_order_is_noticed():
    record = GameRecord.from_json(
        {
            "game": "odd",
            "size": 2,
            "settings": {},
            "players": ["a", "b"],
            "engines": ["", ""],
            "seed": None,
            "turns": [["white", "Bb2", 0.1]],
            "winner_index": 0,
            "winning_colour": "black",
            "score": "B+R",
            "termination": "resignation",
            "reason": "",
            "evidence": "",
        }
    )
    assert record.turns == (PlayedTurn(Colour.WHITE, "Bb2", 0.1),)
    with pytest.raises(RecordError, match="it was black's turn"):
        replay(record)


class Hearing(ScriptedChannel):
    """An engine that lists `game_over`."""

    also_lists = "game_over"


@pytest.mark.parametrize(
    ("turns", "heard"),
    [
        (("Ba1 pass", "Wb1,Wa2 pass"), [["B+1 double pass"]] * 2),
        (("Ba1 resign", "Wb1,Wa2"), [["W+R resignation"]] * 2),
        (("Ba1 Ba1", "Wb1,Wa2"), [[], ["W+F illegal turn"]]),
    ],
)
async def test_engines_that_list_it_hear_the_result_but_for_one_at_fault(turns, heard):
    channels = {}

    def open_channel(command, most_stderr=0, resources=None):
        # Both are opened at once, in an order that nobody knows.
        channels[command[0]] = Hearing(command, most_stderr)
        return channels[command[0]]

    players = (scripted(turns[0], "a"), scripted(turns[1], "b"))
    await play_game(create_game("xodd", 2), players, open_channel=open_channel)
    said = [
        [
            " ".join(command.arguments).partition(":")[0]
            for command in channels[player].received
            if command.name == "game_over"
        ]
        for player in turns
    ]
    assert said == heard


async def test_who_may_not_ponder_rests_whenever_its_rival_is_asked(autojump_clock):
    opened: list[ScriptedChannel] = []

    class RestingChannel(ScriptedChannel):
        is_resting = False

        def __init__(self, command, most_stderr=0, resources=None) -> None:
            super().__init__(command, most_stderr, resources)
            opened.append(self)

        def answer(self, command):
            self.is_resting = False
            if command.name == "genmove":
                assert all(channel.is_resting for channel in opened if channel is not self)
            super().answer(command)

        async def rest(self) -> None:
            self.is_resting = True

    still = Resources(ponder=False)
    one = replace(scripted("Ba2 Bb1 Bb2 Bb3", "one"), resources=still)
    other = replace(scripted("Wa3 Wc1 Wc2", "other"), resources=still)
    record = await play_game(create_game("odd", 2), (one, other), open_channel=RestingChannel)
    assert len(record.turns) == 7
    assert all(channel.is_resting for channel in opened)


@pytest.mark.parametrize("pipelining", [True, False])
async def test_what_an_engine_thinks_of_its_turn_is_never_taken_for_the_turn(
    autojump_clock, pipelining
):
    class Thinking(ScriptedChannel):
        also_lists = "last_evaluation"

        def _answer(self, command):
            return "0.5" if command.name == "last_evaluation" else super()._answer(command)

    one = replace(scripted("Ba2 Bb1 Bb2 Bb3", "one"), pipelining=pipelining)
    other = replace(scripted("Wa3 Wc1 Wc2", "other"), pipelining=pipelining)
    record = await play_game(create_game("odd", 2), (one, other), open_channel=Thinking)
    assert record.outcome.termination is Termination.BOARD_FULL
