// Icons that combine time of day, cloud and rain, drawn on a 64 by 64 canvas.
"use strict";

const cloudPath = "M19 46h27a10.5 10.5 0 0 0 1.4-20.9A14.5 14.5 0 0 0 19.6 23.6 11.3 11.3 0 0 0 19 46z";
const moonPath = "M40 12a19 19 0 1 0 13 30.5A16 16 0 0 1 40 12z";
const boltPath = "M35 40 26 53h7l-3 10 11-14h-7l5-9z";

/** Returns the icon for a sky, which is decorative, because text accompanies it. */
function skyIcon(sky, size = 40) {
  const icon = drawn("svg", { viewBox: "0 0 64 64", width: size, height: size, class: "icon", "aria-hidden": "true" });
  if (!sky) return dress(icon, {}, [drawn("line", { x1: 24, x2: 40, y1: 34, y2: 34, class: "mist" })]);
  const falls = sky.rain > 0 || sky.snow > 0;
  if (sky.cover < 3 && !sky.fog) icon.append(light(sky));
  if (sky.cover > 0 || falls || sky.fog) icon.append(cloud(sky, falls));
  icon.append(...drops(sky), ...flakes(sky));
  if (sky.storm) icon.append(drawn("path", { d: boltPath, class: "bolt" }));
  if (sky.fog) icon.append(...[50, 56, 62].map((y, row) =>
    drawn("line", { x1: 14 + row * 3, x2: 52 - row * 4, y1: y, y2: y, class: "mist" })));
  return icon;
}

/** Returns the sun or the moon: centered in a clear sky, otherwise small and partly covered by the cloud. */
function light(sky) {
  const place = sky.cover === 0
    ? "translate(0 0)" : sky.cover === 1 ? "translate(2 -5) scale(.86)" : "translate(17 -4) scale(.68)";
  if (sky.night) return drawn("g", { transform: place }, drawn("path", { d: moonPath, class: "moon" }));
  const rays = Array.from({ length: 8 }, (_, index) =>
    drawn("line", { x1: 32, x2: 32, y1: 5, y2: 11, transform: `rotate(${index * 45} 32 32)`, class: "ray" }));
  return drawn("g", { transform: place }, ...rays, drawn("circle", { cx: 32, cy: 32, r: 14, class: "sun" }));
}

function cloud(sky, falls) {
  const small = sky.cover === 1 && !falls;
  const place = small ? "translate(22 20) scale(.66)" : falls || sky.fog ? "translate(0 -7)" : "translate(-1 6)";
  const shape = drawn("path", { d: cloudPath, class: sky.cover === 3 || sky.storm ? "cloud dark" : "cloud" });
  if (sky.cover !== 3 || falls || sky.fog) return drawn("g", { transform: place }, shape);
  const behind = drawn("path", { d: cloudPath, class: "cloud", transform: "translate(18 -10) scale(.72)" });
  return drawn("g", { transform: place }, behind, shape);
}

function drops(sky) {
  const places = [[], [[33, 48]], [[24, 47], [37, 47]], [[20, 47], [31, 49], [42, 47]]][sky.storm ? 0 : sky.rain];
  return places.map(([x, y]) => drawn("line", { x1: x, y1: y, x2: x - 4, y2: y + 11, class: "drop" }));
}

function flakes(sky) {
  const places = [[], [[32, 50]], [[24, 50], [38, 54]], [[20, 49], [31, 56], [42, 49]]][sky.snow];
  return places.map(([x, y]) => drawn("g", { transform: `translate(${x} ${y})`, class: "flake" },
    [0, 60, 120].map((turn) => drawn("line", { x1: -4.5, x2: 4.5, y1: 0, y2: 0, transform: `rotate(${turn})` }))));
}

/** Returns an arrow that points in the direction in which the wind blows. */
function windArrow(degrees, size = 22) {
  if (degrees === null || degrees === undefined) return null;
  return drawn("svg", { viewBox: "0 0 24 24", width: size, height: size, class: "arrow", "aria-hidden": "true" },
    drawn("path", { d: "M12 3v15M6 13l6 7 6-7", transform: `rotate(${degrees} 12 12)` }));
}

const signs = {
  menu: "M4 7h16M4 12h16M4 17h16",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21",
  locate: "M12 2v3M12 19v3M2 12h3M19 12h3M12 18.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM12 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z",
  star: "m12 3 2.8 5.8 6.2.9-4.5 4.4 1.1 6.3-5.6-3-5.6 3 1.1-6.3L3 9.7l6.2-.9z",
  share: "M12 15V3M8 6.5 12 3l4 3.5M6 11H5v10h14V11h-1",
  close: "M5 5l14 14M19 5 5 19",
  pencil: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  map: "M9 4 3 6.5v13L9 17l6 2.5 6-2.5V4l-6 2.5zM9 4v13M15 6.5v13",
  up: "M6 15l6-6 6 6",
  down: "M6 9l6 6 6-6",
  warning: "M12 3 2 21h20zM12 10v5M12 17.8v.4",
};

/** Returns a line icon for a button. */
function sign(name, size = 22) {
  return drawn("svg", { viewBox: "0 0 24 24", width: size, height: size, class: `sign ${name}`, "aria-hidden": "true" },
    drawn("path", { d: signs[name] }));
}
