"""A real browser for the tests of pages."""

import pytest

from tests.patience import PATIENCE
from tests.programs import where


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=where("chromium"), args=["--no-sandbox"]
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """A page that must cause no error of scripts or of the content security policy."""
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and errors.append(said.text))
    page.on("dialog", lambda dialog: dialog.accept())
    yield page
    context.close()
    # A server that has stopped is no error of the page.
    gone = ("WebSocket connection", "net::ERR_CONNECTION")
    assert not [error for error in errors if not any(words in error for words in gone)]
