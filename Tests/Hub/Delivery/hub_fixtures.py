"""Fixtures of the hub's tests: one seed for all tests, a broker, and hubs that are stopped after
each test."""

import pytest

from hub_program import SEED, Broker, Hub


def pytest_report_header():
    """Reports the seed of all random choices."""
    return f"seed {SEED}: HUB_SEED={SEED} repeats the run"


@pytest.fixture
def broker(tmp_path):
    """A broker without authentication."""
    made = Broker(tmp_path)
    yield made
    made.kill()


@pytest.fixture
def hub_of(tmp_path):
    """Starts hubs and stops them after the test."""
    hubs = []

    def start(*arguments, **keys):
        hubs.append(Hub(tmp_path, *arguments, **keys))
        return hubs[-1]

    yield start
    for hub in hubs:
        hub.stop()
