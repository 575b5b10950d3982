"""A server for the tests of a module, and browsers that have nothing of each other."""

import pytest

from tests.interfaces.web.serving import serving
from tests.patience import PATIENCE


@pytest.fixture(scope="module")
def server(request, tmp_path_factory):
    """A server, told the words that the module has as SERVED."""
    words = getattr(request.module, "SERVED", ())
    with serving(tmp_path_factory.mktemp("serve"), *words) as server:
        yield server
        said = server.stderr()
        assert "Traceback" not in said
        assert "began anew" not in said


@pytest.fixture
def visit(request, browser, server):
    """A function that opens an address in a browser of its own, like the module's BROWSER."""
    contexts, errors = [], []
    own = getattr(request.module, "BROWSER", {"viewport": {"width": 1100, "height": 800}})

    def open_page(address, engine=True, **more):
        contexts.append(browser.new_context(**own, **more))
        contexts[-1].set_default_timeout(1000 * PATIENCE)
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: dialog.accept())
        if not engine:
            page.route("**/api/analysis", lambda route: route.abort())
        page.goto(address if "://" in address else f"{server.origin}/{address}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not errors
