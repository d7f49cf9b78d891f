"""`/v1/forecast` and the compact forecast, as read by the clients of Open-Meteo and of the Norwegian Meteorological Institute."""

import asyncio
import math
import time
from datetime import datetime, timedelta, timezone

import aiohttp
import openmeteo_requests
import pytest
from metno import CONDITIONS, MetWeatherData
from open_meteo.models import DailyParameters, Forecast, HourlyParameters
from openmeteo_sdk.Aggregation import Aggregation
from openmeteo_sdk.Unit import Unit
from openmeteo_sdk.Variable import Variable

PORTO, LISBON = (41.1579, -8.6291), (38.7223, -9.1393)
PATH = "/v1/forecast?latitude={}&longitude={}".format(*PORTO)
HOURLY = ["temperature_2m", "relative_humidity_2m", "dew_point_2m", "apparent_temperature", "wet_bulb_temperature_2m",
          "vapour_pressure_deficit", "precipitation", "rain", "snowfall", "cloud_cover", "wind_speed_10m", "wind_direction_10m",
          "pressure_msl", "surface_pressure", "weather_code", "is_day"]


def test_the_official_client_reads_every_part(plain):
    """The values of Open-Meteo's own client, from FlatBuffers, are those of the JSON response, for two locations."""
    daily = ["temperature_2m_max", "precipitation_sum", "wind_direction_10m_dominant", "sunrise", "daylight_duration", "uv_index_max"]
    params = {"latitude": [PORTO[0], 38.0], "longitude": [PORTO[1], -8.0], "hourly": HOURLY, "daily": daily,
              "minutely_15": ["temperature_2m", "precipitation"], "current": ["temperature_2m", "is_day", "wind_gusts_10m"],
              "timezone": "auto", "forecast_days": 3, "corrected": "false", "models": "best_match"}
    client = openmeteo_requests.Client()
    answers = client.weather_api(plain.url + "/v1/forecast", params=params)
    query = "&".join(f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}" for name, value in params.items())
    status, texts = plain.json(f"/v1/forecast?{query}&timeformat=unixtime")
    assert status == 200 and len(answers) == len(texts) == 2
    assert [text.get("location_id") for text in texts] == [None, 1] and [answer.LocationId() for answer in answers] == [0, 1]
    for answer, text in zip(answers, texts):
        assert answer.Latitude() == pytest.approx(text["latitude"], abs=1e-4) and answer.Elevation() == pytest.approx(text["elevation"], abs=0.1)
        assert answer.Timezone() == text["timezone"].encode() == b"Europe/Lisbon"
        assert answer.UtcOffsetSeconds() == text["utc_offset_seconds"] and answer.Model() == 1
        for part, name, interval in ((answer.Hourly(), "hourly", 3600), (answer.Minutely15(), "minutely_15", 900), (answer.Daily(), "daily", 86400)):
            values = text[name]
            assert (part.Time(), part.Interval()) == (values["time"][0], interval)
            assert part.TimeEnd() - part.Time() == len(values["time"]) * interval
            names = [key for key in values if key != "time"]
            assert part.VariablesLength() == len(names)
            for index, key in enumerate(names):
                column = part.Variables(index)
                read = column.ValuesInt64AsNumpy() if key == "sunrise" else column.ValuesAsNumpy()
                assert len(read) == len(values[key])
                for one, two in zip(read, values[key]):
                    assert math.isnan(one) if two is None else one == pytest.approx(two, abs=0.51 if key in ("cloud_cover", "wind_direction_10m", "wind_direction_10m_dominant", "relative_humidity_2m", "daylight_duration") else 0.06), key
        now = answer.Current()
        assert now.Variables(0).Value() == pytest.approx(text["current"]["temperature_2m"], abs=0.06) and now.Interval() == 900
        assert text["current"]["wind_gusts_10m"] is None and math.isnan(now.Variables(2).Value())
        first, gust = answer.Hourly().Variables(0), now.Variables(2)
        assert (first.Variable(), first.Altitude(), first.Unit()) == (Variable.temperature, 2, Unit.celsius)
        assert (gust.Variable(), gust.Altitude(), text["current_units"]["wind_gusts_10m"]) == (Variable.wind_gusts, 10, "km/h")
        wind = answer.Hourly().Variables(HOURLY.index("wind_speed_10m"))
        assert (wind.Variable(), wind.Altitude(), wind.Unit()) == (Variable.wind_speed, 10, Unit.kilometres_per_hour)
        most = answer.Daily().Variables(0)
        assert (most.Variable(), most.Aggregation()) == (Variable.temperature, Aggregation.maximum)
    with pytest.raises(openmeteo_requests.OpenMeteoRequestsError, match="latitude"):
        client.weather_api(plain.url + "/v1/forecast", params={"latitude": 99, "longitude": 0})


