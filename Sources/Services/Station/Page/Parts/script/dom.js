// Creates elements without HTML strings, so text from responses is never interpreted as HTML.
"use strict";

/** Creates an element: `of("li", {class: "hour", "aria-label": "..."}, child, "text")`; `on` contains listeners, `vars` CSS variables. */
function of(tag, properties = {}, ...children) {
  return dress(document.createElement(tag), properties, children);
}

/** Creates an SVG element in the same way. */
function drawn(tag, properties = {}, ...children) {
  return dress(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function dress(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "vars") {
      for (const [variable, text] of Object.entries(value)) element.style.setProperty(variable, text);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const part = (id) => document.getElementById(id);

/** Replaces the children of an element, but keeps the focus and the scroll position. */
function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
  const scrolled = [...element.querySelectorAll("[data-keeps-scroll]")].map((one) => [one.id, one.scrollLeft]);
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  for (const [id, left] of scrolled) if (part(id)) part(id).scrollLeft = left;
  if (focused && part(focused)) part(focused).focus({ preventScroll: true });
}

/** Creates a button with a visible and accessible name. */
function button(id, label, press, properties = {}, ...content) {
  return of("button", { type: "button", id, on: { click: press }, ...properties }, content.length ? content : label);
}
