"""The life of alarms at the hub's door: the program runs, tags speak, people answer by all three ways."""

import csv
import io
import json
import time
from datetime import datetime

import pytest

from hub_program import Subscriber, until


def moment(text):
    """A moment of the hub, in seconds."""
    return datetime.fromisoformat(text[:26].rstrip("Z") + "+00:00").timestamp()


def happened(hub, event):
    """The entries of a kind in the log."""
    return [one for one in hub.log() if one["event"] == event]


class Ways:
    """The three ways in which a person speaks to a hub."""

    def __init__(self, hub, broker):
        self.hub, self.subscriber = hub, Subscriber(broker)

    def line(self, **keys):
        """By the command line."""
        words = {"acknowledge": ["ack", str(keys.get("alarm"))], "silence": ["silence", keys.get("zone", "")]}[keys["command"]]
        done = self.hub.command(*words, "--by", keys["name"], "--note", keys["note"], "--minutes", str(keys["for_s"] / 60))
        return done.stdout + done.stderr

    def mqtt(self, **keys):
        """By a message to the broker."""
        self.subscriber.others.clear()
        self.subscriber.client.publish("aneroid/north/command", json.dumps(keys), 1).wait_for_publish(5)
        return until(lambda: self.subscriber.last("aneroid/north/reply"), 10, "a reply").decode()

    def web(self, **keys):
        """As the page does it."""
        return self.hub.ask("/v1/command", "POST", json.dumps(keys).encode(), Content_Type="application/json",
                            Authorization=f"Bearer {self.hub.token}")[2].decode()


@pytest.mark.parametrize("way", ["line", "mqtt", "web"])
def test_an_acknowledgement_has_name_note_and_expiry(broker, hub_of, way):
    """Over each interface: the acknowledgement has a name, a note and an expiry; escalation stops; after expiry those on duty are notified again."""
    hub = hub_of(broker, duty="{people: [Ana, Rui], escalate: 30s}",
                 more="commands: {allowed: [acknowledge, silence], people: [Ana]}\n")
    ways = Ways(hub, broker)
    hub.tell([8.1])
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
def test_an_open_door_is_silenced_for_a_time(broker, hub_of, way):
    """Over each interface: a silence holds breaches back without notification; the first reading after its end raises the alarm."""
    hub = hub_of(broker, more="commands: {allowed: [acknowledge, silence]}\n")
    ways = Ways(hub, broker)
    said = getattr(ways, way)(command="silence", zone="cold rom", name="Rui", note="", for_s=4)
    assert "unknown zone 'cold rom'; did you mean 'cold room'?" in said
    said = getattr(ways, way)(command="silence", zone="cold room", name="Rui", note="delivery", for_s=4)
    assert "the zone 'cold room' is silenced" in said
    hub.tell([8.1, 8.2])
    until(lambda: happened(hub, "held-back"), what="the breach in the log")
    zone = hub.state()["zones"][0]
    assert (zone["silenced_by"], zone["note"]) == ("Rui", "delivery") and not hub.state()["alarms"]
    until(lambda: "silenced_by" not in hub.state()["zones"][0], 15, "the end of the silence")
    assert not happened(hub, "told") and not hub.state()["alarms"]
    hub.tell([8.2])
    until(lambda: hub.alarm(), what="the alarm")
    ways.subscriber.stop()


def test_the_next_on_duty_is_told(hub_of):
    """An alarm escalates after each timeout and wraps to the first person; an acknowledgement stops it."""
    hub = hub_of(duty="{people: [Ana, Rui, Eva], escalate: 1s}")
    hub.tell([8.1])
    until(lambda: len(hub.alarm()["told"]) >= 4 if hub.alarm() else False, 15, "four calls")
    assert hub.command("ack", "1", "--by", "Eva").returncode == 0
    told = hub.alarm()["told"]
    assert told[:4] == ["Ana", "Rui", "Eva", "Ana"]
    times = [moment(one["time"]) for one in happened(hub, "told")]
    assert all(0.99 <= later - sooner < 3 for sooner, later in zip(times, times[1:])), times
    time.sleep(2.5)
    assert hub.alarm()["told"] == told


