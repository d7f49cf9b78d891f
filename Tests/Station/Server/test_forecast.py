"""`/v1/forecast`, and the transition from the station's readings to the model."""

import math
import time
from datetime import datetime, timedelta, timezone

import pytest

from conftest import wait

HOURLY = ("temperature_2m,relative_humidity_2m,precipitation,cloud_cover,wind_speed_10m,wind_direction_10m,"
          "pressure_msl,surface_pressure,apparent_temperature,weather_code,is_day")
DAILY = ("temperature_2m_max,temperature_2m_min,precipitation_sum,relative_humidity_2m_mean,cloud_cover_mean,"
         "wind_speed_10m_max,wind_direction_10m_dominant,pressure_msl_mean,weather_code,sunrise,sunset")
LISBON = "/v1/forecast?latitude=38.7223&longitude=-9.1393"


def test_the_response_has_the_format_of_open_meteo(plain):
    status, answer = plain.json(f"{LISBON}&hourly={HOURLY}&daily={DAILY}&current={HOURLY}&timezone=auto")
    assert status == 200 and answer["timezone"] == "Europe/Lisbon"
    for part, names in (("hourly", HOURLY), ("daily", DAILY)):
        for name in ["time", *names.split(",")]:
            assert name in answer[part] and name in answer[part + "_units"]
            assert len(answer[part][name]) == len(answer[part]["time"])
    assert len(answer["daily"]["time"]) == 7 and len(answer["hourly"]["time"]) == 168
    assert None not in answer["hourly"]["temperature_2m"] + answer["daily"]["precipitation_sum"]
    for first, second in zip(answer["hourly"]["time"], answer["hourly"]["time"][1:]):
        assert datetime.fromisoformat(second) - datetime.fromisoformat(first) == timedelta(hours=1)
    hottest = max(answer["hourly"]["temperature_2m"][:24])
    assert answer["daily"]["temperature_2m_max"][0] == hottest
    assert answer["daily"]["sunrise"][0][:10] == answer["daily"]["time"][0]


def test_units_are_converted(plain):
    # The weather of the demonstration repeats each week; it rains on two days of it.
    path = f"{LISBON}&hourly=temperature_2m,wind_speed_10m,precipitation&forecast_days=7&corrected=false"
    metric = plain.json(path)[1]["hourly"]
    other = plain.json(path + "&temperature_unit=fahrenheit&wind_speed_unit=kn&precipitation_unit=inch")[1]["hourly"]
    for one, two in zip(metric["temperature_2m"], other["temperature_2m"]):
        assert abs(one * 1.8 + 32 - two) < 0.15
    for one, two in zip(metric["wind_speed_10m"], other["wind_speed_10m"]):
        assert abs(one / 1.852 - two) < 0.11
    assert abs(sum(metric["precipitation"]) / 25.4 - sum(other["precipitation"])) < 0.06
    assert sum(metric["precipitation"]) > 1


def test_times_in_any_zone_are_the_same_instants(plain):
    path = f"{LISBON}&hourly=temperature_2m&corrected=false"
    utc = plain.json(path + "&timeformat=unixtime")[1]["hourly"]
    berlin = plain.json(path + "&timeformat=unixtime&timezone=Europe/Berlin")[1]["hourly"]
    same = dict(zip(utc["time"], utc["temperature_2m"]))
    shared = [(at, value) for at, value in zip(berlin["time"], berlin["temperature_2m"]) if at in same]
    assert len(shared) >= 140 and all(same[at] == value for at, value in shared)


@pytest.mark.parametrize("place, date, rise, down", [
    # Sunrise and sunset of Lisbon at the solstices of 2026 (UTC), from the observatory's almanac.
    ((38.7223, -9.1393), "2026-06-21", 5 * 60 + 12, 20 * 60 + 5),
])
def test_sunrise_and_sunset_match_the_almanac(place, date, rise, down):
    """Computed here independently with the standard equation, since the response only contains
    future days."""
    sunrise, sunset = solar(place, datetime.fromisoformat(date))
    assert abs(sunrise - rise) < 3 and abs(sunset - down) < 3


def solar(place, moment):
    """Returns sunrise and sunset of a day in minutes of UTC, by NOAA's equations."""
    gamma = 2 * math.pi / 365 * (moment.timetuple().tm_yday - 0.5)
    equation = 229.18 * (0.000075 + 0.001868 * math.cos(gamma) - 0.032077 * math.sin(gamma)
                         - 0.014615 * math.cos(2 * gamma) - 0.040849 * math.sin(2 * gamma))
    tilt = (0.006918 - 0.399912 * math.cos(gamma) + 0.070257 * math.sin(gamma) - 0.006758 * math.cos(2 * gamma)
            + 0.000907 * math.sin(2 * gamma) - 0.002697 * math.cos(3 * gamma) + 0.00148 * math.sin(3 * gamma))
    lat = math.radians(place[0])
    angle = math.degrees(math.acos(math.cos(math.radians(90.833)) / (math.cos(lat) * math.cos(tilt))
                                   - math.tan(lat) * math.tan(tilt)))
    noon = 720 - 4 * place[1] - equation
    return noon - 4 * angle, noon + 4 * angle


