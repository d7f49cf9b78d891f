"""Accessibility: axe-core rules, keyboard, focus, live regions, widths, contrast over the sky, and
motion."""
from pathlib import Path

import axe_playwright_python
import pytest
from selenium.webdriver.common.keys import Keys

import pixels

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
STORM = {"kind": "storm", "from": "2099-01-01T03:00:00Z", "to": "2099-01-01T07:00:00Z", "metric": "wind_speed_10m", "value": 25.0}


def violations(page):
    """Returns the violations that axe-core finds, best practices included."""
    page.js(AXE)
    found = page.driver.execute_async_script(
        "axe.run(document, {resultTypes: ['violations']}).then(arguments[0], (error) => arguments[0]({violations: [{id: String(error), nodes: []}]}))")
    return [(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in found["violations"]]


def wide(page):
    """The page after opening."""
    page.open()


def opened_day(page):
    """An open day, another metric, a favourite."""
    page.open()
    page.click("label[for=metric-rain]")
    page.click("#days li:nth-child(3) .day-row")
    page.click("#star-button")


def open_menu(page):
    """The menu of a narrow screen with search results."""
    page.open()
    if page.js("return innerWidth") < 1000:
        page.click("#menu-button")
    page.search("vila")
    page.keys(Keys.ARROW_DOWN)


def question(page):
    """The confirmation before a favourite is removed."""
    page.open()
    page.click("#star-button")
    page.click("#star-button")


def failed(page):
    """A place without a forecast."""
    page.station.failing = (400, {"error": True, "reason": "outside", "code": "outside_grid"})
    page.expected += ["400"]
    page.open(shown=False)
    page.until(lambda: page.text("#notice"), "the failure")


def open_map(page):
    """The map, opened from the menu."""
    page.open()
    if page.js("return innerWidth") < 1000:
        page.click("#menu-button")
    page.click("#map-button")
    page.until(lambda: page.js("return document.getElementById('map').open"), "the map")


def naming(page):
    """The question for a favourite's own name."""
    page.open()
    page.click("#star-button")
    if page.js("return innerWidth") < 1000:
        page.click("#menu-button")
    page.click("#rename-0")
    page.until(lambda: page.js("return document.getElementById('naming').open"), "the question")


@pytest.mark.parametrize("state", [wide, opened_day, open_menu, open_map, naming, question, failed])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_axe_finds_no_violation(page, station, state, theme, width):
    station.weather = {"kind": "rain", "warnings": [STORM]}
    page.station = station
    page.size(width)
    page.media(theme)
    state(page)
    assert violations(page) == []


def test_axe_finds_seeded_violations(page):
    page.open()
    page.js("""document.getElementById('share-button').removeAttribute('aria-label'); document.getElementById('share-button').removeAttribute('title');
      document.querySelector('#set-wind').previousElementSibling.remove(); document.getElementById('next-hours').role = 'nonsense';
      document.querySelector('.fine').style.color = '#c0c8d0'""")
    assert {"button-name", "select-name", "aria-roles", "color-contrast"} <= {one[0] for one in violations(page)}


@pytest.mark.parametrize("width", [320, 360, 768, 1024, 1440, 2560])
@pytest.mark.parametrize("language", ["en", "pt"])
def test_nothing_overflows_horizontally(page, station, width, language):
    station.weather = {"mixed": True, "warnings": [STORM]}
    page.size(1440)
    page.open("#place=41.0826,-7.1409&name=Sobral%20de%20Monte%20Agra%C3%A7o%20e%20Vila%20Nova%20de%20Foz%20C%C3%B4a&district=Viana%20do%20Castelo")
    page.choose("language", language)
    page.click("#days li:nth-child(2) .day-row")
    page.size(width)
    page.until(lambda: page.js("return document.documentElement.scrollWidth <= innerWidth"), "a page without overflow")
    out = page.js("""return [...document.querySelectorAll('main button, main dd, main label, main .high, header button, #place-name, .chip')]
      .filter((one) => one.checkVisibility() && !one.closest('.strip, .choice') && (one.getBoundingClientRect().right > (one.closest('.card')?.getBoundingClientRect().right ?? innerWidth) + 0.5
        || one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflow === 'visible' && getComputedStyle(one).display !== 'inline'))
      .map((one) => `${one.tagName} ${one.id} ${one.className} ${one.textContent}`)""")
    assert out == []


def tabbed(page, count):
    """Presses Tab repeatedly; returns the ids (or classes) that receive the focus."""
    seen = []
    for _ in range(count):
        page.keys(Keys.TAB)
        seen.append(page.js("const a = document.activeElement; return a.id || a.className || a.tagName"))
    return seen


def test_tab_order_runs_from_the_header_to_the_weather(page):
    page.size(360)
    page.open()
    page.js("document.activeElement.blur()")
    seen = tabbed(page, 9)
    assert seen[:5] == ["skip", "menu-button", "star-button", "locate-button", "share-button"]
    assert seen[5:] == ["metric-temp", "next-hours", *seen[7:]] and seen[7].startswith("day-2")
    assert not {"search", "set-language"} & set(seen)


def test_the_skip_link_leads_to_the_weather(page):
    page.open()
    page.js("document.querySelector('.skip').focus()")
    assert page.js("return document.querySelector('.skip').getBoundingClientRect().top >= 0")
    page.keys(Keys.ENTER)
    assert page.focused() == "weather"


def test_metrics_are_chosen_and_hours_scrolled_by_keyboard(page):
    page.open()
    page.js("document.getElementById('metric-temp').focus()")
    page.keys(Keys.ARROW_RIGHT)
    page.until(lambda: page.text("#next .metric-name") == "Rain (mm)", "the next metric")
    assert page.focused() == "metric-rain"
    page.keys(Keys.TAB)
    assert page.focused() == "next-hours"
    page.keys(Keys.ARROW_RIGHT * 3)
    page.until(lambda: page.js("return document.getElementById('next-hours').scrollLeft") > 20, "it scrolls")


def test_a_day_opens_by_keyboard_and_keeps_the_focus(page):
    page.open()
    day = page.js("const row = document.querySelectorAll('.day-row')[1]; row.focus(); return row.id")
    page.keys(Keys.ENTER)
    page.until(lambda: page.js("return document.activeElement.getAttribute('aria-expanded')") == "true", "the open day")
    assert page.focused() == day


def test_the_menu_of_a_narrow_screen(page):
    page.size(360)
    page.open()
    assert not page.js("return document.getElementById('search').checkVisibility({visibilityProperty: true})")
    page.click("#menu-button")
    assert page.focused() == "search"
    assert page.js("return document.getElementById('weather').inert && document.querySelector('header').inert")
    page.keys(Keys.ESCAPE)
    assert page.focused() == "menu-button"
    assert page.js("return !document.getElementById('weather').inert && document.getElementById('menu').inert")
    page.click("#menu-button")
    page.visit("Tomar")
    page.until(lambda: page.place() == "Tomar", "the new place")
    assert page.focused() == "place-name"
    assert not page.js("return document.documentElement.classList.contains('menu-open')")


def test_changes_are_announced_to_screen_readers(page):
    page.open()
    page.until(lambda: page.text("#status") == "Forecast for Coimbra", "the forecast")
    assert page.js("return document.getElementById('status').getAttribute('role')") == "status"
    assert page.js("return document.querySelector('#search-said').getAttribute('role')") == "status"
    page.click("#star-button")
    assert page.text("#status") == "Coimbra is a favourite now."


def test_a_lost_connection_is_announced_and_a_reading_is_not(page, station):
    page.open()
    page.until(lambda: page.text("#live") == "Live", "the connection")
    page.js("""window.said = 0;
      for (const region of document.querySelectorAll('[role=status], [role=alert], [aria-live]')) {
        new MutationObserver(() => { window.said += 1; }).observe(region, {childList: true, characterData: true, subtree: true}); }""")
    before = page.js("return state.station.sequence")
    page.until(lambda: page.js("return state.station.sequence") > before + 2, "more readings")
    assert not page.js("return document.querySelector('#station').closest('[aria-live], [role=status]') || document.querySelector('#station [role=status], #station [aria-live]')")
    said = page.js("return window.said")
    station.drop_live()
    page.until(lambda: page.text("#status") == "Connection lost, trying again …"
               or page.js("return window.said") > said, "the lost connection")
    page.until(lambda: page.text("#status") == "The station is live again.",
               "the restored connection")


def test_landmarks_and_headings(page):
    page.open()
    assert page.js("return ['header', 'nav', 'main', 'footer'].map((tag) => document.querySelectorAll(`body > ${tag}`).length)") == [1, 1, 1, 1]
    levels = page.js("return [...document.querySelectorAll('h1, h2, h3')].filter((h) => h.checkVisibility()).map((h) => Number(h.tagName[1]))")
    assert levels[0] == 1 and levels.count(1) == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:]))


