"""Which tests run: soaks only when asked for."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--soak", action="store_true", help="run the slow soaks too")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--soak"):
        return
    skip = pytest.mark.skip(reason="a soak: run with --soak")
    for item in items:
        if "soak" in item.keywords:
            item.add_marker(skip)
