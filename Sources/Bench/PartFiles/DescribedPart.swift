package import Environment
package import I2C
package import Parts
import Quantities
package import Schema
import Support
package import VirtualI2C

/// A described part as a part of a bench: its keys, virtual part, driver and words.
package struct DescribedPart: PartModel {
  /// What the part file says.
  package let description: PartDescription

  package init(_ description: PartDescription) { self.description = description }

  package var name: String { description.name }

  package var title: String { description.title }

  package var addresses: [I2CAddress] { description.addresses }

  package var addressSummary: String {
    let list = addresses.map { "\($0)" }.joined(separator: ", ")
    return description.addressPins.isEmpty ? list : "\(list) (\(description.addressPins))"
  }

  package var startTime: UInt64 { description.startTime.maximum }

  package var hasChecksum: Bool { description.checksum != nil }

  package var ranges: SampleRanges {
    var ranges = SampleRanges()
    for value in description.values {
      for case .air(let quantity) in value.source.elements {
        ranges[quantity] = value.range ?? -Double.infinity...Double.infinity
      }
    }
    return ranges
  }

  package var keys: [Section.Field] { Self.device.fields }

  /// No keys: a driver measures as the part file says.
  package var driverKeys: [Section.Field] { [] }

  package var usualSettings: any DriverSettings { DescribedSettings(description) }

  package func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings {
    usualSettings
  }

  package func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver {
    DescribedDriver(description, adapter, clock, at: address)
  }

  /// Any device that acknowledges can be this part.
  package func identify(
    _ adapter: any I2CAdapter, at address: I2CAddress
  ) throws(I2CError) -> PartIdentity {
    .itself
  }

  package var text: any TransferText { DescribedText(description) }

  package var fidelity: String { "" }

  package func configured(
    _ value: CheckedValue, _ reader: inout PartReader
  ) -> (any ConfiguredPart)? {
    var start = DescribedOptions(inputs: description.inputs.map(\.usual))
    start.given = []
    Self.device.read(value, into: &start, &reader)
    for input in start.given {
      if let index = description.inputs.firstIndex(where: { $0.name == input.name }) {
        start.inputs[index] = input.value
      } else {
        let known = description.inputs.map(\.name)
        reader.checker.note(
          "\(titleWithArticle) has no input '\(input.name.clipped)'"
            + NearestWord.hint(input.name, among: known),
          at: value["inputs"]?.position ?? value.position)
      }
    }
    if let key = value["calibration"], let constants = start.constants {
      let form = description.calibration.map { type(of: $0) }
      if let mistake = form.map({ $0.mistake(in: constants) }) ?? "the part has no such constants" {
        reader.checker.note("calibration: \(mistake)", at: key.position)
      } else {
        start.calibration = form?.init(constants)
      }
    }
    if let serial = value["serial"], !description.hasSerialNumber {
      reader.checker.note("\(titleWithArticle) has no serial number", at: serial.position)
    }
    if let address = value["address"], let number = address.integer,
      !addresses.contains(where: { Int($0.rawValue) == number })
    {
      reader.checker.note(
        "address: \(titleWithArticle) is at \(addressSummary)", at: address.position)
    }
    return ConfiguredDescribedPart(start, self)
  }

  /// The keys of every described part in a rig.
  package static let device = KeyGroup("The keys of a described part.", DescribedOptions()) {
    Key.deviations + [
      Key(
        "serial", \.serialNumber, .serialNumber(digits: 16, bits: 64) { $0 },
        "the serial number, 16 digits, if the part has one", absent: "generated from the seed"
      ).example("\"0123456789abcdef\""),
      Key(
        "calibration", \.constants, .list(.integer(-(1 << 31)...(1 << 31))),
        "the constants of the part, in the order of its data sheet", absent: "as the part file says"
      ).example("[40127, 36924, 23317, 23282, 33464, 28312]"),
      Key(
        "inputs", \.given, .list(.group(input)),
        "the inputs of the part that are no air; default: as the part file says", default: .none
      ).example("[{name: co2, is: 800}]"),
    ]
  }

  private static let input = KeyGroup(
    "An input of a described part.", DescribedOptions.Input(name: "", value: 0),
    example: "{name: co2, is: 800}"
  ) {
    [
      .required("name", \.name, .text, "the input").example("co2"),
      .required("is", \.value, .number(-1e9...1e9), "its value, in the unit of the part file")
        .example("800"),
    ]
  }
}

/// The settings of a described part that are no part of its description.
package struct DescribedOptions: DeviatingOptions, Sendable {
  package var noise = PartNoise.off
  package var timing = PartTiming.typical
  package var offset = PartDeviation()
  package var driftPerYear = PartDeviation()
  /// An input that a rig sets.
  package struct Input: Sendable {
    package var name: String
    package var value: Double
  }

  /// The inputs that the rig sets.
  var given: [Input] = []
  /// The constants of the calibration that the rig sets.
  var constants: [Int]?
  /// The calibration that the rig sets; `nil` for that of the part file.
  package var calibration: (any CalibrationForm)?
  /// The values of the inputs, in the order of the description.
  package var inputs: [Double]
  /// The serial number; `nil` for one from the seed.
  package var serialNumber: UInt64?

  package init(inputs: [Double] = []) { self.inputs = inputs }
}

/// A described part as configured by a rig.
package struct ConfiguredDescribedPart: ConfiguredPart {
  package let options: DescribedOptions
  private let part: DescribedPart

  package init(_ options: DescribedOptions, _ part: DescribedPart) {
    (self.options, self.part) = (options, part)
  }

  package var model: any PartModel { part }

  package var details: [String] { [options.noise.summary, options.timing.summary] }

  package var excesses: [PartExcess] { [] }

  package func poweredOn(
    at address: I2CAddress, in air: any AirSource, seed: UInt64
  ) -> any VirtualPart {
    VirtualDescribedPart(part.description, at: address, in: air, options: options, seed: seed)
  }
}

/// The settings of the driver of a described part.
package struct DescribedSettings: DriverSettings {
  package let measurementTime: UInt64
  package let resultAge: UInt64
  package let measuresTemperature: Bool
  package let measuresPressure: Bool

  init(_ part: PartDescription) {
    let times = part.measurements.map { $0.maximum.elements.max() ?? 0 }
    measurementTime =
      part.registers.isAddressed
      ? times.max() ?? 0
      : part.reading.reduce(0) {
        $0 + (part.commands[$1.command].measurement.map { times[$0] } ?? 0)
      }
    // A part that measures by itself may have its last result from a period ago.
    let contents = part.registers.list.map(\.reset)
    let periods = part.measurements.compactMap { measurement in
      measurement.every.map { $0[$0.field.map { part.registers.value(of: $0, in: contents) } ?? 0] }
    }
    resultAge = measurementTime + (periods.max() ?? 0)
    func measures(_ quantity: Quantity) -> Bool {
      part.values.contains { $0.source.elements.contains(.air(quantity)) }
    }
    measuresTemperature = measures(.temperature)
    measuresPressure = measures(.pressure)
  }
}

extension PartDescription {
  /// `true` if a client can read a serial number.
  package var hasSerialNumber: Bool {
    commands.contains { command in
      command.response.contains { if case .serial = $0.content { true } else { false } }
    }
  }
}
