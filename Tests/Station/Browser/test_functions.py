"""The pure functions of the page, run in the browser."""
import json

import pytest

from browser_page import BrowserPage
from scripted_station import ScriptedStation


@pytest.fixture(scope="module")
def opened(chromium):
    """One open page for all tests of this file."""
    scripted = ScriptedStation()
    page = BrowserPage(chromium, scripted.url).open()
    yield page
    scripted.stop()


@pytest.fixture
def run(opened):
    """Runs an expression on the open page, in English."""
    opened.js("language = 'en'")
    return lambda expression: opened.js(f"return {expression}")


def test_units_convert_as_the_definitions_say(run):
    assert run("units.temperature.F.from(-40)") == -40
    assert run("units.temperature.F.from(100)") == 212
    assert run("units.temperature.F.difference(5)") == 9
    assert run("units.wind.kmh.from(10)") == 36
    # NIST SP 811, appendix B.8: a conventional millimetre of mercury is 133.3224 Pa.
    assert run("units.pressure.mmHg.from(1013.25)") == pytest.approx(760.0, abs=0.001)


def test_numbers_use_the_reader_s_format(run):
    assert run("number(-0.04, 1)") == "0.0"
    assert run("number(-3.25, 1)") in ("−3.3", "−3.2")
    assert run("number(null)") == "–"
    assert run("number(1013.2, 1)") == "1013.2"
    assert run("(language = 'pt', number(3.25, 1))") in ("3,3", "3,2")
    assert run("(language = 'pt', number(1013.2, 1))") == "1013,2", "European Portuguese does not group four digits"
    assert run("(language = 'pt', dayAndTime(1380591420000, utc))") == "1 de outubro de 2013, 01:37"
    assert run("(language = 'en', dayAndTime(1380591420000, utc))") == "1 October 2013, 01:37"
    assert run("dayAndTime(Date.UTC(localDay(timeNow(), utc).slice(0, 4), 5, 1, 12), utc)") == "1 June, 12:00"


def test_temperature_colours_range_from_cold_to_warm(run):
    assert run("warmthColour(-40)") == run("warmthColour(-8)") == "rgb(96 104 204)"
    assert run("warmthColour(60)") == run("warmthColour(36)") == "rgb(200 52 48)"
    assert run("warmthColour(4)") == "rgb(67 149 205)"


@pytest.mark.parametrize("degrees, name", [(0, "N"), (22, "N"), (23, "NE"), (90, "E"), (225, "SW"), (338, "N"), (-90, "W"), (720, "N")])
def test_compass_names(run, degrees, name):
    assert run(f"compass({degrees})") == name


def test_times_with_and_without_a_zone(run):
    assert run("instant('2013-10-01T01:37Z')") == 1380591420000
    assert run("instant('2013-10-01T01:37', 3600)") == 1380591420000 - 3600_000
    assert run("instant('2013-10-01', 3600)") == 1380585600000 - 3600_000
    assert run("instant(1380591420)") == 1380591420000
    for zone in ("zoneOf('Europe/Lisbon', 0)", "zoneOf('Mars/Olympus', 3600)", "zoneOf(undefined, 3600)"):
        assert run(f"localDay(instant('2013-10-01T00:30', 3600), {zone})") == "2013-10-01"
        assert run(f"clockTime(instant('2013-10-01T00:30', 3600), {zone})") == "00:30"


@pytest.mark.parametrize("zone, moment, shown", [
    ("Asia/Kolkata", "2026-06-01T18:45Z", "00:15"), ("America/St_Johns", "2026-06-01T12:00Z", "09:30"),
    ("Pacific/Kiritimati", "2026-06-01T10:00Z", "00:00"), ("Etc/GMT+5", "2026-06-01T10:00Z", "05:00"),
    # Lisbon's clocks are set back at 1:00 UTC on 25 October 2026.
    ("Europe/Lisbon", "2026-10-25T00:30Z", "01:30"), ("Europe/Lisbon", "2026-10-25T01:30Z", "01:30"), ("Europe/Lisbon", "2026-10-25T02:00Z", "02:00"),
])
def test_times_of_any_zone(run, zone, moment, shown):
    assert run(f"clockTime(instant('{moment}'), zoneOf('{zone}', 0))") == shown


