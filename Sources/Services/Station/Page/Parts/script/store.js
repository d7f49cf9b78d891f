// The user's choices, stored in the browser. They have a version, are migrated, and are never overwritten if unreadable.
"use strict";

const storeKey = "aneroid.weather";

/** The migrations from each version to the next; a new version adds a migration here and increments `storeVersion`. */
const migrations = {};
const storeVersion = 1;

const metricKeys = ["temp", "rain", "wind", "direction", "humidity", "cloud", "pressure", "feels"];

/** Returns a store without any choices. */
function emptyStore() {
  return {
    version: storeVersion, favourites: [], place: null,
    settings: { language: "", temperature: "C", wind: "kmh", pressure: "hPa", theme: "auto", metrics: [...metricKeys] },
  };
}

/** Parses and migrates a stored text, and returns `{data}` or `{problem}`. */
function readStore(text, steps = migrations, version = storeVersion) {
  if (text === null || text === undefined) return { data: emptyStore() };
  let data;
  try { data = JSON.parse(text); } catch { return { problem: "damaged" }; }
  if (!data || typeof data !== "object" || !Number.isInteger(data.version)) return { problem: "damaged" };
  if (data.version > version) return { data: complete(data), problem: "newer" };
  while (data.version < version) {
    const step = steps[data.version];
    if (!step) return { problem: "damaged" };
    data = { ...step(data), version: data.version + 1 };
  }
  return { data: complete(data) };
}

/** Returns the data with missing or invalid parts replaced by defaults; unknown parts are preserved. */
function complete(data) {
  const fresh = emptyStore();
  const list = Array.isArray(data.favourites) ? data.favourites.filter(isPlace) : [];
  for (const one of list) if (typeof one.label !== "string") delete one.label;
  const chosen = { ...fresh.settings, ...data.settings };
  for (const quantity of Object.keys(units)) {
    if (!(chosen[quantity] in units[quantity])) chosen[quantity] = fresh.settings[quantity];
  }
  const order = Array.isArray(chosen.metrics) ? chosen.metrics.filter((key) => metricKeys.includes(key)) : [];
  chosen.metrics = [...new Set([...order, ...metricKeys])];
  return { ...data, favourites: list, place: isPlace(data.place) ? data.place : null, settings: chosen };
}

/** Returns the stored data; an unreadable text is moved to a different key before anything is written. */
function loadStore(box = localStorage) {
  let text;
  try { text = box.getItem(storeKey); } catch { return { data: emptyStore(), problem: "closed" }; }
  const { data, problem } = readStore(text);
  if (problem) {
    try {
      box.setItem(`${storeKey}.${problem}`, text);
    } catch { return { data: data ?? emptyStore(), problem: "closed" }; }
  }
  return { data: data ? { ...data, version: storeVersion } : emptyStore(), problem };
}

let kept = emptyStore();

/** Changes the stored data, starting from what is stored now, so two windows do not overwrite each other's changes. */
function change(edit, box = localStorage) {
  const { data, problem } = loadStore(box);
  kept = problem === "closed" ? kept : data;
  edit(kept);
  try {
    box.setItem(storeKey, JSON.stringify(kept));
    return true;
  } catch { return false; }
}

const settings = () => kept.settings;
