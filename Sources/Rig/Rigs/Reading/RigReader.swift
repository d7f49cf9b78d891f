import Bridges
import Chips
import I2C
import I2CTrace
import PartFiles
package import Parts
package import Schema
package import Support
import TraceTools
import VirtualI2C

extension Rig {
  /// Reads a rig and the files that it references.
  ///
  /// - Parameters:
  ///   - path: the path of a file or the name of a built-in rig, with an optional prefix `rig:`.
  ///   - isHarsh: whether parts are harsh unless their keys say otherwise. Default: as the rig says.
  ///   - changes: keys to set to other values than those of the file. Default: none.
  /// - Throws: `Failure` with all errors of the rig, or with the failure to read a referenced file.
  package init(
    path: String, isHarsh: Bool = false, changes: [RigSource.Change] = []
  ) throws(Failure) {
    try self.init(RigSource(path: path), changes: changes, isHarsh: isHarsh)
  }

  /// Reads the text of a rig; referenced files are relative to `file`.
  ///
  /// - Throws: `Failure` with all errors of the rig, or with the failure to read a referenced file.
  package init(
    text: String, file: String, isBuiltIn: Bool = false, isHarsh: Bool = false
  ) throws(Failure) {
    try self.init(RigSource(text, file: file, isBuiltIn: isBuiltIn), isHarsh: isHarsh)
  }

  /// Reads a rig and the files that it references.
  ///
  /// - Parameters:
  ///   - source: the text of the rig.
  ///   - changes: keys to set to other values than those of the text. Default: none.
  ///   - isHarsh: whether parts are harsh unless their keys say otherwise. Default: as the rig says.
  /// - Throws: `Failure` with all errors of the rig, or with the failure to read a referenced file.
  package init(
    _ source: RigSource, changes: [RigSource.Change] = [], isHarsh: Bool = false
  ) throws(Failure) {
    let (text, file) = (source.text, source.file)
    let (value, checker) = try source.checked(changes)
    var reader = RigReader(file: file, checker: checker, isBuiltIn: source.isBuiltIn)
    reader.document.isHarsh = isHarsh
    let digest = SHA256.digits(
      changes.isEmpty ? text : text + changes.map { "\n\($0.text)" }.joined())
    let rig = reader.rig(value, summary: Self.headComment(of: text), digest: digest)
    let failures = reader.document.fileFailures.flatMap(\.findings)
    guard reader.checker.errors.isEmpty else {
      if let family = DocumentFamily(of: text), family != .rig {
        throw Failure(
          .badRig, [family.wrongKindError(expected: "a rig of parts on a bus", file: file)])
      }
      throw Failure(.badRig, reader.checker.findings + failures)
    }
    if let first = reader.document.fileFailures.first { throw Failure(first.kind, failures) }
    self = rig
    namedFiles = reader.document.namedFiles
    self.isHarsh = reader.document.isHarsh
    notes = reader.checker.notes
  }

  /// The comment lines at the head of a file, without `#`.
  private static func headComment(of text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { $0.hasPrefix("#") }
      .map { $0.drop { $0 == "#" }.trimmed }
      .filter { !$0.isEmpty && !$0.hasPrefix("yaml-language-server:") }
      .joined(separator: "\n")
  }
}

