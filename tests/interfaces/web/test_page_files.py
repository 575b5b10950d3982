"""The files of the page: all there, nothing from elsewhere, nothing inline; two of scripts.

What comes later is asked for; nothing is there twice.
"""

import re
import subprocess

import pytest

from oddly.interfaces.viewer.viewer import one_script
from oddly.interfaces.web.page_files import ENTRY, SPECTATORS, load_static, two_scripts
from tests.programs import needs, where

TEXTS = {name: data.decode() for name, data in load_static().items() if name.endswith(".js")}


def modules_in(script):
    return re.findall(r"^const (module_\w+) = ", script, re.MULTILINE)


def test_every_module_is_in_one_of_both_files_and_in_one_place():
    first, later = two_scripts(ENTRY, TEXTS, lambda _: "later.js")
    modules = modules_in(first) + modules_in(later)
    assert len(modules) == len(set(modules))
    watching = modules_in(one_script(TEXTS[SPECTATORS], TEXTS))
    # Everything is in one of the scripts, and both entries are at their ends, without a name.
    assert len({*modules, *watching}) == len(TEXTS) - 2
    assert "module_play" in modules_in(later)
    assert "module_board" in modules_in(first)


@needs("node")
def test_what_comes_later_has_what_the_first_script_has(tmp_path):
    modules = {
        "shared.js": "export const state = { number: 0 };\n",
        "main.js": 'import { state } from "./shared.js";\nstate.number += 1;\n'
        'const late = import("./late.js");\n'
        'late.then(({ tell }) => tell()).then(() => import("./last.js"))\n'
        "  .then(({ last }) => console.log(last));\n",
        "deep.js": 'import { state } from "./shared.js";\n'
        "export const deep = () => state.number;\n",
        "late.js": 'import { deep } from "./deep.js";\n'
        "export function tell() {\n  console.log(deep());\n}\n",
        "last.js": 'import { deep } from "./deep.js";\nexport const last = deep() + 1;\n',
    }
    first, later = two_scripts("main.js", modules, lambda _: "later.mjs")
    (tmp_path / "first.mjs").write_text(first)
    (tmp_path / "later.mjs").write_text(later)
    done = subprocess.run(
        [where("node"), tmp_path / "first.mjs"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1", "2"]


def test_what_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"imports gone\.js, which is not there"):
        two_scripts(
            "main.js",
            {
                "main.js": 'const a = import("./a.js");\n',
                "a.js": 'import { b } from "./gone.js";\n',
            },
            lambda _: "later.js",
        )


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