def test_targets_are_large_enough_on_a_narrow_screen(page):
    page.size(360)
    page.open()
    page.click("#menu-button")
    small = page.js("""return [...document.querySelectorAll('button, select, input:not(.choice input), .choice label')].filter((one) => one.checkVisibility())
      .map((one) => [one.id || one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.height < 36 || box.width < 36).map(([name, box]) => `${name} ${box.width}x${box.height}`)""")
    assert [one for one in small if not one.startswith("use-correction")] == []


@pytest.mark.parametrize("motion, moving", [("reduce", False), ("no-preference", True)])
def test_motion_respects_prefers_reduced_motion(page, station, motion, moving):
    station.weather = {"kind": "rain"}
    page.media(motion=motion)
    page.open()
    page.until(lambda: page.text("#live") == "Live", "the connection")
    running = page.js("return document.getAnimations().filter((one) => one.playState === 'running' && one instanceof CSSAnimation).length")
    assert (running > 0) == moving


@pytest.mark.parametrize("kind, hour, phase", [
    ("clear", 13, "day"), ("clear", 2, "night"), ("few", 9, "day"), ("few", 9, "dawn"), ("few", 15, "dusk"), ("broken", 12, "day"), ("broken", 9, "dawn"),
    ("overcast", 12, "day"), ("overcast", 15, "dusk"), ("fog", 10, "day"), ("rain", 14, "day"), ("snow", 12, "day"), ("storm", 12, "day"), ("snow", 2, "night"),
])
@pytest.mark.parametrize("width", [360, 1440])
def test_text_on_the_sky_has_contrast(page, station, kind, hour, phase, width):
    station.weather = {"kind": kind, "hour": hour}
    page.size(width)
    page.open()
    boxes = page.js("""const words = [...document.querySelectorAll('#now-temperature, .sky-words, .also span, #place-name')];
      const boxes = words.map((one) => { const b = one.getBoundingClientRect(); return [b.left, b.top, b.width, b.height].map(Math.floor); });
      for (const id of ['now', 'status']) document.getElementById(id).style.visibility = 'hidden';
      document.querySelector('header').style.color = 'transparent';
      return boxes""")
    # All positions of the light and of the clouds, independent of the machine's clock.
    for way in (0, 0.02, 0.06, 0.25, 0.5, 0.75, 1):
        page.js("""const [way, phase] = arguments, sky = document.getElementById('sky');
          document.documentElement.dataset.phase = phase;
          sky.style.setProperty('--light-x', `${50 + way * 42}%`);
          sky.style.setProperty('--light-y', `${26 - Math.sin(way * Math.PI) * 20}%`);
          for (const one of sky.querySelectorAll('.clouds i')) one.style.transform = `translateX(${way * 20 - 6}%)`""", way, phase)
        for box in boxes:
            rows = pixels.capture(page.driver, box)
            ratios = sorted(pixels.contrast((255, 255, 255), pixel) for row in rows[::3] for pixel in row[::3])
            # Rain drops or snowflakes may pass behind a letter: one pixel in thirty is tolerated.
            assert ratios[len(ratios) // 30] >= 4.5, (way, box, ratios[0])


def test_the_theme_follows_the_device_and_the_setting_by_choice(page):
    def background():
        return page.js("return getComputedStyle(document.querySelector('#next')).backgroundColor")
    page.open()
    light = background()
    page.media("dark")
    dark = page.until(lambda: background() != light and background(), "the dark colours")
    page.choose("theme", "light")
    assert background() == light
    page.media("light")
    page.choose("theme", "dark")
    assert background() == dark


def test_bars_switches_and_cards_are_visible_in_forced_colours(page):
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "forced-colors", "value": "active"}, {"name": "prefers-color-scheme", "value": "dark"}, {"name": "prefers-reduced-motion", "value": "reduce"}]})
    page.open()
    style = "getComputedStyle(document.querySelector(arguments[0]))"
    ground = page.js("return getComputedStyle(document.querySelector('#days')).backgroundColor")
    for one in (".track .span", ".track .here", ".live i"):
        assert page.js(f"return {style}.backgroundColor", one) not in (ground, "rgba(0, 0, 0, 0)"), one
    assert page.js(f"return {style}.appearance", "#use-correction") == "auto"
    assert page.js(f"return {style}.borderTopWidth", "#station") == "1px"
    assert page.js(f"return {style}.stroke", ".drawing .curve") != page.js(f"return {style}.backgroundColor", "#next")


