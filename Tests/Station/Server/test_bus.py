"""Sources of readings: a bus on a bench, a rig's bus, a trace; a sensor that is lost and
recovers."""

import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import time
from datetime import datetime

import pytest

from conftest import PROGRAM, ROOT, Served, wait

COMMAND = ROOT / ".build/release/aneroid"


@pytest.fixture
def command(monkeypatch):
    monkeypatch.setenv("ANEROID_PROGRAM", str(COMMAND))


class BenchStation(Served):
    """A station on a bench, with its own virtual `/dev/i2c-1`."""

    def __init__(self, bench, *arguments):
        self.process = subprocess.Popen(
            [COMMAND, "exec", *map(str, bench), "--", PROGRAM, "--listen", "127.0.0.1:0", "--rate", "0", "--interval", "1",
             *map(str, arguments)], stderr=subprocess.PIPE, text=True)
        self.talk = ""
        for line in self.process.stderr:
            self.talk += line
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port, self.url = int(found[1]), f"http://127.0.0.1:{found[1]}"
                return
        raise RuntimeError(self.talk)


@pytest.fixture
def bench():
    running = []

    def start(*arguments):
        running.append(BenchStation(*arguments))
        return running[-1]

    yield start
    for station in running:
        station.stop()


def reading(station):
    return wait(lambda: (a := station.json("/v1/station")[1])["time"] and a)


def test_past_hours_are_measured_by_a_sensor_that_measures_every_half_hour(serve, command):
    station = serve(ROOT / "rigs/weather-station.yaml")
    reading(station)
    seen = [(datetime.fromisoformat(one["time"]).timestamp(), one["temperature_c"]) for one in station.json("/v1/history?limit=2000")[1]["readings"]]
    # Each half hour it measures several times in a row.
    assert len([1 for a, b in zip(seen, seen[1:]) if 1200 < b[0] - a[0] <= 1800]) > 10
    hourly = station.json("/v1/forecast?latitude=38.7223&longitude=-9.1393&hourly=temperature_2m&timeformat=unixtime&past_days=2&forecast_days=1")[1]["hourly"]
    checked = 0
    for moment, celsius in zip(hourly["time"], hourly["temperature_2m"]):
        around = [value for at, value in seen if abs(at - moment) <= 2700]
        if seen[0][0] <= moment - 1800 and moment + 1800 <= seen[-1][0]:
            assert min(around) - 0.06 <= celsius <= max(around) + 0.06, (moment, celsius, around)
            checked += 1
    assert checked >= 5


