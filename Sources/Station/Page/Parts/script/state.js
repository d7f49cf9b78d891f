// The current state of the page, and its announcements.
"use strict";

const state = {
  place: null, forecasts: {}, at: NaN, failure: null, station: null, connected: null, history: null, score: null,
  metric: "temp", openDay: null, corrected: true, places: [], loading: false, senseless: "",
};

/** The displayed forecast: the corrected one unless the plain one is selected. */
const shownForecast = () => (state.corrected ? state.forecasts.corrected ?? state.forecasts.plain
  : state.forecasts.plain ?? state.forecasts.corrected);

/** Announces a sentence on screen and to screen readers, a quiet one to screen readers only; an empty one clears it. */
function tell(text, { stays = false, quiet = false } = {}) {
  part("status").className = quiet ? "quiet" : "";
  part("status").textContent = text;
  clearTimeout(tell.timer);
  if (text && !stays) tell.timer = setTimeout(() => { part("status").textContent = ""; }, 6000);
}
