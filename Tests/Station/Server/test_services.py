"""The four services: the document's own examples, every value compared with an independent reader,
and every error."""

import gzip
import json
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from conftest import SAMPLE
from judge import Sample

METRICS = ["temp", "hum", "rain", "cloud", "wind_vel", "wind_dir", "atm_press"]
GOLDEN = Path(__file__).with_name("golden.json")
# The document's example has longitude 8.9341 without a sign and means west; the latitude is chosen
# here: 12 km off the coast.
PLACE = "lon=-8.9341&lat=40.4"
EXAMPLES = [
    f"/QuickPrevByDate.php?{PLACE}&date=20131001_01",
    f"/PrevByDateAndMetric.php?{PLACE}&date=20131001&metric=temp",
    f"/MedianPrevByDays.php?{PLACE}&date=20131001&days=3",
    f"/MedianPrevByDays.php?{PLACE}&date=20131001&days=7",
    f"/PrevForNextHoursByMetric.php?{PLACE}&date=20131001_01&metric=wind_dir",
    # As in the document: a metric without an hour; and east of Greenwich.
    f"/QuickPrevByDate.php?{PLACE}&date=20131001&metric=temp",
    "/QuickPrevByDate.php?lon=8.9341&lat=40.4&date=20131001_01",
]


def test_the_examples_of_the_document_have_unchanged_responses(sample):
    answers = {}
    for path in EXAMPLES:
        status, _, body = sample.request(path)
        sent = sample.request(path, {"Accept-Encoding": "gzip"})[2]
        assert len(sent) < 1024, f"{path} takes {len(sent)} bytes"
        assert (gzip.decompress(sent) if sent[:2] == b"\x1f\x8b" else sent) == body
        answers[path] = [status, json.loads(body)]
    assert answers == json.loads(GOLDEN.read_text())


@pytest.mark.parametrize("place", [(40.4, -8.9341), (38.7223, -9.1393), (37.0194, -7.9304), (41.8061, -6.7567)])
def test_every_value_matches_an_independent_reader(sample, place):
    # The finer of the two domains is used if it covers the place.
    lisbon = Sample(SAMPLE[1], *place)
    file = lisbon if lisbon.covers else Sample(SAMPLE[0], *place)
    series = {"temp": file.temperature, "hum": file.humidity, "cloud": file.cloud, "wind_vel": file.speed,
              "wind_dir": file.direction, "atm_press": file.pressure,
              "rain": np.append(file.rain[1:], np.nan)}
    query = f"lon={place[1]}&lat={place[0]}"
    for name in METRICS:
        status, answer = sample.json(f"/PrevByDateAndMetric.php?{query}&date=20131003&metric={name}")
        assert status == 200
        points = answer["response"]["points"]
        assert len(points) == 24
        digits = 0.51 if name in ("hum", "cloud", "wind_dir") else 0.051
        for hour, value in enumerate(points):
            difference = value - series[name][48 + hour]
            if name == "wind_dir":
                difference = (difference + 180) % 360 - 180
            assert abs(difference) <= digits, (name, hour)
    day = slice(48, 72)
    _, answer = sample.json(f"/MedianPrevByDays.php?{query}&date=20131003&days=0")
    (only,) = answer["response"]
    assert abs(only["temp"]["median"] - median(series["temp"][day])) <= 0.051
    assert abs(only["temp"]["max"] - max(series["temp"][day])) <= 0.051
    assert abs(only["rain"]["sum"] - sum(series["rain"][day])) <= 0.051
    angles = np.radians(series["wind_dir"][day])
    mean = np.degrees(np.arctan2(np.sin(angles).sum(), np.cos(angles).sum())) % 360
    assert abs((only["wind_dir"]["median"] - mean + 180) % 360 - 180) <= 0.51
    _, answer = sample.json(f"/PrevForNextHoursByMetric.php?{query}&date=20131003_05&metric=temp")
    assert abs(answer["response"]["points"][0] - series["temp"][53]) <= 0.051


def test_days_and_one_more_in_one_array(sample):
    for days in range(8):
        _, answer = sample.json(f"/MedianPrevByDays.php?{PLACE}&date=20131001&days={days}")
        assert len(answer["response"]) == days + 1
    # The run ends at noon of the eighth day: an incomplete day has no extremes and no median.
    last = answer["response"][7]
    assert [list(value.values()) for value in last.values()] == [[None] * 3] + [[None]] * 6


def test_parameters_in_any_case_and_rounded_to_four_decimals(sample):
    one = sample.request(f"/QuickPrevByDate.php?{PLACE}&date=20131001_01")[2]
    path = "/QuickPrevByDate.php?LON=-8.93414&Lat=40.40001&DATE=20131001_01"
    assert sample.request(path)[2] == one


def test_each_error_names_its_reason(sample):
    for path, status, code in [
        ("/QuickPrevByDate.php?date=20131001_01", 400, "bad_place"),
        ("/QuickPrevByDate.php?lon=nan&lat=40&date=20131001_01", 400, "bad_place"),
        ("/QuickPrevByDate.php?lon=-8.9&lat=91&date=20131001_01", 400, "bad_place"),
        ("/QuickPrevByDate.php?lon=-25.67&lat=37.74&date=20131001_01", 404, "outside_grid"),
        (f"/QuickPrevByDate.php?{PLACE}&date=20131001", 400, "bad_date"),
        (f"/QuickPrevByDate.php?{PLACE}&date=20131001_24", 400, "bad_date"),
        (f"/PrevByDateAndMetric.php?{PLACE}&date=20130229&metric=temp", 400, "bad_date"),
        (f"/PrevByDateAndMetric.php?{PLACE}&date=20131001&metric=snow", 400, "unknown_metric"),
        (f"/PrevByDateAndMetric.php?{PLACE}&date=20131001", 400, "unknown_metric"),
        (f"/MedianPrevByDays.php?{PLACE}&date=20131001&days=8", 400, "bad_days"),
        (f"/MedianPrevByDays.php?{PLACE}&date=20131001&days=-1", 400, "bad_days"),
        (f"/QuickPrevByDate.php?{PLACE}&date=20140101_00", 404, "no_forecast"),
        (f"/PrevForNextHoursByMetric.php?{PLACE}&date=20131008_13&metric=temp", 404, "no_forecast"),
        ("/Other.php", 404, "not_found"),
    ]:
        found, answer = sample.json(path)
        assert (found, answer["error"]["code"]) == (status, code), path
        assert "response" not in answer and answer["error"]["message"]


def test_an_unchanged_response_is_not_sent_again(sample):
    path = f"/QuickPrevByDate.php?{PLACE}&date=20131001_02"
    tags = {sample.request(path)[1]["ETag"] for _ in range(3)}
    assert len(tags) == 1 and None not in tags
    status, _, body = sample.request(path, {"If-None-Match": f'"x", {tags.pop()}'})
    assert (status, body) == (304, b"")


def test_the_sample_is_labelled_synthetic_and_covers_today(plain):
    now = datetime.utcnow()
    status, answer = plain.json(f"/QuickPrevByDate.php?lon=-9.1393&lat=38.7223&date={now:%Y%m%d_%H}")
    assert status == 200 and answer["response"]["temp"]["max"] is not None
    last = now + timedelta(days=6)
    assert plain.json(f"/PrevByDateAndMetric.php?lon=-8.6&lat=41.1&date={last:%Y%m%d}&metric=temp")[0] == 200
    _, forecast = plain.json("/v1/forecast?latitude=41.1&longitude=-8.6")
    assert forecast["aneroid"]["labels"] == ["synthetic"]
