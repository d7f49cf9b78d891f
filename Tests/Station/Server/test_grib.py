"""Real GRIB files: written with ecCodes, converted with cfgrib and xarray, and compared with the
values that xarray reads."""

import subprocess

import netCDF4
import numpy as np
import pytest
import xarray

import grib_files as grib
from conftest import PROGRAM, point
from forecast_files import saturated

RUN = (20261122, 0)
STEPS = range(13)
PLACE = (40.3, -8.1)


def forecast(fields, since, scale=0.001):
    """Returns the messages of a run: fields at each step, rain accumulated since the step that
    `since` gives."""
    found = []
    for index, step in enumerate(STEPS):
        found += [(short, str(step), values[index], RUN) for short, values in fields.items() if short != "rain"]
        first = since(step)
        total = fields["rain"][first + 1:step + 1].sum(axis=0)
        # NCEP's analysis has no accumulation; ECMWF's is 0.
        if step or scale < 1:
            found.append(("tp", f"{first}-{step}", total * scale, RUN))
    return found


def here(path, place=PLACE):
    """Returns the values that xarray reads at a location at each time."""
    with xarray.open_dataset(path, decode_timedelta=True) as file:
        return file.interp(latitude=place[0], longitude=place[1] % 360).load()


def at(values, place=PLACE):
    """Returns a field at a location, interpolated by xarray."""
    field = xarray.DataArray(values, dims=("t", "latitude", "longitude"),
                             coords={"latitude": grib.LATITUDES, "longitude": grib.LONGITUDES})
    return field.interp(latitude=place[0], longitude=place[1] % 360).values


def extracted(path, tmp_path):
    """Returns the file and its extract."""
    small = tmp_path / "small.nc"
    subprocess.run([PROGRAM, "extract", str(path), "-o", str(small)], check=True, capture_output=True)
    return path, small


def compare(found, seen, fields, cloud):
    """Compares the values that the station reads with those that xarray reads."""
    assert found["reference"] == "2026-11-22T00:00:00Z" and found["times"][1] == "2026-11-22T01:00:00Z"
    assert np.allclose(found["temperature"], seen.t2m - 273.15, atol=3e-3)
    dew, celsius = seen.d2m.values - 273.15, seen.t2m.values - 273.15
    assert np.allclose(found["humidity"], 100 * saturated(dew) / saturated(celsius), atol=0.05)
    assert np.allclose(found["windSpeed"], np.hypot(seen.u10, seen.v10), atol=3e-3)
    assert np.allclose(found["windDirection"], np.degrees(np.arctan2(-seen.u10, -seen.v10)) % 360, atol=0.05)
    assert np.allclose(found["seaLevelPressure"], seen[[name for name in ("msl", "prmsl") if name in seen][0]] / 100, atol=3e-3)
    assert np.allclose(found["surfacePressure"], seen.sp / 100, atol=3e-3)
    assert np.allclose(found["cloud"], seen.tcc * cloud, atol=0.02)
    assert np.allclose(found["rain"], at(fields["rain"])[1:], atol=4e-3), found["rain_counted"]


def test_a_run_of_ecmwf_with_rain_since_its_start(tmp_path):
    fields = grib.weather(STEPS)
    path = grib.converted(grib.write(tmp_path / "a.grib", forecast(fields, lambda step: 0)), tmp_path / "a.nc")
    for file in extracted(path, tmp_path):
        compare(point(file, *PLACE), here(path), fields, 100)


def test_a_run_without_a_sum_at_its_start_has_the_rain_of_its_first_step(tmp_path):
    fields = grib.weather(STEPS)
    messages = [one for one in forecast(fields, lambda step: 0) if one[:2] != ("tp", "0-0")]
    path = grib.converted(grib.write(tmp_path / "a.grib", messages), tmp_path / "a.nc")
    for file in extracted(path, tmp_path):
        compare(point(file, *PLACE), here(path), fields, 100)


