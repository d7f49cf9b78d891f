import BluetoothLE

/// A measuring service of a tag, which controls a sensor through the characteristics for data,
/// configuration and period.
final class SensorService {
  let sensor: any TagSensor
  /// The 16-bit number in the service's UUID; the characteristics have the numbers that follow it.
  let number: UInt16
  private(set) var data: [UInt8]
  private(set) var configuration: UInt8 = 0
  private(set) var period: UInt8 = 100
  /// The time of the next action, which starts a measurement or provides its data; `nil` if the
  /// sensor is disabled.
  private(set) var nextChange: UInt64?
  private var pending: [UInt8]?
  private var begun: UInt64 = 0
  /// The firmware's behavior if the sensor does not respond.
  var trouble = SensorTag.Trouble.none

  /// The value to which a failed sensor test sets the configuration.
  static let failed: UInt8 = 0xFF
  /// The minimum period in steps of 10 ms.
  static let shortest: UInt8 = 30
  static let step: UInt64 = 10_000_000

  init(_ number: UInt16, _ sensor: any TagSensor) {
    self.number = number
    self.sensor = sensor
    data = [UInt8](repeating: 0, count: sensor.length)
  }

  /// Resets the service to its state at power-on.
  func reset() {
    data = [UInt8](repeating: 0, count: sensor.length)
    (configuration, period, nextChange, pending) = (0, 100, nil, nil)
  }

  /// Writes the configuration: 1 enables the sensor, 0 disables it and zeroes the data.
  ///
  /// - Returns: An Attribute Protocol error code; `nil` on success.
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

  /// Writes the period in steps of 10 ms.
  ///
  /// Values below 300 ms are raised to 300 ms. A new period takes effect with the next measurement.
  func setPeriod(_ value: [UInt8]) -> UInt8? {
    guard value.count == 1 else { return ATTCode.wrongLength }
    period = max(value[0], Self.shortest)
    return nil
  }

  /// Performs the action that is due, which starts a measurement or provides its data.
  ///
  /// - Parameter clock: The firmware's clock, which has reached the time of the action.
  /// - Returns: `true` if there is new data to notify.
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
    // After a bus error, the data is all zeros.
    pending = found ?? [UInt8](repeating: 0, count: sensor.length)
    nextChange = max(begun + sensor.waitingTime, clock.nanoseconds)
    return false
  }
}

/// The Attribute Protocol error codes with which tags respond.
enum ATTCode {
  /// The value has an invalid length.
  static let wrongLength: UInt8 = 0x0D
  /// The value is invalid; this is the first application error code, which TI's stack uses as well.
  static let wrongValue: UInt8 = 0x80
}
