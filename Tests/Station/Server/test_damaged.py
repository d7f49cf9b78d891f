"""Unreadable files are rejected with the reason."""

import subprocess
import time

import netCDF4
import numpy as np
import pytest
import scipy.io

from conftest import PROGRAM, point
from forecast_files import Made


def error_of(path):
    result = subprocess.run([PROGRAM, "point", str(path), "--latitude", "39", "--longitude", "-8"],
                            capture_output=True, text=True)
    assert result.returncode == 65
    return result.stderr


@pytest.mark.parametrize("content, words", [
    (b"", "it is empty"), (b"GRIB" + bytes(60), "it is a GRIB file"), (b"PK\3\4" + bytes(60), "it is a zip archive"),
    (b"\x1f\x8b" + bytes(60), "compressed with gzip"), (b"<html>" + bytes(60), "it is not a NetCDF file"),
    (b"CDF\1" + bytes(20) + b"\xff" * 40, "the header of its classic NetCDF format cannot be read"),
])
def test_a_file_of_another_format_is_named(tmp_path, content, words):
    (tmp_path / "bad.nc").write_bytes(content)
    assert words in error_of(tmp_path / "bad.nc")


@pytest.mark.parametrize("size", (8, 48, 100))
def test_a_header_truncated_file_has_no_system_error_message(tmp_path, size):
    for seed in range(4):
        whole = Made(tmp_path / "whole.nc", seed).path.read_bytes()
        (tmp_path / "cut.nc").write_bytes(whole[:size])
        error = error_of(tmp_path / "cut.nc")
        assert "Argument list" not in error and "cannot use a forecast" in error


CLASSIC = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]


def classic(path, form, records):
    """Writes a classic file with three fields, one of 16-bit numbers; the time dimension is fixed
    or unlimited."""
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.history = "made by a test"
        for name, content, unit in (("latitude", np.linspace(38, 40, 5), "degrees_north"), ("longitude", np.linspace(-9, -7, 5), "degrees_east"),
                                    ("time", np.arange(6.0), "hours since 2026-11-22 00:00:00")):
            file.createDimension(name, None if name == "time" and records else len(content))
            axis = file.createVariable(name, "f8", (name,))
            axis.units = unit
            axis[:] = content
        for name, kind, unit, value in (("t2m", "f4", "K", 290), ("r2", "i2", "%", 60), ("sp", "f4", "Pa", 99000)):
            field = file.createVariable(name, kind, ("time", "latitude", "longitude"))
            field.units = unit
            field[:] = value + np.arange(150.0).reshape(6, 5, 5) / 10
    return path


@pytest.mark.parametrize("form", CLASSIC)
@pytest.mark.parametrize("records", [False, True])
def test_a_truncated_classic_file_is_rejected_with_its_position(tmp_path, form, records):
    whole = classic(tmp_path / "whole.nc", form, records).read_bytes()
    assert point(tmp_path / "whole.nc", 39, -8)["temperature"][0] == pytest.approx(290 - 273.15 + 1.2, abs=0.01)
    size = len(whole)
    for missing in (1, 4, 100, 103, 350, 700, 1000):
        (tmp_path / "cut.nc").write_bytes(whole[:size - missing])
        error = error_of(tmp_path / "cut.nc")
        assert f"it is truncated: it has {size - missing} of {size} bytes; the data of " in error, missing
        if missing <= 100:
            assert f"the data of sp{' of its record 6 of 6' if records else ''} are incomplete" in error
        if missing == 103 and records:
            # Two bytes of padding lie between the two.
            assert f"the data of r2 of its record 6 of 6 are incomplete from byte {size - 103} on" in error


def test_files_without_final_padding_are_accepted(tmp_path):
    with scipy.io.netcdf_file(tmp_path / "a.nc", "w") as file:
        for name, content, unit in (("time", [0, 1, 2], b"hours since 2026-11-22 00:00:00"),
                                    ("latitude", [38, 39, 40], b"degrees_north"), ("longitude", [-9, -8, -7], b"degrees_east")):
            file.createDimension(name, None if name == "time" else 3)
            axis = file.createVariable(name, "d", (name,))
            axis.units = unit
            axis[:] = content
        field = file.createVariable("r2", "h", ("time", "latitude", "longitude"))
        field.units = b"%"
        for time in range(3):
            field[time] = np.full((3, 3), 50 + time)
    whole = (tmp_path / "a.nc").read_bytes()
    for end in (len(whole), len(whole) - 2):
        (tmp_path / "b.nc").write_bytes(whole[:end])
        assert point(tmp_path / "b.nc", 39, -8)["humidity"] == [50, 51, 52]
    (tmp_path / "b.nc").write_bytes(whole[:-3])
    assert "the data of r2 of its record 3 of 3 are incomplete" in error_of(tmp_path / "b.nc")


def test_truncating_a_file_in_use_keeps_the_previous_data(serve, tmp_path):
    path = classic(tmp_path / "a.nc", "NETCDF3_CLASSIC", True)
    whole = path.read_bytes()
    station = serve("--data", path)
    (tmp_path / "new").write_bytes(whole[:-50])
    (tmp_path / "new").rename(path)
    question = "/PrevByDateAndMetric.php?Lon=-8&Lat=39&Date=20261122&Metric=temp"
    time.sleep(2.5)
    before = station.json(question)[1]["response"]["points"][:6]
    assert min(before) > 10
    station.stop()
    assert "it is truncated" in station.talk and "the previous data stay in use" in station.talk
