"""Which tests run: soaks only when asked for; of long lists of cases the commit's sample.

What needs a program that is missing is skipped by its name, and no process outlives the run.
"""

import gc
import os
import signal
import sys

import pytest
from hypothesis import settings

from tests.order import in_order
from tests.patience import slowness
from tests.processes import end_what_is_left, mark_processes
from tests.programs import only_what_lacked, skip_what_lacks_programs, sum_up
from tests.sampling import SAMPLE, choose_sample, drawn, is_in_sample, sample_name
from tests.soaking import Journal, only_soaks_that_are_left, sum_up_soaks
from tests.typing_commands import facts, homeless, oddly, output, refusal  # noqa: F401 - fixtures

# The tests start hundreds of programs, each of which would compile all our modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The threads of linear algebra wait for each other by spinning: with several workers on few cores
# a matrix of 40 rows takes 200 times as long as with one thread.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

# Programs inherit that a signal is ignored, as nohup and the background have it, and not
# that it is handled.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, lambda *_: None)

# How long an example takes says more of the machine than of us.
settings.register_profile("quick", deadline=None, max_examples=20)
settings.register_profile("soak", deadline=None)

SLOW_AT_START = pytest.StashKey[str | None]()
LEFT_RUNNING = pytest.StashKey[dict[int, str]]()


def pytest_configure(config):
    is_long = any(config.getoption(name) for name in ("--soak", "--soaks", "--all-soaks"))
    settings.load_profile("soak" if is_long else "quick")
    choose_sample()
    if not hasattr(config, "workerinput"):
        mark_processes()
        if config.getoption("--all-soaks"):
            config.pluginmanager.register(Journal(config))


def pytest_report_header(config):
    repeat = f"`{SAMPLE}={sample_name()} .venv/bin/pytest` repeats it"
    return f"sample {sample_name()}: {repeat}, `.venv/bin/pytest --soak` runs all"


def pytest_addoption(parser):
    parser.addoption(
        "--soak",
        action="store_true",
        help="run the slow soaks and all samples too, with more examples",
    )
    number = {"type": int, "metavar": "N"}
    drawn_soaks = "run N of the soaks, drawn by the commit"
    parser.addoption("--soaks", default=0, help=drawn_soaks, **number)
    all_soaks = "run the soaks that have not passed at this commit, and sum up all of them"
    parser.addoption("--all-soaks", action="store_true", help=all_soaks)
    parser.addoption("--one-in", default=1, help="run one test in N, drawn by the commit", **number)
    lacking = "run only the tests that the last run skipped for want of a program"
    parser.addoption("--lacking", action="store_true", help=lacking)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage among what is collected, which stays: half a million objects."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config, items):
    if config.getoption("--lacking"):
        only_what_lacked(config, items)
    if (parts := config.getoption("--one-in")) > 1:
        _draw(config, items, parts)
    if config.getoption("--all-soaks"):
        only_soaks_that_are_left(config, items)
    elif not config.getoption("--soak"):
        _skip_soaks_and_samples(config, items)
    skip_what_lacks_programs(items)
    if hasattr(config, "workerinput"):
        items[:] = in_order(items)


def _draw(config, items, parts):
    """Leave one test in so many."""
    left_out = [item for item in items if not is_in_sample(*_place(item), parts=parts)]
    items[:] = [item for item in items if is_in_sample(*_place(item), parts=parts)]
    config.hook.pytest_deselected(items=left_out)


def _place(item):
    """The name of a test, and which of its cases it is."""
    # Every argument has the number of the case; the parameters of a fixture are numbered apart.
    case = max(item.callspec.indices.values(), default=0) if hasattr(item, "callspec") else 0
    return item.nodeid.partition("[")[0], case


def pytest_xdist_make_scheduler(config, log):
    """Let workers take soaks from each other: a few files have most of them."""
    if config.getoption("--all-soaks"):
        from xdist.scheduler import WorkStealingScheduling

        return WorkStealingScheduling(config, log)
    return None


def _skip_soaks_and_samples(config, items):
    soaks = drawn(
        (item.nodeid for item in items if item.get_closest_marker("soak")),
        config.getoption("--soaks"),
    )
    no_soak = pytest.mark.skip(reason="a soak: run with --soak")
    not_in_sample = pytest.mark.skip(reason=f"not in sample {sample_name()}: --soak runs all")
    for item in items:
        if item.get_closest_marker("soak"):
            if item.nodeid not in soaks:
                item.add_marker(no_soak)
        elif item.get_closest_marker("sampled") and not is_in_sample(*_place(item)):
            item.add_marker(not_in_sample)


def pytest_runtest_setup(item):
    if item.get_closest_marker("timed"):
        item.stash[SLOW_AT_START] = slowness()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn the failure of a timed test on a machine that is too slow into a skip."""
    report = yield
    if report.when == "call" and report.failed and item.get_closest_marker("timed"):
        reason = item.stash.get(SLOW_AT_START, None) or slowness()
        if reason:
            path, line, _ = item.location
            report.outcome = "skipped"
            report.longrepr = (path, line or 0, f"Skipped: too slow to judge: {reason}")
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Fail a run that leaves a process running."""
    if not hasattr(session.config, "workerinput"):
        left = session.config.stash[LEFT_RUNNING] = end_what_is_left()
        if left:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter, config):
    """Say last what was skipped and why."""
    yield
    terminalreporter.section("skipped and left running")
    for line in sum_up(config, terminalreporter.getreports("skipped")):
        terminalreporter.line(line)
    if config.getoption("--all-soaks"):
        terminalreporter.line(sum_up_soaks(config))
    left = config.stash.get(LEFT_RUNNING, {})
    terminalreporter.line(f"processes of this run that were left running: {len(left)}")
    for pid, arguments in left.items():
        terminalreporter.line(f"  ended {pid}: {arguments}", red=True)
