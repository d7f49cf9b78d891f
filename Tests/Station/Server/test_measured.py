"""Near the station, past hours and today's extremes are the sensor's measurements."""

import time
from datetime import datetime, timezone

import pytest

from conftest import wait

ZONE = "timezone=UTC&timeformat=unixtime"
HERE = f"latitude=38.7223&longitude=-9.1393&{ZONE}"
FAR = f"latitude=41.1579&longitude=-8.6291&{ZONE}"
HOURLY = {"temperature_2m": "temperature_c", "relative_humidity_2m": "humidity_percent"}


@pytest.fixture(scope="module")
def answers(plain):
    """Returns the forecast for yesterday and today, and the ten-minute means around each ten
    minutes."""
    wait(lambda: plain.json("/v1/station")[1]["time"])
    # Avoid the seconds around a full hour or ten minutes.
    while not 5 < time.time() % 600 < 590:
        time.sleep(1)
    forecast = plain.json(f"/v1/forecast?{HERE}&past_days=1&forecast_days=2&hourly={','.join(HOURLY)},pressure_msl"
                          "&daily=temperature_2m_max,temperature_2m_min&current=temperature_2m")[1]
    start = datetime.fromtimestamp(forecast["hourly"]["time"][0] - 300, timezone.utc)
    history = plain.json(f"/v1/history?from={start:%Y-%m-%dT%H:%M:%SZ}&every_s=600&limit=2000")[1]["readings"]
    means = {int(datetime.fromisoformat(one["time"]).timestamp()) + 300: one for one in history}
    return forecast, means, int(time.time())


def test_hours_before_now_are_measured(answers):
    forecast, means, now = answers
    past = [index for index, moment in enumerate(forecast["hourly"]["time"]) if moment <= now]
    assert len(past) >= 24
    for name, column in HOURLY.items():
        places = 1 if name == "temperature_2m" else 0
        for index in past:
            seen = means[forecast["hourly"]["time"][index]][column]
            assert forecast["hourly"][name][index] == pytest.approx(seen, abs=0.51 * 10 ** -places + 0.01), (name, index)


def test_the_extremes_of_a_day_include_the_measurements(answers):
    forecast, means, now = answers
    hours = dict(zip(forecast["hourly"]["time"], forecast["hourly"]["temperature_2m"]))
    for index, day in enumerate(forecast["daily"]["time"][:2]):
        seen = [one["temperature_c"] for moment, one in means.items() if day <= moment < day + 86400 and moment <= now]
        told = [value for moment, value in hours.items() if day <= moment < day + 86400 and moment > now]
        assert forecast["daily"]["temperature_2m_max"][index] == pytest.approx(max(seen + told), abs=0.06)
        assert forecast["daily"]["temperature_2m_min"][index] == pytest.approx(min(seen + told), abs=0.06)


def test_the_curve_is_continuous_at_the_current_time(answers, plain):
    forecast, _, now = answers
    plainly = plain.json(f"/v1/forecast?{HERE}&past_days=1&forecast_days=2&hourly=temperature_2m,pressure_msl&corrected=false")[1]
    for name, most in (("temperature_2m", 0.5), ("pressure_msl", 0.4)):
        rows = zip(forecast["hourly"]["time"], forecast["hourly"][name], plainly["hourly"][name])
        shift = {moment: one - other for moment, one, other in rows if None not in (one, other)}
        hours = [moment for moment in shift if now - 3 * 3600 < moment < now + 3 * 3600]
        assert len(hours) == 6
        for one, other in zip(hours, hours[1:]):
            assert abs(shift[other] - shift[one]) < most, (name, (other - now) / 3600, shift)


def test_distant_places_and_uncorrected_forecasts_are_the_models(plain):
    for place in (FAR, HERE + "&corrected=false"):
        one = plain.json(f"/v1/forecast?{place}&past_days=1&hourly=temperature_2m&daily=temperature_2m_max")[1]
        most = max(one["hourly"]["temperature_2m"][:24])
        assert one["daily"]["temperature_2m_max"][0] == pytest.approx(most, abs=0.06)
