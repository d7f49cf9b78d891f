// The settings for language, units, appearance, and the order of the metrics.
"use strict";

/** Draws the settings. */
function renderChoices() {
  fill(part("settings"),
    choiceOf("language", "language", [["en", "English"], ["pt", "Português"]], language),
    choiceOf("temperature", "temperatureUnit", [["C", "°C"], ["F", "°F"]]),
    choiceOf("wind", "windUnit", [["kmh", "km/h"], ["ms", "m/s"]]),
    choiceOf("pressure", "pressureUnit", [["hPa", "hPa"], ["mmHg", "mmHg"]]),
    choiceOf("theme", "theme", [["auto", say("themeAuto")], ["light", say("themeLight")], ["dark", say("themeDark")]]),
    of("h3", { id: "order-title" }, say("order")),
    of("ol", { class: "order", "aria-labelledby": "order-title" }, settings().metrics.map(orderRow)));
}

function choiceOf(key, name, options, value = settings()[key]) {
  const id = `set-${key}`;
  return of("p", { class: "setting" }, of("label", { for: id }, say(name)), of("select", {
    id, on: { change: (event) => { keep((data) => { data.settings[key] = event.target.value; }); applySettings(); render(); } },
  }, options.map(([option, text]) => of("option", { value: option, selected: option === value }, text))));
}

function orderRow(key, index, all) {
  const move = (by) => {
    keep((data) => { data.settings.metrics = moved(data.settings.metrics, key, by); });
    const again = part(`order-${by < 0 ? "up" : "down"}-${key}`);
    (again.disabled ? part(`order-${by < 0 ? "down" : "up"}-${key}`) : again).focus();
  };
  return of("li", { "data-metric": key }, of("span", {}, say(key)),
    button(`order-up-${key}`, "", () => move(-1), {
      class: "round small", disabled: index === 0, "aria-label": say("moveUp", { name: say(key) }),
    }, sign("up", 18)),
    button(`order-down-${key}`, "", () => move(1), {
      class: "round small", disabled: index === all.length - 1, "aria-label": say("moveDown", { name: say(key) }),
    }, sign("down", 18)));
}

/** Returns a copy of a list in which one element is moved by one position. */
function moved(list, member, by) {
  const from = list.indexOf(member);
  const to = Math.min(list.length - 1, Math.max(0, from + by));
  const rest = list.filter((one) => one !== member);
  return [...rest.slice(0, to), member, ...rest.slice(to)];
}

/** Applies the chosen language and appearance. */
function applySettings() {
  language = pickLanguage(settings().language);
  document.documentElement.dataset.theme = settings().theme;
  translateFrame();
}
