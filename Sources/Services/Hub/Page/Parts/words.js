"use strict";
// The words of the page: in English they are in the scripts, in Portuguese here. Messages of the hub itself are in English.
const PORTUGUESE = {
  "Loading…": "A carregar…", "Alarms": "Alarmes", "No open alarms.": "Não há alarmes abertos.", "Closed alarms": "Alarmes encerrados",
  "Floor plan": "Planta", "Floor plan of the warehouse with its tags": "Planta do armazém com as suas etiquetas", "Legend": "Legenda",
  "Tags by zone": "Etiquetas por zona", "Your name": "O seu nome", "Note": "Nota", "Duration in minutes": "Duração em minutos",
  "(empty: until the alarm returns to normal)": "(vazio: até o alarme voltar ao normal)", "Token of this hub": "Código de acesso (token) deste hub",
  "Cancel": "Cancelar", "Confirm": "Confirmar", "Period": "Período", "Close": "Encerrar", "Back": "Voltar",
  "temperature below": "temperatura abaixo de", "temperature above": "temperatura acima de", "humidity below": "humidade abaixo de",
  "humidity above": "humidade acima de", "pressure below": "pressão abaixo de", "pressure above": "pressão acima de",
  "battery below": "bateria abaixo de", "no data for": "sem dados há", "periods": "períodos", "sensor fault": "avaria do sensor",
  "{limit}, worst {peak} {unit}": "{limit}, pior valor {peak} {unit}", "{name} alarm {number}, {what}": "{name} o alarme {number}, {what}",
  "Acknowledge": "Reconhecer", "Acknowledge alarm {number}": "Reconhecer o alarme {number}", "Close alarm {number}": "Encerrar o alarme {number}",
  "{what}. Its sensor is lost, so that no reading can end the alarm.":
    "{what}. O sensor está sem contacto, pelo que nenhuma leitura pode terminar o alarme.",
  "Alarm": "Alarme", "Warning": "Aviso", "No. {number}, since {began}": "N.º {number}, desde {began}",
  "No. {number}, began {began}, normal since {returned}": "N.º {number}, começou {began}, normal desde {returned}",
  "notified: {people}": "notificados: {people}", "{mark} by {name} at {time}{until}{note}": "{mark} por {name} em {time}{until}{note}",
  "✓ acknowledged": "✓ reconhecido", "was acknowledged": "foi reconhecido", " until {time}": " até {time}", "Why?": "Porquê?",
  "Why was alarm {number} raised?": "Porque disparou o alarme {number}?", "Alarm {number}": "Alarme {number}",
  "Warehouse {hub}": "Armazém {hub}", "{count} alarm": "{count} alarme", "{count} alarms": "{count} alarmes",
  "{count} warning": "{count} aviso", "{count} warnings": "{count} avisos", "{good} of {count} tag OK": "{good} de {count} etiqueta em ordem",
  "{good} of {count} tags OK": "{good} de {count} etiquetas em ordem", "{receiver}: {count} record waiting": "{receiver}: {count} registo à espera",
  "{receiver}: {count} records waiting": "{receiver}: {count} registos à espera", ", {count} dropped": ", {count} descartados",
  "the broker is not connected": "sem ligação ao servidor MQTT (broker)",
  "The channel {name} ({by}) fails: {failure}": "O canal {name} ({by}) falha: {failure}",
  "The wall clock was set back by {seconds} s at {time}. Alarms are not affected.":
    "O relógio foi atrasado {seconds} s em {time}. Os alarmes não são afetados.",
  "The wall clock was set forward by {seconds} s at {time}. Alarms are not affected.":
    "O relógio foi adiantado {seconds} s em {time}. Os alarmes não são afetados.",
  "End the silence of {zone}": "Terminar o silêncio de {zone}", "Silence {zone}": "Silenciar {zone}",
  "Limits of the air raise no alarms in this zone until the time has elapsed.":
    "Os limites de temperatura, humidade e pressão não disparam alarmes nesta zona até o tempo terminar.",
  "The hub does not respond: {reason}. The data below are outdated.": "O hub não responde: {reason}. Os dados abaixo estão desatualizados.",
  "OK": "em ordem", "warning": "aviso", "alarm": "alarme", "no data": "sem dados", "breach pending": "limite excedido, à espera",
  "no reading yet": "ainda sem leituras", "Tag": "Etiqueta", "State": "Estado", "Temperature": "Temperatura", "Temp.": "Temp.",
  "Humidity": "Humidade", "Hum.": "Hum.", "Temperatures": "Temperaturas", "Humidities": "Humidades", "Battery": "Bateria", "Signal": "Sinal",
  "Last reading": "Última leitura", "never": "nunca", "{count} s ago": "há {count} s", "{count} min ago": "há {count} min",
  "{count} h ago": "há {count} h", "{limit} in {minutes} min at this rate": "{limit} em {minutes} min a este ritmo",
  "{limit} in less than 1 min at this rate": "{limit} em menos de 1 min a este ritmo",
  "No readings are received: {reason}": "Não chegam leituras: {reason}",
  "no channel reaches {list}: they are not notified": "nenhum canal chega a {list}: não são avisados",
  "received, but not in the hub file: {list}": "recebidas, mas não no ficheiro: {list}", "History of {name}": "Histórico de {name}",
  "History": "Histórico", "End the silence": "Terminar o silêncio", "Silence…": "Silenciar…",
  "silenced until {time} by {name}{note}": "silenciada até {time} por {name}{note}", "Tags of {zone}": "Etiquetas de {zone}",
  "Pressure": "Pressão", "{title}, {low} to {high} {unit}": "{title}, {low} a {high} {unit}", "{title} in {unit}": "{title} em {unit}",
  "No readings in this period.": "Não há leituras neste período.", "Means as CSV": "Médias em CSV", "Readings as CSV": "Leituras em CSV",
  "the sensor is switched off": "o sensor está desligado", "no value": "sem valor", "wrong length": "comprimento errado",
  "impossible value": "valor impossível", "changed too fast": "mudança demasiado rápida", "the limit was exceeded": "o limite foi excedido",
  "the alarm was raised": "o alarme disparou", "notified": "notificação", "the alarm recurred": "o alarme voltou a ocorrer",
  "back to normal": "de volta ao normal", "acknowledged": "reconhecido", "the acknowledgement expired": "o reconhecimento expirou",
  "closed": "encerrado", "{limit}, for at least {seconds} s": "{limit}, durante pelo menos {seconds} s",
  "{limit}, until {hysteresis} inside the limit": "{limit}, até {hysteresis} dentro do limite",
  "The worst reading was received as {raw} (characteristic {characteristic}, {model}).":
    "A pior leitura foi recebida como {raw} (característica {characteristic}, {model}).",
  "Alarm {number}: {name}, {zone}": "Alarme {number}: {name}, {zone}",
  "Not stored yet, and lost if the hub ends now: {count}. Check its disk.": "Por guardar, e perdidos se o concentrador parar agora: {count}. Verifique o disco.",
  "Readings not counted: {list}.": "Leituras não contadas: {list}.", "What happened": "O que aconteceu",
  "No. {number}, {name}, {zone}: {cause}, {began} to {closed}": "N.º {number}, {name}, {zone}: {cause}, {began} a {closed}",
  "No alarm has been closed.": "Nenhum alarme foi encerrado.",
};

const isPortuguese = (localStorage.getItem("language") ?? navigator.language).startsWith("pt");
const LOCALE = isPortuguese ? "pt-PT" : undefined;

// Returns words in the language of the page; names in braces are replaced by their values.
function say(words, values = {}) {
  const known = isPortuguese ? PORTUGUESE[words] ?? words : words;
  return known.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// Numbers have a comma in Portuguese.
const decimal = (value, digits) => (isPortuguese ? value.toFixed(digits).replace(".", ",") : value.toFixed(digits));
const figure = (value) => (isPortuguese ? String(value).replace(".", ",") : String(value));
const moment = (time) => new Date(time).toLocaleString(LOCALE);
const timeOfDay = (time) => new Date(time).toLocaleTimeString(LOCALE);

// Translates the frame of the page, and offers the other language.
function translate() {
  document.documentElement.lang = isPortuguese ? "pt" : "en";
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.textContent);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", say(node.dataset.label));
  const button = document.getElementById("language");
  [button.textContent, button.lang] = isPortuguese ? ["English", "en"] : ["Português", "pt"];
  button.addEventListener("click", () => {
    localStorage.setItem("language", button.lang);
    location.reload();
  });
}
translate();
