"use strict";
// The history dialog: the curves of a tag or zone with their limits, the reasons of an alarm, and the closed alarms.
const QUANTITIES = [["temperature_c", "Temperature", "°C", 1], ["humidity_rh", "Humidity", "%", 1], ["pressure_pa", "Pressure", "hPa", 100]];
const PERIODS = [["3 h", 3], ["24 h", 24], ["7 d", 168], ["30 d", 720]];
const CHART = { height: 150, left: 52, right: 8, top: 10, bottom: 22 };
let subject = null;

const clock = (time, hours) => new Date(time).toLocaleString(LOCALE ?? [], hours > 48 ? { day: "numeric", month: "short" }
  : { hour: "2-digit", minute: "2-digit", ...(hours < 0.2 ? { second: "2-digit" } : {}) });

// Returns the marks of an axis: at most six round numbers in a range.
function ticks(low, high) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const marks = [];
  for (let mark = Math.ceil(low / step) * step; mark <= high + step * 1e-6; mark += step) marks.push(Number(mark.toPrecision(12)));
  return marks;
}

// Draws a chart of rows [time, mean, lowest, highest] in milliseconds and the unit of the axis, with limits and a marked period.
function chart(title, unit, rows, from, to, gap, limits, marked) {
  const { height, left, right, top, bottom } = CHART;
  // Letters keep their size on a narrow screen.
  const width = Math.max(280, Math.min(660, byId("history-body").clientWidth));
  const values = rows.flatMap((row) => row.slice(2)).concat(limits);
  let low = Math.min(...values), high = Math.max(...values);
  const room = Math.max((high - low) * 0.08, 0.2);
  [low, high] = [low - room, high + room];
  const x = (time) => left + (time - from) / (to - from) * (width - left - right);
  const y = (value) => top + (high - value) / (high - low) * (height - top - bottom);
  const worst = rows.reduce((one, row) => [Math.min(one[0], row[2]), Math.max(one[1], row[3])], [Infinity, -Infinity]);
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": say("{title}, {low} to {high} {unit}", { title, low: decimal(worst[0], 1), high: decimal(worst[1], 1), unit }) });
  if (marked) {
    const [begin, end] = [Math.max(x(marked[0]), left), Math.min(x(marked[1]), width - right)];
    picture.append(svg("rect", { class: "marked", x: begin, y: top, width: Math.max(end - begin, 1), height: height - top - bottom }));
  }
  for (const mark of ticks(low, high)) {
    picture.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(mark), y2: y(mark) }),
      svg("text", { x: left - 6, y: y(mark) + 4, "text-anchor": "end" }, figure(mark)));
  }
  const hours = (to - from) / 3600e3;
  const parts = width < 450 ? 2 : 4;
  for (let index = 0; index <= parts; index += 1) {
    const time = from + (to - from) * index / parts;
    const anchor = index === 0 ? "start" : index === parts ? "end" : "middle";
    picture.append(svg("text", { x: x(time), y: height - 6, "text-anchor": anchor }, clock(time, hours)));
  }
  // A gap in the readings interrupts band and line.
  const stretches = [];
  for (const row of rows) {
    const last = stretches.at(-1)?.at(-1);
    if (last && row[0] - last[0] <= gap) stretches.at(-1).push(row); else stretches.push([row]);
  }
  const point = (time, value) => `${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
  for (const part of stretches) {
    if (part.length === 1) picture.append(svg("circle", { class: "single", cx: x(part[0][0]), cy: y(part[0][1]), r: 2.5 }));
    const band = part.map((row) => point(row[0], row[3])).concat(part.toReversed().map((row) => point(row[0], row[2])));
    picture.append(svg("path", { class: "band", d: `M${band.join("L")}Z` }),
      svg("path", { class: "mean", d: `M${part.map((row) => point(row[0], row[1])).join("L")}` }));
  }
  for (const limit of limits) picture.append(svg("line", { class: "limit", x1: left, x2: width - right, y1: y(limit), y2: y(limit) }));
  picture.append(svg("text", { class: "unit", x: left + 4, y: top + 12 }, say("{title} in {unit}", { title, unit })));
  return picture;
}

function describePoints(points, from, to, every, limits, marked) {
  const charts = [];
  for (const [key, title, unit, scale] of QUANTITIES) {
    const rows = points.filter((one) => one[key]).map((one) =>
      [Date.parse(one.time) + every / 2, ...one[key].map((value) => value / scale)]);
    if (rows.length) charts.push(chart(say(title), unit, rows, from, to, Math.max(3 * every, 600e3), limits[key] ?? [], marked));
  }
  return charts.length ? charts : [element("p", "", say("No readings in this period."))];
}

function limitsOf(zone) {
  const limits = {};
  for (const limit of known?.zones.find((one) => one.name === zone)?.limits ?? []) {
    const found = QUANTITIES.find(([key]) => key.startsWith(limit.of));
    (limits[found[0]] ??= []).push(limit.value / found[3]);
  }
  return limits;
}

async function read(path) {
  const response = await fetch(path);
  const content = await response.json();
  if (!response.ok) throw new Error(content.error?.message ?? `HTTP status ${response.status}`);
  return content;
}

// Saves all readings of a period; a response contains at most 10,000, and names where the next one begins.
async function saveReadings(span, file) {
  const parts = [];
  for (let after = 0; after !== null;) {
    const response = await fetch(`/v1/history.csv?${span}&limit=10000&after=${after}`);
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    const text = await response.text();
    parts.push(parts.length ? text.slice(text.indexOf("\n") + 1) : text);
    after = response.headers.get("x-next-after");
  }
  const link = element("a", "");
  link.href = URL.createObjectURL(new Blob(parts, { type: "text/csv" }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

async function showCurves(hours) {
  const to = Date.now(), from = to - hours * 3600e3;
  const every = Math.max(1, Math.round(hours * 3600 / 300));
  const which = subject.tag ? `tag=${encodeURIComponent(subject.tag)}` : `zone=${encodeURIComponent(subject.zone)}`;
  const span = `${which}&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
  const content = await read(`/v1/history?${span}&every_s=${every}`);
  const links = element("p", "links");
  const file = `${(subject.name ?? subject.zone).replace(/[^\w-]+/g, "-")}.csv`;
  const means = element("a", "", say("Means as CSV"));
  means.href = `/v1/history.csv?${span}&every_s=${every}`;
  means.download = file;
  const readings = element("button", "link", say("Readings as CSV"));
  readings.type = "button";
  readings.addEventListener("click", () => {
    saveReadings(span, file).catch((error) => links.append(element("span", "alarm", error.message)));
  });
  links.append(means, " ", readings, " ");
  fill(describePoints(content.points, from, to, every * 1000, limitsOf(subject.zone), null), [links]);
  for (const button of byId("periods").children) button.setAttribute("aria-pressed", String(Number(button.dataset.hours) === hours));
}

