"""Which clusters may be reached, and how."""

import pytest
import trustme

from oddly.tournaments import Certificates, ClusterAddress, ClusterError, parse_cluster_address


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("local", None),
        ("tcp://127.0.0.1:9000", "tcp://127.0.0.1:9000"),
        ("tcp://localhost", "tcp://localhost:8786"),
        ("tcp://[::1]:9000", "tcp://[::1]:9000"),
    ],
)
def test_this_machine_needs_no_encryption(text, url):
    assert parse_cluster_address(text) == ClusterAddress(url)


@pytest.mark.parametrize("host", ["192.168.1.7", "10.0.0.1", "example.org", "[2001:db8::1]"])
def test_another_machine_needs_encryption_or_a_promise(host):
    with pytest.raises(ClusterError, match="not encrypted and not on this machine"):
        parse_cluster_address(f"tcp://{host}:8786")
    url = f"tcp://{host}:8786"
    assert parse_cluster_address(url, insecure=True) == ClusterAddress(url)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("locl", "not the address of a cluster: 'locl'; expected local, .* did you mean 'local'"),
        ("tcq://host", "did you mean 'tcp'"),
        ("tcp://", "not the address"),
        (
            "tcp://[",
            r"not the address of a cluster: 'tcp://\[': Invalid IPv6 URL; expected local, ",
        ),
        ("tcp://host:99999", "not the address .*Port out of range"),
        ("tcp://host:8786/there", "not the address"),
        ("tls://host:8786", "needs --tls-ca, --tls-cert and --tls-key"),
    ],
)
def test_what_is_no_address_is_told(text, message):
    with pytest.raises(ClusterError, match=message):
        parse_cluster_address(text)


def test_certificates_go_with_tls_and_must_be_there(tmp_path):
    files = [tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")]
    certificates = Certificates(*files)
    with pytest.raises(ClusterError, match=r"cannot read .*ca\.pem: No such file"):
        parse_cluster_address("tls://host", certificates)
    write_certificates(tmp_path)
    assert parse_cluster_address("tls://host", certificates) == ClusterAddress(
        "tls://host:8786", certificates
    )
    with pytest.raises(ClusterError, match="certificates go with tls://host:8786"):
        parse_cluster_address("tcp://host", certificates)


def write_certificates(folder):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    for suffix in ("", "2"):
        own = authority.issue_cert("127.0.0.1")
        own.cert_chain_pems[0].write_to_path(folder / f"cert{suffix}.pem")
        own.private_key_pem.write_to_path(folder / f"key{suffix}.pem")
    (folder / "text").write_text("no PEM")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("text", "cert.pem", "key.pem"), "text is no certificate as PEM"),
        (("ca.pem", "key.pem", "cert.pem"), r"key\.pem is no certificate as PEM"),
        (("ca.pem", "cert.pem", "text"), "text is no key as PEM without a password"),
        (("ca.pem", "cert.pem", "key2.pem"), r"key2\.pem is not the key of .*cert\.pem"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_named(tmp_path, names, message):
    write_certificates(tmp_path)
    certificates = Certificates(*(tmp_path / name for name in names))
    with pytest.raises(ClusterError, match=message):
        parse_cluster_address("tls://host", certificates)
