"""Weather warnings: frost, heat, storm and heavy rain of the next two days, by the limits of --warn."""
import datetime
import subprocess
import time

import netCDF4
import numpy as np
import pytest

from conftest import PROGRAM

HOURS = 60
#: The start of the current hour, and the hours of the file, which begins six hours before.
NOW = int(time.time()) // 3600 * 3600
FIRST = NOW - 6 * 3600


def stamp(hour):
    """Returns the time some hours after the current one, as the station writes it."""
    return datetime.datetime.fromtimestamp(NOW + hour * 3600, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A forecast with a hot afternoon, a cold night, a windy hour and six hours of rain, the same everywhere."""
    path = tmp_path_factory.mktemp("warnings") / "warnings.nc"
    celsius, wind, rain = np.full(HOURS, 20.0), np.full(HOURS, 5.0), np.zeros(HOURS)
    at = lambda hour: hour + 6
    celsius[at(10):at(14)] = [36, 38.2, 37, 35]
    celsius[at(30):at(33)] = [0, -2.3, -1]
    wind[at(20)] = 25
    # The rain of the hour that ends at each time: 36 mm in six hours, 30 mm or more from the fifth on.
    rain[at(36):at(42)] = [2, 8, 8, 8, 6, 4]
    with netCDF4.Dataset(path, "w") as data:
        for name, size in (("time", HOURS), ("latitude", 3), ("longitude", 3), ("two", 2)):
            data.createDimension(name, size)
        for name, values, unit in (("latitude", [36, 40, 44], "degrees_north"), ("longitude", [-10, -8, -6], "degrees_east"),
                                   ("time", FIRST + 3600 * np.arange(HOURS), "seconds since 1970-01-01 00:00:00")):
            axis = data.createVariable(name, "f8", (name,))
            axis.setncatts({"units": unit, "standard_name": name})
            axis[:] = values
        data["time"].bounds = "ends"
        ends = data.createVariable("ends", "f8", ("time", "two"))
        ends[:] = np.stack([FIRST + 3600 * np.arange(-1, HOURS - 1), FIRST + 3600 * np.arange(HOURS)], axis=1)
        for name, standard, unit, values, more in (
                ("t", "air_temperature", "degC", celsius, {}), ("w", "wind_speed", "m s-1", wind, {}),
                ("r", "precipitation_amount", "mm", rain, {"cell_methods": "time: sum (interval: 1 hour)"})):
            field = data.createVariable(name, "f8", ("time", "latitude", "longitude"))
            field.setncatts({"standard_name": standard, "units": unit, **more})
            field[:] = values[:, None, None]
    return path


def warnings(station):
    """Returns the warnings at a point far from the station, by kind."""
    status, answer = station.json("/v1/forecast?latitude=41.5&longitude=-8.4&hourly=temperature_2m&forecast_days=3")
    assert status == 200, answer
    return {one.pop("kind"): one for one in answer["aneroid"]["warnings"]}


def test_the_usual_limits(serve, file):
    """Each kind has its period, its worst value and its unit; that of rain begins with the rain."""
    found = warnings(serve("--data", file))
    assert found == {
        "heat": {"from": stamp(10), "to": stamp(13), "metric": "temperature_2m", "value": 38.2, "unit": "°C"},
        "frost": {"from": stamp(30), "to": stamp(32), "metric": "temperature_2m", "value": -2.3, "unit": "°C"},
        "storm": {"from": stamp(20), "to": stamp(20), "metric": "wind_speed_10m", "value": 25.0, "unit": "m/s"},
        "rain": {"from": stamp(35), "to": stamp(42), "metric": "precipitation", "value": 36.0, "unit": "mm"},
    }


@pytest.mark.parametrize("words, kinds", [
    (("heat=39C", "frost=off"), {"storm", "rain"}), (("storm=91km/h", "rain=37mm"), {"heat", "frost"}),
    (("storm=90km/h", "rain=36mm", "heat=38.2C", "frost=-2.3C"), {"heat", "frost", "storm", "rain"}),
    (("storm=25.1m/s", "heat=off", "rain=off", "frost=-2.4C"), set()),
])
def test_limits_of_one_s_own(serve, file, words, kinds):
    """A limit replaces the usual one, in each of its units; a value at the limit is a warning."""
    assert set(warnings(serve("--data", file, *[word for limit in words for word in ("--warn", limit)]))) == kinds


@pytest.mark.parametrize("text, reason", [
    ("frost", "'frost' is none of frost=VALUE, heat=VALUE, storm=VALUE, rain=VALUE"), ("snow=3mm", "'snow=3mm' is none of frost=VALUE"),
    ("storm=75", "'75' is no limit of storm: 3.6km/h to 360km/h or 1m/s to 100m/s is required, or off"), ("rain=-1mm", "'-1mm' is no limit of rain"),
    ("heat=nanC", "'nanC' is no limit of heat: 0C to 60C is required, or off"), ("storm=9e9km/h", "'9e9km/h' is no limit of storm"),
])
def test_a_limit_that_cannot_be_used_is_reported(text, reason):
    """The message names what is expected; exit status 64."""
    result = subprocess.run([PROGRAM, "--listen", "127.0.0.1:0", "--warn", text], capture_output=True, text=True, timeout=20)
    assert result.returncode == 64 and f"--warn: {reason}" in result.stderr, result
