package import Bench
package import Files
import I2C
import I2CTrace
package import Images
package import Machines
import Parts
package import Rigs
import Runs
import Text
package import TraceTools

/// A microcontroller with a programmed image, whose I2C controllers are connected to the buses of a rig.
package final class FirmwareBench {
  /// The microcontroller.
  package let machine: any Microcontroller
  /// The bench; its clock is that of the microcontroller.
  package let bench: Bench
  /// The image.
  package let image: FirmwareImage
  /// The power-on lead time of the sensors before the microcontroller, in nanoseconds.
  package let leadTime: UInt64
  /// The memories of the microcontroller.
  let profile: MemoryProfile
  /// The initial stack pointer and the first instruction.
  let start: VectorTable
  /// A notice about the boot configuration, if the image does not begin at the start of the flash.
  let startNotice: String?
  /// The limit of the stack: the end of the variables below it, if known; for an AVR otherwise the start of RAM, where
  /// the I/O registers end.
  let stackEnd: UInt64?
  /// The last transfers, the latest last.
  var transfers: [TracedTransfer] { latest.transfers }
  /// The number of transfers so far.
  var transferCount: Int { latest.total }
  private let latest = LatestTransfers(count: 4)
  /// Traffic statistics by bus number.
  private var traffic: [Int: Traffic] = [:]

  /// The unanswered addresses of a bus, and the time its lines were low.
  private final class Traffic {
    @exclusivity(unchecked) var addresses = UnansweredAddresses()
    @exclusivity(unchecked) var pullUps = PullUpMeter()
  }

  /// A hint for each bus with parts on which no address was acknowledged.
  var unansweredNotices: [String] {
    bench.buses.compactMap { bus in
      traffic[bus.number]?.addresses.notice(
        on: bus, number: bus.number, isBuiltIn: bench.rig.isBuiltIn)
    }
  }

  /// Returns the pull-up statistics of a bus; `nil` if it has no traffic.
  func pullUps(of bus: Int) -> PullUpMeter? { traffic[bus]?.pullUps }

  /// The protocol checkers of the buses.
  private(set) var listeners: [ProgramListener] = []
  /// Bit-banged buses.
  private var pinWires: [PinWire] = []
  /// The file that persists the flash.
  let flash: FlashFile?
  /// The stack depth measurement, if enabled.
  private var paint: StackPaint?

  /// Assembles the bench and powers it on.
  ///
  /// The sensors are powered before the microcontroller, as with `aneroid exec`: 10 ms, or 1 s if a previous program
  /// has used them.
  ///
  /// - Parameters:
  ///   - image: the image.
  ///   - model: the microcontroller.
  ///   - rig: the rig.
  ///   - ports: the bus number of each I2C controller that the rig names. Default: controllers are assigned
  ///     automatically.
  ///   - options: the run options.
  /// - Throws: `Failure` if the image does not fit, or if the rig is invalid.
  package init(
    _ image: FirmwareImage, on model: MicrocontrollerModel, _ rig: Rig,
    ports: [String: Int] = [:], options: FirmwareOptions
  ) throws(Failure) {
    self.image = image
    let machine = model.make(seed: rig.seed)
    self.machine = machine
    let profile = model.profile(of: machine)
    self.profile = profile
    start = try image.fitted(to: profile)
    stackEnd =
      image.stackEnd(from: start.stack.map(UInt64.init) ?? profile.ram.upperBound)
      ?? (profile.architecture == .avr ? profile.ram.lowerBound : nil)
    leadTime = Self.leadTime(of: rig)
    machine.clock.begin(at: leadTime)
    bench = try Bench(rig, clock: machine.clock, trace: options.trace)
    if let real = bench.buses.first(where: \.isPhysical), !options.isReal {
      throw Failure(
        .unavailable,
        "\(rig.file): bus \(real.number) is a physical bus and cannot run in virtual time",
        "\(rig.file): use --clock real")
    }
    let program = { () throws(Failure) in try Self.program(image, into: machine) }
    if let path = options.flash {
      flash = try FlashFile(path, of: machine, program: program)
    } else {
      flash = nil
      try program()
    }
    startNotice = try Self.setStart(start.address, of: image, in: profile, machine)
    if let stackEnd { machine.core.setStackEnd(UInt32(truncatingIfNeeded: stackEnd)) }
    machine.unmodelledRegisters.isStrict = options.isStrict
    try connect(ports, reportsWarnings: options.reportsWarnings)
    machine.reset(.powerOn)
    if options.watchesStack, let memory = machine.memories.first(where: { $0.kind == .ram }) {
      paint = StackPaint(image, in: profile, stack: start.stack, memory)
    }
  }

  /// Configures the part for an image that does not begin at the start of the flash: by its fuses, or by a boot loader
  /// that is already in the flash.
  ///
  /// - Returns: a notice if fuses were set.
  /// - Throws: `Failure` (65) if the part cannot start the image.
  private static func setStart(
    _ address: UInt32, of image: FirmwareImage, in profile: MemoryProfile,
    _ machine: any Microcontroller
  ) throws(Failure) -> String? {
    let base = UInt32(truncatingIfNeeded: profile.flash.lowerBound)
    guard address != base else { return nil }
    let number = "0x" + String(address, radix: 16)
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

  /// Segments loaded into RAM, which are lost at power-on.
  var ramSegments: [ImageSegment] {
    guard profile.architecture == .arm else { return [] }
    return image.segments.filter { profile.ram.contains($0.range.lowerBound) }
  }

  /// The memory usage in bytes; unknown values are missing.
  var footprint: [FirmwareMemory: Int] {
    var bytes: [FirmwareMemory: Int] = [.flash: image.flashBytes(in: profile)]
    bytes[.ram] = image.variableBytes(in: profile)
    bytes[.stack] = paint?.depth
    return bytes
  }

  /// The power-on lead time of sensors that no previous program has used: 10 ms, in nanoseconds.
  package static let powerOnLead: UInt64 = 10_000_000

  static func leadTime(of rig: Rig) -> UInt64 {
    ProgramBench.earlierProgramLead(of: rig) ?? powerOnLead
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

  /// Connects the I2C controllers to buses: as the rig specifies, otherwise all to the only bus, or in order.
  private func connect(_ named: [String: Int], reportsWarnings: Bool) throws(Failure) {
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

  /// Returns the pins of a bit-banged bus from its name, `SCL/SDA`.
  private func pins(_ name: String) throws(Failure) -> (clock: Int, data: Int) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, parts[0] != parts[1], let clock = PinWire.pin(parts[0], of: machine.pins),
      let data = PinWire.pin(parts[1], of: machine.pins)
    {
      return (clock, data)
    }
    let names = machine.pins.names
    throw Failure(
      .badRig,
      "\(bench.rig.file): \(machine.name) has no I2C controller '\(name)' (accepted: "
        + machine.i2cPorts.flatMap(\.names).joined(separator: ", ")
        + ", or two pins as SCL/SDA, from \(names[0]) to \(names[names.count - 1]))")
  }

  /// Returns the adapter of a bus, wrapped to record its transfers.
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

/// Options of a firmware run.
package struct FirmwareOptions {
  /// The duration in nanoseconds of virtual time since power-on.
  ///
  /// Default: 60 s.
  package var duration: UInt64 = 60_000_000_000
  /// Whether virtual time follows the wall clock.
  ///
  /// Default: false.
  package var isReal = false
  /// The destinations of serial output, by port number or name.
  package var serial: [SerialRoute] = []
  /// Patterns; a line of serial output that matches one ends the run with status 0.
  package var endings: [SerialPattern] = []
  /// Whether an access to an unmodelled register ends the run.
  ///
  /// Default: false.
  package var isStrict = false
  /// Register names from an SVD file; `nil` without one.
  package var registers: RegisterNames?
  /// The file that persists flash and EEPROM between runs.
  package var flash: String?
  /// Whether code coverage is recorded.
  ///
  /// Default: false.
  package var coverage = false
  /// Whether the charge of each consumer is reported.
  ///
  /// Default: false.
  package var energy = false
  /// Whether the stack depth is reported.
  ///
  /// RAM below the initial stack pointer is then painted instead of 0. Default: false.
  package var watchesStack = false
  /// Whether protocol errors of the program are reported.
  ///
  /// Default: true.
  package var reportsWarnings = true
  /// The trace that records every transfer.
  package var trace: TraceOutput?
  /// Returns whether the run must end; polled during the run.
  package var isInterrupted: () -> Bool = { false }
  /// A callback with the virtual time since power-on in nanoseconds, called repeatedly during the run.
  package var didPass: (UInt64) -> Void = { _ in }
  /// A callback after each slice of virtual time, with the time since power-on in nanoseconds; `false` ends the run.
  package var mayPass: ((UInt64) -> Bool)?

  /// Creates options.
  package init() {}
}

/// The time during which the lines of a bus are low, when their pull-up resistors draw current.
///
/// SCL is low for half of each bit. SDA is low for each 0 bit, including acknowledgements (UM10204, 3.1). The bit time
/// follows from the duration of the transfer, so clock stretching lengthens it.
struct PullUpMeter {
  /// The current of a low line in microamperes: 3.3 V across 4.7 kOhm.
  static let microamperes = 3_300_000.0 / 4700
  /// The source of the current, for the report.
  static let source =
    "assumption: 0.7 mA per low bus line, for pull-up resistors of 4.7 kOhm"

  /// The sum over both lines, in nanoseconds.
  private(set) var nanoseconds: UInt64 = 0

  /// The charge so far, in microcoulombs.
  var microcoulombs: Double { Double(nanoseconds) * Self.microamperes / 1e9 }

  /// Adds a transfer.
  mutating func note(_ transfer: TracedTransfer) {
    var (bits, zeros) = (0, 0)
    for message in transfer.messages {
      let isRead = message.segment.direction == .read
      let address = UInt8(truncatingIfNeeded: message.segment.address.rawValue << 1)
      let first = address | (isRead ? 1 : 0)
      // Each byte of a read except the last is acknowledged, by a 0 bit.
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

/// A ring buffer of the latest transfers, shown with a failure.
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

  /// The stored transfers, the latest last.
  var transfers: [TracedTransfer] { Array(kept[oldest...] + kept[..<oldest]) }
}
