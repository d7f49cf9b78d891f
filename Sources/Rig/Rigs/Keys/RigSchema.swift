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

/// The schema of a rig file: every key with its shape, its meaning and its default.
package enum RigSchema {
  package static let rig = Section(
    "The buses and parts of a bench, what reads them, which faults to inject and what to expect.",
    [
      .required("name", .text, "a short name for reports"),
      .optional("seed", .integer(0...Int.max), "the seed of all random numbers; default: 0"),
      .optional(
        "clock", .word(["virtual", "real"]),
        "virtual time, as fast as the machine computes, or real time; default: virtual"),
      .optional(
        "duration", .quantity(.duration),
        "the length of the run; default: the value of --for, or with 'clock: real' no limit"
      ),
      .optional("buses", .list(.section(bus)), "the I2C buses; a rig without a fleet needs one"),
      .optional("fleet", .section(fleet), "many identical parts; default: none"),
      .optional(
        "environment", .section(environment), "the ambient air; default: 1013.25 hPa, 21 C, 50 %"),
      .optional(
        "pipeline", .section(pipeline), "the program that reads the sensors and forecasts"),
      .optional(
        "firmware", .section(firmware),
        "instead of a pipeline: an image on a virtual microcontroller that uses the buses"),
      .optional("faults", .list(FaultModel.shape), "the faults to inject"),
      .optional("notify", .list(.section(notification)), "the programs to run on an event"),
      .optional(
        "expect",
        .either([
          .list(.variants(discriminator: "that", ExpectationSchema.expectations)),
          .section(ExpectationSchema.line),
        ]),
        "the conditions that the run must meet"),
    ])

  // MARK: Buses

  /// The number of a bus: N in `/dev/i2c-N`.
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
        "instead of devices: a real adapter, /dev/i2c-N or its name; needs 'clock: real'"),
      .optional(
        "bridge", .either([.word(BoardModel.all.map(\.name)), .section(bridge)]),
        "a microcontroller between the adapter and the program; default: none"),
      .optional("trace", .path, "instead of devices: a trace to replay"),
      .optional(
        "replay", .word(ReplayMode.allCases.map(\.rawValue)),
        "with 'trace': the replay mode; default: strict"),
      .optional(
        "times", .either([.word(["kept", "ignored"]), .number(0.000001...1e6)]),
        "with 'trace': keep or ignore its times, or multiply them by a factor; default: kept"),
    ])

  package static let adapter = Section(
    "The properties of an adapter.",
    [
      .optional(
        "frequency", .quantity(.frequency),
        "the bus frequency; default: \(I2CBusFrequency.standardText)"),
      .optional(
        "personality", .word(Personality.all.map(\.name) + Personality.aliases.keys.inOrder()),
        "the functionality, limits and errno values of a common adapter (aneroid doctor --personalities)"
      ),
      .optional(
        "nack", .word(["ENXIO", "EREMOTEIO", "EIO"]),
        "the errno of an address NACK; default: that of the personality, else ENXIO"
      ),
      .optional(
        "quirks", .section(quirks), "the limits of the adapter; they override the personality's"),
      .optional(
        "stretch_limit", .quantity(.duration),
        "the longest clock stretch; default: that of the personality, else 1s"),
    ])

  package static let quirks = Section(
    "The limits of an adapter; default: none.",
    [
      .optional("max_read", .integer(1...8192), "the longest read in bytes"),
      .optional("max_write", .integer(1...8192), "the longest write in bytes"),
      .optional(
        "max_messages", .integer(1...42), "the largest number of messages in one transfer"),
      .optional(
        "max_combined_write", .integer(1...8192), "the longest write before a read, in bytes"),
      .optional(
        "max_combined_read", .integer(1...8192), "the longest read after a write, in bytes"),
      .optional("no_zero_length", .boolean, "reject messages without bytes"),
    ])

  /// A device: the keys that all devices share and the keys of its model.
  package static let device = Shape.variants(
    discriminator: "model",
    Dictionary(
      uniqueKeysWithValues: Catalogue.models.map { model in
        (
          model.name,
          Section(
            "A sensor; 'model' selects the chip.",
            [
              .optional(
                "address", .address(model.addresses.map { Int($0.rawValue) }),
                model.addressSummary + "; default: the first")
            ] + model.keys + shared)
        )
      }))

  /// The keys of every device.
  private static let shared: [Section.Field] = [
    .optional(
      "bound", .boolean, "whether a kernel driver owns the address (EBUSY); default: false"),
    .optional("module", .text, "the module of a cabin that it is in; default: the first"),
  ]

  // MARK: Environment

  package static let environment = Section(
    "The air around the sensors.", isChoice: true,
    [
      .optional("constant", .section(air), "air that does not change"),
      .optional("ramp", .section(ramp), "air that changes linearly"),
      .optional("steps", .list(.section(step)), "air that changes in steps"),
      .optional("series", .section(series), "air from a weather table"),
      .optional("cabin", .section(cabin), "the air of a leaking pressurised cabin"),
    ])

  package static let airFields: [Section.Field] = [
    .optional("pressure", .quantity(.pressure), "the pressure; default: 1013.25hPa"),
    .optional("temperature", .quantity(.temperature), "the temperature; default: 21C"),
    .optional("humidity", .quantity(.humidity), "the relative humidity; default: 50%"),
  ]

  package static let air = Section("The state of the air.", airFields)

  package static let ramp = Section(
    "Air that changes linearly.",
    [
      .required("from", .section(air), "the air before the change"),
      .required("to", .section(air), "the air after the change"),
      .optional("begin", .quantity(.duration), "the start of the change; default: 0s"),
      .required("over", .quantity(.duration), "the length of the change"),
    ])

  package static let step = Section(
    "The air from one time to the next step.",
    [.required("at", .quantity(.duration), "the start of the step; the first step is at 0s")]
      + airFields.map {
        .optional($0.name, $0.shape, "the \($0.name); default: that of the previous step")
      })

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

