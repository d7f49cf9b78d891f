"""Fixtures of the client tests: those of the station's server tests.

The clients have a Python environment of their own, because Open-Meteo's replaces a library that other tests use."""

import importlib.util
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "Server" / "conftest.py"
spec = importlib.util.spec_from_file_location("station_server", SOURCE)
server = importlib.util.module_from_spec(spec)
spec.loader.exec_module(server)

plain = server.plain
