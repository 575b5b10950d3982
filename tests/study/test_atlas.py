"""The atlas of some studies, from their JSON to its files."""

import hashlib
import json

import pytest

from oddly.study.atlas import as_cell
from oddly.study.estimates import Estimate, IntervalMethod


def a_study(size, games, points):
    share = {"value": points, "low": points - 0.1, "high": points + 0.1, "interval": "wilson"}
    share["samples"] = games
    return {
        "title": f"Yodd {size}",
        "texts": {"In brief": f"Base {size} is <small>."},
        "facts": {
            "game": f"yodd {size}", "board": f"hexhex board of base {size}, 19 cells",
            "players": "random, rave 30", "games": "1,234 of 5 pairings",
            "fingerprint": "rave 0123456789ab",
        },
        "tables": {
            "balance": {"rows": [["rave 30", games, share, share]]},
            "trend": {"rows": [], "note": "The test says z = 1."},
            "pie": {"rows": [["best", "Bc3", share], ["fairest", "Ba1", share], ["x", "", 0.25]]},
            "ladder": {"rows": [["rave 30", "random", 8, share, "more than 99", None, share, 1]]},
        },
    }  # fmt: skip


def test_an_atlas_has_a_row_for_each_board_in_the_order_of_size(tmp_path, facts, output):
    for size, games, points in ((10, 40, 0.4), (3, 20, 0.6)):
        (tmp_path / f"yodd-{size}.json").write_text(json.dumps(a_study(size, games, points)))
    (tmp_path / "yodd-3.games.jsonl.xz").write_bytes(b"games")
    assert output("atlas", tmp_path).split() == [
        str(tmp_path / f"atlas.{suffix}") for suffix in ("md", "json", "html")
    ]
    tables = json.loads((tmp_path / "atlas.json").read_text())["tables"]
    assert [row[0] for row in tables["boards"]["rows"]] == ["Yodd 3", "Yodd 10"]
    hashed = "yodd-3.games.jsonl.xz", hashlib.sha256(b"games").hexdigest()
    assert tables["boards"]["rows"][0][1:] == ["rave 30", "1,234", "rave 0123456789ab", *hashed]
    assert tables["boards"]["rows"][1][-2:] == [None, None]
    assert next(iter(tables)) == "comparison"
    assert tables["comparison"]["rows"][0][:6:4] == ["Yodd 3", "rave 30"]
    assert tables["fairness"]["rows"][1][3]["value"] == 0.4
    assert tables["pie"]["rows"][0][-1] == 0.25
    text = (tmp_path / "atlas.md").read_text()
    assert "60.0 % [50.0, 70.0]" in text
    assert "more than 99" in text
    assert "## Yodd 10 in brief\n\nBase 10 is <small>." in text
    assert "Base 3 is &lt;small&gt;." in (tmp_path / "atlas.html").read_text()
    assert "Yodd 10: The test says z = 1." in text
    # What a study lacks is a dash, and the atlas is no study of its own.
    assert facts("atlas", tmp_path)["tables"] == tables


@pytest.mark.parametrize("number", ["²", "9" * 200])
def test_only_a_short_number_in_digits_is_a_size(tmp_path, facts, number):
    study = a_study(5, 40, 0.4)
    study["facts"]["board"] = f"hexhex board of base 5, {number * 30} cells"
    (tmp_path / f"yodd-{number}.json").write_text(json.dumps(study))
    (row,) = facts("atlas", tmp_path)["tables"]["comparison"]["rows"]
    assert row[:2] == ["Yodd 5", None]


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "[]",
        '{"facts": {}, "tables": {}}',
        '{"title": "", "facts": {"players": 5}}',
        '{"title": "", "texts": {"In brief": 5}}',
        *(
            f'{{"title": "", "tables": {tables}}}'
            for tables in (
                '{"length": {}}',
                '{"length": {"rows": 5}}',
                '{"length": {"rows": [["rave"]]}}',
                '{"balance": {"rows": [["rave", 5]]}}',
                '{"balance": {"rows": [["rave", 5, {"value": 1}, null]]}}',
                '{"ladder": {"rows": [["rave 9"]]}}',
                '{"trend": {}}',
            )
        ),
    ],
)
def test_a_folder_without_studies_is_one_sentence(tmp_path, refusal, text):
    if text is not None:
        (tmp_path / "yodd-3.json").write_text(text)
    said = refusal("atlas", tmp_path)
    assert said.count("\n") == 1
    assert ("is not the JSON of a study" if text is not None else "has no studies") in said


def test_a_cell_comes_back_from_its_json():
    facts = {"value": 0.5, "low": None, "high": None, "interval": "student", "samples": 1}
    assert as_cell(facts) == Estimate(0.5, None, None, IntervalMethod.STUDENT, 1)
    assert as_cell(None) is None
    assert as_cell([1]) == "[1]"
