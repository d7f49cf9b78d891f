"""The wall clock is set while the station runs: what decides is the clock that is never set."""

import sqlite3
import time

import pytest

from conftest import ROOT, Served, wait
from wall_clock import WallClock

YEARS = 10 * 365 * 86400
STEPS = [3600, -3600, YEARS, -YEARS]


@pytest.fixture
def clock(tmp_path):
    return WallClock(tmp_path)


@pytest.mark.parametrize("step", STEPS)
def test_readings_go_on_and_stay_good(clock, tmp_path, step):
    station = Served("--interval", "1", "--store", tmp_path / "s.sqlite", environment=clock.environment)
    try:
        before = wait(lambda: (a := station.json("/v1/station")[1])["quality"]["status"] == "good" and a)
        clock.set(step)
        after = wait(lambda: (a := station.json("/v1/station")[1])["sequence"] >= before["sequence"] + 2 and a)
        assert after["quality"] == {"status": "good", "reasons": []} and after["age_s"] <= 3, after
        # Forecasts are made for the hour that the clock shows now.
        now = int(time.time()) + step
        with sqlite3.connect(tmp_path / "s.sqlite") as database:
            wait(lambda: database.execute("SELECT count(*) FROM forecast WHERE issued = ?", (now - now % 3600,)).fetchone()[0])
        clock.set(0)
        end = after["sequence"]
        right = wait(lambda: (a := station.json("/v1/station")[1])["sequence"] >= end + 2 and a)
        assert right["quality"]["status"] == "good" and right["age_s"] <= 3
    finally:
        assert station.stop() == 0


@pytest.mark.parametrize("step", STEPS)
def test_a_sensor_that_is_lost_is_stale_in_its_time(clock, step):
    environment = clock.environment | {"ANEROID_PROGRAM": str(ROOT / ".build/release/aneroid")}
    # A replay is over in a moment, and its last reading ages as a lost sensor's.
    station = Served(ROOT / "rigs/weather-station.yaml", "--interval", "2", environment=environment)
    try:
        wait(lambda: station.json("/v1/station")[1]["time"])
        clock.set(step)
        begin = time.monotonic()
        wait(lambda: station.json("/v1/station")[1]["quality"]["status"] == "stale", 15)
        # Not at once because of the step, and not years later.
        assert step < 0 or time.monotonic() - begin > 2
    finally:
        station.stop()


def test_a_clock_that_was_ahead_at_the_start_loses_nothing(clock, tmp_path):
    store = tmp_path / "s.sqlite"
    Served("--store", store, environment=clock.environment).stop()
    with sqlite3.connect(store) as database:
        count, = database.execute("SELECT count(*) FROM reading").fetchone()
    clock.set(YEARS)
    station = Served("--store", store, "--keep", "30", "--interval", "1", environment=clock.environment)
    try:
        time.sleep(2)
        clock.set(0)
        # What it stored while it was ahead is not now.
        answer = wait(lambda: (a := station.json("/v1/station")[1])["time"] < "2030" and a, 30)
        assert answer["quality"]["status"] == "good"
    finally:
        station.stop()
    with sqlite3.connect(store) as database:
        assert database.execute("SELECT count(*) FROM reading WHERE time < ?", (int(time.time()) + 60,)).fetchone()[0] >= count
    # A start with the right clock makes its forecasts and its past again.
    again = Served("--store", store, "--interval", "1", environment=clock.environment)
    try:
        answer = wait(lambda: (a := again.json("/v1/station")[1])["quality"]["status"] == "good" and a)
        assert answer["time"] < "2030"
    finally:
        again.stop()
