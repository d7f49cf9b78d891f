"""Delivery over a real mosquitto: records arrive even if the broker or the hub is killed."""

import json
import os
import random
import subprocess
import time

import pytest

from hub_program import SEED, Broker, Subscriber, certificates, until


def readings(records):
    """Returns the sequence numbers of the readings among records."""
    return {record["sequence"] for record in records if record["kind"] == "reading"}


def test_readings_arrive_in_order(broker, hub_of):
    """Records arrive in order with hub, sequence number and time; status and discovery messages are
    retained."""
    subscriber = Subscriber(broker)
    hub = hub_of(broker)
    hub.notify([5, 5.1, 5.2])
    hub.notify([4], tag=1)
    until(lambda: len(subscriber.records) >= 4, what="four records")
    assert [key for key in subscriber.records] == [("north", n) for n in range(1, 5)]
    first = subscriber.records["north", 1]
    assert (first["tag"], first["zone"], first["model"]) == ("A4:DA:32:00:00:00", "cold room", "cc2650")
    assert first["temperature_c"] == pytest.approx(5, abs=0.003)
    assert first["humidity_rh"] == pytest.approx(0x7ABC / 65536 * 100, abs=0.001)
    assert first["rssi"] == -60 and first["battery"] == 90 and len(first["raw"]) == 8
    assert hub.stop() == 0
    until(lambda: subscriber.last("aneroid/north/status") == b"offline", what="the farewell")
    late = Subscriber(broker)
    until(lambda: late.last("homeassistant/sensor/north_a4da32000000/temperature_c/config"), what="discovery")
    document = json.loads(late.last("homeassistant/sensor/north_a4da32000000/temperature_c/config"))
    assert document["device_class"] == "temperature" and document["unit_of_measurement"] == "°C"
    assert document["state_topic"] == "aneroid/north/reading/A4:DA:32:00:00:00"
    assert document["availability_topic"] == "aneroid/north/status" and document["expire_after"] == 180
    assert all(retain for topic, _, retain in late.others if topic.startswith("homeassistant/"))
    for one in (subscriber, late):
        one.stop()


def test_the_will_of_a_killed_hub_publishes_offline(broker, hub_of):
    """The broker publishes the will 'offline' of a killed hub."""
    subscriber = Subscriber(broker)
    hub = hub_of(broker)
    until(lambda: subscriber.last("aneroid/north/status") == b"online", what="the greeting")
    hub.kill()
    until(lambda: subscriber.last("aneroid/north/status") == b"offline", what="the will")
    subscriber.stop()


def test_an_alarm_is_raised_and_acknowledged_over_mqtt(broker, hub_of):
    """A breach raises an alarm; a command acknowledges it; commands that are not allowed are
    rejected; a retained command is ignored."""
    subscriber = Subscriber(broker)
    hub = hub_of(broker, more="commands: {allowed: [acknowledge], people: [Ana]}\n")
    hub.notify([8.1])
    alarm = until(lambda: next((one for one in hub.state()["alarms"]), None), what="the alarm")
    assert (alarm["cause"], alarm["phase"], alarm["told"]) == ("temperature-high", "active", ["Ana"])
    until(lambda: json.loads(subscriber.last("aneroid/north/zone/cold_room") or b"{}").get("state") == "ON", what="the zone")

    def command(retain=False, **keys):
        subscriber.others.clear()
        subscriber.client.publish("aneroid/north/command", json.dumps(keys), 1, retain).wait_for_publish(5)

    def reply():
        return json.loads(until(lambda: subscriber.last("aneroid/north/reply"), 10, "a reply"))

    command(command="acknowledge", alarm=1, name="Eve")
    assert reply() == {"ok": False, "message": "unknown person 'Eve'"}
    command(command="acknowledge", alarm=1, name="Anna")
    assert reply() == {"ok": False, "message": "unknown person 'Anna'; did you mean 'Ana'?"}
    command(command="silence", zone="cold room", name="Ana", for_s=60)
    assert reply() == {"ok": False, "message": "this hub does not accept the command 'silence' here"}
    command(command="acknowledge", alarm=1, name="Ana", note="I go")
    assert reply() == {"ok": True, "message": "alarm 1 is acknowledged"}
    assert hub.state()["alarms"][0]["acknowledged"]["note"] == "I go"
    # The acknowledgement survives a restart.
    hub.kill()
    hub.start()
    assert hub.state()["alarms"][0]["phase"] == "acknowledged"
    # The record of the acknowledgement is delivered.
    until(lambda: any(one.get("event") == "acknowledged" for one in subscriber.records.values()), what="the record of the acknowledgement")
    hub.notify([7.9])
    until(lambda: not hub.state()["alarms"], what="the end of the alarm")
    hub.notify([8.1])
    until(lambda: hub.state()["alarms"], what="the second alarm")
    hub.kill()
    subscriber.client.publish("aneroid/north/command",
                              json.dumps({"command": "acknowledge", "alarm": 2, "name": "Ana"}), 1, True).wait_for_publish(5)
    hub.start()
    until(lambda: hub.state()["broker"], what="the connection")
    time.sleep(1)
    assert hub.state()["alarms"][0]["phase"] == "active", "a retained command was executed"
    subscriber.stop()


