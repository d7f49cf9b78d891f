"""Tests of the Python package, with pytest's own plugin for testing plugins."""

pytest_plugins = ["pytester"]
