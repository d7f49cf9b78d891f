// The two languages: texts by key, and locale-dependent numbers and times.
"use strict";

const languages = { en: english, pt: portuguese };
let language = "en";

/** The locale for dates and numbers: European Portuguese, or the browser's English. */
const localeTag = () => (language === "pt" ? "pt-PT" : (navigator.languages ?? []).find((tag) => /^en-/.test(tag)) ?? "en-GB");

/** The initial language: the chosen one, else the browser's, else English. */
function pickLanguage(chosen, wanted = navigator.languages) {
  if (chosen in languages) return chosen;
  const known = (wanted ?? []).map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in languages);
  return known ?? "en";
}

/** Returns the text of a key; `{name}` is replaced by the value of that name. */
function say(key, values = {}) {
  const text = languages[language][key] ?? english[key];
  if (text === undefined) throw new Error(`no text for ${key}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** Capitalizes the first letter of a text. */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether there is a text for a key. */
const canSay = (key) => key in english;

/** Formats a number with a given number of decimals, in the reader's locale, with a real minus sign; a dash if unknown. */
function number(value, decimals = 0) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const rounded = Number(value.toFixed(decimals)) + 0;
  const text = new Intl.NumberFormat(localeTag(), {
    minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false,
  });
  return text.format(rounded === 0 ? 0 : rounded).replace("-", "−");
}

/** Sets the texts of the static elements. */
function translateFrame(root = document) {
  document.documentElement.lang = language === "pt" ? "pt-PT" : language;
  document.title = say("title");
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = say(element.dataset.text);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", say(element.dataset.label));
    if (element.dataset.tip !== undefined) element.title = say(element.dataset.label);
  }
  for (const element of root.querySelectorAll("[data-hint]")) element.placeholder = say(element.dataset.hint);
}
