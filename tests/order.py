"""In what order workers take the files of tests: those that take longest first.

A long file that is taken last keeps one worker busy while the others have nothing to do.
"""

from collections import Counter

import pytest

LONGEST = (
    "interfaces/web/test_browsers.py",
    "interfaces/arena/test_keeper.py",
    "interfaces/command_line/test_join_command.py",
    "docs/test_arena.py",
    "referee/test_check_causes.py",
    "engines/test_searching.py",
    "referee/test_check.py",
    "engines/kernels/test_kernels.py",
    "interfaces/command_line/test_stalled_readers.py",
    "interfaces/arena/test_making.py",
    "interfaces/command_line/test_playing.py",
    "learning/test_batch.py",
    "other_games/test_every_command.py",
    "test_sampling.py",
    "test_layout.py",
    "referee/bridge/test_resuming.py",
    "test_mutation.py",
    "tournaments/executors/test_processes.py",
    "interfaces/web/test_hostile.py",
    "games/test_against_brute_force.py",
    "interfaces/command_line/test_eighty_columns.py",
    "interfaces/bot/test_service.py",
    "docs/test_pages.py",
    "interfaces/test_same_results.py",
    "test_benchmarks.py",
    "study/test_published.py",
    "interfaces/command_line/test_examples.py",
    "interfaces/command_line/test_check_command.py",
    "referee/test_faults.py",
    "referee/test_engine_pool.py",
    "interfaces/arena/test_bounds.py",
    "interfaces/terminal/live/test_terminal.py",
    "interfaces/web/test_lobby.py",
    "referee/test_stopped.py",
    "interfaces/command_line/test_result_commands.py",
    "referee/test_system_calls.py",
    "interfaces/command_line/test_completion.py",
    "interfaces/command_line/test_play_command.py",
    "engines/kernels/test_ayu_judge.py",
    "tournaments/ratings/test_coverage.py",
    "interfaces/arena/test_house_engines.py",
    "engines/database/test_database.py",
    "tournaments/run/test_playing.py",
    "interfaces/command_line/test_new_engine.py",
    "arena/test_world.py",
    "tournaments/executors/test_cluster.py",
    "referee/bridge/test_listener.py",
    "interfaces/web/test_serve_command.py",
    "interfaces/web/test_layout_shifts.py",
    "interfaces/web/test_exhibition.py",
    "interfaces/arena/test_service.py",
    "interfaces/arena/test_years.py",
    "tournaments/run/test_watchers.py",
    "tournaments/run/test_resuming.py",
    "tournaments/run/test_resuming_formats.py",
    "tournaments/ledger/test_killed.py",
    "examples/test_tutorial.py",
    "examples/test_vectors.py",
    "examples/test_engines.py",
    "docs/test_console.py",
    "other_formats/test_every_use.py",
    "study/test_shipped_studies.py",
    "test_front_door.py",
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
