package import Bench
import I2C
package import I2CTrace
package import Images
package import Machines
import Parts
package import Rigs
import Runs
package import Support
package import TraceTools

/// A bench on which a microcontroller with a programmed image has its I2C controllers connected to a rig's buses.
package final class FirmwareBench {
  package let machine: any Microcontroller
  /// The bench with the rig's buses, which runs on the microcontroller's clock.
  package let bench: Bench
  package let image: FirmwareImage
  private let model: MicrocontrollerModel
  /// The bus number of each I2C controller that is named.
  private let ports: [String: Int]
  /// The time for which the sensors are powered before the microcontroller (lead time), in nanoseconds.
  package let leadTime: UInt64
  /// The memories of the microcontroller.
  let profile: MemoryProfile
  /// The entry point of the program: the initial stack pointer and the address of the first instruction.
  let start: VectorTable
  /// A notice about the boot configuration, if the image does not begin at the start of the flash.
  let startNotice: String?
  /// The limit of the stack, which is the end of the variables below it.
  ///
  /// If that is unknown, the limit is the start of RAM on an AVR, where the I/O registers end, and otherwise `nil`.
  let stackEnd: UInt64?
  /// The last bus transfers, with the latest at the end.
  var transfers: [TracedTransfer] { latest.transfers }
  /// The number of bus transfers so far.
  var transferCount: Int { latest.total }
  private let latest = LatestTransfers(count: 4)
  /// The traffic statistics of each bus, by bus number.
  private var traffic: [Int: Traffic] = [:]

  /// The addresses on a bus that no device acknowledged, and the time for which the bus lines were low.
  private final class Traffic {
    @exclusivity(unchecked) var addresses = UnansweredAddresses()
    @exclusivity(unchecked) var pullUps = PullUpMeter()
  }

  /// A hint for each bus that has devices but on which no address was acknowledged.
  var unansweredNotices: [String] {
    bench.buses.compactMap { bus in
      traffic[bus.number]?.addresses.notice(
        on: bus, number: bus.number, isBuiltIn: bench.rig.isBuiltIn)
    }
  }

  /// Returns the pull-up statistics of a bus; `nil` if the bus had no traffic.
  func pullUps(of bus: Int) -> PullUpMeter? { traffic[bus]?.pullUps }

  /// The protocol checkers of the buses.
  private(set) var listeners: [ProgramListener] = []
  /// The buses that the program bit-bangs on GPIO pins.
  private var pinWires: [PinWire] = []
  /// The file that persists the flash; `nil` without `--flash`.
  let flash: FlashFile?
  /// The stack depth measurement, if enabled.
  private var paint: StackPaint?

  /// Assembles the bench and powers it on.
  ///
  /// As with `aneroid exec`, the sensors are powered 10 ms before the microcontroller, or 1 s if a previous program has
  /// used them.
  ///
  /// - Parameters:
  ///   - image: the image.
  ///   - model: the microcontroller.
  ///   - rig: the rig.
  ///   - ports: the bus number of each I2C controller that the rig names. Default: none, so controllers are assigned
  ///     automatically.
  ///   - options: the run options.
  /// - Throws: `Failure` if the image does not fit, or if the rig is invalid.
  package init(
    _ image: FirmwareImage, on model: MicrocontrollerModel, _ rig: Rig,
    ports: [String: Int] = [:], options: FirmwareOptions
  ) throws(Failure) {
    self.image = image
    (self.model, self.ports) = (model, ports)
    let machine = try model.make(seed: rig.seed, fuses: options.fuses)
    self.machine = machine
    let memories = model.profile(of: machine)
    start = try image.fitted(to: memories)
    let profile = memories.ordered(forStack: start.stack)
    self.profile = profile
    stackEnd =
      image.stackEnd(from: start.stack.map(UInt64.init) ?? profile.ram.upperBound)
      ?? (profile.architecture == .avr ? profile.ram.lowerBound : nil)
    leadTime = Self.leadTime(of: rig)
    machine.clock.begin(at: leadTime)
    bench = try Bench(rig, clock: machine.clock, trace: options.trace, changesAir: true)
    if let real = bench.buses.first(where: \.isPhysical), !options.isReal {
      throw Failure(
        .unavailable,
        "\(rig.file): bus \(real.number) is a physical bus and cannot run in virtual time",
        "\(rig.file): use --clock real")
    }
    let program = { () throws(Failure) in try Self.program(image, into: machine) }
    if let contents = options.memories {
      for (memory, bytes) in zip(machine.memories.filter(\.isPersistent), contents) {
        memory.load(bytes, at: memory.base)
      }
      flash = nil
    } else if let path = options.flash {
      flash = try FlashFile(path, of: machine, program: program)
    } else {
      flash = nil
      try program()
    }
    startNotice = try Self.setStart(
      start.address, of: image, in: profile, machine, keepsFuses: options.fuses["high"] != nil)
    if let stackEnd { machine.core.setStackEnd(UInt32(truncatingIfNeeded: stackEnd)) }
    machine.unmodelledRegisters.isStrict = options.isStrict
    if !(options.leavesBusesOpen && ports.isEmpty) {
      try connect(ports, reportsWarnings: options.reportsWarnings)
    }
    machine.reset(.powerOn)
    let ram = machine.memories.filter { $0.kind == .ram }
    let withStack = ram.first { UInt64($0.base) == profile.ram.lowerBound } ?? ram.first
    if options.watchesStack, let memory = withStack {
      paint = StackPaint(image, in: profile, stack: start.stack, memory)
    }
  }

  /// Assembles the same bench again, with no other state than the contents of the persistent memories.
  ///
  /// - Parameter options: the run options, which name these contents.
  /// - Returns: the bench.
  /// - Throws: `Failure` if a file of the rig can no longer be read.
  func again(_ options: FirmwareOptions) throws(Failure) -> FirmwareBench {
    try FirmwareBench(image, on: model, bench.rig, ports: ports, options: options)
  }

  /// Configures the microcontroller for an image that does not begin at the start of the flash.
  ///
  /// It sets the fuses, or relies on a boot loader that is already in the flash.
  ///
  /// - Returns: a notice if fuses were set.
  /// - Throws: `Failure` (65) if the microcontroller cannot start the image.
  private static func setStart(
    _ address: UInt32, of image: FirmwareImage, in profile: MemoryProfile,
    _ machine: any Microcontroller, keepsFuses: Bool
  ) throws(Failure) -> String? {
    let base = UInt32(truncatingIfNeeded: profile.flash.lowerBound)
    guard address != base + profile.bootCode else {
      guard !keepsFuses else { return nil }
      let settings = image.addedStarts.lazy.compactMap { start in
        machine.setStart(start).map {
          "a boot loader begins at 0x\(String(start, radix: 16)): \($0)"
        }
      }
      return settings.first
    }
    let number = "0x" + String(address, radix: 16)
    if keepsFuses { return nil }
    if let setting = machine.setStart(address) {
      return "\(image.path) begins at \(number), as a boot loader does: \(setting)"
    }
    let size: UInt32 = profile.architecture == .arm ? 8 : 2
    let isErased = (0..<size).allSatisfy { machine.core.readByte(base + $0) ?? 0xFF == 0xFF }
    guard isErased else { return nil }
    throw image.failure(
      "there is no code at 0x\(String(base, radix: 16)), where \(machine.name) boots: the image begins at \(number), "
        + "as for a boot loader; link it to 0x\(String(base, radix: 16)), or first run the boot loader's image with "
        + "--flash FILE")
  }

  /// The segments that the image loads into RAM, which would be lost at power-on.
  var ramSegments: [ImageSegment] {
    guard profile.architecture == .arm else { return [] }
    return image.segments.filter { profile.ram.contains($0.range.lowerBound) }
  }

  /// The memory usage in bytes; a memory whose usage is unknown is missing.
  var footprint: [FirmwareMemory: Int] {
    var bytes: [FirmwareMemory: Int] = [.flash: image.flashBytes(in: profile)]
    bytes[.ram] = image.variableBytes(in: profile)
    bytes[.stack] = paint?.depth
    return bytes
  }

  /// The time for which the sensors are powered before the microcontroller if no previous program has used them, in
  /// nanoseconds (10 ms).
  package static let powerOnLead: UInt64 = 10_000_000

  static func leadTime(of rig: Rig) -> UInt64 {
    ClientBuses.earlierProgramLead(of: rig) ?? powerOnLead
  }

  private static func program(
    _ image: FirmwareImage, into machine: any Microcontroller
  ) throws(Failure) {
    for segment in image.segments {
      guard machine.memory(at: segment.address)?.load(segment.bytes, at: segment.address) == true
      else {
        throw image.failure(
          "\(machine.name) has no memory at segment \(segment.range.shown)")
      }
    }
    guard let eeprom = machine.memories.first(where: { $0.kind == .eeprom }) else { return }
    for segment in image.eeprom { eeprom.load(segment.bytes, at: eeprom.base + segment.address) }
  }

  /// Connects the I2C controllers to buses.
  ///
  /// The rig may specify the connections. Otherwise all controllers are connected to the bus of the rig if it has only
  /// one, and to its buses in order if it has several.
  private func connect(_ named: [String: Int], reportsWarnings: Bool) throws(Failure) {
    if let bus = bench.buses.first(where: \.faults.unplugsAdapter) {
      throw Failure(
        .badRig,
        "\(bench.rig.file): a fault unplugs the adapter of bus \(bus.number), but the controllers of firmware cannot be unplugged"
      )
    }
    let adapters = bench.buses.map { observed($0, reportsWarnings: reportsWarnings) }
    for (name, number) in named.sorted(by: { $0.key < $1.key })
    where machine.i2cPort(name) == nil {
      let (clock, data) = try pins(name)
      guard let busIndex = bench.buses.firstIndex(where: { $0.number == number }) else {
        throw Failure(.badRig, "\(bench.rig.file): there is no bus \(number) for \(name)")
      }
      pinWires.append(
        PinWire(
          machine.pins, clock: clock, data: data, wire: adapters[busIndex].anyWire(machine.clock),
          schedule: machine.schedule, time: machine.clock))
    }
    let ports = named.filter { machine.i2cPort($0.key) != nil }
    for (index, port) in machine.i2cPorts.enumerated() {
      var busIndex: Int?
      if let name = port.names.first(where: { ports[$0] != nil }), let number = ports[name] {
        busIndex = bench.buses.firstIndex { $0.number == number }
        guard busIndex != nil else {
          throw Failure(.badRig, "\(bench.rig.file): there is no bus \(number) for \(name)")
        }
      } else if ports.isEmpty {
        busIndex = adapters.count == 1 ? 0 : adapters.indices.contains(index) ? index : nil
      }
      port.wire = busIndex.map { adapters[$0].anyWire(machine.clock) }
    }
  }

  /// Returns the pins of a bit-banged bus, whose name is `SCL/SDA` with the names of the two pins.
  private func pins(_ name: String) throws(Failure) -> (clock: Int, data: Int) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, let clock = machine.pins.index(of: parts[0]),
      let data = machine.pins.index(of: parts[1]), clock != data
    {
      return (clock, data)
    }
    throw Failure(
      .badRig,
      "\(bench.rig.file): \(machine.name) has no I2C controller '\(name)' (accepted: "
        + machine.i2cPorts.flatMap(\.names).joined(separator: ", ")
        + ", or two pins as SCL/SDA, \(machine.pins.span))")
  }

  /// Returns the index of a pin that a rig names.
  ///
  /// - Throws: `Failure` if the microcontroller has no such pin.
  func pin(_ name: String, at line: Int) throws(Failure) -> Int {
    if let pin = machine.pins.index(of: name) { return pin }
    throw Failure(
      .badRig,
      "\(bench.rig.place(line)): \(machine.name) has no pin '\(name.visible)' (accepted: \(machine.pins.span))"
    )
  }

  /// Returns an adapter for a bus that also records the transfers.
  private func observed(_ bus: Bench.Bus, reportsWarnings: Bool) -> any I2CAdapter {
    var listener: ProgramListener?
    if reportsWarnings, !bus.isPhysical {
      let made = ProgramListener(bus, node: bus.number)
      listeners.append(made)
      listener = made
    }
    let traffic = Traffic()
    self.traffic[bus.number] = traffic
    return ObservedAdapter(bus.adapter, bus: bus.number, clock: machine.clock) {
      [latest, listener] transfer in
      listener?.observe(transfer)
      traffic.addresses.note(transfer)
      traffic.pullUps.note(transfer)
      latest.append(transfer)
    }
  }
}