def test_sunrise_and_sunset_within_two_minutes_of_noaas(plain):
    for place in [(38.7223, -9.1393), (41.8061, -6.7567)]:
        _, answer = plain.json(f"/v1/forecast?latitude={place[0]}&longitude={place[1]}&daily=sunrise,sunset")
        for rise, down in zip(answer["daily"]["sunrise"], answer["daily"]["sunset"]):
            expected = solar(place, datetime.fromisoformat(rise))
            for text, minutes in zip((rise, down), expected):
                at = datetime.fromisoformat(text)
                assert abs(at.hour * 60 + at.minute - minutes) < 2.5


def test_the_offset_of_the_station_decays(plain):
    near = plain.json(f"{LISBON}&hourly=temperature_2m,pressure_msl&current=temperature_2m&timeformat=unixtime")[1]
    bare = plain.json(f"{LISBON}&hourly=temperature_2m,pressure_msl&timeformat=unixtime&corrected=false")[1]
    assert near["aneroid"]["current_from"] == "station" and near["aneroid"]["corrected"] is True
    assert bare["aneroid"]["corrected"] is False and bare["aneroid"]["offset"] == {}
    offset = near["aneroid"]["offset"]["temperature_2m"]
    now = datetime.now(timezone.utc).timestamp()
    station = plain.json("/v1/station")[1]
    assert near["current"]["temperature_2m"] == pytest.approx(station["temperature_c"], abs=0.2)
    seen = 0
    for at, one, two in zip(near["hourly"]["time"], near["hourly"]["temperature_2m"], bare["hourly"]["temperature_2m"]):
        # Hours before now are measured: test_measured.py.
        if at > now + 120:
            expected = offset * math.exp(-(at - now) / 3600 / near["aneroid"]["fading_hours"])
            assert one - two == pytest.approx(expected, abs=0.12)
            seen += 1
    assert seen > 100 and abs(offset) > 0.2
    far = plain.json("/v1/forecast?latitude=41.1579&longitude=-8.6291&current=temperature_2m&hourly=temperature_2m")[1]
    assert far["aneroid"]["current_from"] == "model" and far["aneroid"]["corrected"] is False


def test_all_values_of_a_response_are_for_one_elevation(serve):
    """Near the station all values are for its elevation, elsewhere for the model's."""
    station = serve("--elevation", "700")
    now = wait(lambda: (a := station.json("/v1/station")[1])["time"] and a)
    path = f"{LISBON}&current=temperature_2m,surface_pressure,pressure_msl&hourly=temperature_2m,surface_pressure,pressure_msl&timeformat=unixtime"
    for more in ("", "&corrected=false"):
        _, here = station.json(path + more)
        assert here["elevation"] == 700 == now["elevation_m"] and here["aneroid"]["model_elevation"] == 0
        assert here["current"]["surface_pressure"] == pytest.approx(now["pressure_hpa"], abs=0.2)
        rows = list(zip(*(here["hourly"][name] for name in ("time", "temperature_2m", "surface_pressure", "pressure_msl"))))
        for _, warm, low, sea in rows:
            # The air column between, by the equation that reduces the station's own pressure.
            assert low * math.exp(9.80665 * 700 / (287.05287 * (warm + 273.15 + 0.0065 * 350))) == pytest.approx(sea, abs=0.2)
    # The hours continue the sensor's reading; the uncorrected ones are the model's, 700 m higher.
    soon = next(row for row in zip(here["hourly"]["time"], station.json(path)[1]["hourly"]["surface_pressure"]) if row[0] > time.time())
    assert soon[1] == pytest.approx(now["pressure_hpa"], abs=2.5)
    far = serve("--elevation", "700", "--latitude", "41.1579", "--longitude", "-8.6291").json(path)[1]
    assert far["aneroid"]["current_from"] == "model" and far["elevation"] == far["aneroid"]["model_elevation"] == 0
    assert far["aneroid"]["uncorrected_because"] == "too_far"
    for one, other in zip(far["hourly"]["temperature_2m"], here["hourly"]["temperature_2m"]):
        assert one - other == pytest.approx(0.0065 * 700, abs=0.11)


def test_beyond_the_radius_the_values_are_the_models(serve):
    station = serve("--radius", "5")
    wait(lambda: station.json("/v1/station")[1]["time"])
    # 0.05 degrees north are 5.56 km.
    for north, who in ((0.044, "station"), (0.046, "model")):
        _, answer = station.json(f"/v1/forecast?latitude={38.7223 + north}&longitude=-9.1393&current=temperature_2m")
        assert answer["aneroid"]["current_from"] == who


def test_errors_have_the_format_of_open_meteo(plain):
    for path, words in [
        ("/v1/forecast", "latitude"), (f"{LISBON}&hourly=snow", "'snow'"), (f"{LISBON}&forecast_days=99", "forecast_days"),
        (f"{LISBON}&timezone=Mars/Olympus", "timezone"), (f"{LISBON}&wind_speed_unit=warp", "wind_speed_unit"),
        (f"{LISBON}&horly=temperature_2m", "'horly'"), ("/v1/forecast?latitude=0&longitude=0", "outside"),
        ("/v1/forecast?latitude=1e3&longitude=0", "latitude"),
    ]:
        status, answer = plain.json(path)
        assert status == 400 and answer["error"] is True and words in answer["reason"], path
