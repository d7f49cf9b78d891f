"""Starts the station as its systemd unit does, as an unprivileged user, and sends requests.

usage: station_unit.py UNIT [SOURCE], with more options in STATION_OPTIONS; SOURCE is the source of its readings. Default: simulated
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
import tempfile
import urllib.request

unit = configparser.RawConfigParser(strict=False, interpolation=None)
unit.optionxform = str
unit.read(sys.argv[1])
source = sys.argv[2] if len(sys.argv) > 2 else "simulated"
with tempfile.TemporaryDirectory() as state:
    os.chown(state, 1000, 1000)
    given = os.path.join("/etc/default", os.path.basename(sys.argv[1]).removesuffix(".service"))
    defaults = dict(line.strip().split("=", 1) for line in open(given) if re.match(r"\w+=", line))
    options = os.environ.get("STATION_OPTIONS") or shlex.split(defaults["STATION_OPTIONS"] or "''")[0]
    words = []
    for word in shlex.split(unit["Service"]["ExecStart"]):
        # As in systemd: $NAME expands to words, ${NAME} to a part of a word.
        words += shlex.split(options) if word == "$STATION_OPTIONS" else [word.replace("${STATE_DIRECTORY}", state)]
    process = subprocess.Popen(
        ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "--no-new-privs", *words, "--listen", "127.0.0.1:0"],
        stderr=subprocess.PIPE, text=True)
    talk = ""
    for line in process.stderr:
        talk += line
        if found := re.search(r"http://127\.0\.0\.1:\d+/", line):
            break
    else:
        sys.exit(f"the station did not start: {talk}")

    def get(path):
        with urllib.request.urlopen(found[0] + path, timeout=20) as answer:
            return answer.read()

    assert b"<title>" in get("")
    for _ in range(100):
        station = json.loads(get("v1/station"))
        if station["time"]:
            break
    assert station["source"] == source, station
    assert "error" not in json.loads(get("v1/forecast?latitude=38.7&longitude=-9.1&hourly=temperature_2m&timezone=auto"))
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    with sqlite3.connect(os.path.join(state, "station.sqlite")) as database:
        (count,) = database.execute("SELECT count(*) FROM reading").fetchone()
    assert count > 100, count
    print(f"{' '.join(words)}: {count} {source} readings stored")