def test_readings_queue_while_the_broker_is_unreachable(broker, hub_of):
    """Readings taken while the broker is unreachable are delivered later, in order."""
    subscriber = Subscriber(broker)
    hub = hub_of(broker)
    hub.notify([5])
    until(lambda: len(subscriber.records) == 1, what="the first record")
    broker.kill()
    until(lambda: hub.state()["broker"] is False, what="the loss")
    hub.notify([5] * 500)
    until(lambda: hub.state()["delivery"][0]["waiting"] == 500, what="the queue")
    broker.start()
    until(lambda: len(subscriber.records) == 501, 40, "the rest")
    assert [number for _, number in subscriber.records] == list(range(1, 502))
    until(lambda: hub.state()["delivery"][0]["waiting"] == 0, what="an empty queue")
    assert "cannot connect to the broker" in hub.talk and "is available again" in hub.talk
    subscriber.stop()


def test_no_reading_is_lost_when_broker_and_hub_are_killed(broker, hub_of):
    """Broker and hub are killed at random times: every reading that the hub has written arrives,
    once after duplicates are dropped. The receiver confirms, because a killed broker loses messages
    that it has acknowledged."""
    chance = random.Random(SEED)
    subscriber = Subscriber(broker, confirms=True)
    hub = hub_of(broker, mqtt_keys=", confirm: receiver")
    for _ in range(10):
        for _ in range(chance.randrange(1, 20)):
            hub.notify([chance.uniform(3, 7) for _ in range(chance.randrange(1, 40))], chance.randrange(3))
            time.sleep(chance.uniform(0, 0.03))
        victim = chance.choice([hub, broker])
        victim.kill()
        time.sleep(chance.uniform(0, 0.3))
        victim.start()
    written = readings(hub.written)
    until(lambda: hub.state()["delivery"][0]["waiting"] == 0, 90, f"an empty queue (seed {SEED})")
    received = readings(subscriber.records.values())
    assert written <= received, f"seed {SEED}: lost {sorted(written - received)[:20]}"
    # A kill may fall between the write and the echo: a record without an echo is still a valid
    # reading.
    assert len(received) <= hub.count
    numbers = sorted(number for _, number in subscriber.records)
    assert numbers == list(range(1, len(numbers) + 1)), f"seed {SEED}: a number is missing"
    assert len(written) > 200
    print(f"{len(written)} readings, {subscriber.repeats} repeats dropped, seed {SEED}")
    subscriber.stop()


def test_tls_and_a_password(tmp_path, hub_of):
    """Records are delivered over TLS with a user; with a wrong CA or a wrong password the error is
    reported and nothing is published."""
    certificates(tmp_path)
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(tmp_path / "users"), "north", "secret"], check=True)
    broker = Broker(tmp_path, [f"password_file {tmp_path}/users", f"certfile {tmp_path}/broker.pem",
                               f"keyfile {tmp_path}/broker.key", "user root"], is_open=False)
    subscriber = Subscriber(broker, tls_set=(str(tmp_path / "ca.pem"),), username_pw_set=("north", "secret"))
    (tmp_path / "password").write_text("secret\n")
    (tmp_path / "wrong").write_text("guess\n")
    hub = hub_of(broker, ", user: north, password_file: password, ca: ca.pem")
    hub.notify([5])
    until(lambda: subscriber.records, what="a record over TLS")
    hub.stop()
    for keys, words in ((", user: north, password_file: password, ca: other.pem", "TLS"),
                        (", user: north, password_file: wrong, ca: ca.pem", "not authori")):
        hub = hub_of(broker, keys)
        until(lambda: "cannot connect to the broker" in hub.talk, what="the reason")
        assert words.lower() in hub.talk.lower(), hub.talk
        hub.stop()
    subscriber.stop()
    broker.kill()


@pytest.mark.parametrize("seed", [SEED])
def test_malformed_commands_are_rejected(broker, hub_of, seed):
    """The hub replies to each malformed command, executes none, and continues to serve."""
    chance = random.Random(seed)
    subscriber = Subscriber(broker)
    hub = hub_of(broker, more="commands: {allowed: [acknowledge], people: [Ana]}\n")
    hub.notify([8.1])
    until(lambda: hub.state()["alarms"], what="the alarm")
    valid = json.dumps({"command": "acknowledge", "alarm": 1, "name": "Eve", "note": "n", "for_s": 60}).encode()
    replies = lambda: sum(topic == "aneroid/north/reply" for topic, _, _ in subscriber.others)
    count = int(os.environ.get("HUB_FUZZ", 5000))
    for number in range(count):
        kind = chance.randrange(3)
        if kind == 0:
            payload = chance.randbytes(chance.randrange(200))
        elif kind == 1:
            payload = bytearray(valid)
            for _ in range(chance.randrange(1, 5)):
                payload[chance.randrange(len(payload))] = chance.randrange(256)
        else:
            payload = valid[:chance.randrange(len(valid))] * chance.randrange(1, 4)
        if b"Ana" in payload:
            continue
        subscriber.client.publish("aneroid/north/command", bytes(payload), 1)
        if number % 1000 == 999:
            until(lambda: replies() > number - 1000, 60, f"replies (seed {seed})")
    until(lambda: replies() >= count * 0.99, 120, f"all replies (seed {seed})")

    def phase():
        return next(one["phase"] for one in hub.state()["alarms"] if one["number"] == 1)

    assert phase() == "active"
    hub.notify([7.9])
    until(lambda: phase() == "returned", what="the next reading")
    subscriber.stop()
