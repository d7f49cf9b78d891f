"""Edge cases of HTTP and of the contract: hosts, versions, methods, times, repeated parameters."""

import json
import re
import signal
import socket
import sqlite3
import subprocess
import time
from datetime import datetime, timedelta, timezone

import pytest

from conftest import PROGRAM, ROOT, Served, wait
from test_station import events


def raw(station, *lines, host="localhost", wait_for_end=False):
    """Returns the status of a hand-written request, and whether the station closed the
    connection."""
    with socket.create_connection(("127.0.0.1", station.port), timeout=5) as link:
        head = [*lines[:1], *([f"Host: {host}"] if host is not None else []), *lines[1:]]
        link.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
        got = b""
        while b"\r\n\r\n" not in got:
            chunk = link.recv(65536)
            if not chunk:
                break
            got += chunk
        closed = False
        if wait_for_end:
            link.settimeout(2)
            try:
                while chunk := link.recv(65536):
                    got += chunk
                closed = True
            except TimeoutError:
                pass
    return int(got.split()[1]), closed, got


@pytest.mark.parametrize("judgement,status", [("own", 200), ("stranger", 421), ("several", 400)])
def test_a_host_is_one_of_its_names_with_a_port_or_none(judgement, status):
    """The test cases that station and hub share."""
    cases = json.loads((ROOT / "fixtures/requests/hosts.json").read_text())[judgement]
    station = Served("--host", "hub.example")
    try:
        statuses = {tuple(hosts): raw(station, "GET /healthz HTTP/1.1", *(f"Host: {host}" for host in hosts), host=None)[0]
                for hosts in cases}
    finally:
        station.stop()
    assert {hosts: statuses[hosts] for hosts in statuses if statuses[hosts] != status} == {}


def test_an_http_1_0_connection_closes_after_the_response(plain):
    for version, field, ends in (("1.0", "X: y", True), ("1.0", "Connection: keep-alive", True), ("1.1", "X: y", False),
                                 ("1.1", "Connection: close", True), ("1.1", "Connection: Close", True)):
        status, closed, got = raw(plain, f"GET /healthz HTTP/{version}", field, wait_for_end=True)
        assert (status, closed) == (200, ends), (version, field)
        assert (b"connection: close" in got.lower()) == ends


def test_a_head_request_of_the_live_readings_ends_without_a_body(plain):
    status, fields, body = plain.request("/v1/live", method="HEAD")
    assert status == 200 and body == b"" and fields["Content-Type"].startswith("text/event-stream")


def test_the_station_does_not_wait_for_a_body(plain):
    status, closed, _ = raw(plain, "POST /v1/station HTTP/1.1", "Content-Length: 100000000000", wait_for_end=True)
    assert status == 405 and closed


def test_a_request_with_a_body_is_rejected(plain):
    for head, rest in (("Content-Length: 3", "abc"), ("Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n")):
        for method in ("GET", "HEAD"):
            with socket.create_connection(("127.0.0.1", plain.port), timeout=5) as link:
                link.sendall(f"{method} /v1/station HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n{rest}".encode())
                got = link.recv(65536)
            assert b" 400 " in got.splitlines()[0], (head, method)
            assert method == "HEAD" or b'"bad_body"' in got
    assert raw(plain, "GET /v1/station HTTP/1.1", "Content-Length: 0")[0] == 200


def test_it_listens_on_ipv6(tmp_path):
    process = subprocess.Popen([PROGRAM, "--listen", "[::1]:0"], stderr=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r"http://\[::1\]:(\d+)/", process.stderr.readline())[1])
        with socket.create_connection(("::1", port), timeout=5) as link:
            link.sendall(f"GET /healthz HTTP/1.0\r\nHost: [::1]:{port}\r\n\r\n".encode())
            assert b" 200 " in link.recv(65536)
    finally:
        process.terminate()
        assert process.wait(timeout=10) == 0
        process.stderr.close()
    for listen in ("::1:8080", "8080", "localhost", "localhost:x", "[::1]", "localhost:70000"):
        result = subprocess.run([PROGRAM, "--listen", listen], capture_output=True, text=True)
        assert result.returncode == 64 and "--listen" in result.stderr, listen


def test_help_shows_the_options_of_the_station():
    for words in (["--help"], ["-h"], ["help"], ["serve", "--help"], ["--interval", "5", "--help"]):
        result = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
        assert result.returncode == 0
        for option in ("--data", "--bus", "--listen", "--store", "--adopt-store", "--keep", "--rate", "--host", "--client-header", "extract", "point"):
            assert option in result.stdout, (words, option)
    assert "--output" in subprocess.run([PROGRAM, "extract", "--help"], capture_output=True, text=True).stdout


