// The current state of the page, and its announcements.
"use strict";

const state = {
  place: null, forecasts: {}, at: NaN, failure: null, station: null, connected: null, history: null, score: null,
  metric: "temp", openDay: null, corrected: true, places: [], loading: false, senseless: "",
};

/** Returns the displayed forecast, which is the corrected one unless the plain one is selected. */
const shownForecast = () => (state.corrected ? state.forecasts.corrected ?? state.forecasts.plain
  : state.forecasts.plain ?? state.forecasts.corrected);

/** Announces a sentence on screen and to screen readers, or only to screen readers if quiet; an empty one clears it. */
function announce(text, { stays = false, quiet = false } = {}) {
  part("status").className = quiet ? "quiet" : "";
  part("status").textContent = text;
  clearTimeout(announce.timer);
  if (text && !stays) announce.timer = setTimeout(() => { part("status").textContent = ""; }, 6000);
}
