import Chips
import DriverDefects
import Environment
package import Schema

extension RigSchema {
  package static let forecasters = Pipeline.Forecaster.allCases.map(\.rawValue)

  /// The sixteen points of the compass, from north.
  package static let winds = [
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW",
    "NNW",
  ]

  package static let pipeline = Section(
    "The program that reads the sensors: read, compensate, average, forecast.",
    [
      .optional("bus", busNumber, "the bus of the sensor; default: the only one"),
      .optional("address", .anyAddress, "the address of the sensor; default: that of the only one"),
      .optional(
        "sensors", .either([.word(["all"]), .list(.section(sensor))]),
        "several sensors, or 'all', instead of 'bus' and 'address'"),
    ] + Catalogue.driverKeys + [
      .optional("samples", .integer(1...10_000), "the readings of a cycle; default: 5"),
      .optional(
        "sample_every", .quantity(.duration), "the interval between readings; default: 10s"),
      .optional(
        "cycle", .quantity(.duration), "the interval between the starts of cycles; default: 30min"),
      .optional("keep", .quantity(.duration), "the retention time of averages; default: 2h"),
      .optional(
        "forecast",
        .either([.word(forecasters + ["none"]), .list(.word(forecasters))]),
        "one or more forecasters: thesis; an3914 (Freescale's, needs a cycle of 1min); zambretti "
          + "and tendency (WMO code table 0200), which need 'keep: 3h'; default: none"),
      .optional(
        "hemisphere", .word(["north", "south"]), "for zambretti: the hemisphere; default: north"),
      .optional(
        "wind", .word(winds), "for zambretti: the wind direction (from); default: unknown"),
      .optional("leak", .section(leakWatch), "the leak detection of a cabin; default: off"),
      .optional(
        "max_gap", .quantity(.duration),
        "the longest gap between averages that a forecast may span; default: 1h"),
      .optional(
        "history", .path,
        "a file that stores the averages across runs; outside the folder of the rig only with "
          + "--allow-write"),
      .optional(
        "requests", .list(.quantity(.duration)),
        "the times at which a user requests a forecast between cycles; the cycles keep their schedule; a request "
          + "within a running cycle is answered by the forecast of that cycle"),
      .optional("altitude", .section(altitude), "reduces pressure to sea level for the forecast"),
      .optional(
        "compare", .section(compared),
        "compares with a program with defects that decodes the same bytes"
      ).formerly("beside"),
      .optional(
        "backup", .section(backup), "the source that replaces a lost sensor; default: none"
      ),
      .optional(
        "board", .section(board), "the board's own measurements, reported next to the sensor"),
    ])

  package static let altitude = Section(
    "The altitude of the sensor, linear in time.",
    [
      .required("from", .quantity(.altitude), "the altitude at the start"),
      .optional("to", .quantity(.altitude), "the altitude at the end; default: that of 'from'"),
      .optional("begin", .quantity(.duration), "the start of the climb; default: 0s"),
      .optional("over", .quantity(.duration), "the length of the climb; default: 0s"),
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

extension RigSchema {
  package static let cabin = Section(
    "The air of a pressurised cabin in vacuum: modules, hatches, a leak and operations.",
    [
      .optional("air", .section(air), "the air at the start; default: 1013.25hPa, 21C, 50%"),
      .required("modules", .list(.section(module)), "the modules of the cabin"),
      .optional("hatches", .list(.section(hatch)), "the hatches between modules; default: none"),
      .optional("leak", .section(leak), "a hole to vacuum; default: none"),
      .optional(
        "process", .word(CabinPlan.Process.allCases.map(\.rawValue)),
        "the thermodynamic process: isothermal (for slow leaks) or adiabatic; default: isothermal"),
      .optional(
        "operations", .list(.variants(discriminator: "do", operations)),
        "the operations of the crew, in order of time"),
      .optional("swing", .section(swing), "a periodic change of the temperature; default: none"),
      .optional("warming", .section(warming), "a lasting change of the temperature"),
    ])

  package static let module = Section(
    "A module of the cabin.",
    [
      .required("name", .text, "its name"),
      .required("volume", .quantity(.volume), "its volume"),
    ])

  package static let hatch = Section(
    "A hatch between two modules.",
    [
      .required("between", .list(.text), "the names of the two modules"),
      .optional("closed", .boolean, "whether it is closed at the start; default: false"),
    ])

  package static let leak = Section(
    "A hole to vacuum; the flow is choked.",
    [
      .required("module", .text, "the leaking module"),
      .required("hole", .quantity(.length), "the diameter of the hole"),
      .optional("discharge", .number(0.01...1), "the discharge coefficient; default: 0.85"),
      .optional("at", .quantity(.duration), "the start of the leak; default: 0s"),
    ])

  package static let operations: [String: Section] = [
    "close": operation("Closes a hatch.", between),
    "open": operation("Opens a hatch; the pressures equalize.", between),
    "mend": operation("Seals the hole."),
    "repressurise": operation(
      "Lets air in.", .required("module", .text, "the module"),
      .required(
        "rate", .quantity(.pressureRate), "the rate of pressure in all modules connected with it"),
      .required("for", .quantity(.duration), "the length of the operation")),
  ]

  private static let between = Section.Field.required(
    "between", .list(.text), "the names of the two modules")

  private static func operation(_ summary: String, _ more: Section.Field...) -> Section {
    Section(summary, [.required("at", .quantity(.duration), "the time of the operation")] + more)
  }

  package static let swing = Section(
    "A periodic change of the temperature.",
    [
      .required("amplitude", .quantity(.temperatureDifference), "half of the peak-to-peak value"),
      .optional("period", .quantity(.duration), "the period; default: 92min (an orbit)"),
    ])

  package static let warming = Section(
    "A lasting change of the temperature.",
    [
      .required("by", .quantity(.temperatureChange), "the change in total"),
      .optional("begin", .quantity(.duration), "the start of the change; default: 0s"),
      .required("over", .quantity(.duration), "the length of the change"),
    ])

  package static let leakWatch = Section(
    "The leak detection of a crew.",
    [
      .optional(
        "limit", .quantity(.pressure), "the pressure at which the crew leaves; default: 490mmHg"
      ),
      .optional(
        "haven", .quantity(.duration),
        "the reserve time below which the search stops and the crew goes to its safe haven; default: 10min"
      ),
      .optional(
        "search", .quantity(.duration),
        "the time that the crew needs to reach a hatch; the crew closes hatches to find the leak, "
          + "each for at most half of T1mm; default: no search"
      ),
    ])
}
