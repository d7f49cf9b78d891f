"""TLS with given certificates: the commands of the documentation, what is refused, and connections that never speak."""
import json
import re
import shlex
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from conftest import PROGRAM

PAGE = Path(__file__).resolve().parents[3] / "Sources/aneroid/aneroid.docc/Station.md"


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """A folder with an authority and a certificate for station.home.arpa, by the documentation's own commands."""
    folder = tmp_path_factory.mktemp("authority")
    commands = re.findall(r"^ +(openssl .*)$", PAGE.read_text(), re.M)
    assert len(commands) == 3
    for command in commands:
        subprocess.run(shlex.split(command), cwd=folder, check=True, capture_output=True)
    return folder


def command(folder, *more):
    """The documentation's command of the station, on a free port of loopback."""
    words = shlex.split(re.search(r"^ +aneroid (station .*station\.home\.arpa.*)$", PAGE.read_text(), re.M)[1])
    words[words.index("--listen") + 1] = "127.0.0.1:0"
    return [PROGRAM, *words[1:], *more], {"cwd": folder, "stderr": subprocess.PIPE, "text": True}


@pytest.fixture
def station(authority):
    """The port of a station that serves over TLS."""
    words, options = command(authority)
    with subprocess.Popen(words, **options) as process:
        port = int(re.search(r"https://127\.0\.0\.1:(\d+)/", process.stderr.readline())[1])
        yield port
        process.terminate()
        process.communicate(timeout=20)


