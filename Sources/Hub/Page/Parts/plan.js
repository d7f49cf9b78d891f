"use strict";
// The plan: every tag where it lies, its state as a shape, a colour and a word.
const SVG = "http://www.w3.org/2000/svg";
const STATES = {
  ok: ["●", "as it should be"], warning: ["▲", "warning"], alarm: ["■", "alarm"],
  lost: ["✕", "not heard"], fault: ["◆", "sensor fault"], waiting: ["○", "not heard yet"],
};
const SHAPES = {
  ok: "M8 0A8 8 0 1 1-8 0A8 8 0 1 1 8 0Z", warning: "M0-10L10 8H-10Z", alarm: "M-8-8H8V8H-8Z",
  lost: "M-9-6L-6-9L0-3L6-9L9-6L3 0L9 6L6 9L0 3L-6 9L-9 6L-3 0Z", fault: "M0-11L9 0L0 11L-9 0Z",
  waiting: "M8 0A8 8 0 1 1-8 0A8 8 0 1 1 8 0ZM5 0A5 5 0 1 0-5 0A5 5 0 1 0 5 0Z",
};

function svg(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function drawPlan(tags) {
  const plan = document.getElementById("plan");
  const placed = tags.filter((tag) => tag.x !== undefined && tag.y !== undefined);
  plan.closest("section").hidden = placed.length === 0;
  if (placed.length === 0) return;
  const width = Math.max(...placed.map((tag) => tag.x), 1);
  const height = Math.max(...placed.map((tag) => tag.y), 1);
  const scale = 800 / width;
  plan.setAttribute("viewBox", `-70 -40 940 ${height * scale + 90}`);
  plan.replaceChildren(...placed.map((tag) => {
    const group = svg("g", {
      transform: `translate(${tag.x * scale} ${tag.y * scale})`, class: tag.state, "data-tag": tag.address,
    });
    group.append(
      svg("title", {}, `${tag.name}: ${STATES[tag.state][1]}, ${degrees(tag)}, ${humidity(tag)}`),
      svg("path", { d: SHAPES[tag.state], class: "mark" }),
      svg("text", { y: 26, "text-anchor": "middle" }, tag.name),
      svg("text", { y: -16, "text-anchor": "middle" }, degrees(tag)));
    return group;
  }));
  document.getElementById("legend").replaceChildren(...Object.entries(STATES).map(([state, [mark, words]]) => {
    const item = document.createElement("li");
    const sign = document.createElement("span");
    sign.className = state;
    sign.textContent = mark;
    item.append(sign, ` ${words}`);
    return item;
  }));
}

const degrees = (tag) => tag.temperature_c === null ? "– °C" : `${tag.temperature_c.toFixed(1)} °C`;
const humidity = (tag) => tag.humidity_rh === null ? "– %" : `${tag.humidity_rh.toFixed(0)} %`;
