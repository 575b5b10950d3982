"""Every game goes from every format to every other, and what it loses on the way is named."""

import io
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.game_records.formats import FORMATS, SGF_OF_TAPS, WORDS, losses
from oddly.game_records.line_formats import json_line
from oddly.games.ayu import Ayu
from oddly.referee.justice.record import RecordError
from tests.game_records.make_golden import golden_game
from tests.game_records.random_games import kept_games, played, read_text

EVERY = {**FORMATS, "taps": SGF_OF_TAPS}
KEPT_BY_ALL = {"game", "turns", "winner"}
"""No format loses them; a site may not have the game at all."""
MAY_LOSE = {
    "jsonl": set(),
    "sgf": set(),
    "taps": set(WORDS) - KEPT_BY_ALL - {"options"},
    "turns": set(WORDS) - KEPT_BY_ALL - {"options"} | {"winner"},
    "abstract-play": set(WORDS) - KEPT_BY_ALL | {"turns"},
}
"""As docs/how-to/game-records.md has it."""


def through(kept, name):
    """The game as it is read from a file of that format; None if the format has no such game."""
    try:
        data = EVERY[name].writer()(kept).encode()
    except RecordError:
        assert name == "abstract-play"
        return None
    games = list(EVERY[name].read(io.BytesIO(data), kept.record.game))
    if not games:
        assert name == "turns"
        assert not kept.record.turns
        assert losses(kept, EVERY[name]) == ["game"]
        return None
    return games[0]


def turns(kept):
    return [(turn.colour, turn.turn) for turn in kept.record.turns]


def facts(kept):
    """What a record says, part by part, in other words than `losses`."""
    record, outcome = kept.record, kept.record.outcome
    return {
        "options": record.game,
        "turns": turns(kept),
        "players": record.players,
        "engines": record.engines,
        "seconds": [f"{turn.seconds:.6f}" for turn in record.turns],
        "seed": record.seed,
        "opening": record.opening,
        "winner": outcome.winner,
        "score": outcome.score,
        "ending": (outcome.termination, outcome.reason),
        "evidence": (outcome.evidence, outcome.diagram),
        "labels": dict(kept.labels),
    }


def is_empty(part):
    """Whether a part of a record says nothing."""
    parts = part if isinstance(part, tuple | list) else [part]
    return all(each in (None, "", "0.000000") for each in parts)


@pytest.mark.parametrize(("first", "second"), list(product(EVERY, repeat=2)))
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_what_is_not_named_is_kept(first, second, data):
    kept = through(data.draw(kept_games()), first)
    if kept is None:
        return
    after = through(kept, second)
    if after is None:
        return
    named = set(losses(kept, EVERY[second]))
    assert named <= MAY_LOSE[second]
    before, now = facts(kept), facts(after)
    for part in before.keys() - named - {"labels"}:
        assert before[part] == now[part] or is_empty(before[part]), part
    if "labels" not in named:
        assert before["labels"].items() <= now["labels"].items()


@pytest.mark.parametrize("name", EVERY)
@given(kept=kept_games())
@settings(max_examples=20, deadline=None)
def test_a_second_time_through_loses_nothing_more(name, kept):
    once = through(kept, name)
    if once is not None:
        assert losses(once, EVERY[name]) == []
        assert facts(through(once, name)) == facts(once)


def test_what_would_be_read_as_two_games_cannot_be_written():
    """The bug: a traceback."""
    twice = replace(FORMATS["jsonl"], writer=lambda: lambda kept: 2 * json_line(kept))
    with pytest.raises(RecordError, match=r"^it could not be read back: it became 2 games$"):
        losses(golden_game("yodd"), twice)


def test_the_pie_rule_that_the_site_has_no_word_for_is_named():
    game = Ayu(9, pie=True)
    turn = played(game, Random(1), 1)[0].turn
    [kept] = read_text(FORMATS["turns"].read, f"# {game}\n{turn}\n")
    assert "options" in losses(kept, FORMATS["abstract-play"])
    assert "options" not in losses(kept, FORMATS["jsonl"])


def test_a_win_of_the_first_player_and_a_seed_of_0_are_no_less_than_others():
    [kept] = read_text(FORMATS["sgf"].read, "(;SZ[3]GN[xodd 3]RE[B+R];AB[bb])")
    kept = replace(kept, record=replace(kept.record, seed=0))
    assert losses(kept, FORMATS["turns"]) == ["seed", "winner", "score", "ending"]


def test_convert_names_the_loss_in_a_sentence(tmp_path, oddly):
    whole = tmp_path / "game.jsonl"
    (tmp_path / "game.turns").write_text("# yodd 3\nBc3 Wa3,Be3\n")
    assert "does not keep" not in oddly("convert", tmp_path / "game.turns", whole).err
    text = whole.read_text().replace('["Black", "White"]', '["Ada", "Bo"]')
    text = text.replace('"seed": null', '"seed": 7').replace('"lag": 0.0', '"lag": 0.2')
    whole.write_text(text.replace("0.0]", "1.5]"))
    assert "does not keep" not in oddly("convert", whole, "--to", "sgf").err
    assert oddly("convert", whole, "--to", "turns").err.endswith(
        "oddly: convert: this format does not keep the players' names, the seconds that turns "
        "took, the seed and how late the referee was\n"
    )
