"""A station with the user's own files: without a sensor, with several heights, with single messages, with slow files."""

import json
import subprocess
import threading
import time
import urllib.request

import netCDF4
import numpy as np
import pytest

from conftest import PROGRAM, Served, point

START = 1_795_305_600


def written(path, variables, times=6, scalars=(), grid=(8, 9), **storage):
    """Writes a file of these variables: name, value, attributes; and scalar coordinates: name, value, attributes."""
    with netCDF4.Dataset(path, "w") as file:
        axes = [("lat", np.linspace(58, 65, grid[0]), "degrees_north"), ("lon", np.linspace(5, 13, grid[1]), "degrees_east")]
        if times:
            axes.append(("time", START + 3600.0 * np.arange(times), "seconds since 1970-01-01 00:00:00"))
        for name, values, unit in axes:
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,)).units = unit
            file[name][:] = values
        for name, value, attributes in scalars:
            file.createVariable(name, "f8", ()).setncatts(attributes)
            file[name][...] = value
        for name, value, attributes in variables:
            field = file.createVariable(name, "f4", (("time",) if times else ()) + ("lat", "lon"), **storage)
            field.setncatts(attributes)
            field[:] = value
    return path


AIR = {"standard_name": "air_temperature", "units": "degC"}
OSLO = ("--latitude", "59.9", "--longitude", "10.7", "--name", "Oslo")


def test_own_files_are_served_without_a_sensor(tmp_path, serve):
    """Invented measurements would change real forecasts; they are used only if they are asked for."""
    path = written(tmp_path / "run.nc", [("t", -7, AIR)], times=24 * 20)
    request = "/v1/forecast?latitude=59.9&longitude=10.7&hourly=temperature_2m&start_date=2026-11-23&end_date=2026-11-23"
    station = serve("--data", path, *OSLO)
    time.sleep(1)
    answer = station.json(request)[1]
    assert set(answer["hourly"]["temperature_2m"]) == {-7} and answer["aneroid"]["current_from"] == "model"
    assert answer["aneroid"]["uncorrected_because"] == "missing" and answer["aneroid"]["labels"] == []
    assert station.json("/v1/station")[1]["source"] == "none"
    simulated = serve("--data", path, *OSLO, "--bus", "simulated")
    answer = None
    for _ in range(50):
        answer = simulated.json(request)[1]["aneroid"]
        if answer["current_from"] == "station":
            break
        time.sleep(0.1)
    assert answer["labels"] == ["simulated"]


def test_a_place_outside_all_files_is_reported_at_the_start(tmp_path, serve):
    station = serve("--data", written(tmp_path / "run.nc", [("t", 1, AIR)]))
    assert "no forecast covers the station's place, 38.7223, -9.1393: give --latitude" in station.talk
    assert "58.0 to 65.0° N" in station.talk
    assert "no forecast covers" not in serve("--data", tmp_path / "run.nc", *OSLO).talk


@pytest.mark.parametrize("order", (1, -1))
@pytest.mark.parametrize("variables", (
    [("ta", -20, {**AIR, "coordinates": "height_high"}), ("tas", 4, {**AIR, "coordinates": "height_low"})],
    [("air_temperature_pl", -20, AIR), ("air_temperature_2m", 4, AIR)],
    [("air_temperature_0m", -20, AIR), ("air_temperature_2m", 4, AIR)],
    [("ta100m", -20, {**AIR, "coordinates": "height_high"}), ("plain", 4, AIR)]))
def test_of_several_heights_that_of_the_field_is_used(tmp_path, variables, order):
    heights = [(name, value, {"standard_name": "height", "units": "m"}) for name, value in (("height_high", 100), ("height_low", 2))]
    path = written(tmp_path / "run.nc", variables[::order], scalars=heights)
    assert set(point(path, 60, 10)["temperature"]) == {4}
    other = variables[0][0]
    doctor = subprocess.run([PROGRAM, "doctor", path], capture_output=True, text=True, timeout=20).stdout
    assert f"not used                {other} (degC)" in doctor


