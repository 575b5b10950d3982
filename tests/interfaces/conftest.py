"""A real browser for the tests of pages."""

from __future__ import annotations

import pytest

from tests.programs import where


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=where("chromium"), args=["--no-sandbox"]
        )
        yield browser
        browser.close()
