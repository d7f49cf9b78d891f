"""Prints the figures of the page "Past one machine", as ratios where possible.

python3 measure.py ANEROID FOLDER
"""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

ANEROID = os.path.abspath(sys.argv[1])
FOLDER = pathlib.Path(sys.argv[2]).resolve()

RIG = """
name: tiny
duration: 2min
buses: [{number: 1, devices: [{model: bme280, noise: datasheet}]}]
environment: {constant: {temperature: 21C}}
pipeline: {samples: 5, sample_every: 2s, cycle: 30s}
"""
TINY = """
name: tiny
rig: rig.yaml
runs: 10000
shard: %d
vary: [{key: environment.constant.temperature, uniform: {from: -20C, to: 60C}}]
measure: [{name: error, error: temperature}]
"""


def timed(*words):
    """Returns the real time and the processor time of a command, in seconds, and its largest memory in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run([ANEROID, "campaign", *words], cwd=FOLDER, check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - start, user, after.ru_maxrss / 1024


def campaign(name, text):
    """Writes a campaign."""
    (FOLDER / name).write_text(text)
    return name


def fresh(*words):
    """As timed, without the results of an earlier command."""
    shutil.rmtree(FOLDER / "out", ignore_errors=True)
    return timed(*words, "--out", "out")


def checksum(data):
    """Returns the checksum of rows: FNV-1a with 64 bits."""
    state = 0xCBF29CE484222325
    for byte in data:
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{state:016x}"


def forge(name, total, length):
    """Writes shards with the rows of the tiny campaign, repeated."""
    rows = (FOLDER / "out" / "runs.csv").read_text().splitlines()
    source = next((FOLDER / "out" / "shards").iterdir())
    head = source.read_text().splitlines()[0]
    mark = "# aneroid campaign 1 "
    header = json.loads(head[len(mark):])
    folder = FOLDER / name / "shards"
    folder.mkdir(parents=True)
    for index, start in enumerate(range(0, total, length)):
        header.update({"total": total, "from": start, "to": start + length})
        lines = "".join(
            f"{run},{rows[1 + run % 10000].split(',', 1)[1]}\n" for run in range(start, start + length)).encode()
        end = json.dumps({"rows": length, "sum": checksum(lines)}, separators=(",", ":"))
        text = f"{mark}{json.dumps(header, separators=(',', ':'))}\n{rows[0]}\n".encode() + lines
        (folder / f"{index + 1}-of-{total // length}.csv").write_bytes(text + f"# end {end}\n".encode())


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
(FOLDER / "rig.yaml").write_text(RIG)
campaign("long.yaml", TINY % 10000)
campaign("short.yaml", TINY % 1000)
whole = min(fresh("run", "long.yaml", "--jobs", "1")[1] for _ in range(3))
parts = min(fresh("run", "short.yaml", "--jobs", "1")[1] for _ in range(3))
one = min(fresh("run", "short.yaml", "--jobs", "1")[0] for _ in range(3))
two = min(fresh("run", "short.yaml", "--jobs", "2")[0] for _ in range(3))
print(f"a short run: {whole / 10:.2f} ms of one core")
print(f"shards of 1,000 runs against one of 10,000: {100 * (parts / whole - 1):.1f} % more processor time")
print(f"two shards at once against one: {one / two:.2f} times as fast")
for rig, runs in (("weather-station", 200), ("iss-leak", 50)):
    user = fresh("run", campaign("c.yaml", f"name: c\nrig: {rig}\nruns: {runs}\nshard: {runs}\n"), "--jobs", "1")[1]
    print(f"a run of {rig}: {1000 * user / runs:.1f} ms of one core")
fresh("run", "short.yaml")
forge("many", 10_000, 1)
forge("million", 1_000_000, 1000)
seconds, _, _ = timed("merge", "many", "--out", "many")
print(f"merge of 10,000 shards: {seconds:.1f} s")
seconds, _, memory = timed("merge", "million", "--out", "million")
print(f"merge of 1,000,000 rows: {seconds:.1f} s, at most {memory:.0f} MB in any command")