def test_what_is_not_heard_not_believed_and_nearly_empty(hub_of):
    """A lost tag, a disabled sensor and a low battery raise alarms, which close on recovery."""
    hub = hub_of(tags=2, period="2s")
    off = b'{"tag":"A4:DA:32:00:00:01","kind":"cc2650","characteristic":"AA21","raw":"00000000","rssi":-60}\n'
    hub.tell([5], battery=9)
    hub.process.stdin.write(off)
    hub.process.stdin.flush()
    until(lambda: hub.alarm("battery-low") and hub.alarm("sensor-fault"), what="battery and fault")
    assert hub.alarm("battery-low")["level"] == "warning" and hub.alarm("sensor-fault")["level"] == "alarm"
    hub.tell([5], battery=14)
    assert hub.alarm("battery-low")["phase"] == "active"
    hub.tell([5], battery=16)
    hub.tell([5], tag=1)
    until(lambda: {hub.alarm(one)["phase"] for one in ("battery-low", "sensor-fault")} == {"returned"}, what="their ends")
    until(lambda: len([one for one in hub.state()["alarms"] if one["cause"] == "no-data"]) == 2, 20, "both lost")
    assert all(tag["state"] == "lost" for tag in hub.state()["tags"])
    hub.tell([5])
    until(lambda: hub.state()["tags"][0]["state"] == "ok", what="the first again")