const FLAGS = { off: "the sensor is switched off", silent: "no value", length: "wrong length", range: "impossible value", rate: "changed too fast" };
const EVENTS = { breach: "the limit was exceeded", raised: "the alarm was raised", told: "notified", again: "the alarm recurred",
  returned: "back to normal", acknowledged: "acknowledged", expired: "the acknowledgement expired", closed: "closed" };

async function showAlarm(number) {
  const alarm = await read(`/v1/alarms/${number}`);
  const rows = alarm.readings.filter((one) => !one.quality);
  const times = rows.map((one) => Date.parse(one.time));
  const from = Math.min(Date.parse(alarm.began), ...times), to = Math.max(Date.parse(alarm.began) + 1000, ...times);
  const points = rows.map((one) => ({ time: one.time, ...Object.fromEntries(QUANTITIES.filter(([key]) => key in one).map(([key]) => [key, [one[key], one[key], one[key]]])) }));
  byId("history-title").textContent = say("Alarm {number}: {name}, {zone}", { number, name: alarm.name ?? alarm.tag, zone: alarm.zone });
  const limits = {};
  const found = QUANTITIES.find(([key]) => key.startsWith(alarm.cause.split("-")[0]));
  if (found) limits[found[0]] = [alarm.limit / found[3]];
  const end = alarm.returned ?? alarm.closed;
  const list = element("ol", "log");
  for (const entry of alarm.log.filter((one) => one.event in EVENTS)) {
    const more = [entry.name, entry.note].filter(Boolean).join(": ");
    list.append(element("li", "", `${moment(entry.time)}  ${say(EVENTS[entry.event])}${more ? ` (${more})` : ""}`));
  }
  // Records are rounded, so the worst reading is the one closest to the worst value.
  const distance = (one) => (found && found[0] in one ? Math.abs(one[found[0]] - alarm.peak) : Infinity);
  const nearest = rows.reduce((one, other) => (one && distance(one) <= distance(other) ? one : other), null);
  const worst = nearest && distance(nearest) < Infinity ? nearest : null;
  let rule = describe({ ...alarm, peak: Math.round(alarm.peak * 100) / 100 });
  if (alarm.on_delay_s) rule = say("{limit}, for at least {seconds} s", { limit: rule, seconds: figure(alarm.on_delay_s) });
  if (alarm.hysteresis) rule = say("{limit}, until {hysteresis} inside the limit", { limit: rule, hysteresis: `${figure(alarm.hysteresis)} ${CAUSES[alarm.cause][1]}` });
  const raw = worst?.raw ? element("p", "more", say("The worst reading was received as {raw} (characteristic {characteristic}, {model}).", worst)) : "";
  // What a fault consists of are the flags of the readings, which the curves leave out.
  const flags = {};
  for (const one of alarm.readings) for (const flag of one.quality ?? []) flags[flag] = (flags[flag] ?? 0) + 1;
  const flagged = Object.entries(flags).map(([flag, count]) => `${count} × ${say(FLAGS[flag] ?? flag)}`).join(", ");
  fill([element("p", "", rule), ...(flagged ? [element("p", "", say("Readings not counted: {list}.", { list: flagged }))] : []), ...describePoints(points, from, to, 0, limits, [Date.parse(alarm.began), end ? Date.parse(end) : to])],
    [element("h3", "", say("What happened")), list, raw]);
}

