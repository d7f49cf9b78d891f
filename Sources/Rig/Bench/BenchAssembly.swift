import Bridges
import Chips
import Environment
package import I2C
import I2CTrace
import LinuxI2C
import Parts
package import Rigs
package import Support
import TraceTools
package import VirtualI2C

/// Assembles the buses of a rig: a bus behind a multiplexer after the bus above it.
struct BenchAssembly {
  private let rig: Rig
  private let clock: any I2CClock
  private let air: any AirSource
  private let cabin: Cabin?
  private let channels: [Int: Rig.Channel]
  /// The adapter through which programs reach each bus, by its number.
  private var adapters: [Int: any I2CAdapter] = [:]
  /// The parts behind multiplexers, by the number of their bus.
  private var segments: [Int: (segment: VirtualSegment, sensors: [Bench.Sensor])] = [:]
  /// The driver of each multiplexer.
  private var drivers: [Rig.SensorID: MultiplexerDriver] = [:]
  private var assembled: [Int: Bench.Bus] = [:]
  private var displays: [Bench.Display] = []

  init(_ rig: Rig, _ clock: any I2CClock, _ air: any AirSource, _ cabin: Cabin?) {
    (self.rig, self.clock, self.air, self.cabin) = (rig, clock, air, cabin)
    channels = rig.channels
  }

  /// Assembles all buses, in the order of the rig, with the displays on them.
  ///
  /// - Throws: `Failure` if two devices have the same address, or an adapter or trace cannot be opened.
  func buses() throws(Failure) -> ([Bench.Bus], [Bench.Display]) {
    var assembly = self
    // Buses without channels come first: they hold the parts of all others.
    for bus in rig.buses where channels[bus.number] == nil { try assembly.assemble(bus) }
    for bus in rig.buses where channels[bus.number] != nil { try assembly.assembleChannel(bus) }
    return (rig.buses.compactMap { assembly.assembled[$0.number] }, assembly.displays)
  }

  // MARK: Buses with an adapter

  private mutating func assemble(_ bus: Rig.Bus) throws(Failure) {
    let faults = BusFaults(rig.faults, on: bus.number, seed: rig.seed)
    switch bus.source {
    case .devices: try assembleDevices(bus, faults)
    case .physical(let path):
      let meter = TransferMeter(faults.over(try RealAdapter(path).adapter, clock))
      assembled[bus.number] = Bench.Bus(
        number: bus.number, adapter: meter, meter: meter, faults: faults, sensors: [],
        boundAddresses: [], isPhysical: true, board: nil, replay: nil, trace: nil, frequency: 0)
    case .trace(let file, let options):
      let header = try TraceInput(file).header
      let isNamed = header.buses.contains { $0.number == bus.number }
      let replayed = try ReplayedBus(
        file, number: isNamed ? bus.number : nil, options, clock: clock)
      let meter = TransferMeter(faults.over(replayed.adapter, clock))
      assembled[bus.number] = Bench.Bus(
        number: bus.number, adapter: meter, meter: meter, faults: faults,
        sensors: replayed.sensors.map { Bench.Sensor(model: $0.model, part: $0.part) },
        boundAddresses: [], isPhysical: false, board: nil,
        replay: replayed.replay, trace: (file, replayed.number),
        frequency: header.buses.first { $0.number == replayed.number }?.frequency ?? 0)
    }
  }

  private mutating func assembleDevices(_ bus: Rig.Bus, _ faults: BusFaults) throws(Failure) {
    let adapter = VirtualAdapter(
      clock: clock, frequency: bus.adapter.frequency, functionality: bus.adapter.functionality,
      quirks: bus.adapter.quirks, stretchLimit: bus.adapter.stretchLimit,
      errnoPolicy: bus.adapter.errnoPolicy, faults: faults.plan)
    let sensors = try attach(bus) { device throws(VirtualAdapter.AttachError) in
      try adapter.attach(device)
    }
    let board = try bus.bridge.map { bridge throws(Failure) in
      try bridge.assembled(over: adapter, clock, faults: faults.plan, seed: rig.seed)
    }
    let meter = TransferMeter(faults.unpluggable(board?.adapter ?? adapter, clock))
    adapters[bus.number] = meter
    assembled[bus.number] = Bench.Bus(
      number: bus.number, adapter: meter, meter: meter, faults: faults, sensors: sensors,
      boundAddresses: boundAddresses(of: bus), isPhysical: false, board: board, replay: nil,
      trace: nil, frequency: bus.adapter.frequency)
  }

  // MARK: Buses behind a multiplexer

