"""Without a network the last response is shown and marked as old, and the page recovers by
itself."""


def test_without_a_network_the_last_forecast_is_shown_and_marked_old(page, station):
    page.open()
    temperature = page.text("#now-temperature")
    page.until(lambda: page.js("return localStorage.getItem('aneroid.answers')"), "the kept answer")
    station.closed = True
    station.drop_live()
    page.expected += ["ERR_EMPTY_RESPONSE", "ERR_CONNECTION", "ERR_INCOMPLETE", "Failed to load", "fetching the script"]
    page.js("askForecast()")
    page.until(lambda: "No connection: forecast of" in page.text("#notice"), "the old data")
    assert page.text("#now-temperature") == temperature and page.has("#notice .old")
    station.closed = False
    page.click("#again")
    page.until(lambda: page.text("#notice") == "", "the current forecast")


def test_a_page_loaded_once_opens_without_a_network(page, station):
    page.open()
    kept = page.driver.execute_async_script(
        "const done = arguments[0]; navigator.serviceWorker.ready.then(() => caches.open('aneroid-page')).then((c) => c.match('/')).then((r) => done(Boolean(r)))")
    assert kept
    page.open()
    station.closed = True
    station.drop_live()
    page.expected += ["ERR_EMPTY_RESPONSE", "ERR_CONNECTION", "ERR_INCOMPLETE", "Failed to load", "fetching the script"]
    page.open()
    page.until(lambda: page.has("#notice .old"), "the notice of old data")
    assert page.place() == "Coimbra" and len(page.texts("#next-hours .hour")) == 24


def test_a_new_place_without_a_network_is_reported(page, station):
    page.open()
    station.closed = True
    station.drop_live()
    page.expected += ["ERR_EMPTY_RESPONSE", "ERR_CONNECTION", "ERR_INCOMPLETE", "Failed to load", "fetching the script"]
    page.visit("Tavira")
    page.until(lambda: "no stored forecast for Tavira" in page.text("#notice"), "the notice of the missing forecast")
    assert not page.has("#now-temperature")
    station.closed = False
    page.js("dispatchEvent(new Event('online'))")
    page.until(lambda: page.has("#next-hours"), "the weather once the network is back")


def test_losing_the_network_is_reported_at_once(page):
    page.open()
    page.expected += ["ERR_INTERNET_DISCONNECTED", "Failed to load", "fetching the script"]
    page.offline()
    page.until(lambda: page.has("#notice .old"), "the notice of the lost connection")
    page.offline(False)
    page.until(lambda: page.text("#notice") == "", "the restored connection")