def test_a_breach_whose_sensor_is_lost_is_closed(hub_of):
    """Not while the tag is heard; once it is lost, with name and note, which the log keeps."""
    hub = hub_of(tags=1, period="2s")
    hub.tell([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    refused = hub.command("close", "1", "--by", "Ana")
    assert refused.returncode == 1 and "its sensor still reports; acknowledge it instead" in refused.stderr
    until(lambda: hub.alarm("no-data"), 20, "the loss")
    done = hub.command("close", "1", "--by", "Ana", "--note", "crushed by a fork lift")
    assert (done.returncode, done.stdout) == (0, "alarm 1 is closed\n"), done
    assert not hub.alarm()
    closed = happened(hub, "closed")[0]
    assert closed["name"] == "Ana" and closed["note"] == "crushed by a fork lift", closed
    assert hub.command("close", "1", "--by", "Ana").stderr.endswith("alarm 1 is already closed\n")


def test_a_silent_tag_stays_silent_when_its_alarm_is_closed(hub_of):
    """Whoever closes the alarm of a silent tag does not make it heard: it is drawn as lost, also after a start, until it is."""
    hub = hub_of(tags=2, period="2s")
    hub.tell([8.1])
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
    # Its other open alarms can be closed too: no hub receives its sensor.
    breach = hub.alarm()["number"]
    done = hub.command("close", str(breach), "--by", "Rui", "--note", "crushed")
    assert done.returncode == 0, done
    assert tag()["state"] == "lost"
    hub.tell([5])
    until(lambda: tag()["state"] == "ok", what="the tag again")


def test_every_moment_is_its_own(hub_of):
    """A breach has three times (begin, acknowledgement, end), in the terminal and in the JSON output."""
    hub = hub_of(tags=2)
    hub.tell([8.1])
    hub.tell([8.1], tag=1)
    until(lambda: len(hub.state()["alarms"]) == 2, what="two alarms")
    time.sleep(1.2)
    assert hub.command("ack", "1", "--by", "Ana", "--note", "I go", "--minutes", "30").returncode == 0
    time.sleep(1.2)
    hub.tell([7.9], tag=1)
    until(lambda: any(one["phase"] == "returned" for one in hub.state()["alarms"]), what="the end of the second")
    first, second = sorted(hub.state()["alarms"], key=lambda one: one["number"])
    shown = [hub.command(*words).stdout.splitlines() for words in (["alarms"], ["show"])]
    for lines in (" ".join(" ".join(one).split()) for one in shown):
        receipt = first["acknowledged"]
        assert f"since {first['began']} notified: Ana acknowledged by Ana at {receipt['time']} until {receipt['expires']}: I go" in lines, lines
        assert f"began {second['began']}, normal since {second['returned']}" in lines, lines
    assert moment(receipt["time"]) - moment(first["began"]) > 1 and moment(second["returned"]) - moment(second["began"]) > 2
    # An acknowledgement that has expired was one.
    assert hub.command("ack", "1", "--by", "Rui", "--minutes", "0.02").returncode == 0
    until(lambda: "was acknowledged by Rui at" in " ".join(hub.command("alarms").stdout.split()), 10, "the expiry")


def test_the_limit_of_the_breach_holds(hub_of):
    """An alarm keeps the limit that it broke, though the file says another one by now."""
    hub = hub_of(tags=1)
    hub.tell([8.6])
    until(lambda: hub.alarm(), what="the alarm")
    hub.stop()
    hub.file.write_text(hub.file.read_text().replace("high: 8C", "high: 9C"))
    hub.start()
    assert (hub.alarm()["limit"], hub.alarm()["peak"]) == (8, pytest.approx(8.6, abs=0.01))
    hub.tell([8.5])
    until(lambda: hub.state()["tags"][0].get("temperature_c"), what="the reading")
    assert hub.alarm()["phase"] == "active", "the limit of today was taken"
    # Faster than this no air changes: a reading would be flagged.
    hub.tell([8.3, 8.1, 7.9])
    until(lambda: hub.alarm()["phase"] == "returned", what="its end")
    hub.tell([8.1, 8.3, 8.5, 8.6])
    time.sleep(1)
    assert hub.alarm()["phase"] == "returned", "the limit of then was taken for a new breach"


def test_every_acknowledgement_is_exported(hub_of):
    """Who acknowledges a second time replaces nothing in the log: names, moments, expiries and notes stand line by line."""
    hub = hub_of(tags=1)
    hub.tell([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    for name, note, minutes in (("Ana", "I go", ["--minutes", "30"]), ("Rui", "=1+1; \"door\"", []), ("Eva", "", ["--minutes", "5"])):
        assert hub.command("ack", "1", "--by", name, "--note", note, *minutes).returncode == 0
    receipts = happened(hub, "acknowledged")
    assert [one["name"] for one in receipts] == ["Ana", "Rui", "Eva"]
    for phase in ("acknowledged", "closed"):
        if phase == "closed":
            hub.tell([7.9])
            until(lambda: not hub.alarm(), what="its end")
        row, = csv.DictReader(io.StringIO(hub.command("log", "--format", "csv").stdout, newline=""))
        assert row["phase"] == phase
        assert row["acknowledged_by"].split("\n") == ["Ana", "Rui", "Eva"]
        assert row["acknowledged"].split("\n") == [one["at"] for one in receipts]
        assert row["acknowledged_until"].split("\n") == [receipts[0]["expires"], "", receipts[2]["expires"]]
        assert row["note"].split("\n") == ["I go", "=1+1; \"door\"", ""]


def test_the_life_is_exported(hub_of):
    """As lines and as a table: limit, worst value, who was notified, who acknowledged it and why, duration; a formula stays a text."""
    hub = hub_of(tags=2)
    hub.tell([8.1, 8.4, 8.2])
    until(lambda: hub.alarm(), what="the alarm")
    assert hub.command("ack", "1", "--by", "Ana", "--note", "=2+3, \"door\"").returncode == 0
    hub.tell([7.9])
    until(lambda: not hub.state()["alarms"], what="its end")
    hub.tell([1.5], tag=1)
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
    # A restart forgets nothing of it.
    hub.kill()
    hub.start()
    assert hub.command("log", "--format", "csv").stdout == table.stdout
