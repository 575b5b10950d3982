"""The log of an arena: a line for each thing that happens, and no wait for its reader."""

import json
import logging
import random
import sys
import threading

import pytest

from oddly.arena.effects import (
    AskedFor,
    Batch,
    Begun,
    EngineJoined,
    EngineLeft,
    EngineRefused,
    Finished,
    Invited,
    NewLeader,
    Ruled,
)
from oddly.arena.game import GamePlan
from oddly.interfaces.arena.event_log import WritingHandler, entries_of, logged, report, watch
from oddly.interfaces.text import line_writer
from oddly.protocol import parse_time_control
from oddly.tournaments import ScheduledGame
from tests.interfaces.arena.made_up import GAME, random_record

RECORD = random_record(("one", "two"), random.Random(1))
SCHEDULED = ScheduledGame(1, GAME, 1, "one", "two", 7, "g1")
BATCH = Batch(
    [
        Begun(GamePlan(SCHEDULED, "xodd-3", parse_time_control("1+0")), 0.0),
        AskedFor("g1", 0, 0.1),
        Finished("g1", RECORD, "xodd-3"),
        NewLeader("xodd-3", "one", 120.4),
        Ruled("ban", "owner", "eve", "", "two names\nfor one engine"),
        Invited("secret", 3),
    ],
    news=[
        EngineJoined("one", "192.0.2.1", is_new=True),
        EngineRefused("one", "192.0.2.1", "too-many", "more than 1 byte"),
        EngineLeft("one"),
    ],
)
EVENTS = ["begun", "finished", "leader", "ruled", "invited", "joined", "refused", "left"]


def test_each_thing_that_happens_is_one_entry():
    entries = [*entries_of(BATCH)]
    assert [entry.event for entry in entries] == EVENTS
    begun, finished, *_ = entries
    assert begun.sentence == "game g1 begins in xodd-3: one against two"
    assert begun.facts == {
        "game": "g1", "pool": "xodd-3", "engines": ["one", "two"], "rated": True
    }  # fmt: skip
    assert finished.facts["winner"] in ("one", "two", None)
    assert finished.facts["termination"] == RECORD.outcome.termination.value
    assert "secret" not in str(entries)


def test_a_log_of_json_is_an_object_a_line(capsys):
    with logged("json"):
        watch(BATCH)
        report("the disk is full")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in lines] == [*EVENTS, "problem"]
    assert {line["level"] for line in lines} == {"info", "error"}
    assert lines[1]["game"] == "g1"
    assert lines[-1]["text"] == "the disk is full"
    assert all(line["time"].endswith("Z") for line in lines)


def test_a_log_for_people_is_a_sentence_a_line(capsys):
    with logged("text"):
        watch(BATCH)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(EVENTS)
    assert lines[0].endswith("Z game g1 begins in xodd-3: one against two")
    assert "owner 'eve' is banned: two names\\nfor one engine" in lines[3]


def test_without_a_log_only_what_is_wrong_is_said(capsys):
    with logged(None):
        watch(BATCH)
        report("the disk is full")
    assert capsys.readouterr().err == "oddly: arena: the disk is full\n"


def test_nobody_waits_for_the_reader_of_a_log(monkeypatch):
    class Slow:
        def __init__(self):
            self.may = threading.Event()
            self.text = ""

        def write(self, text):
            assert self.may.wait(60)
            self.text += text

        def flush(self):
            return

    monkeypatch.setattr(line_writer, "MAX_WAITING", 5)
    stream = Slow()
    monkeypatch.setattr(sys, "stderr", stream)
    handler = WritingHandler()
    logger = logging.Logger("test")
    logger.addHandler(handler)
    for number in range(20):
        logger.info("line %d", number)
    stream.may.set()
    while handler.is_behind:
        pass
    logger.info("the last")
    handler.close()
    *before, lost, last = stream.text.splitlines()
    assert 5 <= len(before) <= 6
    assert before == [f"line {number}" for number in range(len(before))]
    assert lost == f"{20 - len(before)} lines before this one are lost"
    assert last == "the last"


@pytest.mark.parametrize("error", [BrokenPipeError, ValueError])
def test_a_terminal_that_is_gone_ends_nothing(monkeypatch, error):
    class Gone:
        def write(self, text):
            raise error

        def flush(self):
            raise error

    monkeypatch.setattr(sys, "stderr", Gone())
    with logged("text"):
        watch(BATCH)
