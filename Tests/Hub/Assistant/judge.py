"""Validates discovery documents with Home Assistant's own patterns and schemas.

usage: python judge.py < documents.json, an object of topics and documents; needs the package homeassistant
"""

import json
import re
import sys

from homeassistant.components.mqtt import binary_sensor, discovery, sensor
from homeassistant.components.sensor import const


def main():
    """Prints the number of valid documents, or the error of the first invalid one."""
    documents = json.load(sys.stdin)
    identifiers = set()
    for topic, document in documents.items():
        prefix, _, rest = topic.partition("/")
        found = discovery.TOPIC_MATCHER.match(rest)
        assert prefix == "homeassistant" and found, f"{topic}: is not a discovery topic"
        component = {"sensor": sensor, "binary_sensor": binary_sensor}[found["component"]]
        # Home Assistant sets the platform before it validates.
        read = component.DISCOVERY_SCHEMA({**document, "platform": "mqtt"})
        assert read["unique_id"] not in identifiers, f"{topic}: duplicate unique_id"
        identifiers.add(read["unique_id"])
        assert not set(document) - {str(key) for key in read}, f"{topic}: the schema removes a key"
        if component is sensor:
            units = const.DEVICE_CLASS_UNITS[read["device_class"]]
            assert read["unit_of_measurement"] in units, (topic, read["unit_of_measurement"], units)
            classes = const.DEVICE_CLASS_STATE_CLASSES[read["device_class"]]
            assert read["state_class"] in classes, (topic, read["state_class"])
        assert re.fullmatch(r"[a-zA-Z0-9_-]+", found["object_id"])
    print(len(documents))


main()
