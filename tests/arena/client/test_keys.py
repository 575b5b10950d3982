"""The file of the owner's key: made once, readable for its user alone, and never shown."""

import os

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oddly.arena.client.identity import KeyFileError, default_key_file, own_key


def test_a_key_is_made_once(tmp_path):
    path = tmp_path / "config" / "oddly" / "arena.key"
    made = own_key(path)
    assert made.is_new
    assert own_key(path) == (made.secret, False)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["arena.key"]
    Ed25519PrivateKey.from_private_bytes(made.secret)


def test_what_a_killed_process_of_our_number_left_is_in_nobodys_way(tmp_path):
    """The bug: in a container, where our number is always the same, no key was ever made."""
    (tmp_path / f".arena.key.{os.getpid()}.part").touch()
    assert own_key(tmp_path / "arena.key").is_new


def test_two_processes_of_one_number_make_one_key(tmp_path, monkeypatch):
    """As in two containers that share a home."""
    path, link, keys = tmp_path / "arena.key", os.link, []

    def link_later(part, name):
        monkeypatch.setattr(os, "link", link)
        keys.append(own_key(path))
        link(part, name)

    monkeypatch.setattr(os, "link", link_later)
    keys.append(own_key(path))
    assert [key.is_new for key in keys] == [True, False]
    assert keys[0].secret == keys[1].secret
    assert [each.name for each in tmp_path.iterdir()] == ["arena.key"]


def test_the_usual_tool_reads_the_key(tmp_path):
    path = tmp_path / "arena.key"
    own_key(path)
    assert path.read_text(encoding="ascii").startswith("-----BEGIN PRIVATE KEY-----\n")


def test_a_key_that_others_can_read_is_refused(tmp_path):
    path = tmp_path / "arena.key"
    own_key(path)
    path.chmod(0o640)
    with pytest.raises(KeyFileError, match=r"others can read the key file .*'chmod 600'"):
        own_key(path)


@pytest.mark.parametrize(
    "content", [b"", b"secret", b"-----BEGIN PRIVATE KEY-----\nAAAA\n", b"\xff" * 9000]
)
def test_another_file_is_refused_without_a_word_of_it(tmp_path, content):
    path = tmp_path / "arena.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(KeyFileError, match="is not an Ed25519 key") as refused:
        own_key(path)
    assert "AAAA" not in str(refused.value)
    assert path.read_bytes() == content


def test_a_folder_and_a_dangling_link_are_refused(tmp_path):
    with pytest.raises(KeyFileError, match="Is a directory"):
        own_key(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(KeyFileError, match="No such file"):
        own_key(link)


def test_the_default_is_in_the_folder_of_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_key_file() == tmp_path / "oddly" / "arena.key"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_key_file() == tmp_path / ".config" / "oddly" / "arena.key"
