"""Responses in the format of the service for weather that the sample may not contain at the
moment."""
from datetime import datetime, timedelta, timezone
from math import cos, pi

# Values of each kind of weather: WMO code, cloud in %, rain in mm/h, wind in m/s, mean temperature
# in °C.
KINDS = {
    "clear": (0, 4, 0.0, 3.0, 21.0),
    "few": (1, 30, 0.0, 4.0, 19.0),
    "broken": (2, 65, 0.0, 5.0, 17.0),
    "overcast": (3, 97, 0.0, 5.0, 14.0),
    "fog": (45, 100, 0.0, 1.0, 8.0),
    "light-rain": (61, 90, 0.5, 6.0, 14.0),
    "rain": (63, 96, 2.4, 8.0, 13.0),
    "heavy-rain": (65, 100, 7.5, 11.0, 12.0),
    "snow": (73, 100, 1.2, 5.0, -1.0),
    "storm": (95, 100, 9.0, 19.0, 15.0),
}


def text(time):
    """Formats a time as ISO 8601 without a zone, to the minute."""
    return time.strftime("%Y-%m-%dT%H:%M")


def hour_of(kind, hour, shift, day=0):
    """Returns the values of one hour of the day."""
    code, cloud, rain, wind, mean = KINDS[kind]
    warm = mean + 5 * cos((hour - 15) / 24 * 2 * pi) + shift
    return {
        "temperature_2m": round(warm, 2), "relative_humidity_2m": round(70 - day - 15 * cos((hour - 15) / 24 * 2 * pi), 1),
        "precipitation": round(rain * (1 + 0.5 * cos(hour)), 2) if rain else 0.0, "cloud_cover": cloud,
        "wind_speed_10m": round(wind + cos(hour / 3), 2), "wind_direction_10m": (210 + hour * 7 + day * 20) % 360,
        "pressure_msl": round(1013 + 1.5 * day + 4 * cos(hour / 8), 2), "surface_pressure": round(1005 + 4 * cos(hour / 8), 2),
        "apparent_temperature": round(warm - wind * 0.3, 2), "weather_code": code, "is_day": 1 if 7 <= hour < 18 else 0,
    }


