// The two languages: words by key, numbers and times in the reader's form.
"use strict";

const languages = { en: english, pt: portuguese };
let language = "en";

/** The tag by which dates and numbers are formed: European Portuguese, and the reader's own English where the browser names one. */
const localeTag = () => (language === "pt" ? "pt-PT" : (navigator.languages ?? []).find((tag) => /^en-/.test(tag)) ?? "en-GB");

/** The language to begin with: the one that was chosen, else the browser's, else English. */
function pickLanguage(chosen, wanted = navigator.languages) {
  if (chosen in languages) return chosen;
  const known = (wanted ?? []).map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in languages);
  return known ?? "en";
}

/** The text of a key; `{name}` is replaced by the value of that name. */
function say(key, values = {}) {
  const text = languages[language][key] ?? english[key];
  if (text === undefined) throw new Error(`no text for ${key}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** A text that begins with a capital letter. */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether there are words for a key. */
const canSay = (key) => key in english;

/** A number with as many decimals as asked, in the reader's form, with a real minus sign; a dash when unknown. */
function number(value, decimals = 0) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const rounded = Number(value.toFixed(decimals)) + 0;
  const text = new Intl.NumberFormat(localeTag(), {
    minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false,
  });
  return text.format(rounded === 0 ? 0 : rounded).replace("-", "−");
}

/** Gives every element of the fixed frame its words. */
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
