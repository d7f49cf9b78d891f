package import Bridges
package import Environment
import Glibc
package import I2C
package import Parts
import Schema
package import Support
package import TraceTools
package import VirtualI2C

/// The contents of a rig file: the bench, the program that reads it, the faults to inject and the expectations.
package struct Rig: Sendable {
  /// The clock of the bench.
  package enum ClockKind: String, Hashable, Sendable, CaseIterable {
    /// Virtual time, which advances only with waits and transfers, so a run takes only as long as
    /// its computation.
    case virtual
    /// Real time: the wall clock.
    case real
  }

  /// The path of the file, as given by the user.
  package let file: String
  /// The other files that the rig references, in the order of the references.
  package internal(set) var namedFiles: [String] = []
  /// Notes about keys with former names.
  package internal(set) var notes: [Finding] = []
  /// The SHA-256 of the file, in hexadecimal.
  package let digest: String
  /// The comment at the head of the file.
  package let summary: String
  /// The name for reports.
  package let name: String
  /// The seed of all random numbers.
  package var seed: UInt64
  /// The clock of the bench.
  package var clock: ClockKind
  /// The length of a run, in nanoseconds; `nil` for no limit.
  package var duration: UInt64?
  /// The buses in the order of the file, followed by the buses of the fleet.
  package internal(set) var buses: [Bus]
  /// Many identical parts, on the last buses; `nil` if the rig has no fleet.
  package let fleet: Fleet?
  /// The ambient air.
  package private(set) var environment: RigEnvironment
  /// The program that reads the sensors; `nil` if the rig has none.
  package private(set) var pipeline: Pipeline?
  /// The firmware that uses the buses instead of a pipeline; `nil` if the rig has none.
  package let firmware: FirmwareConfiguration?
  /// The faults to inject, in the order of the file.
  package internal(set) var faults: [Fault]
  /// The actions on firmware from outside, in the order of the file.
  package internal(set) var stimuli: [Stimulus] = []
  /// The program that simulates what firmware controls; `nil` if there is none.
  package internal(set) var plant: Plant?
  /// The programs to run on an event.
  package let notifications: [Notification]
  /// The conditions that the run must meet.
  package let expectations: [Expectation]
  /// The steps of the wall clock that programs in virtual time see.
  package internal(set) var clockSteps: [ClockStep] = []
  /// Whether parts answer open questions against the driver unless their keys say otherwise.
  package internal(set) var isHarsh = false
  /// Whether parts of the rig and its plant may be programs.
  package var allowsPrograms = false

  /// Replaces the cabin by one with another leak, and lets no crew of the rig search for it.
  ///
  /// - Parameters:
  ///   - plan: the plan of the cabin.
  ///   - end: the end of the run, in nanoseconds.
  package mutating func rehearse(_ plan: CabinPlan, until end: UInt64) {
    environment = .cabin(plan)
    duration = end
    pipeline?.leak?.search = nil
  }

  /// Lets a crew search for the leak.
  ///
  /// - Parameter reach: the time in nanoseconds that the crew needs to reach a hatch.
  package mutating func letCrewSearch(reach: UInt64) { pipeline?.leak?.search = reach }

  /// The source of the responses on a bus.
  package enum Source: Hashable, Sendable {
    /// The devices of the rig.
    case devices
    /// A real adapter, by its path or its name.
    case physical(String)
    /// A replayed trace: the bus with the same number in it, or the only bus in it.
    case trace(String, ReplayOptions)
  }

  /// The properties of an adapter.
  package struct Adapter: Hashable, Sendable {
    /// The bus frequency in Hz.
    package var frequency = I2CBusFrequency.standard
    /// The transfers that the adapter supports.
    package var functionality = I2CFunctionality.standard
    /// The errno that the adapter returns for each kind of failure.
    package var errnoPolicy = ErrnoPolicy()
    /// The limits on the transfers of the adapter.
    package var quirks = I2CQuirks.none
    /// The longest clock stretch that the adapter tolerates, in nanoseconds.
    package var stretchLimit: UInt64 = 1_000_000_000

    /// Creates an adapter with the default settings.
    package init() {}
  }

  /// An I2C bus.
  package struct Bus: Sendable {
    /// N in /dev/i2c-N.
    package let number: Int
    /// The source of the responses on the bus.
    package let source: Source
    /// The line of the bus in the rig file.
    package let line: Int
    package internal(set) var adapter: Adapter
    /// The virtual devices on the bus.
    package let devices: [Device]
    /// The multiplexers on the bus.
    package let multiplexers: [Multiplexer]
    /// The memories, clocks and displays on the bus.
    package let boardDevices: [BoardDevice]
    /// The Bluetooth board between the adapter and the program; `nil` if there is none.
    package let bridge: Bridge?
  }

  /// A Bluetooth board between an adapter and a program.
  package struct Bridge: Hashable, Sendable {
    package let model: BoardModel
    /// The properties of the Bluetooth LE connection.
    package var link = SimulatedGATTLink.Options()
    /// The settings of the board and its client, such as the read limit.
    package var settings: BoardSettings
    /// The radios for a connection over a Bluetooth stack; `nil` for a simulated link.
    package var radios: BoardRadios?

    /// Creates a bridge with the defaults of its board.
    package init(_ model: BoardModel) {
      self.model = model
      settings = BoardSettings(limit: model.limit)
    }
  }

  /// A sensor on a bus.
  package struct Device: Sendable {
    /// The bus address.
    package let address: I2CAddress
    package let part: any ConfiguredPart
    /// `true` if a kernel driver owns the address of the sensor, so programs get EBUSY.
    package let isBound: Bool
    /// The cabin module that the sensor is in; `nil` for the first module.
    package let module: String?
  }

  /// The location of a sensor: its bus and address.
  ///
  /// Equality ignores the name of the part.
  package struct SensorID: Hashable, Sendable {
    /// The number of the bus.
    package let bus: Int
    /// The address on that bus.
    package let address: I2CAddress
    /// The name of the part in its fleet, such as `part-7`; `nil` outside a fleet.
    package let part: String?

    package init(bus: Int, address: I2CAddress, part: String? = nil) {
      self.bus = bus
      self.address = address
      self.part = part
    }

    /// The location for messages, such as `part-7, 0x76 on bus 1`.
    package var words: String { (part.map { "\($0), " } ?? "") + "\(address) on bus \(bus)" }

    package static func == (one: SensorID, other: SensorID) -> Bool {
      one.bus == other.bus && one.address == other.address
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(bus)
      hasher.combine(address)
    }
  }

  /// A program to run on an event.
  package struct Notification: Hashable, Sendable {
    /// The event: `forecast-change` or `alarm`.
    package let event: String
    /// The program and its arguments.
    package let command: [String]
  }
}