def test_a_week_in_which_clocks_change_keeps_its_days_and_hours(run):
    answer = {"timezone": "Europe/Lisbon", "utc_offset_seconds": 3600,
              "hourly": {"time": [1792882800 + 3600 * i for i in range(49)], "temperature_2m": [10] * 49},     # from 25 October 2026, 0:00 there
              "daily": {"time": [1792882800, 1792882800 + 25 * 3600]}}
    days = run(f"readForecast({json.dumps(answer)}).hours.map((row) => row.date)")
    assert days == ["2026-10-25"] * 25 + ["2026-10-26"] * 24
    assert run(f"readForecast({json.dumps(answer)}).days.map((day) => day.date)") == ["2026-10-25", "2026-10-26"]
    assert run(f"hourMarks(1792882800000, 1792882800000 + 24 * hour, zoneOf('Europe/Lisbon')).map((one) => one.text)") == ["00:00", "06:00", "12:00", "18:00"]

def test_age_is_formatted_in_words(run):
    assert run("ago(5000)") == "5 s ago"
    assert run("ago(11 * minute)") == "11 min ago"
    assert run("ago(3 * hour)") == "3 h ago"
    assert run("ago(72 * hour)") == "3 days ago"


@pytest.mark.parametrize("row, key", [
    ({"code": 0, "cloud": 3, "rain": 0, "night": False}, "skySunny"), ({"code": 0, "cloud": 3, "rain": 0, "night": True}, "skyClear"),
    ({"code": 2, "cloud": 60, "rain": 0}, "skyBrokenClouds"), ({"code": 45, "cloud": 100, "rain": 0}, "skyFog"),
    ({"code": 61, "cloud": 90, "rain": .4}, "skyLightRain"), ({"code": 65, "cloud": 90, "rain": 9}, "skyHeavyRain"),
    ({"code": 73, "cloud": 90, "rain": 1}, "skySnow"), ({"code": 95, "cloud": 90, "rain": 9}, "skyStorm"),
    ({"code": None, "cloud": 97, "rain": 0}, "skyOvercast"), ({"code": None, "cloud": 97, "rain": 2}, "skyRain"),
    ({"code": None, "cloud": 20, "rain": 0.05}, "skyFewClouds"), ({"code": None, "cloud": None, "rain": None}, "skyUnknown"), ({"code": None, "cloud": None, "rain": 0}, "skySunny"),
])
def test_sky_of_a_code_or_of_cloud_and_rain(run, row, key):
    assert run(f"skyKey(skyOf({json.dumps(row)}))") == key


def test_phases_of_the_day(run):
    sun = "7 * hour, 18 * hour"
    phases = run(f"[3, 6.5, 7.5, 12, 17.5, 18.5, 22].map((at) => phaseOf(at * hour, {sun}))")
    assert phases == ["night", "dawn", "dawn", "day", "dusk", "dusk", "night"]
    assert run("phaseOf(0, NaN, NaN, true)") == "night"


def test_a_curve_never_overshoots_its_values(run):
    page_path = "document.createElementNS('http://www.w3.org/2000/svg', 'path')"
    heights = run(f"""(() => {{ const path = {page_path};
      path.setAttribute('d', curvePath([[0, 10], [10, 10], [20, 90], [30, 90], [40, 0], [50, 5]]));
      return Array.from({{length: 400}}, (_, i) => path.getPointAtLength(path.getTotalLength() * i / 399).y); }})()""")
    assert min(heights) >= -0.01 and max(heights) <= 90.01


def test_a_missing_value_splits_the_curve(run):
    assert run("curvePath([[0, 1], [1, 2], [2, null], [3, 4], [4, 5]])").count("M") == 2


def test_axis_marks_are_round_numbers_within_the_range(run):
    marks = run("marksOf({low: 1008.3, high: 1014.9}, 3, number).map((one) => one.at)")
    assert marks == [1010, 1012, 1014]


