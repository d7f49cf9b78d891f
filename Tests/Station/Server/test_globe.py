"""Global grids, compared with numpy: the seam, the poles, and the wind there."""

import netCDF4
import numpy as np
import pytest

from conftest import point
from judge import bilinear


def globe(path, first, kind="NETCDF4"):
    """Writes a grid of 2.5 by 5 degrees; rows from north to south, columns from this longitude."""
    lat, lon = np.arange(88.75, -90, -2.5), first + np.arange(0, 360, 5.0)
    with netCDF4.Dataset(path, "w", format=kind) as file:
        for name, size in (("time", 2), ("lat", len(lat)), ("lon", len(lon))):
            file.createDimension(name, size)
        for name, values, standard, units in (("lat", lat, "latitude", "degrees_north"), ("lon", lon, "longitude", "degrees_east"),
                                              ("time", [0, 1], "time", "hours since 2026-11-23 00:00:00")):
            variable = file.createVariable(name, "f8", (name,))
            variable.standard_name, variable.units = standard, units
            variable[:] = values
        random = np.random.default_rng(5)
        fields = {}
        for name, standard, units in (("t", "air_temperature", "degC"), ("u", "eastward_wind", "m s-1"), ("v", "northward_wind", "m s-1")):
            variable = file.createVariable(name, "f4", ("time", "lat", "lon"))
            variable.standard_name, variable.units = standard, units
            fields[name] = random.uniform(-20, 20, (2, len(lat), len(lon))).astype("f4")
            variable[:] = fields[name]
    return lat, lon, fields


@pytest.mark.parametrize("first", [0.0, -180.0, 2.5])
def test_values_at_the_seam_and_the_poles_match_numpy(tmp_path, first):
    lat, lon, fields = globe(tmp_path / "globe.nc", first)
    for latitude, longitude in [(10.2, -0.3), (10.2, 359.2 - 360), (-33.3, 179.9), (-33.3, -179.9), (51.5, 0.0), (3.3, 180),
                                (89.9, 12), (-90, -77), (88.75, 1), (45, -1.1), (45, 1.1)]:
        found = point(tmp_path / "globe.nc", latitude, longitude)
        clamped = min(max(latitude, lat[-1]), lat[0])
        row = min(int((lat[0] - clamped) // 2.5), len(lat) - 2)
        down = (lat[row] - clamped) / 2.5
        along = (longitude - first) % 360 / 5
        column = int(along) % len(lon)
        pair = [column, (column + 1) % len(lon)]
        expected = {name: bilinear(field[:, row:row + 2][:, :, pair].astype(float), down, along - int(along))
                  for name, field in fields.items()}
        assert np.allclose(found["temperature"], expected["t"], atol=2e-3), (latitude, longitude)
        assert np.allclose(found["windSpeed"], np.hypot(expected["u"], expected["v"]), atol=2e-3), (latitude, longitude)
