// Shares the place as a link, with the device's share function or the clipboard.
"use strict";

/** Shares the link to the current place. */
async function sharePlace() {
  const url = new URL(placeLink(state.place), location.href).href;
  if (navigator.share) {
    try { await navigator.share({ title: `${state.place.name} – Aneroid`, url }); return; } catch (failure) {
      if (failure.name === "AbortError") return;
    }
  }
  try {
    await navigator.clipboard.writeText(url);
    announce(say("shared"));
  } catch {
    const link = of("input", { type: "text", readonly: true, value: url, id: "shared-link", "aria-label": say("share") });
    showNotice(say("shareByHand"), link);
    link.select();
  }
}
