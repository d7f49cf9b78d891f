import Barometry
import Chips
import Diagnosis
import Environment
package import Schema

extension Pipeline {
  /// The keys of a pipeline; those that name sensors, files and other programs are read by the reader of a rig.
  package static let keys = KeyGroup(
    "The program that reads the sensors: read, compensate, average, forecast.", Pipeline()
  ) {
    [
      Key(.optional("bus", RigSchema.busNumber, "the bus of the sensor; default: the only one")),
      Key(
        .optional(
          "address", .anyAddress, "the address of the sensor; default: that of the only one")),
      Key(
        .optional(
          "sensors", .either([.word(["all"]), .list(.section(RigSchema.sensor))]),
          "several sensors, or 'all', instead of 'bus' and 'address'")),
    ] + Catalogue.driverKeys.map { Key($0) } + [
      Key("samples", \.samples, .integer(1...10_000), "the readings of a cycle"),
      Key("sample_every", \.sampleInterval, .duration, "the interval between readings"),
      Key("cycle", \.cycle, .duration, "the interval between the starts of cycles"),
      Key("keep", \.retention, .duration, "the retention time of averages"),
      Key(
        "forecast", \.forecasters, .forecasters,
        "one or more forecasters: thesis; an3914 (Freescale's, needs a cycle of 1min); zambretti "
          + "and tendency (WMO code table 0200), which need 'keep: 3h'"),
      Key(
        "hemisphere", \.zambretti.hemisphere,
        .choice(of: Zambretti.Hemisphere.allCases, by: { "\($0)" }),
        "for zambretti: the hemisphere"),
      Key(
        "wind", \.wind, .wind, "for zambretti: the wind direction (from)", absent: "unknown"),
      Key(
        "leak", \.leak, .group(LeakWatch.keys), "the leak detection of a cabin", absent: "off"),
      Key(
        "max_gap", \.maximumGap, .duration,
        "the longest gap between averages that a forecast may span"),
      Key(
        "minimum_span", \.minimumSpan, .duration,
        "for thesis: the shortest history that allows a forecast; the thesis used 10min in its trials"
      ),
      Key(
        .optional(
          "history", .path,
          "a file that stores the averages across runs; outside the folder of the rig only with "
            + "--allow-write")),
      Key(
        "requests", \.requests, .list(.duration),
        "the times at which a user requests a forecast between cycles; the cycles keep their schedule; a request "
          + "within a running cycle is answered by the forecast of that cycle"),
      Key(
        .optional(
          "altitude", .section(RigSchema.altitude),
          "reduces pressure to sea level for the forecast")),
      Key(
        .optional(
          "compare", .section(RigSchema.compared),
          "compares with a program with defects that decodes the same bytes"
        ).formerly("beside")),
      Key(
        .optional(
          "backup", .section(RigSchema.backup),
          "the source that replaces a lost sensor; default: none")),
      Key(
        .optional(
          "board", .section(RigSchema.board),
          "the board's own measurements, reported next to the sensor")),
    ]
  }
}

extension KeyFormat<[Pipeline.Forecaster]> {
  /// A forecaster, a list of forecasters, or `none`.
  fileprivate static let forecasters = KeyFormat(
    .either([
      .word(RigSchema.forecasters + ["none"]), .list(.word(RigSchema.forecasters)),
    ]),
    text: { $0.isEmpty ? "none" : $0.map(\.rawValue).joined(separator: ", ") }
  ) { value in
    (value.text.map { [$0] } ?? value.list.compactMap(\.text))
      .compactMap(Pipeline.Forecaster.init(rawValue:))
  }
}

extension KeyFormat<Double> {
  /// A point of the compass, as a direction in degrees.
  fileprivate static let wind = KeyFormat(.word(RigSchema.winds), text: { _ in nil }) {
    $0.text.flatMap(RigSchema.winds.firstIndex).map { Double($0) * 22.5 }
  }
}

extension RigSchema {
  package static let forecasters = Pipeline.Forecaster.allCases.map(\.rawValue)

  /// The sixteen points of the compass, from north.
  package static let winds = [
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW",
    "NNW",
  ]

