import I2C
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

  /// Opens what a reference names.
  ///
  /// - Throws: ``BenchFailure`` when it cannot be used.
  init(_ reference: BusReference) throws(BenchFailure) {
    switch reference {
    case .rig(let file, let number):
      let bench = try Bench(Rig(path: file))
      let bus = try bench.onlyBus(number: number)
      adapter = bus.adapter
      clock = bench.clock
      self.number = bus.number
      name = file
      firstAddress = bus.sensors.first?.address
      rig = bench.rig
      air = bus.isPhysical ? nil : bench.air
    case .adapter(let text):
      let adapter = try LinuxI2CAdapter.opened(text)
      self.adapter = adapter
      clock = WallClock()
      number = adapter.path.split(separator: "-").last.flatMap { Int($0) } ?? 0
      name = adapter.path
      firstAddress = nil
      rig = nil
      air = nil
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
