"""BOT.toml: what it may say, and the sentence for everything that it may not."""

import base64
import re

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from oddly.games.catalogue import create_game
from oddly.interfaces.bot.bot_file import BotFile, BotFileError, load_bot
from oddly.tournaments.toml.checking import tables_of
from tests.source import ROOT

PUBLIC = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key()
KEY = base64.b64encode(PUBLIC.public_bytes_raw()).decode()
SSH = PUBLIC.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode().split()[1]
GOOD = f"""\
[bot]
name = "oddly rave"
token_url = "https://token.example.org/oauth2/token"
query_url = "http://127.0.0.1:99/botQuery"
scope = "pool/communicate"
public_key = "{KEY}"
client_id_env = "AP_CLIENT_ID"
client_secret_env = "AP_CLIENT_SECRET"
time = 10
games_at_once = 2

[[engine]]
command = ["oddly", "engine", "rave"]
games = ["yodd 8", "ayu"]
options = {{ level = 3, seed = 1 }}

[[engine]]
command = ["oddly", "engine", "greedy"]
games = ["yodd"]
time = 0.5
"""


@pytest.fixture
def write(tmp_path):
    def written(old="", new=""):
        assert old in GOOD
        path = tmp_path / "BOT.toml"
        path.write_text(GOOD.replace(old, new, 1) if old else GOOD, encoding="utf-8")
        return path

    return written


def test_a_bot_is_read(write):
    settings = load_bot(write())
    bot = settings.bot
    assert (bot.name, bot.scope, bot.games_at_once) == ("oddly rave", "pool/communicate", 2)
    assert not settings.is_local
    rave, greedy = settings.engines
    assert str(rave.configuration.time) == "10"
    assert str(greedy.configuration.time) == "0.5"
    assert rave.configuration.options == {"level": "3", "seed": "1"}
    assert [rave.plays(create_game("yodd", size)) for size in (6, 8)] == [False, True]
    assert [greedy.plays(create_game("yodd", size)) for size in (6, 8)] == [True, True]
    assert rave.plays(create_game("ayu", 19))
    assert not rave.plays(create_game("xodd", 9))
    assert str(load_bot(write(), 0.25).engines[0].configuration.time) == "0.25"


def test_what_is_not_said_follows_from_the_rest(write, tmp_path):
    settings = load_bot(write())
    assert settings.bot.query_address == "http://127.0.0.1:99/query"
    assert settings.bot.owner_address == "http://127.0.0.1:99/authQuery"
    assert settings.outbox == tmp_path / "BOT.outbox"
    assert settings.hours is None
    more = 'public_url = "https://x.org/p/query"\noutbox = "/var/lib/x"\nhours = "Mon-Fri"'
    settings = load_bot(write("time = 10", more))
    assert settings.bot.owner_address == "https://x.org/p/authQuery"
    assert str(settings.outbox) == "/var/lib/x"
    assert settings.hours.longest_closure == 48
    settings = load_bot(write('command = ["oddly", "engine", "greedy"]', "level = 4"))
    assert settings.engines[1].configuration.options == {"level": "4"}
    assert settings.engines[1].configuration.command[-1] == "rave"