extension Rig {
  /// Sets the frequency of every bus with virtual devices; replayed and real buses keep theirs.
  ///
  /// - Parameter frequency: the frequency in Hz.
  package mutating func setFrequency(_ frequency: UInt64) {
    for index in buses.indices where buses[index].source == .devices {
      buses[index].adapter.frequency = frequency
    }
  }
}

extension Rig {
  /// All files that are read for the rig: its own and those that it references.
  package var files: [String] { [file] + namedFiles }
}

extension Rig {
  /// The findings for a valid rig: notes on former key names, on air outside a sensor's range, on
  /// configured errors beyond the datasheet and on shared addresses, followed by `ok`.
  package var findings: [Finding] {
    notes + airNotes + accuracyWarnings + collisionWarnings
      + [Finding(.passed, "rig", at: Finding.Location(file: file), "ok")]
  }
}

extension Rig {
  /// Warnings about configured errors of sensors that are larger than the datasheet allows.
  package var accuracyWarnings: [Finding] {
    let ofDevices = describedBuses.flatMap { bus in
      bus.devices.flatMap { warnings(of: $0.part, "bus \(bus.number)") }
    }
    return ofDevices + (fleet.map { warnings(of: $0.part, "fleet") } ?? [])
  }

  private func warnings(of part: any ConfiguredPart, _ location: String) -> [Finding] {
    part.excesses.map { excess in
      Finding(
        .warning, "accuracy", at: Finding.Location(file: file),
        "\(location): \(excess.key) of \(excess.quantity) is "
          + "\(Decimal.shortest(excess.asked)), which is a defective part: the datasheet allows "
          + "+-\(Decimal.shortest(excess.allowed))")
    }
  }
}

