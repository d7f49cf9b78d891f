"""The page as people use it: what it shows, what they can do, and what it must not do."""

import json
import os
import time

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait


def wait(chromium, condition, seconds=15):
    """Waits for something on the page."""
    return WebDriverWait(chromium, seconds, 0.1).until(lambda driver: condition())


def text(chromium, selector):
    """What stands somewhere."""
    return chromium.find_element(By.CSS_SELECTOR, selector).text


def errors(chromium):
    """What the console complains of."""
    return [entry for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]


def open_page(chromium, hub, with_token=True):
    """Opens it, with nothing kept of before."""
    url = f"http://127.0.0.1:{hub.port}/"
    chromium.get("about:blank")
    chromium.get(url)
    chromium.execute_script("localStorage.clear(); sessionStorage.clear()")
    chromium.get_log("browser")
    chromium.get("about:blank")
    chromium.get(url + (f"#token={hub.token}" if with_token else ""))
    wait(chromium, lambda: "alarm" in text(chromium, "#summary"))


def test_it_shows_alarms_plan_and_tags(chromium, hub):
    """Alarms first, every tag on the plan with a shape and a word, tags by zone with curves; the token leaves the address."""
    open_page(chromium, hub)
    assert text(chromium, "#title") == "Warehouse north"
    assert text(chromium, "#summary") == "2 alarms, 0 warnings, 2 of 5 tags as they should be"
    alarms = [item.text for item in chromium.find_elements(By.CSS_SELECTOR, "#alarms li")]
    assert any("shelf-2, cold room: temperature above 8 °C, worst 8.1 °C" in alarm and "told Ana" in alarm for alarm in alarms)
    assert any("shelf-3, cold room: sensor fault" in alarm for alarm in alarms)
    marks = {mark.get_attribute("data-tag"): mark.get_attribute("class")
             for mark in chromium.find_elements(By.CSS_SELECTOR, "#plan g")}
    assert [marks[f"A4:DA:32:00:00:0{n}"] for n in range(5)] == ["ok", "ok", "alarm", "fault", "waiting"]
    shapes = {mark.get_attribute("d") for mark in chromium.find_elements(By.CSS_SELECTOR, "#plan .mark")}
    assert len(shapes) == 4, "states differ by colour alone"
    rows = [row.text for row in chromium.find_elements(By.CSS_SELECTOR, "#zones tbody tr")]
    assert "■ alarm" in rows[0] and "8.1 °C" in rows[0] and "○ not heard yet" in "".join(rows)
    assert len(chromium.find_elements(By.CSS_SELECTOR, "#zones .spark path")) == 2
    assert chromium.current_url == f"http://127.0.0.1:{hub.port}/"
    assert errors(chromium) == []
    if folder := os.environ.get("HUB_PICTURES"):
        chromium.save_screenshot(f"{folder}/page.png")


def test_an_alarm_is_acknowledged(chromium, hub):
    """With name and note; what was done stands there at once, and in the hub."""
    open_page(chromium, hub)
    number = next(one["number"] for one in hub.state()["alarms"] if one["cause"] == "temperature-high")
    chromium.find_element(By.CSS_SELECTOR, f"#alarms li[data-alarm='{number}'] button").click()
    assert not chromium.find_element(By.ID, "token").is_displayed()
    chromium.find_element(By.ID, "name").send_keys("Rui")
    chromium.find_element(By.ID, "note").send_keys("<b>door</b> & seal")
    if folder := os.environ.get("HUB_PICTURES"):
        chromium.save_screenshot(f"{folder}/dialog.png")
    chromium.find_element(By.ID, "confirm").click()
    wait(chromium, lambda: "acknowledged by Rui: <b>door</b> & seal" in text(chromium, "#alarms"))
    alarm = next(one for one in hub.state()["alarms"] if one["number"] == number)
    assert (alarm["phase"], alarm["acknowledged"]["name"]) == ("acknowledged", "Rui")
    assert errors(chromium) == []


