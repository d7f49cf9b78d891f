"""Forecast files that are rewritten in place."""

import shutil
import time

import pytest

from conftest import point
from test_files import day, regular


@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF3_CLASSIC"])
def test_a_file_rewritten_in_place_is_reloaded(tmp_path, serve, kind):
    """The same inode with other bytes, as written by xarray's to_netcdf and by cp."""
    regular(tmp_path / "old", kind, day())
    regular(tmp_path / "new", kind, day(), warmer=5)
    shutil.copy(tmp_path / "old", tmp_path / "run.nc")
    inode = (tmp_path / "run.nc").stat().st_ino
    station = serve("--data", tmp_path / "run.nc")
    stamp = day()[:10].replace("-", "")

    def first(longitude):
        path = f"/PrevByDateAndMetric.php?lon={longitude:.4f}&lat=39&date={stamp}&metric=temp"
        status, answer = station.json(path)
        return answer["response"]["points"][0] if status == 200 else None

    old, new = (point(tmp_path / name, 39, -7)["temperature"][0] for name in ("old", "new"))
    assert first(-7) == pytest.approx(old, abs=0.06)
    shutil.copy(tmp_path / "new", tmp_path / "run.nc")
    assert (tmp_path / "run.nc").stat().st_ino == inode
    end = time.monotonic() + 30
    while time.monotonic() < end and first(-7) != pytest.approx(new, abs=0.06):
        time.sleep(0.2)
    assert first(-7) == pytest.approx(new, abs=0.06)
    assert first(-7.0001) == pytest.approx(new, abs=0.06)