extension Rig {
  /// Returns the notice to print at the end of the weather data.
  package func endOfAir(_ known: UInt64) -> String {
    "\(file): the weather data end after \(Decimal.duration(known)); the last values are kept from then on"
  }

  /// The date at which virtual time starts for programs, in nanoseconds since 1970: the start of
  /// the environment, else `defaultMoment`.
  ///
  /// It is not the current date, so every run is the same.
  package var firstMoment: Int64 { environment.start != 0 ? environment.start : Self.defaultMoment }

  /// 2000-01-01T00:00:00Z, in nanoseconds since 1970.
  package static let defaultMoment: Int64 = 946_684_800_000_000_000
}

extension Rig {
  /// `true` if the wall clock of programs stays between 1970 and 2200 after each step.
  var isWallClockInRange: Bool {
    let years230: Int64 = 7_258_118_400_000_000_000
    var offset: Int64 = 0
    return clockSteps.sorted { $0.time < $1.time }.allSatisfy { step in
      let (sum, isTooMuch) = offset.addingReportingOverflow(step.length)
      offset = sum
      let (moment, isTooLate) = (firstMoment &+ sum).addingReportingOverflow(step.time)
      return !isTooMuch && !isTooLate && (0..<years230).contains(moment)
    }
  }

  /// A step of the wall clock (CLOCK_REALTIME) of programs; other clocks and the bench do not change.
  package struct ClockStep: Hashable, Sendable {
    /// The time of the step, in nanoseconds since the start.
    package var time: Int64 = 0
    /// The length of a step forward, and that of a step back, in nanoseconds; `nil` for none.
    var forward: Int64?, back: Int64?

    /// The length of the step in nanoseconds; negative for a step back.
    package var length: Int64 { (forward ?? 0) - (back ?? 0) }

    /// The keys of a step.
    static let keys = KeyGroup(
      "A step of the wall clock of programs; waits and other clocks do not change.", ClockStep(),
      needing: ["forward", "back"], example: "{at: 20s, back: 1h}"
    ) {
      [
        .required("at", \.time, .duration, "the time of the step since the start of the run")
          .example("20s"),
        Key("forward", \.forward, .duration, "the length of a step forward", absent: "none")
          .example("1h"),
        Key("back", \.back, .duration, "the length of a step back", absent: "none").example("1h"),
      ]
    }
  }
}

extension Rig {
  /// The implicit expectations for replayed buses: the transfers must match those of the trace.
  package var replayExpectations: [Expectation] {
    buses.compactMap { bus in
      guard case .trace(_, let options) = bus.source, options.mode != .model else { return nil }
      return Expectation(
        condition: .replayed(bus: bus.number),
        title: "the transfers on bus \(bus.number) match its trace (\(options.mode.rawValue))",
        line: bus.line)
    }
  }
}

extension Rig {
  /// Checks that the user allows the programs that are parts of the rig.
  ///
  /// - Throws: `Failure` of kind usage that names the first program.
  package func checkPrograms() throws(Failure) {
    guard !allowsPrograms else { return }
    if let plant {
      throw Failure(
        .usage,
        "\(file):\(plant.fileLine): the plant is the program '\(plant.program.joined(separator: " ").visible)'; "
          + "--allow-run permits it")
    }
    for bus in buses {
      for device in bus.devices {
        guard let program = device.part.program else { continue }
        throw Failure(
          .usage,
          "\(file): the part at \(device.address) on bus \(bus.number) is the program "
            + "'\(program.joined(separator: " ").visible)'; --allow-run permits it")
      }
    }
  }

