"""The files of the page: all there, nothing from elsewhere, nothing inline."""

import re

import pytest

from oddly.interfaces.web.page_files import load_static

FILES = {name: data.decode() for name, data in load_static().items()}
SCRIPTS = [name for name in FILES if name.endswith(".js")]


def test_everything_that_is_named_is_there():
    assert {"index.html", "style.css", "main.js"} <= set(FILES)
    for name, text in FILES.items():
        named = re.findall(r'"/static/([^"]+)"', text) + re.findall(r'from "\./([^"]+)"', text)
        assert set(named) <= set(FILES), name


@pytest.mark.parametrize("name", FILES)
def test_nothing_comes_from_elsewhere(name):
    addresses = re.findall(r"(?:https?:)?//[a-z][^\s\"'`)]*", re.sub(r"// .*", "", FILES[name]))
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}


def test_the_page_has_nothing_inline():
    page = FILES["index.html"]
    assert "style=" not in page
    assert "<style" not in page
    assert not re.search(r"\son\w+=", page)
    assert re.findall(r"<script[^>]*>(.*?)</script>", page) == [""]


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_text_in_backticks_goes_over_lines(name):
    # What joins the scripts takes indents and lines of comments away.
    assert [line for line in FILES[name].splitlines() if line.count("`") % 2] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_text_is_never_read_as_markup(name):
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert word not in FILES[name]