  /// Assembles the bus at a channel, whose parts are already in place, and the buses above it.
  private mutating func assembleChannel(_ bus: Rig.Bus) throws(Failure) {
    guard assembled[bus.number] == nil, let channel = channels[bus.number],
      let above = rig.buses.first(where: { $0.number == channel.bus }),
      let (segment, sensors) = segments[bus.number]
    else { return }
    if adapters[above.number] == nil { try assembleChannel(above) }
    guard let upper = adapters[above.number], let frequency = assembled[above.number]?.frequency
    else { return }
    let multiplexer = Rig.SensorID(bus: channel.bus, address: channel.multiplexer)
    let driver = drivers[multiplexer] ?? MultiplexerDriver(upper, at: channel.multiplexer)
    drivers[multiplexer] = driver
    let meter = TransferMeter(driver.channel(channel.number))
    adapters[bus.number] = meter
    assembled[bus.number] = Bench.Bus(
      number: bus.number, adapter: meter, meter: meter,
      faults: BusFaults(rig.faults, on: bus.number, sharing: segment.faults), sensors: sensors,
      boundAddresses: boundAddresses(of: bus), isPhysical: false, board: nil, replay: nil,
      trace: nil, frequency: frequency)
  }

  /// Switches the power of the devices of a bus on, with all buses behind it, and attaches them.
  ///
  /// - Returns: the sensors among them.
  private mutating func attach(
    _ bus: Rig.Bus, to attach: (any VirtualI2CDevice) throws(VirtualAdapter.AttachError) -> Void
  ) throws(Failure) -> [Bench.Sensor] {
    var devices: [any VirtualI2CDevice] = []
    let sensors = bus.devices.map { sensor($0, on: bus.number) }
    devices += sensors.map(\.part)
    for multiplexer in bus.multiplexers {
      var behind: [VirtualSegment?] = []
      for number in multiplexer.channels {
        let found = rig.buses.first { $0.number == number }
        behind.append(try found.map { bus throws(Failure) in try segment(bus) })
      }
      devices.append(VirtualMultiplexer(multiplexer.address, channels: behind))
    }
    for device in bus.boardDevices { devices.append(try boardDevice(device, on: bus.number)) }
    if let cabin, let panel = cabin.plan.panel, panel.bus == bus.number,
      let address = I2CAddress(rawValue: UInt16(panel.address))
    {
      devices.append(HatchPanel(address, of: cabin))
    }
    for device in devices {
      do throws(VirtualAdapter.AttachError) {
        try attach(device)
      } catch {
        throw Failure(
          .badRig,
          "\(rig.file): two devices have the address \(device.address) on bus \(bus.number)")
      }
    }
    return sensors
  }

  /// Creates the segment of a bus behind a multiplexer.
  private mutating func segment(_ bus: Rig.Bus) throws(Failure) -> VirtualSegment {
    let segment = VirtualSegment(
      faults: BusFaults(rig.faults, on: bus.number, seed: rig.seed).plan)
    let sensors = try attach(bus) { device throws(VirtualAdapter.AttachError) in
      try segment.attach(device)
    }
    segments[bus.number] = (segment, sensors)
    return segment
  }

  /// Creates a memory, a clock or a display.
  private mutating func boardDevice(
    _ device: Rig.BoardDevice, on bus: Int
  ) throws(Failure) -> any VirtualI2CDevice {
    switch device.kind {
    case .memory(let model, let file):
      let content = try file.map { file throws(Failure) in try TextFile.bytes(file) } ?? []
      if content.count > model.size, let file {
        throw Failure(
          .badContent,
          "\(file): \(content.count) bytes do not fit into the \(model.size) bytes of an \(model.rawValue)"
        )
      }
      return VirtualEEPROM(model, at: device.address, content: content)
    case .clock(let isSet):
      let isReal = clock is WallClock || clock is LiveClock
      let start =
        isReal ? MachineTime.sinceEpoch - Int64(clamping: clock.nanoseconds) : rig.firstMoment
      return VirtualDS3231(at: device.address, air: air, start: isSet ? start : nil)
    case .display(let rows):
      let display = VirtualSSD1306(at: device.address, rows: rows)
      displays.append(Bench.Display(bus: bus, panel: display))
      return display
    }
  }

  private func sensor(_ device: Rig.Device, on bus: Int) -> Bench.Sensor {
    let stream = UInt64(bus) << 16 | UInt64(device.address.rawValue)
    var chance = SeededGenerator(seed: rig.seed, stream: stream)
    let around = cabin.flatMap { cabin in
      cabin.plan.modules.firstIndex { $0.name == device.module }.map { CabinAir(cabin, module: $0) }
    }
    return Bench.Sensor(
      model: device.part.model,
      part: device.part.poweredOn(
        at: device.address, in: around ?? air, seed: chance.next()))
  }

  /// The addresses that kernel drivers own on a bus; like Linux, on the buses above and behind it too.
  private func boundAddresses(of bus: Rig.Bus) -> [I2CAddress] {
    guard !channels.isEmpty else { return bus.boundAddresses }
    let above = rig.busesAbove(bus.number)
    return rig.describedBuses.flatMap { other in
      other.number == bus.number || above.contains(other.number)
        || rig.busesAbove(other.number).contains(bus.number) ? other.boundAddresses : []
    }
  }
}