def test_a_zone_is_silenced_and_not(chromium, hub):
    """For some minutes; and its silence can be ended."""
    open_page(chromium, hub)
    chromium.find_element(By.CSS_SELECTOR, "#zones h3 button").click()
    chromium.find_element(By.ID, "name").send_keys("Ana")
    chromium.find_element(By.ID, "confirm").click()
    wait(chromium, lambda: hub.state()["zones"][0].get("silenced_by") == "Ana")
    wait(chromium, lambda: "silenced until" in text(chromium, "#zones"))
    chromium.find_element(By.CSS_SELECTOR, "#zones h3 button").click()
    assert chromium.find_element(By.ID, "name").get_attribute("value") == "Ana"
    chromium.find_element(By.ID, "confirm").click()
    wait(chromium, lambda: "silenced_by" not in hub.state()["zones"][0])


def test_a_change_needs_the_token(chromium, hub):
    """Without it, and with a wrong one, nothing changes and the page says why; with it, it does."""
    open_page(chromium, hub, with_token=False)
    chromium.find_element(By.CSS_SELECTOR, "#alarms li button").click()
    chromium.find_element(By.ID, "name").send_keys("Eve")
    chromium.find_element(By.ID, "token").send_keys("0" * 32)
    chromium.find_element(By.ID, "confirm").click()
    wait(chromium, lambda: "needs the token" in text(chromium, "#problem"))
    assert all(one["phase"] == "active" for one in hub.state()["alarms"])
    field = chromium.find_element(By.ID, "token")
    field.clear()
    field.send_keys(hub.token)
    chromium.find_element(By.ID, "confirm").click()
    wait(chromium, lambda: "acknowledged by Eve" in text(chromium, "#alarms"))


def test_a_page_of_another_server_changes_nothing(chromium, hub, tmp_path):
    """A page elsewhere that knows the token cannot send a command, nor read what the hub says."""
    foreign = tmp_path / "evil.html"
    foreign.write_text("<!doctype html><title>evil</title>")
    chromium.get(foreign.as_uri())
    script = """
      const done = arguments[arguments.length - 1];
      fetch(arguments[0], {method: arguments[1], body: arguments[2] || undefined, headers: arguments[3]})
        .then((answer) => answer.text()).then((text) => done("read " + text), (error) => done("failed"));
    """
    base = f"http://127.0.0.1:{hub.port}"
    body = json.dumps({"command": "acknowledge", "alarm": 1, "name": "Eve"})
    sent = {"Content-Type": "application/json", "Authorization": f"Bearer {hub.token}"}
    assert chromium.execute_async_script(script, base + "/v1/command", "POST", body, sent) == "failed"
    assert chromium.execute_async_script(script, base + "/v1/hub", "GET", None, {}) == "failed"
    assert all(one["phase"] == "active" for one in hub.state()["alarms"])


def test_a_hub_that_is_gone(chromium, hub):
    """The page says so, and that what it shows is from before."""
    open_page(chromium, hub)
    hub.stop()
    wait(chromium, lambda: "does not answer" in text(chromium, "#summary"))
    assert "stale" in chromium.find_element(By.TAG_NAME, "body").get_attribute("class")


def contrast(one, other):
    """The contrast of two colours (WCAG 2.2, 1.4.3)."""
    def light(colour):
        parts = [int(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it(chromium, hub, scheme):
    """Every state's colour stands out from the sheet, light and dark; buttons and fields have names; nothing overflows."""
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    open_page(chromium, hub)
    sheet = chromium.execute_script("return getComputedStyle(document.querySelector('section')).backgroundColor")
    for state in ("ok", "warning", "alarm", "lost", "fault", "waiting"):
        colour = chromium.execute_script(
            "const one = document.createElement('i'); one.className = arguments[0]; document.querySelector('section').append(one);"
            "const colour = getComputedStyle(one).color; one.remove(); return colour", state)
        assert contrast(colour, sheet) >= 4.5, (state, colour, sheet)
    for element in chromium.find_elements(By.CSS_SELECTOR, "button, input"):
        assert element.accessible_name or not element.is_displayed()
    chromium.set_window_size(400, 900)
    time.sleep(0.3)
    assert chromium.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    if folder := os.environ.get("HUB_PICTURES"):
        chromium.save_screenshot(f"{folder}/{scheme}.png")
    chromium.set_window_size(1100, 1300)
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
