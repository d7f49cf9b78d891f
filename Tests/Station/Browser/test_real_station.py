"""The page on the real station program, simulated, with its synthetic sample."""
import pytest
from selenium.webdriver.common.keys import Keys


def test_the_page_opens_at_the_station_s_place_with_all_parts(real_page):
    page = real_page.open()
    assert page.place() not in ("", "Aneroid")
    assert len(page.texts("#next-hours .hour")) == 24
    assert len(page.texts("#days .day-row")) == 7
    assert page.text("[data-source=synthetic]") == "Synthetic sample, no real forecast"
    page.until(lambda: page.text("#live") == "Live", "the station's live card")
    assert page.text("#station-source") == "Simulated sensor"
    assert page.text("#station-pressure").endswith(" hPa") and "–" not in page.text("#station-pressure")


def test_every_metric_has_values_for_24_hours(real_page):
    page = real_page.open()
    for metric in ("temp", "rain", "wind", "direction", "humidity", "cloud", "pressure", "feels"):
        page.click(f"label[for=metric-{metric}]")
        spoken = page.texts("#next-hours .hour .spoken")
        assert len(spoken) == 24 and not [one for one in spoken if "–" in one], metric


def test_mainland_places_have_a_forecast_and_the_azores_a_notice(real_page):
    page = real_page.open()
    for place in ("Porto", "Faro", "Bragança"):
        page.visit(place)
        page.until(lambda: page.place() == place and page.has("#next-hours"), place)
    page.expected += ["400", "404"]
    page.visit("Ponta Delgada")
    page.until(lambda: "Ponta Delgada is outside the forecast area" in page.text("#notice"), "the reason")


def test_favourites_units_and_language_on_the_real_station(real_page):
    page = real_page.open()
    page.visit("Lisboa")
    page.until(lambda: page.place() == "Lisboa" and page.has("#next-hours"), "Lisbon")
    page.click("#star-button")
    page.choose("temperature", "F")
    page.choose("language", "pt")
    page.open()
    assert page.favourites() == ["Lisboa"] and page.text("#next-title") == "Próximas 24 horas"
    assert page.js("return settings().temperature") == "F"


def test_live_readings_survive_a_lost_network(real_page):
    page = real_page.open()
    first = page.until(lambda: page.js("return state.station?.time"), "a reading")
    page.until(lambda: page.js("return state.station.time") != first, "the next reading", seconds=40)
    page.expected += ["ERR_INTERNET_DISCONNECTED", "Failed to load"]
    page.offline()
    page.until(lambda: page.has("#notice .old"), "the notice of old data")
    page.offline(False)
    page.until(lambda: page.text("#notice") == "", "the current forecast")


@pytest.mark.parametrize("link, measured", [("", True), ("#place=41.8061,-6.7567&name=Bragan%C3%A7a", False)])
def test_a_forecast_that_has_ended_is_reported_on_the_real_station(ended_page, link, measured):
    page = ended_page
    page.expected += ["400", "404"]
    page.open(link, shown=False)
    page.until(lambda: "for now: the last one ended on 8 October 2013, " in page.text("#notice"), "the notice that the forecast has ended", seconds=15)
    assert page.has("#now-temperature") == measured and not page.has("#next-hours") and not page.has("#now .icon")
    page.until(lambda: page.text("#live") == "Live" and page.text("#station-temperature").endswith("°C"), "the station's card")
    assert "–" not in page.text("#station-temperature")


def test_the_keyboard_alone_finds_a_place(real_page):
    page = real_page.open()
    page.keys("/")
    assert page.focused() == "search"
    page.search("guarda")
    page.keys(Keys.ARROW_DOWN, Keys.ENTER)
    page.until(lambda: page.place() == "Guarda" and page.has("#next-hours"), "Guarda")
