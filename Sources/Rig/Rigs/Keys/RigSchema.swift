import Barometry
import Bridges
import Chips
import I2C
import PartFiles
import Parts
package import Schema
import Support
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
      .optional(
        "clock_steps", .list(.section(Rig.ClockStep.keys.section)),
        "for programs under 'exec --clock virtual': steps of the wall clock, as by NTP or by hand; default: none"
      ),
      .optional(
        "harsh", .boolean,
        "whether everything that a data sheet leaves open is answered against the driver, at every part; default: false"
      ),
      .optional("buses", .list(.section(bus)), "the I2C buses; a rig without a fleet needs one"),
      .optional("fleet", .section(fleet), "many identical parts; default: none"),
      .optional(
        "environment", .section(environment), "the ambient air; default: 1013.25 hPa, 21 C, 50 %"),
      .optional(
        "pipeline", .section(Pipeline.keys.section),
        "the program that reads the sensors and forecasts"),
      .optional(
        "firmware", .section(firmware),
        "instead of a pipeline: an image on a virtual microcontroller that uses the buses"),
      .optional(
        "stimuli", .list(.section(Stimulus.keys.section)),
        "actions on firmware from outside, such as a button or a line at a UART; default: none"),
      .optional(
        "plant", .section(Plant.keys.section),
        "a program that simulates what firmware controls; default: none"),
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
        "adapter", .section(Rig.Adapter.keys.section),
        "the adapter; default: \(I2CBusFrequency.standardText), no limits"),
      .optional("devices", .list(device), "the devices on a virtual bus"),
      .optional(
        "physical", .text,
        "instead of devices: a real adapter, /dev/i2c-N or its name; needs 'clock: real'"),
      .optional(
        "bridge", .either([.word(BoardModel.all.map(\.name)), .section(Rig.Bridge.keys.section)]),
        "a microcontroller between the adapter and the program; default: none"),
      .optional("trace", .path, "instead of devices: a trace to replay"),
      .optional(
        "replay", .word(ReplayMode.allCases.map(\.rawValue)),
        "with 'trace': the replay mode; default: strict"),
      .optional(
        "times", .either([.word(["kept", "ignored"]), .number(0.000001...1e6)]),
        "with 'trace': keep or ignore its times, or multiply them by a factor; default: kept"),
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
      } + otherDevices))

  /// The devices that are no sensors of the catalogue, by the value of 'model'.
  private static var otherDevices: [(String, Section)] {
    var devices = (BuiltInFile.names(.part) + [Section.anyFile]).map { ($0, described) }
    devices += Rig.BoardDevice.models.map { ($0, Rig.BoardDevice.section(of: $0)) }
    return devices + [(Rig.Multiplexer.model, multiplexer), (Section.anyGroup, inPlace)]
  }

  /// A device whose part is described in the rig, or is a program.
  private static let inPlace = Section(
    "A part that is described in the rig itself, or is a program.",
    [
      .required(
        "model", .either([.section(program), .section(PartFile.section)]),
        "a program, {program: [python3, my_part.py], like: sht4x}, or a part with the keys of a part file",
        describedAt: "PartKeys"
      ).example("{program: [python3, my_part.py], like: sht4x}"),
      .optional(
        "address", .anyAddress,
        "the address; default: the first of a described part; a program has none"
      ).example("0x44"),
    ] + DescribedPart.device.fields.filter { $0.name != "calibration" }.map(describedWithFiles)
      + shared)

  /// Returns a key of a described part, whose inner keys the reference describes with the parts of files.
  private static func describedWithFiles(_ field: Section.Field) -> Section.Field {
    guard [.mapping, .list].contains(field.shape.form) else { return field }
    var field = field
    field.describedAt = "the parts of files"
    return field
  }

  private static let program = Section(
    "A part that is a program.",
    [
      .required(
        "program", .list(.text), "the program and its arguments, run in the folder of the rig"
      ).example("[python3, my_part.py]"),
      .optional(
        "like", .word(Catalogue.names),
        "the model whose driver reads it in pipelines and 'read'; default: none"
      ).example("sht4x"),
    ])

  /// A multiplexer, which is no sensor.
  private static let multiplexer = Section(
    "A multiplexer with eight channels, each of which leads to another bus of the rig.",
    [
      .optional(
        "address", .address(multiplexerAddresses.map { Int($0.rawValue) }),
        "0x70 to 0x77 (A2 to A0); default: the first"),
      .required(
        "channels", .list(.either([busNumber, .word(["none"])])),
        "the number of the bus at each channel, from channel 0 on, or none"
      ).example("[11, none, 13]"),
      .optional(
        "bound", .boolean, "whether a kernel driver owns the address (EBUSY); default: false"),
    ])

  /// The possible addresses of a multiplexer.
  static let multiplexerAddresses = VirtualMultiplexer.addresses.compactMap(
    I2CAddress.init(rawValue:))

  /// A device that a part file describes.
  private static let described: Section = {
    var section = Section(
      "A part that is described in a file; 'model' is the name of a built-in one, or a path that ends in '.yaml'.",
      [
        .optional("address", .anyAddress, "one of the part's addresses; default: its first")
          .example("0x62")
      ]
        + DescribedPart.device.fields + shared)
    section.exampleWord = exampleOfDescribed
    return section
  }()

  /// The described part of examples, which has inputs and a serial number.
  static let exampleOfDescribed = "scd4x"
  /// A described part with a calibration.
  static let exampleOfCalibrated = "ms5611"

  /// The keys of every device.
  private static let shared: [Section.Field] = [
    .optional(
      "bound", .boolean, "whether a kernel driver owns the address (EBUSY); default: false"),
    .optional("module", .text, "the module of a cabin that it is in; default: the first"),
  ]
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
        "adapter", .section(Rig.Adapter.keys.section),
        "the adapter of each of the fleet's buses; default: \(I2CBusFrequency.standardText), no limits",
        describedAt: "buses: adapter"),
    ])

  /// A sensor without its address, which the fleet assigns.
  private static let template: Shape = {
    guard case .variants(let discriminator, let models) = device else { return device }
    return .variants(
      discriminator: discriminator,
      models.filter { $0.key != Rig.Multiplexer.model }.mapValues { model in
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
      .required("image", .path, "the image file: ELF, Intel HEX, UF2 or raw binary"),
      .optional(
        "also", .list(.path),
        "further files for the same microcontroller, such as a boot loader or a SoftDevice; default: none"
      ).example("[bootloader.hex]"),
      .optional(
        "fuses", .section(fuses),
        "the fuse bytes of an AVR; default: a crystal of 16 MHz, and BOOTRST for a boot loader"),
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

  private static let fuses = Section(
    "The fuse bytes of an AVR, as programmers write them.",
    [("low", "0xFF"), ("high", "0xDF"), ("extended", "0xFD")].map { name, usual in
      .optional(name, .integer(0...255), "the \(name) fuse byte; default: \(usual)").example(usual)
    })

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
