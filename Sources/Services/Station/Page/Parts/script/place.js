// The format of places, the distances between them, and the links to them.
"use strict";

/** Returns true if a value has the format of a place. */
function isPlace(thing) {
  return Boolean(thing) && typeof thing.name === "string"
    && Number.isFinite(thing.latitude) && Math.abs(thing.latitude) <= 90
    && Number.isFinite(thing.longitude) && Math.abs(thing.longitude) <= 180;
}

/** Returns true if two places are the same, that is, if their coordinates agree to four decimals (about ten meters). */
const placeKey = (place) => `${place.latitude.toFixed(4)},${place.longitude.toFixed(4)}`;
const samePlace = (one, other) => Boolean(one && other) && placeKey(one) === placeKey(other);

/** Returns the distance between two places in kilometers, on a sphere of 6371 km. */
function distance(one, other) {
  const radians = Math.PI / 180;
  const rise = Math.sin((other.latitude - one.latitude) * radians / 2) ** 2;
  const turn = Math.sin((other.longitude - one.longitude) * radians / 2) ** 2;
  const flat = Math.cos(one.latitude * radians) * Math.cos(other.latitude * radians);
  return 2 * 6371 * Math.asin(Math.sqrt(rise + flat * turn));
}

/** Returns the fragment of a link to a place: `#place=40.2056,-8.4196&name=Coimbra&district=Coimbra`. */
function placeLink(place) {
  const words = new URLSearchParams({ place: placeKey(place), name: place.name });
  if (place.district) words.set("district", place.district);
  return `#${words}`.replace("%2C", ",");
}

/** Returns the invalid place in a link, such as `999,0`; empty if the link contains a valid place or none. */
function senselessPlace(hash) {
  const text = new URLSearchParams(hash.replace(/^#/, "")).get("place");
  return text === null || linkedPlace(hash) ? "" : text.slice(0, 40) || " ";
}

/** Returns the place in a link; nothing if the link contains none. */
function linkedPlace(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const found = /^(-?\d{1,2}(?:\.\d+)?),(-?\d{1,3}(?:\.\d+)?)$/.exec(words.get("place") ?? "");
  if (!found) return null;
  const [latitude, longitude] = [Number(found[1]), Number(found[2])];
  const name = (words.get("name") ?? "").slice(0, 80) || `${latitude}, ${longitude}`;
  const place = { name, district: (words.get("district") ?? "").slice(0, 80), latitude, longitude };
  return isPlace(place) ? place : null;
}
