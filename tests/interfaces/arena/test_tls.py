"""An arena that speaks TLS by itself, with engines of its own."""

import json
import signal
import socket

import httpx2
import trio
import trustme

from tests.interfaces.arena.guests import Guest
from tests.interfaces.arena.hosting import Host
from tests.interfaces.arena.test_house_engines import engine
from tests.interfaces.arena.test_service import play_for
from tests.interfaces.web.test_proxy import certificate
from tests.patience import PATIENCE


async def test_engines_play_over_tls_with_those_of_the_house(tmp_path):
    trusting = certificate(tmp_path)
    host = Host(tmp_path, 'certificate = "certificate"\nkey = "key"', ("--log-format", "json"))
    with host.file.open("a") as file:
        file.write(engine("house one"))
    host.start()
    try:
        assert host.greeting.startswith(f"https://127.0.0.1:{host.port}/ Test")
        url = f"wss://localhost:{host.port}/arena"
        guest = Guest(url, "guest x", trusting=trusting)
        await play_for([guest], lambda: guest.ends)
        await trio.to_thread.run_sync(ask, host, trusting)
        # Another certificate, by another authority.
        anew = certificate(tmp_path)
        host.process.send_signal(signal.SIGHUP)
        again = Guest(url, "guest x", trusting=anew)
        await play_for([again], lambda: again.welcomes)
    finally:
        host.process.terminate()
        _, errors = host.process.communicate(timeout=PATIENCE)
    lines = [json.loads(line) for line in errors.splitlines()]
    events = [line["event"] for line in lines]
    assert events[0] == "started"
    assert events[-1] == "stopped"
    assert {"joined", "begun", "finished", "left"} <= set(events)
    said = [line["text"] for line in lines if line["event"] == "problem"]
    assert [text for text in said if "is read again" in text] == said
    assert "house one" in {line.get("engine") for line in lines if line["event"] == "joined"}


def ask(host, trusting):
    """Read what is for this machine, and speak no TLS."""
    with httpx2.Client(verify=trusting, base_url=f"https://localhost:{host.port}") as browser:
        assert browser.get("/healthz").json()["engines"] >= 1
        metrics = browser.get("/metrics").text
        assert 'oddly_games_ended_total{pool="xodd-3-5+0.5"' in metrics
    with socket.create_connection(("127.0.0.1", host.port)) as plain:
        plain.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        plain.settimeout(PATIENCE)
        assert b"200" not in plain.recv(1000)


async def test_a_certificate_without_its_key_is_one_sentence(tmp_path):
    trustme.CA().issue_cert("localhost").cert_chain_pems[0].write_to_path(tmp_path / "certificate")
    host = Host(tmp_path, 'certificate = "certificate"\nkey = "key"')
    host.start()
    _, errors = host.process.communicate(timeout=PATIENCE)
    assert host.process.returncode == 2
    assert errors == f"oddly: arena: cannot read {tmp_path / 'key'}: No such file or directory\n"
