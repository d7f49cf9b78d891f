import Chips
import DriverDefects
package import Schema

extension RigSchema {
  package static let forecasters = Pipeline.Forecaster.allCases.map(\.rawValue)

  /// The sixteen points of the compass, from north.
  package static let winds = [
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW",
    "NNW",
  ]

  package static let pipeline = Section(
    "Who reads the sensors: read, compensate, average, forecast.",
    [
      .optional("bus", busNumber, "the bus; the only one unless given"),
      .optional("address", .anyAddress, "the sensor; the only one unless given"),
      .optional(
        "sensors", .either([.word(["all"]), .list(.section(sensor))]),
        "several sensors, or 'all', instead of bus and address"),
    ] + Catalogue.driverKeys + [
      .optional("samples", .integer(1...10_000), "the readings of a cycle; 5 unless given"),
      .optional(
        "sample_every", .quantity(.duration), "from reading to reading; 10s unless given"),
      .optional("cycle", .quantity(.duration), "from start to start; 30min unless given"),
      .optional("keep", .quantity(.duration), "how long averages are kept; 2h unless given"),
      .optional(
        "forecast",
        .either([.word(forecasters + ["none"]), .list(.word(forecasters))]),
        "one forecaster or several, side by side: thesis; an3914 (Freescale's, with a cycle of 1min); zambretti "
          + "and tendency (WMO code table 0200), which keep 3h; none unless given"),
      .optional("hemisphere", .word(["north", "south"]), "for zambretti; north unless given"),
      .optional(
        "wind", .word(winds), "for zambretti: where the wind comes from; unknown unless given"),
      .optional("leak", .section(leakWatch), "watches a cabin for leaks; not unless given"),
      .optional(
        "max_gap", .quantity(.duration),
        "the longest gap between averages that a forecast may span; 1h unless given"),
      .optional(
        "history", .path,
        "a file that keeps the averages across runs; outside of the rig's folder only with "
          + "--allow-write"),
      .optional(
        "requests", .list(.quantity(.duration)),
        "when a user asks for a forecast between the cycles, which go on as they were; a request within "
          + "a running cycle is absorbed: the forecast of that cycle answers it"),
      .optional("altitude", .section(altitude), "reduces pressure to sea level for the forecast"),
      .optional(
        "compare", .section(compared),
        "also shows what a program with defects makes of the same bytes"
      ).formerly("beside"),
      .optional(
        "backup", .section(backup), "what stands in for a sensor that is lost; nothing unless given"
      ),
      .optional(
        "board", .section(board), "what the board itself measures, to be shown beside the sensor"),
    ])

  package static let altitude = Section(
    "How high the sensor is, as a straight line in time.",
    [
      .required("from", .quantity(.altitude), "the altitude at first"),
      .optional("to", .quantity(.altitude), "the altitude afterwards; as before unless given"),
      .optional("begin", .quantity(.duration), "when the climb begins; 0s unless given"),
      .optional("over", .quantity(.duration), "how long it takes; 0s unless given"),
    ])

  package static let compared = Section(
    "A program with named defects on the same bytes.",
    [
      .required(
        "defects", .listOrNone(.word(FaultyDecoder.defectNames)),
        "what is wrong with it, by the names of the catalogue; nothing where the list is empty"),
      .optional(
        "formula", .word(FaultyDecoder.formulaNames),
        "the formula that it uses; datasheet-int32 unless given"),
      .optional(
        "lost", .integer(0...9999),
        "how many pressures of a cycle are missing from its sum, which is divided by all; 0 unless given"
      ),
      .optional(
        "changes", .list(.section(changed)), "later builds of it, in the order of their times"),
    ])

  package static let changed = Section(
    "What changes of the program; it begins anew where defects or formula are given, though they be as before.",
    [
      .required("at", .quantity(.duration), "from when on it runs"),
      .optional(
        "defects", .listOrNone(.word(FaultyDecoder.defectNames)),
        "what is wrong with it, nothing where the list is empty; as before unless given"),
      .optional(
        "formula", .word(FaultyDecoder.formulaNames),
        "the formula that it uses; as before unless given"),
      .optional("lost", .integer(0...9999), "the pressures missing; as before unless given"),
    ])

  package static let backup = Section(
    "Weather in Open-Meteo's shape: surface_pressure, or with 'altitude' pressure_msl, of 'current' or 'hourly'.",
    isChoice: true,
    [
      .optional("file", .path, "a file with the reply, read anew each cycle"),
      .optional("url", .text, "a server that gives it, by http only, asked each cycle"),
    ])

  package static let board = Section(
    "What the board itself measures.",
    [.required("thermometer", .section(thermometer), "its thermometer, in the same air")])

  package static let thermometer = Section(
    "A thermometer.",
    [.optional("offset", .quantity(.temperatureChange), "its error; 0C unless given")])

  package static let sensor = Section(
    "One sensor.",
    [
      .required("bus", busNumber, "its bus"),
      .required("address", .anyAddress, "its address"),
    ])

  package static let notification = Section(
    "A program to run when something happens; only with --allow-run.",
    [
      .required(
        "on", .word(["forecast-change", "alarm"]),
        "what happens: alarm is a sensor that is lost for a whole cycle or back again, and of a cabin (leak in the pipeline) a leak that is declared, the call to the safe haven, and a pressure below the limit or above what a cabin has"
      ),
      .required(
        "run", .list(.text),
        "the program and its arguments; {forecast}, {source} (sensor, or backup where weather stands in), {alarm} (sensor-lost, sensor-back, leak, safe-haven, below-limit, overpressure) and {name} are replaced"
      ),
    ])
}
