import Barometry
import Bridges
import Chips
import Faults
import Files
import I2C
import Parts
package import Schema
import Text
import TraceTools
import VirtualI2C

/// The description of a rig file: every key, what it takes and what it means.
package enum RigSchema {
  package static let rig = Section(
    "What is on the bench, what reads it, and what must come out.",
    [
      .required("name", .text, "a short name for reports"),
      .optional("seed", .integer(0...Int.max), "where all chance comes from; 0 unless given"),
      .optional("clock", .word(["virtual", "real"]), "virtual unless given"),
      .optional(
        "duration", .quantity(.duration),
        "how long the run lasts; with 'clock: real' until it is stopped, and in virtual time as long as --for says, unless given"
      ),
      .optional("buses", .list(.section(bus)), "the I2C buses; a rig without a fleet needs one"),
      .optional("fleet", .section(fleet), "many parts that are alike; none unless given"),
      .optional(
        "environment", .section(environment), "the air; 1013.25 hPa, 21 C, 50 % unless given"),
      .optional("pipeline", .section(pipeline), "who reads the sensors and forecasts"),
      .optional(
        "firmware", .section(firmware),
        "instead of a pipeline: an image on a virtual microcontroller that uses the buses"),
      .optional("faults", .list(FaultModel.shape), "planned failures"),
      .optional("notify", .list(.section(notification)), "whom to tell"),
      .optional(
        "expect",
        .either([
          .list(.variants(discriminator: "that", ExpectationSchema.expectations)),
          .section(ExpectationSchema.line),
        ]),
        "what must be true of the run"),
    ])

  // MARK: Buses

  /// The number of a bus.
  package static let busNumber = Shape.integer(I2CBusNumber.all)

  package static let bus = Section(
    "An I2C bus: an adapter and the devices on it.",
    [
      .required("number", busNumber, "N in /dev/i2c-N"),
      .optional(
        "adapter", .section(adapter),
        "the adapter; default: \(I2CBusFrequency.standardText), no limits"),
      .optional("devices", .list(device), "the devices on a virtual bus"),
      .optional(
        "physical", .text,
        "instead of devices: a real adapter, /dev/i2c-N or its name; the rig's clock must be real"),
      .optional(
        "bridge", .either([.word(BoardModel.all.map(\.name)), .section(bridge)]),
        "a microcontroller between the adapter and the program; none unless given"),
      .optional("trace", .path, "instead of devices: a trace, replayed"),
      .optional(
        "replay", .word(ReplayMode.allCases.map(\.rawValue)),
        "with 'trace': how it answers; strict unless given"),
      .optional(
        "times", .either([.word(["kept", "ignored"]), .number(0.000001...1e6)]),
        "with 'trace': what its times mean, or by how much they are stretched; kept unless given"),
    ])

  package static let adapter = Section(
    "The properties of an adapter.",
    [
      .optional(
        "frequency", .quantity(.frequency),
        "the bus frequency; default: \(I2CBusFrequency.standardText)"),
      .optional(
        "personality", .word(Personality.all.map(\.name) + Personality.aliases.keys.inOrder()),
        "the functionality, limits and errno of an adapter that users meet (aneroid doctor --personalities)"
      ),
      .optional(
        "nack", .word(["ENXIO", "EREMOTEIO", "EIO"]),
        "the errno for an address that nobody acknowledges; the personality's, else ENXIO, unless given"
      ),
      .optional("quirks", .section(quirks), "the limits of the adapter, over its personality's"),
      .optional(
        "stretch_limit", .quantity(.duration),
        "the longest clock stretch; the personality's, else 1s, unless given"),
    ])

  package static let quirks = Section(
    "The limits of an adapter, none unless given.",
    [
      .optional("max_read", .integer(1...8192), "the longest read in bytes"),
      .optional("max_write", .integer(1...8192), "the longest write in bytes"),
      .optional("max_messages", .integer(1...42), "the most messages of one transfer"),
      .optional(
        "max_combined_write", .integer(1...8192), "the longest write before a read, in bytes"),
      .optional(
        "max_combined_read", .integer(1...8192), "the longest read after a write, in bytes"),
      .optional("no_zero_length", .boolean, "refuse messages without bytes"),
    ])

  /// A device: what every part takes, and what its model takes.
  package static let device = Shape.variants(
    discriminator: "model",
    Dictionary(
      uniqueKeysWithValues: Catalogue.models.map { model in
        (
          model.name,
          Section(
            "A sensor; its model says which chip it is.",
            [
              .optional(
                "address", .address(model.addresses.map { Int($0.rawValue) }),
                model.addressSummary + "; the first unless given")
            ] + model.keys + shared)
        )
      }))

  /// The keys of every device.
  private static let shared: [Section.Field] = [
    .optional(
      "bound", .boolean, "whether a kernel driver owns the address (EBUSY); false unless given"),
    .optional("module", .text, "in which module of a cabin it is; the first unless given"),
  ]

  // MARK: Environment

  package static let environment = Section(
    "The air around the sensors.", isChoice: true,
    [
      .optional("constant", .section(air), "air that never changes"),
      .optional("ramp", .section(ramp), "air that changes in a straight line"),
      .optional("steps", .list(.section(step)), "air that changes at once"),
      .optional("series", .section(series), "air from a table"),
      .optional("cabin", .section(cabin), "the air of a pressurised cabin that leaks"),
    ])

  package static let airFields: [Section.Field] = [
    .optional("pressure", .quantity(.pressure), "1013.25hPa unless given"),
    .optional("temperature", .quantity(.temperature), "21C unless given"),
    .optional("humidity", .quantity(.humidity), "50% unless given"),
  ]

  package static let air = Section("Some air.", airFields)

  package static let ramp = Section(
    "Air that changes in a straight line.",
    [
      .required("from", .section(air), "the air before"),
      .required("to", .section(air), "the air after"),
      .optional("begin", .quantity(.duration), "when the change begins; 0s unless given"),
      .required("over", .quantity(.duration), "how long the change takes"),
    ])

  package static let step = Section(
    "Air from a time on.",
    [.required("at", .quantity(.duration), "from when on; the first step is at 0s")]
      + airFields.map { .optional($0.name, $0.shape, "as before unless given") })

  package static let series = Section(
    "Air from a table (CSV with a header; commas or semicolons).",
    [
      .required("file", .path, "the table"),
      .required(
        "time", .text,
        "the column of times: dates (2013-01-01T06:00:00Z, 2013-01-01 07:00+01:00; UTC unless the zone is given), Unix seconds, or seconds from the table's own start"
      ),
      .optional("start", .moment, "the time at which the run begins; the first row unless given"),
      .required("columns", .section(columns), "the columns of the quantities"),
      .optional(
        "missing", missing, "how the table marks a missing value; \"\" is an empty cell"),
      .optional("gaps", .section(gaps), "what to do about gaps; any is an error unless given"),
    ])

  /// A text that may be empty.
  package static let missing = Shape.either([.text, .word([""])])

  package static let columns: Section = {
    let names = ["pressure", "temperature", "humidity"]
    let standard = ["1013.25 hPa", "21 C", "50 %"]
    let kinds: [QuantityKind] = [.pressure, .temperature, .humidity]
    var section = Section(
      "Which columns hold the quantities; at least one.",
      zip(names, zip(kinds, standard)).map { name, rest -> Section.Field in
        .optional(name, .section(column(rest.0)), "the \(name); \(rest.1) unless given")
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
    "How to bridge gaps.",
    [
      .required(
        "interpolate", .quantity(.duration), "the longest gap that a straight line may bridge")
    ])
}
