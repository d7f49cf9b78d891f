"""The recorded readings over HTTP and on the command line: single readings, means, and the reasons of an alarm."""

import csv
import io
import json
import sqlite3
import statistics
import time
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import pytest

from hub_program import until


def fill(hub, hours=30):
    """Stores readings of two tags at ten-minute intervals in the past, as if the hub had received them; returns the rows."""
    hub.stop()
    now = time.time_ns()
    rows = []
    with sqlite3.connect(hub.folder / "north.sqlite") as database:
        for step in range(hours * 6):
            moment = now - (step + 1) * 600 * 10**9
            for tag in range(2):
                celsius = 4 + tag + (step % 7) * 0.1
                flag = ',"quality":["range"]' if step % 10 == 3 else ""
                database.execute("INSERT INTO record (kind, key, time, body) VALUES ('reading', ?, ?, ?)", (
                    f"A4:DA:32:00:00:0{tag}", moment,
                    f'{{"tag":"A4:DA:32:00:00:0{tag}","model":"cc2650","temperature_c":{celsius:.3f},"humidity_rh":48.5{flag},"raw":"00ff"}}'))
                if not flag:
                    rows.append((tag, moment, round(celsius, 3)))
    hub.start()
    return rows


def get(hub, path):
    """Returns status and content of a JSON response."""
    status, _, body = hub.request(path)
    return status, json.loads(body)


def test_means_are_those_of_the_valid_readings(hub_of):
    """Each interval has the count, mean, lowest and highest value of the readings in it, computed here independently."""
    hub = hub_of()
    rows = fill(hub)
    start = datetime.now(timezone.utc) - timedelta(hours=28)
    path = f"/v1/history?tag=shelf-1&from={quote(start.isoformat())}&every_s=3600"
    status, content = get(hub, path)
    assert status == 200 and content["tags"] == ["A4:DA:32:00:00:01"] and content["every_s"] == 3600
    first = int(datetime.fromisoformat(content["from"].replace("Z", "+00:00")).timestamp())
    assert first % 3600 == 0 and 28 <= len(content["points"]) <= 30
    for point in content["points"]:
        begin = int(datetime.fromisoformat(point["time"].replace("Z", "+00:00")).timestamp()) * 10**9
        values = [celsius for tag, moment, celsius in rows if tag == 1 and begin <= moment < begin + 3600 * 10**9]
        assert point["count"] == len(values)
        assert point["temperature_c"] == pytest.approx([statistics.fmean(values), min(values), max(values)], abs=0.0006)
        assert point["humidity_rh"] == [48.5, 48.5, 48.5] and "pressure_pa" not in point
    zone = get(hub, path.replace("tag=shelf-1", "zone=cold%20room"))[1]
    assert zone["points"][3]["count"] == 2 * content["points"][3]["count"]
    table = list(csv.DictReader(io.StringIO(hub.request(path.replace("history?", "history.csv?"))[2].decode())))
    assert [row["temperature_c_mean"] for row in table] == [f"{point['temperature_c'][0]:.3f}".rstrip("0").rstrip(".") for point in content["points"]]


def test_the_readings_of_a_former_tag_are_found_by_its_address(hub_of):
    """A tag that was replaced is no longer in the file, but its readings are still the warehouse's."""
    hub = hub_of()
    fill(hub)
    with sqlite3.connect(hub.folder / "north.sqlite") as database:
        database.execute("UPDATE record SET key = 'A4:DA:32:00:00:77', body = replace(body, ':00:01', ':00:77') WHERE key LIKE '%:01'")
    done = hub.command("readings", "--tag", "a4:da:32:00:00:77", "--from", "2020-01-01")
    assert done.returncode == 0 and done.stdout.count("A4:DA:32:00:00:77") == 180, done.stdout[:500]
    assert hub.command("readings", "--tag", "A4:DA:32:00:00:7", "--from", "2020-01-01").returncode == 69


