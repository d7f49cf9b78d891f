// Starts the page: draws everything, selects the initial place, and refreshes the data.
"use strict";

const lisbon = { name: "Lisboa", district: "Lisboa", latitude: 38.7251, longitude: -9.1498 };
const askAgainAfter = 10 * minute;

/** Draws everything from the current state. */
function render() {
  const now = timeNow();
  const place = state.place;
  document.title = place ? say("titleOf", { name: nameOf(place) }) : say("title");
  part("place-name").textContent = place ? nameOf(place) : (state.senseless ? say("noPlace") : "Aneroid");
  const below = place && (nameOf(place) === place.name ? place.district : place.name);
  part("place-district").textContent = below && below !== nameOf(place) ? below : "";
  part("share-button").hidden = !place;
  renderStar();
  renderFavourites();
  renderChoices();
  renderStation(now);
  const forecast = shownForecast();
  const tells = forecast && !isOver(forecast, now);
  part("weather").setAttribute("aria-busy", String(state.loading));
  part("waiting").hidden = !(state.loading && !forecast);
  for (const id of ["next", "days", "corrected"]) part(id).hidden = !tells;
  if (tells) renderForecast(forecast, now);
  else {
    for (const id of ["warnings", "next", "days", "corrected"]) part(id).replaceChildren();
    renderMeasured();
  }
  renderFoot(forecast);
}

function renderForecast(forecast, now) {
  renderPresent(forecast, now);
  renderWarnings(forecast, now);
  renderNext(forecast, now);
  renderDays(forecast, now);
  renderCorrection(now);
}

/** Draws the footer with the run, the source of the places, and a warning if the clock is wrong. */
function renderFoot(forecast) {
  fill(part("foot"), forecast && Number.isFinite(forecast.run) ? of("p", {}, say("run", { time: dayAndTime(forecast.run, forecast.zone) })) : null,
    of("p", {}, say("places")),
    clockBehind ? of("p", { id: "clock-off" }, say("clockOff", { n: number(Math.abs(clockBehind) / minute) })) : null);
}

/** Returns the initial place: the one in the link, otherwise the last one, otherwise the station's, otherwise Lisbon. */
async function firstPlace() {
  const linked = linkedPlace(location.hash);
  if (linked) return linked;
  if (kept.place) return kept.place;
  const station = await ask("/v1/station", isStation).catch(() => null);
  if (!Number.isFinite(station?.latitude) || !Number.isFinite(station?.longitude)) return lisbon;
  const place = placeAt(station.latitude, station.longitude);
  return station.name ? { ...place, name: station.name, district: "" } : place;
}

/** Refreshes the data at intervals, when the network is back, and when the page becomes visible after a while. */
function keepFresh() {
  const refresh = () => { if (state.place) { askForecast(); askStation().then(render); } };
  const stale = () => !(timeNow() - state.at < askAgainAfter) || state.failure;
  setInterval(() => { if (!document.hidden && stale()) refresh(); }, minute);
  setInterval(() => { if (!document.hidden && state.place) render(); }, 10 * minute);
  setInterval(() => {
    ageReading(timeNow());
    if (state.station && part("station-age")) part("station-age").textContent = stationAge(state.station, timeNow());
  }, 5000);
  addEventListener("online", refresh);
  addEventListener("offline", () => { if (shownForecast()) { state.failure = new ServiceFailure("offline"); markOld(); } });
  document.addEventListener("visibilitychange", () => { if (!document.hidden && stale()) refresh(); });
  let resized;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(render, 200); });
  addEventListener("popstate", followLink);
  addEventListener("storage", (event) => { if (event.key === storeKey) { kept = loadStore().data; applySettings(); render(); } });
}

/** Starts the page. */
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
  startDistricts();
  startMap();
  render();
  listen();
  keepFresh();
  await Promise.all([senselessPlace(location.hash) ? tellSenseless() : firstPlace().then(goTo), askStation()]);
  render();
  const words = { damaged: "storeDamaged", newer: "storeNewer", closed: "storeClosed" };
  if (problem) showNotice(say(words[problem]));
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/worker.js").catch(() => {});
}

start();