def test_secrets_come_from_the_environment_alone(write):
    bot = load_bot(write())
    credentials = bot.credentials({"AP_CLIENT_ID": " me\n", "AP_CLIENT_SECRET": "s3cret"})
    assert (credentials.client_id, credentials.client_secret) == ("me", "s3cret")
    assert "s3cret" not in repr(credentials)
    with pytest.raises(BotFileError, match="has no AP_CLIENT_ID and no AP_CLIENT_SECRET"):
        bot.credentials({"AP_CLIENT_SECRET": " "})


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("token_url", "tokn_url", "3: unknown key 'tokn_url' in [bot]; did you mean 'token_url'?"),
        ("token_url", "tokn_url", "1: [bot] lacks the key 'token_url'"),
        ("scope", "scopes", "5: unknown key 'scopes' in [bot]; did you mean 'scope'?"),
        ("public_key", "key_public", "unknown key 'key_public' in [bot]"),
        ("client_id_env", "client_id", "did you mean 'client_id_env'?"),
        ("games_at_once", "games_at_onc", "10: unknown key 'games_at_onc' in [bot]; did you mean"),
        ("name =", "Name =", "did you mean 'name'?"),
        ("command", "comand", "13: unknown key 'comand' in [[engine]] number 1; did you mean"),
        ("games = [", "gams = [", "14: unknown key 'gams' in [[engine]] number 1; did you mean"),
        ("options =", "option =", "did you mean 'options'?"),
        ("[bot]", "[bots]", "1: unknown key 'bots' in the file; did you mean 'bot'?"),
        ("[[engine]]", "[[engin]]", "unknown key 'engin' in the file; did you mean 'engine'?"),
        ('"ayu"', '"ayo"', "14: 'ayo' is not a game of the site: expected one of yodd, xodd, ayu"),
        ('"ayu"', '"odd"', "'odd' is not a game of the site"),
        ('"ayu"', '""', "'' is not a game of the site"),
        ('"yodd 8"', '"yodd 5"', "14: 'yodd 5': the site's sizes of yodd are 6, 7, 8, 9, 10"),
        ("time = 10", 'time = "10"', "9: bot time should be "),
        ("time = 10", "time = 0", "9: bot time should be "),
        ("time = 10", "time = inf", "9: bot time should be "),
        ("games_at_once = 2", "games_at_once = 0", "10: bot games_at_once should be "),
        ('"https://token', '"http://token', "/token' is not encrypted: https:// is"),
        ('"https://token', '"token', "3: token_url: 'token.example.org/oauth2/token' is no"),
        ('"https://token', '"https://a:b@token', "holds no name and no password"),
        ('"AP_CLIENT_ID"', '"7h-abc/DEF"', "7: client_id_env is the name of a variable"),
        (KEY, "nowhere.pem", "6: public_key: 'nowhere.pem' is not an Ed25519 public key, and"),
        ('"oddly", "engine", "rave"', '"no-such-program"', "13: no program 'no-such-program'"),
        ('["oddly", "engine", "rave"]', '"oddly engine rave"', "13: engine 1 command should"),
        ("[[engine]]", "[engine]", "17: not TOML, at column"),
        ("level = 3", '"a b" = 3', "15: option 'a b' = '3' cannot be sent: words without '#' exp"),
        ("level = 3", "level = '#3'", "15: option 'level' = '#3' cannot be sent: words without"),
        ("level = 3", f"level = '{'3' * 65_520}'", "cannot be sent: a name and a value that fit"),
        ("time = 10", 'hours = "8-20"', "9: hours: '8-20' is not a part of opening hours"),
        ("time = 10", "sweep = 1", "9: bot sweep should be "),
        ("time = 10", "games_per_opponent = 0", "9: bot games_per_opponent should be "),
        ("time = 10", "games_in_al = 3", "9: unknown key 'games_in_al' in [bot]; did you mean"),
        ("time = 10", 'outbox = "\\u0000"', "9: bot outbox should be a path, without the"),
        ("time = 10", 'public_url = "query"', "9: public_url: 'query' is no"),
        ("time = 0.5", "level = 3", "20: a level is one of our rave: leave out the command"),
        ('command = ["oddly", "engine", "greedy"]', "", "17: [[engine]] lacks the key 'command'"),
        ('command = ["oddly", "engine", "greedy"]', "level = 11", "18: engine 2 level should be "),
        ("[bot]", "[bot", "1: not TOML, at column 5"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(write, old, new, words):
    path = write(old, new)
    with pytest.raises(BotFileError) as caught:
        load_bot(path)
    assert words in str(caught.value).replace(f"{path}:", "")


def test_the_file_of_the_tutorial_can_be_read(tmp_path):
    page = (ROOT / "docs" / "how-to" / "abstract-play-bot.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "ap-public-key.txt").write_text(f"ssh-ed25519 {SSH}\n", encoding="utf-8")
    path = tmp_path / "BOT.toml"
    path.write_text(text.replace("https://...", "https://example.org/botQuery"), encoding="utf-8")
    assert load_bot(path).bot.name == "oddly rave"
    rows = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| `")]
    told = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    assert {key for table in tables_of(BotFile).values() for key in table.model_fields} <= told