def test_a_run_of_ncep_with_rain_since_each_six_hours(tmp_path):
    fields = grib.weather(STEPS, cloud=100)
    fields["prmsl"] = fields.pop("msl")
    messages = forecast(fields, lambda step: max(0, (step - 1) // 6 * 6), scale=1)
    path = grib.converted(grib.write(tmp_path / "a.grib", messages, centre="kwbc"), tmp_path / "a.nc")
    for file in extracted(path, tmp_path):
        compare(point(file, *PLACE), here(path), fields, 1)


@pytest.mark.parametrize("dry", [False, True])
def test_a_reanalysis_whose_rain_counts_over_the_step_of_each_run(tmp_path, dry):
    """Each time is its own run with one step: the rain is that of the hour, even if it never
    decreases from one time to the next."""
    fields = grib.weather(STEPS)
    if dry:
        fields["rain"] = np.broadcast_to(0.2 * np.arange(13.0)[:, None, None], (13, 7, 9))
    messages = [("tp", "0-1", fields["rain"][step] * 0.001, (20261122, step - 1)) for step in STEPS if step]
    messages += [("2t", "1", fields["2t"][step], (20261122, step - 1)) for step in STEPS if step]
    path = grib.converted(grib.write(tmp_path / "a.grib", messages), tmp_path / "a.nc")
    for file in extracted(path, tmp_path):
        found = point(file, *PLACE)
        assert found["times"][0] == "2026-11-22T01:00:00Z" and len(found["times"]) == 12
        assert np.allclose(found["temperature"], at(fields["2t"])[1:] - 273.15, atol=3e-3)
        assert np.allclose(found["rain"], at(fields["rain"])[2:], atol=4e-3), found["rain_counted"]


@pytest.mark.parametrize("relative", [0, 1])
def test_wind_along_the_rows_of_a_lambert_grid_is_turned_if_the_message_says_so(tmp_path, relative):
    fields = grib.weather(range(3))
    messages = [(short, str(step), fields[short][step], RUN) for step in range(3) for short in ("2t", "10u", "10v")]
    path = grib.converted(grib.write(tmp_path / "a.grib", messages, grid=grib.LAMBERT, relative=relative), tmp_path / "a.nc")
    with xarray.open_dataset(path, decode_timedelta=True) as file:
        assert file.u10.attrs["standard_name"] == "eastward_wind"
        latitude, longitude = file.latitude.values, file.longitude.values
        east, north = file.u10.values[:, 3, 4], file.v10.values[:, 3, 4]
    place = latitude[3, 4], longitude[3, 4] - 360
    turn = np.arctan2(latitude[3, 5] - latitude[3, 4], (longitude[3, 5] - longitude[3, 4]) * np.cos(np.radians(place[0]))) * relative
    assert relative == 0 or abs(np.degrees(turn)) > 10
    true_east, true_north = east * np.cos(turn) - north * np.sin(turn), east * np.sin(turn) + north * np.cos(turn)
    for file in extracted(path, tmp_path):
        found = point(file, *place)
        expected = np.degrees(np.arctan2(-true_east, -true_north)) % 360
        assert np.allclose((np.array(found["windDirection"]) - expected + 180) % 360, 180, atol=0.3)
        assert np.allclose(found["windSpeed"], np.hypot(east, north), atol=0.01)


WGRIB2 = {"2t": ("TMP_2maboveground", "K"), "2d": ("DPT_2maboveground", "K"), "10u": ("UGRD_10maboveground", "m/s"),
          "10v": ("VGRD_10maboveground", "m/s"), "prmsl": ("PRMSL_meansealevel", "Pa"), "sp": ("PRES_surface", "Pa"),
          "tcc": ("TCDC_entireatmosphere", "percent"), "tp": ("APCP_surface", "kg/m^2")}


def test_the_same_run_under_the_names_of_wgrib2(tmp_path):
    fields = grib.weather(STEPS, cloud=100)
    fields["prmsl"] = fields.pop("msl")
    messages = forecast(fields, lambda step: max(0, (step - 1) // 6 * 6), scale=1)
    path = grib.converted(grib.write(tmp_path / "a.grib", messages, centre="kwbc"), tmp_path / "a.nc")
    other = tmp_path / "wgrib2.nc"
    with xarray.open_dataset(path, decode_timedelta=True) as file, netCDF4.Dataset(other, "w", format="NETCDF4_CLASSIC") as made:
        for name, content, unit in (("latitude", grib.LATITUDES[::-1], "degrees_north"), ("longitude", grib.LONGITUDES, "degrees_east"),
                                    ("time", 1_795_305_600 + 3600.0 * np.arange(13), "seconds since 1970-01-01 00:00:00.0 0:00")):
            made.createDimension(name, len(content))
            axis = made.createVariable(name, "f8", (name,))
            axis.units = unit
            axis[:] = content
        made["time"].reference_time = 1_795_305_600.0
        for variable in file.data_vars.values():
            name, unit = WGRIB2[variable.attrs["GRIB_shortName"]]
            field = made.createVariable(name, "f4", ("time", "latitude", "longitude"), fill_value=9.999e20)
            field.setncatts({"short_name": name, "units": unit})
            field[:] = np.nan_to_num(variable.values[:, ::-1], nan=9.999e20)
    for file in extracted(other, tmp_path):
        compare(point(file, *PLACE), here(path), fields, 1)
