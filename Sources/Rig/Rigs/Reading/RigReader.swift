import BuiltIn
import Chips
package import Files
import I2C
package import Parts
package import Schema
import Text
import VirtualI2C

extension Rig {
  /// Reads a rig, a file or a built-in one, and all that it names.
  ///
  /// - Parameter path: the path of a file, or the name of a built-in rig; `rig:` may stand before both.
  /// - Throws: `Failure` with every mistake found, or the failure of a file that it names.
  package init(path: String) throws(Failure) {
    let hasScheme = path.hasPrefix("rig:") && !TextFile.exists(path)
    let word = hasScheme ? String(path.dropFirst(4)) : path
    let input = try NamedInput(word, .rig)
    try self.init(
      text: TextFile.read(NamedInput.open(input.path), longest: Document.longest), file: word,
      isBuiltIn: input.isBuiltIn)
  }

  /// Reads the text of a rig; files that it names are found next to `file`.
  ///
  /// - Throws: `Failure` with every mistake found, or the failure of a file that it names.
  package init(text: String, file: String, isBuiltIn: Bool = false) throws(Failure) {
    var reader: RigReader
    let value: CheckedValue
    do throws(Mistake) {
      let (found, checker) = try Document.read(
        text, file: file, as: RigSchema.rig, named: "the rig", kind: .rig)
      value = found
      reader = RigReader(file: file, checker: checker, isBuiltIn: isBuiltIn)
    } catch {
      throw Failure(.badRig, [error])
    }
    let digest = SHA256.digits(text)
    let rig = reader.rig(value, summary: Self.headComment(of: text), digest: digest)
    let failures = reader.document.fileFailures.flatMap(\.findings)
    guard reader.checker.mistakes.isEmpty else {
      if let family = DocumentFamily(of: text), family != .rig {
        throw Failure(.badRig, [family.refusal("a rig of parts on a bus", file: file)])
      }
      throw Failure(.badRig, reader.checker.findings + failures)
    }
    if let first = reader.document.fileFailures.first { throw Failure(first.kind, failures) }
    self = rig
    namedFiles = reader.document.namedFiles
    notes = reader.checker.notes
  }

  /// The comment lines at the head of a file, without their marks.
  private static func headComment(of text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { $0.hasPrefix("#") }
      .map { $0.drop { $0 == "#" }.trimmed }
      .filter { !$0.isEmpty && !$0.hasPrefix("yaml-language-server:") }
      .joined(separator: "\n")
  }
}

