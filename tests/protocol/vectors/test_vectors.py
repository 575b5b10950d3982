"""The conformance vectors: what the command writes, and what the brute force says too."""

import json
import re
from collections import defaultdict

import pytest

from oddly.games.catalogue import GAMES
from oddly.games.turns import Illegality
from tests.games import brute_force
from tests.games.brute_force import Naive
from tests.games.brute_force_perft import perft
from tools.vectors import __main__ as vectors_command
from tools.vectors.choice import GAMES as CHOSEN
from tools.vectors.facts import as_line, checksum
from tools.vectors.files import FILES, FOLDER

README = (FOLDER / "README.md").read_text(encoding="utf-8")
WORDS = {"B": "black", "W": "white"}

# Boards beyond which the brute force judges only a part of the positions and turns.
FEW_VERTICES = 50
MANY_VERTICES_EVERY = 16
FEW_SEQUENCES = 2_000


def lines_of(file: str) -> list[dict]:
    text = (FOLDER / file).read_text(encoding="ascii")
    return [json.loads(line) for line in text.splitlines()]


def naive_at(facts: dict, turns: list[str]) -> Naive:
    """The position after `turns`, by brute force; that they are legal is shown with whole games."""
    settings = {
        "odd": {"board": facts["board"], "min_group": facts["min_group"]},
        "ayu": {"pie": facts["pie"]},
    }.get(facts["game"], {})
    naive = brute_force.start(facts["game"], facts["size"], **settings)
    for turn in turns:
        naive = naive.after(turn)
    return naive


def label(facts: dict) -> str:
    return f"{facts['game']} {facts['size']} after {facts['turns']!r}"


@pytest.mark.sampled
@pytest.mark.parametrize("file", FILES)
def test_the_files_hold_what_the_command_writes(file: str) -> None:
    assert (FOLDER / file).read_text(encoding="ascii") == "".join(map(as_line, FILES[file]()))


def test_nothing_is_written_unless_asked_for(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["vectors", "--help"])
    monkeypatch.setattr(vectors_command, "make_files", lambda: pytest.fail("made files"))
    with pytest.raises(SystemExit) as exit_info:
        vectors_command.main()
    assert exit_info.value.code == 0
    monkeypatch.setattr("sys.argv", ["vectors"])
    monkeypatch.setattr(vectors_command, "make_files", lambda: [("boards.jsonl", "{}\n")])
    before = (FOLDER / "boards.jsonl").read_bytes()
    vectors_command.main()
    assert "would change" in capsys.readouterr().out
    assert (FOLDER / "boards.jsonl").read_bytes() == before


@pytest.mark.parametrize("file", FILES)
def test_every_line_is_flat_and_can_be_read_without_a_json_library(file: str) -> None:
    value = r'"[ !#-\[\]-~]*"|0|[1-9][0-9]{0,9}|true|false'
    field = rf'"[a-z_]+":(?:{value})'
    lines = (FOLDER / file).read_text(encoding="ascii").splitlines()
    assert [line for line in lines if not re.fullmatch(rf"\{{{field}(?:,{field})*\}}", line)] == []
    assert len({tuple(json.loads(line)) for line in lines}) == 1
    assert len(set(lines)) == len(lines)
    numbers = [value for line in lines for value in json.loads(line).values()]
    assert all(value < 2**31 for value in numbers if isinstance(value, int))


@pytest.mark.parametrize("file", FILES)
def test_the_readme_describes_every_field(file: str) -> None:
    section = README.split(f"## `{file}`")[1].split("\n## ")[0]
    common = README.split("## Fields that describe the game")[1].split("\n## ")[0]
    for field in lines_of(file)[0]:
        assert f"`{field}`" in section + common


def test_the_readme_s_checksums_are_right() -> None:
    numbers = re.findall(r"`pass` has (\d+), `Bk5` (\d+), and the two together (\d+)", README)
    assert numbers == [
        (str(checksum(["pass"])), str(checksum(["Bk5"])), str(checksum(["Bk5", "pass"])))
    ]


def test_the_files_stay_small() -> None:
    assert sum((FOLDER / file).stat().st_size for file in FILES) < 400_000


@pytest.mark.parametrize(
    "facts", lines_of("boards.jsonl"), ids=lambda f: f"{f['board']}{f['size']}"
)
def test_boards(facts: dict) -> None:
    shape = brute_force.hexhex if facts["board"] == "hexhex" else brute_force.square
    neighbours = shape(facts["size"])
    vertices = facts["vertices"].split()
    assert vertices == brute_force.canonical(neighbours)
    assert facts["count"] == len(vertices)
    assert 2 * facts["edges"] == sum(map(len, neighbours.values()))
    if facts["neighbours"]:
        named = [word.split(",") for word in facts["neighbours"].split()]
        expected = [brute_force.canonical(neighbours[vertex]) for vertex in vertices]
        assert named == expected


