"""Conventions of Open-Meteo and of model files on which their clients rely."""

import math
import time
from datetime import datetime, timedelta, timezone

import netCDF4
import numpy as np
import pytest

from conftest import point

PLACE = "latitude=50.5&longitude=10.5"


def write(path, hours, fields, *, start, longitudes=np.arange(0.0, 21), latitudes=np.arange(40.0, 61), step=1):
    """Writes fields that are the same at all points, by name: unit and values by time."""
    with netCDF4.Dataset(path, "w") as file:
        for name, values, unit in (("latitude", latitudes, "degrees_north"), ("longitude", longitudes, "degrees_east")):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
            file[name].units = unit
        file.createDimension("time", hours // step + 1)
        axis = file.createVariable("time", "f8", ("time",))
        axis.units = "seconds since 1970-01-01 00:00:00"
        axis[:] = start + np.arange(hours // step + 1) * step * 3600
        for name, (unit, values) in fields.items():
            variable = file.createVariable(name, "f4", ("time", "latitude", "longitude"))
            variable.units = unit
            variable[:] = np.broadcast_to(np.asarray(values, float).reshape(-1, 1, 1), variable.shape)
    return path


def bucket(hours, rate, step=3, period=6):
    """Returns rain that is summed over each period, with 0 at the start of the run."""
    return [0] + [rate * ((hour - 1) % period + 1) for hour in range(step, hours + 1, step)]


def test_the_start_of_a_run_does_not_erase_the_rain_of_the_earlier_run(tmp_path, serve):
    midnight = int(time.time()) // 86400 * 86400
    for name, start, rate in (("18", midnight - 6 * 3600, 1.0), ("00", midnight, 2.0)):
        write(tmp_path / f"gfs_{name}.nc", 96, {"APCP_surface": ("kg/m^2", bucket(96, rate))}, start=start, step=3)
    day = datetime.fromtimestamp(midnight, timezone.utc)
    station = serve("--data", tmp_path)
    answer = station.json(f"/v1/forecast?{PLACE}&hourly=precipitation&start_hour={day - timedelta(hours=9):%Y-%m-%dT%H:%M}"
                          f"&end_hour={day + timedelta(hours=4):%Y-%m-%dT%H:%M}")[1]["hourly"]["precipitation"]
    assert answer == [None] * 4 + [1] * 6 + [2] * 4


def test_the_hours_before_a_single_run_have_no_rain_value(tmp_path, serve):
    midnight = int(time.time()) // 86400 * 86400
    write(tmp_path / "one.nc", 96, {"APCP_surface": ("kg/m^2", bucket(96, 1.0))}, start=midnight, step=3)
    station = serve("--data", tmp_path)
    answer = station.json(f"/v1/forecast?{PLACE}&hourly=precipitation&daily=precipitation_sum&past_days=1&forecast_days=2")[1]
    assert answer["hourly"]["precipitation"][:26] == [None] * 25 + [1]
    assert answer["daily"]["precipitation_sum"] == [None, 24, 24]


def test_longitudes_that_cross_their_own_start_are_one_axis(tmp_path):
    longitudes = np.array([350.0, 352.5, 355, 357.5, 0, 2.5, 5])
    path = write(tmp_path / "greenwich.nc", 2, {"t2m": ("K", [283.15] * 3)}, start=1_790_000_000 // 3600 * 3600, longitudes=longitudes)
    with netCDF4.Dataset(path, "a") as file:
        file["t2m"][:] = 273.15 + ((longitudes + 10) % 360)[None, None, :]
    for longitude in (-9.5, -1, 0, 1.25, 4.9):
        assert point(path, 50, longitude)["temperature"][0] == pytest.approx(longitude + 10, abs=0.01)


@pytest.mark.parametrize("longitudes", ([1.0], [1.0, 3, 2]))
def test_a_broken_axis_is_named(longitudes, tmp_path, serve):
    path = write(tmp_path / "broken.nc", 2, {"t2m": ("K", [283.15] * 3)}, start=1_790_000_000 // 3600 * 3600, longitudes=np.array(longitudes))
    with pytest.raises(AssertionError, match="longitude is no axis"):
        point(path, 50, 1)


@pytest.mark.parametrize("unit,kelvin", (("°C", 0), ("deg C", 0), ("degrees Celsius", 0), ("Kelvin", 273.15)))
def test_common_spellings_of_units_are_read(unit, kelvin, tmp_path):
    path = write(tmp_path / "unit.nc", 2, {"t2m": (unit, [12.5 + kelvin] * 3)}, start=1_790_000_000 // 3600 * 3600)
    assert point(path, 50, 10)["temperature"][0] == pytest.approx(12.5, abs=0.01)


@pytest.fixture(scope="module")
def summer(tmp_path_factory):
    """A station with a run of 105 days that began 91 days ago; the temperature rises by 0.01 °C an hour."""
    from conftest import Served

    start = int(time.time()) // 86400 * 86400 - 91 * 86400
    hours = 105 * 24
    rising = 273.15 + 0.01 * np.arange(hours + 1)
    path = tmp_path_factory.mktemp("summer") / "long.nc"
    write(path, hours, {"t2m": ("K", rising)}, start=start, longitudes=np.arange(8.0, 13), latitudes=np.arange(48.0, 54))
    station = Served("--data", path)
    yield station
    station.stop()


@pytest.mark.parametrize("zone", ("Europe/Berlin", "America/Santiago", "Africa/Casablanca"))
def test_the_times_of_days_give_their_dates_across_a_change_of_the_clocks(zone, summer):
    query = f"/v1/forecast?{PLACE}&daily=temperature_2m_max&timezone={zone}&past_days=90&forecast_days=14"
    numbers, dates = summer.json(query + "&timeformat=unixtime")[1], summer.json(query)[1]
    shift = numbers["utc_offset_seconds"]
    days = [datetime.fromtimestamp(moment + shift, timezone.utc) for moment in numbers["daily"]["time"]]
    assert [f"{day:%Y-%m-%d}" for day in days] == dates["daily"]["time"] and all(day.hour == 0 for day in days)
    assert len(set(dates["daily"]["time"])) == 104
    assert numbers["daily"]["temperature_2m_max"] == dates["daily"]["temperature_2m_max"]


@pytest.fixture(scope="module")
def steady(tmp_path_factory):
    """A station with a run of five days: 1.2 mm of rain an hour, a strong wind from the west at noon and a weak one from the
    north otherwise, pressure at sea level and terrain."""
    from conftest import Served

    hours, start = 120, int(time.time()) // 86400 * 86400 - 86400
    noon = np.arange(hours + 1) % 24 == 12
    path = tmp_path_factory.mktemp("steady") / "steady.nc"
    write(path, hours, {
        "t2m": ("K", [288.15] * (hours + 1)), "tp": ("mm", 1.2 * np.arange(hours + 1)), "msl": ("Pa", [101325] * (hours + 1)),
        "u10": ("m s-1", np.where(noon, 60.0, 0)), "v10": ("m s-1", np.where(noon, 0, -1.0)), "orog": ("m", [771.9] * (hours + 1)),
    }, start=start)
    station = Served("--data", path)
    yield station
    station.stop()


def test_the_current_rain_is_that_of_its_interval(steady):
    answer = steady.json(f"/v1/forecast?{PLACE}&current=precipitation,rain&minutely_15=precipitation&forecast_minutely_15=1")[1]
    assert answer["current"]["interval"] == 900
    assert answer["current"]["precipitation"] == answer["current"]["rain"] == answer["minutely_15"]["precipitation"][0] == 0.3


def test_the_dominant_direction_is_that_of_the_mean_wind(steady):
    answer = steady.json(f"/v1/forecast?{PLACE}&daily=wind_direction_10m_dominant,precipitation_hours&forecast_days=1")[1]["daily"]
    expected = math.degrees(math.atan2(-60, 23)) % 360
    assert answer["wind_direction_10m_dominant"][0] == pytest.approx(expected, abs=1)
    assert answer["precipitation_hours"] == [24]


def test_the_surface_pressure_follows_from_the_terrain(steady):
    answers = [steady.json(f"/v1/forecast?{PLACE}&hourly=surface_pressure&forecast_hours=1{more}")[1] for more in ("", "&elevation=771.9")]
    assert answers[0]["elevation"] == answers[1]["elevation"] == 771.9
    values = [answer["hourly"]["surface_pressure"][0] for answer in answers]
    assert values[0] == values[1] and 920 < values[0] < 930


@pytest.mark.parametrize("part,name", (("daily", "temperature_2m"), ("hourly", "temperature_2m_mean"), ("current", "precipitation_sum"),
                                       ("minutely_15", "sunrise")))
def test_a_variable_of_another_part_is_an_error(part, name, steady):
    status, answer = steady.json(f"/v1/forecast?{PLACE}&{part}={name}")
    assert status == 400 and answer["error"] is True and f"{part} has no variable '{name}'" in answer["reason"]


def test_without_a_time_zone_times_are_in_gmt(steady):
    answer = steady.json(f"/v1/forecast?{PLACE}&hourly=temperature_2m")[1]
    assert (answer["timezone"], answer["timezone_abbreviation"], answer["utc_offset_seconds"]) == ("GMT", "GMT", 0)


def test_every_error_of_the_forecast_has_the_same_form(serve):
    station = serve("--rate", "1")
    long = station.json("/v1/forecast?" + "&".join([PLACE] * 400))
    post = station.request("/v1/forecast?" + PLACE, method="POST")
    many = [station.request("/v1/forecast?" + PLACE) for _ in range(8)]
    assert long[0] == 414 and long[1]["error"] is True and "request fewer locations at once" in long[1]["reason"]
    assert post[0] == 405 and b'"error":true' in post[2]
    busy = [body for status, _, body in many if status == 429]
    assert busy and all(b'"error":true' in body for body in busy)


def test_the_compact_forecast_states_until_when_it_holds(plain):
    path = "/weatherapi/locationforecast/2.0/compact?lat=38.72&lon=-9.14"
    status, fields, _ = plain.request(path)
    assert status == 200
    # A client that keeps the fields as a dictionary looks for their usual spelling.
    assert {"Last-Modified", "Expires", "Cache-Control"} <= set(dict(fields))
    modified, expires = (datetime.strptime(fields[name], "%a, %d %b %Y %H:%M:%S GMT") for name in ("Last-Modified", "Expires"))
    assert expires - modified == timedelta(hours=1) and modified.minute == modified.second == 0
    assert abs((datetime.now(timezone.utc).replace(tzinfo=None) - modified).total_seconds() - 1800) <= 1801
    assert plain.request(path, {"If-Modified-Since": fields["Last-Modified"]})[0] == 304
    assert plain.request(path, {"If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"})[0] == 200


@pytest.mark.parametrize("origin", ("*", "https://weather.example.org"))
def test_pages_of_another_origin_read_the_station_only_if_allowed(origin, serve, plain):
    station = serve("--allow-origin", origin)
    for path in (f"/v1/forecast?{PLACE}", "/v1/forecast?latitude=x", "/v1/station"):
        assert station.request(path)[1]["Access-Control-Allow-Origin"] == origin
        assert plain.request(path)[1]["Access-Control-Allow-Origin"] is None


def test_a_browser_may_ask_for_header_fields_of_a_page_of_an_allowed_origin(serve, plain):
    ask = {"Origin": "https://weather.example.org", "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "x-own"}
    station = serve("--allow-origin", "https://weather.example.org")
    status, fields, _ = station.request(f"/v1/forecast?{PLACE}", ask, method="OPTIONS")
    assert status == 204 and fields["Access-Control-Allow-Origin"] == "https://weather.example.org"
    assert fields["Access-Control-Allow-Headers"] == "*" and "GET" in fields["Access-Control-Allow-Methods"]
    assert station.request("/v1/station", method="OPTIONS")[0] == 405
    assert plain.request(f"/v1/forecast?{PLACE}", ask, method="OPTIONS")[0] == 405


@pytest.mark.parametrize("query,words", (
    ("hourly=temperture_2m", "did you mean 'temperature_2m'?"), ("houry=temperature_2m", "did you mean 'hourly'?"),
    ("latitude=abc&longitude=1", "found latitude 'abc' and longitude '1'"), ("latitude=1", "found latitude '1' and no longitude")))
def test_an_error_names_what_was_probably_meant(plain, query, words):
    status, answer = plain.json("/v1/forecast?" + (query if "latitude" in query else f"{PLACE}&{query}"))
    assert status == 400 and words in answer["reason"]


@pytest.mark.parametrize("option,value,message", (
    ("--allow-origin", "example.org", "an origin without a path"), ("--allow-origin", "https://example.org/", "an origin without a path"),
    ("--listen", "127.0.0.1:99999", "a port from 0 to 65535")))
def test_a_wrong_option_is_explained(option, value, message):
    import subprocess

    from conftest import PROGRAM

    run = subprocess.run([PROGRAM, option, value], capture_output=True, text=True, timeout=20)
    assert run.returncode == 64 and message in run.stderr
