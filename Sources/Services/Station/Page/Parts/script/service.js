// Sends requests to the station, classifies failures, and caches the last responses for offline use.
"use strict";

const answersKey = "aneroid.answers";
const answersKept = 12;

/** A failed request: `outside`, `ended` (with the end of the last run and the place's time zone), `offline`, `busy`, `broken` or `refused`. */
class ServiceFailure extends Error {
  constructor(kind, ended = NaN, zone = null) { super(kind); Object.assign(this, { kind, ended, zone }); }
}

/** Requests a path and returns the response's JSON, whose format `fits` checks. */
async function ask(path, fits = (body) => typeof body === "object") {
  let reply;
  try {
    reply = await fetch(path, { signal: AbortSignal.timeout(10_000), headers: { accept: "application/json" } });
  } catch { throw new ServiceFailure("offline"); }
  noteClock(reply.headers.get("date"));
  const body = await reply.json().catch(() => null);
  if (reply.ok && body && fits(body)) return body;
  throw new ServiceFailure(failureKind(reply.status, body), endOf(body), body?.timezone ? zoneOf(body.timezone, body.utc_offset_seconds) : null);
}

/** Returns the failure for a status and a body; a successful status with a truncated or unexpected body is `broken`. */
function failureKind(status, body) {
  const code = body?.code ?? body?.error?.code ?? "";
  if (code === "outside_grid" || /outside|grid/i.test(body?.reason ?? "")) return "outside";
  if (code === "no_forecast" || Number.isFinite(endOf(body))) return "ended";
  if (status === 429 || status === 503) return "busy";
  return status >= 500 || status < 400 ? "broken" : "refused";
}

/** Returns the end of the last run if a response contains it. */
function endOf(body) {
  const text = body?.forecast_ended ?? body?.error?.forecast_ended
    ?? /\bended (\d{4}-\d\d-\d\dT[\d:]+Z)/.exec(body?.reason ?? body?.error?.message ?? "")?.[1];
  return instant(text);
}

/** The last responses, newest first: `[{key, at, answer}]`. */
function keptAnswers(box = localStorage) {
  try {
    const list = JSON.parse(box.getItem(answersKey) ?? "[]");
    return Array.isArray(list) ? list.filter((one) => one && isForecast(one.answer)) : [];
  } catch { return []; }
}

/** Caches a response; the oldest responses are dropped if there are too many or the browser has no space. */
function keepAnswer(key, answer, at, box = localStorage) {
  let list = [{ key, at, answer }, ...keptAnswers(box).filter((one) => one.key !== key)].slice(0, answersKept);
  while (list.length) {
    try { box.setItem(answersKey, JSON.stringify(list)); return; } catch { list = list.slice(0, -1); }
  }
}

/** Returns a forecast with its time: a new forecast or, after a failure, the cached one. */
async function askOrRecall(key, path) {
  try {
    const answer = await ask(path, isForecast);
    keepAnswer(key, answer, timeNow());
    return { answer, at: timeNow(), failure: null };
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    const kept = keptAnswers().find((one) => one.key === key);
    if (!kept || failure.kind === "outside" || failure.kind === "ended") throw failure;
    return { answer: kept.answer, at: kept.at, failure };
  }
}
