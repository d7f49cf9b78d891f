// The live connection to the station, which uses server-sent events and reconnects if it is lost.
"use strict";

const firstWait = 2000;
const longestWait = 60_000;

/** Listens to the station while the page is open. */
function listen(wait = firstWait) {
  const stream = new EventSource("/v1/live");
  let patience = wait;
  stream.addEventListener("open", () => { patience = firstWait; heard(true); });
  stream.addEventListener("reading", (event) => hear(event.data));
  stream.addEventListener("error", () => {
    heard(false);
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(() => listen(Math.min(longestWait, patience * 2)), patience);
  });
}

/** Processes a reading; the first reading from a station near the place also loads the corrected forecast. */
function hear(text) {
  let reading;
  try { reading = JSON.parse(text); } catch { return; }
  if (!isStation(reading)) return;
  const spoke = stationSpeaks(state.place);
  state.station = { ...reading, heard: timeNow() };
  noteReading(state.station);
  heard(true);
  renderStation(timeNow());
  if (state.loading) return;
  const forecast = shownForecast();
  if (!forecast || isOver(forecast, timeNow())) renderMeasured();
  else if (!spoke && stationSpeaks(state.place) && forecast.from !== "station") askForecast();
}

/** Marks a reading as stale once it is too old, because no event arrives after a sensor is lost or a replay has ended. */
function ageReading(now) {
  const station = state.station;
  if (station?.quality?.status !== "good" || !(ageOf(station, now) > station.stale_after_s * 1000)) return;
  station.quality = { status: "stale", reasons: [] };
  if (shownForecast()?.from === "station") askForecast();
  render();
}

/** Returns true if a response has the format of a station's state. */
const isStation = (answer) => typeof answer?.time === "string" || typeof answer?.source === "string";

/** Stores whether the connection is open; screen readers announce changes of the connection, but not each reading. */
function heard(connected) {
  if (state.connected === connected) return;
  if (state.connected !== null) announce(say(connected ? "liveAgain" : "reconnecting"), { quiet: true });
  state.connected = connected;
  renderStation(timeNow());
}

/** Adds a live reading to the chart's history, and drops readings that are older than a day, or that are newer than it because the clock was set back. */
function noteReading(station) {
  if (!state.history) return;
  const time = instant(station.time);
  if (!Number.isFinite(time)) return;
  state.history = state.history.filter((one) => instant(one.time) > time - 24 * hour && instant(one.time) < time);
  state.history.push({ time: station.time, pressure_hpa: station.pressure_hpa });
}

/** Loads the station's state, its last day of readings and yesterday's scores; missing responses are skipped. */
async function askStation() {
  const [station, score] = await Promise.all([ask("/v1/station", isStation).catch(() => null), ask("/v1/score").catch(() => null)]);
  if (station) state.station = { ...station, heard: timeNow() };
  if (score) state.score = score;
  const last = instant(state.station?.time) || timeNow();
  const from = new Date(last - 24 * hour).toISOString().replace(/\.\d+Z/, "Z");
  state.history = await askHistory(from).catch(() => state.history ?? []);
}

/** Loads a day of readings in as many pages as needed, at most fifty. */
async function askHistory(from) {
  const readings = [];
  let cursor = "";
  for (let turn = 0; turn < 50; turn += 1) {
    const query = new URLSearchParams({ from, limit: "1000", every_s: "600" });
    if (cursor) query.set("cursor", cursor);
    const answer = await ask(`/v1/history?${query}`, (one) => Array.isArray(one.readings));
    readings.push(...answer.readings);
    cursor = answer.next;
    if (!cursor) break;
  }
  return readings;
}
