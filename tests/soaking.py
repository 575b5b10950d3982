"""All soaks in one resumable run: what has passed at this commit does not run again.

`.venv/bin/pytest --all-soaks` keeps the outcome of each soak as it ends in pytest's cache, so the
same command goes on after an interruption, and its last lines sum up all runs together.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.sampling import sample_name

RANK = {"failed": 0, "skipped": 1, "passed": 2}


def journal(config: pytest.Config) -> Path:
    """The file of this commit's outcomes, a JSON object a line."""
    return config.cache.mkdir("oddly-soaks") / f"{sample_name()}.jsonl"


def known(config: pytest.Config) -> dict[str, dict]:
    """The last outcome of each soak at this commit, by its node id."""
    try:
        lines = journal(config).read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    # A run that was killed may have written a part of its last line.
    whole = [json.loads(line) for line in lines if line.endswith("}")]
    return {each["test"]: each for each in whole}


def only_soaks_that_are_left(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the soaks that have not passed at this commit, and nothing else."""
    done = {test for test, each in known(config).items() if each["outcome"] == "passed"}
    left = [item for item in items if item.get_closest_marker("soak") and item.nodeid not in done]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(left)])
    items[:] = left


class Journal:
    """A plugin of the controlling process that writes down each soak as it ends."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._path = journal(config)
        self._open: dict[str, list[pytest.TestReport]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the outcome when the test has been torn down."""
        reports = self._open.setdefault(report.nodeid, [])
        reports.append(report)
        if report.when == "teardown":
            del self._open[report.nodeid]
            facts = {
                "test": report.nodeid,
                "outcome": min((each.outcome for each in reports), key=RANK.__getitem__),
                "seconds": round(sum(each.duration for each in reports), 2),
            }
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(facts)}\n")


def sum_up_soaks(config: pytest.Config) -> str:
    """All soaks of this commit in one line."""
    found = known(config).values()
    outcomes = Counter(each["outcome"] for each in found)
    hours = sum(each["seconds"] for each in found) / 3600
    words = ", ".join(f"{outcomes[outcome]} {outcome}" for outcome in reversed(RANK))
    return f"{len(found)} soaks at {sample_name()}: {words}; {hours:.2f} hours of tests"
