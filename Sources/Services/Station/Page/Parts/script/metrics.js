// The metrics, with their names, the formats of their hourly and daily values, and the styles of their curves.
"use strict";

/** Formats a number in the reader's unit, without the unit, which the strip displays only once. */
const bare = (quantity, decimals) => (value) => number(known(value, unitOf(quantity).from), decimals());
const none = () => 0;
const windDecimals = () => (settings().wind === "ms" ? 1 : 0);

const metrics = {
  temp: { value: (row) => row.temp, format: temperature, full: fullTemperature, unit: () => unitOf("temperature").symbol, draw: "line", least: 6 },
  feels: { value: (row) => row.feels, format: temperature, full: fullTemperature, unit: () => unitOf("temperature").symbol, draw: "line", least: 6 },
  rain: {
    value: (row) => row.rain, full: rain, unit: () => "mm", draw: "bars", least: 2, floor: 0, day: "sum",
    format: (value) => rain(value).replace(" mm", ""),
  },
  wind: { value: (row) => row.wind, format: bare("wind", windDecimals), full: wind, unit: () => unitOf("wind").symbol, draw: "line", least: 4, floor: 0 },
  direction: {
    value: (row) => row.direction, format: compass, unit: () => "", draw: "arrows", least: 360, floor: 0, day: "dominant",
    full: (degrees) => `${compassWords(degrees)}, ${number(degrees)}°`,
  },
  humidity: { value: (row) => row.humidity, format: (value) => number(value), full: percent, unit: () => "%", draw: "line", least: 20 },
  cloud: { value: (row) => row.cloud, format: (value) => number(value), full: percent, unit: () => "%", draw: "bars", least: 100, floor: 0 },
  pressure: { value: (row) => row.pressure, format: bare("pressure", none), full: pressure, unit: () => unitOf("pressure").symbol, draw: "line", least: 8 },
};

/** Returns the name of a metric with its unit. */
const metricName = (key) => (metrics[key].unit() ? `${say(key)} (${metrics[key].unit()})` : say(key));

const warmths = [[-8, 96, 104, 204], [0, 74, 134, 214], [8, 60, 164, 196], [15, 98, 176, 108], [21, 222, 178, 54], [28, 226, 122, 46], [36, 200, 52, 48]];

/** Returns the color of a temperature in °C, from violet to red; it does not depend on day or place. */
function warmthColour(celsius) {
  const above = Math.max(1, warmths.findIndex(([at]) => at >= celsius) === -1 ? warmths.length - 1 : warmths.findIndex(([at]) => at >= celsius));
  const [low, high] = [warmths[above - 1], warmths[above]];
  const share = Math.min(1, Math.max(0, (celsius - low[0]) / (high[0] - low[0])));
  return `rgb(${[1, 2, 3].map((index) => Math.round(low[index] + share * (high[index] - low[index]))).join(" ")})`;
}

/** Returns the minimum and maximum of the known values. */
function rangeOf(rows, metric) {
  const values = rows.map(metric.value).filter((value) => value !== null);
  return values.length ? { low: Math.min(...values), high: Math.max(...values) } : null;
}

/** Returns the scale of a drawing, which covers at least the metric's minimum range, so small changes look small. */
function scaleOf(rows, metric) {
  const range = rangeOf(rows, metric) ?? { low: 0, high: 1 };
  const missing = Math.max(0, metric.least - (range.high - range.low));
  const low = metric.floor ?? range.low - missing / 2;
  return { low, high: Math.max(range.high, low + metric.least) };
}