@pytest.mark.parametrize("width", [320, 360, 390, 720, 1024, 1440])
@pytest.mark.parametrize("language", ["en", "pt"])
def test_no_short_word_is_broken_over_two_lines(page, station, width, language):
    station.weather = {"mixed": True}
    page.open()
    page.choose("language", language)
    page.size(width)
    page.until(lambda: page.js("return innerWidth") == width, "the width")
    broken = page.js("""return [...document.querySelectorAll('.day-name, .day-rain, .high, .low, .hour .time, .hour b, .tile dd, .measured dd, .choice label')]
      .filter((one) => one.checkVisibility() && one.textContent && one.getClientRects().length && one.getBoundingClientRect().height
        - parseFloat(getComputedStyle(one).paddingTop) * 2 > 1.9 * parseFloat(getComputedStyle(one).fontSize))
      .map((one) => one.textContent)""")
    assert broken == []


@pytest.mark.parametrize("width", [320, 360, 390, 720, 768, 1024, 1440])
@pytest.mark.parametrize("language", ["en", "pt"])
def test_a_value_stays_on_one_line_within_its_tile(page, station, width, language):
    """In every unit, with the widest font that the page lists."""
    station.weather, station.pressure = {"kind": "storm"}, 1018.3
    station.edit_station = lambda answer: answer | {"temperature_c": -22.86, "humidity_percent": 100.0,
                                                    "tendency": answer["tendency"] | {"change_hpa": -14.9}}
    page.open()
    page.choose("language", language)
    page.size(width)
    page.until(lambda: page.js("return innerWidth") == width, "the width")
    for font in ("", "DejaVu Sans"):
        page.js("document.documentElement.style.fontFamily = arguments[0]", font)
        for pressure, temperature in (("hPa", "C"), ("mmHg", "F")):
            for setting, unit in (("pressure", pressure), ("temperature", temperature)):
                page.js("""const box = document.getElementById(`set-${arguments[0]}`);
                  box.value = arguments[1]; box.dispatchEvent(new Event('change', {bubbles: true}))""", setting, unit)
            page.until(lambda: pressure in page.text("#station-pressure"), "the unit")
            out = page.js("""return [...document.querySelectorAll('.tile dd')].map((one) => {
                const all = document.createRange();
                all.selectNodeContents(one);
                const tops = [...all.getClientRects()].filter((box) => box.width > 1).map((box) => box.bottom);
                const style = getComputedStyle(one.parentElement);
                const room = one.parentElement.getBoundingClientRect().right - parseFloat(style.paddingRight);
                const isOut = Math.max(...[...all.getClientRects()].filter((box) => box.width > 1).map((box) => box.right)) > room + 0.5;
                return isOut || Math.max(...tops) - Math.min(...tops) > parseFloat(getComputedStyle(one).fontSize)
                  ? `${one.textContent} in ${Math.round(room)}` : null;
              }).filter(Boolean)""")
            assert out == [], (font, pressure)
            assert page.js("const table = document.querySelector('.score table'); return table.scrollWidth <= table.parentElement.clientWidth")
            assert page.js("return Math.min(...[...document.querySelectorAll('.tile dd')].map((one) => parseFloat(getComputedStyle(one).fontSize)))") >= 13
