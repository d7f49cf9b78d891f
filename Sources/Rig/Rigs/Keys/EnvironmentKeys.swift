import Environment
import I2C
package import Schema

extension RigSchema {
  package static let environment = Section(
    "The air around the sensors.", isChoice: true,
    [
      .optional("constant", .section(Air.keys.section), "air that does not change"),
      .optional("ramp", .section(AirRamp.keys.section), "air that changes linearly"),
      .optional("steps", .list(.section(AirStep.keys.section)), "air that changes in steps"),
      .optional("series", .section(series), "air from a weather table"),
      .optional(
        "cabin", .section(CabinPlan.keys.section), "the air of a leaking pressurised cabin"),
    ])

  package static let series = Section(
    "Air from a weather table (CSV with a header; separated by commas or semicolons).",
    [
      .required("file", .path, "the table"),
      .required(
        "time", .text,
        "the column of times: dates (2013-01-01T06:00:00Z, 2013-01-01 07:00+01:00; default time zone: "
          + "UTC), Unix seconds, or seconds from the start of the table"
      ),
      .optional(
        "start", .moment, "the date at the start of the run; default: that of the first row"),
      .required("columns", .section(columns), "the columns of the quantities"),
      .optional(
        "missing", missing, "the text that marks a missing value; \"\" is an empty cell"),
      .optional("gaps", .section(gaps), "the gaps to bridge; default: every gap is an error"),
    ])

  /// The text that marks a missing value in a weather table, which may be empty.
  package static let missing = Shape.either([.text, .word([""])])

  package static let columns: Section = {
    let names = ["pressure", "temperature", "humidity"]
    let standard = ["1013.25 hPa", "21 C", "50 %"]
    let kinds: [QuantityKind] = [.pressure, .temperature, .humidity]
    var section = Section(
      "The columns of the quantities; at least one.",
      zip(names, zip(kinds, standard)).map { name, rest -> Section.Field in
        .optional(name, .section(column(rest.0)), "the \(name); default: \(rest.1)")
      })
    section.alternatives = names
    return section
  }()

  package static func column(_ quantity: QuantityKind) -> Section {
    Section(
      "A column.",
      [
        .required("name", .text, "the column's name in the header"),
        .required("unit", .word(quantity.symbols), "the unit of its numbers"),
      ])
  }

  package static let gaps = Section(
    "The gaps of a weather table to bridge.",
    [
      .required(
        "interpolate", .quantity(.duration), "the longest gap that is interpolated linearly")
    ])
}

extension Air {
  /// The keys of the air.
  static let keys = KeyGroup("The state of the air.", Air.standard) {
    [
      Key("pressure", \.pressure, .quantity(.pressure), "the pressure"),
      Key("temperature", \.temperature, .quantity(.temperature), "the temperature"),
      Key("humidity", \.humidity, .quantity(.humidity), "the relative humidity"),
    ]
  }
}

extension Air {
  /// The keys of the air at the end of a change.
  static let endKeys = KeyGroup("The air after the change.", Air.standard) {
    keys.keys(in: \.self, default: "that of 'from'")
  }
}

/// Air that changes linearly.
struct AirRamp: Sendable {
  /// The air before and after the change.
  var from = Air.standard, to = Air.standard
  /// The start and the length of the change, in nanoseconds.
  var begin: Int64 = 0, length: Int64 = 1

  /// The keys of a ramp.
  static let keys = KeyGroup("Air that changes linearly.", AirRamp()) {
    [
      .required("from", \.from, .group(Air.keys), "the air before the change"),
      Key(.required("to", .section(Air.endKeys.section), "the air after the change")),
      Key("begin", \.begin, .duration, "the start of the change"),
      .required("over", \.length, .duration(atLeast: 1), "the length of the change"),
    ]
  }
}

/// The air from one time to the next step.
struct AirStep: Sendable {
  /// The start of the step in nanoseconds.
  var time: Int64 = 0
  /// The air, which starts as that of the previous step.
  var air = Air.standard

