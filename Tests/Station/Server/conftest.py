"""Fixtures of the station's server tests: the program, started for each test that requests it."""

import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = [str(ROOT / "fixtures/forecasts" / name) for name in ("portugal-27km.nc", "lisbon-9km.nc")]
PROGRAM = os.environ.get("ANEROID_STATION", str(ROOT / "Sources/Services/.build/release/aneroid-station"))


class Served:
    """A running station."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen(
            [PROGRAM, "--listen", "127.0.0.1:0", "--rate", "0", *map(str, arguments)], stderr=subprocess.PIPE, text=True, env=environment)
        self.talk = ""
        for line in self.process.stderr:
            self.talk += line
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(found[1])
                self.url = f"http://127.0.0.1:{self.port}"
                return
        raise RuntimeError(f"the station did not start: {self.talk}")

    def request(self, path, headers=(), method="GET"):
        """Sends a request; returns status, header fields and body."""
        request = urllib.request.Request(self.url + path, headers=dict(headers), method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def json(self, path):
        """Returns status and content of a JSON response."""
        status, _, body = self.request(path)
        return status, json.loads(body)

    def stop(self):
        """Stops the station with SIGTERM and reads its remaining output."""
        if self.process.poll() is None:
            self.process.terminate()
        self.talk += self.process.communicate(timeout=30)[1]
        return self.process.returncode


@pytest.fixture
def serve():
    """Starts stations with these arguments and stops them after the test."""
    running = []

    def start(*arguments):
        running.append(Served(*arguments))
        return running[-1]

    yield start
    for station in running:
        station.stop()


@pytest.fixture(scope="session")
def sample():
    """A station with the sample's own dates, in October 2013."""
    station = Served("--data", *SAMPLE, "--bus", "simulated")
    yield station
    station.stop()


@pytest.fixture(scope="session")
def plain():
    """A station without arguments except the listen address, once it has a reading."""
    station = Served()
    wait(lambda: station.json("/v1/station")[1]["temperature_c"] is not None)
    yield station
    station.stop()


def wait(condition, seconds=20):
    """Waits until a condition holds and returns its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("timed out waiting for the condition")


def point(path, latitude, longitude):
    """Returns the values that the program reads from a file for a location."""
    result = subprocess.run(
        [PROGRAM, "point", str(path), "--latitude", str(latitude), "--longitude", str(longitude)],
        capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)
