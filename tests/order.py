"""In what order workers take the files of tests: those that take longest first.

A long file that is taken last keeps one worker busy while the others have nothing to do.
"""

from collections import Counter

import pytest

LONGEST = (
    "interfaces/web/test_browsers.py",
    "interfaces/command_line/test_examples.py",
    "test_benchmarks.py",
    "test_sampling.py",
    "interfaces/web/test_serve_command.py",
    "interfaces/web/test_layout_shifts.py",
    "interfaces/web/test_exhibition.py",
    "interfaces/arena/test_keeper.py",
    "interfaces/arena/test_house_engines.py",
    "interfaces/arena/test_service.py",
    "interfaces/arena/test_years.py",
    "tournaments/executors/cluster/test_cluster.py",
    "tournaments/executors/referees/test_processes.py",
    "tournaments/run/test_watchers.py",
    "tournaments/run/test_resuming.py",
    "tournaments/run/test_resuming_formats.py",
    "tournaments/ledger/test_killed.py",
    "referee/test_check_causes.py",
    "referee/test_check.py",
    "examples/test_tutorial.py",
    "examples/test_vectors.py",
    "examples/test_engines.py",
    "docs/test_pages.py",
    "docs/test_arena.py",
    "docs/test_console.py",
    "other_formats/test_every_use.py",
    "other_games/test_every_command.py",
    "study/test_fingerprint.py",
    "test_mutation.py",
    "test_front_door.py",
    "learning/test_batch.py",
)
"""As `pytest --durations 0` tells; of the others, those with the most tests come first."""


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests, those of the longest files first and those of one file as they were."""
    files = [item.nodeid.partition("::")[0] for item in items]
    tests, place = Counter(files), {f"tests/{name}": number for number, name in enumerate(LONGEST)}

    def key(number: int) -> tuple[int, int, str, int]:
        file = files[number]
        return place.get(file, len(place)), -tests[file], file, number

    return [items[number] for number in sorted(range(len(items)), key=key)]
