"""Alarm life cycle of a running hub: tags send notifications; people reply by command line, MQTT
and web page."""

import csv
import io
import json
import time
from datetime import datetime

import pytest

from hub_program import Subscriber, until


def moment(text):
    """Returns the time of a hub timestamp in seconds since 1970."""
    return datetime.fromisoformat(text[:26].rstrip("Z") + "+00:00").timestamp()


def entries(hub, event):
    """Returns the log entries with this event."""
    return [one for one in hub.log() if one["event"] == event]


class Ways:
    """The three interfaces through which a person commands a hub."""

    def __init__(self, hub, broker):
        self.hub, self.subscriber = hub, Subscriber(broker)

    def line(self, **keys):
        """Sends a command with the command line tool."""
        words = {"acknowledge": ["ack", str(keys.get("alarm"))], "silence": ["silence", keys.get("zone", "")]}[keys["command"]]
        done = self.hub.command(*words, "--by", keys["name"], "--note", keys["note"], "--minutes", str(keys["for_s"] / 60))
        return done.stdout + done.stderr

    def mqtt(self, **keys):
        """Sends a command over MQTT."""
        self.subscriber.others.clear()
        self.subscriber.client.publish("aneroid/north/command", json.dumps(keys), 1).wait_for_publish(5)
        return until(lambda: self.subscriber.last("aneroid/north/reply"), 10, "a reply").decode()

    def web(self, **keys):
        """Sends a command over HTTP as the page does."""
        return self.hub.request("/v1/command", "POST", json.dumps(keys).encode(), Content_Type="application/json",
                            Authorization=f"Bearer {self.hub.token}")[2].decode()


