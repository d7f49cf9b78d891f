// The current weather, with its values, their source, and warnings.
"use strict";

/** Draws the head of the page with the sky, the temperature and the tiles. */
function renderPresent(forecast, now) {
  const present = presentOf(forecast, now);
  if (!present) return fill(part("now"));
  const today = forecast.days.find((day) => day.date === localDay(now, forecast.zone)) ?? null;
  const sky = skyOf(present);
  const way = wayOf(now, today);
  paintScene(sky, phaseOf(now, today?.sunrise, today?.sunset, present.night), Math.round(way * 50) / 50);
  const rows = settings().metrics.filter((key) => key !== "temp" && key !== "feels");
  fill(part("now"),
    of("h2", { class: "spoken" }, say("now")),
    of("div", { class: "big" },
      degrees(present.temp),
      of("div", { class: "words" }, skyIcon(sky, 92),
        of("p", { class: "sky-words", id: "now-sky" }, say(skyKey(sky))))),
    of("p", { class: "also" },
      present.feels === null ? null : of("span", { id: "now-feels" }, say("feelsLike", { value: temperature(present.feels) })),
      today ? of("span", {}, say("highLow", { high: temperature(today.high), low: temperature(today.low) })) : null,
      today && Number.isFinite(today.sunrise) ? of("span", {}, say("sun", {
        rise: clockTime(today.sunrise, forecast.zone), set: clockTime(today.sunset, forecast.zone),
      })) : null),
    of("p", { class: "labels" }, labels(forecast)),
    of("dl", { class: "tiles" }, rows.map((key) => tile(key, present))));
  return present;
}

/** Returns true if the station applies to a place, that is, if the place is within its radius and its reading is valid. */
function stationSpeaks(place) {
  const station = state.station;
  if (!place || station?.quality?.status !== "good" || typeof station.temperature_c !== "number") return false;
  const site = { latitude: station.latitude, longitude: station.longitude };
  return distance(place, site) * 1000 <= (station.place_radius_m ?? 0);
}

/** Draws the head of the page if there is no forecast, with the station's reading if it applies to the place. */
function renderMeasured() {
  if (state.loading) return fill(part("now"));
  paintScene(null);
  const station = state.station;
  if (!stationSpeaks(state.place)) return fill(part("now"));
  const present = { humidity: station.humidity_percent, pressure: station.pressure_msl_hpa ?? station.pressure_hpa };
  fill(part("now"),
    of("h2", { class: "spoken" }, say("now")),
    of("div", { class: "big" }, degrees(station.temperature_c)),
    of("p", { class: "labels" }, labels({ from: "station", labels: [] })),
    of("dl", { class: "tiles" }, settings().metrics.filter((key) => typeof present[key] === "number").map((key) => tile(key, present))));
}

/** Returns the large temperature, which is short on screen and includes the unit for screen readers. */
const degrees = (celsius) => of("p", { class: "degrees" },
  of("span", { id: "now-temperature", "aria-hidden": "true" }, temperature(celsius)), of("span", { class: "spoken" }, fullTemperature(celsius)));

/** Displays the source of the values. */
function labels(forecast) {
  const station = forecast.from === "station";
  const source = station && state.station?.source !== "real" ? state.station?.source : null;
  const sensor = source && canSay(source) ? `: ${say(source).toLowerCase()}` : "";
  const chips = [of("span", { class: sensor ? "chip warn" : "chip", id: "now-from" }, say(station ? "fromStation" : "fromModel") + sensor)];
  for (const label of forecast.labels.filter((one) => one !== "simulated")) {
    chips.push(of("span", { class: "chip warn", "data-source": label }, canSay(label) ? say(label) : label));
  }
  return chips;
}

function tile(key, present) {
  const value = metrics[key].value(present);
  const more = key === "direction" ? windArrow(value, 20) : null;
  return of("div", { class: "tile", "data-metric": key }, of("dt", {}, say(key === "direction" ? "windFrom" : key)),
    of("dd", {}, more, key !== "direction" ? metrics[key].full(value)
      : [of("span", { "aria-hidden": "true" }, compass(value)), of("span", { class: "spoken" }, compassWords(value))]));
}

/** Draws the warnings about frost, heat, storms and heavy rain. */
function renderWarnings(forecast, now) {
  const valid = forecast.warnings.filter((one) => !(one.to < now));
  fill(part("warnings"), valid.length ? of("section", { class: "warnings", "aria-label": say("warnings") },
    of("ul", {}, valid.map((one) => of("li", { "data-kind": one.kind }, sign("warning", 24),
      of("span", {}, of("b", {}, warningName(one.kind)), " ", warningText(one, forecast)))))) : null);
}

const warningNames = { frost: "warnFrost", heat: "warnHeat", storm: "warnStorm", rain: "skyHeavyRain" };
const warningName = (kind) => (warningNames[kind] ? say(warningNames[kind]) : kind);

/** Returns the period of a warning, and the value that causes it. */
function warningText(one, forecast) {
  const at = (time) => `${weekday(time, forecast.zone)} ${clockTime(time, forecast.zone)}`;
  const when = Number.isFinite(one.to) && one.to > one.from
    ? say("warnTime", { from: at(one.from), to: at(one.to) }) : say("warnSoon", { from: at(one.from) });
  if (typeof one.value !== "number") return when;
  if (one.kind === "frost") return `${when}, ${say("warnLow", { value: fullTemperature(one.value, 1) })}`;
  if (one.kind === "heat") return `${when}, ${say("warnHigh", { value: fullTemperature(one.value, 1) })}`;
  if (one.kind === "rain") return `${when}, ${say("warnRain", { value: metrics.rain.full(one.value) })}`;
  if (/^wind/.test(one.metric ?? "")) return `${when}, ${say("warnWind", { value: wind(one.value) })}`;
  return when;
}
