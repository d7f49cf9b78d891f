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
  if (alarm.cause === "sensor-fault") return say(cause);
  const limit = `${say(cause)} ${figure(alarm.limit)} ${say(unit)}`;
  return alarm.cause === "no-data" ? limit : say("{limit}, worst {peak} {unit}", { limit, peak: figure(alarm.peak), unit });
}

function actions(alarm, lost, what) {
  const buttons = element("span", "actions");
  const add = (name, command, title, text) => {
    const button = element("button", "", `${name}…`);
    button.type = "button";
    button.setAttribute("aria-label", say("{name} alarm {number}, {what}", { name, number: alarm.number, what }));
    button.addEventListener("click", () => openDialog({ command, alarm: alarm.number }, title, text, false));
    buttons.append(button);
  };
  const number = alarm.number;
  if (alarm.phase !== "acknowledged") add(say("Acknowledge"), "acknowledge", say("Acknowledge alarm {number}", { number }), what);
  if (lost.has(alarm.tag) && alarm.cause !== "sensor-fault") {
    add(say("Close"), "close", say("Close alarm {number}", { number }),
      say("{what}. Its sensor is lost, so that no reading can end the alarm.", { what }));
  }
  return buttons;
}

function item(alarm, lost) {
  const line = element("li");
  line.dataset.alarm = alarm.number;
  const lasts = alarm.phase === "active" || alarm.phase === "acknowledged";
  line.append(element("span", `state ${alarm.level}`, alarm.level === "alarm" ? `■ ${say("Alarm")}` : `▲ ${say("Warning")}`));
  const what = element("span", "what", `${alarm.name ?? alarm.tag}, ${alarm.zone}: ${describe(alarm)}`);
  const [number, began] = [alarm.number, moment(alarm.began)];
  const more = [lasts ? say("No. {number}, since {began}", { number, began })
    : say("No. {number}, began {began}, normal since {returned}", { number, began, returned: moment(alarm.returned) })];
  if (alarm.told.length) more.push(say("notified: {people}", { people: alarm.told.join(", ") }));
  if (alarm.acknowledged) {
    const { name, time, expires, note } = alarm.acknowledged;
    more.push(say("{mark} by {name} at {time}{until}{note}", {
      mark: say(alarm.phase === "acknowledged" ? "✓ acknowledged" : "was acknowledged"), name, time: moment(time),
      until: expires ? say(" until {time}", { time: timeOfDay(expires) }) : "", note: note ? `: ${note}` : "" }));
  }
  what.append(element("span", "more", more.join(" · ")));
  const buttons = actions(alarm, lost, what.firstChild.textContent);
  buttons.append(why(number));
  line.append(what, buttons);
  return line;
}

function show(hub, isReply) {
  document.title = `${hub.alarms.length ? `(${hub.alarms.length}) ` : ""}${say("Warehouse {hub}", hub)}`;
  byId("title").textContent = say("Warehouse {hub}", hub);
  const bad = hub.alarms.filter((alarm) => alarm.level === "alarm").length;
  const rest = hub.alarms.length - bad;
  const good = hub.tags.filter((tag) => tag.state === "ok").length;
  byId("summary").textContent = [
    say(bad === 1 ? "{count} alarm" : "{count} alarms", { count: bad }), say(rest === 1 ? "{count} warning" : "{count} warnings", { count: rest }),
    say(hub.tags.length === 1 ? "{good} of {count} tag OK" : "{good} of {count} tags OK", { good, count: hub.tags.length }),
  ].join(", ");
  const waiting = hub.delivery.filter((one) => one.waiting || one.dropped).map((one) =>
    say(one.waiting === 1 ? "{receiver}: {count} record waiting" : "{receiver}: {count} records waiting", { receiver: one.receiver, count: one.waiting })
      + (one.dropped ? say(", {count} dropped", { count: one.dropped }) : ""));
  byId("delivery").textContent = [
    ...waiting, hub.broker === false && say("the broker is not connected"),
    hub.unreached.length > 0 && say("no channel reaches {list}: they are not notified", { list: hub.unreached.join(", ") }),
    hub.stranger_addresses.length > 0 && say("received, but not in the hub file: {list}", { list: hub.stranger_addresses.join(", ") }),
  ].filter(Boolean).join(" · ");
  byId("receiver").hidden = !hub.receiver;
  byId("receiver").textContent = hub.receiver ? say("No readings are received: {reason}", { reason: hub.receiver }) : "";
  byId("unwritten").hidden = !hub.unwritten;
  byId("unwritten").textContent = hub.unwritten ? say("Not stored yet, and lost if the hub ends now: {count}. Check its disk.", { count: hub.unwritten }) : "";
  const failing = hub.channels.filter((one) => one.failure);
  byId("channels").hidden = !failing.length;
  byId("channels").textContent = failing.map((one) => say("The channel {name} ({by}) fails: {failure}", one)).join(" · ");
  const step = hub.clock_step;
  byId("clock").hidden = !step;
  byId("clock").textContent = step ? say(step.by_s < 0
    ? "The wall clock was set back by {seconds} s at {time}. Alarms are not affected."
    : "The wall clock was set forward by {seconds} s at {time}. Alarms are not affected.",
  { seconds: figure(Math.abs(step.by_s) < 60 ? Math.abs(step.by_s) : Math.round(Math.abs(step.by_s))), time: moment(step.time) }) : "";
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
    openDialog({ command: "end-silence", zone: zone.name }, say("End the silence of {zone}", { zone: zone.name }), "", false);
  } else {
    openDialog({ command: "silence", zone: zone.name }, say("Silence {zone}", { zone: zone.name }),
      say("Limits of the air raise no alarms in this zone until the time has elapsed."), true);
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
  byId("minutes").value = needsMinutes ? "30" : "60";
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
    byId("summary").textContent = say("The hub does not respond: {reason}. The data below are outdated.", { reason: error.message });
  }
}

addEventListener("resize", () => { if (known) drawPlan(known.tags); });

async function poll() {
  await refresh();
  setTimeout(poll, 2000);
}
poll();
