"""Counts and lists that pages tell in words are those of what is there."""

import re

import yaml

from oddly.engines.kernels.jit import NOTICE
from oddly.games.catalogue import GAMES, OWN_GAMES
from tests.source import PACKAGES, ROOT

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
DOCS = ROOT / "docs"


def words_of(*path):
    return " ".join(DOCS.joinpath(*path).read_text(encoding="utf-8").split())


def studied():
    return sorted(path.stem for path in (DOCS / "studies").glob("*-*.json"))


def test_pages_count_the_studied_boards():
    boards = f"{NUMBERS[len(studied())]} boards"
    for page in (("explanation", "faq.md"), ("how-to", "study-a-game.md")):
        assert boards in words_of(*page), page
    defaults = {f"{name}-{GAMES[name]().size}" for name in OWN_GAMES}
    assert defaults - {*studied()} == set()
    assert len(defaults) == NUMBERS.index("four")


def test_what_is_called_the_atlas_leads_to_it():
    leads = {
        (page.name, target)
        for page in DOCS.rglob("*.md")
        for target in re.findall(
            r"\[the atlas\]\(([^)]+)\)", page.read_text(encoding="utf-8"), re.IGNORECASE
        )
    }
    assert len(leads) > 2
    assert {lead for lead in leads if not lead[1].endswith("atlas.md")} == set()


def test_the_page_of_the_library_names_the_packages_with_pages_of_signatures():
    sections = yaml.safe_load((DOCS / "site.yml").read_text(encoding="utf-8"))["nav"]
    found = list(of_key(sections, "Python API"))
    assert len(found) == 1
    packages = [f"oddly.{name}" for name in found[0] if name != "start"]
    sentence = re.search(
        r"page of signatures for (\w+) packages: ([^:]*?)\. ", words_of("python", "README.md")
    )
    assert sentence is not None
    assert NUMBERS.index(sentence[1]) == len(packages)
    assert re.findall(r"oddly\.\w+", sentence[2]) == packages


def test_all_pages_say_of_compiling_what_was_measured_and_what_the_program_says():
    table = words_of("reference", "benchmarks.md").partition("| board | s | units | s of both")[2]
    seconds = [float(row) for row in re.findall(r"\| \w+ \d+ \| ([\d.]+) \|", table)[:4]]
    (said,) = re.findall(r"some (\d+) seconds", NOTICE)
    assert round(max(seconds), -1) == int(said)
    told = {
        (page.name, each)
        for page in DOCS.rglob("*.md")
        for each in re.findall(r"compiles[^.]{1,90}some ([\w ]+?) seconds", words_of(page))
    }
    assert len(told) > 2
    assert {each for _, each in told} == {said}


def test_pages_name_every_package():
    every = {f"oddly.{name}" for name in PACKAGES}
    table = re.findall(
        r"^\| \[(oddly\.\w+)\]", (DOCS / "python" / "README.md").read_text(), re.MULTILINE
    )
    assert (sorted(table), len(table)) == (sorted(every), len(every))
    start = words_of("how-to", "use-from-python.md").partition(" The names in")[0]
    assert set(re.findall(r"`(oddly\.\w+)`", start)) == every


def of_key(tree, key):
    """Yield what stands at `key`, wherever that is in lists and mappings."""
    if isinstance(tree, dict):
        if key in tree:
            yield tree[key]
        tree = list(tree.values())
    for each in tree if isinstance(tree, list) else ():
        yield from of_key(each, key)


def test_the_readme_says_of_speed_what_the_table_of_the_referee_says():
    page = (ROOT / "docs" / "reference" / "benchmarks.md").read_text(encoding="utf-8")
    table = page.partition("python -m benchmarks.referee --quick -->")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[3:]]
    ours, fastchess = ([int(row[column]) for row in rows] for column in (1, 5))
    lone, eight = (int(row[2]) / int(row[6]) for row in (rows[0], rows[-1]))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"a lone game takes {lone:.1f} times as long per turn as in fastchess" in readme
    assert f"eight at once {eight:.1f} times" in readme
    assert f"{min(ours)} to {max(ours)} µs a turn against {min(fastchess)} to" in readme
    assert f" to {max(fastchess)} (" in readme
