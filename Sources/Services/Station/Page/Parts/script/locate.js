// The position of the device, if the user permits it.
"use strict";

/** Returns the place at a position, named after the nearest place in the gazetteer within 25 km. */
function placeAt(latitude, longitude) {
  const place = { name: say("here"), district: "", latitude: Number(latitude.toFixed(4)), longitude: Number(longitude.toFixed(4)) };
  const nearest = nearestPlace(state.places, place);
  if (!nearest || nearest.kilometres > 25) return place;
  return nearest.kilometres < 3
    ? { ...place, name: nearest.place.name, district: nearest.place.district }
    : { ...place, district: say("near", { name: nearest.place.name }) };
}

/** Requests the position from the browser, and displays the weather there, or the reason why the request failed. */
function locateDevice() {
  const sorry = (key) => showNotice(say(key));
  if (!navigator.geolocation) return sorry("noPosition");
  announce(say("locating"), { stays: true });
  navigator.geolocation.getCurrentPosition(
    ({ coords }) => { announce(""); goTo(placeAt(coords.latitude, coords.longitude)); },
    (failure) => { announce(""); sorry(failure.code === failure.PERMISSION_DENIED ? "denied" : "noPosition"); },
    { timeout: 15_000, maximumAge: 5 * minute });
}

/** Displays a message that stays until it is closed or the next place is displayed. */
function showNotice(text, action = null) {
  fill(part("notice"), text ? of("div", { class: "notice", role: "alert" }, of("p", {}, text), action,
    button("notice-close", "", () => showNotice(""), { class: "round small", "aria-label": say("closeNotice") }, sign("close", 16))) : null);
}
