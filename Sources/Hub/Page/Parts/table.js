"use strict";
// Tags by zone, those with an alarm first, each with the curve of its last readings.
const ORDER = ["alarm", "fault", "lost", "warning", "waiting", "ok"];

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

function row(tag) {
  const line = element("tr");
  line.dataset.tag = tag.address;
  line.append(element("td", "", tag.name));
  line.append(element("td", `state ${tag.state}`, `${STATES[tag.state][0]} ${STATES[tag.state][1]}`));
  line.append(element("td", "number", degrees(tag)), element("td", "number", humidity(tag)));
  const curve = element("td");
  curve.append(spark(tag.temperatures));
  line.append(curve);
  line.append(element("td", "number", tag.battery === undefined ? "–" : `${tag.battery} %`));
  line.append(element("td", "number", tag.rssi === undefined ? "–" : `${tag.rssi} dBm`));
  line.append(element("td", "", age(tag.age_s)));
  return line;
}

function drawZones(hub, silence) {
  document.getElementById("zones").replaceChildren(...hub.zones.map((zone) => {
    const part = element("div");
    const title = element("h3", "", zone.name);
    const button = element("button", "", zone.silenced_until ? "End the silence" : "Silence…");
    button.type = "button";
    button.addEventListener("click", () => silence(zone));
    if (zone.silenced_until) {
      const until = new Date(zone.silenced_until).toLocaleTimeString();
      title.append(element("span", "warning", `silenced until ${until} by ${zone.silenced_by}`));
    }
    title.append(button);
    const table = element("table");
    const head = element("tr");
    for (const [name, number] of [["Tag"], ["State"], ["Temperature", 1], ["Humidity", 1], ["Temperatures"], ["Battery", 1],
      ["Signal", 1], ["Heard"]]) head.append(element("th", number ? "number" : "", name));
    const body = element("tbody");
    body.append(...hub.tags.filter((tag) => tag.zone === zone.name)
      .sort((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state)).map(row));
    const top = element("thead");
    top.append(head);
    table.append(top, body);
    const scroll = element("div", "scroll");
    scroll.append(table);
    part.append(title, scroll);
    return part;
  }));
}