def test_every_variable_of_a_client_is_accepted(plain):
    """Each variable that a client of Open-Meteo knows has a column: values, or null with the unit 'undefined'; others are errors."""
    for part, known in (("hourly", HourlyParameters), ("daily", DailyParameters), ("minutely_15", HourlyParameters)):
        names = [one.value for one in known]
        for start in range(0, len(names), 40):
            some = names[start:start + 40]
            status, answer = plain.json(f"{PATH}&{part}={','.join(some)}&forecast_days=1")
            assert status == 200, answer
            assert set(answer[part]) == {"time", *some}
            for name in some:
                missing = answer[part + "_units"][name] == "undefined"
                assert not missing or set(answer[part][name]) == {None}, name
                assert missing or name not in HOURLY or None not in answer[part][name], name
    # Earlier spellings keep their name in the response.
    answer = plain.json(f"{PATH}&hourly=relativehumidity_2m,relative_humidity_2m,windspeed_10m&daily=weathercode")[1]
    assert answer["hourly"]["relativehumidity_2m"] == answer["hourly"]["relative_humidity_2m"] and "weathercode" in answer["daily"]
    for wrong in ("temperature_3", "temperatur_2m", "snow", "relative_humidity_2m_mx"):
        status, answer = plain.json(f"{PATH}&hourly={wrong}")
        assert status == 400 and wrong in answer["reason"], answer


def test_another_client_reads_the_response(plain):
    """The models of another client of Open-Meteo accept the response, also with the current weather in its earlier form."""
    text = plain.request(f"{PATH}&hourly=temperature_2m,precipitation&daily=sunrise,temperature_2m_max,weather_code&current_weather=true"
                         "&minutely_15=temperature_2m&timezone=Europe/Lisbon&cell_selection=nearest&elevation=nan")[2]
    read = Forecast.from_json(text)
    assert read.latitude == pytest.approx(PORTO[0], abs=0.01) and len(read.hourly.time) == 168
    assert read.daily.sunrise[0].hour in range(5, 9)
    plainly = plain.json(f"{PATH}&current=temperature_2m,wind_speed_10m,weather_code&current_weather=true")[1]
    now, old = plainly["current"], plainly["current_weather"]
    assert (old["temperature"], old["windspeed"], old["weathercode"], old["interval"]) == (
        now["temperature_2m"], now["wind_speed_10m"], now["weather_code"], 900)


@pytest.mark.parametrize("words, first, count, step", [
    ("start_date=DAY&end_date=DAY", 0, 24, 3600), ("forecast_hours=6", "now", 6, 3600), ("past_hours=3&forecast_hours=1", "now-3", 4, 3600),
    ("start_hour=DAYT06:00&end_hour=DAYT09:00", 6, 4, 3600), ("forecast_minutely_15=8", "now", 8, 900),
    ("start_minutely_15=DAYT06:15&end_minutely_15=DAYT07:00", 6.25, 4, 900), ("start_hour=DAYT06:00&end_hour=DAYT07:00", 6, 5, 900),
    ("past_days=2&forecast_days=0", -48, 48, 3600), ("forecast_days=16", 0, 384, 3600),
])
def test_the_requested_times_are_those_of_the_response(plain, words, first, count, step):
    """Days, hours and quarters are selected by dates, by times, and by numbers before and after now."""
    part = "hourly" if step == 3600 else "minutely_15"
    now = int(time.time())
    day = now - now % 86400
    words = words.replace("DAY", f"{datetime.fromtimestamp(now, timezone.utc):%Y-%m-%d}")
    answer = plain.json(f"{PATH}&{part}=temperature_2m&timeformat=unixtime&{words}")[1]
    times = answer[part]["time"]
    if isinstance(first, str):
        start = now - now % step + (int(first[3:]) * step if first[3:] else 0)
    else:
        start = day + int(first * 3600)
    assert times == [start + index * step for index in range(count)], answer
    assert len(answer[part]["temperature_2m"]) == count


