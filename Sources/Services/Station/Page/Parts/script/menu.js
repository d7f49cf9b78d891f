// The menu, which is next to the weather on wide screens and covers it on narrow screens.
"use strict";

const wideScreen = matchMedia("(min-width: 64rem)");

/** Opens or closes the menu on a narrow screen; while it is open, the rest of the page is inert. */
function showMenu(open, focus = null) {
  const over = open && !wideScreen.matches;
  document.documentElement.classList.toggle("menu-open", over);
  part("menu-button").setAttribute("aria-expanded", String(over));
  part("menu").inert = !over && !wideScreen.matches;
  for (const id of ["weather", "foot"]) part(id).inert = over;
  document.querySelector("header").inert = over;
  if (open) (focus ?? part("search")).focus();
}

/** Sets up the buttons of the menu. */
function startMenu() {
  part("menu-button").append(sign("menu"));
  part("menu-close").append(sign("close"));
  part("menu-button").addEventListener("click", () => showMenu(true));
  part("menu-close").addEventListener("click", () => closeMenu());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.documentElement.classList.contains("menu-open")) closeMenu();
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "/" && !typing && !part("ask").open) { event.preventDefault(); showMenu(true); }
  });
  wideScreen.addEventListener("change", () => showMenu(false));
  showMenu(false);
}

/** Closes the menu and returns the focus to its button. */
function closeMenu() {
  showMenu(false);
  if (!wideScreen.matches) part("menu-button").focus();
}

/** Asks for a name, which is preset; answers nothing if the user cancels. */
function askName(text, name) {
  const [dialog, box] = [part("naming"), part("naming-box")];
  part("naming-text").textContent = text;
  box.value = name;
  return new Promise((answer) => {
    const finish = (value) => { dialog.close(); answer(value); };
    part("naming-no").onclick = () => finish(null);
    part("naming-form").onsubmit = (event) => { event.preventDefault(); finish(box.value.trim()); };
    dialog.oncancel = () => answer(null);
    dialog.showModal();
    box.select();
  });
}

/** Asks for confirmation before data is lost; the safe choice has the focus. */
function askFirst(text, yes) {
  const dialog = part("ask");
  part("ask-text").textContent = text;
  part("ask-no").textContent = say("cancel");
  part("ask-yes").textContent = yes;
  return new Promise((answer) => {
    const finish = (value) => { dialog.close(); answer(value); };
    part("ask-no").onclick = () => finish(false);
    part("ask-yes").onclick = () => finish(true);
    dialog.oncancel = () => answer(false);
    dialog.showModal();
    part("ask-no").focus();
  });
}