/// Creates a rig from a checked document, and makes the checks that the schema cannot express.
///
/// Invalid parts of the document are skipped: their errors have been noted, and errors that follow from them are
/// not reported.
package struct RigReader {
  /// Collects errors and the files that the rig references.
  package var document: PartReader
  package var checker: Checker {
    get { document.checker }
    _modify { yield &document.checker }
  }
  /// The locations of the rig's sensors.
  package var sensorIDs: [Rig.SensorID] = []
  /// `true` if all devices are known, so that a missing location is an error.
  package var knowsAllSensors = true
  /// The numbers of the real and replayed buses, whose devices the rig does not list.
  package var foreignBuses: [Int] = []
  /// The numbers of the buses with a multiplexer.
  package var multiplexedBuses: [Int] = []
  /// The numbers of the buses at the channels of multiplexers.
  package var channelBuses: [Int] = []
  /// The numbers of the buses with a bridge.
  package var bridgedBuses: [Int] = []
  /// `true` if the rig has a fleet.
  private(set) var hasFleet = false
  private(set) var clock = Rig.ClockKind.virtual
  /// The model of the sensor at each location.
  package var models: [Rig.SensorID: any PartModel] = [:]

  package init(file: String, checker: Checker, isBuiltIn: Bool = false) {
    document = PartReader(file: file, checker: checker, isBuiltIn: isBuiltIn)
  }

  /// Notes which buses have no virtual parts, a multiplexer, the parts at a channel of one, or a bridge.
  package mutating func noteKinds(of buses: [Rig.Bus]) {
    foreignBuses = buses.filter { $0.source != .devices }.map(\.number)
    multiplexedBuses = buses.filter { !$0.multiplexers.isEmpty }.map(\.number)
    channelBuses = multiplexedBuses.isEmpty ? [] : Array(Rig.channels(of: buses).keys)
    bridgedBuses = buses.filter { $0.bridge != nil }.map(\.number)
  }

  package mutating func rig(_ value: CheckedValue, summary: String, digest: String) -> Rig {
    clock = Rig.ClockKind(rawValue: value["clock"]?.text ?? "") ?? .virtual
    if value["harsh"]?.boolean == true { document.isHarsh = true }
    var buses = buses(value["buses"])
    let fleet = fleet(value["fleet"], after: buses.map(\.number))
    hasFleet = fleet != nil
    if let fleet, let plan = value["fleet"] { buses += self.buses(of: fleet, plan) }
    if value["buses"] == nil, value["fleet"] == nil {
      checker.note("the rig lacks 'buses': the I2C buses", at: value.position)
    }
    noteKinds(of: buses)
    sensorIDs = buses.flatMap { bus in
      bus.devices.map { device in
        let sensorID = Rig.SensorID(bus: bus.number, address: device.address)
        return fleet?.named(sensorID) ?? sensorID
      }
    }
    for bus in buses {
      for device in bus.devices {
        models[Rig.SensorID(bus: bus.number, address: device.address)] = device.part.model
      }
    }
    knowsAllSensors =
      value["buses"]?.isSound ?? (fleet != nil) && sensorIDs.count == deviceCount(value)
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
    // If the firmware section has errors, its absence is not an error of the expectations.
    let knowsProgram = knowsPipeline && (firmware != nil || value["firmware"] == nil)
    let rig = Rig(
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
    return withClockSteps(value["clock_steps"], withOutside(of: value, rig))
  }

  /// Returns a rig with what acts on its firmware from outside.
  private mutating func withOutside(of value: CheckedValue, _ rig: Rig) -> Rig {
    withPlant(value["plant"], withStimuli(value["stimuli"], rig))
  }

  /// Returns a rig with what its firmware controls.
  private mutating func withPlant(_ value: CheckedValue?, _ rig: Rig) -> Rig {
    guard let value, value.isSound, var plant = Plant.keys.value(value, &checker) else {
      return rig
    }
    if rig.pipeline != nil {
      checker.note("a 'plant' needs 'firmware', but the rig has a 'pipeline'", at: value.position)
    }
    if case .cabin = rig.environment {
      checker.note("'plant' and the environment 'cabin' exclude each other", at: value.position)
    }
    plant.fileLine = value.position.line
    var rig = rig
    rig.plant = plant
    return rig
  }

  /// Returns a rig with the stimuli of its firmware.
  private mutating func withStimuli(_ value: CheckedValue?, _ rig: Rig) -> Rig {
    guard let value else { return rig }
    if rig.pipeline != nil {
      checker.note("'stimuli' act on firmware, but the rig has a 'pipeline'", at: value.position)
    }
    var rig = rig
    rig.stimuli = stimuli(value, duration: rig.duration.map(Int64.init))
    return rig
  }

  /// Returns a rig with the steps of the wall clock.
  private mutating func withClockSteps(_ value: CheckedValue?, _ rig: Rig) -> Rig {
    guard let value else { return rig }
    var rig = rig
    rig.clockSteps = value.list.map { given in
      var step = Rig.ClockStep()
      Rig.ClockStep.keys.read(given, into: &step, &checker)
      return step
    }
    if !rig.isWallClockInRange {
      checker.note(
        "clock_steps: together they set the wall clock before 1970 or after 2200",
        at: value.position)
    }
    return rig
  }

  // MARK: Buses

  private func deviceCount(_ value: CheckedValue) -> Int {
    (value["buses"]?.list ?? [])
      .map {
        ($0["devices"]?.list ?? []).count { !Self.isMultiplexer($0) && !Self.isBoardDevice($0) }
      }
      .reduce(value["fleet"].map { $0["count"]?.integer ?? 1 } ?? 0, +)
  }

  private mutating func buses(_ value: CheckedValue?) -> [Rig.Bus] {
    var buses: [Rig.Bus] = []
    for value in value?.list ?? [] {
      let bus = bus(value)
      if value["number"]?.isSound == true, buses.contains(where: { $0.number == bus.number }) {
        checker.note("duplicate bus number \(bus.number)", at: value.position)
      }
      buses.append(bus)
    }
    checkChannels(value, of: buses)
    return Rig.sharingAdapters(buses)
  }

  private mutating func bus(_ value: CheckedValue) -> Rig.Bus {
    let source = source(of: value)
    var devices: [Rig.Device] = []
    var multiplexers: [Rig.Multiplexer] = []
    var boardDevices: [Rig.BoardDevice] = []
    var addresses: Set<I2CAddress> = []
    for value in value["devices"]?.list ?? [] where value.isSound {
      let address: I2CAddress
      if Self.isMultiplexer(value) {
        multiplexers.append(multiplexer(value))
        address = multiplexers[multiplexers.count - 1].address
      } else if Self.isBoardDevice(value) {
        guard let device = boardDevice(value) else { continue }
        boardDevices.append(device)
        address = device.address
      } else if let device = device(value) {
        devices.append(device)
        address = device.address
      } else {
        continue
      }
      if !addresses.insert(address).inserted {
        checker.note("duplicate device address \(address)", at: value.position)
      }
    }
    return Rig.Bus(
      number: value["number"]?.integer ?? 0,
      source: source, line: value.position.line, adapter: adapter(value["adapter"]),
      devices: devices, multiplexers: multiplexers, boardDevices: boardDevices,
      bridge: bridge(value["bridge"]))
  }

  package mutating func adapter(_ value: CheckedValue?) -> Rig.Adapter {
    Rig.Adapter.keys.value(value, &checker) ?? Rig.Adapter()
  }
}

extension RigReader {
  /// Reads the source of a bus: the devices of the rig, a real adapter, or a trace.
  package mutating func source(of bus: CheckedValue) -> Rig.Source {
    guard bus.isSound else { return .devices }
    let kinds = ["devices", "physical", "trace"].filter { bus[$0] != nil }
    guard let kind = kinds.first else {
      checker.note(
        "a bus needs 'devices', or 'physical' for a real bus, or 'trace' for a replayed bus",
        at: bus.position)
      return .devices
    }
    if kinds.count > 1 || kind != "devices" {
      let other = kinds.count > 1 ? kinds[1] : nil
      let foreign = kind == "devices" ? other ?? kind : kind
      let name = foreign == "trace" ? "replayed" : "physical"
      for key in ["devices", "adapter", "bridge", foreign == "trace" ? "physical" : "trace"] {
        guard let value = bus[key] else { continue }
        checker.note("'\(key)' is not allowed on a \(name) bus", at: value.position)
      }
    }
    for key in ["replay", "times"] where bus["trace"] == nil {
      guard let value = bus[key] else { continue }
      checker.note("'\(key)' is only allowed with 'trace'", at: value.position)
    }
    if let physical = bus["physical"] {
      if clock != .real {
        checker.note("a physical bus needs 'clock: real'", at: physical.position)
      }
      return .physical(physical.text ?? "")
    }
    return bus["trace"].map { trace($0, of: bus) } ?? .devices
  }

  private mutating func trace(_ path: CheckedValue, of bus: CheckedValue) -> Rig.Source {
    let file = document.named(path.text, .trace, at: path.position)
    if let file {
      do throws(Failure) {
        _ = try TraceInput(file)
      } catch {
        document.fail(error, at: path.position)
      }
    }
    let mode = ReplayMode(rawValue: bus["replay"]?.text ?? "") ?? .strict
    let times = bus["times"]
    let factor = times?.number ?? (times?.text == "ignored" ? 0 : 1)
    return .trace(file ?? "", ReplayOptions(mode, pace: Replay.Pace(factor: factor)))
  }
}

extension RigReader {
  /// Reads the Bluetooth board between a bus and the program; returns `nil` if there is none.
  package mutating func bridge(_ value: CheckedValue?) -> Rig.Bridge? {
    guard let value else { return nil }
    let name = value.text ?? value["kind"]?.text
    var bridge = Rig.Bridge(name.flatMap(BoardModel.named) ?? .usual)
    Rig.Bridge.keys.read(value, into: &bridge, &checker)
    bridge.radios = radios(value)
    return bridge
  }

  /// Reads the radios of a board with `link: ble`; returns `nil` for a simulated link.
  private mutating func radios(_ bridge: CheckedValue) -> BoardRadios? {
    let plan = bridge["radios"]
    guard bridge["link"]?.text.map({ $0 == "ble" }) ?? (plan != nil) else {
      if let plan { checker.note("'radios' needs 'link: ble'", at: plan.position) }
      return nil
    }
    var radios = BoardRadios()
    if let plan, plan.isSound {
      radios.client = plan["client"]?.text ?? radios.client
      radios.board = plan["board"]?.text ?? radios.board
      if (radios.client == "virtual") != (radios.board == "virtual") {
        checker.note(
          "a virtual radio cannot connect to a real one: set both, for example {client: \"usb:0\", board: \"usb:1\"}",
          at: plan.position)
      }
    }
    return radios
  }
}

extension RigReader {
  /// Creates the fleet of a rig and checks that its buses are free.
  ///
  /// The template is read once, so that an error in it is reported once, at its position.
  ///
  /// - Parameters:
  ///   - value: the fleet.
  ///   - taken: the numbers of the other buses.
  /// - Returns: the fleet, or `nil` if it is invalid; the errors have been noted.
  package mutating func fleet(_ value: CheckedValue?, after taken: [Int]) -> Fleet? {
    guard let value, value.isSound, let count = value["count"]?.integer,
      let template = value["template"],
      let model = model(of: template),
      let part = model.configured(template, &document),
      let addresses = fleetAddresses(value["addresses"], of: model)
    else { return nil }
    guard part.program == nil else {
      checker.note("a part of a fleet cannot be a program", at: template.position)
      return nil
    }
    let fleet = Fleet(
      name: value["name"]?.text ?? "part", count: count,
      firstBus: value["first_bus"]?.integer ?? taken.max().map { $0 + 1 } ?? 1,
      addresses: addresses, part: part, module: template["module"]?.text)
    let position = (value["first_bus"] ?? value).position
    let (first, last) = (fleet.buses.lowerBound, fleet.buses.upperBound - 1)
    guard last <= I2CBusNumber.all.upperBound else {
      checker.note(
        "\(count) parts need \(fleet.busCount) buses from number \(first), "
          + "but the largest bus number is \(I2CBusNumber.all.upperBound)", at: position)
      return nil
    }
    if let other = taken.first(where: fleet.buses.contains) {
      checker.note(
        "duplicate bus number \(other): the fleet uses \(first) to \(last)", at: position)
      return nil
    }
    return fleet
  }

  /// Creates the buses of a fleet.
  package mutating func buses(of fleet: Fleet, _ value: CheckedValue) -> [Rig.Bus] {
    let adapter = adapter(value["adapter"])
    let isBound = value["template"]?["bound"]?.boolean ?? false
    return fleet.buses.map { number in
      Rig.Bus(
        number: number, source: .devices, line: value.position.line, adapter: adapter,
        devices: fleet.addresses(on: number).map {
          Rig.Device(address: $0, part: fleet.part, isBound: isBound, module: fleet.module)
        },
        multiplexers: [], boardDevices: [], bridge: nil)
    }
  }

  private mutating func fleetAddresses(
    _ value: CheckedValue?, of model: any PartModel
  ) -> [I2CAddress]? {
    guard let value else { return model.addresses }
    var addresses: [I2CAddress] = []
    for entry in value.list {
      guard let number = entry.integer, let address = I2CAddress(rawValue: UInt16(number)) else {
        continue
      }
      guard !addresses.contains(address) else {
        checker.note("duplicate address \(address)", at: entry.position)
        return nil
      }
      addresses.append(address)
    }
    return addresses
  }
}
