"""`doctor FILE`: lists the fields of a file and those that are missing, the accumulation of its
rain, and a plot of one location."""

import subprocess

import netCDF4
import pytest

from conftest import PROGRAM, SAMPLE, point
from test_kinds import wgrib2


def doctor(*arguments):
    return subprocess.run([PROGRAM, "doctor", *map(str, arguments)], capture_output=True, text=True, timeout=30)


def test_doctor_lists_the_contents_and_plots_the_location(tmp_path):
    path, *_ = wgrib2(tmp_path / "gfs.nc")
    result = doctor(path, "--latitude", "38", "--longitude=-9")
    assert result.returncode == 0 and result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == f"{path}: regular grid, 12 times from 2026-11-22T01:00:00Z to 2026-11-22T12:00:00Z"
    listed = dict((line[2:26].strip(), line[26:]) for line in lines[1:9])
    assert listed["temperature"] == "TMP_2maboveground" and listed["surface pressure"] == "missing"
    assert listed["rain"] == "APCP_surface: accumulated over each 6 h: the values decrease only at these times"
    assert listed["humidity"] == "computed from DPT_2maboveground and TMP_2maboveground"
    assert lines[9] == "at 38.0, -9.0:"
    drawn = dict((line[2:26].strip(), line[26:]) for line in lines[10:])
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
