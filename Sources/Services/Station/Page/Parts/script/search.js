// Searches the gazetteer: matches at the start of a name come before matches at the start of a word, and larger places
// before smaller ones.
"use strict";

/** Normalizes a text for comparison to lower case, without accents, and with single spaces. */
const plain = (text) =>
  text.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, " ").trim();

/** The places of the gazetteer, larger ones first; each line is name|other name|district|latitude|longitude. */
function readGazetteer(text, districts) {
  return text.split("\n").filter(Boolean).map((line) => {
    const [name, other, district, latitude, longitude] = line.split("|");
    return {
      name, other, district: districts[district] ?? "", latitude: Number(latitude), longitude: Number(longitude),
      words: plain(`${name} ${other}`), begins: [plain(name), plain(other)].filter(Boolean),
    };
  });
}

/** Returns at most `limit` places that match a query, the best match first. */
function findPlaces(places, question, limit = 8) {
  const asked = plain(question);
  if (!asked) return [];
  const ranked = [[], [], []];
  for (const place of places) {
    if (place.begins.some((name) => name === asked)) ranked[0].push(place);
    else if (place.begins.some((name) => name.startsWith(asked))) ranked[1].push(place);
    else if (` ${place.words} ${plain(place.district)}`.includes(` ${asked}`)) ranked[2].push(place);
  }
  return ranked.flat().slice(0, limit);
}

/** Returns the gazetteer place nearest to a point, with its distance in kilometers. */
function nearestPlace(places, point) {
  let best = null;
  for (const place of places) {
    const kilometres = distance(place, point);
    if (!best || kilometres < best.kilometres) best = { place, kilometres };
  }
  return best;
}
