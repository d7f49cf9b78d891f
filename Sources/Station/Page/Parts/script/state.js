// What the page shows at the moment, and how it says things.
"use strict";

const state = {
  place: null, forecasts: {}, at: NaN, failure: null, station: null, connected: null, history: null, score: null,
  metric: "temp", openDay: null, corrected: true, places: [], loading: false, senseless: "",
};

/** The forecast that is shown: the corrected one unless the reader wants the plain one. */
const shownForecast = () => (state.corrected ? state.forecasts.corrected ?? state.forecasts.plain
  : state.forecasts.plain ?? state.forecasts.corrected);

/** Says a sentence to eyes and ears alike, a quiet one to ears only; an empty one clears it. */
function tell(text, { stays = false, quiet = false } = {}) {
  part("status").className = quiet ? "quiet" : "";
  part("status").textContent = text;
  clearTimeout(tell.timer);
  if (text && !stays) tell.timer = setTimeout(() => { part("status").textContent = ""; }, 6000);
}
