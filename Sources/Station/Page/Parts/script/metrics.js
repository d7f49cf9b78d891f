// The metrics: what each is called, how its hours and days are told, and how its curve is drawn.
"use strict";

/** A number in the reader's unit, without the unit: a strip says it once, above. */
const bare = (quantity, decimals) => (value) => number(known(value, unitOf(quantity).from), decimals());
const none = () => 0;
const windDecimals = () => (settings().wind === "ms" ? 1 : 0);

const metrics = {
  temp: { value: (row) => row.temp, tell: temperature, full: fullTemperature, unit: () => unitOf("temperature").symbol, draw: "line", least: 6 },
  feels: { value: (row) => row.feels, tell: temperature, full: fullTemperature, unit: () => unitOf("temperature").symbol, draw: "line", least: 6 },
  rain: {
    value: (row) => row.rain, full: rain, unit: () => "mm", draw: "bars", least: 2, floor: 0, day: "sum",
    tell: (value) => rain(value).replace(" mm", ""),
  },
  wind: { value: (row) => row.wind, tell: bare("wind", windDecimals), full: wind, unit: () => unitOf("wind").symbol, draw: "line", least: 4, floor: 0 },
  direction: {
    value: (row) => row.direction, tell: compass, unit: () => "", draw: "arrows", least: 360, floor: 0, day: "dominant",
    full: (degrees) => `${compass(degrees)} ${number(degrees)}°`,
  },
  humidity: { value: (row) => row.humidity, tell: (value) => number(value), full: percent, unit: () => "%", draw: "line", least: 20 },
  cloud: { value: (row) => row.cloud, tell: (value) => number(value), full: percent, unit: () => "%", draw: "bars", least: 100, floor: 0 },
  pressure: { value: (row) => row.pressure, tell: bare("pressure", none), full: pressure, unit: () => unitOf("pressure").symbol, draw: "line", least: 8 },
};

/** The name of a metric with its unit. */
const metricName = (key) => (metrics[key].unit() ? `${say(key)} (${metrics[key].unit()})` : say(key));

/** The smallest and the largest known value of some hours. */
function rangeOf(rows, metric) {
  const values = rows.map(metric.value).filter((value) => value !== null);
  return values.length ? { low: Math.min(...values), high: Math.max(...values) } : null;
}

/** The scale of a drawing: the range, at least as wide as the metric asks, so that small changes look small. */
function scaleOf(rows, metric) {
  const range = rangeOf(rows, metric) ?? { low: 0, high: 1 };
  const missing = Math.max(0, metric.least - (range.high - range.low));
  const low = metric.floor ?? range.low - missing / 2;
  return { low, high: Math.max(range.high, low + metric.least) };
}
