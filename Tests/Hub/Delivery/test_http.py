"""Delivery over HTTP, the hub's responses, and the requests that it rejects."""

import csv
import fcntl
import hashlib
import json
import os
import pty
import re
import signal
import socket
import sqlite3
import ssl
import struct
import subprocess
import termios
import time
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from hub_program import PROGRAM, Collector, certificates, free_port, until


def test_batches_are_retried(hub_of, tmp_path):
    """Batches arrive in order with their authorization; rejected batches are sent again; duplicates
    are dropped by hub and sequence number."""
    collector = Collector()
    collector.rejections = [503, 500, 413]
    (tmp_path / "authorization").write_text("Bearer abc\n")
    hub = hub_of(more=f"http: {{address: \"{collector.address}\", authorization_file: authorization, every: 1s, batch: 50}}\n")
    hub.notify([5] * 120)
    until(lambda: len(collector.records) == 120, 60, "all records")
    assert [number for _, number in collector.records] == list(range(1, 121))
    assert collector.repeats > 0, "the lost response caused no duplicate"
    assert collector.headers[0]["Authorization"] == "Bearer abc"
    until(lambda: hub.state()["delivery"] == [{"receiver": "http", "waiting": 0, "dropped": 0}], what="an empty queue")
    assert "cannot deliver to" in hub.talk and "accepts records again" in hub.talk


def trust(bundle):
    """Returns the command prefix that replaces the system's certificate bundle with this one."""
    usual = "/etc/ssl/certs/ca-certificates.crt"
    ways = [["unshare", "-m"], ["unshare", "-rm"]]
    script = 'mount --bind "$0" "$1" && shift && exec "$@"'
    way = next((way for way in ways if subprocess.run([*way, "sh", "-c", script, bundle, usual, "true"],
                                                      capture_output=True).returncode == 0), None)
    return way and [*way, "sh", "-c", script, str(bundle), usual]


def test_batches_by_https(hub_of, tmp_path):
    """Batches are sent over TLS if the system trusts the authority; otherwise nothing is sent, the
    reason is reported, and delivery is retried."""
    certificates(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "broker.pem", tmp_path / "broker.key")
    collector = Collector(context)
    bundle = tmp_path / "bundle.pem"
    bundle.write_text((tmp_path / "other.pem").read_text())
    before = trust(bundle)
    if before is None:
        pytest.skip("unshare cannot create a mount namespace here")
    (tmp_path / "authorization").write_text("Bearer abc\n")
    hub = hub_of(more=f"http: {{address: \"{collector.address}\", authorization_file: authorization, every: 1s}}\n", before=before)
    hub.notify([5] * 20)
    until(lambda: "cannot deliver to https://" in hub.talk, what="the reason")
    assert "certificate" in hub.talk.lower() and not collector.headers and not collector.records, hub.talk
    bundle.write_text((tmp_path / "ca.pem").read_text())
    hub.stop()
    hub.start()
    until(lambda: len(collector.records) == 20, 60, "all records")
    assert collector.headers[0]["Authorization"] == "Bearer abc"


def test_a_killed_hub_delivers_its_queue_after_the_restart(hub_of):
    """Records written before a kill are posted after the restart."""
    collector = Collector()
    collector.rejections = [503] * 3
    hub = hub_of(more=f"http: {{address: \"{collector.address}\", every: 1s}}\n")
    hub.notify([5] * 30)
    until(lambda: len(hub.written) == 30, what="the stored records")
    hub.kill()
    hub.start()
    until(lambda: len(collector.records) == 30, 60, "all records")