def test_a_single_message_is_valid_at_its_valid_time(tmp_path):
    """cfgrib writes the start of the run as `time`, and the time of the values as `valid_time`."""
    unit = "seconds since 1970-01-01 00:00:00"
    scalars = [("time", START, {"units": unit, "standard_name": "time"}), ("step", 12, {"units": "hours"}),
               ("valid_time", START + 43200, {"units": unit, "standard_name": "time"})]
    path = written(tmp_path / "f012.nc", [("t2m", 280, {"units": "K"})], times=0, scalars=scalars)
    found = point(path, 60, 10)
    assert found["times"] == ["2026-11-22T12:00:00Z"] and found["reference"] == "2026-11-22T00:00:00Z"


def step_file(path, hours, lacks_rain=False):
    """Writes hours of a run as wgrib2 does, with rain that accumulates over each 6 h; the start of a run has none."""
    t, y, x = np.meshgrid(hours, np.arange(8), np.arange(9), indexing="ij")
    hourly = lambda end, y, x: 0.5 + 0.4 * np.sin(end + 0.3 * x) + 0.02 * y
    rain = np.array([[[sum(hourly(end, j, i) for end in range(int(hour) - (int(hour) - 1) % 6, int(hour) + 1)) for i in range(9)]
                      for j in range(8)] for hour in hours])
    with netCDF4.Dataset(path, "w") as file:
        for name, content, unit in (("latitude", np.linspace(58, 65, 8), "degrees_north"), ("longitude", np.linspace(5, 13, 9), "degrees_east"),
                                    ("time", START + 3600.0 * np.array(hours), "seconds since 1970-01-01 00:00:00.0 0:00")):
            file.createDimension(name, len(content))
            file.createVariable(name, "f8", (name,)).units = unit
            file[name][:] = content
        file["time"].reference_time = float(START)
        fields = {"TMP_2maboveground": ("K", 280 + 5 * np.sin(0.3 * t) + 0.1 * x), "UGRD_10maboveground": ("m/s", 3 + 0.1 * y + 0 * t),
                  "VGRD_10maboveground": ("m/s", -2 + 0.1 * x + 0 * t)}
        if not lacks_rain:
            fields["APCP_surface"] = ("kg/m^2", np.ma.masked_where(t == 0, rain))
        for name, (unit, value) in fields.items():
            file.createVariable(name, "f4", ("time", "latitude", "longitude"), fill_value=9.999e20).units = unit
            file[name][:] = value


@pytest.mark.parametrize("cuts", ([[hour] for hour in range(0, 25, 3)], [[0, 3, 6, 9, 12], [15, 18, 21, 24]]))
def test_a_run_in_several_files_is_that_of_one_file(tmp_path, serve, cuts):
    """One file for each step, as forecasts are distributed, or two halves: equal values, also of rain, between the files as well."""
    whole, folder = tmp_path / "whole.nc", tmp_path / "run"
    folder.mkdir()
    step_file(whole, [hour for cut in cuts for hour in cut])
    for cut in cuts:
        step_file(folder / f"f{cut[0]:03}.nc", cut, lacks_rain=cut == [0])
    request = ("/v1/forecast?latitude=60.3&longitude=9.7&hourly=temperature_2m,wind_speed_10m,wind_direction_10m,precipitation&minutely_15=precipitation"
               "&daily=precipitation_sum,temperature_2m_max&start_date=2026-11-22&end_date=2026-11-22")
    one, other = (serve("--data", path, *OSLO) for path in (whole, folder))
    told, expected = other.json(request)[1], one.json(request)[1]
    for part in ("hourly", "minutely_15", "daily"):
        assert told[part] == expected[part]
    assert None not in told["hourly"]["temperature_2m"] and None not in told["hourly"]["precipitation"][1:] and told["daily"]["precipitation_sum"][0] > 5
    assert f"f000.nc and {len(cuts) - 1} more of its run: regular grid, 9 times" in other.talk and "accumulated over each 6 h" in other.talk