def test_a_wrong_option_names_the_command_that_was_typed():
    for words in (["--frobnicate"], ["--interval", "x"], ["serve", "--frobnicate"], ["--listen", "8080"]):
        result = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
        assert result.returncode == 64 and "'aneroid station --help'" in result.stderr and "station serve" not in result.stderr, words
    assert "'aneroid station extract --help'" in subprocess.run([PROGRAM, "extract"], capture_output=True, text=True).stderr


def test_a_listen_error_names_the_reason_and_a_remedy(plain):
    for listen, why, advice in [
        (f"127.0.0.1:{plain.port}", "another program listens there", "--listen"), ("192.0.2.1:0", "does not have that address", "127.0.0.1"),
        ("nosuch.invalid:0", "unknown host name", "127.0.0.1"),
    ]:
        result = subprocess.run([PROGRAM, "--listen", listen], capture_output=True, text=True, timeout=30)
        assert result.returncode == 69 and len(result.stderr.splitlines()) == 1, result.stderr
        assert result.stderr.startswith(f"aneroid: cannot serve at {listen}: ") and why in result.stderr and advice in result.stderr
        assert "errno" not in result.stderr and "Error" not in result.stderr


def test_an_unknown_parameter_is_rejected(plain):
    for path in ("/v1/station?x=1", "/v1/station?latitude=1", "/v1/live?x=1", "/v1/history?form=2026-11-23", "/v1/score?day=2026-11-22"):
        status, answer = plain.json(path)
        assert status == 400 and answer["error"]["code"] == "unknown_parameter", path
    place = "Lon=-9.1393&Lat=38.7223"
    for path in (f"/QuickPrevByDate.php?{place}&date=20131001_01&key=1", f"/PrevByDateAndMetric.php?{place}&date=20131001&metrik=temp",
                 f"/MedianPrevByDays.php?{place}&date=20131001&day=1", f"/PrevForNextHoursByMetric.php?{place}&date=20131001_01&metric=hum&"
                 "sensor=true"):
        status, answer = plain.json(path)
        assert status == 400 and answer["error"]["code"] == "unknown_parameter" and "response" not in answer, path
        assert "Lon, Lat, Date, Metric, Days" in answer["error"]["message"]
    assert "from, to, limit, cursor, every_s" in plain.json("/v1/history?form=1")[1]["error"]["message"]


def test_a_history_that_ends_before_it_begins_is_rejected(plain):
    for more in ("", "&every_s=600", "&cursor=1.1"):
        status, answer = plain.json(f"/v1/history?from=2026-11-23T10:00:00Z&to=2026-11-23T09:59:59Z{more}")
        assert status == 400 and answer["error"]["code"] == "bad_time" and "from" in answer["error"]["message"]
    assert plain.json("/v1/history?from=2026-11-23T10:00:00Z&to=2026-11-23T10:00:00Z") == (200, {"readings": [], "next": None})
    # Default begin: a day before the end.
    wait(lambda: plain.json("/v1/station")[1]["time"])
    end = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=12)
    times = [one["time"] for one in plain.json(f"/v1/history?to={end:%Y-%m-%dT%H:%M:%SZ}&limit=2000")[1]["readings"]]
    begin = end - timedelta(days=1)
    assert len(times) == 288 and times[0] >= f"{begin:%Y-%m-%dT%H:%M:%SZ}" and times[-1] < f"{end:%Y-%m-%dT%H:%M:%SZ}"


def test_the_version_matches_the_command():
    programs = (ROOT / ".build/release/aneroid", PROGRAM)
    one, other = (subprocess.run([program, "--version"], capture_output=True, text=True) for program in programs)
    assert one.returncode == other.returncode == 0 and one.stdout == other.stdout != ""


def test_a_repeated_parameter_is_rejected(plain):
    place = "latitude=38.7223&longitude=-9.1393"
    for path in (f"/v1/forecast?{place}&forecast_days=1&forecast_days=2", "/v1/history?limit=5&limit=6", "/v1/score?date=2026-01-01&date=2026-01-02",
                 "/QuickPrevByDate.php?Lon=-9&lon=-8&lat=39&date=20131001_01"):
        status, answer = plain.json(path)
        assert status == 400 and "repeated_parameter" in (answer.get("code"), (answer["error"] or {}).get("code") if
                                                          isinstance(answer["error"], dict) else None), path
    status, answer = plain.json(f"/v1/forecast?{place}&hourly=temperature_2m&hourly=cloud_cover")
    assert status == 200 and {"temperature_2m", "cloud_cover"} < set(answer["hourly"])