  /// The keys of a step.
  static let keys = KeyGroup("The air from one time to the next step.", AirStep()) {
    [.required("at", \.time, .duration, "the start of the step; the first step is at 0s")]
      + Air.keys.keys(in: \.air, default: "that of the previous step")
  }
}

extension CabinPlan {
  /// The keys of a cabin; those that name modules are read when all modules are known.
  static let keys = KeyGroup(
    "The air of a pressurised cabin in vacuum: modules, hatches, a leak and operations.",
    CabinPlan(modules: [], air: .standard)
  ) {
    [
      Key(
        "air", \.air, .group(Air.keys), "the air at the start",
        default: "1013.25hPa, 21C, 50%"),
      .required("modules", \.modules, .list(.group(Module.keys)), "the modules of the cabin"),
      Key(
        .optional(
          "hatches", .list(.section(RigSchema.hatch)), "the hatches between modules; default: none")
      ),
      Key(
        "panel", \.panel, .group(Panel.keys), "a port on a bus that moves the hatches",
        absent: "none"),
      Key(.optional("leak", .section(Leak.keys.section), "a hole to vacuum; default: none")),
      Key(
        "process", \.process, .choice,
        "the thermodynamic process: isothermal (for slow leaks) or adiabatic"),
      Key(
        .optional(
          "operations", .list(.variants(discriminator: "do", RigSchema.operations)),
          "the operations of the crew, in order of time")),
      Key(
        "swing", \.temperatureDrift, .group(TemperatureDrift.swing),
        "a periodic change of the temperature", default: "none"),
      Key(
        "warming", \.temperatureDrift, .group(TemperatureDrift.warming),
        "a lasting change of the temperature", default: .none),
    ]
  }
}

extension CabinPlan.Panel {
  fileprivate static let keys = KeyGroup(
    "A port on a bus that moves the hatches: bit n of the bytes written and read is hatch n in the order "
      + "of 'hatches', 1 for open.", Self()
  ) {
    [
      Key("bus", \.bus, .integer(I2CBusNumber.all), "its bus"),
      Key("address", \.address, .integer(0x08...0x77), "its address"),
    ]
  }
}

extension CabinPlan.Module {
  fileprivate static let keys = KeyGroup("A module of the cabin.", Self(name: "", volume: 1)) {
    [
      .required("name", \.name, .text, "its name"),
      .required("volume", \.volume, .quantity(.volume), "its volume"),
    ]
  }
}

extension CabinPlan.Leak {
  /// The keys of a leak; the module is read when all modules are known.
  static let keys = KeyGroup("A hole to vacuum; the flow is choked.", Self(module: 0, diameter: 0))
  {
    [
      Key(.required("module", .text, "the leaking module")),
      .required("hole", \.diameter, .quantity(.length), "the diameter of the hole"),
      Key("discharge", \.discharge, .number(0.01...1), "the discharge coefficient"),
      Key("at", \.start, .duration, "the start of the leak"),
    ]
  }
}

extension CabinPlan.TemperatureDrift {
  fileprivate static let swing = KeyGroup("A periodic change of the temperature.", Self()) {
    [
      .required(
        "amplitude", \.amplitude, .quantity(.temperatureDifference),
        "half of the peak-to-peak value"),
      Key(
        "period", \.period, .duration(atLeast: 1), "the period",
        default: .remarked(" (an orbit)")),
    ]
  }

  fileprivate static let warming = KeyGroup("A lasting change of the temperature.", Self()) {
    [
      .required("by", \.rise, .quantity(.temperatureChange), "the change in total"),
      Key("begin", \.begin, .duration, "the start of the change"),
      .required("over", \.length, .duration(atLeast: 1), "the length of the change"),
    ]
  }
}

extension RigSchema {
  package static let hatch = Section(
    "A hatch between two modules.",
    [
      .required("between", .list(.text), "the names of the two modules"),
      .optional("closed", .boolean, "whether it is closed at the start; default: false"),
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
}
