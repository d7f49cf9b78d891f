// Searches the gazetteer: matches at the start of a name come before matches at the start of its words, and larger places
// before smaller ones; if there are none, names with a typing error match. Coordinates are places, too.
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

/** What the abbreviations in names of places stand for. */
const shortWords = {
  s: ["sao", "santo", "santa"], sta: ["santa"], sto: ["santo"], sr: ["senhor"], sra: ["senhora"], n: ["nossa"], v: ["vila"], vn: ["vila nova"],
};

/** Returns a query as it is, and with its abbreviated words spelt out; its last word may be the start of a longer one. */
function spellings(asked) {
  const words = asked.split(" ");
  return words.reduce((all, word, index) => {
    const others = index < words.length - 1 ? shortWords[word] ?? [] : [];
    return [word, ...others].flatMap((one) => all.map((begin) => (begin ? `${begin} ${one}` : one)));
  }, [""]);
}

/** Returns the number of typing errors (wrong, missing, added and swapped letters) between a query and the start of a name. */
function errorsOf(asked, name) {
  let [before, last] = [[], Array.from({ length: asked.length + 1 }, (_, index) => index)];
  let least = asked.length;
  for (let end = 1; end <= Math.min(name.length, asked.length + 2); end += 1) {
    const row = [end];
    for (let at = 1; at <= asked.length; at += 1) {
      const same = asked[at - 1] === name[end - 1];
      row[at] = Math.min(last[at] + 1, row[at - 1] + 1, last[at - 1] + (same ? 0 : 1));
      if (at > 1 && end > 1 && asked[at - 1] === name[end - 2] && asked[at - 2] === name[end - 1]) row[at] = Math.min(row[at], before[at - 2] + 1);
    }
    [before, last] = [last, row];
    least = Math.min(least, row[asked.length]);
  }
  return least;
}

/** Returns the places whose names are like a query: one error from four letters on, two from eight. */
function similarPlaces(places, asked) {
  const most = asked.length >= 8 ? 2 : asked.length >= 4 ? 1 : 0;
  return places.map((place) => ({ place, errors: Math.min(...place.begins.map((name) => errorsOf(asked, name))) }))
    .filter((one) => one.errors <= most).sort((one, other) => one.errors - other.errors).map((one) => one.place);
}

/** Returns at most `limit` places that match a query, the best match first. */
function findPlaces(places, question, limit = 8) {
  const typed = typedPlace(question);
  if (typed) return [typed];
  const asked = plain(question);
  if (!asked) return [];
  const wanted = spellings(asked);
  const ranked = [[], [], []];
  for (const place of places) {
    const words = ` ${place.words} ${plain(place.district)}`;
    if (wanted.some((one) => place.begins.includes(one))) ranked[0].push(place);
    else if (wanted.some((one) => place.begins.some((name) => name.startsWith(one)))) ranked[1].push(place);
    else if (wanted.some((one) => one.split(" ").every((word) => words.includes(` ${word}`)))) ranked[2].push(place);
  }
  const found = ranked.flat();
  return (found.length ? found : similarPlaces(places, asked)).slice(0, limit);
}

/** Returns coordinates as text, such as `38.7223, −9.1393`. */
const coordinateText = (place) => `${number(place.latitude, 4)}${language === "pt" ? "; " : ", "}${number(place.longitude, 4)}`;

/** Returns the place at typed coordinates such as `38.72, -9.14`, `38,72; -9,14` or `38° 43' N 9° 8' W`; nothing for other texts. */
function typedPlace(text) {
  const side = String.raw`([-+−]?\d{1,3}(?:[.,]\d+)?)\s*°?\s*(?:(\d{1,2}(?:[.,]\d+)?)\s*['′]\s*)?(?:(\d{1,2}(?:[.,]\d+)?)\s*["″]\s*)?([NSEWOL])?`;
  const found = new RegExp(`^\\s*${side}\\s*(?:[,;]\\s*|\\s+|(?<=[NSEWOL°'′"″]))${side}\\s*$`, "i").exec(text);
  if (!found) return null;
  const read = (one) => Number((one ?? "0").replace("−", "-").replace(",", "."));
  const sides = [found.slice(1, 5), found.slice(5, 9)].map(([degrees, minutes, seconds, letter]) => {
    const size = Math.abs(read(degrees)) + read(minutes) / 60 + read(seconds) / 3600;
    // West is O and east L in Portuguese.
    const negative = /^[-−]/.test(degrees) !== /[SWO]/i.test(letter ?? "");
    return { value: negative ? -size : size, isLatitude: letter ? /[NS]/i.test(letter) : null };
  });
  const turned = sides[0].isLatitude === false || sides[1].isLatitude === true;
  if (sides[0].isLatitude !== null && sides[0].isLatitude === sides[1].isLatitude) return null;
  const [latitude, longitude] = (turned ? sides.toReversed() : sides).map((one) => Number(one.value.toFixed(4)));
  const place = { name: "", district: "", latitude, longitude };
  if (!isPlace(place)) return null;
  const nearest = nearestPlace(state.places, place);
  const near = nearest && nearest.kilometres <= 25 ? say("near", { name: nearest.place.name }) : "";
  return { ...place, name: coordinateText(place), district: near };
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
