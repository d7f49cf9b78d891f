"""The station's own endpoints, its stored state, and the requests that it rejects."""

import concurrent.futures
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time

import pytest

from conftest import PROGRAM, ROOT, Served, wait


def events(station, last=None, count=1, seconds=15):
    """Returns ids and contents of server-sent events."""
    found, rest = [], b""
    with socket.create_connection(("127.0.0.1", station.port), timeout=seconds) as link:
        header = f"Last-Event-ID: {last}\r\n" if last is not None else ""
        link.sendall(f"GET /v1/live HTTP/1.1\r\nHost: localhost\r\n{header}\r\n".encode())
        while len(found) < count:
            chunk = link.recv(65536)
            assert chunk
            rest += chunk
            found = [(int(number), json.loads(data)) for number, data in
                     re.findall(rb"id: (\d+)\nevent: reading\ndata: (.*)\n\n", rest)]
    return found


def test_the_station_starts_with_past_readings(plain):
    station = wait(lambda: (a := plain.json("/v1/station")[1])["time"] and a)
    assert station["source"] == "simulated" and station["quality"] == {"status": "good", "reasons": []}
    assert 950 < station["pressure_hpa"] < station["pressure_msl_hpa"] < 1060
    assert station["tendency"]["over_s"] == 10800
    assert station["forecasts"]["thesis"]["code"] in ("notStable", "goodWeather", "stable", "rainy", "thunderStorm")
    assert station["forecasts"]["zambretti"]["letter"].isupper() and station["forecasts"]["an3914"]
    score = plain.json("/v1/score")[1]
    for metric in score["metrics"].values():
        assert metric["model"]["n"] == 24 and metric["corrected"]["n"] == 24
        assert metric["corrected"]["mae"] < metric["model"]["mae"]


