// The forecast corrected by the station, with yesterday's scores for the plain and the corrected forecast.
"use strict";

/** Draws the correction card. */
function renderCorrection(now) {
  const [plainOne, correctedOne] = [state.forecasts.plain, state.forecasts.corrected];
  const head = of("div", { class: "card-head" }, of("h2", { id: "corrected-title" }, say("corrected")));
  if (!correctedOne?.corrected) {
    return fill(part("corrected"), head, of("p", { class: "fine", id: "no-correction" }, obstacleText(correctedOne?.obstacle)), score());
  }
  fill(part("corrected"), head, of("p", { class: "fine" }, say("correctedHint")),
    of("p", { class: "shift", id: "shift" }, shiftText(correctedOne.shift)),
    of("label", { class: "switch" }, of("input", {
      type: "checkbox", id: "use-correction", role: "switch", checked: state.corrected,
      on: { change: (event) => { state.corrected = event.target.checked; render(); } },
    }), say("useCorrection")),
    of("p", { class: "fine", id: "learned" }, learnedText(correctedOne.learned.temperature_2m)),
    plainOne ? bothCurves(plainOne, correctedOne, now) : null, score());
}

/** Returns the station's reason for not correcting the forecast; without one, returns a general sentence. */
function obstacleText(obstacle) {
  const hasEnded = obstacle === "stale" && state.station?.source === "replayed";
  const key = hasEnded ? "uncorrected_ended" : `uncorrected_${obstacle}`;
  return say(canSay(key) ? key : "noCorrection");
}

/** Returns the current offset between the station and the model as text, for each quantity. */
function shiftText(shift) {
  const parts = [];
  const signed = (value, text) => (value > 0 ? `+${text}` : text);
  if (typeof shift.temperature_2m === "number") parts.push(signed(shift.temperature_2m, temperatureDifference(shift.temperature_2m)));
  if (typeof shift.pressure_msl === "number") parts.push(signed(shift.pressure_msl, pressure(shift.pressure_msl, 1)));
  if (typeof shift.relative_humidity_2m === "number") parts.push(signed(shift.relative_humidity_2m, percent(shift.relative_humidity_2m)));
  return parts.length ? say("shiftNow", { value: parts.join(", ") }) : "";
}

/** Returns what the station has learned about the model's temperature, with the errors a day ahead. */
function learnedText(learned) {
  const day = learned?.lead_hours?.indexOf(24) ?? -1;
  const days = Math.floor(Math.max(0, ...(learned?.n ?? [])) / 24);
  if (learned?.state === "learning") return say("learning", { n: days, needed: Math.round(learned.needed / 24) });
  const errors = [learned?.mae_learned?.[day], learned?.mae_model?.[day]];
  if (!errors.every((one) => typeof one === "number")) return "";
  const [own, plain] = errors.map((one) => temperatureDifference(one, 2));
  return say(learned.method[day] === "learned" ? "learned" : "unlearned", { learned: own, plain });
}

/** Returns the temperatures, as `[time, low, high]`, between which eight of ten measurements were. */
function bandOf(one, now) {
  const { lead_hours: leads, low, high } = one.learned.temperature_2m ?? {};
  if (![leads, low, high].every(Array.isArray)) return [];
  return nextHours(one, now).flatMap((row) => {
    const ahead = Math.max(leads[0], (row.time - now) / hour);
    const next = leads.findIndex((lead) => lead >= ahead);
    const [from, to] = [Math.max(0, next - 1), next];
    if (row.temp === null || [low[from], high[from], low[to], high[to]].some((value) => typeof value !== "number")) return [];
    const share = to === from ? 0 : (ahead - leads[from]) / (leads[to] - leads[from]);
    const edge = (errors) => unitOf("temperature").from(row.temp + errors[from] + share * (errors[to] - errors[from]));
    return [[row.time, edge(low), edge(high)]];
  });
}

