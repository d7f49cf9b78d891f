"""Page object for the browser tests."""
import time

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


class BrowserPage:
    """A window with the page of a station."""

    def __init__(self, driver, url):
        self.driver, self.url, self.expected = driver, url, []
        driver.get("about:blank")
        self.offline(False)
        self.geolocation("prompt")
        self.media()
        self.size(1440, 900)
        driver.get_log("browser")
        driver.get_log("performance")

    # The window

    def size(self, width, height=800):
        """Sets the inner size of the window in CSS pixels."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def media(self, theme="light", motion="reduce"):
        """Emulates the media preferences of the device."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": motion}]})

    def offline(self, off=True):
        """Disconnects or reconnects the network."""
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    def geolocation(self, answer, latitude=None, longitude=None):
        """Sets the location permission and the location of the device."""
        origin = {"origin": self.url.rstrip("/")}
        setting = {"prompt": "prompt", "granted": "granted", "denied": "denied"}[answer]
        self.driver.execute_cdp_cmd("Browser.setPermission", {"permission": {"name": "geolocation"}, "setting": setting, **origin})
        if latitude is not None:
            self.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", {
                "latitude": latitude, "longitude": longitude, "accuracy": 20})

    # The page

    def open(self, hash="", shown=True):
        """Opens the page and, by default, waits for the weather."""
        self.driver.get("about:blank")
        self.driver.get(self.url + hash)
        if shown:
            self.until(lambda: self.has("#next-hours"), "the weather")
        return self

    def js(self, script, *arguments):
        """Runs a script on the page and returns its result."""
        return self.driver.execute_script(script, *arguments)

    def until(self, condition, what, seconds=8):
        """Waits until a condition holds and returns its value; fails after a timeout in seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"timed out after {seconds} s waiting for {what}; status '{self.text('#status')}', notice '{self.text('#notice')}'")

    def has(self, selector):
        """True if an element matches the selector."""
        return bool(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def text(self, selector):
        """Returns the text of the first match, hidden or not, with plain spaces; empty if nothing
        matches."""
        return self.js("const one = document.querySelector(arguments[0]); return one ? one.textContent.trim() : ''", selector).replace("\u00a0", " ")

    def texts(self, selector):
        """Returns the texts of all matches, with plain spaces."""
        found = self.js("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent.trim())", selector)
        return [text.replace("\u00a0", " ") for text in found]

    def click(self, selector):
        """Clicks with the mouse; fails if another element covers the target."""
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        self.js("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        element.click()

    def keys(self, *keys):
        """Sends keys to the focused element."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def focused(self):
        """Returns the id of the focused element."""
        return self.js("return document.activeElement.id")

    def choose(self, setting, value):
        """Selects an option of a setting."""
        self.click(f"#set-{setting} option[value='{value}']")

    def search(self, words):
        """Types into the search box and waits for the places."""
        box = self.driver.find_element(By.ID, "search")
        box.clear()
        box.send_keys(words)
        return self.until(lambda: self.texts("#found li"), f"places for {words}")

    def visit(self, words):
        """Searches for a place and selects the first result."""
        self.search(words)
        self.keys(Keys.ENTER)
        return self

    def place(self):
        """Returns the name of the displayed place."""
        return self.text("#place-name")

    def stored(self):
        """Returns the data that the page has stored in the browser."""
        return self.js("return JSON.parse(localStorage.getItem('aneroid.weather'))")

    def favourites(self):
        """Returns the names of the favourites in the menu."""
        return self.texts("#favourites .favourite b")

    # The end

    def console(self):
        """Returns console errors and policy violations, except those that the test expects."""
        entries = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return [text for text in entries if not any(part in text for part in self.expected)]

    def requests(self):
        """Returns the addresses requested since the page was opened."""
        import json
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]

    def finish(self):
        """Fails if the console has unexpected errors."""
        left = self.console()
        self.offline(False)
        assert not left, left
