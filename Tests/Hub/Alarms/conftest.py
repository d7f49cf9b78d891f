"""Fixtures of the alarm tests: the broker and the hubs of the delivery tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Delivery"))
from hub_fixtures import broker, hub_of, pytest_report_header  # noqa: E402, F401
