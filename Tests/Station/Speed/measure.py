#!/usr/bin/env python3
"""How fast the station is, beside a twin of FastAPI and xarray that gives the same answer, by wrk on loopback.

usage: measure.py [--long], from a Python that has what .ci/station installs; --long also measures a million readings and
a forecast file of 300 MB
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Server"))
from conftest import PROGRAM, SAMPLE, Served  # noqa: E402

QUERY = "/QuickPrevByDate.php?lon=-8.6291&lat=41.1579&date=20131002_12"


def wrk(url, seconds, *more):
    """Requests a second, and the 99th percentile in ms."""
    output = subprocess.run(["wrk", "-t1", "-c32", f"-d{seconds}s", "--latency", *more, url],
                            capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in output and "Socket errors" not in output, output
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]), float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def memory(process):
    """The resident memory of a process in MB, now."""
    text = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def cold():
    """The best of five starts in ms: from the start of the program to its first answer."""
    times = []
    for _ in range(5):
        begin = time.monotonic()
        station = Served()
        assert station.ask("/healthz")[0] == 200
        times.append((time.monotonic() - begin) * 1000)
        station.stop()
    return min(times)


def twin(port=18999):
    process = subprocess.Popen([sys.executable, str(HERE / "twin.py"), SAMPLE[0], str(port)])
    url = f"http://127.0.0.1:{port}"
    for _ in range(200):
        try:
            return process, url, json.load(urllib.request.urlopen(url + QUERY))
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the twin did not start")


def compare(seconds):
    """Both, in turns."""
    station = Served("--data", SAMPLE[0])
    other, url, answer = twin()
    try:
        assert station.json(QUERY)[1] == answer, (station.json(QUERY)[1], answer)
        rates = {"station": [], "twin": [], "places": []}
        for _ in range(3):
            rates["station"].append(wrk(station.url + QUERY, seconds))
            rates["twin"].append(wrk(url + QUERY, seconds))
            rates["places"].append(wrk(station.url, seconds, "-s", str(HERE / "places.lua")))
        best = {name: max(found) for name, found in rates.items()}
        for name, what in (("station", "one place"), ("places", "2,000 places"), ("twin", "FastAPI and xarray, one place")):
            print(f"{what:32} {best[name][0]:9.0f} requests/s, p99 {best[name][1]:.1f} ms")
        print(f"{'memory after that':32} {memory(station.process):9.1f} MB")
        return best
    finally:
        other.terminate()
        other.wait()
        station.stop()


def million(folder):
    """The first page of a million readings, the best of five, in ms."""
    store = folder / "million.sqlite"
    Served("--store", store).stop()
    now = int(time.time())
    with sqlite3.connect(store) as database:
        database.executemany(
            "INSERT INTO reading (time, temperature_c, humidity_percent, pressure_pa) VALUES (?, 20, 50, 101325)",
            ((now - 10 * (1_000_000 - index),) for index in range(1_000_000)))
    station = Served("--store", store)
    times = []
    for _ in range(5):
        begin = time.monotonic()
        status, page = station.json("/v1/history?from=2000-01-01T00:00:00Z&limit=500")
        times.append((time.monotonic() - begin) * 1000)
        assert status == 200 and len(page["readings"]) == 500 and page["next"]
    station.stop()
    return min(times)


def large(folder):
    """The memory that a forecast file of 300 MB takes, after requests for 500 places."""
    import netCDF4
    import numpy as np
    path = folder / "large.nc"
    with netCDF4.Dataset(SAMPLE[0]) as source, netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        rows, columns, steps = 300, 240, 181
        for name, size in (("time", steps), ("y", rows), ("x", columns)):
            file.createDimension(name, size)
        time_axis = file.createVariable("time", "f8", ("time",))
        time_axis.setncatts({"standard_name": "time", "units": "hours since 2013-10-01 00:00:00"})
        time_axis[:] = np.arange(steps)
        y, x = np.mgrid[0:rows, 0:columns]
        for name, standard, unit, values in (("lat", "latitude", "degrees_north", 35 + 0.03 * y + 0.001 * x),
                                             ("lon", "longitude", "degrees_east", -11 + 0.03 * x)):
            variable = file.createVariable(name, "f4", ("y", "x"))
            variable.setncatts({"standard_name": standard, "units": unit})
            variable[:] = values
        for name in ("T2", "RH2", "RAIN", "CLOUD", "U10", "V10", "PMSL"):
            variable = file.createVariable(name, "f4", ("time", "y", "x"))
            variable.setncatts({key: source[name].getncattr(key) for key in ("standard_name", "units")})
            if name == "RAIN":
                variable.cell_methods = "time: sum"
            for step in range(steps):
                variable[step] = np.resize(source[name][step], (rows, columns))
    station = Served("--data", path)
    begin = time.monotonic()
    for index in range(500):
        status, _ = station.json(f"/QuickPrevByDate.php?lon={-10 + 0.01 * index:.4f}&lat={36 + 0.01 * index:.4f}&date=20131002_12")
        assert status == 200
    spent = (time.monotonic() - begin) * 2
    found = memory(station.process)
    station.stop()
    return path.stat().st_size / 1e6, found, spent


def main():
    is_long = sys.argv[1:] == ["--long"]
    print(f"{'from nothing to the first answer':32} {cold():9.1f} ms")
    best = compare(5 if is_long else 1)
    # Far below what is measured on a quiet machine, so that a busy one does not fail.
    assert best["station"][0] > 5 * best["twin"][0], "it is not five times as fast as its twin"
    if is_long:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{'first page of a million readings':32} {million(Path(folder)):9.1f} ms")
            size, used, spent = large(Path(folder))
            print(f"{'memory with a file of %.0f MB' % size:32} {used:9.1f} MB; a new place takes {spent:.1f} ms")


if __name__ == "__main__":
    main()
