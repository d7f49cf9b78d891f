"""Fixtures of the channel tests: a broker, hubs, and servers for the messages of channels."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Delivery"))

from hub_fixtures import broker, hub_of, pytest_report_header  # noqa: E402,F401
from notify_servers import MailServer, PushServer  # noqa: E402


@pytest.fixture
def push():
    """A server that stores requests."""
    made = PushServer()
    yield made
    made.stop()


@pytest.fixture
def mail_of(tmp_path):
    """Starts mail servers and stops them after the test."""
    servers = []

    def start(**keys):
        servers.append(MailServer(tmp_path, **keys))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()
