"""The hub's page in a browser: its content, its actions, and what it must not do."""

import itertools
import json
import math
import os
import re
import subprocess
import time
from pathlib import Path

import axe_playwright_python
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from hub_program import PROGRAM, until
from seen_colours import CONES, contrast, seen

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def wait(chromium, condition, seconds=15):
    """Waits for a condition on the page."""
    return WebDriverWait(chromium, seconds, 0.1).until(lambda driver: condition())


def text(chromium, selector):
    """Returns the text of an element."""
    return chromium.find_element(By.CSS_SELECTOR, selector).text


def errors(chromium):
    """Returns the errors of the browser console."""
    return [entry for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]


def open_page(chromium, hub, with_token=True):
    """Opens the page with empty storage."""
    url = f"http://127.0.0.1:{hub.port}/"
    chromium.get("about:blank")
    chromium.get(url)
    chromium.execute_script("localStorage.clear(); sessionStorage.clear()")
    chromium.get_log("browser")
    chromium.get("about:blank")
    chromium.get(url + (f"#token={hub.token}" if with_token else ""))
    wait(chromium, lambda: "alarm" in text(chromium, "#summary"))


def test_the_page_shows_alarms_plan_and_tags(chromium, hub):
    """Alarms come first; every tag on the plan has a shape and a word; tags are listed by zone with
    curves; the token is removed from the address."""
    open_page(chromium, hub)
    assert text(chromium, "#title") == "Warehouse north"
    assert text(chromium, "#summary") == "2 alarms, 0 warnings, 2 of 5 tags OK"
    alarms = [item.text for item in chromium.find_elements(By.CSS_SELECTOR, "#alarms li")]
    assert any("shelf-2, cold room: temperature above 8 °C, worst 8.1 °C" in alarm and "notified: Ana" in alarm for alarm in alarms)
    assert any("shelf-3, cold room: sensor fault" in alarm for alarm in alarms)
    marks = {mark.get_attribute("data-tag"): mark.get_attribute("class")
             for mark in chromium.find_elements(By.CSS_SELECTOR, "#plan g")}
    assert [marks[f"A4:DA:32:00:00:0{n}"] for n in range(5)] == ["ok", "ok", "alarm", "fault", "waiting"]
    shapes = {mark.get_attribute("d") for mark in chromium.find_elements(By.CSS_SELECTOR, "#plan .mark")}
    assert len(shapes) == 4, "states are distinguished by colour alone"
    rows = [row.text for row in chromium.find_elements(By.CSS_SELECTOR, "#zones tbody tr")]
    assert "■ alarm" in rows[0] and "8.1 °C" in rows[0] and "○ no reading yet" in "".join(rows)
    # Of temperature and humidity.
    assert len(chromium.find_elements(By.CSS_SELECTOR, "#zones .spark path")) == 4
    assert chromium.current_url == f"http://127.0.0.1:{hub.port}/"
    assert errors(chromium) == []
    if folder := os.environ.get("HUB_PICTURES"):
        chromium.save_screenshot(f"{folder}/page.png")


