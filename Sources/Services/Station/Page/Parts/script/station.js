// The card of the local station, with its measurements and its barometric forecasts.
"use strict";

/** Draws the station's card. */
function renderStation(now) {
  const station = state.station;
  const head = of("div", { class: "card-head" }, of("h2", { id: "station-title" }, station?.name || say("stationCard")), station ? liveMark() : null);
  if (!station || station.source === "none") return fill(part("station"), head, of("p", {}, say("stationNone")));
  fill(part("station"), head,
    of("p", { class: "labels" }, of("span", { class: `chip ${station.source === "real" ? "" : "warn"}`, id: "station-source" },
      canSay(station.source) ? say(station.source) : station.source ?? ""), quality(station),
    of("span", { class: "age", id: "station-age" }, stationAge(station, now))),
    of("dl", { class: "measured" },
      measured("temperature", say("temp"), fullTemperature(station.temperature_c, 1)),
      measured("humidity", say("humidity"), station.humidity_percent === null ? "–" : `${number(station.humidity_percent, 1)} %`),
      measured("pressure", say("reducedPressure"), pressure(station.pressure_msl_hpa ?? station.pressure_hpa, 1)),
      measured("tendency", tendencyWord(station.tendency), tendencyText(station.tendency))),
    pressureChart(station), barometer(station));
}

/** Displays whether the connection to the station is open. */
function liveMark() {
  if (state.connected === null) return null;
  return of("p", { id: "live", class: state.connected ? "live on" : "live" },
    of("i", { "aria-hidden": "true" }), say(state.connected ? "live" : "reconnecting"));
}

/** Returns a reading's age in milliseconds, from the age that the station reports or, without one, from the reading's time. */
function ageOf(station, now) {
  return Number.isFinite(station.age_s) ? station.age_s * 1000 + Math.max(0, now - station.heard) : now - instant(station.time);
}

function stationAge(station, now) {
  const age = ageOf(station, now);
  return Number.isFinite(age) ? say("measured", { ago: ago(age) }) : "";
}

const measured = (id, name, value) =>
  of("div", { class: "tile", "data-measured": id }, of("dt", {}, name), of("dd", { id: `station-${id}` }, value));

function quality(station) {
  const status = station.quality?.status;
  if (!status || !canSay(`quality_${status}`)) return null;
  const reasons = (station.quality.reasons ?? []).join("; ");
  return of("span", { class: `chip ${status === "good" ? "good" : "warn"}`, id: "station-quality", title: reasons || null }, say(`quality_${status}`));
}

/** Returns the word for the station's pressure tendency. */
const tendencyWord = (tendency) => say(["rising", "falling", "steady"].find((one) => one === tendency?.trend) ?? "noForecastYet");

function tendencyText(tendency) {
  if (typeof tendency?.change_hpa !== "number") return "–";
  const change = known(tendency.change_hpa, unitOf("pressure").from);
  const text = `${change > 0 ? "+" : ""}${number(change, 1)} ${unitOf("pressure").symbol}`;
  return say("sinceHours", { change: text, hours: number((tendency.over_s ?? 3600) / 3600, tendency.over_s % 3600 ? 1 : 0) });
}

/** Draws the pressure of the last day as a curve. */
function pressureChart(station) {
  const rows = thinned(state.history ?? [], 160).map((one) => [instant(one.time), known(one.pressure_hpa, unitOf("pressure").from)]);
  const values = rows.map((row) => row[1]).filter((value) => value !== null);
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = Math.max(0, 2 - (high - low)) / 2;
  const scale = { low: low - margin, high: high + margin };
  const unit = unitOf("pressure").symbol;
  const form = (value) => `${number(value, 1)} ${unit}`;
  const label = `${say("pressureDay")}: ${say("pressureDayText", {
    first: form(values[0]), last: form(values[values.length - 1]), low: form(low), high: form(high),
  })}`;
  const zone = shownForecast()?.zone ?? zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone, 0);
  return of("figure", {}, of("figcaption", {}, `${say("pressureDay")} (${unit})`), lineChart({
    lines: [{ rows, class: "main", end: true }], label, wide: roomIn(part("station")), scale, marks: marksOf(scale, 3, number),
    hours: (first, last) => hourMarks(first, last, zone, last - first > 9 * hour ? 6 : last - first > 3 * hour ? 2 : 1),
  }));
}

/** Returns a limited number of rows, evenly selected, including the last one. */
function thinned(rows, most) {
  if (rows.length <= most) return rows;
  return Array.from({ length: most }, (_, index) => rows[Math.round((index * (rows.length - 1)) / (most - 1))]);
}

function barometer(station) {
  const forecasts = station.forecasts ?? {};
  return of("div", { class: "barometer" }, of("h3", {}, say("barometerSays")),
    of("dl", {}, ["thesis", "an3914", "zambretti"].map((key) => of("div", { "data-forecaster": key },
      of("dt", {}, say(key)), of("dd", {}, capital(barometerText(forecasts[key])))))));
}
