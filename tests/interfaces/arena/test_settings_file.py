"""ARENA.toml: what it may have, and one sentence for each thing that is wrong."""

import pytest

from oddly.arena.registry import RegistrationPolicy
from oddly.arena.wire.members import MAX_POOLS
from oddly.interfaces.arena.settings_file import ArenaFileError, load_arena

FILE = """\
[arena]
name = "Mine"
registration = "invitation"
hosts = ["arena.example.org"]
proxies = ["10.0.0.2", "172.17.0.0/16"]

[[pool]]
game = "yodd"
size = 4
time = "1+0.1"
anchors = { house = 1500.0 }

[[pool]]
game = "odd"
time = "600+20/300"
settings = { min_group = 5 }
"""


@pytest.fixture
def write(tmp_path):
    def written(text=FILE):
        path = tmp_path / "arena.toml"
        path.write_text(text)
        return path

    return written


def test_a_file(write, tmp_path):
    arena = load_arena(write())
    assert arena.folder == tmp_path / "arena"
    assert arena.policy is RegistrationPolicy.INVITATION
    assert arena.limits == (20, 5000)
    assert [*map(str, arena.proxies)] == ["10.0.0.2/32", "172.17.0.0/16"]
    one, other = arena.pools
    assert (one.name, one.opening_turns) == ("yodd-4-1+0.1", 2)
    assert one.anchors == {"house": 1500.0}
    assert other.name == f"odd-{other.game.size}-600+20-300"
    assert dict(other.game.settings)["min_group"] == 5


ENGINE = '[[engine]]\nname = "ann"\ncommand = ["true"]\n'


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "Mine"', 'nam = "Mine"', "2: unknown key 'nam' in [arena]; did you mean 'name'?"),
        ('name = "Mine"', "", "1: [arena] lacks the key 'name'"),
        ('"invitation"', '"inviting"', "registration should be"),
        ('"arena.example.org"', '"https://arena.example.org"', "4: 'https://arena.example.org' is"),
        ('"172.17.0.0/16"', '"172.17.0.1/16"', "5: '172.17.0.1/16' is no address or network"),
        ('game = "yodd"', 'game = "yod"', "8: "),
        ("size = 4", "size = 400", "8: "),
        ('"1+0.1"', '"1+"', "10: "),
        ("{ house = 1500.0 }", "{ house = true }", "11: "),
        (
            "{ house = 1500.0 }",
            "{ house = 10_001 }",
            "11: pool 1 anchors house should be less than or equal to 10000, not 10001",
        ),
        ("{ house = 1500.0 }", "{ house = -1e6 }", "should be greater than or equal to -10000"),
        ("{ house = 1500.0 }", "{ house = inf }", "11: "),
        ("settings = {", "setings = {", "did you mean 'settings'?"),
        ("[[pool]]", "[[pol]]", "did you mean 'pool'?"),
        ('game = "odd"', 'name = "a/b"\ngame = "odd"', "14: 'a/b' is no name of a pool"),
        (
            'game = "odd"',
            f'name = "{"a" * 41}"\ngame = "odd"',
            "a' is no name of a pool: 1 to 40 letters, digits and . _ + - are expected, a letter",
        ),
        ('game = "odd"', 'name = "-x"\ngame = "odd"', "a letter or digit first"),
        ('game = "odd"', 'name = "yodd-4-1+0.1"\ngame = "odd"', "two pools 'yodd-4-1+0.1'"),
        ("[arena]", "[arena", "1: not TOML"),
        ('"Mine"', '"Mine"\nfolder = "a\\u0000"', "3: arena folder should be a path, without the "),
        ('"Mine"', '"Mine"\nfolder = ""', "3: arena folder should not be empty"),
        ('"Mine"', '"Mine"\nkey = "\\u0000"', "3: arena key should be a path, without the "),
        ('"Mine"', '"Mine"\ncertificate = "\\u0000"', "3: arena certificate should be a path, "),
        ('"Mine"', '"Mine"\nkey = "a"', "3: the key needs a certificate beside it"),
        ('"Mine"', '"Mine"\ncertificate = "a"', "3: the certificate needs a key beside it"),
        ('"Mine"', '"Mine"\nmetrics = ["me"]', "3: 'me' is no address or network"),
        ('"Mine"', r'"a\tb"', r'2: the name is "a\tb", expected printable text in one line'),
        ('"Mine"', '"Mine"\naddress = "arena.example.org"', "3: 'arena.example.org' is no public"),
        ('"Mine"', '"Mine"\naddress = "http://a\\u0007b"', "3: 'http://a\\\\x07b' is no"),
        (
            '"Mine"',
            f'"Mine"\naddress = "http://{"a" * 300}"',
            "3: arena address should have at most",
        ),
        (
            '[[pool]]\ngame = "odd"',
            f'{ENGINE}about = "a\\nb"\n[[pool]]\ngame = "odd"',
            r'16: the text about it is "a\nb", expected printable text in one line',
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write, old, new, words):
    assert old in FILE
    with pytest.raises(ArenaFileError) as caught:
        load_arena(write(FILE.replace(old, new)))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('options = { foo = "a#b" }', "option 'foo' = 'a#b' cannot be sent: words without '#'"),
        ('options = { "fo o" = "5" }', "option 'fo o' = '5' cannot be sent: words without '#'"),
        ('options = { foo = " " }', "option 'foo' = ' ' cannot be sent: words without '#'"),
        (f'options = {{ foo = "{"x" * 66_000}" }}', "that fit into a line of 65,536 bytes"),
        ('environment = { "A=B" = "1" }', "'A=B' cannot name a variable"),
        ('environment = { A = "\\u0000" }', "variable 'A' = '\\x00' cannot be set"),
        ('directory = "/nowhere"', "there is no directory '/nowhere'"),
    ],
)
def test_an_engine_of_the_house_that_could_not_run_is_refused_with_its_line(write, line, words):
    with pytest.raises(ArenaFileError) as caught:
        load_arena(write(f"{FILE}\n{ENGINE}{line}\n"))
    (said,) = str(caught.value).splitlines()
    assert "arena.toml:21: " in said
    assert words in said


def test_a_pool_with_a_bad_name_makes_no_twin_of_another(write):
    bad = FILE.replace('game = "yodd"', 'name = "a/b"\ngame = "yodd"')
    with pytest.raises(ArenaFileError) as caught:
        load_arena(write(bad))
    (said,) = str(caught.value).splitlines()
    assert "8: 'a/b' is no name of a pool" in said


def test_an_arena_has_no_more_pools_than_its_first_message_may(write):
    one = '[[pool]]\ngame = "yodd"\nsize = 4\ntime = "{}+0.1"\n'
    full = '[arena]\nname = "Mine"\n' + "".join(map(one.format, range(1, MAX_POOLS + 1)))
    assert len(load_arena(write(full)).pools) == MAX_POOLS
    with pytest.raises(ArenaFileError, match=f"259: {MAX_POOLS + 1} pools, expected at most"):
        load_arena(write(full + one.format(MAX_POOLS + 1)))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ArenaFileError, match=r"there is no file .*arena.toml"):
        load_arena(tmp_path / "arena.toml")
