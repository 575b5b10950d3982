"""The viewer's modules as one script."""

import re

import pytest

from oddly.games.drawing.charts import file_of, two_shares
from oddly.interfaces.viewer.viewer import one_script, viewer_files

MODULES = {
    "a.js": "export const ONE = 1;\nexport function add(x) { return x + ONE; }\n",
    "b.js": 'import { add } from "./a.js";\nexport class B { go() { return add(1); } }\n',
}


def test_each_module_stands_once_behind_what_it_imports():
    entry = 'import { ONE } from "./a.js";\nimport { B } from "./b.js";\nnew B().go(ONE);\n'
    script = one_script(entry, MODULES)
    assert script.count("const module_a = ") == 1
    assert script.index("const module_a") < script.index("const module_b")
    assert "const { add } = module_a;" in script
    assert "return { ONE, add };" in script
    assert "import " not in script
    assert "export " not in script


def test_comments_and_indents_are_left_out():
    modules = {
        "a.js": "// What it is.\n\n/** Two\n * lines. */\nexport function go() {\n  // Why.\n"
        '  return "// no comment";\n}\n'
    }
    script = one_script('import { go } from "./a.js";\ngo();\n', modules)
    assert 'function go() {\nreturn "// no comment";\n}' in script
    assert script.count("//") == 1
    assert "lines" not in script


CIRCLE = {"c.js": 'import { d } from "./d.js";\n', "d.js": 'import { c } from "./c.js";\n'}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ('import { x } from "./gone.js";\n', "gone.js, which is not there"),
        ('import * as all from "./a.js";\n', "unknown way"),
        ("export default 3;\n", "unknown way"),
        ('import { c } from "./c.js";\n', "imports itself"),
    ],
)
def test_what_cannot_be_joined_is_refused(entry, reason):
    with pytest.raises(ValueError, match=reason):
        one_script(entry, MODULES | CIRCLE)


def test_no_script_ends_early_inside_a_page():
    for text in viewer_files().values():
        assert "</" not in text
        assert "<!--" not in text


def test_no_rule_for_a_board_reaches_the_classes_of_charts():
    style = viewer_files()["viewer.css"]
    selectors = [
        selector.strip()
        for rule in re.findall(r"([^{}]+)\{[^{}]*\}", style)
        for selector in rule.split(",")
    ]
    chart = file_of(two_shares([("a", 0.5, 0.6)], "points", ("first", "second")))
    classes = {word for words in re.findall(r'class="([^"]+)"', chart) for word in words.split()}
    assert "ring" in classes
    firsts = {selector.split()[0] for selector in selectors if selector.strip()}
    assert {f".{name}" for name in classes} & firsts == set()