extension RigSchema {
  package static let bridge = Section(
    "A board whose I2C bus is reached over Bluetooth LE.",
    [
      .required("kind", .word(BoardModel.all.map(\.name)), "the board"),
      .optional(
        "link", .word(["simulated", "ble"]),
        "simulated, or ble: each frame also passes through a Bluetooth stack, Bumble in Python; "
          + "default: simulated, or ble if 'radios' is given"
      ),
      .optional(
        "radios", .section(radios), "the radios of a ble link; default: both virtual"),
      .optional("interval", .quantity(.duration), "the connection interval; default: 30ms"),
      .optional(
        "jitter", .number(0...10),
        "the largest random delay of an operation, as a fraction of its duration; default: 0"),
      .optional(
        "limit", .integer(1...(BoardModel.all.map(\.longestRead).max() ?? 1)),
        "the longest read of the board in bytes; default: \(BoardModel.limits)"),
      .optional(
        "past_limit", .word(BoardSettings.PastLimit.allCases.map(\.rawValue)),
        "the result of a longer read: silent (no data until the timeout) or error; default: silent"
      ),
      .optional(
        "tells_limit", .boolean, "whether drivers can query the limit; default: true"),
      .optional(
        "time_out", .quantity(.duration), "the timeout of a response; default: 2s"),
      .optional("loss", .number(0...1), "the fraction of responses that are lost; default: 0"),
      .optional("outages", .list(.section(outage)), "the times without a connection"),
      .optional(
        "silences", .list(.section(silence)),
        "the times in which the board is in range but does not advertise"),
      .optional(
        "power", .section(power),
        "models the battery, which the operations of the board discharge; default: not modelled"
      ),
      .optional(
        "battery_life", .quantity(.duration),
        "the time until the board's battery is empty; losses increase in its last tenth; default: unlimited"
      ),
    ])

  package static let radios = Section(
    "The radios of a ble link: both virtual, or both HCI transports of Bumble such as usb:0.",
    [
      .required("client", .text, "the radio of the program's side").example("\"usb:0\""),
      .required("board", .text, "the radio of the board").example("\"usb:1\""),
    ])

  package static let silence = Section(
    "A time in which the board does not advertise.",
    [
      .required("at", .quantity(.duration), "its start"),
      .required("for", .quantity(.duration), "its length"),
    ])

  package static let power = Section(
    "The battery of the board; its chip and its currents are assumptions (see the documentation of Bridges).",
    [
      .optional(
        "capacity_mah", .number(0.001...100_000), "the capacity of the battery in mAh; default: 220"
      ),
      .optional(
        "charge", .number(0...1),
        "the state of charge at the start, from 0 (flat: the board does not advertise) to 1; default: 1"
      ).example("0.05"),
      .optional(
        "sleep", .boolean,
        "whether the microcontroller sleeps between radio events; default: false, as on the real board"
      ),
    ])

