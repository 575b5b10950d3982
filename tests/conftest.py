"""Which tests run: soaks only when asked for; of long lists of cases a sample that rotates."""

import os
from datetime import UTC, datetime
from zlib import crc32

import pytest
from hypothesis import settings

from tests.examples.languages import missing_toolchains

FAULT_DAY = "ODDLY_FAULT_DAY"
DAYS = 3


# How long an example takes says more of the machine than of us.
settings.register_profile("oddly", deadline=None)
settings.load_profile("oddly")


def fault_day() -> int:
    """The number that chooses at which moment each fault is tried."""
    return int(os.environ[FAULT_DAY])


def pytest_configure(config):
    # Worker processes inherit it, so that all agree even around midnight.
    os.environ.setdefault(FAULT_DAY, str(datetime.now(UTC).toordinal()))


def pytest_report_header(config):
    missing = ", ".join(missing_toolchains())
    return [
        f"{FAULT_DAY}={fault_day()} repeats this sample of the fault suite and of what is sampled",
        f"NOT TESTED: examples in {missing}" if missing else "examples in all languages are tested",
    ]


def pytest_addoption(parser):
    parser.addoption("--soak", action="store_true", help="run the slow soaks too")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--soak"):
        return
    soak = pytest.mark.skip(reason="a soak: run with --soak")
    another_day = pytest.mark.skip(reason=f"not today's, of {DAYS} days: --soak runs all")
    for item in items:
        if "soak" in item.keywords:
            item.add_marker(soak)
        elif "sampled" in item.keywords and not is_of_today(item.nodeid):
            item.add_marker(another_day)


def is_of_today(name: str) -> bool:
    """Whether a test that is sampled runs today: each does once in so many days."""
    return (crc32(name.encode()) + fault_day()) % DAYS == 0
