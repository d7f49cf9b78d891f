"""Screen reader output: the accessibility tree that Chromium exposes, in its order."""
import re

import pytest

SILENT = {"InlineTextBox", "generic", "none", "paragraph", "LineBreak"}
WARNING = {"kind": "storm", "from": "2099-01-01T03:00:00Z", "to": "2099-01-01T07:00:00Z", "metric": "wind_speed_10m", "value": 24.1}


def accessibility_tree(page):
    """Returns roles and names of the tree in reading order, without nodes that have neither."""
    page.driver.execute_cdp_cmd("Accessibility.enable", {})
    nodes = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    page.driver.execute_cdp_cmd("Accessibility.disable", {})
    by_id, spoken = {node["nodeId"]: node for node in nodes}, []

    def walk(node):
        role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "").replace("\u00a0", " ")
        if not node["ignored"] and role not in SILENT:
            spoken.append((role, name))
        for child in node.get("childIds", []):
            if child in by_id:
                walk(by_id[child])

    walk(nodes[0])
    return spoken


def of(tree, role):
    """Returns the names of a role."""
    return [name for one, name in tree if one == role]


@pytest.fixture
def tree(page, station):
    """The tree of a rainy afternoon on a narrow screen."""
    station.weather = {"kind": "rain", "hour": 15, "warnings": [WARNING]}
    page.size(360)
    page.open()
    page.until(lambda: page.has("#score-words") and page.text("#live") == "Live" and page.has("#station .chart"), "the whole page")
    return accessibility_tree(page)


def test_headings_and_regions_follow_the_order_of_the_page(tree):
    assert tree[0] == ("RootWebArea", "Coimbra – Weather – Aneroid")
    expected = ["Coimbra", "Now", "Next 24 hours", "Seven days", "Coimbra", "Barometric forecasts", "Corrected by your sensor"]
    assert of(tree, "heading")[:7] == expected and of(tree, "heading")[7].startswith("Yesterday’s score")
    places = [role for role, _ in tree if role in ("banner", "main", "contentinfo")]
    assert places == ["banner", "main", "contentinfo"]
    assert of(tree, "region") == ["Now", "Warnings", "Next 24 hours", "Temperature, hour by hour; scroll sideways", "Seven days", "Coimbra", "Corrected by your sensor"]


def test_every_control_has_a_descriptive_name(tree):
    assert of(tree, "button")[:4] == ["Menu: search, favourites, settings", "Add Coimbra to the favourites", "Weather where I am", "Share this place"]
    for role in ("button", "radio", "switch", "link", "image", "table", "group", "columnheader", "rowheader"):
        assert of(tree, role) and all(of(tree, role)), role


def test_the_present_is_one_clear_passage(tree):
    words = [name for _, name in tree]
    now = words[words.index("Now"):words.index("Warnings")]
    assert [now.index(text) for text in ("19 °C", "Rain", "Feels like 16°", "High 19°, low 8°")] == sorted(
        now.index(text) for text in ("19 °C", "Rain", "Feels like 16°", "High 19°, low 8°"))
    pairs = [(one, other) for (role, one), (_, other) in zip(tree, tree[3:]) if role == "term"]
    assert ("Wind from", "north-west") in pairs and ("Wind", "30 km/h") in pairs and ("Pressure", "1012 hPa") in pairs


def test_hours_and_days_are_read_as_sentences(tree):
    words = of(tree, "StaticText")
    assert "Now: 19 °C, Rain, 1.5 mm" in words and "16:00: 19 °C, Rain, 1.3 mm" in words
    days = [name for name in of(tree, "button") if "°C to" in name]
    assert len(days) == 7 and days[0].startswith("Today, ")
    assert all(re.fullmatch(r"(Today, )?\w+ \d+ \w+: Temperature −?\d+ °C to −?\d+ °C, Rain, Rain \d+(\.\d)? mm", one) for one in days), days


def test_charts_are_read_as_sentences_and_not_as_ticks(tree):
    charts = of(tree, "image")
    assert charts[0].startswith("Pressure at the station, last 24 hours: From ")
    assert re.fullmatch(r"Temperature: Corrected \d+ °C to \d+ °C, Plain forecast \d+ °C to \d+ °C", charts[1])
    after = tree[tree.index(("image", charts[1])) + 1]
    assert after[0] == "heading", "a tick is read out"


def test_nothing_is_read_twice_or_without_a_name(tree):
    words = of(tree, "StaticText")
    assert "–" not in words and "N" not in words and "19°" not in words
    assert not [one for one in words if re.fullmatch(r"\W+", one) and one.strip() not in ("", ".", ":", ",")]


def test_content_covered_by_the_open_menu_is_not_read(page):
    page.size(360)
    page.open()
    page.click("#menu-button")
    tree = accessibility_tree(page)
    assert "navigation" in [role for role, _ in tree] and of(tree, "combobox")[0] == "Search for a place"
    assert of(tree, "main") == [] and "Next 24 hours" not in of(tree, "heading")
    assert len(of(tree, "listitem")) == 8 and all(of(tree, "combobox")) and "Move Rain up" in of(tree, "button")


def test_a_failure_is_announced_at_once(page, station):
    station.failing = (404, {"error": True, "code": "no_forecast", "reason": "the last run ended 2013-10-08T12:00:00Z"})
    page.expected += ["404"]
    page.open(shown=False)
    page.until(lambda: page.has("#notice .failed"), "the notice")
    tree = accessibility_tree(page)
    alert = tree.index(("alert", ""))
    assert tree[alert + 1][1].startswith("There is no forecast for Coimbra for now")
    assert "18 °C" in of(tree, "StaticText")
