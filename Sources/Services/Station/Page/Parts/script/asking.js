// Selects a place, loads its forecast, and displays a message if there is none.
"use strict";

/** Displays a different place. */
function goTo(place) {
  const moves = state.place !== null || state.senseless;
  state.place = place;
  Object.assign(state, { forecasts: {}, at: NaN, failure: null, openDay: null, senseless: "" });
  change((data) => { data.place = place; });
  if (linkedPlace(location.hash) === null || !samePlace(linkedPlace(location.hash), place)) {
    history.pushState(null, "", placeLink(place));
  }
  showNotice("");
  if (document.documentElement.classList.contains("menu-open")) showMenu(false);
  if (moves) part("place-name").focus({ preventScroll: true });
  if (moves) scrollTo({ top: 0 });
  return askForecast();
}

/** Displays the place in the URL after navigation or an edit of the address. */
function followLink() {
  const place = linkedPlace(location.hash);
  if (senselessPlace(location.hash)) tellSenseless();
  else if (place && !samePlace(place, state.place)) goTo(place);
}

/** Displays a message about an invalid place in the URL, and removes the previous place. */
function tellSenseless() {
  const text = senselessPlace(location.hash);
  Object.assign(state, { place: null, forecasts: {}, at: NaN, failure: null, openDay: null, senseless: text, loading: false });
  announce("");
  render();
  failedNotice(say("senseless", { text: text.trim() }));
}

/** Loads both forecasts for the place and draws them; while the view is empty, it displays a loading message. */
async function askForecast(pressed = null) {
  const place = state.place;
  const key = placeKey(place);
  if (!shownForecast() && (pressed || !state.failure)) {
    state.loading = true;
    announce(say("loading"), { stays: true });
    render();
  }
  const [corrected, plainOne] = await Promise.allSettled([
    askOrRecall(`${key} corrected`, forecastPath(place, true)), askOrRecall(`${key} plain`, forecastPath(place, false)),
  ]);
  if (!samePlace(place, state.place)) return;
  state.loading = false;
  const came = [corrected, plainOne].find((one) => one.status === "fulfilled");
  if (!came) return forecastFailed(place, corrected.reason);
  state.forecasts = {
    corrected: corrected.value ? readForecast(corrected.value.answer) : undefined,
    plain: plainOne.value ? readForecast(plainOne.value.answer) : undefined,
  };
  Object.assign(state, { at: came.value.at, failure: came.value.failure });
  const forecast = shownForecast();
  if (isOver(forecast, timeNow())) {
    return forecastFailed(place, state.failure ?? new ServiceFailure("ended", endOfRuns(forecast), forecast.zone));
  }
  render();
  if (state.failure) markOld();
  else {
    if (part("notice").querySelector(".old, .failed")) showNotice("");
    announce(say("loaded", { name: place.name }), { quiet: true });
  }
}

/** Displays that the data is old, with its age and the reason. */
function markOld() {
  announce("");
  showNotice(say(state.failure.kind === "offline" ? "old" : "oldStation", {
    time: dayAndTime(state.at, shownForecast().zone), ago: ago(timeNow() - state.at),
  }), button("again", say("again"), askForecast));
  part("notice").firstChild.classList.add("old");
}

/** Displays why there is no forecast; times are in the place's time zone or, if it is unknown, in the device's. */
function forecastFailed(place, failure) {
  if (!(failure instanceof ServiceFailure)) throw failure;
  announce("");
  if (failure.kind !== "ended" || !shownForecast()) state.forecasts = {};
  state.failure = failure;
  render();
  const keys = { outside: "outside", busy: "busy", refused: "refused", offline: "offlineNothing", broken: "broken", ended: "ended" };
  const ended = Number.isFinite(failure.ended);
  const zone = failure.zone ?? zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone, 0);
  const key = failure.kind === "ended" && !ended ? "endedOnce" : keys[failure.kind];
  const retries = !["outside", "ended"].includes(failure.kind);
  failedNotice(say(key, { name: place.name, time: ended ? `${dayAndTime(failure.ended, zone)} ${zoneName(failure.ended, zone)}` : "" }),
    retries ? button("again", say("again"), askForecast) : null);
}

/** Displays a notice instead of a forecast. */
function failedNotice(text, action = null) {
  showNotice(text, action);
  part("notice").firstChild.classList.add("failed");
}