/// Creates a rig from a checked document, and checks what no shape can say.
///
/// A part of the document that is not sound is passed over: its mistakes have been noted, and what
/// depends on it is not blamed.
package struct RigReader {
  /// Takes mistakes, and the files that the rig names.
  package var document: PartReader
  package var checker: Checker {
    get { document.checker }
    _modify { yield &document.checker }
  }
  /// The sensors of the rig, for everything that names one.
  package var places: [Rig.SensorID] = []
  /// Whether every device is known, so that a place that is not there is a mistake.
  package var knowsAllPlaces = true
  /// The numbers of real and recorded buses: nobody knows here what is on them.
  package var foreignBuses: [Int] = []
  /// The numbers of the buses behind a bridge.
  package var bridgedBuses: [Int] = []
  /// Whether the rig has a fleet.
  private(set) var hasFleet = false
  private(set) var clock = Rig.ClockKind.virtual
  /// The model of each of them.
  package var models: [Rig.SensorID: any PartModel] = [:]

  package init(file: String, checker: Checker, isBuiltIn: Bool = false) {
    document = PartReader(file: file, checker: checker, isBuiltIn: isBuiltIn)
  }

  package mutating func rig(_ value: CheckedValue, summary: String, digest: String) -> Rig {
    clock = Rig.ClockKind(rawValue: value["clock"]?.text ?? "") ?? .virtual
    var buses = buses(value["buses"])
    let fleet = fleet(value["fleet"], after: buses.map(\.number))
    hasFleet = fleet != nil
    if let fleet, let plan = value["fleet"] { buses += self.buses(of: fleet, plan) }
    if value["buses"] == nil, value["fleet"] == nil {
      checker.note("the rig lacks 'buses': the I2C buses", at: value.position)
    }
    foreignBuses = buses.filter { $0.source != .devices }.map(\.number)
    bridgedBuses = buses.filter { $0.bridge != nil }.map(\.number)
    places = buses.flatMap { bus in
      bus.devices.map { device in
        let place = Rig.SensorID(bus: bus.number, address: device.address)
        return fleet?.named(place) ?? place
      }
    }
    for bus in buses {
      for device in bus.devices {
        models[Rig.SensorID(bus: bus.number, address: device.address)] = device.part.model
      }
    }
    knowsAllPlaces =
      value["buses"]?.isSound ?? (fleet != nil) && places.count == deviceCount(value)
      && foreignBuses.isEmpty
    let duration = value["duration"]?.nanoseconds
    var pipeline: Pipeline?
    if let plan = value["pipeline"] {
      if plan.isSound { pipeline = self.pipeline(plan) }
    }
    var firmware = value["firmware"].flatMap { self.firmware($0, of: value) }
    firmware?.awaited = value["expect"]?["uart"]?.text
    let start = value["environment"]?["series"]?["start"]?.nanoseconds
    let faults = faults(value["faults"], in: Timeline(start: start, duration: duration))
    let environment = environment(value["environment"], duration: duration)
    checkModules(of: value, environment)
    let knowsPipeline = value["pipeline"].map(\.isSound) ?? true
    // What firmware with mistakes of its own lacks is none of the expectations' mistakes.
    let knowsProgram = knowsPipeline && (firmware != nil || value["firmware"] == nil)
    return Rig(
      file: document.file, digest: digest, summary: summary,
      name: value["name"]?.text ?? "",
      seed: UInt64(value["seed"]?.integer ?? 0),
      clock: clock,
      duration: duration.map(UInt64.init),
      buses: buses, fleet: fleet,
      environment: environment,
      pipeline: pipeline,
      firmware: firmware,
      faults: faults,
      notifications: knowsPipeline ? notifications(value["notify"], pipeline: pipeline) : [],
      expectations: knowsProgram
        ? expectations(
          value["expect"], pipeline: pipeline, firmware: firmware, faults: faults,
          duration: duration) : []
    )
  }

  // MARK: Buses

  private func deviceCount(_ value: CheckedValue) -> Int {
    (value["buses"]?.list ?? []).map { $0["devices"]?.list.count ?? 0 }
      .reduce(value["fleet"].map { $0["count"]?.integer ?? 1 } ?? 0, +)
  }

  private mutating func buses(_ value: CheckedValue?) -> [Rig.Bus] {
    var buses: [Rig.Bus] = []
    for value in value?.list ?? [] {
      let bus = bus(value)
      if value["number"]?.isSound == true, buses.contains(where: { $0.number == bus.number }) {
        checker.note("there is already a bus number \(bus.number)", at: value.position)
      }
      buses.append(bus)
    }
    return buses
  }

  private mutating func bus(_ value: CheckedValue) -> Rig.Bus {
    let source = source(of: value)
    var devices: [Rig.Device] = []
    for value in value["devices"]?.list ?? [] {
      guard value.isSound, let device = device(value) else { continue }
      if devices.contains(where: { $0.address == device.address }) {
        checker.note("there is already a device at \(device.address)", at: value.position)
      }
      devices.append(device)
    }
    return Rig.Bus(
      number: value["number"]?.integer ?? 0,
      source: source, line: value.position.line, adapter: adapter(value["adapter"]),
      devices: devices, bridge: bridge(value["bridge"]))
  }

  package func adapter(_ value: CheckedValue?) -> Rig.Adapter {
    let personality = value?["personality"]?.text.flatMap(Personality.init(named:))
    return Rig.Adapter(
      frequency: UInt64(value?["frequency"]?.number ?? Double(I2CBusFrequency.standard)),
      functionality: personality?.functionality ?? .standard,
      errnoPolicy: errnoPolicy(value, personality?.errnoPolicy ?? ErrnoPolicy()),
      quirks: quirks(value?["quirks"], personality?.quirks ?? .none),
      stretchLimit: value?["stretch_limit"]?.number.map { UInt64($0) }
        ?? personality?.stretchLimit ?? 1_000_000_000)
  }

  private func errnoPolicy(_ adapter: CheckedValue?, _ otherwise: ErrnoPolicy) -> ErrnoPolicy {
    var policy = otherwise
    switch adapter?["nack"]?.text {
    case "ENXIO": policy.addressNack = .enxio
    case "EREMOTEIO": policy.addressNack = .eremoteio
    case "EIO": policy.addressNack = .eio
    default: break
    }
    return policy
  }

  private func quirks(_ value: CheckedValue?, _ otherwise: I2CQuirks) -> I2CQuirks {
    I2CQuirks(
      maxReadLength: value?["max_read"]?.integer ?? otherwise.maxReadLength,
      maxWriteLength: value?["max_write"]?.integer ?? otherwise.maxWriteLength,
      maxMessages: value?["max_messages"]?.integer ?? otherwise.maxMessages,
      maxCombinedWriteLength: value?["max_combined_write"]?.integer
        ?? otherwise.maxCombinedWriteLength,
      maxCombinedReadLength: value?["max_combined_read"]?.integer
        ?? otherwise.maxCombinedReadLength,
      noZeroLength: value?["no_zero_length"]?.boolean ?? otherwise.noZeroLength)
  }

  private mutating func device(_ value: CheckedValue) -> Rig.Device? {
    guard let model = Catalogue.model(named: value["model"]?.text ?? ""),
      let part = model.configured(value, &document)
    else { return nil }
    let address = value["address"]?.integer.flatMap { I2CAddress(rawValue: UInt16($0)) }
    return Rig.Device(
      address: address ?? model.addresses[0], part: part, isBound: value["bound"]?.boolean ?? false,
      module: value["module"]?.text)
  }
}