def test_times_of_history_have_zones(plain):
    wait(lambda: plain.json("/v1/station")[1]["time"])
    now = datetime.now(timezone.utc).replace(microsecond=0)
    begin, end = now - timedelta(hours=5), now - timedelta(hours=4)

    def times(one, other):
        status, page = plain.json(f"/v1/history?from={one}&to={other}&limit=2000")
        assert status == 200, (one, page)
        return [reading["time"] for reading in page["readings"]]

    expected = times(f"{begin:%Y-%m-%dT%H:%M:%SZ}", f"{end:%Y-%m-%dT%H:%M:%SZ}")
    assert len(expected) == 60
    for hours, minutes in ((5, 0), (-3, 30), (0, 0), (14, 0)):
        sign, shift = ("-", -timedelta(hours=-hours, minutes=minutes)) if hours < 0 else ("+", timedelta(hours=hours, minutes=minutes))
        zone = f"{abs(hours):02}:{minutes:02}"
        one, other = (f"{moment + shift:%Y-%m-%dT%H:%M:%S}" for moment in (begin, end))
        for plus in ("%2B", "+") if sign == "+" else ("-",):
            assert times(one + plus + zone, other + plus + zone) == expected, plus + zone
        assert times(f"{one}.5{sign.replace('+', '%2B')}{zone}", f"{other}.25{sign.replace('+', '%2B')}{zone}") == expected
    # Default zone: UTC; a date alone is its first second.
    assert times(f"{begin:%Y-%m-%dt%H:%M:%S}", f"{end:%Y-%m-%dT%H:%M:%Sz}") == expected
    assert plain.json(f"/v1/history?from={now:%Y-%m-%d}")[0] == 200
    for wrong in ("2026-02-30T00:00:00Z", "2026-11-23T25:00:00Z", "2026-11-23T10:00:00%2B24:00", "2026-11-23T10:00:00%2B5", "1", "now",
                  "2026-11-23T10:00:00Zx", "2026-1-2"):
        assert plain.json(f"/v1/history?from={wrong}")[0] == 400, wrong


def test_too_many_means_are_rejected_with_a_remedy(plain):
    status, answer = plain.json("/v1/history?every_s=10")
    assert status == 400
    words = answer["error"]["message"]
    assert "86401 s" in words and "500 means of 10 s" in words
    step = re.search(r"every_s=(\d+)", words)[1]
    assert plain.json(f"/v1/history?every_s={step}")[0] == 200
    assert "10 to 86400" in plain.json("/v1/history?every_s=x")[1]["error"]["message"]


def test_a_last_event_id_of_another_store_starts_from_the_beginning(serve):
    station = serve("--interval", "1")
    wait(lambda: station.json("/v1/station")[1]["time"])
    last = station.json("/v1/station")[1]["sequence"]
    number, reading = events(station, last=last + 100_000, count=1, seconds=5)[0]
    assert last <= number <= last + 10 and reading["temperature_c"] is not None


