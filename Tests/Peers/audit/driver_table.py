"""Audits the drivers that the tests install and prints the table of the documentation.

usage: driver_table.py ANEROID [TITLE...], at the top of the repository after Tests/run has installed its peers; with titles
of drivers, such as 'RPi.bme280 0.2.4', only their sections
"""

import json
import os
import subprocess
import sys

from audited import DRIVERS, REPAIRED

HEAD = """# What the audit finds in drivers from PyPI

The version, the command and the findings for each driver.

## Overview

Each driver is set up as in its own example and then read once per second (`Tests/Peers/read_driver.py DRIVER loop`).
`Tests/run` installs all drivers. One section of this page is then printed by

```sh
PYTHONPATH=.build-peers/drivers/rpi_bme280 aneroid audit --timeout 60s \\
  --json temperature_c=temperature,pressure_pa=pressure,humidity=humidity \\
  -- .build-peers/bin/python Tests/Peers/read_driver.py rpi_bme280 loop
```

(a driver of the BMP280 with `--chip bmp280` and without `humidity`), and the whole page

```sh
python3 Tests/Peers/audit/driver_table.py .build/release/aneroid
```

What Linux's own drivers do on the same parts is on the page "Kernels, virtual machines and Arduino clients" of the command.

A test generates three sections again and compares them; with `Tests/run --long`, the whole page. The scenarios are
explained in <doc:Scenarios>. A finding states what the driver displayed on that bench, not that its users are affected:
they must decide whether their part can be left in normal mode or can have a negative H4. No known part has a negative H4,
H5 or T3.

"In its code" lists what a person found in the driver's source. All findings were confirmed there, except those of `weather`,
`same-codes`, `failures-in-weather`, `lost-start`, `scattered-failures`, `unplugged`, `lost-in-reading`, `stuck-measuring`,
`long-outage`, `clock-step`, `fast-bus`, `long-run` and `lost-humidity-reply`, which have not been compared with the source yet.
All named causes but one were confirmed in the source; where several defects meet, one or none is named. Small deviations
would be accepted, except for their last digits (<doc:Audit>). Bugs that have been fixed are listed in <doc:HistoricalBugs>.
"""


def audit(aneroid, driver, folder, chip):
    names = "temperature_c=temperature,pressure_pa=pressure"
    if chip == "bme280":
        names += ",humidity=humidity"
    result = subprocess.run(
        [aneroid, "audit", "--format", "json", "--timeout", "60s", "--chip", chip, "--json", names]
        + ["--", ".build-peers/bin/python", "Tests/Peers/read_driver.py", driver, "loop"],
        env={**os.environ, "PYTHONPATH": f".build-peers/drivers/{folder}"},
        capture_output=True,
        text=True,
    )
    if result.returncode not in (0, 1):
        raise SystemExit(f"{driver}: exit status {result.returncode}: {result.stderr}")
    return json.loads(result.stdout)


def row(scenario):
    differences = scenario["differences"]
    shown = ", ".join(difference["shown"] for difference in differences) or scenario["reason"]
    right = ", ".join(difference["right"] for difference in differences)
    likely = ", ".join(item["class"] for item in scenario["likely"])
    if scenario["beside"]:
        likely += ", also " + ", ".join(item["class"] for item in scenario["beside"])
    if scenario["verdict"] == "small":
        likely += " (small)"
    return f"| `{scenario['scenario']}` | {shown} | {right} | {likely} |"


def lines(title, result, code=()):
    scenarios = result["scenarios"]
    counts = {}
    for scenario in scenarios:
        counts[scenario["verdict"]] = counts.get(scenario["verdict"], 0) + 1
    order = ["right", "reported", "small", "wrong", "failed", "not run"]
    summary = ", ".join(f"{counts[word]} {word}" for word in order if word in counts)
    yield f"\n### {title}\n"
    yield f"{len(scenarios)} scenarios: {summary}.\n"
    found = [scenario for scenario in scenarios if scenario["verdict"] in ("small", "wrong", "failed")]
    if found:
        yield "| scenario | displayed | correct | likely |"
        yield "|---|---|---|---|"
        groups = {}
        for scenario in found:
            groups.setdefault(scenario["cause"], []).append(scenario)
        for group in groups.values():
            # Of several findings with one cause only the first is listed.
            listed = group if len(group) <= 5 else group[:3]
            for scenario in listed:
                yield row(scenario)
            if listed is not group:
                others = ", ".join(f"`{scenario['scenario']}`" for scenario in group[3:])
                yield f"| {others} | the same | | |"
    if result["conduct"]:
        yield "\nOn the bus:\n"
        for sentence in result["conduct"]:
            yield f"- {sentence}"
    if code:
        yield "\nIn its code:\n"
        for sentence in code:
            yield f"- {sentence}"


def sections(drivers, titles):
    for driver, folder, title, chip, *code in drivers:
        if not titles or title in titles:
            for line in lines(title, audit(sys.argv[1], driver, folder, chip), *code):
                print(line)


def main():
    titles = sys.argv[2:]
    if not titles:
        print(HEAD, end="")
    sections(DRIVERS, titles)
    if not titles:
        print("\n## Versions before and after a repair")
    sections(REPAIRED, titles)


main()
