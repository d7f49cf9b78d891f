import BME280Model
package import Files
package import I2C
package import I2CTrace
package import LinuxI2C
package import Rigs
package import TraceTools
package import Environment

/// A bus that is open for reading, with all that a reader needs to know of it.
package struct OpenBus {
  package let adapter: any I2CAdapter
  package let clock: any I2CClock
  /// N in /dev/i2c-N.
  package let number: Int
  /// What names the bus in messages.
  package let name: String
  /// The address of its first sensor, as far as that is known.
  package let firstAddress: I2CAddress?
  /// The rig that it belongs to, if it does.
  package let rig: Rig?
  /// The air around its sensors, where anybody knows.
  package let air: (any AirSource)?
  /// The replay that it is, if it is one.
  package let replay: Replay?

  /// Opens what a reference names.
  ///
  /// - Parameters:
  ///   - reference: the bus.
  ///   - options: how a trace is replayed.
  ///   - trace: records every transfer.
  /// - Throws: `BenchFailure` when it cannot be used.
  package init(
    _ reference: BusReference, _ options: ReplayOptions, trace: TraceOutput?
  ) throws(BenchFailure) {
    switch reference {
    case .rig(let file, let number):
      let bench = try Bench(Rig(path: file), trace: trace)
      let bus = try bench.onlyBus(number: number)
      adapter = bus.adapter
      clock = bench.clock
      self.number = bus.number
      name = file
      firstAddress = bus.sensors.first?.address
      rig = bench.rig
      air = bench.rig.buses.first { $0.number == bus.number }?.source == .devices ? bench.air : nil
      replay = bus.replay
    case .adapter(let text):
      let adapter = try LinuxI2CAdapter.opened(text)
      let clock = WallClock()
      self.clock = clock
      let number = adapter.path.split(separator: "-").last.flatMap { Int($0) } ?? 0
      self.number = number
      self.adapter =
        try trace?.recording(adapter, number: number, clock, name: adapter.path) ?? adapter
      name = adapter.path
      (firstAddress, rig, air, replay) = (nil, nil, nil, nil)
    case .trace(let file, let number):
      let bus = try ReplayedBus(file, number: number, options)
      replay = bus.replay
      self.number = bus.number
      self.adapter =
        try trace?.recording(bus.adapter, number: bus.number, bus.clock, name: file) ?? bus.adapter
      clock = bus.clock
      name = file
      firstAddress = bus.sensors.first?.address
      (rig, air) = (nil, nil)
    }
  }
}

extension LinuxI2CAdapter {
  /// Opens a real adapter by its path or its name.
  ///
  /// - Throws: `BenchFailure` of kind unavailable when that fails.
  package static func opened(_ text: String) throws(BenchFailure) -> LinuxI2CAdapter {
    do throws(LinuxI2CError) {
      return try LinuxI2CAdapter(path: LinuxI2CNode.path(of: text))
    } catch {
      throw BenchFailure(.unavailable, "\(error)")
    }
  }
}
