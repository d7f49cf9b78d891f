// Asking the station's services, and keeping the last answers for times without a network.
"use strict";

const answersKey = "aneroid.answers";
const answersKept = 12;

/** A failure to get an answer: `outside`, `offline`, `busy`, or `refused`. */
class ServiceFailure extends Error {
  constructor(kind) { super(kind); this.kind = kind; }
}

/** The JSON that the station answers. */
async function ask(path) {
  let reply;
  try {
    reply = await fetch(path, { signal: AbortSignal.timeout(10_000), headers: { accept: "application/json" } });
  } catch { throw new ServiceFailure("offline"); }
  const body = await reply.json().catch(() => null);
  if (reply.ok && body) return body;
  throw new ServiceFailure(failureKind(reply.status, body));
}

/** Which failure a status and a body mean. */
function failureKind(status, body) {
  const code = body?.code ?? body?.error?.code ?? "";
  if (code === "outside_grid" || /outside|grid/i.test(body?.reason ?? "")) return "outside";
  if (status === 429 || status === 503) return "busy";
  return status >= 500 ? "offline" : "refused";
}

/** The last answers, newest first: `[{key, at, answer}]`. */
function keptAnswers(box = localStorage) {
  try {
    const list = JSON.parse(box.getItem(answersKey) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch { return []; }
}

/** Keeps an answer; the oldest go first, and also when the browser has no more room. */
function keepAnswer(key, answer, at, box = localStorage) {
  let list = [{ key, at, answer }, ...keptAnswers(box).filter((one) => one.key !== key)].slice(0, answersKept);
  while (list.length) {
    try { box.setItem(answersKey, JSON.stringify(list)); return; } catch { list = list.slice(0, -1); }
  }
}

/** An answer and when it came: a new one, or with a failure the kept one. */
async function askOrRecall(key, path) {
  try {
    const answer = await ask(path);
    keepAnswer(key, answer, Date.now());
    return { answer, at: Date.now(), failure: null };
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    const kept = keptAnswers().find((one) => one.key === key);
    if (!kept || failure.kind === "outside") throw failure;
    return { answer: kept.answer, at: kept.at, failure };
  }
}