def test_parts_of_a_run_that_come_later_are_joined(tmp_path, serve):
    step_file(tmp_path / "f000.nc", [0], lacks_rain=True)
    step_file(tmp_path / "f003.nc", [3])
    station = serve("--data", tmp_path, *OSLO)
    request = "/v1/forecast?latitude=60.3&longitude=9.7&hourly=temperature_2m&start_date=2026-11-22&end_date=2026-11-22"
    known = lambda: sum(one is not None for one in station.json(request)[1]["hourly"]["temperature_2m"])
    assert known() == 4
    step_file(tmp_path / "late.part", [6])
    (tmp_path / "late.part").rename(tmp_path / "f006.nc")
    end = time.monotonic() + 10
    while known() != 7 and time.monotonic() < end:
        time.sleep(0.2)
    assert known() == 7
    (tmp_path / "f003.nc").unlink()
    time.sleep(2.5)
    # Times that are six hours apart are still interpolated.
    assert known() == 7


def test_files_of_one_time_each_without_a_run_are_reported(tmp_path, serve):
    unit = "seconds since 1970-01-01 00:00:00"
    for hour in (0, 3):
        written(tmp_path / f"f{hour:03}.nc", [("t2m", 280, {"units": "K"})], times=0,
                scalars=[("valid_time", START + hour * 3600, {"units": unit})])
    assert "2 files have one time each and are not parts of one run: there is no rain" in serve("--data", tmp_path).talk


@pytest.mark.parametrize("zone,minutes", (("Asia/Kolkata", 0), ("Asia/Kathmandu", 0), ("America/St_Johns", 0)))
def test_hours_are_full_hours_of_the_local_time_however_they_are_requested(plain, zone, minutes):
    path = f"/v1/forecast?latitude=38.72&longitude=-9.14&hourly=temperature_2m&timezone={zone}"
    for more in ("&forecast_hours=3", "&forecast_days=1", "&past_hours=2&forecast_hours=1"):
        times = plain.json(path + more)[1]["hourly"]["time"]
        assert times and all(int(one[-2:]) == minutes for one in times), (more, times[:3])


def test_spaces_in_a_list_are_ignored(plain):
    answer = plain.json("/v1/forecast?latitude=38.72&longitude=-9.14&hourly=temperature_2m,%20rain")[1]
    assert set(answer["hourly"]) == {"time", "temperature_2m", "rain"}


def test_a_slow_file_is_reported_and_delays_no_other_request(tmp_path, serve):
    """Compressed chunks of a whole map are decompressed for every place; other requests do not wait for them."""
    rng = np.random.default_rng(5)
    shape = (240, 500, 500)
    path = written(tmp_path / "map.nc", [("t", rng.normal(5, 8, shape).astype("f4"), AIR)], times=shape[0], grid=shape[1:],
                   zlib=True, complevel=1, chunksizes=(1, 500, 500))
    station = serve("--data", path, *OSLO)
    assert "t is compressed in chunks of 250000 values: each new place takes long; 'aneroid station extract' makes a fast copy" in station.talk
    places = [threading.Thread(target=urllib.request.urlopen, args=(
        f"{station.url}/v1/forecast?latitude={59 + index / 10}&longitude=9&hourly=temperature_2m",)) for index in range(6)]
    for thread in places:
        thread.start()
    time.sleep(0.2)
    start = time.monotonic()
    assert json.loads(station.request("/healthz")[2])["status"] == "ok"
    waited = time.monotonic() - start
    busy = sum(thread.is_alive() for thread in places)
    for thread in places:
        thread.join(120)
    assert busy >= 3 and waited < 0.5, (busy, waited)