def ask(port, context, host="station.home.arpa"):
    """Sends a request over TLS and returns the status, the body and the version of the protocol."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as plain, context.wrap_socket(plain, server_hostname=host) as link:
        link.sendall(f"GET /v1/station HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        version = link.version()
        reply = b"".join(iter(lambda: link.recv(65536), b""))
    head, body = reply.split(b"\r\n\r\n", 1)
    return int(head.split()[1]), body, version


def test_a_client_that_trusts_the_authority_reads_over_tls(station, authority):
    """The certificate is valid for the name; the response is that of plain HTTP."""
    status, body, version = ask(station, ssl.create_default_context(cafile=authority / "authority.pem"))
    assert status == 200 and json.loads(body)["name"] == "Lisboa" and version == "TLSv1.3"


def test_other_clients_are_refused(station, authority):
    """A client that does not trust the authority, one with an old protocol and one without TLS get no response."""
    with pytest.raises(ssl.SSLCertVerificationError):
        ask(station, ssl.create_default_context())
    old = ssl.create_default_context(cafile=authority / "authority.pem")
    with pytest.deprecated_call():
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.raises((ssl.SSLError, ConnectionError)):
        ask(station, old)
    with pytest.raises((urllib.error.URLError, ConnectionError, OSError)):
        urllib.request.urlopen(f"http://127.0.0.1:{station}/v1/station", timeout=10)
    trusted = ssl.create_default_context(cafile=authority / "authority.pem")
    assert ask(station, trusted)[0] == 200, "the station still serves"


def test_connections_that_never_speak_are_closed(station, authority):
    """A client that sends nothing, and one that begins a handshake byte by byte, are closed after 20 s."""
    silent, slow = (socket.create_connection(("127.0.0.1", station)) for _ in range(2))
    begin = time.monotonic()
    closed = {}
    hello = bytes([22, 3, 1, 2, 0]) + bytes(200)
    for index in range(60):
        if slow not in closed:
            try:
                slow.sendall(hello[index:index + 1])
            except OSError:
                closed[slow] = time.monotonic() - begin
        for one in (silent, slow):
            one.settimeout(0.25)
            try:
                if one not in closed and one.recv(1) == b"":
                    closed[one] = time.monotonic() - begin
            except TimeoutError:
                pass
            except OSError:
                closed[one] = time.monotonic() - begin
        if len(closed) == 2:
            break
    assert len(closed) == 2 and max(closed.values()) < 25, closed
    assert ask(station, ssl.create_default_context(cafile=authority / "authority.pem"))[0] == 200


@pytest.mark.parametrize("words, status, reason", [
    (("--certificate", "none.pem", "--key", "station.key"), 66, "cannot use none.pem: No such file or directory"),
    (("--certificate", "station.key", "--key", "station.key"), 65, "cannot use station.key: it contains no certificate in PEM"),
    (("--certificate", "station.pem", "--key", "station.pem"), 65, "cannot use station.pem: it contains no private key without a passphrase in PEM"),
    (("--certificate", "station.pem", "--key", "authority.key"), 65, "cannot use authority.key: it is not the key of station.pem"),
    (("--certificate", ".", "--key", "station.key"), 65, "cannot use .: it is a folder"),
    (("--certificate", "station.pem"), 64, "--certificate and --key are given together"),
])
def test_a_certificate_that_cannot_be_used_is_reported(authority, words, status, reason):
    """The message names the file, and the station does not start."""
    result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", *words], cwd=authority, capture_output=True, text=True, timeout=20)
    assert result.returncode == status and reason in result.stderr, result


def test_an_expired_certificate_is_reported(authority):
    """The station starts, and says that browsers reject the certificate."""
    subprocess.run(["openssl", "x509", "-req", "-in", "station.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-days", "-1", "-out", "old.pem"],
                   cwd=authority, check=True, capture_output=True)
    words = [PROGRAM, "--listen", "127.0.0.1:0", "--certificate", "old.pem", "--key", "station.key"]
    with subprocess.Popen(words, cwd=authority, stderr=subprocess.PIPE, text=True) as process:
        lines = [process.stderr.readline() for _ in range(2)]
        process.terminate()
        process.communicate(timeout=20)
    assert "the certificate old.pem has expired: browsers reject it" in lines[0] and "https://" in lines[1], lines


def issue(authority, folder, name, days=10):
    """Makes a key and a certificate of the authority, in files that the station reads."""
    for words in (f"openssl req -newkey rsa:2048 -nodes -keyout new.key -out new.csr -subj /CN={name}",
                  f"openssl x509 -req -in new.csr -CA {authority}/authority.pem -CAkey {authority}/authority.key -days {days} "
                  f"-extfile {folder}/names -out new.pem"):
        subprocess.run(shlex.split(words), cwd=folder, check=True, capture_output=True)


def serial(port, context):
    """Returns the serial number of the certificate of a new connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as plain, context.wrap_socket(plain, server_hostname="station.home.arpa") as link:
        return link.getpeercert()["serialNumber"]


def test_a_renewed_certificate_is_used_by_new_connections(authority, tmp_path):
    """Files that do not belong together are reported once, and the certificate in use is kept."""
    (tmp_path / "names").write_text("subjectAltName=DNS:station.home.arpa")
    context = ssl.create_default_context(cafile=authority / "authority.pem")
    issue(authority, tmp_path, "first")
    for end in ("pem", "key"):
        (tmp_path / f"new.{end}").rename(tmp_path / f"now.{end}")
    words = [PROGRAM, "--listen", "127.0.0.1:0", "--certificate", "now.pem", "--key", "now.key"]
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r"https://127\.0\.0\.1:(\d+)/", process.stderr.readline())[1])
        first = serial(port, context)
        issue(authority, tmp_path, "second")
        (tmp_path / "new.pem").rename(tmp_path / "now.pem")
        assert serial(port, context) == serial(port, context) == first
        (tmp_path / "new.key").rename(tmp_path / "now.key")
        second = serial(port, context)
        assert second != first
        (tmp_path / "now.pem").unlink()
        assert serial(port, context) == second
    finally:
        process.terminate()
        lines = process.communicate(timeout=20)[1].splitlines()
    assert lines == ["aneroid: cannot use now.key: it is not the key of now.pem; the certificate in use is kept",
                     "aneroid: the certificate now.pem was renewed",
                     "aneroid: cannot use now.pem: No such file or directory; the certificate in use is kept"]
