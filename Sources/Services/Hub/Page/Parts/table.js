"use strict";
// The table lists tags by zone, those with an alarm first, each with a sparkline of its last
// readings.
const COLUMNS = [["Tag", ""], ["State", "wide"], ["Temperature", "number", "Temp."], ["Humidity", "number", "Hum."],
  ["Temperatures", "wide"], ["Humidities", "wide far"], ["Battery", "number wide"], ["Signal", "number wide far"], ["Last reading", ""]];
const ORDER = ["alarm", "fault", "lost", "warning", "pending", "waiting", "ok"];

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function age(seconds) {
  if (seconds === undefined) return say("never");
  if (seconds < 120) return say("{count} s ago", { count: seconds });
  if (seconds < 7200) return say("{count} min ago", { count: Math.round(seconds / 60) });
  return say("{count} h ago", { count: Math.round(seconds / 3600) });
}

// Draws the curve of the last values; changes smaller than `least` do not fill its height.
function spark(values, least) {
  const chart = svg("svg", { class: "spark", viewBox: "0 0 120 24", "aria-hidden": "true" });
  if (values.length < 2) return chart;
  const low = Math.min(...values), high = Math.max(...values);
  const span = Math.max(high - low, least);
  const points = values.map((value, index) =>
    `${(index / (values.length - 1) * 118 + 1).toFixed(1)} ${(22 - (value - low) / span * 20).toFixed(1)}`);
  chart.append(svg("path", { d: `M${points.join("L")}` }));
  return chart;
}

// Describes the limit that a value approaches, and when it reaches the limit.
function approaching({ cause, limit, in_s: seconds }) {
  const minutes = Math.round(seconds / 60);
  const words = `${say(CAUSES[cause][0])} ${figure(limit)} ${CAUSES[cause][1]}`;
  const sign = cause.endsWith("low") ? "↘" : "↗";
  return `${sign} ${say(minutes < 1 ? "{limit} in less than 1 min at this rate" : "{limit} in {minutes} min at this rate", { limit: words, minutes })}`;
}

function row(tag) {
  const line = element("tr");
  line.dataset.tag = tag.address;
  const words = `${STATES[tag.state][0]} ${say(STATES[tag.state][1])}`;
  const name = element("th", "name");
  name.scope = "row";
  name.append(opener(tag.name, say("History of {name}", { name: tag.name }), { tag: tag.address, name: tag.name, zone: tag.zone }));
  // On a narrow screen the state is displayed below the name instead of in a separate column.
  name.append(element("span", `state narrow ${tag.state}`, words));
  if (tag.approach) name.append(element("span", `approach ${tag.approach.level}`, approaching(tag.approach)));
  line.append(name, element("td", `state wide ${tag.state}`, words));
  line.append(element("td", "number", degrees(tag)), element("td", "number", humidity(tag)));
  for (const [kind, values, least] of [["wide", tag.temperatures, 0.2], ["wide far", tag.humidities, 2]]) {
    const curve = element("td", kind);
    curve.append(spark(values, least));
    line.append(curve);
  }
  line.append(element("td", "number wide", tag.battery === undefined ? "–" : `${tag.battery} %`));
  line.append(element("td", "number wide far", tag.rssi === undefined ? "–" : `${tag.rssi} dBm`));
  line.append(element("td", "", age(tag.age_s)));
  return line;
}

function drawZones(hub, silence) {
  document.getElementById("zones").replaceChildren(...hub.zones.map((zone) => {
    const part = element("div");
    const title = element("h3", "", zone.name);
    const button = element("button", "", say(zone.silenced_until ? "End the silence" : "Silence…"));
    button.type = "button";
    button.setAttribute("aria-label", say(zone.silenced_until ? "End the silence of {zone}" : "Silence {zone}", { zone: zone.name }));
    button.addEventListener("click", () => silence(zone));
    if (zone.silenced_until) {
      const note = zone.note ? `: ${zone.note}` : "";
      title.append(element("span", "warning", say("silenced until {time} by {name}{note}", { time: timeOfDay(zone.silenced_until), name: zone.silenced_by, note })));
    }
    title.append(button, opener(say("History"), say("History of {name}", { name: zone.name }), { zone: zone.name }));
    const table = element("table");
    table.setAttribute("aria-label", say("Tags of {zone}", { zone: zone.name }));
    const head = element("tr");
    for (const [name, kind, short] of COLUMNS) {
      const cell = element("th", kind, short ? undefined : say(name));
      cell.scope = "col";
      if (short) cell.append(element("span", "wide", say(name)), element("span", "narrow", say(short)));
      head.append(cell);
    }
    const body = element("tbody");
    body.append(...hub.tags.filter((tag) => tag.zone === zone.name)
      .sort((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state)).map(row));
    const top = element("thead");
    top.append(head);
    table.append(top, body);
    part.append(title, table);
    return part;
  }));
}
