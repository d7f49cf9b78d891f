// The strip of hours, which scrolls horizontally and draws the chosen metric as a curve, bars or arrows.
"use strict";

const stripStep = 58;
const stripTop = 26;
const stripBottom = 92;
const barsBottom = 108;

/** Draws a strip of hours for a metric. */
function hourStrip(id, rows, key, forecast, label, now) {
  const metric = metrics[key];
  const scale = scaleOf(rows, metric);
  const height = (row) => heightOf(metric.value(row), scale, stripTop, metric.draw === "bars" ? barsBottom : stripBottom);
  const hours = rows.map((row, index) => stripHour(row, rows[index - 1], metric, height(row), forecast, now));
  const list = of("ol", { class: `hours ${metric.draw}` }, hours);
  return of("div", { class: "strip", id, tabindex: 0, role: "region", "aria-label": label, "data-keeps-scroll": true },
    of("div", { class: "roll", vars: { "--count": rows.length } }, stripDrawing(rows, metric, height), list));
}

/** Draws one hour with its time, sky and value; screen readers read the hour as one sentence. */
function stripHour(row, before, metric, y, forecast, now) {
  const sky = skyOf(row);
  const time = row.time <= now && now < row.time + hour ? say("hourNow") : clockTime(row.time, forecast.zone);
  const dawns = before && before.date !== row.date;
  const value = metric.value(row);
  const spoken = `${dawns ? `${longDay(row.time, forecast.zone)}, ` : ""}${time}: ${metric.full(value)}, ${say(skyKey(sky))}`
    + (row.rain >= 0.1 && metric !== metrics.rain ? `, ${rain(row.rain)}` : "");
  return of("li", { class: dawns ? "hour dawns" : "hour" },
    of("span", { class: "spoken" }, spoken),
    of("span", { "aria-hidden": "true", class: "day" }, dawns ? weekday(row.time, forecast.zone) : ""),
    of("span", { "aria-hidden": "true", class: "time" }, time),
    skyIcon(sky, 34),
    of("span", { "aria-hidden": "true", class: "wet" }, row.rain >= 0.1 && metric !== metrics.rain ? rain(row.rain) : ""),
    of("span", { "aria-hidden": "true", class: "level", vars: { "--y": `${round(metric.draw === "arrows" ? 54 : y ?? stripBottom)}px` } },
      metric.draw === "arrows" ? windArrow(value, 32) : null, of("b", {}, metric.format(value))));
}

function stripDrawing(rows, metric, height) {
  const wide = rows.length * stripStep;
  const drawing = drawn("svg", {
    class: metric === metrics.cloud ? "drawing grey" : "drawing", width: wide, height: 116, viewBox: `0 0 ${wide} 116`, "aria-hidden": "true",
  });
  const points = rows.map((row, index) => [index * stripStep + stripStep / 2, height(row)]);
  if (metric.draw === "bars") {
    drawing.append(...points.filter(([, y]) => y !== null).map(([x, y]) => drawn("rect", {
      class: "bar", x: x - 11, width: 22, y: round(y), height: round(barsBottom - y), rx: 4,
    })));
  } else if (metric.draw === "line") {
    const known = points.filter(([, y]) => y !== null);
    const whole = known.length > 1 && known.length === points.length;
    // The curve extends to the edges of the first and the last hour, so it is as wide as the columns.
    const line = curvePath(whole ? [[0, points[0][1]], ...points, [wide, points.at(-1)[1]]] : points);
    if (whole) drawing.append(drawn("path", { class: "under", d: `${line}L${wide} 110L0 110Z` }));
    drawing.append(drawn("path", { class: "curve", d: line }),
      ...known.map(([x, y]) => drawn("circle", { class: "point", cx: x, cy: round(y), r: 3 })));
  }
  return drawing;
}

/** Draws the choice of metrics, in the user's order. */
function metricChoice(name) {
  return of("fieldset", { class: "choice", id: `${name}-choice`, "data-keeps-scroll": true },
    of("legend", { class: "spoken" }, say("choose")),
    settings().metrics.map((key) => {
      const id = `${name}-${key}`;
      return [of("input", {
        type: "radio", name, id, value: key, checked: key === state.metric,
        on: { change: () => { state.metric = key; render(); } },
      }), of("label", { for: id }, say(key))];
    }));
}
