"""Fixtures of the delivery tests: a broker and hubs."""

from hub_fixtures import broker, hub_of, pytest_report_header  # noqa: F401
