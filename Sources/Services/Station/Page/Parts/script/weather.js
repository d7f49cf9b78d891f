// Determines the sky from a WMO code (table 4677, as in the forecast) or, without one, from cloud and rain.
"use strict";

/** Returns the class of a cloud cover: 0 clear, 1 a few clouds, 2 broken, 3 overcast. */
function coverOf(percentage) {
  if (percentage === null || percentage === undefined) return 0;
  return percentage < 15 ? 0 : percentage < 45 ? 1 : percentage < 85 ? 2 : 3;
}

/** Returns the rain class from mm per hour: 0 none, 1 light, 2 rain, 3 heavy. */
function rainOf(millimetres) {
  if (!(millimetres >= 0.1)) return 0;
  return millimetres < 1 ? 1 : millimetres < 4 ? 2 : 3;
}

const codes = {
  0: { cover: 0 }, 1: { cover: 1 }, 2: { cover: 2 }, 3: { cover: 3 },
  45: { cover: 3, fog: true }, 48: { cover: 3, fog: true },
  51: { rain: 1 }, 53: { rain: 1 }, 55: { rain: 2 }, 56: { rain: 1 }, 57: { rain: 2 },
  61: { rain: 1 }, 63: { rain: 2 }, 65: { rain: 3 }, 66: { rain: 1 }, 67: { rain: 3 },
  71: { snow: 1 }, 73: { snow: 2 }, 75: { snow: 3 }, 77: { snow: 1 },
  80: { rain: 1 }, 81: { rain: 2 }, 82: { rain: 3 }, 85: { snow: 1 }, 86: { snow: 3 },
  95: { rain: 2, storm: true }, 96: { rain: 3, storm: true }, 99: { rain: 3, storm: true },
};

/** Returns the sky of an hour: `{cover, rain, snow, fog, storm, night}`; nothing without values. */
function skyOf({ code, cloud, rain, night }) {
  const nothing = (value) => value === null || value === undefined;
  if (nothing(code) && nothing(cloud) && nothing(rain)) return null;
  const described = codes[code];
  const falls = described && (described.rain || described.snow);
  const cover = described?.cover ?? (cloud === null || cloud === undefined ? (falls ? 3 : 0) : coverOf(cloud));
  return {
    cover: falls ? Math.max(cover, 2) : cover,
    rain: described ? described.rain ?? 0 : rainOf(rain),
    snow: described?.snow ?? 0, fog: described?.fog ?? false, storm: described?.storm ?? false, night: Boolean(night),
  };
}

/** Returns the key of the text that describes a sky. */
function skyKey(sky) {
  if (!sky) return "skyUnknown";
  if (sky.storm) return "skyStorm";
  if (sky.snow) return sky.snow > 2 ? "skyHeavySnow" : "skySnow";
  if (sky.rain) return ["", "skyLightRain", "skyRain", "skyHeavyRain"][sky.rain];
  if (sky.fog) return "skyFog";
  if (sky.cover === 0) return sky.night ? "skyClear" : "skySunny";
  return ["", "skyFewClouds", "skyBrokenClouds", "skyOvercast"][sky.cover];
}

/** Returns the phase of the day: night, dawn, day or dusk; dawn and dusk last forty minutes on each side of sunrise and sunset. */
function phaseOf(time, sunrise, sunset, isNight) {
  if (!Number.isFinite(sunrise) || !Number.isFinite(sunset)) return isNight ? "night" : "day";
  if (Math.abs(time - sunrise) <= 40 * minute) return "dawn";
  if (Math.abs(time - sunset) <= 40 * minute) return "dusk";
  return time > sunrise && time < sunset ? "day" : "night";
}

/** Returns true if it is night at a time, as given in the forecast or, without one, by the sun. */
function isNightAt(time, day, flag) {
  if (flag === 0 || flag === 1) return flag === 0;
  if (!day || !Number.isFinite(day.sunrise)) return false;
  return time < day.sunrise || time >= day.sunset;
}