def test_search_finds_accents_prefixes_and_words(run):
    def names(words):
        return run(f"findPlaces(state.places, {json.dumps(words)}).map((one) => one.name)")
    assert names("evora")[0] == "Évora"
    assert names("lisbon")[0] == "Lisboa"
    assert "Vila Nova de Gaia" in names("gaia")
    assert names("porto")[0] == "Porto"
    assert names("  ") == [] and names("xyzzy") == []
    assert len(names("vila")) == 8


@pytest.mark.parametrize("words, name", [
    ("lisbom", "Lisboa"), ("porot", "Porto"), ("coimrba", "Coimbra"), ("viana do castello", "Viana do Castelo"), ("S. João", "São João"),
    ("Sta Maria", "Santa Maria Maior"), ("Sto António", "Santo António"), ("VN Gaia", "Vila Nova de Gaia"),
])
def test_search_forgives_typing_errors_and_knows_abbreviations(run, words, name):
    assert run(f"findPlaces(state.places, {json.dumps(words)})[0].name") == name


def test_search_does_not_guess_short_words(run):
    assert run("findPlaces(state.places, 'xq')") == [] and run("findPlaces(state.places, 'xyzzy')") == []


@pytest.mark.parametrize("text, place", [
    ("38.72, -9.14", (38.72, -9.14)), ("38,72; -9,14", (38.72, -9.14)), ("38,72 -9,14", (38.72, -9.14)), ("38° 43' N 9° 8' W", (38.7167, -9.1333)),
    ("38°43'20.5\"N9°8'W", (38.7224, -9.1333)), ("9.14W 38.72N", (38.72, -9.14)), ("38,7 N 9,1 O", (38.7, -9.1)), ("-38.5,145", (-38.5, 145)),
    ("91,0", None), ("38", None), ("38N 39N", None), ("rua 38, 9", None),
])
def test_coordinates_are_a_place(run, text, place):
    found = run(f"typedPlace({json.dumps(text)})")
    assert (found and (found["latitude"], found["longitude"])) == place
    if text == "38.72, -9.14":
        assert found["name"] == "38.7200, −9.1400" and found["district"].startswith("near ")
        assert run(f"findPlaces(state.places, {json.dumps(text)})") == [found]
        assert run(f"(language = 'pt', typedPlace({json.dumps(text)}).name)") == "38,7200; −9,1400"


def test_the_map_converts_points_and_coordinates(run):
    """Each place lies on the map, and its point has its coordinates."""
    assert run("state.places.filter((one) => !pointOf(one)).map((one) => one.name)") == []
    far = run("""Math.max(...state.places.map((one) => {
      const at = coordinatesOf(...pointOf(one));
      return distance(one, at);
    }))""")
    assert far < 0.01
    assert run("coordinatesOf(-5, 10) === undefined && pointOf({ latitude: 0, longitude: 0 }) === undefined")


def test_the_gazetteer_holds_portugal_on_land_and_islands(run):
    count, low, high = run("[state.places.length, Math.min(...state.places.map((p) => p.latitude)), Math.max(...state.places.map((p) => p.latitude))]")
    assert count == 1079 and 32 < low < 33 and 42 < high < 42.2
    assert run("state.places.every((p) => isPlace(p) && p.district && p.longitude > -32 && p.longitude < -6)")


def test_distance_of_lisbon_and_porto(run):
    # 274 km on the GRS80 geodesic; the sphere is accurate to 0.5 %.
    assert run("distance({latitude: 38.7251, longitude: -9.1498}, {latitude: 41.1485, longitude: -8.611})") == pytest.approx(274, rel=0.005)


def test_links_encode_and_decode_a_place(run):
    place = {"name": "Vila Nova de Foz Côa & #1", "district": "Guarda", "latitude": 41.0826, "longitude": -7.1409}
    assert run(f"linkedPlace(placeLink({json.dumps(place)}))") == place


@pytest.mark.parametrize("link", ["", "#place=91,0", "#place=a,b", "#place=40.2", "#name=Coimbra", "#place=40,-181", "#place=1e1,2"])
def test_links_without_a_place_return_none(run, link):
    assert run(f"linkedPlace({json.dumps(link)})") is None


