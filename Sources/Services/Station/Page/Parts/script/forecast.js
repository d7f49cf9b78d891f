// Converts a forecast response to rows for drawing.
"use strict";

const hourlyNames = {
  temp: "temperature_2m", humidity: "relative_humidity_2m", rain: "precipitation", cloud: "cloud_cover",
  wind: "wind_speed_10m", direction: "wind_direction_10m", pressure: "pressure_msl",
  feels: "apparent_temperature", code: "weather_code", isDay: "is_day",
};
const dailyNames = {
  high: "temperature_2m_max", low: "temperature_2m_min", rain: "precipitation_sum",
  humidity: "relative_humidity_2m_mean", cloud: "cloud_cover_mean", wind: "wind_speed_10m_max",
  direction: "wind_direction_10m_dominant", pressure: "pressure_msl_mean", code: "weather_code",
  sunrise: "sunrise", sunset: "sunset",
};

/** Returns the path and query for a place's forecast, with or without the station's correction. */
function forecastPath(place, corrected) {
  const [latitude, longitude] = placeKey(place).split(",");
  const hourly = Object.values(hourlyNames).join(",");
  const query = new URLSearchParams({
    latitude, longitude, hourly, current: hourly, daily: Object.values(dailyNames).join(","),
    timezone: "auto", timeformat: "unixtime", forecast_days: "8", wind_speed_unit: "ms", corrected: String(corrected),
  });
  return `/v1/forecast?${query}`;
}

/** Returns true if a response has the format of a forecast. */
const isForecast = (answer) => Array.isArray(answer?.hourly?.time) && Array.isArray(answer?.daily?.time);

/** Returns the rows of a response: hours, days and current values, in °C, m/s, mm, %, hPa and milliseconds since 1970. */
function readForecast(answer) {
  const offset = answer.utc_offset_seconds ?? 0;
  const zone = zoneOf(answer.timezone, offset);
  const days = columns(answer.daily, dailyNames).map((day) => ({
    ...day, time: instant(day.time, offset), date: localDay(instant(day.time, offset) + offset * 1000, utc),
    sunrise: instant(day.sunrise, offset), sunset: instant(day.sunset, offset),
  }));
  const byDate = new Map(days.map((day) => [day.date, day]));
  const placed = (row) => {
    const time = instant(row.time, offset);
    const date = localDay(time, zone);
    return { ...row, time, date, night: isNightAt(time, byDate.get(date), row.isDay) };
  };
  const hours = columns(answer.hourly, hourlyNames).map(placed);
  const more = answer.aneroid ?? {};
  return {
    zone, days, hours: hours.filter(isTold), ended: instant(more.forecast_ended), current: answer.current ? placed(named(answer.current, hourlyNames)) : null,
    from: more.current_from ?? "model", run: instant(more.model_run), corrected: Boolean(more.corrected),
    obstacle: more.uncorrected_because ?? "",
    shift: more.offset ?? {}, learned: more.learned ?? {}, labels: more.labels ?? [],
    warnings: (more.warnings ?? []).map((one) => ({
      ...one, from: instant(one.from, offset), to: instant(one.to, offset),
    })),
  };
}

/** Converts the arrays, one per column, to rows. */
function columns(table, names) {
  return (table?.time ?? []).map((time, index) => {
    const row = { time };
    for (const [name, column] of Object.entries(names)) row[name] = table[column]?.[index] ?? null;
    return row;
  });
}

/** Converts one record to the internal names of its members. */
function named(record, names) {
  const row = { time: record.time };
  for (const [name, column] of Object.entries(names)) row[name] = record[column] ?? null;
  return row;
}

/** Returns the rows of a number of hours, starting with the current hour. */
function nextHours(forecast, now, count = 24) {
  return forecast.hours.filter((row) => row.time > now - hour).slice(0, count);
}

/** Returns true if a row has values; after the end of the last run there are none. */
const isTold = (row) => row.temp !== null || row.pressure !== null || row.cloud !== null || row.wind !== null;

/** Returns true if all runs have ended, so there are no values from the current hour on. */
const isOver = (forecast, now) => !nextHours(forecast, now, 1).length;

/** Returns the end of the last run, as given in the response; otherwise the last hour with values. */
const endOfRuns = (forecast) => (Number.isFinite(forecast.ended) ? forecast.ended : forecast.hours.at(-1)?.time ?? NaN);

/** Returns the days from today on that have hourly values, at most seven. */
function nextDays(forecast, now) {
  const today = localDay(now, forecast.zone);
  return forecast.days.filter((day) => day.date >= today && forecast.hours.some((row) => row.date === day.date)).slice(0, 7);
}

/** Returns the service's current values; if there are none, the values of the current hour. */
function presentOf(forecast, now) {
  const begun = nextHours(forecast, now, 1)[0] ?? null;
  if (!forecast.current) return begun;
  const present = { ...forecast.current };
  for (const key of Object.keys(hourlyNames)) present[key] = present[key] ?? begun?.[key] ?? null;
  // The current rain is that of 15 minutes: the page shows the sum of the hour, which is stamped with its end.
  present.rain = nextHours(forecast, now, 2)[1]?.rain ?? null;
  return present;
}
