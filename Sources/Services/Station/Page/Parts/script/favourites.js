// The favourites: a star for the current place, and the list in the menu, where a favourite can have a name of one's own.
"use strict";

/** Returns the name that the user gave to a place, such as "Home"; otherwise its own. */
const nameOf = (place) => kept.favourites.find((one) => samePlace(one, place))?.label || place.name;

/** Asks for the user's name of a favourite; an empty one removes it. */
async function renameFavourite(place) {
  const label = await askName(say("askName", { name: place.name }), nameOf(place));
  if (label === null) return;
  keep((data) => {
    const found = data.favourites.find((one) => samePlace(one, place));
    if (found) found.label = label === place.name ? "" : label.slice(0, 40);
  });
}

const isFavourite = (place) => kept.favourites.some((one) => samePlace(one, place));

/** Draws the star of the current place. */
function renderStar() {
  const star = part("star-button");
  star.hidden = !state.place;
  if (!state.place) return;
  const on = isFavourite(state.place);
  star.setAttribute("aria-pressed", String(on));
  const label = say(on ? "removeFavourite" : "addFavourite", { name: state.place.name });
  star.setAttribute("aria-label", label);
  star.title = label;
  star.replaceChildren(sign("star"));
}

/** Adds a place, or removes it after confirmation. */
async function toggleFavourite(place) {
  if (isFavourite(place)) {
    if (!await askFirst(say("askRemove", { name: place.name }), say("remove"))) return;
    const done = keep((data) => { data.favourites = data.favourites.filter((one) => !samePlace(one, place)); });
    if (done) announce(say("removed", { name: place.name }));
  } else {
    const { name, district, latitude, longitude } = place;
    const done = keep((data) => { data.favourites.push({ name, district: district ?? "", latitude, longitude }); });
    if (done) announce(say("added", { name: place.name }));
  }
}

/** Draws the list of favourites. */
function renderFavourites() {
  const rows = kept.favourites.map((place, index) => of("li", {},
    button(`favourite-${index}`, "", () => goTo(place), {
      class: "favourite", "aria-current": samePlace(place, state.place) ? "true" : null,
    }, of("b", {}, nameOf(place)), of("span", {}, place.label ? place.name : place.district ?? "")),
    button(`rename-${index}`, "", () => renameFavourite(place), {
      class: "round small", "aria-label": say("renameFavourite", { name: nameOf(place) }), title: say("renameFavourite", { name: nameOf(place) }),
    }, sign("pencil", 18)),
    button(`unfavourite-${index}`, "", () => toggleFavourite(place), {
      class: "round small on", "aria-label": say("removeFavourite", { name: place.name }), title: say("removeFavourite", { name: place.name }),
    }, sign("star", 18))));
  fill(part("favourites"), rows.length ? of("ul", { class: "favourites" }, rows) : of("p", { class: "fine" }, say("noFavourites")));
}

/** Stores and displays a change of the favourites; displays a message if the browser cannot store it. */
function keep(edit) {
  const done = change(edit);
  if (!done) showNotice(say("storeClosed"));
  render();
  return done;
}
