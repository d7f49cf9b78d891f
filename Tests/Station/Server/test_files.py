"""Forecast files of every kind, written here and read by the station and by an independent
reader."""

import os
import shutil
import subprocess
import threading
import time
from datetime import datetime, timezone

import netCDF4
import numpy as np
import pytest
import xarray

from conftest import PROGRAM, SAMPLE, Served, point
from judge import Sample, bilinear, rotated

HOURS = np.arange(0, 13)


def day(hours=0):
    return f"{datetime.now(timezone.utc):%Y-%m-%d} {hours:02}:00:00"


def values(shape, seed, low, high):
    """Returns numbers that are smooth over time, rows and columns."""
    random = np.random.default_rng(seed)
    t, y, x = np.meshgrid(*[np.linspace(0, 1, n) for n in shape], indexing="ij")
    a, b, c = random.uniform(1, 4, 3)
    field = np.sin(a * t + b * y) + np.cos(c * x - t)
    return low + (high - low) * (field + 2) / 4


def regular(path, kind, start="2026-11-23 00:00:00", warmer=0.0, falling=False, step=60):
    """Writes a regular grid whose latitude decreases from north to south, as in many models; bytes
    and shorts are packed."""
    lat = np.linspace(43, 36, 15) if not falling else np.linspace(36, 43, 15)
    lon = np.linspace(350, 356, 13)
    file = netCDF4.Dataset(path, "w", format=kind)
    for name, size in (("time", len(HOURS)), ("lat", 15), ("lon", 13)):
        file.createDimension(name, size)
    for name, content, standard, units in (("lat", lat, "latitude", "degrees_north"),
                                           ("lon", lon, "longitude", "degrees_east"),
                                           ("time", HOURS * step, "time", f"minutes since {start}")):
        variable = file.createVariable(name, "f8", (name,))
        variable.standard_name, variable.units = standard, units
        variable[:] = content
    shape = (len(HOURS), 15, 13)

    def field(name, standard, units, content, **packing):
        variable = file.createVariable(name, packing.pop("type", "f4"), ("time", "lat", "lon"),
                                       fill_value=packing.pop("fill", None))
        variable.standard_name, variable.units = standard, units
        for key, value in packing.items():
            variable.setncattr(key, value)
        variable[:] = content

    field("t", "air_temperature", "K", values(shape, 1, 270, 300) + warmer, type="i2", fill=-32768, scale_factor=0.001,
          add_offset=285.0)
    field("rh", "relative_humidity", "1", values(shape, 2, 0.2, 1))
    field("flux", "precipitation_flux", "kg m-2 s-1", values(shape, 3, 0, 0.001))
    field("n", "cloud_area_fraction", "%", values(shape, 4, 0, 100), type="i1", fill=-128, scale_factor=0.5,
          add_offset=50.0)
    field("speed", "wind_speed", "knot", values(shape, 5, 1, 40))
    field("from", "wind_from_direction", "degree", values(shape, 6, 300, 420) % 360)
    field("p", "air_pressure_at_mean_sea_level", "hPa", values(shape, 7, 980, 1030))
    file.close()
    return path


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF4"])
@pytest.mark.parametrize("falling", [False, True])
def test_a_regular_grid_is_read_as_xarray_reads_it(tmp_path, kind, falling):
    path = regular(tmp_path / "regular.nc", kind, falling=falling)
    latitude, longitude = 39.3712, -7.6233
    found = point(path, latitude, longitude)
    with xarray.open_dataset(path) as data:
        here = data.interp(lat=latitude, lon=longitude + 360)
        assert np.allclose(found["temperature"], here["t"] - 273.15, atol=2e-4)
        assert np.allclose(found["humidity"], here["rh"] * 100, atol=2e-3)
        assert np.allclose(found["cloud"], here["n"], atol=2e-3)
        assert np.allclose(found["seaLevelPressure"], here["p"], atol=2e-3)
        assert np.allclose(found["rain"], here["flux"][1:] * 3600, atol=2e-4)
        # Wind is interpolated as a vector: the middle of 350 and 10 degrees is 0.
        angle = np.radians(data["from"])
        east = (-data["speed"] * np.sin(angle)).interp(lat=latitude, lon=longitude + 360) * 1852 / 3600
        north = (-data["speed"] * np.cos(angle)).interp(lat=latitude, lon=longitude + 360) * 1852 / 3600
        assert np.allclose(found["windSpeed"], np.hypot(east, north), atol=2e-3)
        direction = np.degrees(np.arctan2(-east, -north)) % 360
        assert np.allclose((np.array(found["windDirection"]) - direction + 180) % 360, 180, atol=0.01)
    assert found["times"][1] == "2026-11-23T01:00:00Z"


