"""Counts, independently of aneroid, how often precipitation followed each class of the thesis.

usage: score_oracle.py WEATHER.csv
output: a line for each class: name, hours, percentage with precipitation within six hours
"""

import csv
import datetime
import sys
from collections import Counter


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def hour(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return int(moment.timestamp() // 3600)


rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))
rain = {hour(row["time_hour"]): number(row["precip"]) for row in rows}
known = [(hour(row["time_hour"]), number(row["pressure"])) for row in rows]
known = [(time, value) for time, value in known if value is not None]
pressure = dict(known)
for (start, first), (end, last) in zip(known, known[1:]):
    if end - start <= 3:
        for time in range(start + 1, end):
            if time in rain:
                pressure[time] = first + (last - first) * (time - start) / (end - start)

hours, wet = Counter(), Counter()
for time in rain:
    later = [rain.get(time + ahead) for ahead in range(1, 7)]
    if time not in pressure or time - 2 not in pressure or None in later:
        continue
    rate = (pressure[time] - pressure[time - 2]) / 2
    if rate >= 2.5:
        name = "notStable"
    elif rate > 0.5:
        name = "goodWeather"
    elif rate >= -0.5:
        name = "stable"
    elif rate > -2.5:
        name = "rainy"
    else:
        name = "thunderStorm"
    hours[name] += 1
    wet[name] += any(amount > 0 for amount in later)
for name in hours:
    print(name, hours[name], f"{100 * wet[name] / hours[name]:.1f}")
