"""Responses without a current forecast: expired runs, broken files and missing files."""

import os
from datetime import datetime, timedelta, timezone

from conftest import wait
from test_files import day, regular

PLACE = "latitude=38.7223&longitude=-9.1393"
LISTS = "hourly=temperature_2m&daily=temperature_2m_max&current=temperature_2m,cloud_cover,is_day,pressure_msl"


def test_expired_runs_are_reported_and_the_station_keeps_serving(sample):
    """The sample's own files are of October 2013."""
    reading = wait(lambda: (a := sample.json("/v1/station")[1])["time"] and a)
    assert reading["quality"]["status"] == "good" and 950 < reading["pressure_hpa"] < 1060
    status, answer = sample.json(f"/v1/forecast?{PLACE}&{LISTS}")
    assert status == 200
    assert answer["aneroid"]["current_from"] == "station" and answer["aneroid"]["forecast_ended"] == "2013-10-08T12:00:00Z"
    assert answer["aneroid"]["model_run"] == "2013-10-01T00:00:00Z" and answer["aneroid"]["corrected"] is False
    assert abs(answer["current"]["temperature_2m"] - reading["temperature_c"]) < 0.3
    assert answer["current"]["cloud_cover"] is None and answer["current"]["is_day"] in (0, 1)
    assert set(answer["hourly"]["temperature_2m"]) == {None}
    # Away from the station there is no value.
    status, answer = sample.json(f"/v1/forecast?latitude=41.1579&longitude=-8.6291&{LISTS}")
    assert status == 400 and answer["error"] is True and answer["code"] == "no_forecast"
    assert answer["forecast_ended"] == "2013-10-08T12:00:00Z" and answer["timezone"] == "GMT" and answer["utc_offset_seconds"] == 0
    assert "ended 2013-10-08T12:00:00Z" in answer["reason"] and "2013-10-01T00:00:00Z" in answer["reason"]


def test_the_end_of_a_run_is_reported_with_the_zone_of_the_place(sample):
    _, answer = sample.json(f"/v1/forecast?latitude=41.1579&longitude=-8.6291&timezone=auto&{LISTS}")
    # The end is in daylight saving time; the end of November is in standard time.
    assert (answer["timezone"], answer["utc_offset_seconds"]) == ("Europe/Lisbon", 3600)


def test_a_current_forecast_has_no_end_reported(plain):
    status, answer = plain.json(f"/v1/forecast?{PLACE}&{LISTS}")
    assert status == 200 and answer["aneroid"]["forecast_ended"] is None
    assert answer["current"]["cloud_cover"] is not None


def test_past_days_with_data_are_returned(tmp_path, serve):
    yesterday = datetime.now(timezone.utc) - timedelta(days=1)
    station = serve("--data", regular(tmp_path / "run.nc", "NETCDF4", f"{yesterday:%Y-%m-%d} 00:00:00"))
    far = "/v1/forecast?latitude=40&longitude=-7&hourly=temperature_2m"
    assert station.json(far)[1]["code"] == "no_forecast"
    status, answer = station.json(far + "&past_days=1")
    assert status == 200 and answer["aneroid"]["forecast_ended"].startswith(f"{yesterday:%Y-%m-%d}T12")
    assert None not in answer["hourly"]["temperature_2m"][:13] and answer["hourly"]["temperature_2m"][13] is None


def test_a_broken_file_among_valid_ones_is_a_warning(tmp_path, serve):
    regular(tmp_path / "a.nc", "NETCDF4", day())
    (tmp_path / "b.nc").write_text("broken")
    station = serve("--data", tmp_path, tmp_path / "none.nc")
    path = f"/QuickPrevByDate.php?lon=-7&lat=39&date={day()[:10].replace('-', '')}_03"
    assert station.json(path)[0] == 200
    # While the station runs, a valid file is loaded even if a broken file arrives with it.
    cold = station.json(path)[1]["response"]["temp"]["now"]
    (tmp_path / "c.nc").write_text("broken as well")
    regular(tmp_path / "draft", "NETCDF4", day(), warmer=9)
    os.replace(tmp_path / "draft", tmp_path / "a.nc")
    wait(lambda: abs(station.json(path)[1]["response"]["temp"]["now"] - cold - 9) < 0.11)
    station.stop()
    for name in ("b.nc", "c.nc", "none.nc"):
        assert station.talk.count(name) == 1, station.talk


def test_missing_files_are_not_reported_as_a_place_outside_the_grid(tmp_path, serve):
    folder = tmp_path / "runs"
    folder.mkdir()
    regular(folder / "run.nc", "NETCDF4", day())
    station = serve("--data", folder)
    path = f"/QuickPrevByDate.php?lon=-7&lat=39&date={day()[:10].replace('-', '')}_03"
    assert station.json(path)[0] == 200
    (folder / "run.nc").unlink()
    status, answer = wait(lambda: (a := station.json(path))[0] != 200 and a)
    assert status == 503 and answer["error"]["code"] == "unavailable"
    status, answer = station.json("/v1/forecast?latitude=40&longitude=-7")
    assert status == 503 and answer["code"] == "unavailable"
    regular(folder / "again.nc", "NETCDF4", day())
    wait(lambda: station.json(path)[0] == 200)


def test_overwriting_a_file_with_invalid_data_keeps_the_others(tmp_path, serve):
    regular(tmp_path / "old.nc", "NETCDF4", day())
    regular(tmp_path / "new.nc", "NETCDF4", day(1), warmer=5)
    station = serve("--data", tmp_path)
    path = f"/QuickPrevByDate.php?lon=-7&lat=39&date={day()[:10].replace('-', '')}_03"
    warm = station.json(path)[1]["response"]["temp"]["now"]
    (tmp_path / "new.nc").write_text("rubbish")
    wait(lambda: station.json(path)[1]["response"]["temp"]["now"] != warm, 60)
    assert station.json(path)[0] == 200
