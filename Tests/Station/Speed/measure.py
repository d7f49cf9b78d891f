#!/usr/bin/env python3
"""Measures the station with wrk on loopback, against a twin of FastAPI and xarray with the same
response, and against nginx with a file of the same size.

usage: measure.py [--long], from a Python that has what .ci/station installs; --long also measures a million readings, new
places, the extract of a file of more than 1 GB, and a forecast file of 300 MB
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
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Server"))
from conftest import PROGRAM, SAMPLE, Served  # noqa: E402

QUERY = "/QuickPrevByDate.php?lon=-8.6291&lat=41.1579&date=20131002_12"


def wrk(url, seconds, *more):
    """Returns requests per second and the 99th percentile in ms."""
    output = subprocess.run(["wrk", "-t1", "-c32", f"-d{seconds}s", "--latency", *more, url],
                            capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in output and "Socket errors" not in output, output
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]), float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def memory(process):
    """Returns the resident memory of a process in MB."""
    text = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def cold():
    """Returns the best of five starts in ms, from process start to the first response."""
    times = []
    for _ in range(5):
        begin = time.monotonic()
        station = Served()
        assert station.request("/healthz")[0] == 200
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


@contextmanager
def nginx(content, port=18998):
    """Serves a file with nginx, of Debian's package, from a temporary folder; yields its URL."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The package is unpacked, not installed: an installation would start the server on port 80.
        subprocess.run(["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", "nginx"], cwd=folder, check=True)
        subprocess.run(["dpkg-deb", "-x", str(next(folder.glob("nginx_*.deb"))), str(folder / "nginx")], check=True)
        (folder / "file.json").write_bytes(content)
        (folder / "nginx.conf").write_text(f"""
            daemon off; worker_processes 2; pid {folder}/pid; error_log {folder}/errors; events {{ worker_connections 512; }}
            http {{ access_log off; sendfile on; keepalive_requests 100000000; default_type application/json;
              client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
              scgi_temp_path {folder}/s; server {{ listen 127.0.0.1:{port}; root {folder}; }} }}""")
        os.chmod(folder, 0o755)
        server = subprocess.Popen([str(folder / "nginx/usr/sbin/nginx"), "-c", str(folder / "nginx.conf"), "-e", str(folder / "errors")])
        try:
            url = f"http://127.0.0.1:{port}/file.json"
            for _ in range(100):
                try:
                    assert urllib.request.urlopen(url).read() == content
                    break
                except OSError:
                    time.sleep(0.05)
            yield url
        finally:
            server.terminate()
            server.wait()


def compare(seconds):
    """Measures all alternately."""
    station = Served("--data", SAMPLE[0])
    other, url, answer = twin()
    try:
        assert station.json(QUERY)[1] == answer, (station.json(QUERY)[1], answer)
        rates = {"station": [], "twin": [], "places": [], "nginx": []}
        with nginx(station.request(QUERY)[2]) as file:
            for _ in range(3):
                rates["station"].append(wrk(station.url + QUERY, seconds))
                rates["twin"].append(wrk(url + QUERY, seconds))
                rates["places"].append(wrk(station.url, seconds, "-s", str(HERE / "places.lua")))
                rates["nginx"].append(wrk(file, seconds))
        best = {name: max(found) for name, found in rates.items()}
        for name, what in (("station", "one place"), ("places", "2,000 places"), ("twin", "FastAPI and xarray, one place"),
                           ("nginx", "nginx, a file of the same size")):
            share = "" if name == "nginx" else f", {best[name][0] / best['nginx'][0]:.3f} of nginx"
            print(f"{what:32} {best[name][0]:9.0f} requests/s, p99 {best[name][1]:.1f} ms{share}")
        print(f"{'memory afterwards':32} {memory(station.process):9.1f} MB")
        return best
    finally:
        other.terminate()
        other.wait()
        station.stop()


