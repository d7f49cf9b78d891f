"use strict";
// Polls the hub every two seconds, displays its state, and sends commands.
const CAUSES = {
  "temperature-low": ["temperature below", "°C"], "temperature-high": ["temperature above", "°C"],
  "humidity-low": ["humidity below", "%"], "humidity-high": ["humidity above", "%"],
  "pressure-low": ["pressure below", "Pa"], "pressure-high": ["pressure above", "Pa"],
  "battery-low": ["battery below", "%"], "no-data": ["no data for", "periods"], "sensor-fault": ["sensor fault", ""],
};
const byId = (id) => document.getElementById(id);
let pending = null;
let known = null;
let shown = "";

if (location.hash.startsWith("#token=")) {
  sessionStorage.setItem("token", location.hash.slice(7));
  history.replaceState(null, "", location.pathname);
}

function describe(alarm) {
  const [cause, unit] = CAUSES[alarm.cause];
  if (alarm.cause === "sensor-fault") return cause;
  const limit = `${cause} ${alarm.limit} ${unit}`;
  return alarm.cause === "no-data" ? limit : `${limit}, worst ${alarm.peak} ${unit}`;
}

function actions(alarm, lost, what) {
  const buttons = element("span", "actions");
  const add = (name, command, title, text) => {
    const button = element("button", "", `${name}…`);
    button.type = "button";
    button.setAttribute("aria-label", `${name} alarm ${alarm.number}, ${what}`);
    button.addEventListener("click", () => openDialog({ command, alarm: alarm.number }, title, text, false));
    buttons.append(button);
  };
  if (alarm.phase !== "acknowledged") add("Acknowledge", "acknowledge", `Acknowledge alarm ${alarm.number}`, what);
  if (lost.has(alarm.tag) && alarm.cause !== "sensor-fault") {
    add("Close", "close", `Close alarm ${alarm.number}`, `${what}. Its sensor is lost, so that no reading can end the alarm.`);
  }
  return buttons;
}

function item(alarm, lost) {
  const line = element("li");
  line.dataset.alarm = alarm.number;
  const lasts = alarm.phase === "active" || alarm.phase === "acknowledged";
  line.append(element("span", `state ${alarm.level}`, alarm.level === "alarm" ? "■ Alarm" : "▲ Warning"));
  const what = element("span", "what", `${alarm.name ?? alarm.tag}, ${alarm.zone}: ${describe(alarm)}`);
  const moment = (time) => new Date(time).toLocaleString();
  const began = moment(alarm.began);
  const more = [lasts ? `No. ${alarm.number}, since ${began}` : `No. ${alarm.number}, began ${began}, normal since ${moment(alarm.returned)}`];
  if (alarm.told.length) more.push(`notified: ${alarm.told.join(", ")}`);
  if (alarm.acknowledged) {
    const acknowledgement = alarm.acknowledged;
    const until = acknowledgement.expires ? ` until ${new Date(acknowledgement.expires).toLocaleTimeString()}` : "";
    const mark = alarm.phase === "acknowledged" ? "✓ acknowledged" : "was acknowledged";
    more.push(`${mark} by ${acknowledgement.name} at ${moment(acknowledgement.time)}${until}${acknowledgement.note ? `: ${acknowledgement.note}` : ""}`);
  }
  what.append(element("span", "more", more.join(" · ")));
  const buttons = actions(alarm, lost, what.firstChild.textContent);
  buttons.append(opener("Why?", `Why was alarm ${alarm.number} raised?`, { alarm: alarm.number, name: `Alarm ${alarm.number}` }));
  line.append(what, buttons);
  return line;
}

