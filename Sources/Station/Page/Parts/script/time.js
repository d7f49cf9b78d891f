// Times: the server's, the place's and how they are told.
"use strict";

const minute = 60_000;
const hour = 60 * minute;

/** Milliseconds since 1970 of an ISO 8601 text; without a zone it is the place's, which is `offset` seconds ahead of UTC. */
function instant(text, offset = 0) {
  if (!text) return NaN;
  if (/(Z|[+-]\d\d:?\d\d)$/.test(text)) return Date.parse(text);
  const whole = text.length === 10 ? `${text}T00:00` : text;
  return Date.parse(`${whole}Z`) - offset * 1000;
}

/** A moment in the place's own time, formed as asked. */
function told(time, offset, form) {
  return new Intl.DateTimeFormat(language, { ...form, timeZone: "UTC" }).format(new Date(time + offset * 1000));
}

const clockTime = (time, offset) => told(time, offset, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const weekday = (time, offset) => told(time, offset, { weekday: "short" }).replace(".", "");
const longDay = (time, offset) => told(time, offset, { weekday: "long", day: "numeric", month: "long" });

/** The place's calendar day of a moment, as yyyy-MM-dd. */
const localDay = (time, offset) => new Date(time + offset * 1000).toISOString().slice(0, 10);

/** How long ago, in words: seconds, minutes, hours or days. */
function ago(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return say("agoSeconds", { n: seconds });
  if (seconds < 3600) return say("agoMinutes", { n: Math.round(seconds / 60) });
  if (seconds < 48 * 3600) return say("agoHours", { n: Math.round(seconds / 3600) });
  return say("agoDays", { n: Math.round(seconds / 86400) });
}
