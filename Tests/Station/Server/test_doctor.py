"""`doctor FILE`: lists the fields of a file and those that are missing, the accumulation of its
rain, and a plot of one location."""

import subprocess

import netCDF4
import pytest

from conftest import PROGRAM, SAMPLE, Served, point
from test_kinds import wgrib2


def doctor(*arguments):
    return subprocess.run([PROGRAM, "doctor", *map(str, arguments)], capture_output=True, text=True, timeout=30)


def test_doctor_lists_the_contents_and_plots_the_location(tmp_path):
    path, *_ = wgrib2(tmp_path / "gfs.nc")
    result = doctor(path, "--latitude", "38", "--longitude=-9")
    assert result.returncode == 0 and result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == f"{path}: regular grid, 12 times from 2026-11-22T01:00:00Z to 2026-11-22T12:00:00Z"
    listed = dict((line[2:26].strip(), line[26:]) for line in lines[1:11])
    assert listed["area"] == "29 x 49 points, 36.0 to 43.0° N, 345.0 to 357.0° E, cells of 24.6 km"
    assert listed["temperature"] == "TMP_2maboveground" and listed["surface pressure"] == "missing"
    assert listed["rain"] == "APCP_surface: accumulated over each 6 h: the values decrease only at these times"
    assert listed["humidity"] == "computed from DPT_2maboveground and TMP_2maboveground"
    assert lines[11] == "at 38.0, -9.0:"
    drawn = dict((line[2:26].strip(), line[26:]) for line in lines[12:])
    found = point(path, 38, -9)
    low, high = min(found["temperature"]), max(found["temperature"])
    assert drawn["temperature"].startswith(f"{low:.1f} to {high:.1f} °C  ")
    bars = drawn["temperature"].split()[-1]
    assert len(bars) == 12 and bars[found["temperature"].index(high)] == "█" and bars[found["temperature"].index(low)] == "▁"
    assert len(drawn["rain per step"].split()[-1]) == 11
    assert "surface pressure" not in drawn


@pytest.mark.parametrize("path", SAMPLE)
def test_without_a_location_doctor_plots_the_middle(path):
    result = doctor(path)
    assert result.returncode == 0 and ", the middle:" in result.stdout and "█" in result.stdout


def test_missing_values_are_drawn_as_dots(tmp_path):
    path, *_ = wgrib2(tmp_path / "gfs.nc")
    with netCDF4.Dataset(path, "a") as file:
        file["TCDC_entireatmosphere"][3:5] = 4000
        file["UGRD_10maboveground"][:] = 1e6
    output = doctor(path).stdout
    assert "50.0 to 50.0 %  ▁▁▁··▁▁▁▁▁▁▁  (2 of 12 missing)" in output and "wind                    all values are missing" in output


def test_each_failure_of_doctor_has_its_exit_status(tmp_path):
    assert doctor(tmp_path / "none.nc").returncode == 66
    (tmp_path / "bad.nc").write_bytes(b"GRIB" + bytes(60))
    assert doctor(tmp_path / "bad.nc").returncode == 65
    assert doctor(SAMPLE[0], "--latitude", "0", "--longitude", "0").returncode == 1
    assert doctor(SAMPLE[0], "--latitude", "0").returncode == 64


def icon(path, **renamed):
    """Writes a file with the names of COSMO and ICON, without standard names; variables can be renamed."""
    contents = {"T_2M": ("K", 290), "TD_2M": ("K", 285), "U_10M": ("m s-1", 3), "V_10M": ("m s-1", -4), "VMAX_10M": ("m s-1", 9),
                "TOT_PREC": ("kg m-2", 0), "CLCT": ("%", 40), "PMSL": ("Pa", 101300), "PS": ("Pa", 100300), "HSURF": ("m", 70)}
    with netCDF4.Dataset(path, "w") as file:
        for name, values, unit in (("lat", [8, 9, 10], "degrees_north"), ("lon", [76, 77, 78], "degrees_east"),
                                   ("time", range(5), "hours since 2026-11-22 00:00:00")):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,)).units = unit
            file[name][:] = values
        for name, (unit, value) in contents.items():
            variable = file.createVariable(renamed.get(name, name), "f4", ("time", "lat", "lon"))
            variable.units = unit
            variable[:] = value
        file[renamed.get("VMAX_10M", "VMAX_10M")].cell_methods = "time: maximum"
    return path


def test_the_names_of_icon_are_known_and_gusts_are_read(tmp_path):
    path = icon(tmp_path / "icon.nc")
    output = doctor(path).stdout
    assert "missing" not in output and "not used" not in output
    found = point(path, 9, 77)
    assert found["windGust"] == [9] * 5 and found["windSpeed"] == [5] * 5 and found["surfacePressure"] == [1003] * 5
    station = Served("--data", path)
    answer = station.json("/v1/forecast?latitude=9&longitude=77&start_date=2026-11-22&end_date=2026-11-22&hourly=wind_gusts_10m&wind_speed_unit=ms")[1]
    station.stop()
    assert answer["hourly"]["wind_gusts_10m"][:6] == [9, 9, 9, 9, 9, None] and answer["hourly_units"]["wind_gusts_10m"] == "m/s"


def test_doctor_lists_variables_that_are_not_used(tmp_path):
    output = doctor(icon(tmp_path / "own.nc", T_2M="Temp", CLCT="Wolken")).stdout
    assert "temperature             missing" in output
    assert "  not used                Temp (K), Wolken (%)" in output.splitlines()


def test_a_file_without_a_known_field_is_refused_with_the_names_of_its_variables(tmp_path):
    names = "T_2M TD_2M U_10M V_10M VMAX_10M TOT_PREC CLCT PMSL PS HSURF".split()
    run = doctor(icon(tmp_path / "own.nc", **{name: f"x{index}" for index, name in enumerate(names)}))
    assert run.returncode == 65 and "on the grid, but unknown: x0 (K), x1 (K), x2 (m s-1)" in run.stderr
