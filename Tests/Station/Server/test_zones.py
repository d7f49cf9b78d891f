"""Time zones: any name of the IANA database, compared with Python's own implementation; `auto` is
the zone of the place."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

LISBON = "/v1/forecast?latitude=38.7223&longitude=-9.1393"
ZONES = ["Asia/Kolkata", "America/St_Johns", "Asia/Kathmandu", "America/New_York", "Pacific/Auckland", "Pacific/Kiritimati",
         "Etc/GMT+5", "Africa/Casablanca", "Europe/Dublin", "UTC"]


@pytest.mark.parametrize("name", ZONES)
def test_times_and_days_of_any_zone(plain, name):
    path = f"{LISBON}&hourly=temperature_2m&daily=temperature_2m_max,sunrise&timezone={name.replace('+', '%2B')}"
    status, told = plain.json(path)
    assert status == 200 and told["timezone"] == name
    unix = plain.json(path + "&timeformat=unixtime")[1]
    zone = ZoneInfo(name)
    for text, moment in zip(told["hourly"]["time"], unix["hourly"]["time"]):
        assert datetime.fromtimestamp(moment, zone).strftime("%Y-%m-%dT%H:%M") == text
    assert told["hourly"]["time"][0].endswith("T00:00")
    for day, moment in zip(told["daily"]["time"], unix["daily"]["time"]):
        assert datetime.fromtimestamp(moment, zone).strftime("%Y-%m-%dT%H:%M") == day + "T00:00"
    shift = datetime.now(zone).utcoffset()
    assert timedelta(seconds=told["utc_offset_seconds"]) == shift
    hours, minutes = divmod(abs(shift) // timedelta(minutes=1), 60)
    short = f"GMT{'+' if shift > timedelta(0) else '-'}{hours}" + (f":{minutes:02}" if minutes else "") if shift else "GMT"
    assert told["timezone_abbreviation"] == ("UTC" if name == "UTC" else short)


@pytest.mark.parametrize("name", ["Mars/Olympus", "europe/lisbon", "../../etc/passwd", "zone1970.tab", "posix/UTC", "localtime"])
def test_an_unknown_zone_is_a_clear_error(plain, name):
    status, answer = plain.json(f"{LISBON}&hourly=temperature_2m&timezone={name}")
    assert status == 400 and answer["error"] is True
    assert f"unknown timezone '{name}'" in answer["reason"] and "IANA" in answer["reason"]


def test_auto_is_the_place_s_zone(plain):
    for place, name in [((38.72, -9.14), "Europe/Lisbon"), ((41.8, -6.76), "Europe/Lisbon"), ((40.0, -6.0), "Europe/Madrid")]:
        answer = plain.json(f"/v1/forecast?latitude={place[0]}&longitude={place[1]}&hourly=temperature_2m&timezone=auto")[1]
        assert answer["timezone"] == name


def test_a_system_without_a_zone_database_supports_portugal(serve, monkeypatch):
    monkeypatch.setenv("TZDIR", "/nowhere")
    station = serve()
    assert station.json(f"{LISBON}&hourly=temperature_2m&timezone=auto")[1]["timezone"] == "Europe/Lisbon"
    status, answer = station.json(f"{LISBON}&hourly=temperature_2m&timezone=Asia/Tokyo")
    assert status == 400 and "no time zone database" in answer["reason"]
