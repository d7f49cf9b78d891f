"use strict";
// The floor plan draws every zone as a frame and every tag at its position, with its state as a
// shape, a color and a word.
const SVG = "http://www.w3.org/2000/svg";
const STATES = {
  ok: ["●", "OK"], warning: ["▲", "warning"], alarm: ["■", "alarm"],
  lost: ["✕", "no data"], fault: ["◆", "sensor fault"], pending: ["△", "breach pending"], waiting: ["○", "no reading yet"],
};
const SHAPES = {
  ok: "M8 0A8 8 0 1 1-8 0A8 8 0 1 1 8 0Z", warning: "M0-10L10 8H-10Z", alarm: "M-8-8H8V8H-8Z",
  lost: "M-9-6L-6-9L0-3L6-9L9-6L3 0L9 6L6 9L0 3L-6 9L-9 6L-3 0Z", fault: "M0-11L9 0L0 11L-9 0Z",
  pending: "M0-11L11 8H-11ZM0-5L-6 5H6Z",
  waiting: "M8 0A8 8 0 1 1-8 0A8 8 0 1 1 8 0ZM5 0A5 5 0 1 0-5 0A5 5 0 1 0 5 0Z",
};
// The margin around the outermost tags in pixels, which leaves room for names and zone frames.
const MARGIN = { side: 62, top: 62, bottom: 56 };

function svg(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const span = (values) => { const low = Math.min(...values); return [low, Math.max(...values) - low]; };

// The positions of tags in pixels; both axes have the same scale, which preserves the proportions of the plan.
function layout(tags, width) {
  const [left, wide] = span(tags.map((tag) => tag.x)), [top, high] = span(tags.map((tag) => tag.y));
  const room = width - 2 * MARGIN.side;
  const scale = Math.min(wide > 0 ? room / wide : Infinity, high > 0 ? 380 / high : Infinity);
  const used = Number.isFinite(scale) ? scale : 1;
  const start = MARGIN.side + (room - wide * used) / 2;
  return {
    height: MARGIN.top + high * used + MARGIN.bottom,
    position: (tag) => [start + (tag.x - left) * used, MARGIN.top + (tag.y - top) * used],
  };
}

function frame(name, positions, width, height) {
  const [left, wide] = span(positions.map(([x]) => x)), [top, high] = span(positions.map(([, y]) => y));
  const from = [Math.max(2, left - 52), Math.max(2, top - 54)];
  const to = [Math.min(width - 2, left + wide + 52), Math.min(height - 2, top + high + 48)];
  const group = svg("g", { class: "zone" });
  group.append(
    svg("title", {}, name),
    svg("rect", { x: from[0], y: from[1], width: to[0] - from[0], height: to[1] - from[1], rx: 4 }),
    svg("text", { x: from[0] + 6, y: from[1] + 15 }, clipped(name, (to[0] - from[0] - 8) / 7)));
  return group;
}

// A name that would overlap its neighbor is truncated; the element's title contains the full name.
const clipped = (name, count) => (name.length <= Math.max(3, count) ? name : `${name.slice(0, Math.max(2, count - 1)).trimEnd()}…`);

// Returns the number of letters of a name that fit between a tag and its neighbors.
function room(at, positions, width) {
  const neighbors = positions.filter(([x, y]) => Math.abs(y - at[1]) < 60 && x !== at[0]).map(([x]) => Math.abs(x - at[0]));
  return Math.floor(Math.min(...neighbors, 2 * at[0], 2 * (width - at[0])) / 7.2);
}

function mark(tag, at, letters) {
  const group = svg("g", { transform: `translate(${at[0]} ${at[1]})`, class: tag.state, "data-tag": tag.address });
  group.append(
    svg("title", {}, `${tag.name}: ${say(STATES[tag.state][1])}, ${degrees(tag)}, ${humidity(tag)}`),
    svg("path", { d: SHAPES[tag.state], class: "mark" }));
  // If tags are too close for text, only the shapes are drawn; the elements' titles contain the
  // names.
  if (letters >= 5) group.append(svg("text", { y: 24, "text-anchor": "middle" }, clipped(tag.name, letters)));
  if (letters >= 4) {
    const short = degrees(tag).replace(" °C", "°");
    group.append(svg("text", { y: -15, "text-anchor": "middle" }, letters >= 8 ? degrees(tag) : short));
    if (tag.humidity_rh !== null) group.append(svg("text", { y: letters >= 5 ? 39 : 24, "text-anchor": "middle", class: "air" }, humidity(tag)));
  }
  return group;
}

function drawPlan(tags) {
  const plan = document.getElementById("plan");
  const placed = tags.filter((tag) => tag.x !== undefined && tag.y !== undefined);
  plan.closest("section").hidden = placed.length === 0;
  if (placed.length === 0) return;
  const width = plan.clientWidth || 800;
  const { height, position } = layout(placed, width);
  const positions = placed.map(position);
  plan.setAttribute("viewBox", `0 0 ${width} ${height}`);
  plan.style.height = `${height}px`;
  const zones = [...new Set(placed.map((tag) => tag.zone))];
  plan.replaceChildren(
    ...zones.map((zone) => frame(zone, positions.filter((_, index) => placed[index].zone === zone), width, height)),
    ...placed.map((tag, index) => mark(tag, positions[index], room(positions[index], positions, width))));
  document.getElementById("legend").replaceChildren(...Object.entries(STATES).map(([state, [sign, words]]) => {
    const item = element("li");
    item.append(element("span", state, sign), ` ${say(words)}`);
    return item;
  }));
}

const degrees = (tag) => (tag.temperature_c === null ? "– °C" : `${decimal(tag.temperature_c, 1)} °C`);
const humidity = (tag) => (tag.humidity_rh === null ? "– %" : `${tag.humidity_rh.toFixed(0)} %`);