@pytest.mark.parametrize("way", ["line", "mqtt", "web"])
def test_an_acknowledgement_has_name_note_and_expiry(broker, hub_of, way):
    """Over each interface: an acknowledgement has a name, a note and an expiry and stops
    escalation; after expiry the people on duty are notified again."""
    hub = hub_of(broker, duty="{people: [Ana, Rui], escalate: 30s}",
                 more="commands: {allowed: [acknowledge, silence], people: [Ana]}\n")
    ways = Ways(hub, broker)
    hub.notify([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    assert "alarm 1 is acknowledged" in getattr(ways, way)(command="acknowledge", alarm=1, name="Ana", note="I go: <b>", for_s=3)
    receipt = hub.alarm()["acknowledged"]
    assert (receipt["name"], receipt["note"], hub.alarm()["phase"]) == ("Ana", "I go: <b>", "acknowledged")
    assert moment(receipt["expires"]) - moment(receipt["time"]) == pytest.approx(3, abs=0.001)
    until(lambda: hub.alarm()["phase"] == "active", 10, "the expiry")
    assert hub.alarm()["told"] == ["Ana", "Ana"]
    assert [one["event"] for one in hub.log()][-4:] == ["told", "acknowledged", "expired", "told"]
    ways.subscriber.stop()


@pytest.mark.parametrize("way", ["line", "mqtt", "web"])
def test_a_silence_holds_breaches_back_until_it_ends(broker, hub_of, way):
    """Over each interface: a silenced zone notifies no one of a breach; the first reading after the
    silence raises the alarm."""
    hub = hub_of(broker, more="commands: {allowed: [acknowledge, silence]}\n")
    ways = Ways(hub, broker)
    reply = getattr(ways, way)(command="silence", zone="cold rom", name="Rui", note="", for_s=4)
    assert "unknown zone 'cold rom'; did you mean 'cold room'?" in reply
    reply = getattr(ways, way)(command="silence", zone="cold room", name="Rui", note="delivery", for_s=4)
    assert "the zone 'cold room' is silenced" in reply
    hub.notify([8.1, 8.2])
    until(lambda: entries(hub, "held-back"), what="the breach in the log")
    zone = hub.state()["zones"][0]
    assert (zone["silenced_by"], zone["note"]) == ("Rui", "delivery") and not hub.state()["alarms"]
    until(lambda: "silenced_by" not in hub.state()["zones"][0], 15, "the end of the silence")
    assert not entries(hub, "told") and not hub.state()["alarms"]
    hub.notify([8.2])
    until(lambda: hub.alarm(), what="the alarm")
    ways.subscriber.stop()


def test_an_alarm_escalates_to_the_next_person_on_duty(hub_of):
    """An alarm escalates after each timeout and wraps to the first person; an acknowledgement stops it."""
    hub = hub_of(duty="{people: [Ana, Rui, Eva], escalate: 1s}")
    hub.notify([8.1])
    until(lambda: len(hub.alarm()["told"]) >= 4 if hub.alarm() else False, 15, "four notifications")
    assert hub.command("ack", "1", "--by", "Eva").returncode == 0
    notified = hub.alarm()["told"]
    assert notified[:4] == ["Ana", "Rui", "Eva", "Ana"]
    times = [moment(one["time"]) for one in entries(hub, "told")]
    assert all(0.99 <= later - sooner < 3 for sooner, later in zip(times, times[1:])), times
    time.sleep(2.5)
    assert hub.alarm()["told"] == notified


def test_lost_tags_sensor_faults_and_low_batteries_raise_alarms(hub_of):
    """A lost tag, a disabled sensor and a low battery raise alarms, which close on recovery."""
    hub = hub_of(tags=2, period="2s")
    off = b'{"tag":"A4:DA:32:00:00:01","kind":"cc2650","characteristic":"AA21","raw":"00000000","rssi":-60}\n'
    hub.notify([5], battery=9)
    hub.process.stdin.write(off)
    hub.process.stdin.flush()
    until(lambda: hub.alarm("battery-low") and hub.alarm("sensor-fault"), what="both alarms")
    assert hub.alarm("battery-low")["level"] == "warning" and hub.alarm("sensor-fault")["level"] == "alarm"
    hub.notify([5], battery=14)
    assert hub.alarm("battery-low")["phase"] == "active"
    hub.notify([5], battery=16)
    hub.notify([5], tag=1)
    until(lambda: {hub.alarm(one)["phase"] for one in ("battery-low", "sensor-fault")} == {"returned"}, what="the end of both alarms")
    until(lambda: len([one for one in hub.state()["alarms"] if one["cause"] == "no-data"]) == 2, 20, "the loss of both tags")
    assert all(tag["state"] == "lost" for tag in hub.state()["tags"])
    hub.notify([5])
    until(lambda: hub.state()["tags"][0]["state"] == "ok", what="the recovery of the first tag")


def test_only_an_alarm_of_a_lost_sensor_can_be_closed_by_hand(hub_of):
    """Closing is rejected while the tag reports; after the tag is lost, the log keeps the name and
    note of the person who closed the alarm."""
    hub = hub_of(tags=1, period="2s")
    hub.notify([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    rejected = hub.command("close", "1", "--by", "Ana")
    assert rejected.returncode == 1 and "its sensor still reports; acknowledge it instead" in rejected.stderr
    until(lambda: hub.alarm("no-data"), 20, "the loss")
    done = hub.command("close", "1", "--by", "Ana", "--note", "crushed by a fork lift")
    assert (done.returncode, done.stdout) == (0, "alarm 1 is closed\n"), done
    assert not hub.alarm()
    closed = entries(hub, "closed")[0]
    assert closed["name"] == "Ana" and closed["note"] == "crushed by a fork lift", closed
    assert hub.command("close", "1", "--by", "Ana").stderr.endswith("alarm 1 is already closed\n")


def test_a_lost_tag_stays_lost_after_its_alarm_is_closed(hub_of):
    """Closing the alarm of a lost tag does not make the tag available: it is shown as lost, also
    after a restart, until it reports again."""
    hub = hub_of(tags=2, period="2s")
    hub.notify([8.1])
    until(lambda: hub.alarm(), what="the breach")
    lost = until(lambda: next((one["number"] for one in hub.state()["alarms"] if (one["cause"], one["name"]) == ("no-data", "shelf-0")),
                              None), 20, "the loss")
    assert hub.command("close", str(lost), "--by", "Rui", "--note", "crushed").returncode == 0
    tag = lambda: hub.state()["tags"][0]
    row = lambda: next(line for line in hub.command("show").stdout.splitlines() if "shelf-0" in line and "°C" in line and "■" not in line)
    for start in (False, True):
        if start:
            hub.kill()
            hub.start()
        assert tag()["age_s"] >= 6 and " s ago" in row() and "never" not in row(), row()
        assert tag()["state"] == "lost" and "no data" in row() and not row().lstrip().startswith("●"), row()
        assert not [one for one in hub.state()["alarms"] if one["number"] == lost]
    # The other open alarms of the tag can be closed too: the tag is lost.
    breach = hub.alarm()["number"]
    done = hub.command("close", str(breach), "--by", "Rui", "--note", "crushed")
    assert done.returncode == 0, done
    assert tag()["state"] == "lost"
    hub.notify([5])
    until(lambda: tag()["state"] == "ok", what="the recovery of the tag")


def test_an_alarm_has_separate_begin_acknowledgement_and_end_times(hub_of):
    """Terminal and JSON output list three times of a breach: begin, acknowledgement and end."""
    hub = hub_of(tags=2)
    hub.notify([8.1])
    hub.notify([8.1], tag=1)
    until(lambda: len(hub.state()["alarms"]) == 2, what="two alarms")
    time.sleep(1.2)
    assert hub.command("ack", "1", "--by", "Ana", "--note", "I go", "--minutes", "30").returncode == 0
    time.sleep(1.2)
    hub.notify([7.9], tag=1)
    until(lambda: any(one["phase"] == "returned" for one in hub.state()["alarms"]), what="the end of the second alarm")
    first, second = sorted(hub.state()["alarms"], key=lambda one: one["number"])
    shown = [hub.command(*words).stdout.splitlines() for words in (["alarms"], ["show"])]
    for lines in (" ".join(" ".join(one).split()) for one in shown):
        receipt = first["acknowledged"]
        assert f"since {first['began']} notified: Ana acknowledged by Ana at {receipt['time']} until {receipt['expires']}: I go" in lines, lines
        assert f"began {second['began']}, normal since {second['returned']}" in lines, lines
    assert moment(receipt["time"]) - moment(first["began"]) > 1 and moment(second["returned"]) - moment(second["began"]) > 2
    # An expired acknowledgement is reported in the past tense.
    assert hub.command("ack", "1", "--by", "Rui", "--minutes", "0.02").returncode == 0
    until(lambda: "was acknowledged by Rui at" in " ".join(hub.command("alarms").stdout.split()), 10, "the expiry")


def test_an_open_alarm_keeps_the_limit_that_raised_it(hub_of):
    """An open alarm keeps the limit that raised it even if the settings file now has another
    limit."""
    hub = hub_of(tags=1)
    hub.notify([8.6])
    until(lambda: hub.alarm(), what="the alarm")
    hub.stop()
    hub.file.write_text(hub.file.read_text().replace("high: 8C", "high: 9C"))
    hub.start()
    assert (hub.alarm()["limit"], hub.alarm()["peak"]) == (8, pytest.approx(8.6, abs=0.01))
    hub.notify([8.5])
    until(lambda: hub.state()["tags"][0].get("temperature_c"), what="the reading")
    assert hub.alarm()["phase"] == "active", "the new limit was applied to the open alarm"
    # Small steps: a faster change would be flagged as implausible.
    hub.notify([8.3, 8.1, 7.9])
    until(lambda: hub.alarm()["phase"] == "returned", what="the end of the alarm")
    hub.notify([8.1, 8.3, 8.5, 8.6])
    time.sleep(1)
    assert hub.alarm()["phase"] == "returned", "the old limit was applied to a new reading"


def test_the_export_lists_every_acknowledgement(hub_of):
    """A second acknowledgement does not replace the first: the export lists the name, time, expiry
    and note of each on its own line."""
    hub = hub_of(tags=1)
    hub.notify([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    for name, note, minutes in (("Ana", "I go", ["--minutes", "30"]), ("Rui", "=1+1; \"door\"", []), ("Eva", "", ["--minutes", "5"])):
        assert hub.command("ack", "1", "--by", name, "--note", note, *minutes).returncode == 0
    receipts = entries(hub, "acknowledged")
    assert [one["name"] for one in receipts] == ["Ana", "Rui", "Eva"]
    for phase in ("acknowledged", "closed"):
        if phase == "closed":
            hub.notify([7.9])
            until(lambda: not hub.alarm(), what="the end of the alarm")
        row, = csv.DictReader(io.StringIO(hub.command("log", "--format", "csv").stdout, newline=""))
        assert row["phase"] == phase
        assert row["acknowledged_by"].split("\n") == ["Ana", "Rui", "Eva"]
        assert row["acknowledged"].split("\n") == [one["at"] for one in receipts]
        assert row["acknowledged_until"].split("\n") == [receipts[0]["expires"], "", receipts[2]["expires"]]
        assert row["note"].split("\n") == ["I go", "=1+1; \"door\"", ""]


def test_the_alarm_history_is_exported_as_json_lines_and_csv(hub_of):
    """The export contains limit, peak, people notified, acknowledgement, note and duration; a note
    that begins with '=' is escaped as text."""
    hub = hub_of(tags=2)
    hub.notify([8.1, 8.4, 8.2])
    until(lambda: hub.alarm(), what="the alarm")
    assert hub.command("ack", "1", "--by", "Ana", "--note", "=2+3, \"door\"").returncode == 0
    hub.notify([7.9])
    until(lambda: not hub.state()["alarms"], what="the end of the alarm")
    hub.notify([1.5], tag=1)
    until(lambda: hub.alarm("temperature-low"), what="the second alarm")
    listed = hub.command("log")
    assert listed.returncode == 0
    assert [json.loads(line) for line in listed.stdout.splitlines()] == hub.log()
    table = hub.command("log", "--format", "csv")
    first, second = csv.DictReader(io.StringIO(table.stdout, newline=""))
    assert (first["cause"], first["limit"], first["phase"], first["acknowledged_by"]) == ("temperature-high", "8", "closed", "Ana")
    assert float(first["peak"]) == pytest.approx(8.4, abs=0.01) and float(first["duration_s"]) > 0
    assert first["told"] == "Ana" and first["note"] == "'=2+3, \"door\""
    assert (second["cause"], second["phase"], second["returned"]) == ("temperature-low", "active", "")
    # The export is identical after a restart.
    hub.kill()
    hub.start()
    assert hub.command("log", "--format", "csv").stdout == table.stdout
