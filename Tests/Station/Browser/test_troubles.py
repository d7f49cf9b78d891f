"""Failures: expired runs, links to invalid places, slow and broken responses, a wrong device
clock."""
import re
import time

import pytest

FAR = "#place=41.8061,-6.7567&name=Bragan%C3%A7a&district=Bragan%C3%A7a"
ENDED = "2013-10-08T12:00:00Z"


def ended_with_an_error(station):
    """No run covers the current time: an error with the end of the last run."""
    station.failing = (404, {"error": True, "code": "no_forecast", "reason": f"no run covers this time; the last one ended {ENDED}"})


def ended_with_nulls(station):
    """The same as a response with null hours and the station's reading as the current values."""
    def empty(answer):
        answer["hourly"] = {name: values if name == "time" else [None] * len(values) for name, values in answer["hourly"].items()}
        answer["daily"] = {name: values if name in ("time", "sunrise", "sunset") else [None] * len(values) for name, values in answer["daily"].items()}
        known = ("time", "interval", "temperature_2m", "relative_humidity_2m", "pressure_msl")
        answer["current"] = {name: value if name in known else None for name, value in answer["current"].items()}
        answer["aneroid"]["forecast_ended"] = ENDED
        return answer
    station.edit_forecast = empty


@pytest.mark.parametrize("end", [ended_with_an_error, ended_with_nulls])
def test_a_forecast_that_has_ended_is_reported_and_the_station_stays(page, station, end):
    end(station)
    page.expected += ["404"]
    page.open(shown=False)
    page.until(lambda: "There is no forecast for Coimbra for now: the last one ended on" in page.text("#notice"), "the notice that the forecast has ended")
    assert "8 October 2013, 12:00" in page.text("#notice")
    page.until(lambda: page.text("#now-temperature") == "18°", "the station's reading")
    assert page.text("#now-from").startswith("Measured by the station here") and page.texts("#now .tile dd") == ["61 %", "1018 hPa"]
    assert not page.has("#now .icon") and not page.has("#now-sky") and "Sunny" not in page.text("main")
    assert not page.has("#next-hours") and not page.has(".day-row") and not page.js("return document.getElementById('next').checkVisibility()")
    page.until(lambda: page.text("#live") == "Live", "the live card")
    assert page.text("#station-temperature") == "18.4 °C" and page.has("#station .chart")


@pytest.mark.parametrize("place, zone, shown", [("41.8061,-6.7567", "Europe/Lisbon", "13:00 (WEST|GMT\\+1)"),
                                                ("37.74,-25.67", "Atlantic/Azores", "12:00 GMT(\\+0)?"),
                                                ("40.4,-3.7", "Europe/Madrid", "14:00 (CEST|GMT\\+2)")])
def test_the_end_is_shown_in_the_place_s_time_with_its_zone(page, station, place, zone, shown):
    station.failing = (404, {"error": True, "code": "no_forecast", "reason": "the last run ended", "forecast_ended": ENDED,
                             "timezone": zone, "utc_offset_seconds": 0})
    page.expected += ["404"]
    page.open(f"#place={place}&name=X", shown=False)
    page.until(lambda: re.search(rf"ended on 8 October 2013, {shown}\.", page.text("#notice")), f"{shown}, not {page.text('#notice')}")


@pytest.mark.parametrize("end", [ended_with_an_error, ended_with_nulls])
def test_the_next_run_is_shown_when_it_becomes_available(page, station, end):
    end(station)
    page.expected += ["404"]
    page.open(FAR, shown=False)
    page.until(lambda: "no forecast for Bragança for now" in page.text("#notice"), "the notice that the forecast has ended")
    assert page.place() == "Bragança" and not page.has("#now-temperature"), "the reading of a distant station is shown"
    station.failing, station.edit_forecast = None, lambda answer: answer
    page.js("askForecast()")
    page.until(lambda: page.has("#next-hours"), "the next run")
    assert page.text("#notice") == ""


def test_a_run_that_ends_soon_shows_its_remaining_hours(page, station):
    def cut(answer):
        end = time.time() + 30 * 3600
        for name, values in answer["hourly"].items():
            if name != "time":
                answer["hourly"][name] = [value if at <= end else None for at, value in zip(answer["hourly"]["time"], values)]
        return answer
    station.edit_forecast = cut
    page.open()
    days = page.texts("#days .day-row")
    assert 2 <= len(days) <= 3 and len(page.texts("#next-hours .hour")) == 24
    assert page.text("#days-title") == "The coming days"
    assert "–" not in page.texts("#days .day-row .high")


@pytest.mark.parametrize("place", ["999,0", "0,999", "nowhere", "40.2"])
def test_a_link_to_an_invalid_place_is_reported_and_shows_no_other_place(page, place):
    page.open("#place=37.0187,-7.9272&name=Faro")
    page.js("location.hash = arguments[0]", f"#place={place}&name=Faro")
    page.until(lambda: f"“{place}” is not a latitude and longitude" in page.text("#notice"), "the reason")
    assert page.place() == "Invalid place" and page.has("#notice [role=alert]")
    assert not page.has("#now-temperature") and not page.has("#next-hours") and not page.js("return document.getElementById('star-button').checkVisibility()")
    assert "Faro" not in page.text("header") + page.text("main") + page.driver.title
    page.visit("Tomar")
    page.until(lambda: page.place() == "Tomar" and page.has("#next-hours"), "another place")
    assert page.text("#notice") == ""
    page.driver.back()
    page.until(lambda: page.place() == "Invalid place", "the link again")