def test_the_history_is_paged(plain):
    seen, cursor = [], ""
    while True:
        status, page = plain.json(f"/v1/history?from=2020-01-01T00:00:00Z&limit=100{cursor}")
        assert status == 200
        seen += [reading["sequence"] for reading in page["readings"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert len(seen) == len(set(seen)) > 800
    for path in ("from=x", "limit=0", "limit=2001", "cursor=1", "cursor=a.b", "every_s=1"):
        assert plain.json(f"/v1/history?{path}")[0] == 400


def test_live_readings_are_sent_and_missed_ones_repeated(serve):
    station = serve("--interval", "1")
    wait(lambda: station.json("/v1/station")[1]["time"])
    first = events(station, count=3)
    numbers = [number for number, _ in first]
    assert numbers == list(range(numbers[0], numbers[0] + 3))
    time.sleep(2.2)
    missed = events(station, last=numbers[-1], count=2)
    assert [number for number, _ in missed][:2] == [numbers[-1] + 1, numbers[-1] + 2]
    assert missed[0][1]["quality"]["status"] == "stale"


def test_published_readings_survive_sigkill(tmp_path):
    store = tmp_path / "store.sqlite"
    last = 0
    for _ in range(3):
        station = Served("--store", store, "--interval", "1")
        wait(lambda: (station.json("/v1/station")[1]["sequence"] or 0) > last)
        published = events(station, count=2)[-1]
        station.process.send_signal(signal.SIGKILL)
        station.process.wait()
        with sqlite3.connect(store) as database:
            rows = database.execute("SELECT temperature_c FROM reading WHERE sequence = ?", (published[0],)).fetchall()
            assert len(rows) == 1 and rows[0][0] == pytest.approx(published[1]["temperature_c"], abs=0.006)
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        last = published[0]


def test_the_station_stops_cleanly_with_open_connections(serve, tmp_path):
    for number in (signal.SIGTERM, signal.SIGINT):
        station = serve("--store", tmp_path / "s.sqlite", "--interval", "1")
        link = socket.create_connection(("127.0.0.1", station.port))
        link.sendall(b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(1.5)
        begin = time.monotonic()
        station.process.send_signal(number)
        assert station.process.wait(timeout=60) == 0
        assert time.monotonic() - begin < 30
        link.close()
    with sqlite3.connect(tmp_path / "s.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM reading").fetchone()[0] > 800


def test_a_store_of_a_newer_version_is_not_changed(tmp_path, serve):
    store = tmp_path / "s.sqlite"
    serve("--store", store).stop()
    with sqlite3.connect(store) as database:
        database.execute("INSERT INTO grdb_migrations VALUES ('9 from the future')")
    result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", "--store", store], capture_output=True, text=True)
    assert result.returncode == 74 and "newer aneroid-station" in result.stderr


def test_an_invalid_store_is_reported_and_not_changed(tmp_path):
    (tmp_path / "junk").write_bytes(b"junk" * 500)
    with sqlite3.connect(tmp_path / "foreign") as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
    for path, words in [("junk", "it is not an SQLite database"), ("foreign", "it is a database of another program"), (".", "it is a folder"),
                        ("none/s.sqlite", "its folder does not exist")]:
        before = (tmp_path / path).read_bytes() if (tmp_path / path).is_file() else None
        store = str(tmp_path / path)
        result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", "--store", store], capture_output=True, text=True, timeout=20)
        assert result.returncode == 74 and len(result.stderr.splitlines()) == 1, result.stderr
        assert result.stderr.startswith(f"aneroid: cannot use the store {store}: {words}; ") and "name a" in result.stderr and "SQLite error" not in result.stderr
        assert before is None or (tmp_path / path).read_bytes() == before


COMMAND = ROOT / ".build/release/aneroid"


def test_the_command_starts_the_station_or_reports_how_to_build_it(tmp_path):
    process = subprocess.Popen([COMMAND, "station", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    assert "the station is at http://127.0.0.1:" in process.stderr.readline()
    process.terminate()
    assert process.wait(timeout=10) == 0
    process.stderr.close()
    alone = tmp_path / "aneroid"
    shutil.copy(COMMAND, alone)
    result = subprocess.run([alone, "station"], capture_output=True, text=True)
    assert result.returncode == 69 and result.stderr.startswith("aneroid: cannot start the station")
    assert "swift build -c release --package-path Sources/Services --product aneroid-station" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_rig_is_replayed(serve, monkeypatch):
    monkeypatch.setenv("ANEROID_PROGRAM", str(COMMAND))
    command = COMMAND
    station = serve(ROOT / "rigs/weather-station.yaml")
    answer = wait(lambda: (a := station.json("/v1/station")[1])["time"] and a)
    assert answer["source"] == "replayed" and answer["quality"]["status"] == "good"
    output = subprocess.run([command, "run", ROOT / "rigs/weather-station.yaml", "--format", "jsonl"],
                            capture_output=True, text=True).stdout
    readings = [event for line in output.splitlines() if (event := json.loads(line))["event"] == "reading"]
    assert answer["temperature_c"] == pytest.approx(readings[-1]["temperature_c"], abs=0.006)
    page = station.json("/v1/history?from=2000-01-01T00:00:00Z&limit=2000")[1]
    assert page["readings"][0]["pressure_hpa"] == pytest.approx(readings[0]["pressure_pa"] / 100, abs=0.006)


def test_other_host_names_are_rejected(plain, serve):
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil", "[::2]:80"):
        assert plain.request("/v1/station", {"Host": host})[0] == 421
    for host in ("localhost", f"127.0.0.1:{plain.port}", "LOCALHOST:1", "[::1]:8080"):
        assert plain.request("/v1/station", {"Host": host})[0] == 200
    station = serve("--host", "weather.home")
    assert station.request("/", {"Host": "weather.home:80"})[0] == 200


def test_only_get_and_head_are_allowed(plain):
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        status, fields, _ = plain.request("/v1/station", method=method)
        assert status == 405 and fields["Allow"] == "GET, HEAD"
    status, fields, body = plain.request("/v1/station", method="HEAD")
    assert status == 200 and body == b"" and int(fields["Content-Length"]) > 100


def test_no_path_reaches_the_file_system(plain):
    for path in ("/etc/passwd", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/v1/../../etc/passwd",
                 "/index.html", "/v1/history?cursor=../../etc/passwd", "/v1/forecast?timezone=../../etc/passwd"):
        status, _, body = plain.request(path)
        assert status in (400, 404) and b"root:" not in body
    assert plain.request("/" + "x" * 9000)[0] == 414


def test_too_many_requests_are_rejected(serve):
    station = serve("--rate", "5")
    # More than five requests a second even on a slow machine: several clients at once.
    with concurrent.futures.ThreadPoolExecutor(8) as clients:
        codes = list(clients.map(lambda _: station.request("/healthz")[0], range(400)))
    assert codes[:5] == [200] * 5 and codes.count(429) > 20 and set(codes) == {200, 429}
    wait(lambda: station.request("/healthz")[0] == 200, 60)


def test_the_page_runs_only_its_own_script(plain):
    import base64
    import hashlib
    import re
    status, fields, body = plain.request("/")
    policy = fields["Content-Security-Policy"]
    assert status == 200 and "default-src 'none'" in policy and "unsafe" not in policy
    for tag, source in (("script", "script-src"), ("style", "style-src")):
        (content,) = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", body.decode(), re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}'" in policy
    assert plain.request("/", {"Accept-Encoding": "gzip"})[1]["Content-Encoding"] == "gzip"
