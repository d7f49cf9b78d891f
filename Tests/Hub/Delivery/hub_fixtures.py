"""What the tests of the hub share: one seed for all, a broker and hubs that end with their test."""

import pytest

from hub_program import SEED, Broker, Hub


def pytest_report_header():
    """Every random choice comes of this seed."""
    return f"seed {SEED}: HUB_SEED={SEED} repeats the run"


@pytest.fixture
def broker(tmp_path):
    """A broker without authentication."""
    made = Broker(tmp_path)
    yield made
    made.kill()


@pytest.fixture
def hub_of(tmp_path):
    """Starts hubs, and ends them."""
    hubs = []

    def start(*arguments, **keys):
        hubs.append(Hub(tmp_path, *arguments, **keys))
        return hubs[-1]

    yield start
    for hub in hubs:
        hub.stop()