function show(hub, isReply) {
  document.title = `${hub.alarms.length ? `(${hub.alarms.length}) ` : ""}Warehouse ${hub.hub}`;
  byId("title").textContent = `Warehouse ${hub.hub}`;
  const bad = hub.alarms.filter((alarm) => alarm.level === "alarm").length;
  const rest = hub.alarms.length - bad;
  byId("summary").textContent = `${bad} ${bad === 1 ? "alarm" : "alarms"}, ${rest} ${rest === 1 ? "warning" : "warnings"}, `
    + `${hub.tags.filter((tag) => tag.state === "ok").length} of ${hub.tags.length} ${hub.tags.length === 1 ? "tag" : "tags"} OK`;
  byId("delivery").textContent = hub.delivery.map((one) =>
    `${one.receiver}: ${one.waiting} ${one.waiting === 1 ? "record waiting" : "records waiting"}${one.dropped ? `, ${one.dropped} dropped` : ""}`).join(" · ")
    + (hub.broker === false ? " · the broker is not connected" : "");
  const failing = hub.channels.filter((one) => one.failure);
  byId("channels").hidden = !failing.length;
  byId("channels").textContent = failing.map((one) => `The channel ${one.name} (${one.by}) fails: ${one.failure}`).join(" · ");
  const step = hub.clock_step;
  byId("clock").hidden = !step;
  byId("clock").textContent = step
    ? `The wall clock was set ${step.by_s < 0 ? "back" : "forward"} by ${Math.abs(step.by_s)} s at ${new Date(step.time).toLocaleString()}. `
      + "Alarms are not affected." : "";
  const people = byId("people");
  people.replaceChildren(...hub.people.map((name) => { const option = element("option"); option.value = name; return option; }));
  // If the alarms have not changed, the focused element is kept.
  const lost = new Set(hub.tags.filter((tag) => ["lost", "fault"].includes(tag.state)).map((tag) => tag.address));
  const state = JSON.stringify([hub.alarms, [...lost]]);
  if (state !== shown) byId("alarms").replaceChildren(...hub.alarms.map((alarm) => item(alarm, lost)));
  shown = state;
  byId("quiet").hidden = hub.alarms.length > 0;
  known = hub;
  drawPlan(hub.tags);
  if (isReply || !byId("zones").contains(document.activeElement)) drawZones(hub, confirmSilence);
}

function confirmSilence(zone) {
  if (zone.silenced_until) {
    openDialog({ command: "end-silence", zone: zone.name }, `End the silence of ${zone.name}`, "", false);
  } else {
    openDialog({ command: "silence", zone: zone.name }, `Silence ${zone.name}`,
      "Limits of the air raise no alarms in this zone until the time has elapsed.", true);
  }
}

function openDialog(command, title, text, needsMinutes) {
  pending = command;
  byId("dialog-title").textContent = title;
  byId("dialog-text").textContent = text;
  byId("minutes-label").hidden = ["end-silence", "close"].includes(command.command);
  byId("note-label").hidden = command.command === "end-silence";
  byId("minutes").required = needsMinutes;
  byId("until-over").hidden = needsMinutes;
  byId("minutes").value = needsMinutes ? "30" : "";
  byId("note").value = "";
  byId("problem").textContent = "";
  byId("token-label").hidden = Boolean(sessionStorage.getItem("token"));
  byId("name").value = localStorage.getItem("name") ?? "";
  byId("dialog").showModal();
}

async function send() {
  const command = { ...pending, name: byId("name").value.trim(), note: byId("note").value.trim() };
  if (byId("minutes").value) command.for_s = Number(byId("minutes").value) * 60;
  if (!byId("token-label").hidden) sessionStorage.setItem("token", byId("token").value);
  localStorage.setItem("name", command.name);
  const response = await fetch("/v1/command", {
    method: "POST", body: JSON.stringify(command),
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${sessionStorage.getItem("token") ?? ""}` },
  });
  const reply = await response.json();
  if (response.status === 401) {
    sessionStorage.removeItem("token");
    byId("token-label").hidden = false;
  }
  if (!response.ok) throw new Error(reply.message ?? reply.error.message);
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  send().then(() => { byId("dialog").close(); return refresh(true); })
    .catch((error) => { byId("problem").textContent = error.message; });
});
byId("cancel").addEventListener("click", () => byId("dialog").close());

async function refresh(isReply = false) {
  try {
    const response = await fetch("/v1/hub");
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    show(await response.json(), isReply);
    document.body.classList.remove("stale");
  } catch (error) {
    document.body.classList.add("stale");
    byId("summary").textContent = `The hub does not respond: ${error.message}. The data below are outdated.`;
  }
}

addEventListener("resize", () => { if (known) drawPlan(known.tags); });

async function poll() {
  await refresh();
  setTimeout(poll, 2000);
}
poll();