/** Draws the plain and the corrected temperature for the next 24 hours. */
function bothCurves(plainOne, correctedOne, now) {
  const rowsOf = (one) => nextHours(one, now).map((row) => [row.time, known(row.temp, unitOf("temperature").from)]);
  const lines = [{ rows: rowsOf(plainOne), class: "second" }, { rows: rowsOf(correctedOne), class: "main" }];
  const band = bandOf(correctedOne, now);
  const values = lines.flatMap((line) => line.rows.map((row) => row[1])).filter((value) => value !== null);
  if (values.length < 4) return null;
  values.push(...band.flatMap(([, low, high]) => [low, high]));
  const scale = { low: Math.min(...values) - 0.5, high: Math.max(...values) + 0.5 };
  const spread = (one) => rangeOf(nextHours(one, now), metrics.temp) ?? { low: null, high: null };
  const between = (one) => say("fromTo", { low: fullTemperature(spread(one).low), high: fullTemperature(spread(one).high) });
  const label = `${say("temp")}: ${say("correctedLine")} ${between(correctedOne)}, ${say("plainLine")} ${between(plainOne)}`;
  return of("figure", {}, of("figcaption", {}, `${say("temp")}, ${say("next24").toLowerCase()} (${unitOf("temperature").symbol})`,
    of("span", { class: "key main" }, say("correctedLine")), of("span", { class: "key second" }, say("plainLine")), band.length ? of("span", { class: "key band" }, say("bandKey")) : null),
  lineChart({ lines, band, label, scale, wide: roomIn(part("corrected")) / (wideScreen.matches ? 2 : 1) - (wideScreen.matches ? 16 : 0), marks: marksOf(scale, 4, number), hours: (first, last) => hourMarks(first, last, correctedOne.zone) }));
}

const scored = {
  temperature_2m: { name: "temp", format: (value) => temperatureDifference(value, 2) },
  pressure_msl: { name: "pressure", format: (value) => pressure(value, 2) },
  relative_humidity_2m: { name: "humidity", format: (value) => `${number(value, 1)} %` },
};

/** Draws yesterday's scores: the mean errors of both forecasts, and the hit rates of the barometric methods. */
function score() {
  const scores = state.score?.metrics ?? {};
  const rows = Object.keys(scored).filter((key) => counted(scores[key]?.model) && counted(scores[key]?.corrected));
  const barometers = Object.entries(state.score?.barometer ?? {}).filter(([, one]) => one?.n > 0);
  const head = of("h3", {}, say("yesterday"), state.score?.date ? of("span", { class: "fine" }, " ", formatted(Date.parse(state.score.date), utc, { day: "numeric", month: "long" })) : null);
  if (!rows.length && !barometers.length) return of("div", { class: "score", id: "score" }, head, of("p", { class: "fine" }, say("noScore")));
  return of("div", { class: "score", id: "score" }, head,
    scores.temperature_2m && rows.includes("temperature_2m") ? of("p", { id: "score-words" }, scoreWords(scores.temperature_2m)) : null,
    rows.length ? scoreTable(rows, scores) : null,
    barometers.length ? of("p", { id: "barometer-hits" }, say("barometerHits"), ": ", barometers.map(([key, one]) =>
      `${say(key)} ${say("hits", { hits: one.hits, n: one.n })}`).join(", "), ".",
    " ", rainThen(barometers.find(([, one]) => typeof one.wet === "number")?.[1]),
    /model/.test(state.score.barometer_judged_by ?? "") ? of("span", { class: "fine" }, " ", say("judgedByModel")) : null) : null);
}

/** Returns how often it rained, because on dry days every method that predicts no rain is correct. */
function rainThen(one) {
  if (!one) return "";
  return say(one.wet ? "rainThen" : "noRainThen", one);
}

const counted = (one) => typeof one?.mae === "number" && one.n > 0;

/** Returns a sentence that says which of the two forecasts was closer. */
function scoreWords(one) {
  const values = { plain: temperatureDifference(one.model.mae, 2), corrected: temperatureDifference(one.corrected.mae, 2) };
  if (Math.abs(one.model.mae - one.corrected.mae) < 0.005) return say("asClose", values);
  return say(one.corrected.mae < one.model.mae ? "closer" : "farther", values);
}

function scoreTable(rows, scores) {
  const head = (text) => of("th", { scope: "col" }, text);
  return of("table", {}, of("caption", {}, say("meanError"), state.score.lead_s ? `, ${say("ahead", { hours: number(state.score.lead_s / 3600) })}` : ""),
    of("thead", {}, of("tr", {}, head(say("quantity")), head(say("model")), head(say("correctedLine")))),
    of("tbody", {}, rows.map((key) => of("tr", { "data-score": key },
      of("th", { scope: "row" }, say(scored[key].name), " ", of("small", {}, say("hours", { n: scores[key].model.n }))),
      ["model", "corrected"].map((which) => {
        const other = which === "model" ? "corrected" : "model";
        const best = scores[key][which].mae <= scores[key][other].mae;
        return of("td", { class: best ? "best" : null }, scored[key].format(scores[key][which].mae));
      })))));
}
