"""The site of the docs is built strictly, holds every page, and fetches nothing."""

import importlib.util
import re
import shutil
import subprocess
import sys

import pytest

from tests.source import ROOT

WANTED = ("zensical", "mkdocstrings", "mkdocstrings_handlers.python")


def is_there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


pytestmark = pytest.mark.skipif(
    not all(is_there(module) for module in WANTED),
    reason="the site is not built: pip install -e '.[docs]'",
)
ASSETS = re.compile(r"<(?:script|img|iframe|link rel=\"?(?:stylesheet|preload|preconnect))[^>]*>")


def build(root, output):
    words = [sys.executable, str(root / "tools" / "build_site.py"), str(output)]
    return subprocess.run(words, cwd=root, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    output = tmp_path_factory.mktemp("docs") / "site"
    done = build(ROOT, output)
    assert done.returncode == 0, done.stdout + done.stderr
    return output


def test_every_page_of_the_docs_is_in_it(site):
    docs = ROOT / "docs"
    pages = {path.relative_to(docs).with_suffix(".html") for path in docs.rglob("*.md")}
    found = {path.relative_to(site) for path in site.rglob("*.html")}
    assert {page for page in pages if page.stem != "README"} - found == set()


def test_it_fetches_nothing_from_elsewhere(site):
    assets = [
        tag for page in site.rglob("*.html") for tag in ASSETS.findall(page.read_text("utf-8"))
    ]
    assert len(assets) > 100
    assert [tag for tag in assets if "//" in tag] == []
    styles = [path.read_text("utf-8") for path in site.rglob("*.css")]
    assert len(styles) > 1
    fetches = re.compile(r"(@import|url\()\s*[\"']?(https?:)?//")
    assert list(filter(fetches.search, styles)) == []


def test_bars_in_code_have_no_backslash(site):
    page = (site / "reference" / "options.html").read_text("utf-8")
    assert re.search(r"--openings none(?:\||&#124;)FILE", page)


def test_every_picture_is_there(site):
    """The builder checks the links of Markdown, and not pictures in HTML."""
    pictures = [
        (page, target)
        for page in site.rglob("*.html")
        for target in re.findall(r'<(?:img|source)[^>]* src(?:set)?="([^":]+)"', page.read_text())
    ]
    assert len(pictures) > 30
    assert [str(target) for page, target in pictures if not (page.parent / target).exists()] == []


def test_the_reference_shows_the_public_names(site):
    page = (site / "python" / "engines.html").read_text("utf-8")
    for name in ("engine.Engine.choose", "stdio.run", "engine.Option"):
        assert f'id="oddly.engines.{name}"' in page
    assert "allow_inspection: false" in (ROOT / "docs" / "site.yml").read_text("utf-8")


def test_no_table_swallows_what_stands_below_it(site):
    """A fence that the builder does not know would have it read headings as rows of a table."""
    for page in site.rglob("*.html"):
        assert re.search(r"<(td|p)>(#+ |```)", page.read_text("utf-8")) is None, page.name


def small_root(folder, pages, nav):
    """A repository that has nothing but these pages of docs/."""
    root = folder / "root"
    (root / "docs").mkdir(parents=True)
    (root / "tools").mkdir()
    for name in ("tools/build_site.py", "docs/site.css"):
        shutil.copy(ROOT / name, root / name)
    (root / "docs" / "site.yml").write_text(f"site_name: a\nnav: {nav}\nplugins: []\n")
    for name, text in pages.items():
        (root / "docs" / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("page", "said"),
    [("# A\n\n[b](#nowhere)\n", "anchor"), ("# A\n\n[b](nowhere.md)\n", "docs/nowhere.md")],
)
def test_a_link_that_leads_nowhere_is_an_error(tmp_path, page, said):
    root = small_root(tmp_path, {"index.md": page}, "[R: [docs/index.md]]")
    done = build(root, tmp_path / "site")
    assert done.returncode != 0
    assert said in re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    assert not (tmp_path / "site").exists()


def test_pages_may_be_absent_from_the_docs_or_from_the_navigation(tmp_path):
    pages = {"index.md": "# A\n\n[b.md](b.md)\n", "b.md": "# The letter b\n"}
    root = small_root(tmp_path, pages, "[R: [docs/index.md, docs/to_come.md, docs/none/]]")
    done = build(root, tmp_path / "site")
    assert done.returncode == 0, done.stderr
    assert "docs/to_come.md is not there and is left out" in done.stderr
    home = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert '<a href="b/">The letter b</a>' in home