extension PinBank {
  /// The first and the last name, for messages.
  fileprivate var span: String { "from \(names[0]) to \(names[names.count - 1])" }
}

extension Rig {
  /// A line of the rig for messages; line 0 is an option of the command line.
  func place(_ line: Int) -> String { line == 0 ? "--stimulus" : "\(file):\(line)" }
}

/// Options of a firmware run.
package struct FirmwareOptions {
  /// The duration of the run since power-on, in nanoseconds of virtual time.
  ///
  /// Default: 60 s.
  package var duration: UInt64 = 60_000_000_000
  /// `true` if virtual time must not run ahead of the wall clock.
  ///
  /// Default: false.
  package var isReal = false
  /// The destinations of serial output, by port number or name.
  package var serial: [SerialRoute] = []
  /// Patterns for lines of serial output; a matching line ends the run with status 0.
  package var endings: [SerialPattern] = []
  /// The fuse bytes by name; those that are missing have the value of a new board.
  package var fuses: [String: UInt8] = [:]
  /// The Wokwi project whose circuit is at the pins, and its scenario; `nil` for none.
  package var wokwi: WokwiProject?, scenario: WokwiScenario?
  /// `true` to leave the I2C controllers without a bus unless ports are named.
  ///
  /// Default: false.
  package var leavesBusesOpen = false
  /// The file to which the levels of all pins are written as a value change dump; `nil` for none.
  package var pinDump: OutputDestination?
  /// The file to which the packets of the radio are written; `nil` if none is needed.
  package var radio: OutputDestination?
  /// The pins whose changes are reported, with the lines of the rig that name them.
  package var watchedPins: [(pin: String, line: Int)] = []
  /// `true` if an access to an unmodelled register ends the run.
  ///
  /// Default: false.
  package var isStrict = false
  /// Register names from an SVD file; `nil` without a file.
  package var registers: RegisterNames?
  /// The file that persists flash and EEPROM between runs.
  package var flash: String?
  /// The contents of the persistent memories, in their order, instead of those of the image; `nil` for the image.
  var memories: [[UInt8]]?
  /// The bytes of standard input, for the port to which it goes; `nil` to read them.
  var typed: [UInt8]?
  /// `true` to record code coverage.
  ///
  /// Default: false.
  package var coverage = false
  /// `true` to record which instructions are executed, also without line information.
  ///
  /// Default: false.
  package var recordsInstructions = false
  /// `true` to report the charge of each consumer.
  ///
  /// Default: false.
  package var energy = false
  /// `true` to report the stack depth.
  ///
  /// RAM below the initial stack pointer is then filled with a pattern instead of 0. Default: false.
  package var watchesStack = false
  /// `true` to report protocol errors that the program makes on the buses.
  ///
  /// Default: true.
  package var reportsWarnings = true
  /// The trace output to which every bus transfer is written.
  package var trace: TraceOutput?
  /// Returns whether the run must end; polled during the run.
  package var isInterrupted: () -> Bool = { false }
  /// A callback, called repeatedly during the run with the virtual time since power-on in nanoseconds.
  package var didPass: (UInt64) -> Void = { _ in }
  /// A callback, called after each slice of virtual time with the time since power-on in nanoseconds.
  ///
  /// It returns `false` to end the run.
  package var mayPass: ((UInt64) -> Bool)?

  package init() {}
}

