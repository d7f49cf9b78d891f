import VirtualI2C

extension SensorTag {
  /// What a tag tells while its sensors are not there.
  public enum Trouble: Hashable, Sendable {
    /// Its sensors are there.
    case none
    /// It takes them for switched on, and tells data of zeros.
    case off
    /// It notices: a configuration reads FF after its test, and no data are told.
    case silent
  }

  /// Takes the supply of its parts, or gives it back.
  ///
  /// - Parameters:
  ///   - trouble: what the firmware makes of it.
  ///   - time: when, in nanoseconds of its radio.
  public func set(_ trouble: Trouble, at time: UInt64) {
    setSupply(trouble == .none, at: time)
    for service in services { service.trouble = trouble }
  }

  /// Takes the supply of its parts, or gives it back: no earlier than their own time, which goes on while the firmware talks to them.
  func setSupply(_ isOn: Bool, at time: UInt64) {
    clock.sleep(until: time)
    for part in parts { part.setSupply(isOn, at: clock.nanoseconds) }
  }
}
