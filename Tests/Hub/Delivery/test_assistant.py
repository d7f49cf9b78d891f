"""Discovery messages, validated against Home Assistant's documentation and, if it is installed, by Home Assistant itself."""

import json
import os
import re
import subprocess
from pathlib import Path

import jinja2
import pytest

from hub_program import Subscriber, until

# https://www.home-assistant.io/integrations/mqtt/#discovery-topic and the pages of the two components.
TOPIC = re.compile(r"homeassistant/(sensor|binary_sensor)/(?:[a-zA-Z0-9_-]+/)?[a-zA-Z0-9_-]+/config")
BOTH = {"name", "unique_id", "state_topic", "value_template", "device_class", "availability_topic", "payload_available",
        "payload_not_available", "device", "entity_category", "expire_after", "json_attributes_topic"}
KNOWN = {"sensor": BOTH | {"unit_of_measurement", "state_class"}, "binary_sensor": BOTH | {"payload_on", "payload_off"}}
DEVICE = {"identifiers", "name", "model", "manufacturer", "suggested_area"}
UNITS = {"temperature": "°C", "humidity": "%", "battery": "%", "signal_strength": "dBm", "atmospheric_pressure": "Pa"}
JUDGE = Path(__file__).resolve().parents[1] / "Assistant/judge.py"


@pytest.fixture
def documents(broker, hub_of):
    """Returns all discovery documents, by topic, of a hub with tags of both kinds."""
    hub = hub_of(broker)
    hub.notify([5, 5.1])
    older = {"tag": "A4:DA:32:00:00:01", "kind": "cc2541", "characteristic": "AA21", "raw": "c068bc7a"}
    pressure = {"tag": "A4:DA:32:00:00:00", "kind": "cc2650", "characteristic": "AA41", "raw": "f401008b8b01"}
    for line in (older, pressure):
        hub.process.stdin.write(json.dumps(line).encode() + b"\n")
    hub.process.stdin.flush()
    until(lambda: hub.state()["tags"][0].get("pressure_pa"), what="the pressure")
    early = Subscriber(broker)
    until(lambda: any("pressure" in topic for topic, _, _ in early.others), what="the discovery message of the pressure")
    # A client that subscribes later receives the retained messages.
    late = Subscriber(broker)

    def found():
        return {topic: json.loads(payload) for topic, payload, retain in late.others
                if topic.startswith("homeassistant/") and retain}

    until(lambda: len(found()) == 14, what="all retained messages")
    yield found()
    for one in (early, late):
        one.stop()


def test_discovery_messages_match_the_documentation(documents):
    """Topics, keys, units and classes match the documentation; names are unique; states arrive on
    the documented topics."""
    assert len({document["unique_id"] for document in documents.values()}) == len(documents)
    for topic, document in documents.items():
        kind = TOPIC.fullmatch(topic)
        assert kind, topic
        assert set(document) <= KNOWN[kind[1]], (topic, set(document) - KNOWN[kind[1]])
        assert set(document["device"]) <= DEVICE and document["device"]["identifiers"]
        assert document["availability_topic"] == "aneroid/north/status"
        if kind[1] == "sensor":
            assert document["unit_of_measurement"] == UNITS[document["device_class"]]
            assert document["state_class"] == "measurement" and document["expire_after"] == 180
        else:
            assert (document["device_class"], document["payload_on"], document["payload_off"]) == ("problem", "ON", "OFF")
    known = {document["device"]["name"]: document["device"] for document in documents.values()}
    assert (known["shelf-0"]["model"], known["shelf-0"]["manufacturer"]) == ("CC2650 SensorTag", "Texas Instruments")
    assert known["shelf-1"]["model"] == "CC2541 SensorTag" and "manufacturer" not in known["shelf-2"]
    # Only a tag with a readable barometer reports a pressure.
    assert sum(document["device_class"] == "atmospheric_pressure" for document in documents.values()) == 1


def test_a_template_returns_nothing_for_a_missing_quantity(documents):
    """A template returns a number or nothing, never the entity's state, which may be 'unavailable'
    or in another unit."""
    for topic, document in documents.items():
        if "/sensor/" not in topic:
            continue
        template = document["value_template"]
        assert "is_number(" in template and "this.state" not in template, template
        key = topic.split("/")[-2]
        environment = jinja2.Environment()
        environment.globals["is_number"] = lambda value: isinstance(value, (int, float))
        for message, shown in (({key: 5.25}, "5.25"), ({}, ""), ({key: None}, ""), ({key: 0}, "0")):
            assert environment.from_string(template).render(value_json=message) == shown, template


@pytest.mark.skipif("HUB_ASSISTANT" not in os.environ, reason="Home Assistant has 400 MB: .ci/hub --long installs it")
def test_home_assistant_accepts_the_discovery_messages(documents):
    """Home Assistant's own patterns and schemas accept every document (only with --long, which
    installs Home Assistant)."""
    python = os.environ["HUB_ASSISTANT"]
    result = subprocess.run([python, JUDGE], input=json.dumps(documents), capture_output=True, text=True, timeout=120)
    assert result.returncode == 0 and int(result.stdout) == len(documents), result.stderr
    broken = {topic: {**document, "device_class": "warmth"} for topic, document in documents.items()}
    assert subprocess.run([python, JUDGE], input=json.dumps(broken), capture_output=True, text=True,
                          timeout=120).returncode != 0, "the validator accepts an invalid document"