def test_more_missed_readings_than_a_page_come_without_a_gap(tmp_path):
    store = tmp_path / "s.sqlite"
    Served("--store", store).stop()
    now = int(time.time())
    with sqlite3.connect(store) as database:
        (first,) = database.execute("SELECT max(sequence) FROM reading").fetchone()
        database.executemany("INSERT INTO reading (time, temperature_c, humidity_percent, pressure_pa) VALUES (?, 20, 50, 101325)",
                             ((now - 2500 + index,) for index in range(2500)))
    station = Served("--store", store, "--interval", "1")
    try:
        numbers = [number for number, _ in events(station, last=first, count=2503)]
        assert numbers == list(range(first + 1, first + 1 + len(numbers)))
    finally:
        station.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stop_leaves_one_complete_store_file(tmp_path, number):
    store = tmp_path / "s.sqlite"
    station = Served("--store", store, "--interval", "1")
    last = events(station, count=2)[-1][0]
    # A client has an open connection while the station stops.
    link = socket.create_connection(("127.0.0.1", station.port))
    link.sendall(b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
    station.process.send_signal(number)
    assert station.process.wait(timeout=10) == 0
    link.close()
    assert [path.name for path in tmp_path.iterdir()] == ["s.sqlite"]
    with sqlite3.connect(f"file:{store}?immutable=1", uri=True) as database:
        assert database.execute("SELECT count(*) FROM reading WHERE sequence = ?", (last,)).fetchone() == (1,)


def test_a_store_is_locked_by_one_program_and_one_station(tmp_path):
    store = tmp_path / "s.sqlite"
    station = Served("--store", store)
    arguments = [PROGRAM, "--listen", "127.0.0.1:0", "--store", str(store)]
    second = subprocess.run(arguments, capture_output=True, text=True)
    assert second.returncode == 74 and "in use by another aneroid-station" in second.stderr
    assert station.request("/healthz")[0] == 200
    station.process.send_signal(signal.SIGKILL)
    station.process.wait()
    Served("--store", store).stop()
    moved = subprocess.run([*arguments, "--latitude", "41.1579", "--longitude=-8.6291"], capture_output=True, text=True)
    assert moved.returncode == 74 and len(moved.stderr.splitlines()) == 1
    assert "it contains simulated readings at 38.7223, -9.1393" in moved.stderr and "--adopt-store" in moved.stderr
    Served("--store", store, "--latitude", "41.1579", "--longitude=-8.6291", "--adopt-store").stop()
    assert subprocess.run(arguments, capture_output=True).returncode == 74


def test_clients_of_a_proxy_are_limited_separately(serve):
    """With --client-header each client that the proxy names has a limit of its own; a client cannot choose its name."""
    import http.client
    station = serve("--rate", "5", "--client-header", "X-Forwarded-For")

    def ask(*names):
        connection = http.client.HTTPConnection("127.0.0.1", station.port)
        statuses = []
        for name in names:
            connection.request("GET", "/healthz", headers={"X-Forwarded-For": name})
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
        return statuses

    assert 429 in ask(*["10.0.0.1"] * 40)
    assert ask("10.0.0.2", "10.0.0.3, 10.0.0.4") == [200, 200]
    # The proxy appends what it saw to what the client claims.
    assert 429 in ask(*[f"192.0.2.{number}, 10.0.0.1" for number in range(5)])
    plain = serve("--rate", "5")
    connection = http.client.HTTPConnection("127.0.0.1", plain.port)
    statuses = []
    for number in range(40):
        connection.request("GET", "/healthz", headers={"X-Forwarded-For": f"10.0.0.{number}"})
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)
    assert 429 in statuses


def test_a_store_of_the_previous_version_is_migrated(tmp_path):
    store = tmp_path / "s.sqlite"
    Served("--store", store).stop()
    with sqlite3.connect(store) as database:
        database.execute("DROP TABLE station")
        database.execute("DELETE FROM grdb_migrations WHERE identifier LIKE '3 %'")
        (count,) = database.execute("SELECT count(*) FROM reading").fetchone()
    Served("--store", store).stop()
    with sqlite3.connect(store) as database:
        assert database.execute("SELECT source FROM station").fetchall() == [("simulated",)]
        assert database.execute("SELECT count(*) FROM reading").fetchone()[0] >= count


def test_old_readings_are_deleted_at_the_start(tmp_path):
    store = tmp_path / "s.sqlite"
    Served("--store", store).stop()
    now = int(time.time())
    with sqlite3.connect(store) as database:
        database.executemany("INSERT INTO reading (time, temperature_c) VALUES (?, 1)", [(now - 3 * 86400 - 60,), (now - 3 * 86400 + 600,)])
        database.execute("INSERT INTO forecast VALUES (?, ?, 'temperature_2m', 1, 1)", (now - 4 * 86400, now - 4 * 86400 + 3600))
        database.execute("INSERT INTO barometer VALUES (?, 'thesis', 0)", (now - 4 * 86400,))
    station = Served("--store", store, "--keep", "3")
    try:
        wait(lambda: station.json("/v1/history?from=2000-01-01T00:00:00Z&limit=1")[1]["readings"][0]["time"]
             >= f"{datetime.fromtimestamp(now - 3 * 86400, timezone.utc):%Y-%m-%dT%H:%M:%SZ}")
    finally:
        station.stop()
    with sqlite3.connect(store) as database:
        assert database.execute("SELECT count(*) FROM reading WHERE temperature_c = 1").fetchone() == (1,)
        for table, column in (("forecast", "issued"), ("barometer", "issued")):
            assert database.execute(f"SELECT count(*) FROM {table} WHERE {column} = ?", (now - 4 * 86400,)).fetchone() == (0,)
