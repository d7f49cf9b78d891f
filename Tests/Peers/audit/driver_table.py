"""Audits the drivers that the tests install and prints the table of the documentation.

usage: driver_table.py ANEROID, at the top of the repository after Tests/run has installed its peers
"""

import json
import os
import subprocess
import sys

DRIVERS = [
    ("rpi_bme280", "RPi.bme280 0.2.4", "bme280"),
    ("bme280_0_7", "bme280 0.7", "bme280"),
    ("pimoroni_bme280", "pimoroni-bme280 1.0.0", "bme280"),
    ("bme280pi", "bme280pi 1.2.1", "bme280"),
    ("adafruit", "adafruit-circuitpython-bme280 2.6.32", "bme280"),
    ("pimoroni_bmp280", "bmp280 1.0.0", "bmp280"),
]

HEAD = """# What the audit finds in drivers from PyPI

Facts: the version, the command, what came of it.

## Overview

Each driver reads a reading a second (`Tests/Peers/read_driver.py DRIVER loop`), once set up as its own
example does. `Tests/run` installs them all; then one row is

```sh
PYTHONPATH=.build-peers/drivers/rpi_bme280 aneroid audit --timeout 60s \\
  --json temperature_c=temperature,pressure_pa=pressure,humidity=humidity \\
  -- .build-peers/bin/python Tests/Peers/read_driver.py rpi_bme280 loop
```

(a driver of the BMP280 with `--chip bmp280` and without `humidity`), and the whole page

```sh
python3 Tests/Peers/audit/driver_table.py .build/release/aneroid
```

A test makes it again and compares. The scenarios are explained on <doc:Scenarios>. A finding says what the
driver showed on that bench, not that its users meet it: whether a part is ever left in normal mode, or has a
negative H4, is for them to know. No part that is known to the project has a negative H4, H5 or T3.
"""


def audit(aneroid, driver, chip):
    names = "temperature_c=temperature,pressure_pa=pressure"
    if chip == "bme280":
        names += ",humidity=humidity"
    result = subprocess.run(
        [aneroid, "audit", "--format", "json", "--timeout", "60s", "--chip", chip, "--json", names]
        + ["--", ".build-peers/bin/python", "Tests/Peers/read_driver.py", driver, "loop"],
        env={**os.environ, "PYTHONPATH": f".build-peers/drivers/{driver}"},
        capture_output=True,
        text=True,
    )
    if result.returncode not in (0, 1):
        raise SystemExit(f"{driver}: exit status {result.returncode}: {result.stderr}")
    return json.loads(result.stdout)


def lines(title, result):
    scenarios = result["scenarios"]
    counts = {}
    for scenario in scenarios:
        counts[scenario["verdict"]] = counts.get(scenario["verdict"], 0) + 1
    order = ["right", "told", "wrong", "failed", "missed"]
    summary = ", ".join(f"{counts[word]} {word}" for word in order if word in counts)
    yield f"\n### {title}\n"
    yield f"{len(scenarios)} scenarios: {summary}.\n"
    found = [scenario for scenario in scenarios if scenario["verdict"] in ("wrong", "failed")]
    if found:
        yield "| scenario | shown | right | likely |"
        yield "|---|---|---|---|"
        for scenario in found:
            differences = scenario["differences"]
            shown = ", ".join(difference["shown"] for difference in differences)
            right = ", ".join(difference["right"] for difference in differences)
            likely = ", ".join(item["class"] for item in scenario["likely"])
            yield f"| `{scenario['scenario']}` | {shown or scenario['reason']} | {right} | {likely} |"
    if result["conduct"]:
        yield "\nOn the bus:\n"
        for sentence in result["conduct"]:
            yield f"- {sentence}"


def main():
    print(HEAD, end="")
    for driver, title, chip in DRIVERS:
        for line in lines(title, audit(sys.argv[1], driver, chip)):
            print(line)


main()
