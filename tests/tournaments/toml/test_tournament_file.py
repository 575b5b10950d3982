"""Tournament files: what is right is read, what is wrong gets a sentence with its line."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games import install_command
from oddly.protocol import parse_time_control
from oddly.protocol.codec import MAX_LINE
from oddly.protocol.messages import MAX_ID
from oddly.tournaments import RoundRobin, TournamentFileError, load_tournament
from oddly.tournaments.toml.checking import TomlLines

ROOT = Path(__file__).parents[3]

GOOD = """\
[tournament]
name = "club"
rounds = 2
seed = 7
time = "60+1"

[[game]]
game = "yodd"
size = 6

[[game]]
game = "odd"
board = "square"
min_group = 3

[[engine]]
name = "one"
command = ["oddly", "engine", "greedy"]

[[engine]]
name = "two"
command = ["oddly", "engine", "random"]
time = 0.5
options = { seed = 42 }
"""


def load(tmp_path: Path, text: str):
    path = tmp_path / "club.toml"
    path.write_text(text, encoding="utf-8")
    return load_tournament(path)


def refusal(tmp_path: Path, old: str, new: str) -> str:
    """The problems of the good file with one change, without the folder."""
    good = GOOD.replace("rounds = 2", 'format = "match"') if "three" in new else GOOD
    assert old in good
    with pytest.raises(TournamentFileError) as caught:
        load(tmp_path, good.replace(old, new, 1))
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_a_good_file_is_read_whole(tmp_path):
    tournament = load(tmp_path, GOOD)
    assert (tournament.name, tournament.seed) == ("club", 7)
    assert tournament.format == RoundRobin(2)
    assert [str(game) for game in tournament.games] == [
        "yodd 6",
        "odd 5 (board square, min_group 3)",
    ]
    one, two = tournament.engines
    assert (one.name, str(one.time)) == ("one", "60+1")
    assert Path(one.command[0]).is_absolute()
    assert one.command[1:] == ("engine", "greedy")
    assert (str(two.time), two.options) == ("0.5", {"seed": "42"})


def test_a_clock_given_beside_the_file_is_for_engines_without_their_own(tmp_path):
    path = tmp_path / "club.toml"
    path.write_text(GOOD, encoding="utf-8")
    one, two = load_tournament(path, parse_time_control("3")).engines
    assert (str(one.time), str(two.time)) == ("3", "0.5")


READY = sorted(
    # The engines of languages.toml must be built first: tests/examples/ does that, and plays it.
    path
    for path in (ROOT / "examples" / "tournaments").glob("*.toml")
    if path.name != "languages.toml"
)


@pytest.mark.parametrize("path", READY, ids=lambda path: path.name)
def test_the_ready_files_are_good(path):
    assert load_tournament(path).games


PROBLEMS = [
    ("rounds = 2", "round = 2", "3: unknown key 'round' in [tournament]; did you mean 'rounds'?"),
    ("size = 6", "sice = 6", "9: unknown key 'sice' in [[game]] number 1; did you mean 'size'?"),
    ("time = 0.5", "tine = 0.5",
     "23: unknown key 'tine' in [[engine]] number 2; did you mean 'time'?"),
    ("[[game]]\n", "[[gane]]\n", "7: unknown key 'gane' in the file; did you mean 'game'?"),
    ("rounds = 2", 'rounds = "2"', "3: tournament rounds should be a whole number, not '2'"),
    ("rounds = 2", "rounds = 0", "3: tournament rounds should be greater than or equal to 1"),
    ("size = 6", "size = 6.5", "9: game 1 size should be a whole number, not 6.5"),
    ('["oddly", "engine", "greedy"]', '"oddly"',
     "18: engine 1 command should be a list, not 'oddly'"),
    ('["oddly", "engine", "greedy"]', "[]", "18: 1 word or more expected in engine 1 command"),
    ('name = "club"\n', "", "1: [tournament] lacks the key 'name'"),
    ('game = "yodd"', 'game = "yod"', "8: unknown game 'yod'"),
    ("size = 6", "size = 99", "9: unacceptable size 99: Yodd"),
    ("size = 6", "min_group = 3", "9: yodd has no setting 'min_group'"),
    ("size = 6", 'openings = ""', "9: game 1 openings should not be empty"),
    ("size = 6", 'openings = "a\\u0000b"',
     "9: game 1 openings should be a path, without the character U+0000, not 'a\\x00b'"),
    ("time = 0.5", 'directory = "\\u0000"', "23: engine 2 directory should be a path, without"),
    ("min_group = 3", "min_group = 0", "14: min_group 0 is too small"),
    ('board = "square"', 'board = "sqare"', "13: unknown board 'sqare'"),
    ('"60+1"', '"60+"', "5: malformed time control '60+': expected seconds, turns/seconds"),
    ("time = 0.5", "time = -1", "23: malformed time control '-1'"),
    ('name = "two"', 'name = "one"', "21: two engines are 'one'"),
    ('name = "two"', 'name = "t\\u001bwo"', "21: a name has visible characters only"),
    ('name = "two"', 'name = " "', "21: a name has visible characters only"),
    ("seed = 42 }", "seed = '' }", "24: option 'seed' = '' cannot be sent"),
    ("seed = 42 }", "seed = 'a # b' }", "24: option 'seed' = 'a # b' cannot be sent"),
    ("seed = 42 }", f"seed = '{'x' * 70_000}' }}",
     (f"24: option 'seed' = '{'x' * 59}... cannot be sent: a name and a value that fit into a line "
      "of 65,536 bytes expected")),
    ('"oddly", "engine", "greedy"', '"oddlly"', "18: engine 'one': no program 'oddlly' on PATH"),
    ('"oddly", "engine", "greedy"', '"./nothing"', "18: engine 'one': there is no file"),
    ("rounds = 2", "rounds = = 2", "3: not TOML, at column 10"),
    ("rounds = 2", "[tournament]", "3: not TOML, at column 12: [tournament] is there already"),
    ("rounds = 2", "'na.me'.x = 2\n\"na.me\" . 'x' = 3  # x.y",
     "4: not TOML, at column 18: 'na.me.x' clashes with an earlier key or table"),
    ("[[engine]]", "[engine]",
     "20: not TOML, at column 9: [[engine]] clashes with an earlier key or table"),
    ("rounds = 2", "seed = [\n1,\n]", "6: not TOML, at column 9: 'seed' is there already"),
    ("seed = 7", "seed = 7\nseed = [\n1,\n]",
     "7: not TOML, at column 2: a key that ends here clashes with an earlier one"),
    ("seed = 7", "seed = 7\nseed.x = 1", "5: not TOML, at column 11: 'seed.x' clashes with"),
    ("seed = 42", "seed = 42, seed = 3",
     "24: not TOML, at column 32: Duplicate inline table key 'seed'"),
    ("rounds = 2", 'format = "swis"',
     ("3: tournament format should be 'round-robin', 'gauntlet', 'swiss', 'knockout', "
     "'match', 'sprt', 'rating-pool' or 'tuning', not 'swis'; did you mean 'swiss'?")),
    ("rounds = 2", "until = 30",
     "3: 'until' is a key of the format rating-pool; this one has rounds"),
    ("rounds = 2", 'format = "knockout"\nrounds = 2',
     ("4: 'rounds' is a key of the formats round-robin and gauntlet and swiss; this "
     "one has pairs and extra_pairs")),
    ("rounds = 2", 'format = "rating-pool"\nuntill = 2',
     "4: unknown key 'untill' in [tournament]; did you mean 'until'?"),
    ("rounds = 2", 'format = "sprt"\nelo0 = 0', "1: [tournament] lacks the key 'elo1'"),
    ("rounds = 2", 'format = "sprt"\nelo0 = 5\nelo1 = 0',
     "5: elo0 must be below elo1, not 5.0 and 0.0"),
    ("rounds = 2", 'format = "sprt"\nelo0 = 0\nelo1 = 5\nalpha = 0.5\nbeta = 0.6',
     ("7: alpha and beta must be above 0 and below 1 together, not 0.5 and 0.6, whose sum is "
     "1.1")),
    ("rounds = 2", 'format = "sprt"\nelo0 = 0\nelo1 = 5\nbeta = 0.97',
     ("6: alpha and beta must be above 0 and below 1 together, not 0.05 and 0.97, whose sum is "
     "1.02")),
    ("rounds = 2", 'format = "sprt"\nelo0 = 0\nelo1 = 5\nalpha = 0.97',
     "6: alpha and beta must be above 0 and below 1 together, not 0.97 and 0.05"),
    ("rounds = 2", 'format = "sprt"\nelo0 = 0\nelo1 = 5\nscale = "logistics"',
     ("6: tournament scale should be 'logistic', 'normalised' or 'bradley-terry', not "
     "'logistics'; did you mean 'logistic'?")),
    ("rounds = 2", 'format = "rating-pool"\ngames = 7',
     "4: tournament games should be a multiple of 2, not 7"),
    ("rounds = 2", 'format = "rating-pool"\nuntil = nan',
     "4: tournament until should be a finite number, not nan"),
    ("\ntime = 0.5\noptions = { seed = 42 }\n",
     '\n[[engine]]\nname = "three"\ncommand = ["oddly"]\n',
     "3: the format 'match' needs two engines, not 3"),
    ("time = 0.5", "directory = '/nowhere'", "23: there is no directory '/nowhere'"),
    ("time = 0.5", f"directory = '{'x' * 300}'", f"23: there is no directory '{'x' * 300}'"),
    ('"oddly", "engine", "greedy"', f'"./{"x" * 300}"', "18: engine 'one': there is no file"),
    ("time = 0.5", "nice = 99", "23: engine 2 nice should be less than or equal to 19, not 99"),
    ("time = 0.5", "environment = { 'A=B' = '1' }", "23: 'A=B' cannot name a variable"),
    ("time = 0.5", 'environment = { A = "x\\u0000" }',
     "23: variable 'A' = 'x\\x00' cannot be set: text without U+0000 expected"),
    ("seed = 7", 'adjudicator = "oddly engine \'rave"',
     "4: adjudicator \"oddly engine 'rave\": 'rave' lacks its closing quotation mark '"),
    ("seed = 7", 'adjudicator = " "',
     "4: adjudicator ' ': the command is empty: expected a program and its arguments"),
    ("seed = 7", 'adjudicator = ""', "4: tournament adjudicator should not be empty"),
    ("time = 0.5", "memory = -1", "23: engine 2 memory should be greater than or equal to 0"),
    ("time = 0.5", "pipelining = 1", "23: engine 2 pipelining should be true or false, not 1"),
    ("time = 0.5", "time = inf", "23: malformed time control 'Infinity'"),
    ("rounds = 2", "rounds = true", "3: tournament rounds should be a whole number, not true"),
    ("rounds = 2", "rounds = 2001-01-01",
     "3: tournament rounds should be a whole number, not 2001"),
    ("seed = 7", f"seed = 0x{'f' * 5000}", "4: tournament seed should be less than 92233720368547"),
    ("size = 6", f"size = 0x{'f' * 5000}",
     "9: game 1 size should be less than 9223372036854775808"),
    ("seed = 42", f"seed = 0x{'f' * 5000}", "24: engine 2 options seed should be text in quotes"),
    ("seed = 7", f"seed = {'9' * 5000}", " a number has too many digits"),
    ("seed = 7", f"deep = {'[' * 5000}{']' * 5000}", " lists or tables are nested too deeply"),
    ("seed = 7", f"{'a.' * 100_000}b = 1", " a key has more than 16 parts"),
    ("seed = 7", f"[{'a . ' * 100_000}b]", " a key has more than 16 parts"),
    ("[[game]]", "[[engine]]\n" * 500 + "[[game]]", " 502 engines: a tournament has at most 500"),
    ("[tournament]", "[[tournament]]", "1: tournament should be a table, not a list"),
    ('"60+1"', '"60+1"\n"\\u001b[31m" = 1', "6: unknown key '\\x1b[31m' in [tournament]"),
    ('name = "two"', 'name = ""', "21: engine 2 name should not be empty"),
    ('name = "two"', f'name = "{"n" * 65}"', "21: engine 2 name should have at most 64 characters"),
    ('name = "two"', 'name = "one "', "21: a name must have no spaces around it, not 'one '"),
    ('"club"', '"!"', "2: a letter or digit is missing in '!'"),
    ('"greedy"', '"\\u0000"', "18: a command cannot hold the character U+0000"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "sentence"), PROBLEMS, ids=[p[2][:40] for p in PROBLEMS])
def test_a_problem_is_told_in_one_sentence_with_its_line(tmp_path, old, new, sentence):
    said = refusal(tmp_path, old, new)
    assert said.startswith(f"club.toml:{sentence}")
    assert "\n" not in said


def test_what_should_not_be_empty_is_not_quoted(tmp_path):
    said = refusal(tmp_path, "seed = 7", 'adjudicator = ""')
    assert said.endswith(" tournament adjudicator should not be empty")


def test_an_option_may_fill_the_longest_line(tmp_path):
    longest = MAX_LINE - len(f"{MAX_ID} set_option seed \n")
    value = "x" * longest
    assert load(tmp_path, GOOD.replace("42", f"'{value}'")).engines[1].options == {"seed": value}
    assert "24: option 'seed' = 'xxx" in refusal(tmp_path, "42", f"'{value}x'")


def test_the_opponent_of_a_tuned_engine_is_not_called_as_one_of_its_sides(tmp_path):
    tuning = GOOD.replace("rounds = 2", 'format = "tuning"\ngames = 4')
    option = '[[option]]\nname = "a"\nlow = 0\nhigh = 1\n'
    with pytest.raises(
        TournamentFileError, match="22: the two sides of 'one' are called 'one \\+'"
    ):
        load(tmp_path, tuning.replace('"two"', '"one -"') + option)


@pytest.mark.parametrize(("name", "line"), [("one", 19), ("two", 23)])
def test_no_engine_of_a_tuning_is_paused(tmp_path, name, line):
    """The bug: a paused engine was tuned all the same, and a paused opponent left no game."""
    tuning = GOOD.replace("rounds = 2", 'format = "tuning"\ngames = 4')
    paused = tuning.replace(f'name = "{name}"', f'name = "{name}"\nactive = false')
    option = '[[option]]\nname = "a"\nlow = 0\nhigh = 1\n'
    with pytest.raises(TournamentFileError, match=f":{line}: a tuning plays all its engines"):
        load(tmp_path, paused + option)


def test_dots_in_texts_and_comments_make_no_long_key(tmp_path):
    dots = ".".join("abcdefghijklmnopqrst")
    text = GOOD.replace('"greedy"]', f'"greedy", "{dots}"]')
    text = text.replace("[[game]]", f"# {dots}\n[[game]]  # {dots}", 1)
    assert load(tmp_path, text).engines[0].command[-1] == dots


def test_all_problems_are_told_at_once_in_the_order_of_the_file(tmp_path):
    text = GOOD.replace("size = 6", "size = 99").replace("60+1", "x").replace('"one"', '"two"')
    with pytest.raises(TournamentFileError) as caught:
        load(tmp_path, text)
    lines = [line.split(":")[1] for line in str(caught.value).splitlines()]
    assert lines == ["5", "9", "21"]


FIRST_GAME, SECOND_GAME = GOOD.index("[[game]]"), GOOD.index('[[game]]\ngame = "odd"')
ENGINES = GOOD.index("[[engine]]")
WHOLE = {
    GOOD[: GOOD.rindex("[[engine]]")]: r"2 \[\[engine\]\] tables or more expected",
    GOOD[:FIRST_GAME] + GOOD[ENGINES:]: r"the file lacks the table \[\[game\]\]",
    GOOD[:SECOND_GAME].replace("[[game]]", "[game]") + GOOD[ENGINES:]: (
        r"7: game should be written \[\[game\]\], not"
    ),
    GOOD + '\n[[game]]\ngame = "yodd"\nsize = 6\n': "two games are 'yodd 6'",
    GOOD.replace('"one"', '"None"').replace('"two"', '"None"'): "21: two engines are 'None'",
    GOOD.replace('"oddly", "engine", "greedy"', f'"{ROOT}/README.md"'): "not an executable file",
}


@pytest.mark.parametrize("text", WHOLE, ids=WHOLE.values())
def test_a_problem_of_the_whole_file_is_told(tmp_path, text):
    with pytest.raises(TournamentFileError, match=WHOLE[text]):
        load(tmp_path, text)


def test_an_engine_may_be_called_none(tmp_path):
    assert load(tmp_path, GOOD.replace('"one"', '"None"')).engines[0].name == "None"


def test_numbers_reach_an_engine_as_they_were_meant(tmp_path):
    text = GOOD.replace("seed = 42", "a = 1e-7, b = 2.50, c = true, d = -3, e = 'so so'")
    options = load(tmp_path, text).engines[1].options
    assert options == {"a": "0.0000001", "b": "2.5", "c": "true", "d": "-3", "e": "so so"}


def test_a_byte_order_mark_and_dos_line_ends_are_no_problem(tmp_path):
    path = tmp_path / "club.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_tournament(path).name == "club"


def test_files_that_cannot_be_read_are_told_apart(tmp_path):
    shutil.copy(ROOT / "examples" / "tournaments" / "yodd.toml", tmp_path / "yodd.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n")
    (tmp_path / "large.toml").write_bytes(b"#" * (1 << 21))
    (tmp_path / "endless.toml").symlink_to("/dev/zero")
    for name, words in [
        ("endless.toml", "is larger than"),
        ("yod.toml", "there is no file .*yod.toml; did you mean 'yodd.toml'?"),
        ("latin.toml", "not UTF-8 text, at byte 5"),
        ("large.toml", "is larger than"),
        (".", "is a directory"),
    ]:
        with pytest.raises(TournamentFileError, match=words):
            load_tournament(tmp_path / name)


@given(st.integers(0, len(GOOD)), st.integers(0, 30), st.text('[]="\n.#x1{}', max_size=12))
@settings(max_examples=150)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(tmp_path_factory, start, length, new):
    text = GOOD[:start] + new + GOOD[start + length :]
    folder = tmp_path_factory.getbasetemp()
    try:
        tournament = load(folder, text)
    except TournamentFileError:
        return
    assert len(tournament.engines) >= 2


ANY_TEXT = st.text(max_size=60) | st.text("[]=\"'\n.#x1{}\\ ", max_size=60)


@given(st.binary(max_size=60) | ANY_TEXT.map(lambda text: text.encode(errors="replace")))
def test_any_bytes_are_refused_as_no_tournament(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "bytes.toml"
    path.write_bytes(data)
    with pytest.raises(TournamentFileError):
        load_tournament(path)


def test_a_long_line_of_spaces_takes_no_longer_than_its_length(tmp_path):
    text = GOOD + " " * 1_000_000 + "\n"
    assert load(tmp_path, text).name == "club"


def test_keys_in_strings_lists_and_comments_are_not_taken_for_keys():
    lines = TomlLines(
        '[a]\ntext = """\nx = 1\n[b]\n"""\nlist = [ # [c]\n[1],\n["]"]\n]\n'
        "raw = '''\nx = 2'''\n# \u2028 x = 3\n x = 4\n[ 'b' . c ] # [d]\nx.y = 5\n"
    )
    found = [("a", "list"), ("a", "raw"), ("a", "x"), ("b", "c"), ("b", "c", "x", "y")]
    assert [lines.find(place) for place in found] == [6, 10, 13, 14, 15]


PRINTABLE = st.characters(exclude_categories=("C", "Z")) | st.just(" ")
KEYS = st.text(PRINTABLE, min_size=1, max_size=6)
VALUES = st.sampled_from(
    ["1", '"# = ["', "'''\nk = 1\n[t]'''", '[\n"]", # ]\n[2]\n]', '{ k = "}" }', '"""\n"""']
)


@given(st.lists(st.tuples(KEYS, VALUES), max_size=8, unique_by=lambda pair: pair[0]))
def test_every_key_of_any_table_is_found_on_its_line(pairs):
    text = '["the table"]\n'
    wanted = {}
    for key, value in pairs:
        wanted[key] = text.count("\n") + 1
        text += f"{json.dumps(key, ensure_ascii=False)} = {value}\n"
    assert tomllib.loads(text)["the table"].keys() == wanted.keys()
    assert {key: TomlLines(text).find(("the table", key)) for key in wanted} == wanted


def test_keys_are_found_in_dotted_and_nested_tables():
    lines = TomlLines('a.b = 1\n[[engine]]\nname = 1\n[[engine]]\n[engine.options]\n"se ed" = 2\n')
    engine = ("engine", 1)
    found = [("a", "b"), ("engine", 0, "name"), engine, (*engine, "options", "se ed")]
    assert [lines.find(place) for place in found] == [1, 3, 4, 6]
    assert (lines.find((*engine, "nothing")), lines.find(("nowhere",))) == (4, 1)


def test_a_swiss_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "swiss.toml"
    path.write_text(GOOD.replace('name = "club"', 'name = "club"\nformat = "swiss"'))
    assert load_tournament(path).format.name == "swiss"
    monkeypatch.setattr("oddly.tournaments.formats.swiss_pairing.find_spec", lambda name: None)
    with pytest.raises(TournamentFileError) as error:
        load_tournament(path)
    assert str(error.value) == (
        f"{path}:3: the format 'swiss' needs the package rustworkx: " + install_command("swiss")
    )