def test_positions() -> None:
    for number, facts in enumerate(lines_of("positions.jsonl")):
        naive = naive_at(facts, facts["turns"].split())
        vertices = brute_force.canonical(naive.neighbours)
        stones = "".join(naive.stones.get(vertex, ".") for vertex in vertices)
        assert facts["stones"] == stones, label(facts)
        assert facts["to_move"] == WORDS[naive.to_move]
        assert facts["passes"] == getattr(naive, "passes", 0)
        assert facts["may_swap"] == getattr(naive, "swap_open", False)
        assert (facts["black_groups"], facts["white_groups"]) == naive.counts
        is_small = len(vertices) <= FEW_VERTICES or number % MANY_VERTICES_EVERY == 0
        if facts["game"] != "ayu" or is_small:
            assert facts["result"] == (naive.result or "")
        legal = facts["legal"].split()
        assert len(set(legal)) == len(legal)
        if is_small and (facts["legal_complete"] or len(vertices) <= FEW_VERTICES):
            assert facts["legal_count"] == len(naive.legal_turns), label(facts)
            assert facts["legal_checksum"] == checksum(naive.legal_turns)
            assert set(legal) <= set(naive.legal_turns)
        else:
            assert [turn for turn in legal if naive.broken_rules(turn)] == [], label(facts)
        if facts["legal_complete"]:
            assert facts["legal_count"] == len(legal)
            assert facts["legal_checksum"] == checksum(legal)


def test_illegal_turns() -> None:
    for facts in lines_of("illegal.jsonl"):
        naive = naive_at(facts, facts["turns"].split())
        if facts["reason"] == "out_of_turn":
            assert facts["colour"] != WORDS[naive.to_move]
        else:
            assert facts["colour"] == WORDS[naive.to_move]
            assert facts["reason"].upper() in naive.broken_rules(facts["turn"]), label(facts)


def test_whole_games() -> None:
    for facts in lines_of("games.jsonl"):
        naive = naive_at(facts, [])
        counts = []
        for turn in facts["turns"].split():
            assert not naive.broken_rules(turn), label(facts)
            naive = naive.after(turn)
            counts.append("{},{}".format(*naive.counts))
        assert facts["groups"].split() == counts
        assert facts["result"] == naive.result, label(facts)
        endings = {"yodd": "double_pass", "xodd": "double_pass", "odd": "board_full"}
        ayu = "repetition" if naive.result == "0" else "no_moves"
        assert facts["ending"] == endings.get(facts["game"], ayu)


@pytest.mark.sampled
def test_perft() -> None:
    counts = defaultdict(list)
    for facts in lines_of("perft.jsonl"):
        keys = ("game", "size", "board", "min_group", "pie", "turns", "by")
        series = counts[tuple(facts[key] for key in keys)]
        series.append(facts)
        assert facts["depth"] == len(series)
    for series in counts.values():
        few = [facts["count"] for facts in series if facts["count"] < FEW_SEQUENCES]
        naive = naive_at(series[0], series[0]["turns"].split())
        # A count that falls again may lie behind one that is too large.
        if all(facts["count"] < FEW_SEQUENCES for facts in series[: len(few)]):
            assert perft(naive, len(few), series[0]["by"]) == few, label(series[0])


def test_notation_is_read_in_any_case_and_order_and_written_in_one() -> None:
    kinds = set()
    for facts in lines_of("notation.jsonl"):
        kinds.add(facts["kind"])
        assert (facts["kind"] == "malformed") == (not facts["canonical"])
        if facts["kind"] == "drops":
            drops = [drop[0].upper() + drop[1:].lower() for drop in facts["text"].split(",")]
            drops.sort(key=lambda drop: (int(drop[2:]), drop[1], drop[0]))
            assert facts["canonical"] == ",".join(drops)
        elif facts["canonical"]:
            assert facts["canonical"] == facts["text"].lower()
    assert kinds == {"drops", "move", "pass", "swap", "resign", "malformed"}


def test_every_way_to_a_position_is_part_of_a_whole_game() -> None:
    games = {tuple(facts.values())[:5]: [] for facts in lines_of("games.jsonl")}
    for facts in lines_of("games.jsonl"):
        games[tuple(facts.values())[:5]].append(facts["turns"] + " ")
    for file in ("positions.jsonl", "illegal.jsonl"):
        for facts in lines_of(file):
            way = facts["turns"] and facts["turns"] + " "
            assert any(turns.startswith(way) for turns in games[tuple(facts.values())[:5]])


def test_every_game_every_reason_every_ending_and_the_default_sizes_are_there() -> None:
    illegal = lines_of("illegal.jsonl")
    reasons = {facts["reason"] for facts in illegal}
    # "forbidden" is for the games of other packages.
    ours = {rule.name.lower() for rule in Illegality} - {"forbidden"}
    assert reasons == ours | {"out_of_turn"}
    for reason in reasons:
        assert f"| `{reason}` |" in README
    assert {game.name for game in CHOSEN} == set(GAMES)
    assert {GAMES[name]().size for name in GAMES} <= {game.size for game in CHOSEN}
    endings = {facts["ending"] for facts in lines_of("games.jsonl")}
    assert endings == {"double_pass", "board_full", "no_moves", "repetition"}
    for facts in illegal:
        games = README.split(f"| `{facts['reason']}` | ")[1].split(" |")[0]
        assert games == "all" or facts["game"].capitalize() in games


@pytest.mark.parametrize("value", ['a"b', "a\\b", "é", "a\nb", -1])
def test_what_would_need_an_escape_is_no_fact(value: object) -> None:
    with pytest.raises(ValueError, match="field"):
        as_line({"field": value})
