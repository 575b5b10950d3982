"""The house keeps its own rules: where packages lie, what the README promises, what CI runs."""

import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from oddly.games.catalogue import GAMES
from oddly.interfaces.command_line.main import SUMMARIES
from tests.source import PACKAGES, ROOT

OTHERS = {ROOT / "tests" / name / "installed" for name in ("other_games", "other_formats")}


def text_of(*parts):
    """What a file of the repository has."""
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def marked_command(name):
    """The one line between `<!-- NAME command -->` and `<!-- end -->` in the README."""
    marks = rf"<!-- {name} command -->\n```sh\n(.*?)```\n<!-- end -->"
    (block,) = re.findall(marks, text_of("README.md"), re.DOTALL)
    (line,) = block.splitlines()
    return line


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_is_the_one_in_this_tree(package):
    spec = importlib.util.find_spec(f"oddly.{package}")
    assert spec is not None
    assert Path(str(spec.origin)).resolve() == (ROOT / package / "__init__.py").resolve()
    assert (ROOT / package / "py.typed").exists()


def test_every_folder_of_tests_is_a_package():
    # What is tried as an installed distribution is none of our packages.
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")} - OTHERS
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_ci_takes_its_test_command_from_the_readme():
    script = text_of(".ci", "run")
    (extraction,) = re.findall(r"^ *command=\$\((.*)\)$", script, re.MULTILINE)
    extracted = subprocess.check_output(["bash", "-c", extraction], cwd=ROOT, text=True)
    assert extracted.strip() == marked_command("test")
    assert 'bash -c "$command"' in script


def test_both_commands_make_their_own_environment_from_a_bare_clone():
    for name in ("demo", "test"):
        steps = marked_command(name).split(" && ")
        assert steps[0] == "python3 -m venv .venv"
        assert steps[1].startswith(".venv/bin/pip install ")
        assert steps[2].startswith(".venv/bin/")
    assert marked_command("test").endswith(".venv/bin/pytest")


def test_the_demo_is_a_file_with_all_four_games():
    assert shlex.split(marked_command("demo"))[-2:] == [".venv/bin/oddly", "demo"]
    demo = tomllib.loads(text_of("examples", "tournaments", "demo.toml"))
    assert {entry["game"] for entry in demo["game"]} == set(GAMES)


def test_links_between_the_docs_lead_somewhere():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    links = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in target
    ]
    broken = [(page.name, target) for page, target in links if not (page.parent / target).exists()]
    assert broken == []


def test_every_game_has_a_ready_tournament_and_a_section_of_rules():
    rules = text_of("docs", "reference", "rules.md")
    for name in GAMES:
        assert (ROOT / "examples" / "tournaments" / f"{name}.toml").exists()
        assert f"\n## {name.capitalize()}\n" in rules


def test_the_page_of_commands_has_them_all_in_the_words_of_the_program():
    page = text_of("docs", "reference", "commands.md")
    rows = re.findall(r"^\| \[`oddly ([\w-]+)`\]\(.*?\) \| (.*?) \|", page, re.MULTILINE)
    assert dict(rows) == SUMMARIES


def test_every_page_of_the_docs_can_be_found_from_the_first():
    index = text_of("docs", "index.md")
    pages = {
        f"{folder}/{path.name}"
        for folder in ("tutorials", "how-to", "reference", "explanation")
        for path in (ROOT / "docs" / folder).glob("*.md")
    }
    assert len(pages) > 30
    assert {page for page in pages if f"({page}" not in index} == set()


@pytest.mark.parametrize("name", ["tournament.svg", "live.svg"])
def test_the_picture_fetches_nothing(name):
    picture = text_of("docs", "pictures", name)
    assert "@font-face" not in picture


def test_neither_engines_nor_the_command_line_pay_for_what_they_do_not_use():
    heavy = {"pyparsing", "trio", "pydantic", "rich", "tabulate", "numpy", "numba"}
    code = (
        "import sys; from oddly.interfaces.command_line import main; "
        "main(['engine', 'random']); print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="1 name\nquit\n", capture_output=True, text=True
    )
    assert done.stdout == "=1 random\n\n=\n\n"
    assert heavy & set(done.stderr.split()) == set()


def test_the_pictures_of_the_readme_are_small():
    readme = text_of("README.md")
    pictures = set(re.findall(r'(?:src|srcset)="(docs/[^"]+)"', readme))
    assert len(pictures) >= 4
    sizes = {picture: (ROOT / picture).stat().st_size for picture in pictures}
    assert {picture: size for picture, size in sizes.items() if size > 150_000} == {}


def test_the_workflows_call_the_script_that_anyone_may_run():
    script = text_of(".ci", "run")
    parts = re.search(r"^parts=\((.*)\)$", script, re.MULTILINE)[1].split()
    for part in parts:
        assert re.search(rf"^{part}\(\) \{{$", script, re.MULTILINE)
    called = []
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        called += [step["run"].split() for step in steps if step.get("run", "").startswith(".ci/")]
    runs = [words[1:] for words in called if words[0] == ".ci/run"]
    assert [] in runs
    assert {part for words in runs for part in words} <= set(parts)
