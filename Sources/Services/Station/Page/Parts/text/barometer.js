// The texts of the barometric forecasts, for the classes of the rate of change and for Zambretti's 26 letters.
"use strict";

Object.assign(english, {
  says_notStable: "Rising fast: high pressure that will not last", says_goodWeather: "Rising: lasting good weather", says_stable: "Steady: no change",
  says_rainy: "Falling: lasting rain", says_thunderStorm: "Falling fast: thunderstorm",
});

Object.assign(portuguese, {
  says_notStable: "A subir depressa: altas pressões pouco duradouras", says_goodWeather: "A subir: bom tempo duradouro", says_stable: "Estável: sem mudança",
  says_rainy: "A descer: chuva duradoura", says_thunderStorm: "A descer depressa: trovoada",
});

/** The Portuguese texts for Zambretti's letters, from A (the best weather) to Z; in English, the station's text is used. */
const zambrettiPortuguese = [
  "bom tempo estável", "bom tempo", "a ficar bom", "bom, a ficar menos estável", "bom, aguaceiros possíveis",
  "razoável, a melhorar", "razoável, aguaceiros possíveis no início", "razoável, aguaceiros mais tarde", "aguaceiros no início, a melhorar", "variável, a melhorar",
  "razoável, aguaceiros prováveis", "bastante instável, a limpar mais tarde", "instável, provavelmente a melhorar", "aguaceiros com boas abertas", "aguaceiros, a ficar menos estável",
  "variável, alguma chuva", "instável, abertas curtas", "instável, chuva mais tarde", "instável, alguma chuva", "quase sempre muito instável",
  "chuva ocasional, a piorar", "chuva por vezes, muito instável", "chuva a intervalos frequentes", "chuva, muito instável", "tempestuoso, pode melhorar",
  "tempestuoso, muita chuva",
];

/** Returns the text of a forecast in the chosen language if available, otherwise the station's own text. */
function barometerText(one) {
  if (!one) return say("noForecastYet");
  const letter = /^[A-Z]$/.test(one.letter ?? "") ? one.letter.charCodeAt(0) - 65 : -1;
  if (letter >= 0 && language === "pt") return zambrettiPortuguese[letter];
  const key = `says_${one.code ?? ""}`;
  return canSay(key) ? say(key) : one.text || one.code || say("noForecastYet");
}