def test_a_breach_within_its_delay_is_pending(chromium, hub_of):
    """A tag whose breach is within its delay has its own shape, word and colour, on the page and in
    the terminal; afterwards it is OK."""
    hub = hub_of(tags=2, delay="8h")
    hub.notify([5], 0)
    hub.notify([8.1], 1)
    until(lambda: [tag["state"] for tag in hub.state()["tags"]] == ["ok", "pending"], what="the breach")
    open_page(chromium, hub)
    wait(chromium, lambda: text(chromium, "#summary") == "0 alarms, 0 warnings, 1 of 2 tags OK")
    marks = {mark.get_attribute("data-tag"): (mark.get_attribute("class"), mark.find_element(By.CLASS_NAME, "mark").get_attribute("d"))
             for mark in chromium.find_elements(By.CSS_SELECTOR, "#plan g[data-tag]")}
    well, pending = marks["A4:DA:32:00:00:00"], marks["A4:DA:32:00:00:01"]
    assert (well[0], pending[0]) == ("ok", "pending") and well[1] != pending[1], marks
    rows = [row.text for row in chromium.find_elements(By.CSS_SELECTOR, "#zones tbody tr")]
    assert "△ breach pending" in rows[0] and "shelf-1" in rows[0] and "● OK" in rows[1], rows
    assert "△ breach pending" in text(chromium, "#legend")
    look(chromium, "light", 390)
    chromium.find_element(By.ID, "language").click()
    wait(chromium, lambda: "limite excedido, à espera" in text(chromium, "#zones"))
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= 390
    chromium.find_element(By.ID, "language").click()
    if folder := os.environ.get("HUB_PICTURES"):
        chromium.save_screenshot(f"{folder}/pending.png")
    shown = hub.command("show").stdout
    assert re.search(r"△ pending +shelf-1", shown) and shown.index("shelf-1") < shown.index("shelf-0"), shown
    hub.notify([7.9], 1)
    wait(chromium, lambda: "2 of 2 tags" in text(chromium, "#summary"))
    assert errors(chromium) == []


def test_an_alarm_is_acknowledged(chromium, hub):
    """An acknowledgement with name and note is shown at once and stored by the hub."""
    open_page(chromium, hub)
    number = next(one["number"] for one in hub.state()["alarms"] if one["cause"] == "temperature-high")
    chromium.find_element(By.CSS_SELECTOR, f"#alarms li[data-alarm='{number}'] button").click()
    assert not chromium.find_element(By.ID, "token").is_displayed()
    chromium.find_element(By.ID, "name").send_keys("Rui")
    chromium.find_element(By.ID, "note").send_keys("<b>door</b> & seal")
    if folder := os.environ.get("HUB_PICTURES"):
        chromium.save_screenshot(f"{folder}/dialog.png")
    chromium.find_element(By.ID, "confirm").click()
    wait(chromium, lambda: re.search("acknowledged by Rui at .*: <b>door</b> & seal", text(chromium, "#alarms")))
    alarm = next(one for one in hub.state()["alarms"] if one["number"] == number)
    assert (alarm["phase"], alarm["acknowledged"]["name"]) == ("acknowledged", "Rui")
    assert errors(chromium) == []


def test_a_zone_is_silenced_and_the_silence_is_ended(chromium, hub):
    """A zone can be silenced for some minutes, and the silence can be ended."""
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
    """Without a token, or with a wrong one, nothing changes and the page gives the reason; with the
    right token the change is made."""
    open_page(chromium, hub, with_token=False)
    chromium.find_element(By.CSS_SELECTOR, "#alarms li button").click()
    chromium.find_element(By.ID, "name").send_keys("Eve")
    chromium.find_element(By.ID, "token").send_keys("0" * 32)
    chromium.find_element(By.ID, "confirm").click()
    wait(chromium, lambda: "this is not the hub's token" in text(chromium, "#problem"))
    assert all(one["phase"] == "active" for one in hub.state()["alarms"])
    field = chromium.find_element(By.ID, "token")
    field.clear()
    field.send_keys(hub.token)
    chromium.find_element(By.ID, "confirm").click()
    wait(chromium, lambda: "acknowledged by Eve" in text(chromium, "#alarms"))


def test_a_page_of_another_server_changes_nothing(chromium, hub, tmp_path):
    """A page of another origin can neither send a command nor read the hub's replies, even with the
    token."""
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


def test_the_page_reports_a_hub_that_does_not_respond(chromium, hub):
    """The page reports that the hub does not respond and that the data shown are old."""
    open_page(chromium, hub)
    hub.stop()
    wait(chromium, lambda: "does not respond" in text(chromium, "#summary"))
    assert "stale" in chromium.find_element(By.TAG_NAME, "body").get_attribute("class")


STATES = ("ok", "warning", "alarm", "lost", "fault", "pending", "waiting")