def test_state_and_metrics_report_the_readings(hub_of):
    """/v1/hub and /metrics report the readings; flagged values have no value; unexpected devices
    are counted."""
    hub = hub_of()
    hub.notify([5])
    zeros = {"tag": "A4:DA:32:00:00:01", "kind": "cc2650", "characteristic": "AA21", "raw": "00000000"}
    unexpected = {"tag": "FF:FF:FF:FF:FF:FF", "kind": "cc2650", "characteristic": "AA21", "raw": "4065bc7a"}
    for line in (json.dumps(zeros), json.dumps(unexpected), "{", '{"tag":1}', '{"tag":"a","kind":"x"}'):
        hub.process.stdin.write(line.encode() + b"\n")
    hub.process.stdin.flush()
    until(lambda: "line 6 is not a valid notification" in hub.talk, what="the warnings")
    tags = {tag["name"]: tag for tag in hub.state()["tags"]}
    assert tags["shelf-0"]["temperature_c"] == pytest.approx(5, abs=0.01) and tags["shelf-0"]["state"] == "ok"
    assert tags["shelf-1"]["quality"] == ["off"] and tags["shelf-1"]["state"] == "fault"
    assert tags["shelf-1"]["temperature_c"] is None
    assert tags["shelf-2"]["state"] == "waiting" and "age_s" not in tags["shelf-2"]
    status, headers, body = hub.request("/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
    families = {family.name: family for family in text_string_to_metric_families(body.decode())}
    sample = families["warehouse_temperature_celsius"].samples[0]
    assert sample.labels == {"tag": "A4:DA:32:00:00:00", "name": "shelf-0", "zone": "cold room"}
    assert sample.value == pytest.approx(5, abs=0.01) and len(families["warehouse_temperature_celsius"].samples) == 1
    assert families["warehouse_relative_humidity_ratio"].samples[0].value == pytest.approx(0.4795, abs=0.001)
    assert families["warehouse_strangers"].samples[0].value == 1
    assert families["warehouse_flagged"].samples[0].value == 1


def test_changes_need_the_token(hub_of):
    """Host, origin, content type and token are checked before the command; only the user can read
    the token file."""
    hub = hub_of()
    hub.notify([8.1])
    until(lambda: hub.state()["alarms"], what="the alarm")
    body = json.dumps({"command": "acknowledge", "alarm": 1, "name": "Ana"}).encode()
    right = {"Content_Type": "application/json", "Authorization": f"Bearer {hub.token}"}
    own = f"http://127.0.0.1:{hub.port}"
    cases = [({"Authorization": ""}, 401), ({"Authorization": "Bearer " + "0" * 32}, 401), ({"Origin": "http://evil.example"}, 403),
             ({"Origin": "null"}, 403), ({"Host": "evil.example"}, 421), ({"Content_Type": "text/plain"}, 415)]
    for change, status in cases:
        answer = hub.request("/v1/command", "POST", body, **{**right, **change})
        assert answer[0] == status, (change, answer[0], answer[2])
    assert hub.state()["alarms"][0]["phase"] == "active"
    assert hub.request("/v1/command", "PUT", body, **right)[0] == 405
    assert hub.request("/v1/command", "POST", b"x" * 9000, **right)[0] == 413
    assert hub.request("/v1/command", "POST", b"{}", **right)[0] == 422
    assert hub.request("/v1/command", "POST", body, **{**right, "Origin": own})[0] == 200
    assert hub.state()["alarms"][0]["phase"] == "acknowledged"
    assert os.stat(hub.folder / "hub.token").st_mode & 0o777 == 0o600
    policy = hub.request("/")[1]["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'sha256-" in policy and "unsafe" not in policy


def test_the_command_line(hub_of, tmp_path):
    """show, alarms, ack, silence and close send requests to the hub; a rejected request ends with exit status 1."""
    hub = hub_of()

    def run(*words):
        return subprocess.run([PROGRAM, *words, "--hub", f"http://127.0.0.1:{hub.port}"], capture_output=True, text=True,
                              cwd=tmp_path, timeout=20)

    assert run("alarms").stdout == "no open alarms\n"
    hub.notify([5, 5.1, 5.2])
    hub.notify([8.1], tag=1)
    until(lambda: hub.state()["alarms"], what="the alarm")
    listed = run("alarms")
    assert listed.returncode == 1 and "ALARM   1  shelf-1 in cold room: temperature-high 8" in listed.stdout
    shown = run("show").stdout
    assert shown.index("shelf-1") < shown.index("shelf-0") and "▁" in shown and "no data" not in shown, shown
    rejected = run("close", "1", "--by", "Ana")
    assert rejected.returncode == 1 and "rejected the command: alarm 1 is active" in rejected.stderr
    done = run("ack", "1", "--by", "Ana", "--note", "I go", "--minutes", "30")
    assert (done.returncode, done.stdout) == (0, "alarm 1 is acknowledged\n"), done
    assert hub.state()["alarms"][0]["acknowledged"]["expires"]
    assert run("silence", "cold rom", "--by", "Ana", "--minutes", "5").stderr == (
        f"aneroid: http://127.0.0.1:{hub.port} rejected the command: unknown zone 'cold rom'; did you mean 'cold room'?\n")
    assert run("silence", "cold room", "--by", "Ana", "--minutes", "5").returncode == 0
    assert hub.state()["zones"][0]["silenced_by"] == "Ana"
    assert run("silence", "cold room", "--by", "Ana", "--end").returncode == 0
    log = [json.loads(line) for line in hub.request("/v1/log.jsonl")[2].splitlines()]
    assert [one["event"] for one in log] == ["breach", "raised", "told", "acknowledged", "silenced", "silence-over"], log
    hub.stop()
    gone = run("alarms")
    assert gone.returncode == 69 and "no hub responds at" in gone.stderr


def test_a_queue_has_one_hub(hub_of):
    """A second hub on the same queue exits at once with the reason; the first continues."""
    hub = hub_of()
    result = subprocess.run([PROGRAM, "serve", str(hub.file)], capture_output=True, text=True, timeout=20)
    assert result.returncode == 69 and "is in use by a running hub" in result.stderr, result
    assert hub.state()["hub"] == "north"


def test_an_invalid_line_has_its_reason_and_an_impossible_battery_level_is_unknown(hub_of):
    """The reason names the member; the temperature of a line is taken even if its battery level is impossible."""
    hub = hub_of()
    for line in ('{"tag":"A4:DA:32:00:00:00","battery":"90"}', '{"tag":"A4:DA:32:00:00:00","rssi":"-60"}', '{"tag":7}', "[1]", "{"):
        hub.process.stdin.write(line.encode() + b"\n")
    hub.process.stdin.flush()
    until(lambda: "line 5 is not" in hub.talk, what="the reasons")
    for number, reason in enumerate(("'battery' must be a whole number", "'rssi' must be a whole number", "'tag' must be a text",
                                     "the line is not a JSON object with a text 'tag'", "the line is not a JSON object with a text 'tag'"), 1):
        assert f"line {number} is not a valid notification: {reason}\n" in hub.talk, (reason, hub.talk)
    hub.notify([5], battery=150)
    until(lambda: hub.state()["tags"][0]["state"] == "ok", what="the reading")
    assert hub.state()["tags"][0].get("battery") is None
    hub.process.stdin.close()
    until(lambda: "standard input has ended after 6 lines; the hub keeps running" in hub.talk, what="the end of the input")
    assert hub.state()["hub"] == "north"


def test_a_full_disk_loses_nothing(tmp_path):
    """While the disk is full, records wait in memory and alarms are raised; afterwards the records
    are written."""
    pytest.importorskip("resource")
    from hub_program import Hub
    hub = Hub(tmp_path)
    hub.notify([5] * 10)
    until(lambda: len(hub.written) == 10, what="the stored records")
    import resource
    size = (tmp_path / "north.sqlite-wal").stat().st_size
    resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    hub.notify([5.1] * 2000 + [5.3, 5.5])
    until(lambda: hub.state()["unwritten"] > 0, what="a failed write")
    assert "cannot store records" in hub.talk
    done = hub.command("silence", "cold room", "--by", "Ana", "--minutes", "5", "--note", "x")
    assert done.returncode == 0 and "is silenced, but this is not stored yet" in done.stdout + done.stderr, done
    assert re.search(r"\d+ records not stored yet: check the disk of the hub", hub.command("show").stdout)
    resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    hub.notify([5.5])
    until(lambda: hub.state()["unwritten"] == 0, what="the stored records")
    # The last reading may be written after the waiting records.
    until(lambda: len(hub.written) >= hub.count, what="the last reading")
    assert "records are stored again" in hub.talk and hub.state()["lost"] == 0
    hub.stop()
    with sqlite3.connect(tmp_path / "north.sqlite") as database:
        count = database.execute("SELECT count(*) FROM record WHERE kind = 'reading'").fetchone()[0]
    assert count == hub.count


def test_a_mapping_study(hub_of, tmp_path):
    """map finds the hottest and the coldest location and writes a page with plans."""
    hub = hub_of(tags=4)
    for tag, celsius in enumerate((4.0, 3.2, 6.1)):
        hub.notify([celsius, celsius + 0.1, celsius + 0.2], tag)
    until(lambda: len(hub.written) == 9, what="the stored records")
    result = subprocess.run([PROGRAM, "map", str(hub.file), "--days", "1", "--report", str(tmp_path / "map.html")],
                            capture_output=True, text=True, timeout=20)
    assert result.returncode == 0, result
    rows = {line.split()[0]: line.split() for line in result.stdout.splitlines() if line.startswith("shelf-")}
    assert rows["shelf-2"][3:6] == ["6.2", "6.1", "6.3"] or float(rows["shelf-2"][5]) == pytest.approx(6.3, abs=0.05)
    assert "  cold room, shelf-2: the highest temperature" in result.stdout and "  cold room, shelf-1: the lowest temperature" in result.stdout
    page = (tmp_path / "map.html").read_text()
    assert page.count("<svg") == 3 and "shelf-3" in page and "<script" not in page
    # A few seconds of data are too few for a day.
    for shown in (result.stdout, page):
        assert "Too few data for an evaluation: 4 of 4 locations have values for less than a day" in shown
        assert "Preliminary monitor locations" in shown and "compliant" not in shown


def test_a_mapping_study_needs_values_for_90_percent_of_the_period(tmp_path):
    """A location is compliant only with values for 90 % of a period of at least a day; an excursion
    is reported in any case."""
    text = "hub: north\nzones: [{name: cold room, storage: cold-chain}]\ntags:\n"
    for number, name in enumerate(("kept", "warm", "gap", "short-but-warm")):
        text += f"  - {{address: \"A4:DA:32:00:00:0{number}\", name: {name}, zone: cold room, period: 10min}}\n"
    (tmp_path / "hub.yaml").write_text(text + "duty: {people: [Ana]}\npage: {listen: \"127.0.0.1:0\"}\n")
    now = time.time_ns()
    hours = {"kept": range(49), "warm": range(49), "gap": [hour for hour in range(49) if not 10 <= hour < 16], "short-but-warm": [0]}
    lines = []
    for number, (name, past) in enumerate(hours.items()):
        for step in [hour * 6 + part for hour in past for part in range(6)]:
            celsius = 5 + (4 if "warm" in name and step == 3 else 0)
            raw = round((celsius + 40) / 165 * 65536).to_bytes(2, "little") + bytes([0, 128])
            lines.append((now - step * 600 * 10**9, {"tag": f"A4:DA:32:00:00:0{number}", "kind": "cc2650", "characteristic": "AA21",
                                                     "raw": raw.hex(), "time_ns": now - step * 600 * 10**9}))
    lines.sort(key=lambda one: one[0])
    process = subprocess.Popen([PROGRAM, "serve", str(tmp_path / "hub.yaml"), "--lines", "--echo"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write("".join(json.dumps(line) + "\n" for _, line in lines).encode())
    process.stdin.flush()
    for _ in lines:
        assert process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    result = subprocess.run([PROGRAM, "map", str(tmp_path / "hub.yaml"), "--days", "2"], capture_output=True, text=True, timeout=20)
    shown = {line.split()[0]: line for line in result.stdout.split("\n\n")[1].splitlines() if "cold-chain" in line}
    assert shown["kept"].endswith("100 %    cold-chain: compliant"), result.stdout
    assert shown["warm"].endswith("cold-chain: not compliant, 1 excursion"), result.stdout
    assert shown["gap"].endswith("cold-chain: too few data"), result.stdout
    assert shown["short-but-warm"].endswith("cold-chain: not compliant, 1 excursion"), result.stdout
    assert "2 of 4 locations" in result.stdout and "(at most 42" in result.stdout
    # Each excursion has a row: 4 °C above the middle of the range, until the next reading.
    rows = [line.split() for line in result.stdout.split("Excursions:\n")[1].split("\n\n")[0].splitlines()]
    assert rows[0] == ["location", "rule", "from", "until", "min", "farthest", "allowed"]
    assert [(row[0], row[4:]) for row in rows[1:]] == [("warm", ["10", "9", "°C", "no"]), ("short-but-warm", ["10", "9", "°C", "no"])], rows


@pytest.fixture
def sealed(hub_of, tmp_path):
    """A hub with six readings, and the outcome of a mapping study with all of its files."""
    hub = hub_of(tags=2)
    for tag in range(2):
        hub.notify([4.0, 5.0, 6.0], tag)
    until(lambda: len(hub.written) == 6, what="the stored records")
    files = [f"--{name}={tmp_path / name}" for name in ("report", "table", "readings")]
    result = subprocess.run([PROGRAM, "map", str(hub.file), *files], capture_output=True, text=True, timeout=20)
    assert result.returncode == 0, result
    return hub, result.stdout


def verified(hub, report):
    """The exit status and the messages of --verify."""
    result = subprocess.run([PROGRAM, "map", str(hub.file), "--verify", str(report)], capture_output=True, text=True, timeout=20)
    return result.returncode, result.stdout + result.stderr


def test_a_report_has_the_digest_of_the_readings_that_it_evaluates(sealed, tmp_path):
    """sha256sum of the exported readings is in the text and in the report; the table has a row per location."""
    hub, shown = sealed
    content = (tmp_path / "readings").read_bytes()
    assert content.count(b"\r\n") == 7 and content.startswith(b"sequence,time,tag,")
    digest = hashlib.sha256(content).hexdigest()
    assert f"SHA-256 of the 6 readings as a table, which --readings writes: {digest}" in shown
    assert digest in (tmp_path / "report").read_text()
    rows = list(csv.reader((tmp_path / "table").read_text().splitlines()))
    assert rows[0][:3] == ["location", "zone", "mean °C"] and [row[0] for row in rows[1:]] == ["shelf-0", "shelf-1"]


def test_a_report_is_verified(sealed, tmp_path):
    """--verify accepts a report also when later readings have been stored, refuses a changed one and one whose readings
    were changed or removed, and says which."""
    hub, _ = sealed
    report = tmp_path / "report"
    hub.notify([9.0], 0)
    until(lambda: len(hub.written) == 7, what="the stored records")
    status, words = verified(hub, report)
    assert status == 0 and "unchanged, and so are its 6 readings" in words, words
    text = report.read_text()
    for changed, reason in ((text.replace("shelf-1", "shelf-9"), "it was changed after it was written"),
                            (text[:-200], "it is no report of 'aneroid hub map', or its end is missing"),
                            ("<html></html>", "it is no report of 'aneroid hub map', or its end is missing")):
        (tmp_path / "other").write_text(changed)
        status, words = verified(hub, tmp_path / "other")
        assert status == 1 and reason in words, words
    assert verified(hub, tmp_path / "none")[0] == 66
    hub.stop()
    with sqlite3.connect(tmp_path / "north.sqlite") as database:
        database.execute("DELETE FROM record WHERE kind = 'reading' AND sequence = 2")
    status, words = verified(hub, report)
    assert status == 1 and "have changed: 6 readings in the report, 5 now" in words, words


def test_a_study_never_overwrites_the_hub_s_own_files(sealed, tmp_path):
    """An output that is the hub file, the queue or its token, the report to verify or another output is refused before
    anything is opened; one that cannot be written is named, and leaves nothing."""
    hub, _ = sealed
    hub.stop()
    # SQLite's own files exist while the queue is read.
    def files():
        return {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and path.suffix not in (".sqlite-wal", ".sqlite-shm")}
    before = files()
    (tmp_path / "link").symlink_to("north.sqlite")

    def study(*words):
        result = subprocess.run([PROGRAM, "map", str(hub.file), *map(str, words)], capture_output=True, text=True, timeout=20, cwd=tmp_path)
        return result.returncode, result.stderr
    for words, reason in ((("--readings", "north.sqlite"), "that is the queue of the hub"), (("--table", tmp_path / "link"), "that is the queue of the hub"),
                          (("--report", hub.file), "that is the hub file"), (("--table", "north.sqlite-wal"), "that is the queue of the hub"),
                          (("--report", "same", "--readings", "./same"), "that is also another output"),
                          (("--verify", "report", "--readings", "report"), "that is the report to verify")):
        status, words = study(*words)
        assert status == 64 and reason in words, words
    assert study("--readings", "/dev/full") == (74, "aneroid: cannot write /dev/full: No space left on device\n")
    assert study("--table", "no/t.csv", "--report", "left")[0] == 74
    assert study("--report", "no/r.html") == (74, "aneroid: cannot write no/r.html: No such file or directory\n")
    assert study("--report", ".")[0] == 74 and study("--verify", ".")[0] == 66 and "Success" not in study("--verify", ".")[1]
    assert study("--from", "2020-01-01", "--to", "2020-01-02", "--readings", "empty.csv")[0] == 1
    (tmp_path / "link").unlink()
    assert files() == before


def test_a_period_of_a_study_is_given_by_its_ends(sealed, tmp_path):
    """--from and --to select the readings; an empty period is an error."""
    hub, _ = sealed
    def study(*words):
        return subprocess.run([PROGRAM, "map", str(hub.file), *words], capture_output=True, text=True, timeout=20)
    day = time.strftime("%Y-%m-%d", time.gmtime())
    assert "2 readings" not in study("--from", day).stdout and "6 readings" in study("--from", day).stdout
    result = study("--from", "2020-01-01", "--to", "2020-02-01")
    assert result.returncode == 1 and "no reading from 2020-01-01T00:00:00Z to 2020-02-01T00:00:00Z" in result.stderr, result
    for words, reason in ((("--from", "2020-02-01", "--to", "2020-01-01"), "--from must be before --to"),
                          (("--from", "yesterday"), "'yesterday' is not a time"),
                          (("--from", "2020-01-01", "--days", "3"), "--days and --from exclude each other"),
                          (("--verify", "x", "--report", "y"), "--verify takes the period of the report")):
        result = study(*words)
        assert result.returncode == 64 and reason in result.stderr, result


def test_a_port_in_use_is_reported(hub_of, tmp_path):
    """The message names the key of the settings file; exit status 69."""
    hub = hub_of()
    other = tmp_path / "other"
    other.mkdir()
    (other / "hub.yaml").write_text(hub.file.read_text().replace("127.0.0.1:0", f"127.0.0.1:{hub.port}"))
    result = subprocess.run([PROGRAM, "serve", str(other / "hub.yaml")], capture_output=True, text=True, timeout=20)
    assert result.returncode == 69, result
    assert result.stderr.splitlines()[-1] == (
        f"aneroid: cannot serve at http://127.0.0.1:{hub.port}: another program listens there; end that one, "
        "or choose another port with page: {listen: ...} in the hub's file"), result.stderr


@pytest.mark.parametrize("host", ["localhost", "127.0.0.2", "[::1]"])
def test_the_page_listens_at_any_loopback_address(hub_of, host):
    """The page listens at any loopback address; clients use the name in the settings file."""
    hub = hub_of()
    hub.stop()
    if host == "[::1]":
        try:
            with socket.socket(socket.AF_INET6) as one:
                one.bind(("::1", 0))
        except OSError:
            pytest.skip("IPv6 is not available")
    port = free_port()
    hub.file.write_text(hub.file.read_text().replace("127.0.0.1:0", f"{host}:{port}"))
    process = subprocess.Popen([PROGRAM, "serve", str(hub.file), "--lines"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert any(f"is at http://{host}:{port}/#token=" in process.stderr.readline() for _ in range(3))
    result = subprocess.run([PROGRAM, "alarms", "--config", str(hub.file)], capture_output=True, text=True, timeout=20)
    assert result.stdout == "no open alarms\n", result
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)


def on_a_terminal(words, columns):
    """Returns the lines that a program writes to a terminal of this width."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env={**os.environ, "NO_COLOR": "1"})
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(master)
    assert process.wait(20) == 0
    return text.decode().replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize("columns", [40, 80, 132])
def test_the_table_fits_the_terminal(hub_of, columns):
    """Alarms come first, each tag is on one line, and no line exceeds the width; text that does not
    fit is omitted."""
    hub = hub_of(duty="{people: [Ana Maria dos Santos, Rui]}")
    hub.file.write_text(hub.file.read_text().replace("name: shelf-1,", "name: the shelf behind the third door on the left,"))
    hub.stop()
    hub.start()
    for step in range(20):
        hub.notify([5 + 0.1 * step])
    hub.notify([8.1], tag=1)
    until(lambda: hub.alarm(), what="the alarm")
    hub.command("ack", "1", "--by", "Ana", "--note", "a note that is long enough to need a second line of the table", "--minutes", "30")
    lines = on_a_terminal([PROGRAM, "show", "--hub", f"http://127.0.0.1:{hub.port}"], columns)
    if folder := os.environ.get("HUB_PICTURES"):
        Path(folder, f"table-{columns}.txt").write_text("\n".join(lines) + "\n")
    assert all(len(line) <= columns for line in lines), lines
    text = " ".join(" ".join(lines).split())
    assert "temperature-high 8 °C, worst 8.1 °C" in text and "acknowledged by Ana at" in text, lines
    assert text.index("ALARM 1") < text.index("● ok" if columns > 60 else "● shelf-0")
    row = next(line for line in lines if "shelf-0" in line)
    assert "6.9 °C" in row and "48 %" in row
    assert ("▁" in row) == (columns >= 80) and ("-60 dBm" in row) == (columns >= 132), row
