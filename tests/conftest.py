"""Which tests run: soaks only when asked for, and of the fault suite a sample that rotates."""

import os
from datetime import UTC, datetime

import pytest

from tests.examples.languages import missing_toolchains

FAULT_DAY = "ODDLY_FAULT_DAY"


def fault_day() -> int:
    """The number that chooses at which moment each fault is tried."""
    return int(os.environ[FAULT_DAY])


def pytest_configure(config):
    # Worker processes inherit it, so that all agree even around midnight.
    os.environ.setdefault(FAULT_DAY, str(datetime.now(UTC).toordinal()))


def pytest_report_header(config):
    missing = ", ".join(missing_toolchains())
    return [
        f"{FAULT_DAY}={fault_day()} repeats this sample of the fault suite",
        f"NOT TESTED: examples in {missing}" if missing else "examples in all languages are tested",
    ]


def pytest_addoption(parser):
    parser.addoption("--soak", action="store_true", help="run the slow soaks too")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--soak"):
        return
    skip = pytest.mark.skip(reason="a soak: run with --soak")
    for item in items:
        if "soak" in item.keywords:
            item.add_marker(skip)
