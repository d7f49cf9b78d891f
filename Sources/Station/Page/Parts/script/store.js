// What the reader has chosen, kept in the browser: versioned, migrated, and never written over when it is not understood.
"use strict";

const storeKey = "aneroid.weather";

/** How each version's data become the next version's. A new version adds its step here and raises `storeVersion`. */
const migrations = {};
const storeVersion = 1;

const metricKeys = ["temp", "rain", "wind", "direction", "humidity", "cloud", "pressure", "feels"];

/** The store of somebody who has chosen nothing yet. */
function emptyStore() {
  return {
    version: storeVersion, favourites: [], place: null,
    settings: { language: "", temperature: "C", wind: "kmh", pressure: "hPa", theme: "auto", metrics: [...metricKeys] },
  };
}

/** The data of a text that was stored, brought up to this version, or why they cannot be: `{data}` or `{problem}`. */
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

/** The same data with every missing or senseless part replaced by its default; unknown parts are carried along. */
function complete(data) {
  const fresh = emptyStore();
  const list = Array.isArray(data.favourites) ? data.favourites.filter(isPlace) : [];
  const chosen = { ...fresh.settings, ...data.settings };
  for (const quantity of Object.keys(units)) {
    if (!(chosen[quantity] in units[quantity])) chosen[quantity] = fresh.settings[quantity];
  }
  const order = Array.isArray(chosen.metrics) ? chosen.metrics.filter((key) => metricKeys.includes(key)) : [];
  chosen.metrics = [...new Set([...order, ...metricKeys])];
  return { ...data, favourites: list, place: isPlace(data.place) ? data.place : null, settings: chosen };
}

/** What was stored; texts that cannot be read are put aside under a name of their own before anything is written. */
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

/** Changes what is stored, beginning from what is stored now, so that two windows lose nothing to each other. */
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
