import BluetoothLE

/// A service of a tag with a sensor behind it: data, configuration and period, and what they mean to each other.
final class SensorService {
  let sensor: any TagSensor
  /// The bits of its service's identifier; data, configuration and period follow.
  let number: UInt16
  private(set) var data: [UInt8]
  private(set) var configuration: UInt8 = 0
  private(set) var period: UInt8 = 100
  /// When it does something next: begins a measurement, or tells its data.
  private(set) var nextChange: UInt64?
  private var pending: [UInt8]?
  private var begun: UInt64 = 0
  /// What the firmware makes of a sensor that is not there.
  var trouble = SensorTag.Trouble.none

  /// What the configuration reads after a test that failed.
  static let failed: UInt8 = 0xFF
  /// The shortest period in steps of 10 ms.
  static let shortest: UInt8 = 30
  static let step: UInt64 = 10_000_000

  init(_ number: UInt16, _ sensor: any TagSensor) {
    self.number = number
    self.sensor = sensor
    data = [UInt8](repeating: 0, count: sensor.length)
  }

  /// Back to how it was at power-on.
  func reset() {
    data = [UInt8](repeating: 0, count: sensor.length)
    (configuration, period, nextChange, pending) = (0, 100, nil, nil)
  }

  /// Takes a configuration: 1 starts, 0 stops and zeroes the data.
  ///
  /// - Returns: an error code of the attribute protocol, or `nil`.
  func configure(_ value: [UInt8], at time: UInt64) -> UInt8? {
    guard value.count == 1 else { return ATTCode.wrongLength }
    switch value[0] {
    case 0:
      configuration = 0
      data = [UInt8](repeating: 0, count: sensor.length)
      (nextChange, pending) = (nil, nil)
    case 1:
      guard configuration != 1 else { return nil }
      guard trouble == .off || sensor.test() else {
        configuration = Self.failed
        (nextChange, pending) = (nil, nil)
        return nil
      }
      configuration = 1
      (nextChange, pending) = (time, nil)
    default: return ATTCode.wrongValue
    }
    return nil
  }

  /// Takes a period in steps of 10 ms; shorter ones than 300 ms become that.
  ///
  /// It holds from the next measurement on.
  func setPeriod(_ value: [UInt8]) -> UInt8? {
    guard value.count == 1 else { return ATTCode.wrongLength }
    period = max(value[0], Self.shortest)
    return nil
  }

  /// Does what is due: begins a measurement, or tells its data.
  ///
  /// - Parameter clock: the firmware's clock, which shows the time at which it is due.
  /// - Returns: whether there are data to tell.
  func act(_ clock: TagClock) -> Bool {
    if let found = pending {
      data = found
      pending = nil
      nextChange = max(begun + UInt64(period) * Self.step, clock.nanoseconds)
      return true
    }
    begun = clock.nanoseconds
    let found = sensor.measure()
    if found == nil, trouble == .silent {
      nextChange = max(begun + UInt64(period) * Self.step, clock.nanoseconds)
      return false
    }
    // A bus that fails leaves nothing to read.
    pending = found ?? [UInt8](repeating: 0, count: sensor.length)
    nextChange = max(begun + sensor.waitingTime, clock.nanoseconds)
    return false
  }
}

/// Error codes of the attribute protocol that tags answer with.
enum ATTCode {
  /// The value has a wrong length.
  static let wrongLength: UInt8 = 0x0D
  /// The value means nothing: the first of the application's own codes, as TI's stack has it.
  static let wrongValue: UInt8 = 0x80
}
