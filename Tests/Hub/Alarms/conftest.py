"""What the tests of alarms share: the broker and the hubs of the tests of delivery."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Delivery"))
from hub_program import SEED, Broker, Hub  # noqa: E402

import pytest  # noqa: E402


def pytest_report_header():
    """Every random choice comes of this seed."""
    return f"seed {SEED}: HUB_SEED={SEED} repeats the run"


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


@pytest.fixture
def broker(tmp_path):
    """A broker for anybody."""
    made = Broker(tmp_path)
    yield made
    made.kill()