extension Rig.Bus {
  fileprivate var boundAddresses: [I2CAddress] {
    devices.filter(\.isBound).map(\.address) + multiplexers.filter(\.isBound).map(\.address)
      + boardDevices.filter(\.isBound).map(\.address)
  }
}

package struct BusFaults {
  /// The faults to inject, with the firings of each.
  package let plan: FaultPlan
  /// The configured faults, numbered in the list of the rig or on the command line.
  private let planned: [Fault]

  /// Selects the faults of a rig that act on a bus.
  ///
  /// - Parameters:
  ///   - faults: the faults of the rig.
  ///   - bus: the number of the bus.
  ///   - seed: the seed for faults that fire with a probability.
  package init(_ faults: [Fault], on bus: Int, seed: UInt64) {
    let planned = Self.planned(faults, on: bus)
    self.init(faults, on: bus, sharing: FaultPlan(planned.map(\.plan), seed: seed))
  }

  /// Selects the faults of a rig that act on a bus, whose plan exists.
  init(_ faults: [Fault], on bus: Int, sharing plan: FaultPlan) {
    planned = Self.planned(faults, on: bus)
    self.plan = plan
  }

  private static func planned(_ faults: [Fault], on bus: Int) -> [Fault] {
    zip(1..., faults).filter { $1.bus == bus }.map { $1.numbered($0) }
  }

  /// Creates the faults given on a command line, each with the keys of a fault in a rig.
  ///
  /// - Parameters:
  ///   - texts: the keys of each fault.
  ///   - bus: the number of the bus.
  /// - Throws: `Failure` with the errors of the first invalid fault.
  package init(_ texts: [String], on bus: Int) throws(Failure) {
    var faults: [Fault] = []
    for text in texts { faults += try Fault.planned(text, on: bus) }
    self.init(faults, on: bus, seed: 0)
  }

  /// Wraps a real or replaying adapter so that the faults act on its wire; returns the adapter
  /// unchanged if there are no faults.
  package func over(_ adapter: any I2CAdapter, _ clock: any I2CClock) -> any I2CAdapter {
    planned.isEmpty
      ? adapter : unpluggable(FaultyAdapter(adapter, clock: clock, faults: plan), clock)
  }

  /// Whether the faults unplug the adapter at any time.
  package var unplugsAdapter: Bool { plan.unplugsAdapter }

  /// Wraps an adapter so that the faults unplug it; returns it unchanged if they do not.
  func unpluggable(_ adapter: any I2CAdapter, _ clock: any I2CClock) -> any I2CAdapter {
    plan.unplugsAdapter ? UnpluggableAdapter(adapter, clock: clock, faults: plan) : adapter
  }

  /// Returns the connection of the adapter; `nil` if the faults never unplug it.
  package func connection(_ clock: any I2CClock) -> AdapterConnection? { plan.connection(clock) }

  /// The faults with their firings so far.
  package var faults: [Fault] {
    zip(planned, plan.faults).map { $0.injected($1) }
  }
}

extension Bench {
  /// The faults in the order of the rig, with their firings so far.
  package var faults: [Fault] {
    let buses = Set(rig.faults.map(\.bus)).compactMap { bus($0) }
    // An absence that no transfer met has happened too.
    for bus in buses { bus.faults.plan.beginAbsences(until: clock.nanoseconds) }
    return buses.flatMap(\.faults.faults)
      .inOrder { $0.number < $1.number }
  }
}

/// A port through which programs move the hatches of a cabin, as an I/O expander with motors and
/// limit switches would.
///
/// Bit n of the bytes is hatch n, 1 for open. A write moves hatches at the stop; a read returns the
/// state of the hatches.
final class HatchPanel: VirtualI2CDevice {
  let address: I2CAddress
  private let cabin: Cabin
  private var written: [UInt8] = []
  private var offset = 0

  init(_ address: I2CAddress, of cabin: Cabin) {
    self.address = address
    self.cabin = cabin
  }

  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    offset = 0
    if direction == .write { written = [] }
    return true
  }

  func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    written.append(byte)
    return true
  }

  func read(at time: inout WireTime) -> UInt8 {
    let isOpen = cabin.plan.isOpen(at: time.nanoseconds)
    defer { offset += 1 }
    return (0..<8).reduce(0 as UInt8) { byte, bit in
      let hatch = 8 * offset + bit
      return isOpen.indices.contains(hatch) && isOpen[hatch] ? byte | 1 << bit : byte
    }
  }

  func stop(at time: inout WireTime) {
    let isOpen = cabin.plan.isOpen(at: time.nanoseconds)
    for (index, byte) in written.enumerated() {
      for bit in 0..<8 where isOpen.indices.contains(8 * index + bit) {
        let hatch = 8 * index + bit
        let opens = byte >> bit & 1 == 1
        guard opens != isOpen[hatch] else { continue }
        cabin.perform(opens ? .open(hatch) : .close(hatch), at: time.nanoseconds)
      }
    }
    written = []
  }
}
