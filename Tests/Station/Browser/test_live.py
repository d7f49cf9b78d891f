"""The station card: live readings, barometer, correction and yesterday's score."""


def test_live_readings_update_the_page(page, station):
    page.open()
    page.until(lambda: page.text("#live") == "Live", "the connection")
    station.pressure = 991.2
    page.until(lambda: page.text("#station-pressure") == "1000.1 hPa", "the new pressure")
    assert page.text("#station-tendency") == "−1.3 hPa in 3 h" and "Falling" in page.text("[data-measured=tendency]")
    assert page.text("#station-humidity") == "61.2 %" and page.text("#station-temperature") == "18.4 °C"


def test_a_lost_connection_is_reported_and_resumed(page, station):
    page.open()
    page.until(lambda: page.text("#live") == "Live", "the connection")
    page.until(lambda: station.live_ids, "the first connection")
    station.drop_live()
    page.until(lambda: page.text("#live").startswith("Connection lost"), "the lost connection")
    page.until(lambda: page.text("#live") == "Live", "the restored connection")
    assert len(station.live_ids) >= 2 and station.live_ids[0] is None and int(station.live_ids[-1]) > 100


def test_a_rejected_connection_is_retried(page, station):
    station.has_station = False
    page.expected += ["404"]
    page.open()
    page.until(lambda: page.text("#station").endswith("No station is running here."), "the notice")
    station.has_station = True
    page.until(lambda: page.text("#live") == "Live", "the next connection")


def test_the_simulated_sensor_and_the_sample_are_labelled(page):
    page.open()
    assert page.text("#now-from") == "Measured by the station here: simulated sensor"
    assert page.text("[data-source=synthetic]") == "Synthetic sample, no real forecast"
    assert page.text("#station-source") == "Simulated sensor"
    assert page.js("return document.querySelector('[data-source=synthetic]').checkVisibility()")


def test_the_tendency_has_the_name_that_the_station_sends(page, station):
    for trend, word in (("steady", "Steady"), ("rising", "Rising"), ("falling", "Falling")):
        station.edit_station = lambda answer: answer | {"tendency": {"change_hpa": 0.07, "over_s": 10800, "trend": trend, "words": trend}}
        page.open()
        page.until(lambda: page.text("[data-measured=tendency] dt") == word, word)


def test_a_reading_becomes_stale_without_new_readings(page, station):
    station.edit_station = lambda answer: answer | {"source": "replayed", "stale_after_s": 4, "age_s": 1}
    page.open()
    page.until(lambda: page.text("#station-quality") == "Valid readings", "a good reading")
    station.live_pauses = True
    page.until(lambda: page.text("#station-quality") == "Stale readings", "the notice of old data", seconds=15)


def test_the_reason_for_no_correction_is_shown(page, station):
    for reason, words in [("too_far", "too far from the station."), ("stale", "the station’s last reading is stale"), ("missing", "has no reading"),
                          ("too_few_readings", "two readings"), ("outside", "sensor’s range"), ("no_run", "no model run")]:
        station.weather = {"corrected": False, "obstacle": reason}
        page.open()
        page.until(lambda: words in page.text("#no-correction"), reason)
    station.weather = {"corrected": False, "obstacle": "stale"}
    station.edit_station = lambda answer: answer | {"source": "replayed"}
    page.open()
    page.until(lambda: "replayed recording has ended" in page.text("#no-correction"), "the end of the replay")


def test_bad_quality_is_shown(page, station):
    station.edit_station = lambda answer: answer | {"quality": {"status": "stale", "reasons": ["no reading for 20 min"]}, "temperature_c": None}
    page.open()
    page.until(lambda: page.text("#station-quality") == "Stale readings", "the quality")
    assert page.text("#station-temperature") == "– °C"


def test_the_barometer_s_three_forecasts(page):
    page.open()
    assert page.text("[data-forecaster=thesis] dd") == "Steady: no change"
    assert page.text("[data-forecaster=zambretti] dd") == "Showery, bright intervals"
    assert page.text("[data-forecaster=an3914] dd") == "Cloudy"


def test_missing_barometer_forecasts_are_reported(page, station):
    station.edit_station = lambda answer: answer | {"forecasts": {"thesis": None, "an3914": None, "zambretti": None}, "tendency": None}
    page.open()
    page.until(lambda: page.texts(".barometer dd") == ["Not enough readings yet"] * 3, "the missing forecasts")


