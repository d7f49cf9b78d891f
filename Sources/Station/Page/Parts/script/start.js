// The page begins: it finds its place, asks, draws, and asks again.
"use strict";

const lisbon = { name: "Lisboa", district: "Lisboa", latitude: 38.7251, longitude: -9.1498 };
const askAgainAfter = 10 * minute;

/** Draws everything from what is known now. */
function render() {
  const now = Date.now();
  const place = state.place;
  part("place-name").textContent = place?.name ?? "Aneroid";
  part("place-district").textContent = place?.district && place.district !== place.name ? place.district : "";
  part("share-button").hidden = !place;
  renderStar();
  renderFavourites();
  renderChoices();
  renderStation(now);
  const forecast = shownForecast();
  for (const id of ["next", "days", "corrected"]) part(id).hidden = !forecast;
  if (!forecast) {
    for (const id of ["now", "warnings", "next", "days", "corrected"]) part(id).replaceChildren();
  } else {
    renderPresent(forecast, now);
    renderWarnings(forecast, now);
    renderNext(forecast, now);
    renderDays(forecast, now);
    renderCorrection(now);
  }
  fill(part("foot"), forecast && Number.isFinite(forecast.run)
    ? of("p", {}, say("run", { time: `${localDay(forecast.run, forecast.offset)} ${clockTime(forecast.run, forecast.offset)}` })) : null,
  of("p", {}, say("places")));
}

/** Shows another place. */
function goTo(place) {
  const moves = state.place !== null;
  state.place = place;
  Object.assign(state, { forecasts: {}, at: NaN, failure: null, openDay: null });
  change((data) => { data.place = place; });
  if (linkedPlace(location.hash) === null || !samePlace(linkedPlace(location.hash), place)) {
    history.pushState(null, "", placeLink(place));
  }
  showNotice("");
  if (document.documentElement.classList.contains("menu-open")) showMenu(false);
  if (moves) part("place-name").focus({ preventScroll: true });
  if (moves) scrollTo({ top: 0 });
  render();
  return askForecast();
}

/** Asks for both forecasts of the place, and draws what comes. */
async function askForecast() {
  const place = state.place;
  const key = placeKey(place);
  if (!shownForecast()) tell(say("loading"), { stays: true });
  const [corrected, plainOne] = await Promise.allSettled([
    askOrRecall(`${key} corrected`, forecastPath(place, true)), askOrRecall(`${key} plain`, forecastPath(place, false)),
  ]);
  if (!samePlace(place, state.place)) return;
  const came = [corrected, plainOne].find((one) => one.status === "fulfilled");
  if (!came) return forecastFailed(place, corrected.reason);
  state.forecasts = {
    corrected: corrected.value ? readForecast(corrected.value.answer) : undefined,
    plain: plainOne.value ? readForecast(plainOne.value.answer) : undefined,
  };
  Object.assign(state, { at: came.value.at, failure: came.value.failure });
  render();
  if (state.failure) markOld();
  else {
    if (part("notice").querySelector(".old, .failed")) showNotice("");
    tell(say("loaded", { name: place.name }), { quiet: true });
  }
}

/** Says that what is shown is old, and how old. */
function markOld() {
  tell("");
  showNotice(say("old", {
    time: clockTime(state.at, shownForecast().offset), ago: ago(Date.now() - state.at),
  }), button("again", say("again"), askForecast));
  part("notice").firstChild.classList.add("old");
}

/** Says kindly why there is no forecast. */
function forecastFailed(place, failure) {
  if (!(failure instanceof ServiceFailure)) throw failure;
  tell("");
  state.failure = failure;
  render();
  const key = { outside: "outside", busy: "busy", refused: "refused", offline: "offlineNothing" }[failure.kind];
  showNotice(say(key, { name: place.name }), failure.kind === "outside" ? null : button("again", say("again"), askForecast));
  part("notice").firstChild.classList.add("failed");
}

/** The place to begin with: the link's, the last one, the station's, else Lisbon. */
async function firstPlace() {
  const linked = linkedPlace(location.hash);
  if (linked) return linked;
  if (kept.place) return kept.place;
  const station = await ask("/v1/station").catch(() => null);
  if (!Number.isFinite(station?.latitude) || !Number.isFinite(station?.longitude)) return lisbon;
  const place = placeAt(station.latitude, station.longitude);
  return station.name ? { ...place, name: station.name, district: "" } : place;
}

/** Asks again when time has passed, the network is back, or the page is looked at after a while. */
function keepFresh() {
  const refresh = () => { if (state.place) { askForecast(); askStation().then(render); } };
  const stale = () => !(Date.now() - state.at < askAgainAfter) || state.failure;
  setInterval(() => { if (!document.hidden && stale()) refresh(); }, minute);
  setInterval(() => { if (!document.hidden && state.place) render(); }, 10 * minute);
  setInterval(() => { if (state.station && part("station-age")) part("station-age").textContent = stationAge(state.station, Date.now()); }, 5000);
  addEventListener("online", refresh);
  addEventListener("offline", () => { if (shownForecast()) { state.failure = new ServiceFailure("offline"); markOld(); } });
  document.addEventListener("visibilitychange", () => { if (!document.hidden && stale()) refresh(); });
  let resized;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(render, 200); });
  addEventListener("popstate", () => { const place = linkedPlace(location.hash); if (place && !samePlace(place, state.place)) goTo(place); });
  addEventListener("storage", (event) => { if (event.key === storeKey) { kept = loadStore().data; applySettings(); render(); } });
}

/** Begins. */
async function start() {
  const { data, problem } = loadStore();
  kept = data;
  applySettings();
  state.places = readGazetteer(gazetteerText, districts);
  part("locate-button").append(sign("locate"));
  part("share-button").append(sign("share"));
  part("star-button").addEventListener("click", () => toggleFavourite(state.place));
  part("locate-button").addEventListener("click", locateDevice);
  part("share-button").addEventListener("click", sharePlace);
  startMenu();
  startSearch();
  render();
  listen();
  await Promise.all([firstPlace().then(goTo), askStation()]);
  render();
  keepFresh();
  const words = { damaged: "storeDamaged", newer: "storeNewer", closed: "storeClosed" };
  if (problem) showNotice(say(words[problem]));
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/worker.js").catch(() => {});
}

start();
