"""Accepted Host names of the hub: the test cases that it shares with the station."""

import json
import socket
from pathlib import Path

import pytest

CASES = Path(__file__).resolve().parents[3] / "fixtures/requests/hosts.json"


def status(port, hosts):
    """Returns the status of a hand-written request with these Host fields."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
        link.sendall("\r\n".join(["GET /v1/hub HTTP/1.1", *(f"Host: {host}" for host in hosts), "Connection: close", "", ""]).encode())
        return int(link.makefile("rb").readline().split()[1])


@pytest.mark.parametrize("judgement,expected", [("own", 200), ("stranger", 421), ("several", 400)])
def test_a_host_is_one_of_its_names_with_a_port_or_none(hub_of, judgement, expected):
    """A foreign page that resolves its own name to this host is rejected (DNS rebinding)."""
    hub = hub_of()
    hub.stop()
    hub.file.write_text(hub.file.read_text().replace("page: {", "page: {hosts: [hub.example], "))
    hub.start()
    found = {tuple(hosts): status(hub.port, hosts) for hosts in json.loads(CASES.read_text())[judgement]}
    assert {hosts: found[hosts] for hosts in found if found[hosts] != expected} == {}
