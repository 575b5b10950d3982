"""The schema and the documented examples of tournament files agree with the program's checks."""

import importlib.util
import json
import re
import tomllib
from dataclasses import fields

import jsonschema
import pytest
from pydantic import ValidationError

from oddly.interfaces.command_line import main
from oddly.protocol import TimeKind, parse_time_control
from oddly.tournaments.formats.format import FORMATS
from oddly.tournaments.formats.tournament import PLAYING_SETTINGS
from oddly.tournaments.toml.schema import key_tables, tournament_schema
from oddly.tournaments.toml.tables import CLOCKS, file_of_format, format_of, table_of_format
from tests.source import ROOT
from tests.tournaments.toml.test_tournament_file import GOOD, PROBLEMS, READY
from tests.tournaments.toml.written import tournament_file

SCHEMA = tournament_schema()
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def generator():
    path = ROOT / "tools" / "write_keys.py"
    spec = importlib.util.spec_from_file_location("write_keys", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATED = generator().generated()


@pytest.mark.parametrize("path", GENERATED)
def test_what_is_generated_is_what_the_generator_writes(path):
    there = (ROOT / path).read_text(encoding="utf-8")
    assert there == GENERATED[path], "python tools/write_keys.py writes it anew"


def test_it_is_a_schema():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]) == {"tournament", "game", "engine", "option"}


@pytest.mark.parametrize("path", READY, ids=lambda path: path.name)
def test_the_ready_files_keep_to_it(path):
    VALIDATOR.validate(tomllib.loads(path.read_text(encoding="utf-8")))


def test_the_examples_of_the_docs_keep_to_it():
    blocks = [
        block
        for page in (ROOT / "docs").rglob("*.md")
        for block in re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        if "[tournament]" in block and block.count("[[engine]]") > ("tuning" not in block)
    ]
    assert len(blocks) >= 3
    for block in blocks:
        VALIDATOR.validate(tomllib.loads(block))


def test_every_clock_that_the_keys_give_as_an_example_is_one():
    examples = re.findall(r"'(.+?)'", CLOCKS)
    kinds = {parse_time_control(example).kind for example in examples}
    assert kinds == set(TimeKind)


def is_read(value) -> bool:
    """Whether the models by which the program reads a file take this one."""
    try:
        file_of_format(format_of(value)).model_validate(value)
    except ValidationError:
        return False
    return True


PARTS = {
    "elo": ("rounds = 2", 'format = "sprt"\nelo0 = 0\nelo1 = 5', True),
    "tuning without options": ("rounds = 2", 'format = "tuning"\ngames = 4', False),
    "options without tuning": ("[[game]]", '[[option]]\nname = "a"\nlow = 0\nhigh = 1\n[[game]]',
                               False),
    "a number as a clock": ('"60+1"', "5", True),
    "one engine": ('[[engine]]\nname = "one"\ncommand = ["oddly", "engine", "greedy"]\n', "",
                   False),
    "another game's setting": ("size = 6", "pie = true", False),
    "a restart": ("rounds = 2", 'restart = "never"', True),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "is_good"), PARTS.values(), ids=PARTS)
def test_it_tells_right_from_wrong(old, new, is_good):
    assert old in GOOD
    assert VALIDATOR.is_valid(tomllib.loads(GOOD.replace(old, new, 1))) == is_good


def test_a_tuning_needs_one_engine_only():
    tuning = GOOD.replace("rounds = 2", 'format = "tuning"\ngames = 4')
    option = '[[option]]\nname = "a"\nlow = 0\nhigh = 1\n'
    tuned = tuning[: tuning.rindex("[[engine]]")] + option
    VALIDATOR.validate(tomllib.loads(tuned))


def test_it_refuses_what_reading_refuses_for_its_form_and_nothing_that_is_read():
    compared = 0
    for old, new, _ in PROBLEMS:
        # JSON has no nan, and what is endless only the reading itself is tried on.
        if "nan" in new or len(new) > 1000:
            continue
        try:
            value = tomllib.loads(GOOD.replace(old, new, 1))
        except ValueError:
            continue
        compared += 1
        assert VALIDATOR.is_valid(value) <= is_read(value), new
    assert compared > 40


def test_every_key_is_told_once_with_what_it_means():
    tables = key_tables(SCHEMA)
    told = {facts.key for rows in tables.values() for facts in rows}
    for name in FORMATS:
        assert set(table_of_format(name).model_fields) <= told
    assert set(PLAYING_SETTINGS) <= told
    for rows in tables.values():
        assert len({facts.key for facts in rows}) == len(rows)
        assert all(facts.meaning and facts.values for facts in rows)


@pytest.mark.parametrize("command", ["tournament", "tune", "bot"])
def test_the_commands_print_the_keys_and_the_schema(command, output):
    keys = output(command, "--keys")
    assert "[[engine]]\n" in keys
    assert max(map(len, keys.splitlines())) <= 100
    schema = json.loads(output(command, "--schema"))
    assert "engine" in schema["properties"]
    if command != "bot":
        assert schema == SCHEMA


PAGE = ROOT / "docs" / "reference" / "formats.md"
BLOCKS = re.findall(r"```toml\n(\[tournament\]\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
EXAMPLES = {
    tomllib.loads(block)["tournament"]["format"]: block
    for block in BLOCKS
    if "[[engine]]" not in block
}


def test_every_format_has_an_example():
    # A tuning has a page of its own.
    assert set(EXAMPLES) | {"gauntlet", "tuning"} == set(FORMATS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_passes_the_check(tmp_path, output, name):
    path = tournament_file(tmp_path, "example", game='game = "yodd"\nsize = 3')
    rest = path.read_text(encoding="utf-8")
    path.write_text(EXAMPLES[name] + rest[rest.index("[[game]]") :], encoding="utf-8")
    assert main(["tournament", str(path), "--check"]) == 0
    shown = output("tournament", path, "--dry-run")
    assert "yodd 3  one - two" in shown


def test_the_keys_of_the_examples_are_all_that_a_format_has():
    for name, block in EXAMPLES.items():
        keys = set(tomllib.loads(block)["tournament"]) - {"name", "format"}
        assert keys == {field.name for field in fields(FORMATS[name])}