  package static let outage = Section(
    "A time without a connection.",
    [
      .required("at", .quantity(.duration), "its start"),
      .required("for", .quantity(.duration), "its length"),
    ])
}

extension RigSchema {
  /// The largest number of parts in a fleet.
  package static let mostParts = 100_000

  /// A fleet: many identical parts on additional buses.
  package static let fleet = Section(
    "Many identical parts, each with its own seed, on additional buses.",
    [
      .required("count", .integer(1...mostParts), "the number of parts"),
      .required(
        "template", template, "the keys of a device that all parts share, without its address",
        describedAt: "buses: devices"),
      .optional(
        "name", .text, "the prefix of the part names, before a number from 1; default: part"),
      .optional(
        "addresses", .list(.anyAddress),
        "the addresses used on each bus, in order; any address is allowed, as with address translators; "
          + "default: those of the model"),
      .optional(
        "first_bus", busNumber,
        "the number of the fleet's first bus; default: the next after the rig's other buses"),
      .optional(
        "adapter", .section(adapter),
        "the adapter of each of the fleet's buses; default: \(I2CBusFrequency.standardText), no limits",
        describedAt: "buses: adapter"),
    ])

  /// A device without its address, which the fleet assigns.
  private static let template: Shape = {
    guard case .variants(let discriminator, let models) = device else { return device }
    return .variants(
      discriminator: discriminator,
      models.mapValues { model in
        Section(
          "A sensor of a fleet; 'model' selects the chip.",
          model.fields.filter { $0.name != "address" })
      })
  }()
}

extension RigSchema {
  /// The names of I2C controllers in the microcontrollers' datasheets.
  private static let controllers = [
    "TWIM0", "TWIM1", "TWI0", "TWI1", "TWI", "I2C1", "I2C2", "I2C3",
  ]

  static let firmware = Section(
    "A firmware image that runs on a virtual microcontroller for the duration of the rig.",
    [
      .required("image", .path, "the image file: ELF, Intel HEX or raw binary"),
      .optional(
        "built_by", .text, "the command that builds the image, printed if the image is missing"),
      .optional(
        "mcu", .text,
        "the microcontroller (aneroid firmware --help); default: detected from the image"),
      .optional("at", .integer(0...0xFFFF_FFFF), "the load address of a raw binary"),
      .optional(
        "i2c", .section(controllerBuses),
        "the bus of each controller; default: the only bus at all of them, or one bus each"),
      .optional(
        "software_i2c", .list(.section(softwareBus)),
        "bit-banged buses: pins that the firmware drives without a controller; default: none"),
      .optional(
        "until", .text, "a regular expression: a matching line of a UART ends the run"),
    ])

  private static let controllerBuses = Section(
    "The bus number of each I2C controller, by its name in the datasheet.",
    controllers.map { .optional($0, busNumber, "the bus at \($0); default: none") })

  private static let softwareBus = Section(
    "A bit-banged bus at two GPIO pins.",
    [
      .required("scl", .text, "the SCL pin, by its name in the datasheet"),
      .required("sda", .text, "the SDA pin, by its name in the datasheet").example("PB9"),
      .required("bus", busNumber, "the number of the bus at these pins"),
    ])
}

/// Parses values on a command line in the format of rig files.
package enum RigText {
  /// Parses a duration such as `10s`; returns nanoseconds, or `nil` for an invalid text.
  package static func nanoseconds(_ text: String) -> UInt64? {
    guard let value = try? QuantityKind.duration.parse(text) else { return nil }
    return UInt64(value)
  }

  /// Parses a bus frequency such as `400kHz`; returns Hz, or `nil` for an invalid text.
  package static func hertz(_ text: String) -> UInt64? {
    guard let value = try? QuantityKind.frequency.parse(text) else { return nil }
    return UInt64(value)
  }

  /// Returns the error message for a text that is not a duration; `nil` for a valid duration.
  package static func error(inTime text: String) -> String? { error(in: text, .duration) }

  /// Returns the error message for a text that is not a bus frequency; `nil` for a valid frequency.
  package static func error(inFrequency text: String) -> String? { error(in: text, .frequency) }

  private static func error(in text: String, _ kind: QuantityKind) -> String? {
    do throws(QuantityKind.FormatError) {
      _ = try kind.parse(text)
      return nil
    } catch {
      return error.message
    }
  }

  /// Parses an integer, which is hexadecimal with `0x`; returns `nil` for any other text.
  package static func integer(_ text: String) -> Int? { Shape.integer(text) }
}
