"""What a listener hears: the accessibility tree that Chromium gives to screen readers, in its order."""
import re

import pytest

SILENT = {"InlineTextBox", "generic", "none", "paragraph", "LineBreak"}
WARNING = {"kind": "storm", "from": "2099-01-01T03:00:00Z", "to": "2099-01-01T07:00:00Z", "metric": "wind_speed_10m", "value": 24.1}


def heard(page):
    """The roles and names of the tree in reading order, without what has neither."""
    page.driver.execute_cdp_cmd("Accessibility.enable", {})
    nodes = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    page.driver.execute_cdp_cmd("Accessibility.disable", {})
    known, told = {node["nodeId"]: node for node in nodes}, []

    def walk(node):
        role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "").replace("\u00a0", " ")
        if not node["ignored"] and role not in SILENT:
            told.append((role, name))
        for child in node.get("childIds", []):
            if child in known:
                walk(known[child])

    walk(nodes[0])
    return told


def of(told, role):
    """The names of a role."""
    return [name for one, name in told if one == role]


@pytest.fixture
def told(page, station):
    """The tree of a rainy afternoon on a narrow screen."""
    station.weather = {"kind": "rain", "hour": 15, "warnings": [WARNING]}
    page.size(360)
    page.open()
    page.until(lambda: page.has("#score-words") and page.text("#live") == "Live" and page.has("#station .chart"), "everything")
    return heard(page)


def test_places_headings_and_regions_come_in_the_order_of_the_page(told):
    assert told[0] == ("RootWebArea", "Coimbra – Weather – Aneroid")
    wanted = ["Coimbra", "Now", "Next 24 hours", "Seven days", "Coimbra", "Barometric forecasts", "Corrected by your sensor"]
    assert of(told, "heading")[:7] == wanted and of(told, "heading")[7].startswith("Yesterday’s score")
    places = [role for role, _ in told if role in ("banner", "main", "contentinfo")]
    assert places == ["banner", "main", "contentinfo"]
    assert of(told, "region") == ["Now", "Warnings", "Next 24 hours", "Temperature, hour by hour; scroll sideways", "Seven days", "Coimbra", "Corrected by your sensor"]


def test_every_control_has_a_name_and_says_what_it_does(told):
    assert of(told, "button")[:4] == ["Menu: search, favourites, settings", "Add Coimbra to the favourites", "Weather where I am", "Share this place"]
    for role in ("button", "radio", "switch", "link", "image", "table", "group", "columnheader", "rowheader"):
        assert of(told, role) and all(of(told, role)), role


def test_the_present_is_one_clear_passage(told):
    words = [name for _, name in told]
    now = words[words.index("Now"):words.index("Warnings")]
    assert [now.index(text) for text in ("19 °C", "Rain", "Feels like 16°", "High 19°, low 8°")] == sorted(
        now.index(text) for text in ("19 °C", "Rain", "Feels like 16°", "High 19°, low 8°"))
    pairs = [(one, other) for (role, one), (_, other) in zip(told, told[3:]) if role == "term"]
    assert ("Wind from", "north-west") in pairs and ("Wind", "30 km/h") in pairs and ("Pressure", "1012 hPa") in pairs


def test_hours_and_days_are_heard_as_sentences(told):
    words = of(told, "StaticText")
    assert "Now: 19 °C, Rain, 1.5 mm" in words and "16:00: 19 °C, Rain, 1.3 mm" in words
    days = [name for name in of(told, "button") if "°C to" in name]
    assert len(days) == 7 and days[0].startswith("Today, ")
    assert all(re.fullmatch(r"(Today, )?\w+ \d+ \w+: Temperature −?\d+ °C to −?\d+ °C, Rain, Rain \d+(\.\d)? mm", one) for one in days), days


def test_charts_are_heard_as_sentences_and_not_as_ticks(told):
    charts = of(told, "image")
    assert charts[0].startswith("Pressure at the station, last 24 hours: From ")
    assert re.fullmatch(r"Temperature: Corrected \d+ °C to \d+ °C, Plain forecast \d+ °C to \d+ °C", charts[1])
    after = told[told.index(("image", charts[1])) + 1]
    assert after[0] == "heading", "no tick is read out"


def test_nothing_is_heard_twice_or_without_words(told):
    words = of(told, "StaticText")
    assert "–" not in words and "N" not in words and "19°" not in words
    assert not [one for one in words if re.fullmatch(r"\W+", one) and one.strip() not in ("", ".", ":", ",")]


def test_what_lies_behind_the_open_menu_is_silent(page):
    page.size(360)
    page.open()
    page.click("#menu-button")
    told = heard(page)
    assert "navigation" in [role for role, _ in told] and of(told, "combobox")[0] == "Search for a place"
    assert of(told, "main") == [] and "Next 24 hours" not in of(told, "heading")
    assert len(of(told, "listitem")) == 8 and all(of(told, "combobox")) and "Move Rain up" in of(told, "button")


def test_a_failure_is_heard_at_once(page, station):
    station.failing = (404, {"error": True, "code": "no_forecast", "reason": "the last run ended 2013-10-08T12:00:00Z"})
    page.expected += ["404"]
    page.open(shown=False)
    page.until(lambda: page.has("#notice .failed"), "that there is none")
    told = heard(page)
    alert = told.index(("alert", ""))
    assert told[alert + 1][1].startswith("There is no forecast for Coimbra for now")
    assert "18 °C" in of(told, "StaticText")