def test_a_link_to_an_invalid_place_as_the_first_page_is_reported(page):
    page.open("#place=37.0187,-7.9272&name=Faro")
    page.open("#place=999,0", shown=False)
    page.until(lambda: "“999,0”" in page.text("#notice"), "the reason")
    assert page.place() == "Invalid place" and not page.has("#now-temperature") and page.stored()["place"]["name"] == "Faro"
    page.until(lambda: page.text("#live") == "Live", "the station's card")


def test_the_page_waits_for_a_slow_station(page, station):
    station.delay = 5
    page.open(shown=False)
    page.until(lambda: page.text("#status") == "Loading the forecast …", "the loading status")
    page.until(lambda: page.js("return document.getElementById('waiting').checkVisibility({visibilityProperty: true})"), "the placeholder")
    assert page.js("return document.getElementById('weather').getAttribute('aria-busy')") == "true"
    page.until(lambda: page.text("#live") == "Live", "the station's card meanwhile")
    station.delay = 0
    page.visit("Lagos")
    page.until(lambda: page.place() == "Lagos" and page.has("#next-hours"), "another place, at once", seconds=3)
    time.sleep(5)
    assert "Coimbra" not in page.text("#status"), "the late response is shown for another place"
    assert page.place() == "Lagos" and page.js("return document.getElementById('weather').getAttribute('aria-busy')") == "false"
    assert page.text("#notice") == "" and not page.js("return document.getElementById('waiting').checkVisibility()")


def test_a_slow_response_is_shown(page, station):
    station.delay = 5
    page.open(shown=False)
    page.until(lambda: page.has("#next-hours"), "the forecast", seconds=12)
    assert page.text("#notice") == ""


BROKEN = {
    "500": lambda station: setattr(station, "failing", (500, {"error": {"code": "internal", "message": "our bug"}})),
    "torn": lambda station: setattr(station, "torn", True),
    "other": lambda station: setattr(station, "raw", '{"hello": 1}'),
    "list": lambda station: setattr(station, "raw", "[1, 2]"),
    "nothing": lambda station: setattr(station, "raw", "null"),
    "text": lambda station: setattr(station, "raw", '"<html>"'),
    "html": lambda station: setattr(station, "raw", "<html><title>502 Bad Gateway</title>"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_response_is_reported_retried_and_not_stored(page, station, kind):
    BROKEN[kind](station)
    page.expected += ["500", "ERR_CONTENT_LENGTH_MISMATCH", "ERR_INCOMPLETE"]
    page.open("#place=41.8061,-6.7567&name=Bragan%C3%A7a", shown=False)
    page.until(lambda: "The station’s response for Bragança is invalid" in page.text("#notice") or page.text("#notice").startswith("There is no connection")
               and kind == "torn", "the notice of the unreadable response")
    assert page.js("return localStorage.getItem('aneroid.answers')") is None
    assert not page.has("#now-temperature") and page.place() == "Bragança"
    station.failing, station.torn, station.raw = None, False, None
    page.click("#again")
    page.until(lambda: page.has("#next-hours"), "the weather")
    assert page.text("#notice") == ""


def test_with_a_broken_station_the_stored_forecast_is_marked_old(page, station):
    page.open()
    station.failing = (500, None)
    page.expected += ["500"]
    page.js("askForecast()")
    page.until(lambda: "The station does not respond: forecast of" in page.text("#notice"), "the notice of old data")
    assert page.has("#next-hours") and page.has("#notice .old")


@pytest.mark.parametrize("hours", [-1, 1, 30])
def test_a_device_whose_clock_is_off_uses_the_station_s_time(page, station, hours):
    script = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
        "source": f"{{ const real = Date.now; Date.now = () => real() + {hours} * 3600000; }}"})
    try:
        page.open()
        row = page.js("return nextHours(shownForecast(), timeNow(), 1)[0].time") / 1000
        assert row <= time.time() < row + 3600
        assert page.texts("#next-hours .hour .spoken")[0].startswith("Now: ")
        assert page.text("#clock-off") == f"This device’s clock is {60 * abs(hours)} minutes off; the page uses the station’s."
        assert page.text("#station-age") in [f"measured {n} s ago" for n in range(10)]
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_a_right_clock_shows_no_notice(page):
    page.open()
    assert not page.has("#clock-off")


def test_a_broken_reading_is_ignored(page, station):
    page.open()
    page.until(lambda: page.text("#live") == "Live", "the connection")
    page.js("hear('{\"time\": '); hear('null'); hear('[]')")
    assert page.text("#station-temperature") == "18.4 °C"


def test_the_correction_appears_with_the_first_reading_of_a_new_station(page, station):
    station.edit_station = lambda answer: answer | {"quality": {"status": "missing", "reasons": []}, "temperature_c": None}
    station.weather = {"corrected": False}
    page.open()
    assert page.text("#now-from") == "From the forecast"
    station.weather = {}
    station.edit_station = lambda answer: answer
    page.until(lambda: page.text("#now-from").startswith("Measured by the station here"), "the station's reading")
