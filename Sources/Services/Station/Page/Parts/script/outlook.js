// The outlook for the next 24 hours, and for seven days, each of which expands to its hours.
"use strict";

/** Draws the chosen metric for the next 24 hours. */
function renderNext(forecast, now) {
  const rows = nextHours(forecast, now);
  fill(part("next"),
    of("div", { class: "card-head" }, of("h2", { id: "next-title" }, say("next24")), of("p", { class: "metric-name" }, metricName(state.metric))),
    metricChoice("metric"),
    hourStrip("next-hours", rows, state.metric, forecast, say("scrollHours", { what: say(state.metric) }), now));
}

/** Draws the chosen metric for seven days. */
function renderDays(forecast, now) {
  const days = nextDays(forecast, now);
  const hoursOf = (day) => forecast.hours.filter((row) => row.date === day.date);
  const metric = metrics[state.metric];
  const scale = scaleOf(days.flatMap(hoursOf), metric);
  fill(part("days"),
    of("div", { class: "card-head" }, of("h2", { id: "days-title" }, say(days.length === 7 ? "seven" : "coming")), of("p", { class: "metric-name" }, metricName(state.metric))),
    of("ul", { class: "days", "data-metric": state.metric }, days.map((day) => dayRow(day, hoursOf(day), metric, scale, forecast, now))));
}

/** Draws one day as a button that expands the day's hours. */
function dayRow(day, rows, metric, scale, forecast, now) {
  const isToday = day.date === localDay(now, forecast.zone);
  const name = isToday ? say("today") : weekday(day.time, forecast.zone);
  const open = state.openDay === day.date;
  const toggle = () => { state.openDay = open ? null : day.date; render(); };
  const sky = skyOf({ code: day.code, cloud: day.cloud, rain: (day.rain ?? 0) / 6, night: false });
  const row = of("button", {
    type: "button", class: "day-row", id: `day-${day.date}`, "aria-expanded": String(open), "aria-controls": `hours-${day.date}`,
    on: { click: toggle },
  },
  of("span", { class: "spoken" }, spokenDay(day, rows, metric, sky, isToday, forecast)),
  of("span", { class: "day-name", "aria-hidden": "true" }, name), of("span", { class: "day-sky", "aria-hidden": "true" }, skyIcon(sky, 34),
    of("span", { class: "day-rain" }, day.rain >= 0.1 && state.metric !== "rain" ? rain(day.rain) : "")),
  dayValue(day, rows, metric, scale, isToday ? metric.value(presentOf(forecast, now)) : null), sign("down", 18));
  const panel = open ? (rows.length
    ? hourStrip(`strip-${day.date}`, rows, state.metric, forecast,
      say("dayHours", { day: longDay(day.time, forecast.zone) }), now)
    : of("p", { class: "fine" }, say("noHours"))) : null;
  return of("li", { "data-date": day.date }, row, of("div", { id: `hours-${day.date}`, class: "day-hours" }, panel));
}

/** Returns a day as one sentence for screen readers. */
function spokenDay(day, rows, metric, sky, isToday, forecast) {
  const name = (isToday ? `${say("today")}, ` : "") + longDay(day.time, forecast.zone);
  const range = metric.day ? null : dayRange(day, rows, metric);
  const value = metric.day === "sum" ? rain(day.rain) : metric.day === "dominant" ? compassWords(day.direction)
    : range ? say("fromTo", { low: metric.full(range.low), high: metric.full(range.high) }) : "–";
  const wet = day.rain >= 0.1 && metric.day !== "sum" ? `, ${say("rain")} ${rain(day.rain)}` : "";
  return `${name}: ${say(state.metric)} ${value}, ${say(skyKey(sky))}${wet}`;
}

/** Returns a metric's value for a day: a sum, a prevailing direction, or a range drawn as a bar on the week's scale. */
function dayValue(day, rows, metric, scale, here) {
  if (metric.day === "sum") {
    const share = Math.min(1, (day.rain ?? 0) / 20) * 100;
    return of("span", { class: "range one", "aria-hidden": "true" }, of("span", { class: "track" },
      of("i", { class: "span wet", vars: { "--from": "0%", "--to": `${100 - share}%` } })), of("span", { class: "high" }, rain(day.rain)));
  }
  if (metric.day === "dominant") {
    return of("span", { class: "range one", "aria-hidden": "true" }, of("span", { class: "track none" }, windArrow(day.direction, 22)),
      of("span", { class: "high" }, compass(day.direction)));
  }
  const range = dayRange(day, rows, metric);
  if (!range) return of("span", { class: "range one", "aria-hidden": "true" }, of("span", { class: "track" }), of("span", { class: "high" }, "–"));
  const whole = scale.high - scale.low || 1;
  return of("span", { class: "range", "aria-hidden": "true" }, of("span", { class: "low" }, metric.format(range.low)),
    of("span", { class: "spoken" }, " – "),
    of("span", { class: "track" }, of("i", { class: "span", vars: {
      "--from": `${Math.max(0, ((range.low - scale.low) / whole) * 100)}%`,
      "--to": `${Math.max(0, ((scale.high - range.high) / whole) * 100)}%`,
      "--cold": warmthColour(range.low), "--mild": warmthColour((range.low + range.high) / 2), "--warm": warmthColour(range.high),
    } }), here === null ? null : of("i", { class: "here", vars: { "--at": `${Math.min(100, Math.max(0, ((here - scale.low) / whole) * 100))}%` } })),
    of("span", { class: "high" }, metric.format(range.high)));
}

/** Returns a day's minimum and maximum, which are the service's for temperature and otherwise those of the hours. */
function dayRange(day, rows, metric) {
  if (metric === metrics.temp && day.low !== null && day.high !== null) return { low: day.low, high: day.high };
  return rangeOf(rows, metric);
}