def test_readings_are_exported_completely(hub_of):
    """The export has every reading of the period once, flagged ones too, whatever the size of a page."""
    hub = hub_of()
    rows = fill(hub, hours=240)
    with sqlite3.connect(hub.folder / "north.sqlite") as database:
        known = database.execute("SELECT sequence FROM record WHERE kind = 'reading' AND key LIKE '%:01' ORDER BY sequence").fetchall()
    done = hub.command("readings", "--tag", "shelf-1", "--from", "2020-01-01")
    assert done.returncode == 0, done
    table = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [int(row["sequence"]) for row in table] == [number for number, in known]
    flagged = [row for row in table if row["quality"]]
    assert len(flagged) == 144 and {row["quality"] for row in flagged} == {"range"} and {row["raw"] for row in table} == {"00ff"}
    seen, after = [], 0
    while True:
        _, page = get(hub, f"/v1/history?tag=shelf-1&from=2020-01-01&limit=97&after={after}")
        seen += [one["sequence"] for one in page["readings"]]
        if "after" not in page:
            break
        after = page["after"]
    assert seen == [number for number, in known]
    means = hub.command("readings", "--zone", "cold room", "--from", "2020-01-01", "--every", "1d")
    days = list(csv.DictReader(io.StringIO(means.stdout)))
    assert sum(int(row["count"]) for row in days) == len(rows), means


def test_an_alarm_is_explained(hub_of):
    """The reasons of an alarm: the limit in force, its log, and the readings around it with the bytes as received."""
    hub = hub_of(more="fastest: {temperature: 400C}\n")
    hub.notify([5, 5.5, 8.8, 9.4, 7.2], tag=1)
    until(lambda: hub.state()["alarms"] and hub.state()["alarms"][0]["phase"] == "returned", what="the return")
    hub.command("ack", "1", "--by", "Ana", "--note", "the door")
    until(lambda: not hub.state()["alarms"], what="the end")
    status, alarm = get(hub, "/v1/alarms/1")
    assert status == 200 and (alarm["name"], alarm["cause"], alarm["limit"], alarm["phase"]) == ("shelf-1", "temperature-high", 8, "closed")
    assert [one["event"] for one in alarm["log"]][:2] == ["raised", "told"] and alarm["log"][-2]["note"] == "the door"
    assert [round(one["temperature_c"], 1) for one in alarm["readings"]] == [5.0, 5.5, 8.8, 9.4, 7.2]
    worst = max(alarm["readings"], key=lambda one: one["temperature_c"])
    assert worst["temperature_c"] == pytest.approx(alarm["peak"], abs=0.0006) and len(worst["raw"]) == 8
    closed = get(hub, "/v1/alarms/closed")[1]["alarms"]
    assert [one["number"] for one in closed] == [1] and closed[0]["closed"]
    assert get(hub, "/v1/alarms/2")[0] == 404 and get(hub, "/v1/alarms/x")[0] == 404


@pytest.mark.parametrize("query, reason", [
    ("tag=shelf-9", "unknown tag 'shelf-9'; did you mean 'shelf-"), ("zone=cold", "unknown zone 'cold'"),
    ("zone=cold%20room&tag=shelf-1", "either 'tag' or 'zone'"), ("from=x", "'from' must be a time"), ("limit=0", "'limit' must be a whole number from 1 to 10000"),
    ("every_s=1", "more than 10000 intervals"), ("every_s=-5", "'every_s'"), ("from=2030-01-01T00:00:00Z&to=2029-01-01T00:00:00Z", "'from' must be before 'to'"),
    ("tags=1", "unknown parameter 'tags'; did you mean 'tag'?"), ("tag=shelf-1&tag=shelf-2", "more than once"), ("tag=%FF", "encoding"),
    ("tag='%20OR%201=1", "unknown tag"),
])
def test_wrong_requests_for_the_history_are_explained(hub_of, query, reason):
    """Each error names the parameter."""
    hub = hub_of()
    status, content = get(hub, "/v1/history?" + query)
    assert status == 400 and reason in content["error"]["message"], content


def test_the_command_rejects_wrong_options(hub_of):
    """Times and durations are checked before the request; the hub's reason is shown."""
    hub = hub_of()
    for words, status, message in ((["--from", "yesterday"], 64, "not a time"), (["--every", "1x"], 64, "must be a duration"),
                                   (["--tag", "shelf-7"], 69, "unknown tag 'shelf-7'; did you mean")):
        run = hub.command("readings", *words)
        assert run.returncode == status and message in run.stderr, run