@pytest.mark.parametrize("link, text", [("#place=999,0", "999,0"), ("#place=a,b&name=X", "a,b"), ("#place=", " "), ("#place=40,-8", ""), ("", ""), ("#name=Coimbra", "")])
def test_links_to_an_invalid_place_are_distinguished_from_links_without_one(run, link, text):
    assert run(f"senselessPlace({json.dumps(link)})") == text


def test_an_item_moves_within_a_list(run):
    assert run("moved(['a', 'b', 'c'], 'a', 1)") == ["b", "a", "c"]
    assert run("moved(['a', 'b', 'c'], 'c', -1)") == ["a", "c", "b"]
    assert run("moved(['a', 'b', 'c'], 'a', -1)") == ["a", "b", "c"]


def test_failures_are_classified(run):
    assert run("failureKind(400, {error: true, reason: 'x', code: 'outside_grid'})") == "outside"
    assert run("failureKind(404, {error: {code: 'outside_grid'}})") == "outside"
    assert run("failureKind(503, null)") == "busy"
    assert run("failureKind(500, null)") == "broken" and run("failureKind(200, null)") == "broken"
    assert run("failureKind(404, {error: true, reason: 'no run', code: 'no_forecast'})") == "ended"
    assert run("endOf({error: true, reason: 'the last run ended 2013-10-08T12:00:00Z'})") == 1381233600000
    assert run("endOf({error: true, reason: 'no such metric'})") is None or run("Number.isNaN(endOf(null))")
    assert run("failureKind(400, {error: true, reason: 'no such metric'})") == "refused"


def test_thinning_keeps_the_last_value(run):
    assert run("thinned([1, 2, 3, 4, 5, 6, 7, 8, 9], 3)") == [1, 5, 9]


def test_both_languages_have_the_same_texts_and_placeholders(run):
    assert run("Object.keys(english).sort()") == run("Object.keys(portuguese).sort()")
    assert run("Object.keys(english).filter((k) => String(english[k].match(/{\\w+}/g)?.sort()) !== String(portuguese[k].match(/{\\w+}/g)?.sort()))") == []
    assert run("zambrettiPortuguese.length") == 26


def test_days_of_the_week_have_three_letters(run):
    days = "Array.from({length: 7}, (_, day) => weekday(day * 24 * hour, utc))"
    assert run(f"(language = 'en', {days})") == ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    assert run(f"(language = 'pt', {days})") == ["qui", "sex", "sáb", "dom", "seg", "ter", "qua"]


@pytest.mark.parametrize("row, shapes", [
    ({"code": 0, "night": False}, {"sun": 1}), ({"code": 0, "night": True}, {"moon": 1}),
    ({"code": 1, "night": False}, {"sun": 1, "cloud": 1}), ({"code": 2, "night": True}, {"moon": 1, "cloud": 1}), ({"code": 3, "night": False}, {"cloud": 2}),
    ({"code": 51, "cloud": 50, "night": False}, {"sun": 1, "cloud": 1, "drop": 1}), ({"code": 51, "cloud": 50, "night": True}, {"moon": 1, "cloud": 1, "drop": 1}),
    ({"code": 63, "cloud": 60, "night": False}, {"sun": 1, "cloud": 1, "drop": 2}), ({"code": 65, "cloud": 100, "night": False}, {"cloud": 1, "drop": 3}),
    ({"code": 73, "cloud": 100, "night": True}, {"cloud": 1, "flake": 2}), ({"code": 95, "cloud": 100, "night": False}, {"cloud": 1, "bolt": 1}),
    ({"code": 45, "night": True}, {"cloud": 1, "mist": 3}), ({"code": None, "cloud": None, "rain": None}, {"mist": 1}),
])
def test_icons_join_time_of_day_cloud_and_rain(run, row, shapes):
    drawn = run(f"""(() => {{ const icon = skyIcon(skyOf({json.dumps({"cloud": None, "rain": None} | row)}));
      return Object.fromEntries(["sun", "moon", "cloud", "drop", "flake", "bolt", "mist"].map((name) => [name, icon.querySelectorAll("." + name).length])); }})()""")
    # An overcast sky without rain has a second cloud; rain from a broken sky shows sun or moon.
    assert {name: count for name, count in drawn.items() if count} == shapes
