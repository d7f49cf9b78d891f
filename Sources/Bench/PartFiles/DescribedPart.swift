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

  package var firstResultTime: UInt64 {
    let contents = description.registers.list.map(\.reset)
    let repeated = description.measurements.first {
      $0.every != nil && description.registers.fulfil($0.conditions, in: contents)
    }
    guard let repeated else { return 0 }
    return startTime + description.duration(of: repeated, in: contents).maximum
  }

  package var hasChecksum: Bool { description.checksum != nil }

  package var resultByte: Int {
    let flags = description.measurements.flatMap { $0.newFields + $0.busy.map(\.field) }
    let states = Set(flags.map { description.registers.fields[$0].register })
    let lengths = description.commands.filter { command in
      !command.response.contains { if case .value = $0.content { true } else { false } }
        && command.response.contains { item in states.contains { item.content == .register($0) } }
    }.map(description.responseLength)
    // A status in the first byte of a result can be read alone.
    let isBehindStatus = description.checksum?.placement == .response
    return max(lengths.max() ?? 0, isBehindStatus ? 1 : 0)
  }

  package var identifyingRegisters: [UInt8] {
    let registers = description.registers.list.filter(\.identifies).compactMap(\.address)
    let commands = description.commands.filter(\.identifies).compactMap(\.code)
    return registers + commands.compactMap(UInt8.init(exactly:))
  }

  package var humidityOfCodes: ClosedRange<Double>? {
    let value = description.values.first { $0.source.elements == [.air(.humidity)] }
    guard let value, value.table.isEmpty, !value.isSigned, value.bits < 32,
      let scale = value.scale.elements.first, scale > 0
    else { return nil }
    return value.offset...value.offset + scale * Double(UInt32(1) << UInt32(value.bits) - 1)
  }

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

  package func listener(longestRead: Int) -> (any PartListener)? { DescribedListener(description) }

  package var fidelity: String { "" }

  package func configured(
    _ value: CheckedValue, _ reader: inout PartReader
  ) -> (any ConfiguredPart)? {
    var start = DescribedOptions(description)
    (start.given, start.left) = ([], [])
    Self.device.read(value, into: &start, &reader)
    var changed: Set<String> = []
    for (change, given) in zip(start.given, value["inputs"]?.list ?? []) {
      let isFirst = changed.insert(change.name).inserted
      if let mistake = set(change, in: &start, isFirst: isFirst) {
        reader.checker.note(mistake, at: given.position)
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
    for (field, given) in zip(start.left, value["initial_fields"]?.list ?? []) {
      if let mistake = leave(field.name, as: field.value, in: &start) {
        reader.checker.note("initial_fields: \(mistake)", at: given.position)
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

  /// Changes an input as a rig says; returns the mistake in that, or `nil`.
  private func set(
    _ change: InputChange, in options: inout DescribedOptions, isFirst: Bool
  ) -> String? {
    guard let index = description.inputs.firstIndex(where: { $0.name == change.name }) else {
      return "\(titleWithArticle) has no input '\(change.name.clipped)'"
        + NearestWord.hint(change.name, among: description.inputs.map(\.name))
    }
    switch description.inputs[index].origin {
    case .given: break
    case .product(let one, let other), .difference(let one, let other):
      return "the input '\(change.name)' follows from '\(description.inputs[one].name)' and "
        + "'\(description.inputs[other].name)'"
    }
    guard let course = change.applied(to: options.inputs[index], isFirst: isFirst) else {
      return "at: it is not after the previous change of '\(change.name)'"
    }
    options.inputs[index] = course
    return nil
  }

  /// Sets a field as an earlier program left it; returns the mistake in its name or value, or `nil`.
  package func leave(
    _ name: String, as value: Int, in options: inout DescribedOptions
  ) -> String? {
    let fields = description.registers.fields
    guard let index = fields.firstIndex(where: { $0.name == name }) else {
      return "\(titleWithArticle) has no field '\(name.clipped)'"
        + NearestWord.hint(name, among: fields.map(\.name))
    }
    guard !options.leftSettings.contains(where: { $0.field == index }) else {
      return "the field '\(name)' is set twice"
    }
    let largest = fields[index].largest
    guard value <= largest else { return "the largest value of the field '\(name)' is \(largest)" }
    let setting = PartDescription.Setting(field: index, value: UInt32(value))
    guard !description.resettingFields.contains(setting) else {
      return "the value \(value) of the field '\(name)' resets the part"
    }
    options.leftSettings.append(setting)
    return nil
  }

  package var repeatingFields: [(name: String, value: Int)] {
    let registers = description.registers
    let contents = registers.list.map(\.reset)
    let repeated = description.measurements.filter { $0.every != nil }
    guard !repeated.contains(where: { registers.fulfil($0.conditions, in: contents) }) else {
      return []
    }
    return repeated.first?.conditions.map {
      (registers.fields[$0.field].name, Int($0.values.first ?? 0))
    } ?? []
  }

  package var inputs: [PartInput] {
    description.inputs.indices.map { index in
      var input = description.inputs[index]
      let values = description.values.filter { $0.source.elements.contains(.input(index)) }
      let steps = values.flatMap(\.scale.elements).map(abs)
      input.tolerance = input.tolerance ?? steps.max() ?? 0
      input.isSelected = values.contains { $0.source.field != nil }
      return input
    }
  }

  /// The keys of every described part in a rig.
  package static let device = KeyGroup("The keys of a described part.", DescribedOptions()) {
    Key.deviations + [
      Key(
        "serial", \.serialNumber, .serialNumber(digits: 16, bits: 64) { $0 },
        "the serial number, 16 digits, if the part has one", absent: "generated from the seed"
      ).example("\"0123456789abcdef\""),
      Key(
        "supply", \.supply, .number(0...60),
        "the supply voltage in V; it has an effect on parts with a field for a low one",
        absent: "sufficient"
      ).example("2.5"),
      Key(
        "calibration", \.constants, .list(.integer(-(1 << 31)...(1 << 31))),
        "the constants of the part, in the order of its data sheet", absent: "as the part file says"
      ).example("[40127, 36924, 23317, 23282, 33464, 28312]"),
      Key(
        "inputs", \.given, .list(.group(InputChange.keys)),
        "the inputs of the part that are no air, and their changes in the order of time; default: as the part file says",
        default: .none
      ).example("[{name: co2, is: 800}]"),
      Key(
        "initial_fields", \.left, .list(.group(LeftField.keys)),
        "the fields of the part as an earlier program left them, which a supply that stays on preserves; default: as after power-on",
        default: .none
      ).example("[{field: running, is: 1}]"),
      Key(
        "unknown", \.unknown, .group(unknown),
        "what data sheets leave open; a part file may document another default"),
    ]
  }

  private static let unknown = KeyGroup.unknown(
    DescribedBehavior(), DescribedBehavior.assumptions,
    evidence: "a part file may document another one")
}

/// The settings of a described part that are no part of its description.
package struct DescribedOptions: PartOptions, Sendable {
  package var noise = PartNoise.off
  package var timing = PartTiming.typical
  package var offset = PartDeviation()
  package var driftPerYear = PartDeviation()
  /// The answers to what many data sheets leave open, and the keys of those that the data sheet of the part gives.
  package var unknown = DescribedBehavior()
  package private(set) var documented: Set<String> = []
  /// The supply voltage in V; `nil` for a sufficient one.
  package var supply: Double?
  /// The changes of inputs in the rig.
  var given: [InputChange] = []
  /// The fields that an earlier program set, as the rig gives them, and as the part has them.
  var left: [LeftField] = []
  var leftSettings: [PartDescription.Setting] = []
  /// The constants of the calibration that the rig sets.
  var constants: [Int]?
  /// The calibration that the rig sets; `nil` for that of the part file.
  package var calibration: (any CalibrationForm)?
  /// The values of the inputs over time, in the order of the description.
  ///
  /// Those of inputs that follow from others are not used.
  package var inputs: [Profile] = []
  /// The serial number; `nil` for one from the seed.
  package var serialNumber: UInt64?

  /// Creates the settings without any key.
  package init(_ part: PartDescription) {
    inputs = part.inputs.map { Profile(constant: $0.usual ?? 0) }
    (unknown, documented) = (part.behavior, part.documented)
  }

  /// Creates settings without inputs, which only have the defaults of the keys.
  fileprivate init() {}
}

/// A value that an input of a described part has from a time on, as a rig gives it.
struct InputChange: Sendable {
  var name = ""
  var value = 0.0
  /// The start of the change, and the time that it takes, in nanoseconds.
  var time: Int64 = 0, length: Int64 = 0

  /// Returns the course of an input after the change; `nil` if the change is not after the previous one in the rig.
  func applied(to course: Profile, isFirst: Bool) -> Profile? {
    let last = course.points[course.points.count - 1]
    if isFirst, time == 0, length == 0 { return Profile(constant: value) }
    guard isFirst || time > last.time else { return nil }
    // A step is a change within 1 ns.
    let start = Profile.Point(time: length == 0 ? time - 1 : time, value: last.value)
    let end = Profile.Point(time: time + length, value: value)
    return Profile(course.points.filter { $0.time < start.time } + [start, end])
  }

  /// The keys of a change of an input.
  static let keys = KeyGroup(
    "A value of an input of a described part.", InputChange(), example: "{name: co2, is: 800}"
  ) {
    [
      .required("name", \.name, .text, "the input").example("co2"),
      .required("is", \.value, .number(-1e9...1e9), "its value, in the unit of the part file")
        .example("800"),
      Key("at", \.time, .duration, "the time from which on it has the value").example("30s"),
      Key("over", \.length, .duration, "the time in which it changes linearly to the value")
        .example(
          "10s"),
    ]
  }
}

/// A field of a described part that an earlier program set, as a rig gives it.
struct LeftField: Sendable {
  var name = ""
  var value = 0

  /// The keys of a field that an earlier program set.
  static let keys = KeyGroup(
    "A field of a described part that an earlier program set.", LeftField(),
    example: "{field: running, is: 1}"
  ) {
    [
      .required("field", \.name, .text, "the field of the part file").example("running"),
      .required("is", \.value, .integer(0...0xFFFF_FFFF), "its value").example("1"),
    ]
  }
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
    let contents = part.registers.list.map(\.reset)
    let times = part.measurements.map { measurement in
      Double(measurement.maximum.elements.max() ?? 0)
        * part.registers.factor(measurement.times, in: contents)
    }.map(UInt64.init)
    measurementTime =
      part.registers.isAddressed
      ? times.max() ?? 0
      : part.reading.reduce(0) {
        $0 + (part.commands[$1.command].measurement.map { times[$0] } ?? 0)
      }
    // A part that measures by itself may have its last result from a period ago.
    let periods = part.measurements.compactMap { part.period(of: $0, in: contents) }
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