def million(folder):
    """Returns the time of the first page of a million readings in ms, best of five."""
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
    """Returns the memory used with a forecast file of 300 MB, after requests for 500 places."""
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


def extract(folder):
    """Extracts the surface of a model file of more than 1 GB; returns both sizes in MB, the time in
    s, and the memory in MB."""
    import netCDF4
    import numpy as np
    path, small = folder / "model.nc", folder / "surface.nc"
    rows, columns, levels, steps = 200, 180, 20, 73
    with netCDF4.Dataset(SAMPLE[0]) as source, netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        for name, size in (("time", steps), ("level", levels), ("y", rows), ("x", columns)):
            file.createDimension(name, size)
        axis = file.createVariable("time", "f8", ("time",))
        axis.setncatts({"standard_name": "time", "units": "hours since 2013-10-01 00:00:00"})
        axis[:] = np.arange(steps)
        y, x = np.mgrid[0:rows, 0:columns]
        for name, standard, unit, values in (("lat", "latitude", "degrees_north", 35 + 0.04 * y),
                                             ("lon", "longitude", "degrees_east", -11 + 0.04 * x)):
            variable = file.createVariable(name, "f4", ("y", "x"))
            variable.setncatts({"standard_name": standard, "units": unit})
            variable[:] = values
        for name in ("T2", "RH2", "RAIN", "CLOUD", "U10", "V10", "PMSL"):
            variable = file.createVariable(name, "f4", ("time", "y", "x"))
            variable.setncatts({key: source[name].getncattr(key) for key in ("standard_name", "units")})
            for step in range(steps):
                variable[step] = np.resize(source[name][step], (rows, columns))
        noise = np.random.default_rng(3).random((levels, rows, columns), dtype="f4")
        for name in ("U", "V", "W", "QVAPOR", "P"):
            variable = file.createVariable(name, "f4", ("time", "level", "y", "x"))
            for step in range(steps):
                variable[step] = noise
    begin = time.monotonic()
    process = subprocess.Popen([PROGRAM, "extract", path, "--output", small], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    spent = time.monotonic() - begin
    assert status == 0 and path.stat().st_size > 1e9 and small.stat().st_size < 3e8
    return path.stat().st_size / 1e6, small.stat().st_size / 1e6, spent, usage.ru_maxrss / 1024


def uncached(folder, seconds=5):
    """Returns requests per second and the 99th percentile in ms with a new place in each
    request."""
    script = folder / "new-places.lua"
    script.write_text("local n = 0\nrequest = function()\n  n = n + 1\n  return wrk.format('GET', string.format("
                      "'/QuickPrevByDate.php?lon=%.4f&lat=%.4f&date=20131002_12', -9.0 + (n % 700) * 0.003, 37.5 + n * 0.0001))\nend\n")
    station = Served("--data", SAMPLE[0])
    try:
        return wrk(station.url, seconds, "-s", str(script))
    finally:
        station.stop()


def main():
    is_long = sys.argv[1:] == ["--long"]
    print(f"{'start to first response':32} {cold():9.1f} ms")
    best = compare(5 if is_long else 1)
    # Far below the values of an idle machine, so that the test passes on a busy one.
    assert best["station"][0] > 5 * best["twin"][0], "less than five times as fast as the twin"
    assert best["station"][0] > 0.1 * best["nginx"][0], "less than a tenth as fast as nginx"
    if is_long:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{'first page of a million readings':32} {million(Path(folder)):9.1f} ms")
            rate, slowest = uncached(Path(folder))
            print(f"{'a new place per request':32} {rate:9.0f} requests/s, p99 {slowest:.1f} ms")
            before, after, spent, used = extract(Path(folder))
            print(f"{'extract of %.0f MB' % before:32} {after:9.1f} MB in {spent:.1f} s, with {used:.0f} MB of memory")
            size, used, spent = large(Path(folder))
            print(f"{'memory with a file of %.0f MB' % size:32} {used:9.1f} MB; a new place takes {spent:.1f} ms")


if __name__ == "__main__":
    main()
