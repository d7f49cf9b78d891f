"""Reads documents of discovery as Home Assistant does: its own patterns and schemas judge them.

usage: python judge.py < documents.json, an object of topics and documents; needs the package homeassistant
"""

import json
import re
import sys

from homeassistant.components.mqtt import binary_sensor, discovery, sensor
from homeassistant.components.sensor import const


def main():
    """Prints how many documents are right, or what is wrong with one."""
    documents = json.load(sys.stdin)
    identifiers = set()
    for topic, document in documents.items():
        prefix, _, rest = topic.partition("/")
        found = discovery.TOPIC_MATCHER.match(rest)
        assert prefix == "homeassistant" and found, f"{topic}: is no topic of discovery"
        component = {"sensor": sensor, "binary_sensor": binary_sensor}[found["component"]]
        # Before it validates, Home Assistant itself names the platform.
        read = component.DISCOVERY_SCHEMA({**document, "platform": "mqtt"})
        assert read["unique_id"] not in identifiers, f"{topic}: the identifier is duplicated"
        identifiers.add(read["unique_id"])
        assert not set(document) - {str(key) for key in read}, f"{topic}: a key that is removed"
        if component is sensor:
            units = const.DEVICE_CLASS_UNITS[read["device_class"]]
            assert read["unit_of_measurement"] in units, (topic, read["unit_of_measurement"], units)
            classes = const.DEVICE_CLASS_STATE_CLASSES[read["device_class"]]
            assert read["state_class"] in classes, (topic, read["state_class"])
        assert re.fullmatch(r"[a-zA-Z0-9_-]+", found["object_id"])
    print(len(documents))


main()