def test_the_pressure_of_a_day_is_drawn_and_described(page):
    page.open()
    chart = page.until(lambda: page.js("return document.querySelector('#station .chart')?.getAttribute('aria-label')"), "the chart")
    assert chart.startswith("Pressure at the station, last 24 hours: From ") and "lowest 1008.8\u00a0hPa" in chart
    assert page.js("return document.querySelector('#station .chart .main').getAttribute('d').length") > 2000


def test_the_correction_can_be_switched_off(page, station):
    station.weather = {"kind": "clear", "hour": 15}
    page.open()
    assert page.text("#now-temperature") == "27°" and "Shift now: +0.8 °C, −1.2 hPa" == page.text("#shift")
    assert page.js("return document.querySelectorAll('#corrected .chart path').length") == 2
    page.click("#use-correction")
    page.until(lambda: page.text("#now-temperature") == "26°", "the plain forecast")
    assert page.text("#now-from") == "From the forecast" and page.focused() == "use-correction"


def test_what_the_station_has_learned_is_shown_with_its_band(page, station):
    station.weather = {"kind": "clear", "hour": 15, "learned": "used"}
    page.open()
    assert "a day ahead, the mean error of the last 30 days was 0.93 °C instead of 1.06 °C" in page.text("#learned")
    assert page.text("#corrected .key.band") == "Range of 8 of 10 measurements"
    path = page.js("return document.querySelector('#corrected .chart .band').getAttribute('d')")
    corners = [tuple(map(float, one.split(" "))) for one in path.strip("MZ").split("L")]
    low, high = corners[:len(corners) // 2], corners[:len(corners) // 2 - 1:-1]
    assert len(low) == len(high) == 24 and [x for x, _ in low] == [x for x, _ in high]
    # The band is wider a day ahead than now, and above the curve by twice as much as below it at first.
    heights = [below - above for (_, below), (_, above) in zip(low, high)]
    assert heights[0] > 0 and 2.2 < heights[-1] / heights[0] < 2.5
    page.click("#use-correction")
    page.until(lambda: page.text("#now-from") == "From the forecast", "the plain forecast")


def test_a_station_that_learns_shows_its_progress(page, station):
    station.weather = {"learned": "learning"}
    page.open()
    assert page.text("#learned").endswith("uses what it has learned after 10 days (now 3).")
    assert not page.has("#corrected .band")


def test_a_model_without_a_usual_error_is_left_as_it_is(page, station):
    station.weather = {"learned": "unused"}
    page.open()
    assert "no usual error here that is worth correcting: a day ahead, the mean error of the last 30 days was 1.06 °C, and 1.09 °C" in page.text("#learned")


def test_yesterday_s_score_of_both_forecasts(page):
    page.open()
    page.until(lambda: page.has("#score-words"), "the score")
    assert page.text("#score-words") == "The corrected forecast was closer yesterday: 0.61 °C off instead of 1.42 °C."
    row = page.texts("[data-score=relative_humidity_2m] td")
    assert row == ["6.2 %", "7.0 %"] and page.text("[data-score=relative_humidity_2m] .best") == "6.2 %"
    assert "Thesis 17 of 24 right, AN3914 15 of 24 right, Zambretti 19 of 24 right" in page.text("#score")
    assert page.text("#score caption") == "Mean error of yesterday, 3 h ahead"
    assert "right. Rain fell within six hours after 5 of 24. Compared with the model’s rain" in page.text("#barometer-hits")


def test_hits_without_any_rain_have_a_note(page, station):
    station.wet = 0
    page.open()
    page.until(lambda: "No rain fell, so “dry” was always right." in page.text("#barometer-hits"), "the note on the hits")


def test_a_missing_score_is_reported(page, station):
    station.has_score = False
    page.expected += ["404"]
    page.open()
    assert "There is no score of yesterday yet" in page.text("#score")


def test_a_place_without_correction_shows_the_reason(page, station):
    station.weather = {"corrected": False}
    page.open()
    assert "too far from the station" in page.text("#corrected") and not page.has("#use-correction")


def test_no_pressure_curve_is_drawn_before_the_history_is_loaded(page, station):
    station.history_delay = 2
    page.open()
    page.until(lambda: page.js("return state.station?.sequence > 102"), "some readings")
    assert not page.has("#station .chart")
    page.until(lambda: page.has("#station .chart"), "the day")
    assert page.js("return state.history.length") >= 144
