import Chips
import Environment
import I2C
import VirtualI2C

/// The HDC1000 of a CC2650 tag at 0x43: both quantities, 14 bits each, the temperature's word first.
final class HDC1000TagSensor: TagSensor {
  let device: VirtualHDC1000
  private let driver: HDC1000Driver

  /// Where it lies on the real tag's bus (an assumption: from its published firmware, not measured).
  static let address: I2CAddress = 0x43

  init(_ bus: VirtualAdapter, _ clock: any I2CClock, in air: any AirSource, seed: UInt64) {
    device = VirtualHDC1000(
      address: Self.address, air: air, seed: seed, poweredOnAt: clock.nanoseconds)
    driver = HDC1000Driver(adapter: bus, clock: clock, address: Self.address)
    try? bus.attach(device)
  }

  var part: (any VirtualI2CDevice)? { device }
  var length: Int { 4 }
  // The firmware starts, waits 15 ms, reads and notifies.
  var waitingTime: UInt64 { 15_000_000 }

  func test() -> Bool {
    do throws(HDC1000DriverError) {
      try driver.start()
      return true
    } catch {
      return false
    }
  }

  func measure() -> [UInt8]? {
    do throws(HDC1000DriverError) {
      let measurement = try driver.measure()
      return LittleEndian.bytes(measurement.rawTemperature, 2)
        + LittleEndian.bytes(measurement.rawHumidity, 2)
    } catch {
      return nil
    }
  }
}

/// The SHT21 of a CC2541 tag at 0x40: words as it gives them, status bits included.
final class SHT21TagSensor: TagSensor {
  let device: VirtualSHT21
  private let driver: SHT21Driver

  init(_ bus: VirtualAdapter, _ clock: any I2CClock, in air: any AirSource, seed: UInt64) {
    device = VirtualSHT21(air: air, seed: seed, poweredOnAt: clock.nanoseconds)
    driver = SHT21Driver(adapter: bus, clock: clock)
    try? bus.attach(device)
  }

  var part: (any VirtualI2CDevice)? { device }
  var length: Int { 4 }
  // The part's own time, 85 and 29 ms, is longer than any wait of the firmware that is known.
  var waitingTime: UInt64 { 0 }

  func test() -> Bool {
    do throws(SHT21DriverError) {
      try driver.start()
      return true
    } catch {
      return false
    }
  }

  func measure() -> [UInt8]? {
    do throws(SHT21DriverError) {
      let measurement = try driver.measure()
      return LittleEndian.bytes(measurement.rawTemperature, 2)
        + LittleEndian.bytes(measurement.rawHumidity, 2)
    } catch {
      return nil
    }
  }
}
