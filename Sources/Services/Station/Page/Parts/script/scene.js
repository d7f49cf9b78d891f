// The background, which follows the weather and the sun.
"use strict";

/** Returns the kind of weather that the background displays. */
function weatherKind(sky) {
  if (sky.storm) return "storm";
  if (sky.snow) return "snow";
  if (sky.rain) return "rain";
  if (sky.fog) return "fog";
  return ["clear", "clear", "cloudy", "overcast"][sky.cover];
}

/** Returns the progress of the sun or moon, from 0 at its rise to 1 at its set. */
function wayOf(time, day) {
  if (!day || !Number.isFinite(day.sunrise) || !Number.isFinite(day.sunset)) return 0.5;
  const long = day.sunset - day.sunrise;
  if (time >= day.sunrise && time <= day.sunset) return (time - day.sunrise) / long;
  const since = time > day.sunset ? time - day.sunset : time - day.sunset + 24 * hour;
  return Math.min(1, since / (24 * hour - long));
}

/** Returns a pseudo-random number that is always the same for the same index. */
const scattered = (index, salt) => ((Math.sin(index * 127.1 + salt * 311.7) * 43758.5453) % 1 + 1) % 1;

/** Draws the background for a sky at a time. */
function paintScene(sky, phase, way) {
  const root = document.documentElement;
  if (!sky) return clearScene(root);
  const kind = weatherKind(sky);
  if (root.dataset.phase === phase && root.dataset.weather === kind && Number(root.dataset.way) === way) return;
  Object.assign(root.dataset, { phase, weather: kind, way: String(way) });
  const box = part("sky");
  box.style.setProperty("--light-x", `${50 + way * 42}%`);
  box.style.setProperty("--light-y", `${26 - Math.sin(way * Math.PI) * 20}%`);
  const night = phase === "night";
  fill(box, of("div", { class: "glow" }), night && sky.cover < 3 && kind === "clear" ? stars() : null,
    sky.cover > 0 || kind !== "clear" ? clouds(sky) : null, sky.rain ? rainfall(sky) : null, sky.snow ? snowfall(sky) : null);
}

/** Draws the plain background for an unknown sky. */
function clearScene(root) {
  for (const key of ["phase", "weather", "way"]) delete root.dataset[key];
  part("sky").replaceChildren();
}

function stars() {
  const dots = Array.from({ length: 60 }, (_, index) => drawn("circle", {
    cx: scattered(index, 1) * 1000, cy: scattered(index, 2) * 500, r: 0.6 + scattered(index, 3) * 1.1,
    class: index % 5 ? "" : "blink",
  }));
  return drawn("svg", { class: "stars", viewBox: "0 0 1000 500", preserveAspectRatio: "xMidYMin slice" }, dots);
}

function clouds(sky) {
  const many = [3, 3, 5, 7][sky.cover];
  return of("div", { class: "clouds" }, Array.from({ length: many }, (_, index) => of("i", { vars: {
    "--x": `${scattered(index, 4) * 100 - 15}%`, "--y": `${scattered(index, 5) * 38}%`,
    "--wide": `${32 + scattered(index, 6) * 34}%`, "--slow": `${70 + scattered(index, 7) * 60}s`,
  } })));
}

function rainfall(sky) {
  const many = [0, 26, 48, 80][sky.rain];
  return of("div", { class: "rainfall" }, Array.from({ length: many }, (_, index) => of("i", { vars: {
    "--x": `${scattered(index, 8) * 104 - 2}%`, "--late": `${-scattered(index, 9) * 1.6}s`,
    "--fast": `${0.9 + scattered(index, 10) * 0.7}s`, "--y": `${scattered(index, 11) * 90}%`,
  } })));
}

function snowfall(sky) {
  const many = [0, 24, 40, 60][sky.snow];
  return of("div", { class: "snowfall" }, Array.from({ length: many }, (_, index) => of("i", { vars: {
    "--x": `${scattered(index, 12) * 100}%`, "--late": `${-scattered(index, 13) * 12}s`,
    "--fast": `${8 + scattered(index, 14) * 7}s`, "--y": `${scattered(index, 15) * 90}%`,
  } })));
}
