import I2C
import I2CTrace
import LinuxI2C
import VirtualSensors

/// A bus that is open for reading, with all that a reader needs to know of it.
struct OpenBus {
  let adapter: any I2CAdapter
  let clock: any I2CClock
  /// N in /dev/i2c-N.
  let number: Int
  /// What names the bus in messages.
  let name: String
  /// The address of its first sensor, as far as that is known.
  let firstAddress: I2CAddress?
  /// The rig that it belongs to, if it does.
  let rig: Rig?
  /// The air around its sensors, where anybody knows.
  let air: (any AirSource)?
  /// The replay that it is, if it is one.
  let replay: Replay?

  /// Opens what a reference names.
  ///
  /// - Parameters:
  ///   - reference: the bus.
  ///   - strictness: how exactly a trace must be done again.
  ///   - trace: records every transfer.
  /// - Throws: ``BenchFailure`` when it cannot be used.
  init(
    _ reference: BusReference, strictness: Replay.Strictness, trace: TraceOutput?
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
      air = bus.isPhysical ? nil : bench.air
      replay = nil
    case .adapter(let text):
      let adapter = try LinuxI2CAdapter.opened(text)
      let clock = WallClock()
      self.clock = clock
      let number = adapter.path.split(separator: "-").last.flatMap { Int($0) } ?? 0
      self.number = number
      self.adapter =
        trace?.recording(adapter, number: number, clock, name: adapter.path) ?? adapter
      name = adapter.path
      (firstAddress, rig, air, replay) = (nil, nil, nil, nil)
    case .trace(let file, let number):
      let replay = try Replay.opened(file, number: number, strictness: strictness)
      self.replay = replay
      self.number = replay.bus
      self.adapter = trace?.recording(replay, number: replay.bus, replay, name: file) ?? replay
      clock = replay
      name = file
      (firstAddress, rig, air) = (nil, nil, nil)
    }
  }
}

extension LinuxI2CAdapter {
  /// Opens a real adapter by its path or its name.
  ///
  /// - Throws: ``BenchFailure`` of kind unavailable when that fails.
  static func opened(_ text: String) throws(BenchFailure) -> LinuxI2CAdapter {
    do throws(LinuxI2CError) {
      return try LinuxI2CAdapter(path: LinuxI2CNode.path(of: text))
    } catch {
      throw BenchFailure(.unavailable, "\(error)")
    }
  }
}
