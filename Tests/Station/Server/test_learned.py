"""The station learns the model's usual error by hour of the day, and uses what it has learned once that was closer."""

import math
import sqlite3
import time
from contextlib import closing

import pytest

from conftest import wait

HERE = "/v1/forecast?latitude=38.7223&longitude=-9.1393&hourly=temperature_2m&timezone=UTC&timeformat=unixtime&forecast_days=5"
LEADS = (1, 2, 3, 6, 9, 12, 18, 24, 36, 48)
METRIC = "temperature_2m"


def usual(moment):
    """Returns the error of the invented model at an hour of the day: 3 °C too cold at 15:00, 1 °C too warm at 3:00."""
    return 1 + 2 * math.cos(2 * math.pi * (moment / 3600 - 15) / 24)


def invent(path, days):
    """Adds days of readings and forecasts before those of the simulated station."""
    with closing(sqlite3.connect(path)) as database, database:
        first = database.execute("SELECT min(time) FROM reading").fetchone()[0] // 3600 * 3600
        for hour in range(first - days * 86400, first, 3600):
            for second in (-120, 0, 120):
                database.execute("INSERT INTO reading (time, temperature_c) VALUES (?, ?)", (hour + second, 10 + usual(hour)))
            for lead in {*range(1, 13), *LEADS}:
                database.execute("INSERT OR IGNORE INTO forecast VALUES (?, ?, ?, 10, NULL)", (hour - lead * 3600, hour, METRIC))


