"""The check finds broken engines: a few mutants, drawn by the commit; `--soak` tries them all."""

import json
import subprocess
import sys
from random import Random

import pytest

from oddly.referee.check import mutation_score as kit
from tests.sampling import sample_number
from tools.mutation.mutants import MUTANTS
from tools.mutation.results import BEGIN, DOCS, END, REASONS, read, section
from tools.mutation.score import find, make_engine

SAMPLE = Random(sample_number()).sample(
    [mutant for mutant in MUTANTS if mutant.name not in REASONS], 2
)


def names(mutants):
    return [mutant.name for mutant in mutants]


def test_every_mutant_is_another_program(tmp_path):
    good = make_engine(tmp_path, None)[1]
    texts = set()
    for mutant in MUTANTS:
        make_engine(tmp_path, mutant)
        text = (tmp_path / "full.py").read_text() + (tmp_path / "whole.py").read_text()
        texts.add(text)
    assert good.endswith("whole.py")
    assert len(texts) == len(set(names(MUTANTS))) == len(MUTANTS) >= 100


def test_the_score_is_that_of_these_mutants_and_high_enough():
    results = read()
    assert {name: each["patch"] for name, each in results.items()} == {
        mutant.name: mutant.digest for mutant in MUTANTS
    }
    assert list(results) == names(MUTANTS)
    by_check = sum(bool(each["check"]) for each in results.values())
    by_both = sum(bool(each["check"] or each["vectors"]) for each in results.values())
    assert by_check >= 0.9 * len(MUTANTS)
    assert by_both >= 0.95 * len(MUTANTS)
    assert (len(MUTANTS), by_check) == (kit.MUTANTS, kit.FOUND)


def test_the_docs_tell_the_score_and_why_each_survivor_survives():
    results = read()
    told = DOCS.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    assert told == section(results)
    missed = {name for name, each in results.items() if not (each["check"] or each["vectors"])}
    assert missed == set(REASONS)


@pytest.mark.timed
@pytest.mark.parametrize("mutant", SAMPLE, ids=names(SAMPLE))
def test_a_mutant_of_the_sample_comes_out_as_recorded(mutant):
    assert bool(find(mutant).by_check) == bool(read()[mutant.name]["check"])


@pytest.mark.soak
@pytest.mark.parametrize("mutant", MUTANTS, ids=names(MUTANTS))
def test_every_mutant_comes_out_as_recorded(mutant):
    found, recorded = find(mutant), read()[mutant.name]
    assert bool(found.by_check) == bool(recorded["check"])
    assert found.by_check or found.by_vectors == recorded["vectors"]


def test_a_certificate_has_versions_and_the_score(tmp_path):
    path = tmp_path / "certificate.json"
    words = ["check", "seq 9", "--game", "odd", "--certify", str(path)]
    done = subprocess.run([sys.executable, "-m", "oddly", *words], capture_output=True)
    assert done.returncode == 1
    facts = json.loads(path.read_text())
    assert facts["game"] == {"name": "odd", "size": 5, "board": "hexhex", "min_group": 5}
    assert set(facts["versions"]) == {"oddly", "protocol", "gtp"}
    assert facts["kit"]["mutation_score"] >= 0.9
    assert not facts["keeps_every_must"]
    assert facts["report"]["failed"] == 1


def test_a_certificate_that_cannot_be_written_costs_no_result(tmp_path):
    path = tmp_path / "missing" / "certificate.json"
    words = ["check", "seq 9", "--game", "odd", "--certify", str(path)]
    done = subprocess.run([sys.executable, "-m", "oddly", *words], capture_output=True)
    assert done.returncode == 2
    assert b"1 failed" in done.stdout
    assert done.stderr.endswith(b"certificate.json: No such file or directory\n")