/// The time for which the lines of a bus are low, during which their pull-up resistors draw current.
///
/// SCL is low for half of each bit. SDA is low for each 0 bit, including acknowledgements (UM10204, 3.1). The bit time is
/// derived from the duration of the transfer, so it includes clock stretching.
package struct PullUpMeter {
  /// The current through the pull-up resistor of a low line, in microamperes: 3.3 V across 4.7 kOhm.
  package static let microamperes = 3_300_000.0 / 4700
  /// The source of `microamperes`, for the battery estimate.
  static let source =
    "assumption: 0.7 mA per low bus line, for pull-up resistors of 4.7 kOhm"

  /// The time for which the lines were low, summed over both lines, in nanoseconds.
  package private(set) var nanoseconds: UInt64 = 0

  /// Creates a meter that has measured nothing.
  package init() {}

  /// The charge that the pull-up resistors have drawn so far, in microcoulombs.
  package var microcoulombs: Double { Double(nanoseconds) * Self.microamperes / 1e9 }

  /// Adds a transfer.
  package mutating func note(_ transfer: TracedTransfer) {
    var (bits, zeros) = (0, 0)
    for message in transfer.messages {
      let isRead = message.segment.direction == .read
      let address = UInt8(truncatingIfNeeded: message.segment.address.rawValue << 1)
      let first = address | (isRead ? 1 : 0)
      // Each byte, except the last of a read, is acknowledged by a 0 bit.
      let count = message.bytes.count + 1
      bits += 9 * count
      zeros += 8 * count - first.nonzeroBitCount
      for byte in message.bytes { zeros -= byte.nonzeroBitCount }
      zeros += count - (isRead && count > 1 ? 1 : 0)
    }
    if transfer.error != nil, zeros > 0 { zeros -= 1 }
    guard bits > 0 else { return }
    nanoseconds += transfer.duration * UInt64(bits + 2 * zeros) / UInt64(2 * bits)
  }
}

/// A ring buffer of the latest bus transfers, which a failure message includes.
final class LatestTransfers {
  private let count: Int
  /// The number of transfers so far.
  @exclusivity(unchecked) private(set) var total = 0
  @exclusivity(unchecked) private var kept: [TracedTransfer] = []
  /// The index of the oldest transfer, which is overwritten next once the buffer is full.
  @exclusivity(unchecked) private var oldest = 0

  /// Creates an empty buffer.
  ///
  /// - Parameter count: the capacity.
  init(count: Int) { self.count = count }

  /// Appends a transfer, replacing the oldest if the buffer is full.
  func append(_ transfer: TracedTransfer) {
    total += 1
    guard kept.count == count else { return kept.append(transfer) }
    kept[oldest] = transfer
    oldest = (oldest + 1) % count
  }

  /// The transfers in the buffer, with the latest at the end.
  var transfers: [TracedTransfer] { Array(kept[oldest...] + kept[..<oldest]) }
}