def test_a_full_disk_ends_neither_readings_nor_forecasts(tmp_path, command):
    """Readings wait in memory, are shown, and are stored when there is room again, in order and once."""
    store = tmp_path / "station.sqlite"
    station = Served("--bus", f"rig:{ROOT}/rigs/weather-station.yaml", "--interval", "1", "--store", store)
    try:
        first = reading(station)
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.prlimit(station.process.pid, resource.RLIMIT_FSIZE, (1000, hard))
        waiting = lambda: float(re.search(r"^aneroid_readings_waiting (\S+)", station.request("/metrics")[2].decode(), re.M)[1])
        wait(lambda: waiting() >= 3)
        shown = station.json("/v1/station")[1]
        assert shown["time"] > first["time"] and shown["age_s"] <= 2
        assert station.json("/v1/forecast?latitude=38.72&longitude=-9.14&hourly=temperature_2m")[0] == 200
        resource.prlimit(station.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        wait(lambda: waiting() == 0)
        start = shown["time"]
        wait(lambda: station.json("/v1/station")[1]["time"] > start)
        last = station.json("/v1/station")[1]["time"]
    finally:
        station.stop()
    with sqlite3.connect(store) as database:
        times = [time for time, in database.execute("SELECT time FROM reading ORDER BY sequence")]
    assert times == sorted(set(times)) and max(b - a for a, b in zip(times, times[1:])) <= 2
    assert station.talk.count("cannot write to the store") == 1 and station.talk.count("the store can be written again") == 1


def test_a_real_bus_is_read_by_the_driver(bench, tmp_path):
    rig = tmp_path / "cold.yaml"
    rig.write_text("name: cold\nduration: 1h\nbuses: [{number: 1, devices: [{address: 0x77, model: bme280}]}]\n"
                   "environment: {constant: {temperature: -7.5C, pressure: 987.6hPa, humidity: 81%}}\n"
                   "pipeline: {bus: 1, samples: 1, cycle: 1min}\n")
    station = bench(["--rig", rig], "--bus", "/dev/i2c-1", "--store", tmp_path / "s.sqlite")
    now = reading(station)
    assert now["source"] == "real" and now["quality"]["status"] == "good"
    assert now["temperature_c"] == pytest.approx(-7.5, abs=0.3)
    assert now["pressure_hpa"] == pytest.approx(987.6, abs=0.5) and now["humidity_percent"] == pytest.approx(81, abs=2)
    wait(lambda: len(station.json("/v1/history")[1]["readings"]) >= 3)
    _, answer = station.json("/v1/forecast?latitude=38.7223&longitude=-9.1393&current=temperature_2m")
    assert answer["aneroid"]["current_from"] == "station" and answer["current"]["temperature_2m"] == pytest.approx(-7.5, abs=0.3)
    assert station.stop() == 0


def test_the_station_recovers_from_a_lost_sensor(bench):
    station = bench(["--fault", "kind: nack-address, after: 60, count: 60"], "--bus", "/dev/i2c-1")
    first = reading(station)
    stale = wait(lambda: (a := station.json("/v1/station")[1])["quality"]["status"] == "stale" and a, 40)
    assert stale["sequence"] >= first["sequence"]
    # While the sensor is lost, the values are the model's.
    _, answer = station.json("/v1/forecast?latitude=38.7223&longitude=-9.1393&current=temperature_2m")
    assert answer["aneroid"]["current_from"] == "model"
    back = wait(lambda: (a := station.json("/v1/station")[1])["quality"]["status"] == "good" and a, 90)
    assert back["sequence"] > stale["sequence"]
    station.stop()
    assert station.talk.count("retrying every 1 s") == 1 and station.talk.count("the sensor responds again") == 1, station.talk


def test_the_start_fails_without_a_sensor_or_a_bus(tmp_path):
    for bus in ("/dev/i2c-77", "/dev/null"):
        result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", "--bus", bus], capture_output=True, text=True)
        assert result.returncode == 69 and result.stderr.startswith(f"aneroid: cannot read {bus}: "), result.stderr


def test_a_rigs_bus_is_read_in_real_time(serve, command):
    station = serve("--bus", f"rig:{ROOT / 'rigs/weather-station.yaml'}", "--interval", "1")
    first = reading(station)
    assert first["source"] == "simulated" and first["quality"]["status"] == "good"
    later = wait(lambda: (a := station.json("/v1/station")[1])["sequence"] >= first["sequence"] + 3 and a)
    assert later["age_s"] <= 2
    children = subprocess.run(["pgrep", "-P", str(station.process.pid)], capture_output=True, text=True).stdout.split()
    assert len(children) == 1
    assert station.stop() == 0
    wait(lambda: not os.path.exists(f"/proc/{children[0]}"))


def test_a_rigs_bus_ends_with_a_station_that_is_killed(command):
    station = Served("--bus", "rig:weather-station", "--interval", "1")
    reading(station)
    (child,) = subprocess.run(["pgrep", "-P", str(station.process.pid)], capture_output=True, text=True).stdout.split()
    station.process.send_signal(signal.SIGKILL)
    station.process.wait()
    wait(lambda: not os.path.exists(f"/proc/{child}"))


def test_a_rig_with_several_buses_requires_a_bus_number(serve, command):
    result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", "--bus", "rig:many-sensors"], capture_output=True, text=True)
    assert result.returncode == 69 and "buses" in result.stderr and "cannot read rig:many-sensors" in result.stderr
    assert reading(serve("--bus", "rig:many-sensors#2", "--interval", "1"))["temperature_c"] is not None


@pytest.mark.parametrize("bus, words", [
    ("rig:weather-station#2", "unknown bus '2' (accepted: 1)"),
    ("rig:many-sensors#7", "unknown bus '7' (accepted: 1, 2, 3)"), ("rig:many-sensors#two", "'two' is not a bus number")])
def test_an_unknown_bus_of_the_rig_is_rejected_at_the_start(command, bus, words):
    result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", "--bus", bus], capture_output=True, text=True, timeout=20)
    assert result.returncode in (64, 69) and words in result.stderr and f"cannot read {bus}" in result.stderr, result.stderr
    assert "the station is at" not in result.stderr and "modprobe" not in result.stderr


def test_a_restart_reports_that_the_rig_starts_again(command, tmp_path):
    restarted = "the rig starts again at its time 0; stored readings up to 20"
    arguments = ["--bus", "rig:weather-station", "--interval", "1", "--store", tmp_path / "s.sqlite"]
    station = Served(*arguments)
    reading(station)
    station.stop()
    assert restarted not in station.talk
    station = Served(*arguments)
    station.stop()
    assert restarted in station.talk


def test_a_replayed_trace_ends_at_the_current_time(serve, command, tmp_path):
    trace = tmp_path / "a.i2ctrace"
    output = subprocess.run([COMMAND, "read", "--bus", "weather-station", "--count", "90", "--every", "60s", "--trace", trace,
                             "--format", "jsonl"], capture_output=True, text=True).stdout
    read = [json.loads(line) for line in output.splitlines()]
    station = serve("--bus", f"trace:{trace}", "--interval", "60", "--store", tmp_path / "s.sqlite")
    last = reading(station)
    assert last["source"] == "replayed" and last["age_s"] < 60
    page = station.json("/v1/history?from=2000-01-01T00:00:00Z&limit=2000")[1]["readings"]
    assert len(page) == 90
    for one, other in zip(page, read):
        assert one["temperature_c"] == pytest.approx(other["temperature_c"], abs=0.006)
        assert one["pressure_hpa"] == pytest.approx(other["pressure_pa"] / 100, abs=0.006)
    # A second start replays the trace again without duplicates.
    station.stop()
    again = serve("--bus", f"trace:{trace}", "--interval", "60", "--store", tmp_path / "s.sqlite")
    wait(lambda: (again.json("/v1/station")[1]["sequence"] or 0) > 90)
    page = again.json("/v1/history?from=2000-01-01T00:00:00Z&limit=2000")[1]["readings"]
    assert 90 <= len(page) <= 91


def test_an_invalid_replay_source_is_reported(tmp_path, command):
    (tmp_path / "x.i2ctrace").write_text("no trace")
    (tmp_path / "x.yaml").write_text("name: x\nbuses: [{nmber: 1}]\n")
    for arguments, status, words in [
        (["--bus", f"trace:{tmp_path}/x.i2ctrace"], 65, "is not a trace"), (["--bus", f"trace:{tmp_path}/no"], 66, "cannot read"),
        (["--bus", f"rig:{tmp_path}/no.yaml"], 66, "no.yaml"), (["--bus", f"rig:{tmp_path}/x.yaml"], 78, "nmber"),
        ([f"{tmp_path}/x.yaml"], 78, "nmber"), (["nosuchrig"], 66, "nosuchrig"),
    ]:
        result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", *arguments], capture_output=True, text=True)
        assert result.returncode == status and words in result.stderr, (arguments, result.returncode, result.stderr)


LISBON = "/v1/forecast?latitude=38.7223&longitude=-9.1393&current=temperature_2m"


def test_readings_become_stale_after_a_replay(serve, command):
    station = serve(ROOT / "rigs/weather-station.yaml", "--interval", "2")
    first = reading(station)
    assert first["stale_after_s"] == 6 and first["quality"]["status"] == "good"
    assert station.json(LISBON)[1]["aneroid"]["current_from"] == "station"
    old = wait(lambda: (a := station.json("/v1/station")[1])["quality"]["status"] == "stale" and a, 10)
    assert 6 < old["age_s"] <= 8 and old["sequence"] == first["sequence"]
    assert old["quality"]["reasons"][0].startswith("the replay has ended: the last reading is ")
    answer = station.json(LISBON)[1]["aneroid"]
    assert (answer["current_from"], answer["corrected"], answer["uncorrected_because"]) == ("model", False, "stale")


def test_a_rigs_replay_corrects_the_model_too(serve, command):
    station = serve(ROOT / "rigs/weather-station.yaml", "--interval", "600")
    last = reading(station)
    _, answer = station.json(LISBON + "&hourly=temperature_2m&timeformat=unixtime")
    assert answer["aneroid"]["corrected"] is True and answer["aneroid"]["uncorrected_because"] is None
    coming = [value for at, value in zip(answer["hourly"]["time"], answer["hourly"]["temperature_2m"]) if at > time.time()]
    # New York's frost in Lisbon: half of an offset of 20 °C remains after four hours.
    assert answer["aneroid"]["offset"]["temperature_2m"] < -5 and abs(coming[0] - last["temperature_c"]) < 8


def test_a_replay_of_a_rig_is_not_mixed_with_an_earlier_one(tmp_path, command):
    counts = []
    for _ in range(2):
        station = Served(ROOT / "rigs/weather-station.yaml", "--store", tmp_path / "s.sqlite")
        wait(lambda: (station.json("/v1/station")[1]["sequence"] or 0) > (counts[0] if counts else 0))
        counts.append(int(re.search(r"\d+", str(len(station.json("/v1/history?from=2000-01-01T00:00:00Z&limit=2000")[1]["readings"])))[0]))
        station.stop()
        time.sleep(1.1)
    assert counts[1] - counts[0] <= 1