def forecast(now, kind="few", corrected=True, warnings=(), place=(40.2069, -8.42), mixed=False, hour=None, unix=True, obstacle=None, learned=None):
    """Returns a response of /v1/forecast whose current time is `hour` of the place's day, by the
    choice of the zone."""
    ahead = 0 if hour is None else (hour - now.hour + 12) % 24 - 12
    offset = ahead * 3600

    def stamp(time):
        """Returns a local time as seconds since 1970 or as ISO 8601."""
        return int((time - timedelta(seconds=offset)).timestamp()) if unix else text(time)
    local = now + timedelta(seconds=offset)
    first = local.replace(hour=0, minute=0, second=0, microsecond=0)
    shift = 0.8 if corrected else 0.0
    kinds = list(KINDS) if mixed else [kind]
    hours = [(first + timedelta(hours=index), kinds[index // 5 % len(kinds)]) for index in range(8 * 24 - 6)]
    rows = [hour_of(one, time.hour, shift if abs((time - local).total_seconds()) < 9 * 3600 else 0, (time - first).days) for time, one in hours]
    hourly = {name: [row[name] for row in rows] for name in rows[0]} | {"time": [stamp(time) for time, _ in hours]}
    return {
        "latitude": place[0], "longitude": place[1], "elevation": 75, "utc_offset_seconds": offset, "timezone": f"Etc/GMT{-ahead:+d}" if ahead else "UTC",
        "hourly": hourly, "daily": daily(first, hourly, stamp),
        "current": {"time": stamp(local), "interval": 900} | hour_of(kind, local.hour, shift),
        "aneroid": {
            "current_from": "station" if corrected else "model", "model_run": first.strftime("%Y-%m-%dT00:00:00Z"),
            "corrected": corrected, "offset": {"temperature_2m": 0.8, "pressure_msl": -1.2} if corrected else {},
            "learned": {"temperature_2m": learnt(learned)} if corrected and learned else {},
            "uncorrected_because": obstacle, "labels": ["synthetic"], "warnings": list(warnings),
        },
    }


def learnt(state):
    """Returns what the station has learned about the temperature: an error that grows with the lead time."""
    leads = [1, 2, 3, 6, 9, 12, 18, 24, 36, 48]
    known = state != "learning"
    return {
        "state": state, "needed": 240, "lead_hours": leads, "method": ["learned" if state == "used" else "offset"] * 10,
        "n": [720 if known else 80 - lead for lead in leads],
        "low": [-0.5 - 0.05 * lead if known else None for lead in leads], "high": [1 + 0.05 * lead if known else None for lead in leads],
        "mae_model": [1.06] * 10, "mae_offset": [1.05] * 10, "mae_learned": [0.93 if state == "used" else 1.09] * 10,
    }


def daily(first, hourly, stamp):
    """Aggregates hours to days."""
    days = [slice(index * 24, index * 24 + 24) for index in range(8)]
    def each(name, total):
        return [round(total(hourly[name][day]), 2) for day in days]
    def mean(values):
        return sum(values) / len(values)
    dates = [first + timedelta(days=index) for index in range(8)]
    return {
        "time": [stamp(day) for day in dates],
        "temperature_2m_max": each("temperature_2m", max), "temperature_2m_min": each("temperature_2m", min),
        "precipitation_sum": each("precipitation", sum), "relative_humidity_2m_mean": each("relative_humidity_2m", mean),
        "cloud_cover_mean": each("cloud_cover", mean), "wind_speed_10m_max": each("wind_speed_10m", max),
        "wind_direction_10m_dominant": each("wind_direction_10m", mean), "pressure_msl_mean": each("pressure_msl", mean),
        "weather_code": each("weather_code", max), "sunrise": [stamp(day.replace(hour=7, minute=12)) for day in dates],
        "sunset": [stamp(day.replace(hour=17, minute=48)) for day in dates],
    }


def station(now, sequence=1, pressure=1009.4):
    """Returns a response of /v1/station."""
    return {
        "sequence": sequence, "name": "Coimbra", "latitude": 40.1866, "longitude": -8.4161, "elevation_m": 75,
        "place_radius_m": 15000, "source": "simulated", "time": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "age_s": 3,
        "temperature_c": 18.43, "humidity_percent": 61.2, "pressure_hpa": pressure, "pressure_msl_hpa": pressure + 8.9,
        "tendency": {"change_hpa": -1.3, "over_s": 10800, "trend": "falling", "words": "falling"},
        "forecasts": {"thesis": {"code": "stable", "text": "stable"}, "an3914": {"code": "cloudy", "text": "cloudy"},
                      "zambretti": {"letter": "N", "text": "Showery, bright intervals"}},
        "quality": {"status": "good", "reasons": []},
    }


def history(now, hours=24):
    """Returns readings at intervals of ten minutes."""
    count = hours * 6
    return [{
        "sequence": index, "time": (now - timedelta(minutes=10 * (count - index))).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "temperature_c": 18.0, "humidity_percent": 60.0, "pressure_hpa": round(1011 + 2.2 * cos(index / 23), 2),
    } for index in range(count)]


def score(now, wet=5):
    """Returns a response of /v1/score."""
    def both(model, corrected):
        return {"model": {"mae": model, "bias": -model / 2, "n": 24}, "corrected": {"mae": corrected, "bias": 0.1, "n": 24}}
    return {
        "lead_s": 10800, "barometer_judged_by": "the model's rain of the six hours", "date": (now - timedelta(days=1)).strftime("%Y-%m-%d"),
        "metrics": {"temperature_2m": both(1.42, 0.61), "pressure_msl": both(1.1, 0.35), "relative_humidity_2m": both(6.2, 7.0)},
        "barometer": {"thesis": {"hits": 17, "n": 24, "wet": wet, "said_wet": 4}, "an3914": {"hits": 15, "n": 24}, "zambretti": {"hits": 19, "n": 24}},
    }


def moment():
    """Returns the current time in UTC."""
    return datetime.now(timezone.utc)
