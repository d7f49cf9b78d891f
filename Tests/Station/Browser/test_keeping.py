"""Stored data survive updates, a damaged store, two windows, and a newer page."""
import json

import page_parts

OLD = {
    "version": 1, "favourites": [{"name": "Braga", "district": "Braga", "latitude": 41.5514, "longitude": -8.4231}], "place": None,
    "settings": {"language": "en", "temperature": "F", "wind": "ms", "pressure": "mmHg", "theme": "dark", "metrics": ["rain", "temp"]},
}


def next_version(name, text):
    """The next version of the page, with another store format."""
    if name == "script/store.js":
        text = text.replace("const storeVersion = 1;", "const storeVersion = 2;")
        text = text.replace("const migrations = {};", "const migrations = { 1: (data) => ({ ...data, notes: data.favourites.map((one) => one.name) }) };")
    return text.replace('titleOf: "{name} – Weather – Aneroid"', 'titleOf: "{name} – Weather, newer – Aneroid"')


def store(page, text):
    """Writes a text to the browser's store, as an earlier page would."""
    page.driver.get(page.url + "healthz")
    page.expected += ["404"]
    page.js("localStorage.setItem('aneroid.weather', arguments[0])", text)


def test_an_update_keeps_favourites_and_settings(page, station):
    page.open()
    page.click("#star-button")
    page.choose("temperature", "F")
    station.html = page_parts.join(next_version)
    page.open()
    assert page.driver.title == "Coimbra – Weather, newer – Aneroid"
    assert page.favourites() == ["Coimbra"] and page.text("#now-temperature") == page.js("return temperature(presentOf(shownForecast(), Date.now()).temp)")
    assert page.stored()["settings"]["temperature"] == "F"
    page.visit("Faro")
    page.until(lambda: page.place() == "Faro", "Faro")
    page.click("#star-button")
    kept = page.stored()
    assert kept["version"] == 2 and kept["notes"] == ["Coimbra"] and [one["name"] for one in kept["favourites"]] == ["Coimbra", "Faro"]


def test_going_back_to_an_older_page_loses_no_data(page, station):
    newer = OLD | {"version": 7, "invented": {"later": True}}
    store(page, json.dumps(newer))
    page.open()
    assert page.favourites() == ["Braga"]
    page.until(lambda: "come from a newer page" in page.text("#notice"), "the notice of newer data")
    page.click("#star-button")
    assert page.favourites() == ["Braga", "Coimbra"]
    assert json.loads(page.js("return localStorage.getItem('aneroid.weather.newer')")) == newer
    assert page.stored()["invented"] == {"later": True}


def test_damaged_data_are_set_aside_and_reported(page):
    store(page, '{"version": 1, "favourites": [')
    page.open()
    page.until(lambda: "could not be read" in page.text("#notice"), "the notice of damaged data")
    assert page.favourites() == []
    page.click("#star-button")
    assert page.js("return localStorage.getItem('aneroid.weather.damaged')") == '{"version": 1, "favourites": ['
    assert page.stored()["favourites"][0]["name"] == "Coimbra"


def test_invalid_values_become_defaults_and_the_rest_is_kept(page):
    broken = json.loads(json.dumps(OLD))
    broken["settings"] |= {"temperature": "K", "metrics": ["rain", "nonsense", "rain"]}
    broken["favourites"] += [{"name": "Nowhere", "latitude": 95, "longitude": 0}, None, "Faro"]
    store(page, json.dumps(broken))
    page.open()
    assert page.favourites() == ["Braga"]
    assert page.js("return settings().temperature") == "C" and page.js("return settings().wind") == "ms"
    assert page.js("return settings().metrics") == ["rain", "temp", "wind", "direction", "humidity", "cloud", "pressure", "feels"]


def test_two_windows_keep_each_other_s_favourites(page):
    page.open()
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    second = page.driver.current_window_handle
    page.open("#place=37.0187,-7.9272&name=Faro")
    page.click("#star-button")
    page.driver.switch_to.window(first)
    page.until(lambda: page.favourites() == ["Faro"], "the other window's favourite")
    page.click("#star-button")
    assert [one["name"] for one in page.stored()["favourites"]] == ["Faro", "Coimbra"]
    page.driver.switch_to.window(second)
    page.driver.close()
    page.driver.switch_to.window(first)


def test_data_just_stored_by_another_window_are_not_overwritten(page):
    page.open()
    other = page.stored()
    other["favourites"] = OLD["favourites"]
    page.js("localStorage.setItem('aneroid.weather', arguments[0])", json.dumps(other))    # no storage event in this window
    page.click("#star-button")
    assert [one["name"] for one in page.stored()["favourites"]] == ["Braga", "Coimbra"]


def test_a_browser_without_storage_is_reported(page):
    page.driver.execute_cdp_cmd("Page.enable", {})
    script = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
        "source": "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"})
    try:
        page.open()
        page.click("#star-button")
        page.until(lambda: "stores nothing for this page" in page.text("#notice"), "the notice that nothing is stored")
        assert page.favourites() == ["Coimbra"]
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