def learned(path):
    """Learns from the store, independently of the station: the bias by hour, and by lead the errors of the three methods."""
    with closing(sqlite3.connect(path)) as database:
        truth, model = {}, {}
        for moment, value in database.execute("SELECT time, temperature_c FROM reading"):
            hour = (moment + 300) // 3600 * 3600
            if -300 <= moment - hour < 300:
                truth.setdefault(hour, []).append(value)
        for issued, valid, value in database.execute("SELECT issued, valid, model FROM forecast WHERE metric = ?", (METRIC,)):
            model[valid, (valid - issued) // 3600] = value
        last = database.execute("SELECT max(issued) FROM forecast").fetchone()[0] - 3600
    sums, counts, known = [0.0] * 24, [0.0] * 24, {}
    errors = {lead: [] for lead in LEADS}

    def smooth():
        bias = []
        for hour in range(24):
            weights = [math.exp(-0.5 * (min((hour - other) % 24, (other - hour) % 24) / 1.5) ** 2) for other in range(24)]
            bias.append(sum(w * s for w, s in zip(weights, sums)) / (3 + sum(w * c for w, c in zip(weights, counts))))
        return bias

    for hour in range(min(truth), last + 1, 3600):
        seen = truth.get(hour) and sum(truth[hour]) / len(truth[hour])
        of_day = hour // 3600 % 24
        for lead in LEADS:
            then = known.get(hour - lead * 3600)
            if seen is None or then is None or (hour, lead) not in model:
                continue
            rest, (offset, bias) = seen - model[hour, lead], then
            decay = math.exp(-lead / 6)
            unusual = offset - bias[(of_day - lead) % 24]
            errors[lead].append((rest, rest - decay * offset, rest - bias[of_day] - decay * unusual))
        newest = next((model[hour, lead] for lead in range(1, 13) if (hour, lead) in model), None)
        if seen is None or newest is None:
            continue
        sums[of_day] = sums[of_day] * 0.5 ** (1 / 14) + seen - newest
        counts[of_day] = counts[of_day] * 0.5 ** (1 / 14) + 1
        known[hour] = seen - newest, smooth()
    return smooth(), errors


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """Returns the path of a store with 16 days of an invented past and the past of a simulated station."""
    from conftest import Served

    path = tmp_path_factory.mktemp("learned") / "station.sqlite"
    station = Served("--store", path)
    wait(lambda: station.json("/v1/station")[1]["time"])
    station.stop()
    invent(path, 16)
    return path


def test_a_new_station_says_that_it_learns(plain):
    learning = plain.json(HERE)[1]["aneroid"]["learned"][METRIC]
    assert learning["state"] == "learning" and learning["needed"] == 240
    assert learning["lead_hours"] == list(LEADS) and set(learning["method"]) == {"offset"}
    assert all(low is None for low in learning["low"])


def test_the_station_learns_what_its_store_contains(history, serve):
    station = serve("--store", history)
    wait(lambda: station.json("/v1/station")[1]["time"])
    # Avoid the seconds around a full hour.
    while not 10 < time.time() % 3600 < 3580:
        time.sleep(1)
    corrected, plainly = station.json(HERE)[1], station.json(HERE + "&corrected=false")[1]
    assert plainly["aneroid"]["learned"] == {}
    told = corrected["aneroid"]["learned"][METRIC]
    bias, errors = learned(history)
    assert told["state"] == "used"
    for index, lead in enumerate(LEADS):
        assert told["n"][index] == len(errors[lead]) >= 240
        mean = [sum(abs(one[kind]) for one in errors[lead]) / len(errors[lead]) for kind in range(3)]
        for kind, name in enumerate(("mae_model", "mae_offset", "mae_learned")):
            assert told[name][index] == pytest.approx(mean[kind], abs=0.002), (lead, name)
        best = 2 if mean[2] <= 0.98 * min(mean[:2]) else 1 if mean[1] <= mean[0] else 0
        assert told["method"][index] == ("model", "offset", "learned")[best]
        ordered = sorted(one[best] for one in errors[lead])
        tenth = len(ordered) // 10
        assert told["low"][index] == pytest.approx(ordered[tenth], abs=0.002)
        assert told["high"][index] == pytest.approx(ordered[-1 - tenth], abs=0.002)
    assert told["method"][LEADS.index(24)] == "learned"
    offset, start = corrected["aneroid"]["offset"][METRIC], time.time()

    def usual_at(moment):
        hour, share = int(moment // 3600), moment % 3600 / 3600
        return (1 - share) * bias[hour % 24] + share * bias[(hour + 1) % 24]

    def by_method(method, moment, ahead):
        decay = math.exp(-ahead / 6)
        if method == "learned":
            return usual_at(moment) + decay * (offset - usual_at(start))
        return decay * offset if method == "offset" else 0

    compared = 0
    for moment, one, other in zip(corrected["hourly"]["time"], corrected["hourly"][METRIC], plainly["hourly"][METRIC]):
        ahead = (moment - start) / 3600
        if ahead < 0.05 or None in (one, other):
            continue
        after = next((index for index, lead in enumerate(LEADS) if lead >= ahead), None)
        if after is None:
            expected = by_method(told["method"][-1], moment, ahead) * max(0, 1 - (ahead - LEADS[-1]) / 24)
        elif after == 0:
            expected = by_method(told["method"][0], moment, ahead)
        else:
            share = (ahead - LEADS[after - 1]) / (LEADS[after] - LEADS[after - 1])
            expected = sum(part * by_method(told["method"][index], moment, ahead)
                           for part, index in ((1 - share, after - 1), (share, after)))
        assert one - other == pytest.approx(expected, abs=0.13), (ahead, expected)
        compared += 1
    assert compared > 70


def test_forecasts_two_days_ahead_are_stored_to_be_judged(history):
    with closing(sqlite3.connect(history)) as database:
        leads = {lead // 3600 for lead, in database.execute(
            "SELECT valid - issued FROM forecast WHERE metric = ? AND corrected IS NOT NULL", (METRIC,))}
        rain = {lead // 3600 for lead, in database.execute("SELECT valid - issued FROM forecast WHERE metric = 'precipitation'")}
    assert leads == {*range(1, 13), 18, 24, 36, 48} and rain == set(range(1, 13))