def look(chromium, scheme, width, height=1300):
    """Sets the colour scheme and the width in pixels."""
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                             {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


@pytest.fixture
def usual(chromium):
    """Restores the window afterwards."""
    yield
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def colours(chromium):
    """Returns the colour of each state."""
    return {state: chromium.execute_script(
        "const one = document.createElement('i'); one.className = arguments[0]; document.querySelector('section').append(one);"
        "const colour = getComputedStyle(one).color; one.remove(); return colour", state) for state in STATES}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_state_has_enough_contrast_and_every_control_a_name(chromium, hub, usual, scheme):
    """The colour of every state has enough contrast, light and dark; buttons and fields have
    names."""
    look(chromium, scheme, 1100)
    open_page(chromium, hub)
    sheet = chromium.execute_script("return getComputedStyle(document.querySelector('section')).backgroundColor")
    for state, colour in colours(chromium).items():
        assert contrast(colour, sheet) >= 4.5, (state, colour, sheet)
    for element in chromium.find_elements(By.CSS_SELECTOR, "button, input"):
        assert element.accessible_name or not element.is_displayed()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_states_are_distinguishable_with_colour_blindness(chromium, hub, usual, scheme):
    """Any two states differ by at least 15 in CIE 1976 with any cone type missing; a difference of
    2 is noticeable side by side."""
    look(chromium, scheme, 1100)
    open_page(chromium, hub)
    for name, cones in CONES.items():
        values = {state: seen(colour, cones) for state, colour in colours(chromium).items()}
        for one, other in itertools.combinations(STATES, 2):
            assert math.dist(values[one], values[other]) >= 15, (name, one, other, math.dist(values[one], values[other]))


def violations(chromium):
    """Returns the violations that axe-core finds, best practices included."""
    chromium.execute_script(AXE)
    found = chromium.execute_async_script(
        "axe.run(document, {resultTypes: ['violations']}).then(arguments[0], (error) => arguments[0]({violations: [{id: String(error), nodes: []}]}))")
    return [(one["id"], [node["html"][:160] for node in one["nodes"]][:3]) for one in found["violations"]]


def calm(chromium, hub):
    """No alarm is open."""
    for alarm in hub.state()["alarms"]:
        hub.command("ack", str(alarm["number"]), "--by", "Ana")
    hub.notify([7.9, 7.7], 2)
    hub.notify([5], 3)
    wait(chromium, lambda: chromium.find_element(By.ID, "quiet").is_displayed(), 20)


def answered(chromium, hub):
    """An alarm is acknowledged and the zone is silenced."""
    number = hub.alarm()["number"]
    hub.command("ack", str(number), "--by", "Ana", "--note", "the door is being mended", "--minutes", "60")
    hub.command("silence", "cold room", "--by", "Rui", "--minutes", "30", "--note", "delivery")
    wait(chromium, lambda: "✓ acknowledged by Ana at" in text(chromium, "#alarms") and "silenced until" in text(chromium, "#zones"))
    assert "by Rui: delivery" in text(chromium, "#zones")


def dialog_open(chromium, hub):
    """The dialog is open."""
    chromium.find_element(By.CSS_SELECTOR, "#alarms button").click()
    assert chromium.find_element(By.ID, "dialog").is_displayed()


def gone(chromium, hub):
    """The hub does not respond."""
    hub.stop()
    wait(chromium, lambda: "does not respond" in text(chromium, "#summary"))


def raised(chromium, hub):
    """Alarms are open."""
    assert chromium.find_elements(By.CSS_SELECTOR, "#alarms li")


def lost(chromium, hub):
    """A lost tag whose alarm was closed by a person."""
    number = until(lambda: hub.alarm("no-data"), 20, "the loss")["number"]
    assert hub.command("close", str(number), "--by", "Rui", "--note", "crushed by a fork lift").returncode == 0
    wait(chromium, lambda: chromium.execute_script("return document.querySelector('#plan g[data-tag]').getAttribute('class')") == "lost"
         and len(chromium.find_elements(By.CSS_SELECTOR, "#alarms li")) == 1)
    assert "0 of 1 tag OK" in text(chromium, "#summary")


def without_data(chromium, hub):
    """No tag has reported yet."""
    assert "0 of 3 tags OK" in text(chromium, "#summary")
    assert {one.get_attribute("class") for one in chromium.find_elements(By.CSS_SELECTOR, "#plan g[data-tag]")} == {"waiting"}


@pytest.mark.parametrize("state, of", [(raised, "hub"), (calm, "hub"), (answered, "hub"),
                                       (dialog_open, "hub"), (gone, "hub"),
                                       (lost, "hub_of_lost"), (without_data, "hub_without_data")])
def test_every_page_state_is_accessible(chromium, request, usual, state, of):
    """At 1440, 768 and 360 pixels, light and dark: axe-core finds no violation, nothing overflows,
    and no labels on the plan overlap."""
    hub = request.getfixturevalue(of)
    look(chromium, "light", 1440)
    open_page(chromium, hub)
    state(chromium, hub)
    for scheme, width in itertools.product(("light", "dark"), (1440, 768, 360)):
        look(chromium, scheme, width)
        time.sleep(0.3)
        if folder := os.environ.get("HUB_PICTURES"):
            chromium.save_screenshot(f"{folder}/{state.__name__}-{width}-{scheme}.png")
        assert violations(chromium) == [], width
        wide = chromium.execute_script(
            "return [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)"
            ".map((one) => one.outerHTML.slice(0, 80))")
        assert not wide, (width, wide)
        overlaps = chromium.execute_script("""
          const boxes = [...document.querySelectorAll("#plan g[data-tag] text")].map((one) => one.getBoundingClientRect());
          return boxes.filter((one, index) => boxes.slice(index + 1).some((other) =>
            one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)).length""")
        assert overlaps == 0, width


def test_a_lost_tag_can_be_closed(chromium, hub_of_lost):
    """The breach of a lost tag has a button that closes it with a name and a note; other alarms
    have none."""
    hub = hub_of_lost
    open_page(chromium, hub)
    wait(chromium, lambda: "no data for" in text(chromium, "#alarms"), 30)
    number = hub.alarm()["number"]
    chromium.find_element(By.CSS_SELECTOR, f"#alarms li[data-alarm='{number}'] button[aria-label^=Close]").click()
    assert not chromium.find_element(By.ID, "minutes").is_displayed()
    chromium.find_element(By.ID, "name").send_keys("Rui")
    chromium.find_element(By.ID, "note").send_keys("crushed by a fork lift")
    chromium.find_element(By.ID, "confirm").click()
    wait(chromium, lambda: hub.alarm() is None)
    closed = next(one for one in hub.log() if one["event"] == "closed")
    assert (closed["name"], closed["note"]) == ("Rui", "crushed by a fork lift")
    # The breach is closed; closing the loss itself must still show the tag as lost.
    loss = hub.alarm("no-data")
    assert hub.command("close", str(loss["number"]), "--by", "Rui").returncode == 0
    wait(chromium, lambda: not chromium.find_elements(By.CSS_SELECTOR, f"#alarms li[data-alarm='{loss['number']}']"))
    for place in ("#plan g", "#zones tr"):
        drawn = chromium.find_element(By.CSS_SELECTOR, f"{place}[data-tag='{loss['tag']}']")
        assert "no data" in drawn.get_attribute("textContent"), place
    assert "lost" in chromium.find_element(By.CSS_SELECTOR, f"#plan g[data-tag='{loss['tag']}']").get_attribute("class")


def test_the_page_works_with_the_keyboard_alone(chromium, hub):
    """Tab moves from the top over the language to the first alarm, Enter opens the dialog, Escape closes it and
    restores the focus, and Enter confirms."""
    open_page(chromium, hub)
    focused = lambda: chromium.switch_to.active_element
    press = lambda *keys: ActionChains(chromium).send_keys(*keys).perform()
    press(Keys.TAB)
    assert focused().get_attribute("id") == "language"
    press(Keys.TAB)
    first = focused().get_attribute("aria-label")
    assert first.startswith("Acknowledge alarm"), first
    outline = chromium.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "the focus is not visible"
    press(Keys.ENTER)
    assert focused().get_attribute("id") == "name"
    press(Keys.ESCAPE)
    assert not chromium.find_element(By.ID, "dialog").is_displayed() and focused().get_attribute("aria-label") == first
    # The page polls the hub every two seconds; the focus must survive an update.
    time.sleep(4.5)
    assert focused().get_attribute("aria-label") == first
    press(Keys.ENTER)
    press("Rui", Keys.TAB, "on my way", Keys.ENTER)
    wait(chromium, lambda: re.search("acknowledged by Rui at .*: on my way", text(chromium, "#alarms")))


def test_long_names_stay_on_the_plan(chromium, long_names, usual):
    """Names longer than the available space end in an ellipsis inside the plan and have the whole
    name as a title."""
    open_page(chromium, long_names)
    for width in (1440, 360):
        look(chromium, "light", width)
        time.sleep(0.3)
        outside = chromium.execute_script("""
          const plan = document.getElementById("plan").getBoundingClientRect();
          return [...document.querySelectorAll("#plan text")].map((one) => one.getBoundingClientRect())
            .filter((one) => one.left < plan.left || one.right > plan.right || one.bottom > plan.bottom).length""")
        assert outside == 0, width
    titles = [one.get_attribute("textContent") for one in chromium.find_elements(By.CSS_SELECTOR, "#plan g[data-tag] title")]
    assert any(title.startswith("the shelf behind the third door on the left:") for title in titles), titles
    if folder := os.environ.get("HUB_PICTURES"):
        chromium.save_screenshot(f"{folder}/long-names.png")


@pytest.mark.parametrize("lines", [["one", "a-2"], ["the shelf behind the third door on the left", "cold-store-number-17"]])
def test_the_mapping_report_shows_whole_names(chromium, hub_of, tmp_path, lines):
    """On the plans of a mapping study every name lies inside the plan, and its title has the whole
    name."""
    hub = hub_of(tags=4)
    text_of = hub.file.read_text()
    for index, name in enumerate(lines):
        text_of = text_of.replace(f"name: shelf-{index},", f"name: {name},")
    hub.stop()
    hub.file.write_text(text_of)
    hub.start()
    for tag in range(4):
        hub.notify([4 + 0.3 * tag, 4.1 + 0.3 * tag], tag)
    until(lambda: len(hub.written) >= 8, what="the disk")
    subprocess.run([PROGRAM, "map", str(hub.file), "--report", str(tmp_path / "map.html")], check=True, capture_output=True)
    chromium.get((tmp_path / "map.html").as_uri())
    outside = chromium.execute_script("""
      return [...document.querySelectorAll("svg text")].filter((one) => {
        const plan = one.closest("svg").getBoundingClientRect(), box = one.getBoundingClientRect();
        return box.left < plan.left || box.right > plan.right || box.top < plan.top || box.bottom > plan.bottom;
      }).map((one) => one.textContent)""")
    assert outside == []
    overlaps = chromium.execute_script("""
      return [...document.querySelectorAll("svg")].reduce((sum, plan) => {
        const boxes = [...plan.querySelectorAll("text")].map((one) => one.getBoundingClientRect());
        return sum + boxes.filter((one, index) => boxes.slice(index + 1).some((other) => one.left < other.right - 1
          && other.left < one.right - 1 && one.top < other.bottom - 4 && other.top < one.bottom - 4)).length;
      }, 0)""")
    assert overlaps == 0
    titles = [one.get_attribute("textContent") for one in chromium.find_elements(By.CSS_SELECTOR, "svg title")]
    assert set(lines) <= set(titles)
    assert violations(chromium) == []
    look(chromium, "light", 390)
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= 390
    assert violations(chromium) == []
    if folder := os.environ.get("HUB_PICTURES"):
        chromium.save_screenshot(f"{folder}/map-{len(lines[0])}.png")


def test_the_history_of_a_tag_and_the_reasons_of_an_alarm(chromium, hub_of, usual):
    """A tag's name opens its curves with limits and exports; an alarm opens what happened; neither has an accessibility violation."""
    hub = hub_of(tags=2, more="fastest: {temperature: 400C}\n")
    hub.notify([5, 5.5, 7, 8.8, 9.4, 7.2], 1)
    open_page(chromium, hub)
    chromium.find_element(By.CSS_SELECTOR, "tr[data-tag='A4:DA:32:00:00:01'] th button").click()
    wait(chromium, lambda: chromium.find_elements(By.CSS_SELECTOR, "#history .chart"))
    assert text(chromium, "#history-title") == "shelf-1"
    charts = chromium.find_elements(By.CSS_SELECTOR, "#history .chart")
    assert [chart.get_attribute("aria-label") for chart in charts] == ["Temperature, 5.0 to 9.4 °C", "Humidity, 47.9 to 47.9 %"]
    assert len(charts[0].find_elements(By.CSS_SELECTOR, ".limit")) == 2 and not charts[1].find_elements(By.CSS_SELECTOR, ".limit")
    assert chromium.find_element(By.CSS_SELECTOR, "#periods [aria-pressed='true']").text == "24 h"
    chromium.find_element(By.CSS_SELECTOR, "#periods button").click()
    wait(chromium, lambda: chromium.find_element(By.CSS_SELECTOR, "#periods [aria-pressed='true']").text == "3 h")
    saved = chromium.execute_async_script("""
        const done = arguments[0], make = URL.createObjectURL, ask = window.fetch;
        // Pages of four readings instead of 10,000: the file contains all of them, and one header.
        window.fetch = (path, ...more) => ask(path.replace("limit=10000", "limit=4"), ...more);
        URL.createObjectURL = (blob) => { blob.text().then((text) => { URL.createObjectURL = make; window.fetch = ask; done(text); }); return "#"; };
        document.querySelector("#history .links button").click();""")
    assert saved.count("A4:DA:32:00:00:01") == 6 and saved.count("temperature") == 1 and len(saved.splitlines()) == 7, saved
    picture(chromium, "history")
    chromium.execute_script(AXE)
    for scheme in ("light", "dark"):
        look(chromium, scheme, 390)
        found = chromium.execute_async_script("const done = arguments[arguments.length - 1]; axe.run().then((result) => done(result.violations));")
        assert found == [], json.dumps(found)[:3000]
        picture(chromium, f"history-{scheme}")
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= 390
    chromium.find_element(By.ID, "history-close").click()
    chromium.find_element(By.CSS_SELECTOR, "#alarms li button.link").click()
    wait(chromium, lambda: "What happened" in text(chromium, "#history"))
    shown = text(chromium, "#history")
    assert text(chromium, "#history-title") == "Alarm 1: shelf-1, cold room"
    assert "temperature above 8 °C, worst 9.4" in shown and "the alarm was raised" in shown and "notified (Ana)" in shown
    assert re.search(r"was received as [0-9a-f]{8} \(characteristic AA21, cc2650\)", shown), shown
    assert len(chromium.find_elements(By.CSS_SELECTOR, "#history .marked")) == 2
    picture(chromium, "why")
    chromium.find_element(By.ID, "history-close").click()
    hub.command("ack", "1", "--by", "Ana")
    wait(chromium, lambda: text(chromium, "#quiet") == "No open alarms.")
    chromium.find_element(By.ID, "closed-alarms").click()
    wait(chromium, lambda: "No. 1, shelf-1, cold room" in text(chromium, "#history"))
    chromium.find_element(By.CSS_SELECTOR, "#history .log button").click()
    wait(chromium, lambda: "acknowledged (Ana)" in text(chromium, "#history"))
    assert errors(chromium) == []


def test_the_page_can_be_installed(chromium, hub):
    """Chromium accepts the manifest and its icon, and reports no obstacle to the installation."""
    open_page(chromium, hub)
    manifest = chromium.execute_cdp_cmd("Page.getAppManifest", {})
    assert manifest["errors"] == [] and json.loads(manifest["data"])["name"] == "Warehouse north"
    obstacles = chromium.execute_cdp_cmd("Page.getInstallabilityErrors", {})["installabilityErrors"]
    # A headless browser is never offered the installation.
    assert [one for one in obstacles if one["errorId"] not in ("in-incognito",)] == []
    assert errors(chromium) == []


def test_every_text_of_the_page_is_translated():
    """Each text that the scripts and the frame show has a translation, and each translation is used."""
    parts = Path(__file__).resolve().parents[3] / "Sources/Services/Hub/Page/Parts"
    words = parts / "words.js"
    known = dict(re.findall(r'"([^"]+)":\s*"([^"]+)"', words.read_text()))
    others = "".join(path.read_text() for path in sorted(parts.iterdir()) if path != words)
    shown = set(re.findall(r'say\("([^"]+)"', others)) | set(re.findall(r"data-say>([^<]+)<", others))
    shown |= {text for pair in re.findall(r'say\([^")]*\? "([^"]+)"\s*: "([^"]+)"', others) for text in pair}
    shown |= set(re.findall(r'data-label="([^"]+)"', others))
    assert len(known) > 100 and shown - set(known) == set()
    assert [text for text in known if f'"{text}"' not in others and f">{text}<" not in others and f"{text}`" not in others] == []
    # A translation has the same placeholders.
    assert [text for text, other in known.items() if sorted(re.findall(r"{\w+}", text)) != sorted(re.findall(r"{\w+}", other))] == []


def test_the_page_speaks_portuguese(chromium, hub_of):
    """A button changes the language, which the browser keeps; numbers have a comma, and no obstacle to accessibility
    appears."""
    hub = hub_of(tags=3)
    for tag in range(3):
        hub.notify([4.5], tag)
    until(lambda: len(hub.written) == 3, what="the stored records")
    open_page(chromium, hub)
    try:
        wait(chromium, lambda: "4.5 °C" in text(chromium, "#zones"))
        assert chromium.find_element(By.TAG_NAME, "html").get_attribute("lang") == "en"
        chromium.find_element(By.ID, "language").click()
        wait(chromium, lambda: "4,5 °C" in text(chromium, "#zones"))
        assert chromium.find_element(By.TAG_NAME, "html").get_attribute("lang") == "pt"
        page = text(chromium, "body")
        for words in ("Armazém north", "0 alarmes, 0 avisos", "Não há alarmes abertos.", "Planta", "Etiquetas por zona", "Temperatura",
                      "Humidade", "em ordem", "Silenciar…", "Histórico"):
            assert words in page, (words, page)
        assert not re.search(r"\b(alarms?|tags?|Temperature|Humidity|Silence|History|ago|never)\b", page), page
        assert violations(chromium) == []
        picture(chromium, "portuguese")
        chromium.refresh()
        wait(chromium, lambda: "Não há alarmes abertos." in text(chromium, "body"))
    finally:
        chromium.execute_script("localStorage.removeItem('language')")
    assert errors(chromium) == []


def test_humidity_is_on_the_plan_and_in_a_curve(chromium, hub):
    """The plan shows the humidity below each name, and the table the curve of the last humidities."""
    open_page(chromium, hub)
    hub.notify([4.0, 4.1, 4.2])
    wait(chromium, lambda: "4.2 °C" in text(chromium, "#zones"))
    shown = chromium.find_element(By.CSS_SELECTOR, "#plan [data-tag] .air").get_attribute("textContent")
    assert re.fullmatch(r"\d+ %", shown), shown
    curves = chromium.find_elements(By.CSS_SELECTOR, "#zones tr[data-tag='A4:DA:32:00:00:00'] .spark path")
    assert len(curves) == 2
    picture(chromium, "humidity")


def picture(chromium, name):
    """Saves a picture of the page if a folder for pictures is given."""
    if folder := os.environ.get("HUB_PICTURES"):
        chromium.save_screenshot(f"{folder}/{name}.png")