def test_a_quarter_of_an_hour_is_between_its_hours(plain):
    """At full hours the values are the hourly ones; between them they are linear, and the rain of four quarters is that of the hour."""
    answer = plain.json(f"{PATH}&hourly=temperature_2m,precipitation,dew_point_2m&minutely_15=temperature_2m,precipitation,dew_point_2m&forecast_days=7&corrected=false")[1]
    hours, quarters = answer["hourly"], answer["minutely_15"]
    assert len(quarters["time"]) == 672 and quarters["time"][::4] == hours["time"]
    assert quarters["temperature_2m"][::4] == hours["temperature_2m"] and quarters["dew_point_2m"][::4] == hours["dew_point_2m"]
    for index in range(len(hours["time"]) - 1):
        one, two = hours["temperature_2m"][index], hours["temperature_2m"][index + 1]
        assert quarters["temperature_2m"][4 * index + 1] == pytest.approx(one + (two - one) / 4, abs=0.11)
        rain = sum(quarters["precipitation"][4 * index + 1:4 * index + 5])
        assert rain == pytest.approx(hours["precipitation"][index + 1], abs=0.03)
    assert sum(hours["precipitation"]) > 1
    day = hours["time"][0][:10].replace("-", "")
    place = "Lon={1}&Lat={0}".format(*PORTO)
    for path in (f"/PrevByDateAndMetric.php?{place}&Date={day}&Metric=", f"/PrevForNextHoursByMetric.php?{place}&Date={day}_00&Metric="):
        whole, parts = plain.json(path + "temp")[1]["response"]["points"], plain.json(path + "temp&Step=15")[1]["response"]["points"]
        assert len(parts) == 96 and parts[::4] == whole
        rain, drops = plain.json(path + "rain")[1]["response"]["points"], plain.json(path + "rain&Step=15")[1]["response"]["points"]
        assert sum(drops) == pytest.approx(sum(rain), abs=0.05 * 96)
        status, wrong = plain.json(path + "temp&Step=20")
        assert status == 400 and wrong["error"]["code"] == "bad_step"


def test_derived_values_follow_from_the_others(plain):
    """Dew point, vapour pressure deficit and wet bulb agree with independent formulas; rain and snow are the precipitation."""
    hours = plain.json(f"{PATH}&hourly={','.join(HOURLY)}&forecast_days=7&corrected=false")[1]["hourly"]
    for index in range(168):
        t, rh = hours["temperature_2m"][index], hours["relative_humidity_2m"][index]
        saturated = 0.6108 * math.exp(17.27 * t / (t + 237.3))
        vapour = saturated * rh / 100
        dew = 237.3 * math.log(vapour / 0.6108) / (17.27 - math.log(vapour / 0.6108))
        assert hours["dew_point_2m"][index] == pytest.approx(dew, abs=0.35)
        assert hours["vapour_pressure_deficit"][index] == pytest.approx(saturated - vapour, abs=0.03)
        # The psychrometer's equation at the wet bulb (WMO-No. 8, annex 4.B).
        wet = hours["wet_bulb_temperature_2m"][index]
        p = hours["surface_pressure"][index]
        at_wet = 6.112 * math.exp(17.62 * wet / (243.12 + wet))
        assert at_wet - 6.53e-4 * (1 + 0.000944 * wet) * p * (t - wet) == pytest.approx(10 * vapour, abs=1.2)
        assert dew - 0.4 <= wet <= t + 0.4
        assert hours["rain"][index] + hours["snowfall"][index] / 0.7 == pytest.approx(hours["precipitation"][index], abs=0.02)


@pytest.mark.parametrize("words, reason", [
    ("latitude=41,42&longitude=-8", "same number of values"), ("latitude=41&longitude=-8&timezone=UTC,UTC", "one for each location"),
    ("latitude=" + ",".join(["41"] * 101) + "&longitude=" + ",".join(["-8"] * 101), "at most 100 locations"),
    ("latitude=41,99&longitude=-8,-8", "latitude"), ("latitude=41,10&longitude=-8,10&hourly=temperature_2m", "location 2: "),
    ("latitude=41&longitude=-8&start_date=2026-01-31", "must be given together"), ("latitude=41&longitude=-8&start_date=x&end_date=y", "start_date must be"),
    ("latitude=41&longitude=-8&start_date=2000-01-01&end_date=2000-01-02", "must be from"),
    ("latitude=41&longitude=-8&start_hour=2000-01-01T00:00&end_hour=2000-01-01T01:00", "days ago"),
    ("latitude=41&longitude=-8&forecast_hours=99999", "forecast_hours must be"), ("latitude=41&longitude=-8&models=a,b", "one forecast"),
    ("latitude=41&longitude=-8&elevation=99999", "elevation must be"), ("latitude=41&longitude=-8&format=csv", "format must be one of json, flatbuffers"),
    ("latitude=41&longitude=-8&windspeed_unit=kn&wind_speed_unit=kn", "same parameter"),
    ("latitude=41&longitude=-8&temporal_resolution=native", "temporal_resolution must be"),
])
def test_wrong_parameters_are_named(plain, words, reason):
    """Each error names the parameter, and of several locations the one that has no forecast."""
    status, answer = plain.json("/v1/forecast?" + words)
    assert status == 400 and answer["error"] is True and reason in answer["reason"], answer


