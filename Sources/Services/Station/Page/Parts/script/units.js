// Converts the services' units (°C, m/s and hPa) to the chosen units.
"use strict";

const units = {
  temperature: {
    C: { symbol: "°C", short: "°", from: (celsius) => celsius, difference: (kelvin) => kelvin },
    F: { symbol: "°F", short: "°", from: (celsius) => celsius * 9 / 5 + 32, difference: (kelvin) => kelvin * 9 / 5 },
  },
  wind: {
    kmh: { symbol: "km/h", from: (metres) => metres * 3.6 },
    ms: { symbol: "m/s", from: (metres) => metres },
  },
  pressure: {
    hPa: { symbol: "hPa", from: (hectopascals) => hectopascals },
    mmHg: { symbol: "mmHg", from: (hectopascals) => hectopascals * 100 / 133.322387415 },
  },
};

/** Returns the chosen unit of a quantity. */
const unitOf = (quantity) => units[quantity][settings()[quantity]];

const temperature = (celsius, decimals = 0) =>
  `${number(known(celsius, unitOf("temperature").from), decimals)}${unitOf("temperature").short}`;
const fullTemperature = (celsius, decimals = 0) =>
  `${number(known(celsius, unitOf("temperature").from), decimals)} ${unitOf("temperature").symbol}`;
const temperatureDifference = (kelvin, decimals = 1) =>
  `${number(known(kelvin, unitOf("temperature").difference), decimals)} ${unitOf("temperature").symbol}`;
const wind = (metres) =>
  `${number(known(metres, unitOf("wind").from), settings().wind === "ms" ? 1 : 0)} ${unitOf("wind").symbol}`;
const pressure = (hectopascals, decimals = 0) =>
  `${number(known(hectopascals, unitOf("pressure").from), decimals)} ${unitOf("pressure").symbol}`;
const percent = (value) => `${number(value)} %`;
const rain = (millimetres) => `${number(millimetres, millimetres > 0 && millimetres < 9.95 ? 1 : 0)} mm`;

/** Converts a value to a unit; a missing value stays missing. */
function known(value, convert) {
  return value === null || value === undefined ? null : convert(value);
}

/** Returns the nearest of eight compass directions from which the wind comes, numbered clockwise from north. */
function compass(degrees, names = say("compass").split(" ")) {
  if (degrees === null || degrees === undefined) return "–";
  return names[Math.round((((degrees % 360) + 360) % 360) / 45) % 8];
}

/** Returns the compass direction as words, for screen readers. */
const compassWords = (degrees) => compass(degrees, say("compassWords").split("|"));