def test_a_rotated_pole_grid_matches_vector_rotation():
    iris_sample_data = pytest.importorskip("iris_sample_data")
    path = os.path.join(os.path.dirname(iris_sample_data.__file__), "sample_data", "rotated_pole.nc")
    with netCDF4.Dataset(path) as file:
        field, rows, columns = (file[name][:].data.astype(float)
                                for name in ("air_pressure_at_sea_level", "grid_latitude", "grid_longitude"))
    for latitude, longitude in [(52.1, -1.3), (50.5, 0.25), (54.7, -3.9)]:
        down, right = rotated(37.5, 177.5, latitude, longitude)
        if right < columns[0]:
            right += 360
        row = np.interp(down, rows, np.arange(len(rows)))
        column = np.interp(right, columns, np.arange(len(columns)))
        assert 0 < row < len(rows) - 1 and 0 < column < len(columns) - 1
        r, c = int(row), int(column)
        expected = bilinear(field[r:r + 2, c:c + 2], row - r, column - c) / 100
        found = point(path, latitude, longitude)
        assert found["grid"] == "rotated pole"
        assert abs(found["seaLevelPressure"][0] - expected) < 2e-3
    outside = subprocess.run([PROGRAM, "point", path, "--latitude=10", "--longitude=-9.1"], capture_output=True)
    assert outside.returncode == 1 and b"outside its grid" in outside.stderr


def wrf(path):
    """Writes raw WRF output: Times as characters, mixing ratio instead of humidity, rain in two
    accumulations since the start."""
    file = netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET")
    for name, size in (("Time", None), ("DateStrLen", 19), ("south_north", 9), ("west_east", 8)):
        file.createDimension(name, size)
    y, x = np.mgrid[0:9, 0:8].astype(float)
    lat, lon = 38 + 0.25 * y + 0.02 * x, -10 + 0.3 * x - 0.03 * y
    shape = (len(HOURS), 9, 8)
    names = file.createVariable("Times", "S1", ("Time", "DateStrLen"))
    for step, hour in enumerate(HOURS):
        names[step] = netCDF4.stringtochar(np.array([f"2026-11-23_{hour:02}:00:00"], "S19"))[0]
    content = {"XLAT": np.broadcast_to(lat, shape), "XLONG": np.broadcast_to(lon, shape),
               "HGT": np.broadcast_to(100 * y, shape), "T2": values(shape, 11, 280, 300),
               "Q2": values(shape, 12, 0.003, 0.007), "PSFC": values(shape, 13, 90000, 101000),
               "U10": values(shape, 14, -9, 9), "V10": values(shape, 15, -9, 9),
               "RAINNC": np.cumsum(values(shape, 16, 0, 2), axis=0), "RAINC": np.cumsum(values(shape, 17, 0, 1), axis=0)}
    units = {"XLAT": "degree_north", "XLONG": "degree_east", "HGT": "m", "T2": "K", "Q2": "kg kg-1", "PSFC": "Pa",
             "U10": "m s-1", "V10": "m s-1", "RAINNC": "mm", "RAINC": "mm"}
    for name, field in content.items():
        variable = file.createVariable(name, "f4", ("Time", "south_north", "west_east"))
        variable.units = units[name]
        variable[:] = field
    file.SIMULATION_START_DATE = "2026-11-23_00:00:00"
    file.close()
    return path, lat, lon, content


def test_raw_wrf_output_is_read(tmp_path):
    path, lat, lon, content = wrf(tmp_path / "wrfout.nc")
    latitude, longitude = 38.9, -8.8
    from judge import cell_of
    row, column, down, right = cell_of(lat, lon, latitude, longitude)
    here = {name: bilinear(np.asarray(field, "f4")[:, row:row + 2, column:column + 2].astype(float), down, right)
            for name, field in content.items()}
    found = point(path, latitude, longitude)
    celsius = here["T2"] - 273.15
    assert np.allclose(found["temperature"], celsius, atol=2e-3)
    vapour = here["Q2"] * here["PSFC"] / (0.622 + here["Q2"])
    saturated = 611.2 * np.exp(17.62 * celsius / (243.12 + celsius))
    assert np.allclose(found["humidity"], np.clip(100 * vapour / saturated, 0, 100), atol=0.01)
    assert np.allclose(found["rain"], np.diff(here["RAINNC"] + here["RAINC"]), atol=2e-3)
    # Hypsometric equation with the mean of the layer below, 6.5 °C per km.
    mean = here["T2"] + 0.0065 * here["HGT"] / 2
    sea = here["PSFC"] * np.exp(9.80665 * here["HGT"] / (287.05287 * mean)) / 100
    assert np.allclose(found["seaLevelPressure"], sea, atol=0.01)
    assert np.allclose(found["windSpeed"], np.hypot(here["U10"], here["V10"]), atol=2e-3)


@pytest.mark.parametrize("change, words", [
    (lambda file: file["t"].setncattr("units", "furlong"), "unit 'furlong'"),
    (lambda file: file["time"].setncattr("calendar", "360_day"), "calendar '360_day'"),
    (lambda file: file["time"].setncattr("units", "moons ago"), "units 'moons ago'"),
    (lambda file: file["time"].__setitem__(3, 0.0), "are not ascending"),
    (lambda file: file["lat"].setncatts({"standard_name": "x", "units": "x"}), "no grid"),
])
def test_an_unsupported_file_is_rejected_with_its_name_and_reason(tmp_path, change, words):
    path = regular(tmp_path / "bad.nc", "NETCDF4")
    with netCDF4.Dataset(path, "a") as file:
        change(file)
    result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", "--data", path], capture_output=True, text=True)
    assert result.returncode == 65, result.stderr
    assert result.stderr.startswith("aneroid: ") and "bad.nc" in result.stderr and words in result.stderr
    (tmp_path / "text.nc").write_text("not a forecast")
    result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", "--data", tmp_path / "text.nc"], capture_output=True)
    assert result.returncode == 65
    result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", "--data", tmp_path / "no.nc"], capture_output=True)
    assert result.returncode == 66


def test_steps_of_15_minutes(tmp_path, serve):
    path = regular(tmp_path / "quarters.nc", "NETCDF4", day(), step=15)
    station = serve("--data", path)
    file = point(path, 39.2, -7.1)
    query = f"lon=-7.1&lat=39.2&date={day()[:10].replace('-', '')}_00"
    _, answer = station.json(f"/PrevForNextHoursByMetric.php?{query}&metric=rain")
    # Four steps make an hour's rain; the fourth hour is incomplete.
    expected = [sum(file["rain"][4 * hour:4 * hour + 4]) for hour in range(3)]
    assert answer["response"]["points"] == [pytest.approx(value, abs=0.051) for value in expected] + [None] * 21
    _, answer = station.json(f"/PrevForNextHoursByMetric.php?{query}&metric=temp")
    expected = [file["temperature"][4 * hour] for hour in range(4)]
    assert answer["response"]["points"] == [pytest.approx(value, abs=0.051) for value in expected] + [None] * 20


def test_values_between_steps_are_interpolated(tmp_path):
    """Between two steps of three hours, values are interpolated linearly, directions along the
    shorter arc."""
    path = regular(tmp_path / "slow.nc", "NETCDF4", day(), step=180)
    file = point(path, 39.2, -7.1)
    station = Served("--data", path)
    try:
        _, answer = station.json("/v1/forecast?latitude=39.2&longitude=-7.1&hourly=temperature_2m,wind_direction_10m"
                                 "&corrected=false&forecast_days=1")
    finally:
        station.stop()
    for hour, (warm, wind) in enumerate(zip(answer["hourly"]["temperature_2m"],
                                            answer["hourly"]["wind_direction_10m"])):
        step, share = hour // 3, hour % 3 / 3
        a, b = file["temperature"][step:step + 2]
        assert abs(warm - (a + share * (b - a))) < 0.051
        a, b = file["windDirection"][step:step + 2]
        arc = (b - a + 180) % 360 - 180
        assert abs((wind - (a + share * arc) + 180) % 360 - 180) < 0.51


def test_the_newest_run_that_covers_the_hour_is_used(tmp_path, serve):
    regular(tmp_path / "old.nc", "NETCDF4", day())
    regular(tmp_path / "new.nc", "NETCDF4", day(6), warmer=5)
    station = serve("--data", tmp_path)
    _, answer = station.json(f"/PrevByDateAndMetric.php?lon=-7&lat=39&date={day()[:10].replace('-', '')}&metric=temp")
    old = point(tmp_path / "old.nc", 39, -7)["temperature"]
    new = point(tmp_path / "new.nc", 39, -7)["temperature"]
    expected = old[:6] + new + [None] * 5
    assert answer["response"]["points"] == [None if v is None else pytest.approx(v, abs=0.051) for v in expected]


def test_a_replaced_run_is_loaded_without_mixed_responses(tmp_path, serve):
    """Two files alternate at one station, by rename and in place: each response is entirely from
    one of the files."""
    for name, warmer in (("a", 0), ("b", 20)):
        regular(tmp_path / name, "NETCDF4", day(), warmer=warmer)
    shutil.copy(tmp_path / "a", tmp_path / "run.nc")
    station = serve("--data", tmp_path / "run.nc")
    stamp = day()[:10].replace("-", "")

    def request(longitude):
        path = f"/PrevByDateAndMetric.php?lon={longitude:.4f}&lat=39&date={stamp}&metric=temp"
        status, answer = station.json(path)
        assert status in (200, 503), answer
        return answer["response"]["points"][:13] if status == 200 else None

    pure = []
    for name in "ab":
        pure.append(np.array(point(tmp_path / name, 39, -7.5)["temperature"]))
    stop = threading.Event()

    def replace():
        turn = 0
        while not stop.is_set():
            source = tmp_path / "ab"[turn % 2]
            if turn % 3 == 0:
                # In place: the worst case of a copy.
                shutil.copy(source, tmp_path / "run.nc")
            else:
                shutil.copy(source, tmp_path / "draft")
                os.replace(tmp_path / "draft", tmp_path / "run.nc")
            turn += 1
            time.sleep(0.4)

    thread = threading.Thread(target=replace)
    thread.start()
    seen = set()
    try:
        # Eight seconds, or longer on a busy machine until both files were read often enough.
        start = time.monotonic()
        step = 0
        while time.monotonic() < start + (8 if len(seen) == 2 and step > 100 else 90):
            step += 1
            # A new location each time bypasses the cache; 0.0001 degrees are negligible.
            answer = request(-7.5 + 0.0001 * (step % 40))
            if answer is None:
                continue
            near = [float(np.abs(np.array(answer) - one).max()) < 0.2 for one in pure]
            assert near.count(True) == 1, answer
            seen.add(near.index(True))
    finally:
        stop.set()
        thread.join()
    assert seen == {0, 1} and step > 100


def test_a_broken_replacement_keeps_the_previous_data(tmp_path, serve):
    regular(tmp_path / "run.nc", "NETCDF4", day())
    station = serve("--data", tmp_path / "run.nc")
    path = f"/QuickPrevByDate.php?lon=-7&lat=39&date={day()[:10].replace('-', '')}_03"
    before = station.json(path)
    (tmp_path / "draft").write_text("broken")
    os.replace(tmp_path / "draft", tmp_path / "run.nc")
    time.sleep(2.5)
    assert station.json(path) == before
    # Also for a location that was not requested before: the old file is still open.
    assert station.json(path.replace("-7", "-6.5"))[0] == 200
    station.stop()
    assert "the previous data stay in use" in station.talk


def test_extract_keeps_only_the_surface_fields(tmp_path):
    path, *_ = wrf(tmp_path / "wrfout.nc")
    with netCDF4.Dataset(path, "a") as file:
        file.createDimension("bottom_top", 120)
        deep = file.createVariable("QVAPOR", "f4", ("Time", "bottom_top", "south_north", "west_east"))
        deep[:] = np.random.default_rng(1).random((len(HOURS), 120, 9, 8))
    small = tmp_path / "surface.nc"
    result = subprocess.run([PROGRAM, "extract", path, "-o", small], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert small.stat().st_size < 0.3 * path.stat().st_size
    with netCDF4.Dataset(small) as file:
        assert "QVAPOR" not in file.variables and file["T2"].dtype == np.int16
    one, other = point(path, 38.9, -8.8), point(small, 38.9, -8.8)
    assert one["times"] == other["times"] and one["reference"] == other["reference"]
    for name, close in (("temperature", 0.001), ("humidity", 0.2), ("windSpeed", 0.001), ("seaLevelPressure", 0.2),
                        ("rain", 0.01)):
        assert np.allclose(one[name], other[name], atol=close), name
    again = subprocess.run([PROGRAM, "extract", path, "-o", path], capture_output=True, text=True)
    assert again.returncode == 65 and "it is the input file" in again.stderr
    assert not list(tmp_path.glob("*.part"))


def test_a_missing_file_is_reported(tmp_path):
    (tmp_path / "empty").mkdir()
    for path, status, words in [("nope.nc", 66, "no such file or folder"), ("empty", 65, "it contains no .nc file")]:
        result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", "--data", tmp_path / path], capture_output=True, text=True, timeout=20)
        assert (result.returncode, result.stderr) == (status, f"aneroid: cannot use a forecast: {tmp_path / path}: {words}\n")


def test_the_finest_of_nested_domains_is_used(sample):
    inside, outside = (38.75, -9.05), (40.4, -8.2)
    for place, path in ((inside, SAMPLE[1]), (outside, SAMPLE[0])):
        file = Sample(path, *place)
        _, answer = sample.json(f"/QuickPrevByDate.php?lon={place[1]}&lat={place[0]}&date=20131002_12")
        assert abs(answer["response"]["temp"]["now"] - file.temperature[36]) <= 0.051
    assert not Sample(SAMPLE[1], *outside).covers


def named_otherwise(path, dimensions):
    """Writes a file as xarray does: custom names, axes identified only by units, packed shorts,
    days, missing values."""
    step, lat, lon = np.arange(0, 13) / 24, np.linspace(43, 36, 15), np.linspace(350, 356, 13)
    warmth = values((13, 15, 13), 8, 270, 300)
    warmth[3, 5, 6] = np.nan
    data = xarray.Dataset(
        {"warmth": (("Zeit", "Breite", "Laenge"), warmth, {"standard_name": "air_temperature", "units": "K"})},
        coords={"Zeit": ("Zeit", step, {"units": "days since 2026-11-23"}),
                "Breite": ("Breite", lat, {"units": "degree_N"}), "Laenge": ("Laenge", lon, {"units": "degrees_E"})})
    packed = {"dtype": "i2", "scale_factor": 0.001, "add_offset": 285.0, "_FillValue": -32768}
    data.transpose(*dimensions).to_netcdf(path, encoding={"warmth": packed})
    return path


def test_axes_are_identified_by_their_units(tmp_path):
    path = named_otherwise(tmp_path / "own.nc", ("Zeit", "Breite", "Laenge"))
    cut = tmp_path / "cut.nc"
    subprocess.run([PROGRAM, "extract", str(path), "--output", str(cut)], check=True, capture_output=True)
    for file, error in ((path, 2e-4), (cut, 2e-3)):
        found = point(file, 39.3712, -7.6233)
        with xarray.open_dataset(path) as data:
            here = data.interp(Breite=39.3712, Laenge=360 - 7.6233)["warmth"] - 273.15
            assert np.allclose(found["temperature"], here, atol=error)
        assert found["times"][:2] == ["2026-11-23T00:00:00Z", "2026-11-23T01:00:00Z"]
    # A value missing at a corner of the cell: the other corners apply if they have at least half of the weight.
    with xarray.open_dataset(path) as data:
        (rows, columns), field = (data["Breite"].values, data["Laenge"].values), data["warmth"].transpose("Zeit", "Breite", "Laenge").values - 273.15
    row, column = 5, 6
    assert np.isnan(field[3, row, column])
    for share, known in ((0.2, False), (0.4, True)):
        latitude, longitude = rows[row] + share * (rows[row + 1] - rows[row]), columns[column] + share * (columns[column + 1] - columns[column])
        found = point(path, latitude, longitude - 360 if longitude > 180 else longitude)["temperature"]
        here = field[:, row:row + 2, column:column + 2]
        weights = np.outer([1 - share, share], [1 - share, share])
        assert all((value is None) == (step == 3 and not known) for step, value in enumerate(found))
        if known:
            assert found[3] == pytest.approx(np.nansum(here[3] * weights) / weights[~np.isnan(here[3])].sum(), abs=2e-3)


def test_dimensions_in_another_order_are_matched_by_name(tmp_path):
    plain = named_otherwise(tmp_path / "plain.nc", ("Zeit", "Breite", "Laenge"))
    turned = named_otherwise(tmp_path / "turned.nc", ("Laenge", "Breite", "Zeit"))
    assert point(turned, 39.3712, -7.6233) == point(plain, 39.3712, -7.6233)


def test_a_field_with_other_dimensions_is_reported(tmp_path):
    path = named_otherwise(tmp_path / "deep.nc", ("Zeit", "Breite", "Laenge"))
    with xarray.open_dataset(path) as data:
        data.load().expand_dims({"Hoehe": 2}).to_netcdf(tmp_path / "deeper.nc")
    result = subprocess.run([PROGRAM, "point", str(tmp_path / "deeper.nc"), "--latitude", "39", "--longitude", "-8"],
                            capture_output=True, text=True)
    assert result.returncode == 65 and "warmth has the dimensions Hoehe 2, Zeit 13, Breite 15, Laenge 13" in result.stderr
    assert "required are the rows of the grid (Breite), its columns (Laenge) and the times (Zeit)" in result.stderr
