"""Tests of the Python package: pytest's own ways to test a plugin."""

pytest_plugins = ["pytester"]
