"""Breaks one feature of the page at a time: the test of the feature must fail.

usage: python Tests/Station/Browser/breaks.py [NUMBER...]
"""
import subprocess
import sys
from pathlib import Path

# File, original text, replacement, and the tests that must fail (expression of pytest's -k).
BREAKS = [
    ("script/units.js", "celsius * 9 / 5 + 32", "celsius * 9 / 5 + 30", "units_convert"),
    ("script/units.js", "metres * 3.6", "metres", "units_convert or all_present"),
    ("script/time.js", "- offset * 1000;", "+ offset * 1000;", "times_with"),
    ("script/weather.js", "described?.fog ?? false", "false", "sky_of_a_code"),
    ("script/curve.js", "before * after <= 0 ? 0 : (2 * before * after) / (before + after)", "(before + after) / 2", "never_overshoots"),
    ("script/search.js", ".normalize(\"NFD\")", "", "search_finds"),
    ("script/search.js", "(found.length ? found : similarPlaces(places, asked))", "found", "forgives_typing"),
    ("script/search.js", "shortWords[word] ?? []", "[]", "forgives_typing"),
    ("script/search-box.js", "place.district === names[district.value]", "true", "list_of_its_district"),
    ("script/search.js", "sides.toReversed()", "sides", "coordinates_are_a_place"),
    ("script/favourites.js", "found.label = label === place.name ? \"\" : label.slice(0, 40)", "found.name = label", "name_of_the_user"),
    ("script/map.js", "region.north - (y - region.top) / region.scale", "region.north - y / region.scale", "map_converts or map_is_used"),
    ("script/map.js", "moveCross(from.x + step[0] * wide, from.y + step[1] * wide);", "", "map_is_used"),
    ("script/store.js", "while (data.version < version) {", "if (data.version < version) return { data: emptyStore() }; while (false) {", "update_keeps"),
    ("script/store.js", "box.setItem(`${storeKey}.${problem}`, text);", "", "damaged or going_back"),
    ("script/store.js", "const { data, problem } = loadStore(box);", "const { data, problem } = { data: kept };", "just_stored"),
    ("script/favourites.js", "if (!await askFirst(say(\"askRemove\", { name: place.name }), say(\"remove\"))) return;", "", "requires_confirmation"),
    ("script/favourites.js", "data.favourites.push(", "[].push(", "is_added"),
    ("script/locate.js", "failure.code === failure.PERMISSION_DENIED", "false", "permission_denied"),
    ("script/locate.js", "goTo(placeAt(coords.latitude, coords.longitude))", "goTo(lisbon)", "device_s_place"),
    ("script/service.js", "code === \"outside_grid\" ||", "false &&", "use_cases and outside"),
    ("script/service.js", "keepAnswer(key, answer, timeNow());", "", "shown_and_marked_old"),
    ("script/start.js", "navigator.serviceWorker.register(\"/worker.js\")", "Promise.reject()", "opens_without_a_network"),
    ("script/start.js", "addEventListener(\"offline\"", "addEventListener(\"never\"", "network_is_reported_at_once"),
    ("script/live.js", "stream.addEventListener(\"reading\"", "stream.addEventListener(\"none\"", "live_readings_update"),
    ("script/live.js", "setTimeout(() => listen(", "void (() => listen(", "rejected_connection"),
    ("script/correction.js", "state.corrected = event.target.checked;", "", "switched_off"),
    ("script/correction.js", "learned?.state === \"learning\"", "false", "shows_its_progress"),
    ("script/correction.js", "edge(low), edge(high)]];", "edge(high), edge(low)]];", "with_its_band"),
    ("script/correction.js", "one.corrected.mae < one.model.mae ? \"closer\" : \"farther\"", "\"farther\"", "score_of_both"),
    ("script/station.js", "one === tendency?.trend", "false", "name_that_the_station_sends"),
    ("script/start.js", "ageReading(timeNow());", "", "becomes_stale"),
    ("script/correction.js", "canSay(key) ? key : \"noCorrection\"", "\"noCorrection\"", "reason_for_no_correction"),
    ("script/asking.js", "const zone = failure.zone ??", "const zone =", "place_s_time"),
    ("script/present.js", 'for (const label of forecast.labels.filter((one) => one !== "simulated"))', "for (const label of [])", "labelled"),
    ("script/present.js", "!(one.to < now)", "true", "expired_warning"),
    ("script/present.js", "forecast.warnings.filter", "[].filter", "warnings_of"),
    ("script/forecast.js", "slice(0, count)", "slice(0, 12)", "next_24"),
    ("script/outlook.js", "state.openDay = open ? null : day.date;", "", "seven_days"),
    ("script/strip.js", "state.metric = key; render();", "render();", "next_24"),
    ("script/choices.js", "data.settings.metrics = moved(", "void moved(", "order_of_the_metrics"),
    ("script/choices.js", "document.documentElement.dataset.theme = settings().theme;", "", "by_choice"),
    ("script/language.js", "if (chosen in languages) return chosen;", "", "portuguese"),
    ("script/language.js", "return known ?? \"en\";", "return \"en\";", "browser_s_language"),
    ("script/scene.js", "phase, weather: kind", "phase: \"day\", weather: kind", "background_follows"),
    ("script/share.js", "await navigator.clipboard.writeText(url);", "", "copies_the_link"),
    ("script/place.js", "words.get(\"name\")", "words.get(\"title\")", "encode_and_decode or link_opens"),
    ("script/menu.js", "part(id).inert = over;", "", "menu_of_a_narrow"),
    ("script/menu.js", "part(\"ask-no\").focus();", "part(\"ask-yes\").focus();", "requires_confirmation"),
    ("script/search-box.js", "say(foundPlaces.length === 1 ? \"searchFoundOne\" : \"searchFound\", { n: foundPlaces.length })", "\"\"", "announces_the_number"),
    ("script/search-box.js", "if (document.activeElement !== box) hideFound();", "hideFound();", "comes_back_at_once"),
    ("script/dom.js", "if (focused && part(focused))", "if (false)", "by_keyboard"),
    ("style/sky.css", "--sky-low: #4c5b6d", "--sky-low: #7c8b9d", "contrast"),
    ("style/sky.css", "animation: none !important;", "", "motion"),
    ("style/tokens.css", "--soft: #4b5b6c", "--soft: #9babbc", "axe_finds_no_violation"),
    ("style/frame.css", "border: 0; min-width: 0; }", "border: 0; }", "overflows_horizontally"),
    ("page.html", " data-label=\"locate\"", "", "axe_finds_no_violation"),
    ("script/forecast.js", "hours: hours.filter(isTold)", "hours", "has_ended or ends_soon"),
    ("script/forecast.js", "Number.isFinite(forecast.ended) ? forecast.ended :", "", "has_ended"),
    ("script/service.js", "code === \"no_forecast\" || Number.isFinite(endOf(body))", "false", "has_ended or failures_are_classified"),
    ("script/service.js", "if (reply.ok && body && fits(body)) return body;", "if (reply.ok) return body;", "broken_response"),
    ("script/service.js", "await ask(path, isForecast)", "await ask(path)", "broken_response"),
    ("script/present.js", "if (!stationSpeaks(state.place)) return fill(part(\"now\"));", "return fill(part(\"now\"));", "has_ended"),
    ("script/present.js", "<= (station.place_radius_m ?? 0)", ">= 0", "next_run"),
    ("script/place.js", "return text === null || linkedPlace(hash) ? \"\" :", "return true ? \"\" :", "link_to_an_invalid_place"),
    ("script/asking.js", "Object.assign(state, { place: null, forecasts: {}", "Object.assign(state, { forecasts: {}", "link_to_an_invalid_place"),
    ("script/asking.js", "if (!samePlace(place, state.place)) return;", "", "slow_station"),
    ("script/asking.js", "state.failure.kind === \"offline\" ? \"old\" : \"oldStation\"", "\"old\"", "broken_station"),
    ("script/time.js", "if (Number.isFinite(behind)) clockBehind", "if (false) clockBehind", "clock_is_off"),
    ("script/time.js", "Math.abs(behind) < 2 * minute ? 0 : behind", "behind", "right_clock"),
    ("script/time.js", "if (name) return", "if (false) return", "any_zone or clocks_change"),
    ("script/live.js", "try { reading = JSON.parse(text); } catch { return; }", "reading = JSON.parse(text);", "broken_reading"),
    ("script/live.js", "else if (!spoke && stationSpeaks(state.place)", "else if (false", "of_a_new_station"),
    ("script/language.js", "language === \"pt\" ? \"pt-PT\" : (navigator", "language === \"pt\" ? \"en-GB\" : (navigator", "reader_s_format"),
    ("script/outlook.js", "of(\"span\", { class: \"spoken\" }, spokenDay(day, rows, metric, sky, isToday, forecast)),", "", "read_as_sentences"),
    ("script/curve.js", "drawn(\"text\", { \"aria-hidden\": \"true\", class: \"tick middle\"", "drawn(\"text\", { class: \"tick middle\"", "not_as_ticks"),
    ("script/units.js", "compass(degrees, say(\"compassWords\").split(\"|\"))", "compass(degrees)", "clear_passage"),
    ("script/present.js", "of(\"h2\", { class: \"spoken\" }, say(\"now\")),\n    of(\"div\", { class: \"big\" },\n", "of(\"div\", { class: \"big\" },\n", "order_of_the_page"),
    ("script/weather.js", "if (nothing(code) && nothing(cloud) && nothing(rain)) return null;", "", "sky_of_a_code"),
    ("style/station.css", "background: Highlight; }", "}", "forced_colours"),
    ("style/weather.css", "text-transform: capitalize; white-space: nowrap; }", "text-transform: capitalize; width: 1.5rem; }", "short_word"),
    ("script/live.js", "if (!state.history) return;", "state.history ??= [];", "before_the_history_is_loaded"),
]


def is_caught(number):
    """True if the tests of a break fail with it; all of them pass without it."""
    part, old, new, tests = BREAKS[number]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(Path(__file__).parent),
               "--ignore", str(Path(__file__).parent / "test_real_station.py"), "-k", tests, "--break-part", part, "--break-old", old, "--break-new", new]
    run = subprocess.run(command, capture_output=True, text=True)
    ran = "failed" in run.stdout
    print(f"{number:3} {'noticed' if ran else 'NOT NOTICED'}: {part}: {old[:60]}", flush=True)
    if not ran:
        print(run.stdout[-600:])
    return ran


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:]] or range(len(BREAKS))
    missed = [number for number in numbers if not is_caught(number)]
    print(f"{len(numbers) - len(missed)} of {len(numbers)} breaks noticed")
    sys.exit(1 if missed else 0)
