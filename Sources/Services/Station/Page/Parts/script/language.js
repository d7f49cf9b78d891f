// The two languages, with texts by key, and with numbers and times in the reader's locale.
"use strict";

const languages = { en: english, pt: portuguese };
let language = "en";

/** Returns the locale for dates and numbers: European Portuguese, or the browser's variant of English. */
const localeTag = () => (language === "pt" ? "pt-PT" : (navigator.languages ?? []).find((tag) => /^en-/.test(tag)) ?? "en-GB");

/** Returns the initial language: the one chosen before, otherwise the browser's, otherwise English. */
function pickLanguage(chosen, wanted = navigator.languages) {
  if (chosen in languages) return chosen;
  const known = (wanted ?? []).map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in languages);
  return known ?? "en";
}

/** Returns the text for a key, in which `{name}` is replaced by the value of that name. */
function say(key, values = {}) {
  const text = languages[language][key] ?? english[key];
  if (text === undefined) throw new Error(`no text for ${key}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** Capitalizes the first letter of a text. */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns true if there is a text for a key. */
const canSay = (key) => key in english;

/** Formats a number with a given number of decimals, in the reader's locale, with a typographic minus sign; a missing number becomes a dash. */
function number(value, decimals = 0) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const rounded = Number(value.toFixed(decimals)) + 0;
  const text = new Intl.NumberFormat(localeTag(), {
    minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false,
  });
  return text.format(rounded === 0 ? 0 : rounded).replace("-", "−");
}

/** Sets the texts of the page's static elements. */
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
