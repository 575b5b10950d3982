"""`/metrics`: what it counts, and who may read it."""

import random
from ipaddress import ip_network

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.testclient import TestClient

from oddly.arena.effects import Batch, EngineJoined, EngineRefused, Finished, TurnCounted
from oddly.arena.game import CountedTurn
from oddly.interfaces.arena.hosting import ArenaMetrics, metrics_route
from oddly.referee.justice.clock import Wait
from tests.interfaces.arena.made_up import random_record
from tests.interfaces.arena.test_watchers import run, service

__all__ = ["service"]


def numbers(text):
    """Each sample's value by its name and labels."""
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_what_happens_is_counted(service):
    metrics, service.last_write = ArenaMetrics(service), 0.001
    record = random_record(("one", "two"), random.Random(1))
    turn = CountedTurn(0, "Ba1", Wait(1.0, 1.5, 0.3), 0.2)
    metrics.watch(
        Batch(
            [TurnCounted("g1", turn, "xodd-3"), Finished("g1", record, "xodd-3")],
            news=[
                EngineJoined("one", "", is_new=False),
                EngineRefused(None, "", "too-many", "many"),
            ],
        )
    )
    text, kind = metrics.text("")
    found, pool = numbers(text.decode()), ("pool", "xodd-3")
    assert kind.startswith("text/plain")
    assert found["oddly_turns_total", pool] == 1
    assert found["oddly_turn_seconds_sum", pool] == 0.3
    assert found["oddly_lag_credit_seconds_total", pool] == 0.2
    ended = "oddly_games_ended_total", pool, ("termination", record.outcome.termination.value)
    assert found[ended] == 1
    assert found["oddly_refusals_total", ("code", "too-many")] == 1
    assert found["oddly_joins_total",] == 1
    assert found["oddly_engines_online",] == 0
    assert found["oddly_write_seconds_count",] == 1
    assert found["process_resident_memory_bytes",] > 1e6


async def test_a_batch_on_the_disk_is_timed(service):
    metrics = ArenaMetrics(service)
    service.watchers.append(metrics.watch)
    await run(service)
    found = numbers(metrics.text("")[0].decode())
    assert found["oddly_write_seconds_count",] == 1
    assert found["oddly_write_seconds_sum",] == service.last_write


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200), ("10.0.0.3", 200), ("10.0.1.3", 404), ("2001:db8::/64", 200),
        ("2001:db9::/64", 404), ("", 404),
    ],
)  # fmt: skip
async def test_only_those_who_may_learn_that_it_is_there(service, host, status):
    readers = [ip_network("10.0.0.0/24"), ip_network("2001:db8::/32")]
    app = Starlette(routes=[metrics_route(service, readers)])
    client = TestClient(app, client=(host, 1))
    answer = client.get("/metrics", headers={"accept": "application/openmetrics-text"})
    assert answer.status_code == status
    assert ("# EOF" in answer.text) == (status == 200)
