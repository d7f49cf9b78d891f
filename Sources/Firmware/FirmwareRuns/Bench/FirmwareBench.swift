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

/// A microcontroller with an image in it, whose I2C controllers are tied to the buses of a rig.
package final class FirmwareBench {
  /// The microcontroller.
  package let machine: any Microcontroller
  /// The bench around it; its time is that of the microcontroller.
  package let bench: Bench
  /// What runs.
  package let image: FirmwareImage
  /// How long before the program begins the sensors' power was switched on, in nanoseconds.
  package let lead: UInt64
  /// Where its memories are.
  let profile: MemoryProfile
  /// Where its stack begins and its first instruction stands.
  let start: VectorTable
  /// How the part is set to start where the image begins, if that is not where its flash begins.
  let startNotice: String?
  /// Where the variables below its stack end, where the image tells; else an AVR's ends where its RAM begins, below which
  /// are registers.
  let stackEnd: UInt64?
  /// The last transfers, the latest at the end.
  var transfers: [TracedTransfer] { latest.transfers }
  /// How many transfers there were.
  var transferCount: Int { latest.total }
  private let latest = LatestTransfers(count: 4)
  /// What is known of the traffic, by the number of the bus.
  private var traffic: [Int: Traffic] = [:]

  /// The addresses of a bus without an answer, and the time for which its lines were low.
  private final class Traffic {
    @exclusivity(unchecked) var addresses = UnansweredAddresses()
    @exclusivity(unchecked) var pullUps = PullUpMeter()
  }

  /// A hint for each bus on which nothing has answered, though parts are on it.
  var unansweredNotices: [String] {
    bench.buses.compactMap { bus in
      traffic[bus.number]?.addresses.notice(
        on: bus, number: bus.number, isBuiltIn: bench.rig.isBuiltIn)
    }
  }

  /// The pull-up resistors of a bus; `nil` if nothing is known of it.
  func pullUps(of bus: Int) -> PullUpMeter? { traffic[bus]?.pullUps }

  /// What listens to the buses.
  private(set) var listeners: [ProgramListener] = []
  /// Buses at pins that the program moves itself.
  private var pinWires: [PinWire] = []
  /// The file of its flash.
  let flash: FlashFile?
  /// What tells how deep the stack goes, where somebody wants to know.
  private var paint: StackPaint?

  /// Puts everything together and switches power on.
  ///
  /// The sensors' power came before that of the microcontroller, as with `aneroid exec`: 10 ms, or a second where an
  /// earlier program has left one.
  ///
  /// - Parameters:
  ///   - image: what runs.
  ///   - model: the microcontroller.
  ///   - rig: what is on its buses.
  ///   - ports: N of the bus at each I2C controller that the rig names; each has a bus where nobody says which.
  ///   - options: how it is run.
  /// - Throws: `Failure` when the image does not fit, or the rig cannot be put together.
  package init(
    _ image: FirmwareImage, on model: MicrocontrollerModel, _ rig: Rig,
    ports: [String: Int] = [:], options: FirmwareOptions
  ) throws(Failure) {
    self.image = image
    let machine = model.made(seed: rig.seed)
    self.machine = machine
    let profile = model.profile(of: machine)
    self.profile = profile
    start = try image.fitted(to: profile)
    stackEnd =
      image.stackEnd(from: start.stack.map(UInt64.init) ?? profile.ram.upperBound)
      ?? (profile.architecture == .avr ? profile.ram.lowerBound : nil)
    lead = Self.lead(of: rig)
    machine.clock.begin(at: lead)
    bench = try Bench(rig, clock: machine.clock, trace: options.trace)
    if let real = bench.buses.first(where: \.isPhysical), !options.isReal {
      throw Failure(
        .unavailable, "\(rig.file): bus \(real.number) is real, and its time cannot be virtual",
        "\(rig.file): say --clock real")
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
    machine.untouched.isStrict = options.isStrict
    try connect(ports, remarks: options.remarks)
    machine.reset(.powerOn)
    if options.watchesStack, let memory = machine.memories.first(where: { $0.kind == .ram }) {
      paint = StackPaint(image, in: profile, stack: start.stack, memory)
    }
  }

  /// Lets a part start an image that does not begin where the flash does: by its fuses, or by a boot loader that the flash
  /// holds already.
  ///
  /// - Returns: a notice, if fuses are set for it.
  /// - Throws: `Failure` (65) if nothing would start it.
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
      "nothing is at 0x\(String(base, radix: 16)), where \(machine.name) starts: the image begins at \(number), as "
        + "one behind a boot loader does; link it to 0x\(String(base, radix: 16)), or run the boot loader's image with "
        + "--flash FILE before")
  }

  /// What the image loads into RAM, which a part has lost when power comes.
  var lost: [ImageSegment] {
    guard profile.architecture == .arm else { return [] }
    return image.segments.filter { profile.ram.contains($0.range.lowerBound) }
  }

  /// What the program has taken of memories so far, in bytes; nothing of those of which nobody knows.
  var footprint: [FirmwareMemory: Int] {
    var bytes: [FirmwareMemory: Int] = [.flash: image.flashBytes(in: profile)]
    bytes[.ram] = image.variableBytes(in: profile)
    bytes[.stack] = paint?.depth
    return bytes
  }

  /// How long before the program begins the sensors' power was switched on where no earlier program has used them:
  /// 10 ms, in nanoseconds.
  package static let powerLead: UInt64 = 10_000_000

  static func lead(of rig: Rig) -> UInt64 { ProgramBench.earlierLead(of: rig) ?? powerLead }

  private static func program(
    _ image: FirmwareImage, into machine: any Microcontroller
  ) throws(Failure) {
    for segment in image.segments {
      guard machine.memory(at: segment.address)?.load(segment.bytes, at: segment.address) == true
      else {
        throw image.failure(
          "\(machine.name) has no memory for its segment \(segment.range.shown)")
      }
    }
    guard let eeprom = machine.memories.first(where: { $0.kind == .eeprom }) else { return }
    for segment in image.eeprom { eeprom.load(segment.bytes, at: eeprom.base + segment.address) }
  }

  /// Ties the I2C controllers to the buses: as the rig says, else all to the only bus, or one after the other.
  private func connect(_ named: [String: Int], remarks: Bool) throws(Failure) {
    let adapters = bench.buses.map { observed($0, remarks: remarks) }
    for (name, number) in named.sorted(by: { $0.key < $1.key })
    where machine.i2cPort(name) == nil {
      let (clock, data) = try pins(name)
      guard let place = bench.buses.firstIndex(where: { $0.number == number }) else {
        throw Failure(.badRig, "\(bench.rig.file): there is no bus \(number) for \(name)")
      }
      pinWires.append(
        PinWire(
          machine.pins, clock: clock, data: data, wire: adapters[place].anyWire(machine.clock),
          schedule: machine.schedule, time: machine.clock))
    }
    let ports = named.filter { machine.i2cPort($0.key) != nil }
    for (index, port) in machine.i2cPorts.enumerated() {
      var place: Int?
      if let name = port.names.first(where: { ports[$0] != nil }), let number = ports[name] {
        place = bench.buses.firstIndex { $0.number == number }
        guard place != nil else {
          throw Failure(.badRig, "\(bench.rig.file): there is no bus \(number) for \(name)")
        }
      } else if ports.isEmpty {
        place = adapters.count == 1 ? 0 : adapters.indices.contains(index) ? index : nil
      }
      port.wire = place.map { adapters[$0].anyWire(machine.clock) }
    }
  }

  /// The two pins, clock and data, of a bus that the program moves itself: `SCL/SDA` by their names.
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
      "\(bench.rig.file): \(machine.name) has no I2C controller '\(name)': there are "
        + machine.i2cPorts.flatMap(\.names).joined(separator: ", ")
        + ", and two pins as SCL/SDA, of \(names[0]) to \(names[names.count - 1])")
  }

  /// The adapter of a bus to whose transfers is listened.
  private func observed(_ bus: Bench.Bus, remarks: Bool) -> any I2CAdapter {
    var listener: ProgramListener?
    if remarks, !bus.isPhysical {
      let made = ProgramListener(bus, node: bus.number)
      listeners.append(made)
      listener = made
    }
    let traffic = Traffic()
    self.traffic[bus.number] = traffic
    return ObservedAdapter(bus.adapter, bus: bus.number, clock: machine.clock) {
      [latest, listener] transfer in
      listener?.hear(transfer)
      traffic.addresses.note(transfer)
      traffic.pullUps.note(transfer)
      latest.append(transfer)
    }
  }
}
