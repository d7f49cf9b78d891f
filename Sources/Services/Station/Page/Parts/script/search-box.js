// The search box, which completes names from the gazetteer by mouse, touch and keyboard (WAI-ARIA 1.2 combobox pattern).
"use strict";

let foundPlaces = [];
let chosenIndex = -1;

/** Sets up the search box. */
function startSearch() {
  const box = part("search");
  box.addEventListener("input", () => showFound(box.value));
  box.addEventListener("focus", () => { if (box.value) showFound(box.value); });
  box.addEventListener("blur", () => setTimeout(() => { if (document.activeElement !== box) hideFound(); }, 150));
  box.addEventListener("keydown", (event) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move && foundPlaces.length) {
      event.preventDefault();
      chooseFound((chosenIndex + move + foundPlaces.length) % foundPlaces.length);
    } else if (event.key === "Enter" && foundPlaces.length) {
      event.preventDefault();
      takeFound(Math.max(0, chosenIndex));
    } else if (event.key === "Escape" && !part("found").hidden) {
      event.stopPropagation();
      hideFound();
    }
  });
}

/** Displays the matching places; screen readers announce how many there are. */
function showFound(question) {
  foundPlaces = findPlaces(state.places, question);
  chosenIndex = -1;
  const asked = plain(question) !== "";
  part("search-said").textContent = !asked ? "" : foundPlaces.length
    ? say(foundPlaces.length === 1 ? "searchFoundOne" : "searchFound", { n: foundPlaces.length }) : say("searchNone");
  part("search-said").className = foundPlaces.length ? "spoken" : "";
  part("found").replaceChildren(...foundPlaces.map((place, index) => of("li", {
    role: "option", id: `found-${index}`, "aria-selected": "false",
    on: { pointerdown: (event) => event.preventDefault(), click: () => takeFound(index) },
  }, of("b", {}, place.name), of("span", {}, place.district))));
  part("found").hidden = !foundPlaces.length;
  part("search").setAttribute("aria-expanded", String(foundPlaces.length > 0));
  part("search").removeAttribute("aria-activedescendant");
}

function chooseFound(index) {
  chosenIndex = index;
  [...part("found").children].forEach((row, at) => row.setAttribute("aria-selected", String(at === index)));
  part("search").setAttribute("aria-activedescendant", `found-${index}`);
  part(`found-${index}`).scrollIntoView({ block: "nearest" });
}

function takeFound(index) {
  const { name, district, latitude, longitude } = foundPlaces[index];
  part("search").value = "";
  hideFound();
  goTo({ name, district, latitude, longitude });
}

function hideFound() {
  part("found").hidden = true;
  foundPlaces = [];
  part("search").setAttribute("aria-expanded", "false");
  part("search").removeAttribute("aria-activedescendant");
  part("search-said").textContent = "";
}

/** Sets up the lists of districts and of the places of a district, larger ones first. */
function startDistricts() {
  const [district, town, label] = ["district", "town", "town-label"].map(part);
  const names = [...new Set(state.places.map((place) => place.district))].sort((one, other) => one.localeCompare(other, "pt"));
  const row = (name, index) => of("option", { value: String(index) }, name);
  let towns = [];
  district.append(...names.map(row));
  district.addEventListener("change", () => {
    towns = state.places.filter((place) => place.district === names[district.value]);
    town.hidden = label.hidden = !towns.length;
    fill(town, of("option", { value: "", "data-text": "chooseOne" }, say("chooseOne")), ...towns.map((place, index) => row(place.name, index)));
  });
  town.addEventListener("change", () => {
    const { name, latitude, longitude } = towns[town.value] ?? {};
    if (name) goTo({ name, district: names[district.value], latitude, longitude });
  });
}
