// The server's clock, time zones, and the formats of times.
"use strict";

const minute = 60_000;
const hour = 60 * minute;

/** The time in milliseconds by which the device's clock is behind the station's; small differences count as 0. */
let clockBehind = 0;

/** Returns the current time on the station's clock, so a device whose clock is wrong displays the correct hour. */
const timeNow = () => Date.now() + clockBehind;

/** Sets the station's time from the `Date` header of a response. */
function noteClock(date) {
  const behind = Date.parse(date ?? "") - Date.now();
  if (Number.isFinite(behind)) clockBehind = Math.abs(behind) < 2 * minute ? 0 : behind;
}

/**
  * Returns milliseconds since 1970 for seconds since 1970 or an ISO 8601 text; a text without a time zone is local to the place,
  * which is `offset` seconds ahead of UTC.
 */
function instant(time, offset = 0) {
  if (typeof time === "number") return time * 1000;
  if (!time) return NaN;
  if (/(Z|[+-]\d\d:?\d\d)$/.test(time)) return Date.parse(time);
  const whole = time.length === 10 ? `${time}T00:00` : time;
  return Date.parse(`${whole}Z`) - offset * 1000;
}

const formatters = new Map();

/** Returns a cached formatter of times. */
function formatter(tongue, form) {
  const key = tongue + JSON.stringify(form);
  if (!formatters.has(key)) formatters.set(key, new Intl.DateTimeFormat(tongue, form));
  return formatters.get(key);
}

const utc = { name: "UTC", shift: 0 };

/** Returns a response's time zone, by name if the browser supports the name, otherwise by its current offset to UTC. */
function zoneOf(name, offset) {
  try {
    if (name) return { name: formatter("en", { timeZone: name }) && name, shift: 0 };
  } catch { /* This browser's database is older than the station's. */ }
  return { name: "UTC", shift: (offset ?? 0) * 1000 };
}

/** Formats a time in a time zone. */
const formatted = (time, zone, form) => formatter(localeTag(), { ...form, timeZone: zone.name }).format(new Date(time + zone.shift));

const clockTime = (time, zone) => formatted(time, zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const weekday = (time, zone) => formatted(time, zone, { weekday: "short" }).slice(0, 3);
const longDay = (time, zone) => formatted(time, zone, { weekday: "long", day: "numeric", month: "long" });

/** Formats a day and time, with the year if it is not the current one. */
function dayAndTime(time, zone) {
  const isOfThisYear = localDay(time, zone).slice(0, 4) === localDay(timeNow(), zone).slice(0, 4);
  const day = { day: "numeric", month: "long", ...(isOfThisYear ? {} : { year: "numeric" }) };
  return `${formatted(time, zone, day)}, ${clockTime(time, zone)}`;
}

/** Returns the abbreviation of a time zone at a time, such as WEST or GMT+2. */
function zoneName(time, zone) {
  const minutes = zone.shift / minute;
  if (minutes) return `GMT${minutes < 0 ? "-" : "+"}${Math.floor(Math.abs(minutes) / 60)}${minutes % 60 ? `:${String(Math.abs(minutes) % 60).padStart(2, "0")}` : ""}`;
  return formatter(localeTag(), { timeZone: zone.name, timeZoneName: "short" }).formatToParts(new Date(time)).find((one) => one.type === "timeZoneName").value;
}

/** Returns the calendar day of a time in a time zone, as yyyy-MM-dd. */
const localDay = (time, zone) => formatter("en-CA", {
  year: "numeric", month: "2-digit", day: "2-digit", timeZone: zone.name,
}).format(new Date(time + zone.shift));

/** Returns the local time in a time zone as minutes since midnight. */
function minuteOfDay(time, zone) {
  const [hours, minutes] = formatter("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone.name })
    .format(new Date(time + zone.shift)).split(":");
  return Number(hours) * 60 + Number(minutes);
}

/** Formats an age in seconds, minutes, hours or days. */
function ago(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return say("agoSeconds", { n: seconds });
  if (seconds < 3600) return say("agoMinutes", { n: Math.round(seconds / 60) });
  if (seconds < 48 * 3600) return say("agoHours", { n: Math.round(seconds / 3600) });
  return say("agoDays", { n: Math.round(seconds / 86400) });
}