async function showClosed() {
  const { alarms } = await read("/v1/alarms/closed");
  const list = element("ul", "log");
  for (const alarm of alarms) {
    const line = element("li", "", say("No. {number}, {name}, {zone}: {cause}, {began} to {closed}", {
      number: alarm.number, name: alarm.name ?? alarm.tag, zone: alarm.zone, cause: describe(alarm), began: moment(alarm.began),
      closed: moment(alarm.closed) }));
    line.append(" ", why(alarm.number));
    list.append(line);
  }
  fill(alarms.length ? [list] : [element("p", "", say("No alarm has been closed."))], []);
}

function fill(charts, more) {
  byId("history-body").replaceChildren(...charts, ...more);
}

function openHistory(what) {
  subject = what;
  byId("history-title").textContent = what.name ?? what.zone;
  byId("periods").hidden = !(what.tag || what.zone);
  fill([element("p", "", say("Loading…"))], []);
  if (!byId("history").open) byId("history").showModal();
  const shown = what.alarm ? showAlarm(what.alarm) : what.closed ? showClosed() : showCurves(24);
  shown.catch((error) => fill([element("p", "alarm", error.message)], []));
}

// Returns a button that opens the history of something.
function opener(label, words, what) {
  const button = element("button", "link", label);
  button.type = "button";
  button.setAttribute("aria-label", words);
  button.addEventListener("click", () => openHistory(what));
  return button;
}

// Returns the button that opens the reasons of an alarm.
const why = (number) => opener(say("Why?"), say("Why was alarm {number} raised?", { number }), { alarm: number, name: say("Alarm {number}", { number }) });

for (const [name, hours] of PERIODS) {
  const button = element("button", "", name);
  button.type = "button";
  button.dataset.hours = hours;
  button.addEventListener("click", () => showCurves(hours).catch((error) => fill([element("p", "alarm", error.message)], [])));
  byId("periods").append(button);
}
byId("history-close").addEventListener("click", () => byId("history").close());
byId("closed-alarms").addEventListener("click", () => openHistory({ closed: true, name: say("Closed alarms") }));