  package static let altitude = Section(
    "The altitude of the sensor, linear in time.",
    [
      .required("from", .quantity(.altitude), "the altitude at the start"),
      .optional("to", .quantity(.altitude), "the altitude at the end; default: that of 'from'"),
      .optional("begin", .quantity(.duration), "the start of the climb; default: 0s"),
      .optional("over", .quantity(.duration), "the length of the climb; default: 0s"),
      .optional(
        "temperature",
        .either([.word(["measured", "standard"]), .quantity(.temperature)]),
        "the temperature of the air at the sensor for the reduction: 'measured' follows each change of the thermometer, "
          + "such as a warm afternoon or a heated room, by about 0.1 hPa per kelvin and 250 m; 'standard' is that of the "
          + "standard atmosphere; a value such as 9C is the mean of the site; default: measured"),
    ])

  package static let compared = Section(
    "A program with named defects that decodes the same bytes.",
    [
      .required(
        "defects", .listOrNone(.word(FaultyDecoder.defectNames)),
        "its defects, by their names in the catalogue; an empty list for none"),
      .optional(
        "formula", .word(FaultyDecoder.formulaNames),
        "its compensation formula; default: datasheet-int32"),
      .optional(
        "lost", .integer(0...9999),
        "the number of pressures of a cycle missing from its sum, which is still divided by all; default: 0"
      ),
      .optional(
        "changes", .list(.section(changed)), "later builds of the program, in order of time"),
    ])

  package static let changed = Section(
    "A later build of the program; it restarts if 'defects' or 'formula' is given, even if unchanged.",
    [
      .required("at", .quantity(.duration), "the time from which it runs"),
      .optional(
        "defects", .listOrNone(.word(FaultyDecoder.defectNames)),
        "its defects, an empty list for none; default: those of the previous build"),
      .optional(
        "formula", .word(FaultyDecoder.formulaNames),
        "its compensation formula; default: that of the previous build"),
      .optional(
        "lost", .integer(0...9999),
        "the number of missing pressures; default: that of the previous build"),
    ])

  package static let backup = Section(
    "Weather in Open-Meteo's format: surface_pressure, or with 'altitude' pressure_msl, of 'current' or 'hourly'.",
    isChoice: true,
    [
      .optional("file", .path, "a file with the response, read in each cycle"),
      .optional("url", .text, "the URL of a server (http only), queried in each cycle"),
    ])

  package static let board = Section(
    "The board's own measurements.",
    [.required("thermometer", .section(thermometer), "a thermometer in the same air")])

  package static let thermometer = Section(
    "A thermometer.",
    [.optional("offset", .quantity(.temperatureChange), "its error; default: 0C")])

  package static let sensor = Section(
    "One sensor.",
    [
      .required("bus", busNumber, "its bus"),
      .required("address", .anyAddress, "its address"),
    ])

  package static let notification = Section(
    "A program to run on an event; only with --allow-run.",
    [
      .required(
        "on", .word(["forecast-change", "alarm"]),
        "the event; an alarm is a sensor that is lost for a whole cycle or back again, and in a cabin "
          + "with 'leak' in the pipeline a declared leak, the call to the safe haven, and a pressure "
          + "below the limit or above the cabin's range"
      ),
      .required(
        "run", .list(.text),
        "the program and its arguments; {forecast}, {source} (sensor, or backup for replaced values), "
          + "{alarm} (sensor-lost, sensor-back, leak, safe-haven, below-limit, overpressure) and {name} "
          + "are replaced"
      ),
    ])
}

extension Pipeline.LeakWatch {
  /// The keys of the leak detection.
  package static let keys = KeyGroup("The leak detection of a crew.", Self()) {
    [
      Key("limit", \.limit, .leakLimit, "the pressure at which the crew leaves"),
      Key(
        "haven", \.haven, .duration,
        "the reserve time below which the search stops and the crew goes to its safe haven"),
      Key(
        "search", \.search, .duration,
        "the time that the crew needs to reach a hatch; the crew closes hatches to find the leak, "
          + "each for at most half of T1mm", absent: "no search"),
    ]
  }
}

extension KeyFormat<Double> {
  /// A pressure limit for which the reserve time of a cabin is defined.
  fileprivate static let leakLimit = KeyFormat(
    .quantity(.pressure), text: { QuantityKind.pressure.text($0, in: "mmHg") }
  ) { limit throws(QuantityKind.FormatError) in
    guard let pascals = limit.number, !LeakAnalysis.limits.contains(pascals) else {
      return limit.number
    }
    throw QuantityKind.FormatError(
      message: "limit: '\(limit.written ?? "")' is not a valid pressure limit of a cabin "
        + "(accepted: 7.5mmHg to 785mmHg; 490mmHg as flown)")
  }
}
