"""Which tests run: soaks only when asked for; of long lists of cases the commit's sample."""

import os
import sys

import pytest
from hypothesis import settings

from referee.isolation import why_not
from tests.examples.languages import missing_toolchains
from tests.patience import slowness
from tests.sampling import SAMPLE, choose_sample, drawn, is_in_sample, sample_name

# The tests start hundreds of programs, each of which would compile all our modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# How long an example takes says more of the machine than of us.
settings.register_profile("oddly", deadline=None)
settings.load_profile("oddly")

SLOW_AT_START = pytest.StashKey[str | None]()


def pytest_configure(config):
    choose_sample()


def pytest_report_header(config):
    missing, lack = ", ".join(missing_toolchains()), why_not()
    repeat = f"`{SAMPLE}={sample_name()} .venv/bin/pytest` repeats it"
    return [
        f"sample {sample_name()}: {repeat}, `.venv/bin/pytest --soak` runs all",
        f"NOT TESTED: examples in {missing}" if missing else "examples in all languages are tested",
        f"NOT TESTED: isolated engines, since {lack}" if lack else "isolated engines are tested",
    ]


def pytest_addoption(parser):
    parser.addoption("--soak", action="store_true", help="run the slow soaks and all samples too")
    parser.addoption(
        "--soaks", type=int, default=0, metavar="N", help="run N of the soaks, drawn by the commit"
    )


def pytest_collection_modifyitems(config, items):
    if config.getoption("--soak"):
        return
    soaks = drawn(
        (item.nodeid for item in items if "soak" in item.keywords), config.getoption("--soaks")
    )
    no_soak = pytest.mark.skip(reason="a soak: run with --soak")
    not_in_sample = pytest.mark.skip(reason=f"not in sample {sample_name()}: --soak runs all")
    for item in items:
        if "soak" in item.keywords:
            if item.nodeid not in soaks:
                item.add_marker(no_soak)
        elif "sampled" in item.keywords and not is_in_sample(item.nodeid):
            item.add_marker(not_in_sample)


def pytest_runtest_setup(item):
    if "timed" in item.keywords:
        item.stash[SLOW_AT_START] = slowness()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn the failure of a timed test on a machine that is too slow into a skip."""
    report = yield
    if report.when == "call" and report.failed and "timed" in item.keywords:
        reason = item.stash.get(SLOW_AT_START, None) or slowness()
        if reason:
            path, line, _ = item.location
            report.outcome = "skipped"
            report.longrepr = (path, line or 0, f"Skipped: too slow to judge: {reason}")
    return report
