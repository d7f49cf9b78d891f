// Places: what one is, how near two are, and the link that carries one.
"use strict";

/** Whether something has the shape of a place. */
function isPlace(thing) {
  return Boolean(thing) && typeof thing.name === "string"
    && Number.isFinite(thing.latitude) && Math.abs(thing.latitude) <= 90
    && Number.isFinite(thing.longitude) && Math.abs(thing.longitude) <= 180;
}

/** Two places are one when they round to the same ten-thousandth of a degree, some ten metres. */
const placeKey = (place) => `${place.latitude.toFixed(4)},${place.longitude.toFixed(4)}`;
const samePlace = (one, other) => Boolean(one && other) && placeKey(one) === placeKey(other);

/** The distance of two places in kilometres, on a sphere of 6371 km. */
function distance(one, other) {
  const radians = Math.PI / 180;
  const rise = Math.sin((other.latitude - one.latitude) * radians / 2) ** 2;
  const turn = Math.sin((other.longitude - one.longitude) * radians / 2) ** 2;
  const flat = Math.cos(one.latitude * radians) * Math.cos(other.latitude * radians);
  return 2 * 6371 * Math.asin(Math.sqrt(rise + flat * turn));
}

/** The part of a link that says the place: `#place=40.2056,-8.4196&name=Coimbra&district=Coimbra`. */
function placeLink(place) {
  const words = new URLSearchParams({ place: placeKey(place), name: place.name });
  if (place.district) words.set("district", place.district);
  return `#${words}`.replace("%2C", ",");
}

/** What a link names as a place that is none, such as `999,0`; empty where it names a place or says nothing of one. */
function senselessPlace(hash) {
  const text = new URLSearchParams(hash.replace(/^#/, "")).get("place");
  return text === null || linkedPlace(hash) ? "" : text.slice(0, 40) || " ";
}

/** The place that a link names, if it names one. */
function linkedPlace(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const found = /^(-?\d{1,2}(?:\.\d+)?),(-?\d{1,3}(?:\.\d+)?)$/.exec(words.get("place") ?? "");
  if (!found) return null;
  const [latitude, longitude] = [Number(found[1]), Number(found[2])];
  const name = (words.get("name") ?? "").slice(0, 80) || `${latitude}, ${longitude}`;
  const place = { name, district: (words.get("district") ?? "").slice(0, 80), latitude, longitude };
  return isPlace(place) ? place : null;
}
