package import Bridges
import Chips
package import Environment
package import Files
package import I2C
package import I2CTrace
package import LinuxI2C
package import Parts
package import Rigs
package import TraceTools
import VirtualI2C

/// A bus that is open for reading, with all that a reader needs to know of it.
package struct OpenBus {
  package let adapter: any I2CAdapter
  package let clock: any I2CClock
  /// N in /dev/i2c-N.
  package let number: Int
  /// What names the bus in messages.
  package let name: String
  /// Its sensors, as far as they are known.
  package let sensors: [(address: I2CAddress, model: any PartModel)]
  /// The rig that it belongs to, if it does.
  package let rig: Rig?
  /// The air around its sensors, where anybody knows.
  package let air: (any AirSource)?
  /// The cabin around its sensors, whose hatches a crew may move.
  package let cabin: Cabin?
  /// Why the board between it and the program cannot be reached, and the charge of its battery in percent; `nil` where
  /// there is no such board.
  package let board: (() -> (absence: SimulatedGATTLink.Absence?, battery: Int))?
  /// The replay that it is, if it is one.
  package let replay: Replay?
  /// The trace that answers, and N of its bus there; `nil` where none does.
  private let traced: (file: String, bus: Int)?
  /// What each planned failure has done so far.
  package let faultRecords: () -> [FaultRecord]

  /// Opens what a reference names.
  ///
  /// - Parameters:
  ///   - reference: the bus.
  ///   - options: how a trace is replayed.
  ///   - faults: failures that are planned on it, each with the keys of a rig.
  ///   - trace: records every transfer.
  /// - Throws: `Failure` when it cannot be used.
  package init(
    _ reference: BusReference, _ options: ReplayOptions, faults: [String] = [], trace: TraceOutput?
  ) throws(Failure) {
    switch reference {
    case .rig(let file, let number):
      var rig = try Rig(path: file)
      for fault in faults { try rig.plan(fault: fault) }
      let bench = try Bench(rig, trace: trace)
      let bus = try bench.onlyBus(number: number)
      adapter = bus.adapter
      clock = bench.clock
      self.number = bus.number
      name = file
      sensors = bus.sensors.map { ($0.address, $0.model) }
      self.rig = rig
      cabin = bench.cabin
      air = rig.buses.first { $0.number == bus.number }?.source == .devices ? bench.air : nil
      board = bus.board.map { board in { (board.link.absence, Int(board.link.battery)) } }
      replay = bus.replay
      traced = bus.trace
      faultRecords = { bench.faultRecords }
    case .adapter(let text):
      if let failure = BusReference.unknown(text) { throw failure }
      let adapter = try LinuxI2CAdapter.opened(text)
      let clock = WallClock()
      self.clock = clock
      let number = adapter.path.split(separator: "-").last.flatMap { Int($0) } ?? 0
      self.number = number
      let planned = try BusFaults(faults, on: number)
      let faulty = planned.over(adapter, clock)
      self.adapter =
        try trace?.recording(faulty, number: number, clock, name: adapter.path) ?? faulty
      faultRecords = { planned.records }
      name = adapter.path
      (sensors, rig, air, cabin, replay, traced, board) = ([], nil, nil, nil, nil, nil, nil)
    case .trace(let file, let number):
      let bus = try ReplayedBus(file, number: number, options)
      replay = bus.replay
      traced = (file, bus.number)
      self.number = bus.number
      let planned = try BusFaults(faults, on: bus.number)
      let faulty = planned.over(bus.adapter, bus.clock)
      self.adapter =
        try trace?.recording(faulty, number: bus.number, bus.clock, name: file) ?? faulty
      faultRecords = { planned.records }
      clock = bus.clock
      name = file
      sensors = bus.sensors.map { ($0.part.address, $0.model) }
      (rig, air, cabin, board) = (nil, nil, nil, nil)
    }
  }
}

extension OpenBus {
  /// A driver for the sensor at an address, the first sensor of the bus unless given.
  ///
  /// - Parameters:
  ///   - address: where it answers.
  ///   - settings: how a model measures.
  /// - Returns: the driver, which has not touched the bus yet.
  /// - Throws: `Failure` of kind unavailable when no part that is known answers there.
  package func driver(
    at address: I2CAddress?, _ settings: (any PartModel) -> any DriverSettings
  ) throws(Failure) -> any SensorDriver {
    let place = address ?? sensors.first?.address ?? Catalogue.usualAddress
    guard let place else {
      throw Failure(.unavailable, "\(name): no part that is known can answer there")
    }
    let model = try AnsweringPart.model(
      at: place, among: sensors, in: traced, on: adapter, number: number, named: name)
    return model.driver(settings(model), adapter, clock, at: place)
  }
}

extension LinuxI2CAdapter {
  /// Opens a real adapter by its path or its name.
  ///
  /// - Throws: `Failure` of kind unavailable when that fails.
  package static func opened(_ text: String) throws(Failure) -> LinuxI2CAdapter {
    do throws(LinuxI2CError) {
      return try LinuxI2CAdapter(path: LinuxI2CNode.path(of: text))
    } catch {
      throw Failure(.unavailable, "\(error)")
    }
  }
}
