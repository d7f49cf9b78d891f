// Draws values as smooth curves that do not overshoot.
"use strict";

/**
  * Returns the path of a monotone cubic through points `[x, y]` (Fritsch and Carlson 1980, SIAM J. Numer. Anal. 17, 238), so
  * the curve never exceeds the highest value. A point without a value splits the line.
 */
function curvePath(points) {
  const runs = [[]];
  for (const point of points) {
    if (point[1] === null || Number.isNaN(point[1])) runs.push([]);
    else runs[runs.length - 1].push(point);
  }
  return runs.filter((run) => run.length > 1).map(smoothRun).join(" ");
}

function smoothRun(points) {
  const slopes = slopesOf(points);
  let path = `M${round(points[0][0])} ${round(points[0][1])}`;
  for (let index = 1; index < points.length; index += 1) {
    const [from, to] = [points[index - 1], points[index]];
    const third = (to[0] - from[0]) / 3;
    path += `C${round(from[0] + third)} ${round(from[1] + slopes[index - 1] * third)} `
      + `${round(to[0] - third)} ${round(to[1] - slopes[index] * third)} ${round(to[0])} ${round(to[1])}`;
  }
  return path;
}

function slopesOf(points) {
  const steps = points.slice(1).map((point, index) => (point[1] - points[index][1]) / (point[0] - points[index][0]));
  return points.map((_, index) => {
    const [before, after] = [steps[index - 1], steps[index]];
    if (before === undefined) return after;
    if (after === undefined) return before;
    return before * after <= 0 ? 0 : (2 * before * after) / (before + after);
  });
}

const round = (value) => Math.round(value * 10) / 10;

/** Returns the vertical position of a value on a scale: `top` for the maximum, `bottom` for the minimum. */
const heightOf = (value, scale, top, bottom) =>
  (value === null ? null : bottom - ((value - scale.low) / (scale.high - scale.low || 1)) * (bottom - top));

/** The maximum width of a drawing in a card, in pixels. */
const roomIn = (card) => Math.max(240, (card.clientWidth || 360) - 32);

/** Draws curves over a common time axis, each given as `{rows: [[time, value]], class}`, and a band of `[time, low, high]`, with labels on the left. */
function lineChart({ lines, label, scale, marks, hours, wide, high = 170, band = [] }) {
  // A digit is up to 9 pixels wide, in the widest of the fonts that systems use.
  const left = Math.max(46, 10 + 9 * Math.max(0, ...marks.map((mark) => mark.text.length)));
  const [right, top, bottom] = [wide - 20, 12, high - 26];
  const times = lines.flatMap((line) => line.rows.map((row) => row[0]));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const across = (time) => left + ((time - first) / (last - first || 1)) * (right - left);
  const chart = drawn("svg", { class: "chart", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": label });
  for (const mark of marks) {
    const y = round(heightOf(mark.at, scale, top, bottom));
    chart.append(drawn("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }),
      drawn("text", { "aria-hidden": "true", class: "tick end", x: left - 8, y: y + 4 }, mark.text));
  }
  for (const one of hours(first, last)) {
    chart.append(drawn("text", { "aria-hidden": "true", class: "tick middle", x: round(across(one.at)), y: high - 6 }, one.text));
  }
  if (band.length > 1) {
    const edge = (which) => band.map((row) => `${round(across(row[0]))} ${round(heightOf(row[which], scale, top, bottom))}`);
    chart.append(drawn("path", { class: "band", d: `M${[...edge(1), ...edge(2).reverse()].join("L")}Z` }));
  }
  for (const line of lines) {
    const points = line.rows.map(([time, value]) => [across(time), heightOf(value, scale, top, bottom)]);
    chart.append(drawn("path", { class: `curve ${line.class}`, d: curvePath(points) }));
    const [x, y] = line.end ? points.filter((point) => point[1] !== null).at(-1) : [];
    if (line.end) chart.append(drawn("circle", { class: "end-point", cx: round(x), cy: round(y), r: 4.5 }));
  }
  return chart;
}

/** Returns about `wanted` round tick values, whose step is 1, 2 or 5 times a power of ten. */
function marksOf(scale, wanted, tellMark) {
  const rough = (scale.high - scale.low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const off = (step) => Math.abs(Math.log(step / rough));
  const step = [1, 2, 5, 10].map((times) => times * power).reduce((best, one) => (off(one) < off(best) ? one : best));
  const marks = [];
  for (let at = Math.ceil(scale.low / step) * step; at <= scale.high + step / 1e6; at += step) {
    marks.push({ at, text: tellMark(at, Math.max(0, -Math.floor(Math.log10(step)))) });
  }
  return marks;
}

/** Returns tick marks at every sixth hour in the place's time zone. */
function hourMarks(first, last, zone, every = 6) {
  const marks = [];
  for (let at = Math.ceil(first / (15 * minute)) * 15 * minute; at <= last; at += 15 * minute) {
    if (minuteOfDay(at, zone) % (every * 60) === 0) marks.push({ at, text: clockTime(at, zone) });
  }
  return marks;
}
