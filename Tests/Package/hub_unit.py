"""Starts the hub as its systemd unit does, as an unprivileged user, sends readings and requests.

usage: hub_unit.py UNIT; the unit reads /etc/aneroid-hub/hub.yaml as installed
"""

import configparser
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request

unit = configparser.RawConfigParser(strict=False, interpolation=None)
unit.optionxform = str
unit.read(sys.argv[1])
state = "/var/lib/" + unit["Service"]["StateDirectory"]
os.mkdir(state, 0o700)
os.chown(state, 1000, 1000)
words = [word for word in shlex.split(unit["Service"]["ExecStart"]) if word != "$HUB_OPTIONS"]
process = subprocess.Popen(
    ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "--no-new-privs", *words, "--lines", "--echo"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
talk = ""
for line in process.stderr:
    talk += line
    if found := re.search(r"(http://127\.0\.0\.1:\d+/)#token=\w+", line):
        break
else:
    sys.exit(f"the hub did not start: {talk}")


def get(path):
    """Returns the body of a response."""
    with urllib.request.urlopen(found[1] + path, timeout=20) as answer:
        return answer.read()


assert b"<title>" in get("")
# 5.2 °C, 47.9 %.
notification = {"tag": "A4:DA:32:00:00:01", "kind": "cc2650", "characteristic": "AA21", "raw": "2146bc7a", "rssi": -61, "battery": 90}
for _ in range(100):
    process.stdin.write(json.dumps(notification) + "\n")
process.stdin.flush()
records = [json.loads(process.stdout.readline()) for _ in range(100)]
assert [record["sequence"] for record in records] == list(range(1, 101)), records[:3]
hub = json.loads(get("v1/hub"))
assert hub["hub"] == "north", hub
shown = subprocess.run(["aneroid-hub", "show", "--config", "/etc/aneroid-hub/hub.yaml"], capture_output=True, text=True)
assert shown.returncode == 0 and "door" in shown.stdout, shown
assert os.stat(f"{state}/hub.token").st_mode & 0o777 == 0o600
process.send_signal(signal.SIGTERM)
assert process.wait(30) == 0, process.returncode
with sqlite3.connect(f"{state}/hub.sqlite") as database:
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
for name in os.listdir(state):
    os.remove(f"{state}/{name}")
os.rmdir(state)
print(f"{' '.join(words)}: 100 readings stored, page and table shown")
