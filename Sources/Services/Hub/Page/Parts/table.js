"use strict";
// The table lists tags by zone, those with an alarm first, each with a sparkline of its last
// readings.
const COLUMNS = [["Tag", ""], ["State", "wide"], ["Temperature", "number", "Temp."], ["Humidity", "number", "Hum."],
  ["Temperatures", "wide"], ["Battery", "number wide"], ["Signal", "number wide far"], ["Last reading", ""]];
const ORDER = ["alarm", "fault", "lost", "warning", "pending", "waiting", "ok"];

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function age(seconds) {
  if (seconds === undefined) return "never";
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min ago`;
  return `${Math.round(seconds / 3600)} h ago`;
}

function spark(values) {
  const chart = svg("svg", { class: "spark", viewBox: "0 0 120 24", "aria-hidden": "true" });
  if (values.length < 2) return chart;
  const low = Math.min(...values), high = Math.max(...values);
  const span = Math.max(high - low, 0.2);
  const points = values.map((value, index) =>
    `${(index / (values.length - 1) * 118 + 1).toFixed(1)} ${(22 - (value - low) / span * 20).toFixed(1)}`);
  chart.append(svg("path", { d: `M${points.join("L")}` }));
  return chart;
}

// Describes the limit that a value approaches, and when it reaches the limit.
function approaching({ cause, limit, in_s: seconds }) {
  const minutes = Math.round(seconds / 60);
  return `↗ ${CAUSES[cause][0]} ${limit} ${CAUSES[cause][1]} in ${minutes < 1 ? "less than 1" : minutes} min at this rate`;
}

function row(tag) {
  const line = element("tr");
  line.dataset.tag = tag.address;
  const words = `${STATES[tag.state][0]} ${STATES[tag.state][1]}`;
  const name = element("th", "name");
  name.scope = "row";
  name.append(opener(tag.name, `History of ${tag.name}`, { tag: tag.address, name: tag.name, zone: tag.zone }));
  // On a narrow screen the state is displayed below the name instead of in a separate column.
  name.append(element("span", `state narrow ${tag.state}`, words));
  if (tag.approach) name.append(element("span", `approach ${tag.approach.level}`, approaching(tag.approach)));
  line.append(name, element("td", `state wide ${tag.state}`, words));
  line.append(element("td", "number", degrees(tag)), element("td", "number", humidity(tag)));
  const curve = element("td", "wide");
  curve.append(spark(tag.temperatures));
  line.append(curve);
  line.append(element("td", "number wide", tag.battery === undefined ? "–" : `${tag.battery} %`));
  line.append(element("td", "number wide far", tag.rssi === undefined ? "–" : `${tag.rssi} dBm`));
  line.append(element("td", "", age(tag.age_s)));
  return line;
}

function drawZones(hub, silence) {
  document.getElementById("zones").replaceChildren(...hub.zones.map((zone) => {
    const part = element("div");
    const title = element("h3", "", zone.name);
    const button = element("button", "", zone.silenced_until ? "End the silence" : "Silence…");
    button.type = "button";
    button.setAttribute("aria-label", `${zone.silenced_until ? "End the silence of" : "Silence"} ${zone.name}`);
    button.addEventListener("click", () => silence(zone));
    if (zone.silenced_until) {
      const until = new Date(zone.silenced_until).toLocaleTimeString();
      const note = zone.note ? `: ${zone.note}` : "";
      title.append(element("span", "warning", `silenced until ${until} by ${zone.silenced_by}${note}`));
    }
    title.append(button, opener("History", `History of ${zone.name}`, { zone: zone.name }));
    const table = element("table");
    table.setAttribute("aria-label", `Tags of ${zone.name}`);
    const head = element("tr");
    for (const [name, kind, short] of COLUMNS) {
      const cell = element("th", kind, short ? undefined : name);
      cell.scope = "col";
      if (short) cell.append(element("span", "wide", name), element("span", "narrow", short));
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