  /// Checks that a run of the rig writes only files that the user allows.
  ///
  /// - Parameter allowsWriting: whether files outside the folder of the rig may be written.
  /// - Throws: `Failure` of kind usage for a file outside the folder, of kind input/output if it cannot be written.
  package func checkWriting(_ allowsWriting: Bool) throws(Failure) {
    guard let history = pipeline?.history else { return }
    let destination = try OutputDestination(history)
    switch destination.form {
    case .draft, .through(emptied: true): break
    default:
      throw Failure(.badContent, "\(history): a history must be a regular file")
    }
    guard !allowsWriting, !isInOwnFolder(destination) else { return }
    throw Failure(
      .usage,
      "\(file): its history would be written outside its folder, to \(destination.resolved)",
      "\(file): --allow-write permits it")
  }

  /// Returns whether a path is in the folder of the rig or below it, after resolving links.
  ///
  /// If the rig is opened through a link, both the folder of the link and the folder of the file
  /// count.
  private func isInOwnFolder(_ destination: OutputDestination) -> Bool {
    let parent = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
    var folders: [String] = []
    if let own = try? OutputDestination.resolve(file).folder { folders.append(own) }
    if let path = realpath(parent, nil) {
      folders.append(String(cString: path))
      free(path)
    }
    return folders.contains {
      destination.folder == $0 || destination.folder.hasPrefix($0 == "/" ? "/" : "\($0)/")
    }
  }
}

/// Many identical parts, on additional buses.
///
/// The buses have consecutive numbers; each of them uses the same addresses in the same order until
/// all parts are placed. The number, name and seed of a part follow from its location, so a run
/// depends only on the rig and its seed.
package struct Fleet: Sendable {
  /// The prefix of the names of the parts.
  package let name: String
  /// The number of parts.
  package let count: Int
  /// The number of the first bus of the fleet.
  package let firstBus: Int
  /// The addresses used on each bus, in order.
  package let addresses: [I2CAddress]
  /// The configuration that all parts share.
  package let part: any ConfiguredPart
  /// The cabin module that the parts are in; `nil` for the first module.
  package let module: String?

  package init(
    name: String, count: Int, firstBus: Int, addresses: [I2CAddress], part: any ConfiguredPart,
    module: String?
  ) {
    precondition(!addresses.isEmpty, "a fleet needs an address")
    (self.name, self.count, self.firstBus) = (name, count, firstBus)
    (self.addresses, self.part, self.module) = (addresses, part, module)
  }

  /// The number of buses.
  package var busCount: Int { (count + addresses.count - 1) / addresses.count }

  /// The numbers of the buses of the fleet.
  package var buses: Range<Int> { firstBus..<firstBus + busCount }

  /// Returns the addresses used on one bus of the fleet; the last bus may have fewer than the other
  /// buses.
  package func addresses(on bus: Int) -> ArraySlice<I2CAddress> {
    guard buses.contains(bus) else { return [] }
    return addresses.prefix(count - (bus - firstBus) * addresses.count)
  }

  /// The numbers of the buses of the fleet, for messages: `1` or `1 to 50000`.
  package var busText: String {
    busCount == 1 ? "\(firstBus)" : "\(firstBus) to \(buses.upperBound - 1)"
  }

  /// The addresses on each bus, for messages.
  package var addressText: String { addresses.prefix(count).lazy.map { "\($0)" }.shortened }

  /// Returns the name of the part at a location, such as `part-1` for the first; `nil` if the fleet
  /// has no part there.
  package func partName(at sensorID: Rig.SensorID) -> String? {
    partNumber(at: sensorID).map { "\(name)-\($0)" }
  }

  /// Adds the name of the part to a location if the location belongs to the fleet.
  package func named(_ sensorID: Rig.SensorID) -> Rig.SensorID {
    Rig.SensorID(bus: sensorID.bus, address: sensorID.address, part: partName(at: sensorID))
  }

  /// Returns the number of the part at a location, from 1; `nil` if the fleet has no part there.
  package func partNumber(at sensorID: Rig.SensorID) -> Int? {
    addresses(on: sensorID.bus).firstIndex(of: sensorID.address).map {
      (sensorID.bus - firstBus) * addresses.count + $0 + 1
    }
  }
}

extension Rig {
  /// The buses that the rig file lists individually, without those of the fleet.
  package var describedBuses: ArraySlice<Bus> { buses.dropLast(fleet?.busCount ?? 0) }
}
