"""A server's certificate: read from files, read again when they change, or no certificate."""

import os
import signal
import ssl

import pytest
import trio
import trio.testing
import trustme

from oddly.interfaces.serving import listening as module
from oddly.interfaces.serving.listening import Certificate, CertificateError, CertificateFiles


@pytest.fixture
def authority():
    return trustme.CA()


@pytest.fixture
def files(tmp_path):
    return CertificateFiles(tmp_path / "certificate.pem", tmp_path / "key.pem")


def write(files, authority, name="localhost"):
    issued = authority.issue_cert(name)
    files.certificate.write_bytes(b"".join(pem.bytes() for pem in issued.cert_chain_pems))
    files.key.write_bytes(issued.private_key_pem.bytes())


async def name_shown(certificate, authority):
    """The name in the certificate that a client gets."""
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    trusting.check_hostname = False
    one, other = trio.testing.memory_stream_pair()
    client = trio.SSLStream(one, trusting)
    server = trio.SSLStream(other, certificate.context, server_side=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.do_handshake)
        nursery.start_soon(server.do_handshake)
    ((_, name),) = client.getpeercert()["subjectAltName"]
    return name


async def test_new_files_serve_new_connections(files, authority):
    write(files, authority, "old.example")
    certificate = Certificate(files)
    assert await name_shown(certificate, authority) == "old.example"
    write(files, authority, "new.example")
    assert await name_shown(certificate, authority) == "old.example"
    certificate.read_again()
    assert await name_shown(certificate, authority) == "new.example"


async def test_a_renewal_between_two_reads_ends_nothing(files, authority, monkeypatch):
    write(files, authority, "old.example")
    certificate, said = Certificate(files), []
    whole = module._context

    def renewed_meanwhile(asked):
        found = whole(asked)
        files.key.write_text("half of a key")
        return found

    write(files, authority, "new.example")
    monkeypatch.setattr(module, "_context", renewed_meanwhile)
    certificate._try(said.append)
    assert said == [f"the certificate {files.certificate} is read again"]
    assert await name_shown(certificate, authority) == "new.example"
    monkeypatch.setattr(module, "_context", whole)
    certificate._try(said.append)
    assert said[1].endswith("; the certificate before it stays in use")
    assert await name_shown(certificate, authority) == "new.example"


async def test_files_that_changed_are_read_again(files, authority, autojump_clock):
    write(files, authority, "old.example")
    certificate, said = Certificate(files), []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(certificate.keep_reading, said.append)
        await trio.sleep(3 * module.LOOK_EVERY)
        assert said == []
        files.key.write_text("half of a key")
        await trio.sleep(2 * module.LOOK_EVERY)
        assert len(said) == 1
        assert said[0].endswith("; the certificate before it stays in use")
        assert await name_shown(certificate, authority) == "old.example"
        write(files, authority, "new.example")
        await trio.sleep(2 * module.LOOK_EVERY)
        assert said[1:] == [f"the certificate {files.certificate} is read again"]
        assert await name_shown(certificate, authority) == "new.example"
        nursery.cancel_scope.cancel()


async def test_a_hangup_reads_them_at_once(files, authority):
    write(files, authority, "old.example")
    certificate, told, listen = Certificate(files), *trio.open_memory_channel(1)
    async with trio.open_nursery() as nursery:
        await nursery.start(certificate.obey_hangups, told.send_nowait)
        write(files, authority, "new.example")
        os.kill(os.getpid(), signal.SIGHUP)
        assert "is read again" in await listen.receive()
        nursery.cancel_scope.cancel()
    assert await name_shown(certificate, authority) == "new.example"


def test_what_is_wrong_with_the_files_is_said(files, authority):
    with pytest.raises(CertificateError, match=r"cannot read .*certificate.pem: No such file"):
        Certificate(files)
    write(files, authority)
    key = files.key.read_bytes()
    files.key.write_bytes(authority.issue_cert("localhost").private_key_pem.bytes())
    words = r"certificate.pem is no certificate with the key .*key.pem, both as PEM: key val"
    with pytest.raises(CertificateError, match=words):
        Certificate(files)
    files.key.write_bytes(key)
    Certificate(files)


@pytest.mark.parametrize("content", [b"junk", b"", b"-----BEGIN PRIVATE KEY-----\nAAAA\n"])
@pytest.mark.parametrize("at_fault", ["certificate", "key"])
def test_no_file_without_a_password_is_said_to_have_one(files, authority, content, at_fault):
    write(files, authority)
    getattr(files, at_fault).write_bytes(content)
    assert_refused(files)


def test_files_in_the_wrong_order_are_refused(files, authority):
    write(files, authority)
    assert_refused(CertificateFiles(files.key, files.certificate))


def assert_refused(files):
    with pytest.raises(CertificateError) as refusal:
        Certificate(files)
    said = str(refusal.value)
    assert said.startswith(f"{files.certificate} is no certificate with the key {files.key}, both")
    assert "password" not in said
