"""The page in a browser, in the words of the tests."""
import time

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


class BrowserPage:
    """A window on the page of a station."""

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
        """Sets the size of the window's inside in CSS pixels."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def media(self, theme="light", motion="reduce"):
        """Says what the device prefers."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": motion}]})

    def offline(self, off=True):
        """Takes the network away, or gives it back."""
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    def geolocation(self, answer, latitude=None, longitude=None):
        """Answers the permission dialogue, and says where the device is."""
        origin = {"origin": self.url.rstrip("/")}
        setting = {"prompt": "prompt", "granted": "granted", "denied": "denied"}[answer]
        self.driver.execute_cdp_cmd("Browser.setPermission", {"permission": {"name": "geolocation"}, "setting": setting, **origin})
        if latitude is not None:
            self.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", {
                "latitude": latitude, "longitude": longitude, "accuracy": 20})

    # The page

    def open(self, hash="", shown=True):
        """Opens the page; by default waits until the weather is there."""
        self.driver.get("about:blank")
        self.driver.get(self.url + hash)
        if shown:
            self.until(lambda: self.has("#next-hours"), "the weather is shown")
        return self

    def js(self, script, *arguments):
        """What a script of the page gives."""
        return self.driver.execute_script(script, *arguments)

    def until(self, condition, what, seconds=8):
        """Waits until something holds, and gives it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"not within {seconds} s: {what}; status '{self.text('#status')}', notice '{self.text('#notice')}'")

    def has(self, selector):
        """Whether something is there."""
        return bool(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def text(self, selector):
        """All text of the first that fits, hidden or not, with plain spaces; nothing when there is none."""
        return self.js("const one = document.querySelector(arguments[0]); return one ? one.textContent.trim() : ''", selector).replace("\u00a0", " ")

    def texts(self, selector):
        """The texts of all that fit, with plain spaces."""
        found = self.js("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent.trim())", selector)
        return [text.replace("\u00a0", " ") for text in found]

    def click(self, selector):
        """Clicks as a mouse does: fails when something lies above it."""
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        self.js("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        element.click()

    def keys(self, *keys):
        """Presses keys where the focus is."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def focused(self):
        """The id of what has the focus."""
        return self.js("return document.activeElement.id")

    def choose(self, setting, value):
        """Chooses an option of a setting."""
        self.click(f"#set-{setting} option[value='{value}']")

    def search(self, words):
        """Types into the search box and waits for the places."""
        box = self.driver.find_element(By.ID, "search")
        box.clear()
        box.send_keys(words)
        return self.until(lambda: self.texts("#found li"), f"places for {words}")

    def visit(self, words):
        """Searches a place and takes the first one."""
        self.search(words)
        self.keys(Keys.ENTER)
        return self

    def place(self):
        """The name of the place that is shown."""
        return self.text("#place-name")

    def stored(self):
        """What the browser keeps for the page."""
        return self.js("return JSON.parse(localStorage.getItem('aneroid.weather'))")

    def favourites(self):
        """The names of the favourites in the menu."""
        return self.texts("#favourites .favourite b")

    # The end

    def console(self):
        """The console's errors and policy violations, without those that the test provoked."""
        entries = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return [text for text in entries if not any(part in text for part in self.expected)]

    def requests(self):
        """The addresses that were asked since the page was opened."""
        import json
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]

    def finish(self):
        """No error may be left in the console."""
        left = self.console()
        self.offline(False)
        assert not left, left
