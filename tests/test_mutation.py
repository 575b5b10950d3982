"""The check finds broken engines and names why: a few mutants of each run; `--soak` tries all."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from oddly.referee.check import mutation_score as kit
from tests.sampling import sample_number
from tools.mutation import by_operator
from tools.mutation.mutants import MUTANTS
from tools.mutation.operators import NUMBERS, sample
from tools.mutation.results import BEGIN, DOCS, END, FEW, MISNAMED, REASONS, read, section
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
    few = sum(0 < each["unmarked"] <= FEW for each in results.values())
    assert by_check >= 0.97 * len(MUTANTS)
    assert by_both >= 0.97 * len(MUTANTS)
    assert few >= 0.9 * by_check
    assert len(MISNAMED) <= 0.1 * by_check
    assert set(names(MUTANTS)) >= MISNAMED
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
    assert bool(find(mutant, until_failure=True).by_check) == bool(read()[mutant.name]["check"])


@pytest.mark.soak
@pytest.mark.parametrize("mutant", MUTANTS, ids=names(MUTANTS))
def test_every_mutant_comes_out_as_recorded(mutant):
    found, recorded = find(mutant, until_failure=True), read()[mutant.name]
    assert bool(found.by_check) == bool(recorded["check"])
    assert found.by_check or found.by_vectors == recorded["vectors"]


DRAWN = sample()


def test_mutants_by_operator_are_all_different_and_drawn_as_they_are_now():
    """Where the engines have changed since, the docs say so: see the next test."""
    kept = json.loads(by_operator.RESULTS.read_text(encoding="utf-8"))
    if by_operator.are_of_today(kept):
        assert [each["name"] for each in kept] == [mutation.name for _, mutation in DRAWN]
    assert len(kept) == len({each["name"] for each in kept}) == sum(NUMBERS.values())


def test_mutants_by_operator_are_found_by_the_check_and_survivors_spoil_nothing():
    kept = json.loads(by_operator.RESULTS.read_text(encoding="utf-8"))
    others = [each for each in kept if each["name"] not in by_operator.EQUAL]
    assert sum(bool(each["check"]) for each in others) >= 0.97 * len(others)
    assert [each["spoils"] for each in kept if each["spoils"]] == []
    unseen = [each for sample in by_operator.unseen().values() for each in sample]
    assert [each["spoils"] for each in unseen if each["spoils"]] == []
    survivors = {each["name"] for each in (*kept, *unseen) if not each["check"]}
    assert survivors == set(by_operator.EQUAL) | set(by_operator.MISSED)
    told = DOCS.read_text(encoding="utf-8").split(by_operator.BEGIN)[1].split(by_operator.END)[0]
    assert told == by_operator.section(kept)


@pytest.mark.soak
@pytest.mark.parametrize("drawn", DRAWN, ids=[mutation.name for _, mutation in DRAWN])
def test_every_mutant_by_operator_comes_out_as_recorded(drawn):
    kept = json.loads(by_operator.RESULTS.read_text(encoding="utf-8"))
    if not by_operator.are_of_today(kept):
        pytest.skip("the engines have changed since the mutants were drawn")
    recorded = {each["name"]: each for each in kept}[drawn[1].name]
    found = by_operator.find(*drawn)
    assert bool(found["check"]) == bool(recorded["check"])
    assert found["spoils"] == recorded["spoils"]


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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_a_certificate_that_does_not_fit_on_the_disk_costs_no_result():
    words = ["check", "seq 9", "--game", "odd", "--certify", "/dev/full"]
    done = subprocess.run([sys.executable, "-m", "oddly", *words], capture_output=True)
    assert done.returncode == 2
    assert b"1 failed" in done.stdout
    assert done.stderr.endswith(b"cannot write /dev/full: No space left on device\n")
