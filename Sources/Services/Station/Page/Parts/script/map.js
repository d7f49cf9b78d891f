// The map: each place of the gazetteer is a dot, and a point is chosen by mouse, touch or arrow keys.
"use strict";

/** The regions of the map: the longitudes and latitudes that they show, and where they lie on the drawing. */
const regions = [
  { name: "mainland", west: -9.75, east: -6.05, south: 36.85, north: 42.25, left: 92, top: 0, scale: 54 },
  { name: "madeira", west: -17.4, east: -16.15, south: 32.5, north: 33.2, left: 2, top: 250, scale: 54 },
  { name: "azores", west: -31.5, east: -24.8, south: 36.8, north: 39.85, left: 2, top: 60, scale: 13 },
];

/** A degree of longitude is shorter than one of latitude by the cosine of the latitude. */
const narrowing = (region) => Math.cos((region.south + region.north) / 2 * Math.PI / 180);
const mapWidth = (region) => (region.east - region.west) * region.scale * narrowing(region);
const mapHeight = (region) => (region.north - region.south) * region.scale;

/** Returns the point on the drawing of a place; nothing if it lies in none of the regions. */
function pointOf(place) {
  const region = regions.find((one) => place.longitude >= one.west && place.longitude <= one.east
    && place.latitude >= one.south && place.latitude <= one.north);
  return region && [region.left + (place.longitude - region.west) * region.scale * narrowing(region),
    region.top + (region.north - place.latitude) * region.scale];
}

/** Returns the coordinates of a point on the drawing; nothing outside the regions. */
function coordinatesOf(x, y) {
  const region = regions.find((one) => x >= one.left && x <= one.left + mapWidth(one) && y >= one.top && y <= one.top + mapHeight(one));
  return region && { latitude: region.north - (y - region.top) / region.scale,
    longitude: region.west + (x - region.left) / region.scale / narrowing(region) };
}

let cross = null;

/** Moves the cross to a point of a region, and says which place is there. */
function moveCross(x, y) {
  const at = coordinatesOf(x, y);
  if (!at) return;
  cross = { x, y, place: placeAt(at.latitude, at.longitude) };
  part("map-cross").setAttribute("d", `M${x - 9} ${y}h18M${x} ${y - 9}v18`);
  const name = cross.place.name === say("here") ? cross.place.district || coordinateText(cross.place) : cross.place.name;
  cross.place = { ...cross.place, name };
  part("map-said").textContent = `${name} (${coordinateText(cross.place)})`;
  part("map-go").disabled = false;
}

/** Draws the map, with the cross at the current place. */
function drawMap() {
  const drawing = part("map-drawing");
  const height = mapHeight(regions[0]);
  drawing.setAttribute("viewBox", `0 0 ${regions[0].left + mapWidth(regions[0])} ${height}`);
  const dots = state.places.map(pointOf).filter(Boolean).map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("");
  fill(drawing, regions.slice(1).map((one) => drawn("rect", { x: one.left, y: one.top, width: mapWidth(one), height: mapHeight(one), class: "inset" })),
    drawn("path", { d: dots, class: "dots" }), drawn("path", { id: "map-cross", class: "cross" }));
  part("map-go").disabled = true;
  part("map-said").textContent = say("mapHow");
  const start = state.place && pointOf(state.place);
  cross = null;
  if (start) moveCross(...start);
}

/** Sets up the map's dialog. */
function startMap() {
  const [dialog, drawing] = [part("map"), part("map-drawing")];
  part("map-button").addEventListener("click", () => { drawMap(); dialog.showModal(); drawing.focus(); });
  part("map-close").addEventListener("click", () => dialog.close());
  part("map-go").addEventListener("click", () => { dialog.close(); if (cross) goTo(cross.place); });
  drawing.addEventListener("click", (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
    moveCross(point.x, point.y);
  });
  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const wide = event.shiftKey ? 20 : 3;
    if (event.key === "Enter" && cross) part("map-go").click();
    else if (step) {
      const from = cross ?? { x: regions[0].left + mapWidth(regions[0]) / 2, y: mapHeight(regions[0]) / 2 };
      moveCross(from.x + step[0] * wide, from.y + step[1] * wide);
    } else return;
    event.preventDefault();
  });
}
