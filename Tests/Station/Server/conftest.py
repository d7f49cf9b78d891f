"""What the tests of the station's server share: the program, started for each test that asks for it."""

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
PROGRAM = os.environ.get("ANEROID_STATION", str(ROOT / "Sources/Station/.build/release/aneroid-station"))


class Served:
    """A station that runs."""

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

    def ask(self, path, headers=(), method="GET"):
        """The status, the header fields and the body."""
        request = urllib.request.Request(self.url + path, headers=dict(headers), method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def json(self, path):
        """The status and the content of an answer in JSON."""
        status, _, body = self.ask(path)
        return status, json.loads(body)

    def stop(self):
        """Ends it as a user does; what it still said."""
        if self.process.poll() is None:
            self.process.terminate()
        self.talk += self.process.communicate(timeout=30)[1]
        return self.process.returncode


@pytest.fixture
def serve():
    """Starts stations with arguments; all of them end with the test."""
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
    station = Served("--data", *SAMPLE)
    yield station
    station.stop()


@pytest.fixture(scope="session")
def plain():
    """A station without any argument but where it listens, from its first reading on."""
    station = Served()
    wait(lambda: station.json("/v1/station")[1]["temperature_c"] is not None)
    yield station
    station.stop()


def wait(condition, seconds=20):
    """Waits until something is so."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("it did not come to be")


def point(path, latitude, longitude):
    """What the program says that a file holds for a place."""
    result = subprocess.run(
        [PROGRAM, "point", str(path), "--latitude", str(latitude), "--longitude", str(longitude)],
        capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)
