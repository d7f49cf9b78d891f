"""Files that cannot be read are refused with what is wrong with them."""

import subprocess

import pytest

from conftest import PROGRAM, SAMPLE
from forecast_files import Made


def refusal(path):
    result = subprocess.run([PROGRAM, "point", str(path), "--latitude", "39", "--longitude", "-8"],
                            capture_output=True, text=True)
    assert result.returncode == 65
    return result.stderr


@pytest.mark.parametrize("content, words", [
    (b"", "it is empty"), (b"GRIB" + bytes(60), "it is a GRIB file"), (b"PK\3\4" + bytes(60), "it is a zip archive"),
    (b"\x1f\x8b" + bytes(60), "compressed with gzip"), (b"<html>" + bytes(60), "it is no NetCDF file"),
    (b"CDF\1" + bytes(20) + b"\xff" * 40, "the header of its classic NetCDF format cannot be read"),
])
def test_what_is_no_netcdf_file_is_named(tmp_path, content, words):
    (tmp_path / "bad.nc").write_bytes(content)
    assert words in refusal(tmp_path / "bad.nc")


@pytest.mark.parametrize("size", (8, 48, 100))
def test_a_file_cut_in_its_header_is_never_refused_with_the_words_of_a_system_error(tmp_path, size):
    for seed in range(4):
        whole = Made(tmp_path / "whole.nc", seed).path.read_bytes()
        (tmp_path / "cut.nc").write_bytes(whole[:size])
        said = refusal(tmp_path / "cut.nc")
        assert "Argument list" not in said and "cannot use a forecast" in said
