"""Limits of the contract and of the start: bounds, exponents, empty parameters, and the files left
by a failed start."""

import signal
import sqlite3
import subprocess
import time

import pytest

from conftest import PROGRAM, Served

PLACE = {"/v1/forecast": "latitude=38.7223&longitude={}", "/QuickPrevByDate.php": "Lat=38.7223&Lon={}&Date=20131001_01"}


@pytest.mark.parametrize("path", PLACE)
def test_the_accepted_longitudes_match_the_contract(plain, path):
    parameters = plain.json("/openapi.json")[1]["paths"][path]["get"]["parameters"]
    bounds = next(one["schema"] for one in parameters if one["name"] in ("longitude", "Lon"))
    bounds = bounds.get("items", bounds)

    def is_place(value):
        answer = plain.json(f"{path}?{PLACE[path].format(value)}")[1]
        return "must be given" not in str(answer) and "bad_place" not in str(answer)

    assert is_place(bounds["minimum"]) and is_place(bounds["maximum"]) and is_place(350.9)
    assert not is_place(bounds["minimum"] - 0.1) and not is_place(bounds["maximum"] + 0.1)


def test_a_number_may_have_an_exponent(plain):
    for path, place in PLACE.items():
        one, other = (plain.json(f"{path}?{place.format(text)}") for text in ("-9.1393", "-9.1393e0"))
        for answer in (one[1], other[1]):
            answer.pop("generationtime_ms", None)
        assert one == other
        assert "bad_place" not in str(plain.json(f"{path}?{place.format('-1e-05')}")[1])
        for wrong in ("1e999", "e5", "1e", "nan", "inf", "0x10"):
            assert plain.json(f"{path}?{place.format(wrong)}")[0] == 400, wrong


def test_a_parameter_without_a_value_is_rejected(plain):
    place = "latitude=38.7223&longitude=-9.1393"
    for path in ("/v1/history?every_s=", "/v1/history?from=", "/v1/history?limit", "/v1/score?date=", f"/v1/forecast?{place}&timezone=",
                 f"/v1/forecast?{place}&forecast_days="):
        status, answer = plain.json(path)
        assert status == 400 and "empty_parameter" in str(answer) and "has no value" in str(answer), path
    assert plain.json(f"/v1/forecast?{place}&hourly=")[0] == 200


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_failed_start_leaves_no_file_next_to_the_store(plain, tmp_path):
    store = tmp_path / "s.sqlite"
    Served("--store", store).stop()
    assert left(tmp_path) == ["s.sqlite"]
    newer = tmp_path / "newer"
    newer.mkdir()
    (newer / "s.sqlite").write_bytes(store.read_bytes())
    with sqlite3.connect(newer / "s.sqlite") as database:
        database.execute("INSERT INTO grdb_migrations VALUES ('9 from the future')")
    database.close()
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    with sqlite3.connect(foreign / "s.sqlite") as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE recipes (name TEXT)")
    database.close()
    for arguments, status in [
        (["--store", store, "--listen", f"127.0.0.1:{plain.port}"], 69), (["--store", store, "--latitude", "41"], 74),
        (["--store", store, "--bus", "/dev/i2c-99"], 69), (["--store", store, "--bus", "trace:none"], 66),
        (["--store", newer / "s.sqlite"], 74), (["--store", foreign / "s.sqlite"], 74),
    ]:
        result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", *map(str, arguments)], capture_output=True, text=True, timeout=30)
        assert result.returncode == status, (arguments, result.stderr)
        assert left(tmp_path) == ["foreign", "newer", "s.sqlite"] and left(newer) == left(foreign) == ["s.sqlite"], arguments


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_during_the_start_leaves_at_most_the_store(tmp_path, number):
    for index in range(12):
        folder = tmp_path / str(index)
        folder.mkdir()
        # A shell without job control starts background programs with SIGINT ignored.
        process = subprocess.Popen([PROGRAM, "--listen", "127.0.0.1:0", "--store", str(folder / "s.sqlite"), "--interval", "1"],
                                   stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        time.sleep(0.05 + 0.05 * index)
        process.send_signal(number)
        process.communicate(timeout=30)
        assert left(folder) in ([], ["s.sqlite"]), index
        if process.returncode == 0:
            with sqlite3.connect(folder / "s.sqlite") as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_an_interval_that_is_not_whole_seconds_is_rejected():
    for words in ("0.5", "0", "-1", "3601", "x"):
        result = subprocess.run([PROGRAM, f"--interval={words}"], capture_output=True, text=True, timeout=20)
        assert result.returncode == 64 and "whole number of seconds, 1 to 3600" in result.stderr, words
    assert "1 to 3600" in subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout
