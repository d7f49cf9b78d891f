"""Generated forecast files of every kind: the values read equal the values written, also from an
extract."""

import subprocess

import netCDF4
import numpy as np
import pytest

from conftest import PROGRAM, Served, point
from forecast_files import RAINS, Made, saturated

SEEDS = range(72)


def extract(path, small):
    result = subprocess.run([PROGRAM, "extract", str(path), "-o", str(small)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("seed", SEEDS)
def test_a_generated_file_and_its_extract_are_read_correctly(tmp_path, seed):
    made = Made(tmp_path / "made.nc", seed)
    print(made)
    latitude, longitude = 37 + made.random.uniform(0, 5), -9.5 + made.random.uniform(0, 5)
    celsius, humidity, rain = made.here(latitude, longitude)
    extract(made.path, tmp_path / "small.nc")
    for path in (made.path, tmp_path / "small.nc"):
        found = point(path, latitude, longitude)
        assert np.allclose(found["temperature"], celsius, atol=2e-3), path
        assert np.allclose(found["humidity"], humidity, atol=0.05), path
        expected = rain[1:]
        if made.rain_kind == "bounds around the time":
            # The bounds run from the middle of an hour to the middle of the next.
            expected = (rain[:-1] + rain[1:]) / 2
        assert np.allclose(found["rain"], expected, atol=4e-3), (path, found["rain_counted"])
    one, other = (point(path, latitude, longitude) for path in (made.path, tmp_path / "small.nc"))
    assert one["times"] == other["times"] and one["reference"] == other["reference"]


def test_the_generator_makes_every_kind_of_rain_and_every_order():
    assert len(SEEDS) >= 40 and {RAINS[seed % len(RAINS)] for seed in SEEDS} == set(RAINS)


def wgrib2(path):
    """Writes a GFS run as `wgrib2 -netcdf` does: no standard names, accumulations per six hours,
    the start in an attribute."""
    file = netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC")
    for name, content, unit in (("latitude", np.linspace(36, 43, 29), "degrees_north"),
                                ("longitude", np.linspace(345, 357, 49), "degrees_east"),
                                ("time", 1_795_305_600 + 3600.0 * np.arange(1, 13), "seconds since 1970-01-01 00:00:00.0 0:00")):
        file.createDimension(name, len(content))
        axis = file.createVariable(name, "f8", (name,))
        axis.units = unit
        axis[:] = content
    file["time"].reference_time = 1_795_305_600.0
    t, y, x = np.meshgrid(np.arange(12), np.arange(29), np.arange(49), indexing="ij")
    hourly = 1 + np.sin(t + 0.2 * x) + 0.02 * y
    sums = np.stack([hourly[k - k % 6:k + 1].sum(axis=0) for k in range(12)])
    celsius = 12 + 6 * np.sin(0.4 * t + 0.1 * y)
    fields = {"TMP_2maboveground": ("K", celsius + 273.15), "DPT_2maboveground": ("K", celsius + 270.15),
              "APCP_surface": ("kg/m^2", sums), "UGRD_10maboveground": ("m/s", 3 + 0 * t),
              "VGRD_10maboveground": ("m/s", 4 + 0 * t), "TCDC_entireatmosphere": ("percent", 50 + 0 * t),
              "PRMSL_meansealevel": ("Pa", 101325 + 0 * t), "HGT_surface": ("gpm", 100 + 0 * t)}
    for name, (unit, content) in fields.items():
        variable = file.createVariable(name, "f4", ("time", "latitude", "longitude"), fill_value=9.999e20)
        variable.setncatts({"units": unit, "short_name": name, "level": name.split("_")[1]})
        variable[:] = content
    file.close()
    return path, celsius, hourly


def test_names_and_accumulations_of_wgrib2_are_read(tmp_path):
    path, celsius, hourly = wgrib2(tmp_path / "gfs.nc")
    extract(path, tmp_path / "small.nc")
    for file in (path, tmp_path / "small.nc"):
        found = point(file, 38.0, -9.0)
        column = (351 - 345) * 4
        assert np.allclose(found["temperature"], celsius[:, 8, column], atol=2e-3)
        assert np.allclose(found["rain"], hourly[1:, 8, column], atol=2e-3)
        assert np.allclose(found["humidity"], 100 * saturated(celsius - 3)[:, 8, column] / saturated(celsius)[:, 8, column],
                           atol=0.05)
        assert np.allclose(found["windSpeed"], 5) and np.allclose(found["cloud"], 50, atol=0.01)
        assert found["reference"] == "2026-11-22T00:00:00Z"
    assert "APCP_surface: accumulated over each 6 h" in point(path, 38.0, -9.0)["rain_counted"]


def test_the_start_lists_fields_missing_fields_and_rain_accumulation(tmp_path):
    path, *_ = wgrib2(tmp_path / "gfs.nc")
    station = Served("--data", path)
    station.stop()
    line = next(line for line in station.talk.splitlines() if "gfs.nc" in line)
    assert line == (
        f"aneroid: {path}: regular grid, 12 times from 2026-11-22T01:00:00Z to 2026-11-22T12:00:00Z; it has temperature "
        "(TMP_2maboveground), humidity (computed from DPT_2maboveground and TMP_2maboveground), rain (APCP_surface: "
        "accumulated over each 6 h: the values decrease only at these times), cloud (TCDC_entireatmosphere), wind (UGRD_10maboveground, "
        "VGRD_10maboveground), pressure at sea level (PRMSL_meansealevel), surface elevation (HGT_surface); it lacks "
        "gusts, surface pressure")


def test_implausible_values_are_missing(tmp_path):
    path, *_ = wgrib2(tmp_path / "gfs.nc")
    with netCDF4.Dataset(path, "a") as file:
        file["TCDC_entireatmosphere"][:] = 4000
    assert point(path, 38.0, -9.0)["cloud"] == [None] * 12
