"""`oddly serve` as a user calls it."""

import re
import signal
import socket
import subprocess
import sys

import pytest

from oddly.games.installation import install_command
from oddly.interfaces.command_line.serve_command import ServeOptions, access_policy
from oddly.interfaces.web.access_policy import TokenFile
from oddly.tournaments.ledger.store import Ledger
from tests.interfaces.web.serving import Server, Socket, serving
from tests.processes import children


def test_a_port_that_is_taken(refusal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = refusal("serve", "--port", port)
    assert (
        said == f"oddly: serve: port {port} is taken: another program listens there; give another "
        "--port, or 0 for any that is free\n"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.sqlite"], "there is no ledger missing.sqlite"),
        (["smal.sqlite"], "there is no ledger smal.sqlite; did you mean 'small.sqlite'?"),
        (["notes.txt"], "notes.txt is not a ledger"),
        (["small.sqlite", "--games", "small.sqlite"], "small.sqlite is watched, so it cannot"),
        (["--port", "70000"], "a port from 0 to 65535 is expected, not '70000'"),
        (["--host", "no such host"], "--host 'no such host' is not an address"),
        (["--engine", "mine"], "--engine 'mine': expected NAME=COMMAND"),
        (["--engine", "mine=./nothing"], "there is no file './nothing'"),
        (["--engine", "rave=oddly engine rave"], "there is an engine 'rave' already"),
        (["--games", "nowhere/played.sqlite"], "cannot write nowhere/played.sqlite: No such file"),
        (["--public-url", "games.example.org"], "--public-url 'games.example.org' is not the"),
        (["--proxy", "10.0.0.2"], "--proxy goes with --public-url"),
        (["--public-url", "http://a.example", "--proxy", "a.example"], "'a.example' is not an add"),
        (["--name", "a", "--token-file", "notes.txt"], "others can read the token in"),
    ],
)
def test_words_that_cannot_be_served(refusal, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    Ledger(tmp_path / "small.sqlite").__exit__(None, None, None)
    (tmp_path / "notes.txt").write_text("no ledger at all, but long enough to be looked into")
    (tmp_path / "notes.txt").chmod(0o644)
    assert said in refusal("serve", "--port", "0", *words)


@pytest.mark.parametrize("words", [["--name", "a"], ["--new-token"]])
def test_a_user_without_a_home_is_told_to_name_a_file(homeless, refusal, tmp_path, words):
    """The bug: a traceback, even where the page needs no token."""
    said = refusal("serve", "--games", tmp_path / "played.sqlite", "--port", "0", *words)
    assert said == ("oddly: serve: this user has no home directory: name a file by --token-file\n")


def test_on_this_machine_a_user_without_a_home_needs_no_token(homeless):
    none = dict.fromkeys(["public_url", "token_file", "tables", "memory"])
    no = dict.fromkeys(["new_token", "guests_open", "no_warm"], False)
    options = ServeOptions(name=(), proxy=(), engine=(), **none, **no)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert not access_policy(options, listener).demands_token


def test_without_its_packages_it_says_how_to_get_them(tmp_path):
    program = (
        "import sys; sys.modules['anycorn'] = None; "
        "from oddly.interfaces.command_line import main; "
        "sys.exit(main(['serve', '--port', '0']))"
    )
    words = [sys.executable, "-c", program]
    ended = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.rstrip().endswith(install_command("serve"))


@pytest.mark.sampled
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_where_it_is_and_stops_with_its_engines_when_asked(tmp_path, number):
    server = Server(tmp_path)
    try:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", server.url)
        name = server.open_game(seats=("greedy", "human"))
        player = Socket(server, f"/ws/play/{name}")
        while not player.hear("game")["turns"]:
            continue
        assert children(server.process.pid)
        server.process.send_signal(number)
        assert player.closing_code() in (1001, None)
        player.close()
        assert server.process.wait(60) == 0
        assert "stopped; finished games are in played.sqlite" in server.stderr()
        assert "Traceback" not in server.stderr()
    finally:
        server.stop()


@pytest.mark.sampled
def test_beyond_this_machine_a_token_is_asked_for_and_stays(tmp_path):
    words = ("--host", "0.0.0.0", "--token-file", tmp_path / "token")  # noqa: S104
    with serving(tmp_path, *words) as server:
        assert [server.get(path).status_code for path in ("/", "/static/main.js")] == [401, 401]
        token = server.url.partition("?token=")[2]
        assert len(token) >= 32
        answer = server.get(f"/?token={token}")
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"].partition(";")[0]
        assert server.get("/", headers={"cookie": cookie}).status_code == 200
        assert server.post("/api/games", {}).status_code == 401
    with serving(tmp_path, *words, "--port", server.port) as server:
        assert server.get("/", headers={"cookie": cookie}).status_code == 200
        # What another process renews counts at once.
        TokenFile(tmp_path / "token").renew()
        assert server.get("/", headers={"cookie": cookie}).status_code == 401
    with serving(tmp_path, *words, "--new-token") as server:
        assert token not in server.url


def test_a_page_and_its_parts(tmp_path):
    with serving(tmp_path) as server:
        assert "<script type" in server.get("/").text
        assert server.get("/static/board.js").headers["content-type"].startswith("text/javascript")
        assert len(server.get("/api/boards/hexhex/3").json()["cells"]) == 19
        name = server.open_game(turns=["Bb2"])
        sgf = server.get(f"/api/games/{name}/sgf")
        assert sgf.text.startswith("(;")
        assert sgf.headers["content-disposition"] == 'attachment; filename="yodd.sgf"'
        assert server.post("/api/games", b"x" * 100_000).status_code == 413
        assert server.post("/api/games", b"{").status_code == 400


def test_games_played_on_the_page_are_in_a_ledger_of_their_own(tmp_path, output):
    with serving(tmp_path) as server:
        name = server.open_game(turns=["Bb2", "pass"])
        player = Socket(server, f"/ws/play/{name}")
        player.hear("game")
        player.send({"do": "pass"})
        assert player.hear("game")["over"]
        player.close()
    assert "games on the page: 1 game\n" in output("standings", tmp_path / "played.sqlite")
    with serving(tmp_path):
        pass