def test_an_elevation_shifts_temperature_and_pressure(plain):
    """Values for a stated elevation follow the standard lapse rate; the response says which elevation it is for."""
    low = plain.json(f"{PATH}&hourly=temperature_2m,surface_pressure,pressure_msl&elevation=0&corrected=false")[1]
    high = plain.json(f"{PATH}&hourly=temperature_2m,surface_pressure,pressure_msl&elevation=1000&corrected=false")[1]
    assert (low["elevation"], high["elevation"], high["aneroid"]["current_from"]) == (0, 1000, "model")
    for index in range(168):
        one, two = low["hourly"], high["hourly"]
        assert one["temperature_2m"][index] - two["temperature_2m"][index] == pytest.approx(6.5, abs=0.11)
        assert one["pressure_msl"][index] == two["pressure_msl"][index]
        assert 105 < one["surface_pressure"][index] - two["surface_pressure"][index] < 125


def test_the_client_of_the_norwegian_institute_reads_the_compact_forecast(plain):
    """Its current values, its hours and its days are those of the other service."""
    async def read():
        async with aiohttp.ClientSession() as session:
            client = MetWeatherData({"lat": PORTO[0], "lon": PORTO[1], "altitude": 100}, session,
                                    api_url=plain.url + "/weatherapi/locationforecast/2.0/compact")
            assert await client.fetching_data()
            return client.get_current_weather(), client.get_forecast(timezone.utc, hourly=True), client.get_forecast(timezone.utc), client.data
    now, hours, days, data = asyncio.run(read())
    other = plain.json(f"{PATH}&hourly=temperature_2m,wind_speed_10m,precipitation,pressure_msl&timeformat=unixtime&corrected=false&forecast_days=3")[1]["hourly"]
    rows = {at: row for at, *row in zip(*(other[name] for name in other))}
    assert len(hours) == 24 and len(days) >= 3 and all(day["templow"] <= day["temperature"] for day in days)
    for hour in hours:
        at = int(datetime.fromisoformat(hour["datetime"]).timestamp())
        assert hour["temperature"] == pytest.approx(rows[at][0], abs=0.06) and hour["wind_speed"] == pytest.approx(rows[at][1], abs=0.25)
        assert hour["precipitation"] == pytest.approx(rows[at + 3600][2], abs=0.06) and hour["pressure"] == pytest.approx(rows[at][3], abs=0.06)
        assert hour["condition"] in set(CONDITIONS.values())
    assert now["temperature"] is not None and data["geometry"]["coordinates"][:2] == [PORTO[1], PORTO[0]]
    steps = [datetime.fromisoformat(one["time"].replace("Z", "+00:00")) for one in data["properties"]["timeseries"]]
    gaps = [two - one for one, two in zip(steps, steps[1:])]
    assert gaps[:59] == [timedelta(hours=1)] * 59 and set(gaps[60:]) == {timedelta(hours=6)}
    codes = {part["summary"]["symbol_code"] for one in data["properties"]["timeseries"] for name, part in one["data"].items() if name != "instant"}
    assert all(code.removesuffix("_day").removesuffix("_night") in CONDITIONS for code in codes), codes
    complete = plain.json(f"/weatherapi/locationforecast/2.0/complete?lat={PORTO[0]}&lon={PORTO[1]}")[1]["properties"]
    assert complete["meta"]["units"]["dew_point_temperature"] == "celsius"
    for one, two in zip(complete["timeseries"], data["properties"]["timeseries"]):
        details = one["data"]["instant"]["details"]
        dew = details.pop("dew_point_temperature")
        assert dew <= details["air_temperature"] and details == two["data"]["instant"]["details"]
    assert plain.json("/weatherapi/locationforecast/2.0/compact?lat=99&lon=0")[0] == 400
    assert plain.json("/weatherapi/locationforecast/2.0/compact?lat=10&lon=10")[0] == 404
