"""The files of the docs by which an arena is kept for years: behind proxies, and as a service."""

import os
import re
import shlex
import subprocess
import sys

import httpx2
import pytest
import trio

from tests.docs.pages import DOCS, blocks
from tests.interfaces.arena.guests import Guest
from tests.interfaces.arena.hosting import Host, free_port, running
from tests.interfaces.arena.test_service import playing, until
from tests.interfaces.web.test_proxy import certificate, listening
from tests.patience import PATIENCE
from tests.programs import need, needs, where

FILES = {
    block.file: block.text
    for block in blocks(DOCS / "how-to" / "keep-an-arena-for-years.md")
    if block.file
}
PUBLIC, HOME = "arena.example.org", "/srv/arena"
NGINX = """
daemon off; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    include {folder}/arena.conf;
}}
"""


def changed(name, **others):
    """A file of the page with other words in the place of some, which must be there."""
    text = FILES[name]
    for old, new in others.items():
        assert old in text, old
        text = text.replace(old, str(new))
    return text


def behind_nginx(folder, port, behind):
    """Write nginx's files; the words that start it."""
    paths = {
        f"/etc/letsencrypt/live/{PUBLIC}/fullchain.pem": folder / "certificate",
        f"/etc/letsencrypt/live/{PUBLIC}/privkey.pem": folder / "key",
    }
    places = {"listen 443": f"listen 127.0.0.1:{port}", "127.0.0.1:8770": f"127.0.0.1:{behind}"}
    text = changed("arena.conf", **paths, **places, **{f"server_name {PUBLIC}": "server_name _"})
    (folder / "arena.conf").write_text(text)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, user=user))
    return [where("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf")]


def behind_caddy(folder, port, behind):
    """Write Caddy's file; the words that start it."""
    site = f"https://localhost:{port} {{\n    tls {folder}/certificate {folder}/key"
    text = changed("Caddyfile", **{f"{PUBLIC} {{": site, "127.0.0.1:8770": f"127.0.0.1:{behind}"})
    settings = "{\n    admin off\n    auto_https disable_redirects\n}\n"
    (folder / "Caddyfile").write_text(settings + text)
    return [where("caddy"), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


@pytest.mark.parametrize(
    "proxy",
    [
        pytest.param(behind_nginx, marks=needs("nginx"), id="nginx"),
        pytest.param(behind_caddy, marks=needs("caddy"), id="caddy"),
    ],
)
async def test_engines_join_through_a_proxy_and_stay_over_a_restart(tmp_path, proxy):
    port = free_port()
    public = f"https://localhost:{port}"
    host = Host(tmp_path, f'address = "{public}"\nhosts = ["localhost:{port}"]')
    trusting = certificate(tmp_path)
    words = proxy(tmp_path, port, host.port)
    with running(host):
        with listening(tmp_path, port, words):
            guest = Guest(f"wss://localhost:{port}/arena", "guest x", trusting=trusting)
            async with playing(guest):
                await until(lambda: guest.welcomes)
                await trio.to_thread.run_sync(join_once, f"wss://localhost:{port}", tmp_path)
                assert guest.welcomes[0].page == f"{public}/engines/guest-x"
                await trio.to_thread.run_sync(read_pages, public, trusting)
                assert await trio.to_thread.run_sync(host.stop) == 0
                await trio.to_thread.run_sync(host.start)
                await until(lambda: len(guest.welcomes) > 1)
        host.stop()
    # How the game ended is no matter: on a busy machine the engine may lose on time.
    records = host.records()
    assert {*records} == {*guest.ends}
    assert len(records) == 1


def join_once(url, folder):
    """Let an engine of ours play a game."""
    words = [sys.executable, "-m", "oddly", "join", url, "--name", "mine 1", "--once", "--wait"]
    words += ["--key", folder / "mine.key", "--ca", folder / "ca.pem"]
    engine = [sys.executable, "-m", "oddly", "engine", "random"]
    done = subprocess.run(
        [*map(str, words), "--", *engine], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert "game 1" not in done.stderr
    assert done.stdout.splitlines()[-1] == "left after 1 game"


def read_pages(public, trusting):
    """Read a page, and the first words of what changes."""
    with httpx2.Client(verify=trusting, timeout=PATIENCE) as browser:
        assert "Test" in browser.get(f"{public}/").text
        assert browser.get(f"{public}/healthz").json()["status"] == "ok"


def unit(name, folder):
    """Write a unit of systemd for another folder, with oddly in it."""
    program = folder / ".venv" / "bin" / "oddly"
    if not program.exists():
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m oddly "$@"\n')
        program.chmod(0o755)
    path = folder / name
    path.write_text(FILES[name].replace(HOME, str(folder)))
    return path


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("oddly-")])
def test_systemd_finds_nothing_wrong_with_a_unit(tmp_path, name):
    need("systemd-analyze")
    for each in FILES:
        if each.startswith("oddly-"):
            unit(each, tmp_path)
    done = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / name], capture_output=True, text=True
    )
    # It also speaks of units of this machine that it comes across.
    assert [line for line in done.stderr.splitlines() if "oddly" in line] == []


async def test_the_service_starts_stops_and_is_backed_up_by_its_own_lines(tmp_path):
    host = Host(tmp_path)
    host.file.rename(tmp_path / "ARENA.toml")
    service = unit("oddly-arena.service", tmp_path).read_text()
    assert setting(service, "KillSignal") == "SIGTERM"
    words = shlex.split(setting(service, "ExecStart"))
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert "Ctrl-C stops" in process.stdout.readline()
        backup = unit("oddly-arena-backup.service", tmp_path).read_text()
        for key in ("ExecStart", "ExecStartPost"):
            line = shlex.split(setting(backup, key).replace("%%", "%"))
            subprocess.run(line, cwd=tmp_path, check=True, timeout=PATIENCE)
        (copy,) = (tmp_path / "backups").iterdir()
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", copy.name)
        assert (copy / "arena.db").exists()
    finally:
        process.terminate()
        _, log = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert '"event": "stopped"' in log


def setting(text, key):
    """A setting of a unit."""
    (found,) = re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)
    return found
