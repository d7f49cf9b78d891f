"""Steps of the wall clock while the station runs: intervals are measured with the monotonic
clock."""

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
def test_readings_stay_valid_when_the_clock_is_set(clock, tmp_path, step):
    station = Served("--interval", "1", "--store", tmp_path / "s.sqlite", environment=clock.environment)
    try:
        before = wait(lambda: (a := station.json("/v1/station")[1])["quality"]["status"] == "good" and a)
        clock.set(step)
        after = wait(lambda: (a := station.json("/v1/station")[1])["sequence"] >= before["sequence"] + 2 and a)
        assert after["quality"] == {"status": "good", "reasons": []} and after["age_s"] <= 3, after
        # Forecasts are made for the current hour of the wall clock.
        now = int(time.time()) + step
        with sqlite3.connect(tmp_path / "s.sqlite") as database:
            wait(lambda: database.execute("SELECT count(*) FROM forecast WHERE issued = ?", (now - now % 3600,)).fetchone()[0],
                 seconds=60)
        clock.set(0)
        end = after["sequence"]
        right = wait(lambda: (a := station.json("/v1/station")[1])["sequence"] >= end + 2 and a)
        assert right["quality"]["status"] == "good" and right["age_s"] <= 3
    finally:
        assert station.stop() == 0


@pytest.mark.parametrize("step", STEPS)
def test_a_lost_sensor_becomes_stale_on_the_monotonic_clock(clock, step):
    environment = clock.environment | {"ANEROID_PROGRAM": str(ROOT / ".build/release/aneroid")}
    # A replay ends at once, and its last reading ages like that of a lost sensor.
    station = Served(ROOT / "rigs/weather-station.yaml", "--interval", "2", environment=environment)
    try:
        wait(lambda: station.json("/v1/station")[1]["time"])
        clock.set(step)
        begin = time.monotonic()
        wait(lambda: station.json("/v1/station")[1]["quality"]["status"] == "stale", 15)
        # The reading becomes stale neither at once because of the step nor years later.
        assert step < 0 or time.monotonic() - begin > 2
    finally:
        station.stop()


def test_no_reading_is_lost_if_the_clock_was_ahead_at_the_start(clock, tmp_path):
    store = tmp_path / "s.sqlite"
    Served("--store", store, environment=clock.environment).stop()
    with sqlite3.connect(store) as database:
        count, = database.execute("SELECT count(*) FROM reading").fetchone()
    clock.set(YEARS)
    station = Served("--store", store, "--keep", "30", "--interval", "1", environment=clock.environment)
    try:
        time.sleep(2)
        clock.set(0)
        # Readings stored while the clock was ahead are not current.
        answer = wait(lambda: (a := station.json("/v1/station")[1])["time"] < "2030" and a, 30)
        assert answer["quality"]["status"] == "good"
    finally:
        station.stop()
    with sqlite3.connect(store) as database:
        assert database.execute("SELECT count(*) FROM reading WHERE time < ?", (int(time.time()) + 60,)).fetchone()[0] >= count
    # A start with the right clock creates forecasts and past readings again.
    again = Served("--store", store, "--interval", "1", environment=clock.environment)
    try:
        answer = wait(lambda: (a := again.json("/v1/station")[1])["quality"]["status"] == "good" and a)
        assert answer["time"] < "2030"
    finally:
        again.stop()
