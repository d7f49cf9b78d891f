/// The mode bits of ctrl_meas (DS table 25).
public enum PowerMode: UInt8, Hashable, Sendable, CaseIterable {
  /// No measurement; every register is accessible.
  case sleep = 0b00
  /// One measurement, then sleep.
  case forced = 0b01
  /// Measurements for ever, a standby time between them.
  case normal = 0b11

  /// Decodes two bits; 10 means forced as well as 01.
  @inlinable
  public init(bits: UInt8) {
    switch bits & 0b11 {
    case 0b00: self = .sleep
    case 0b11: self = .normal
    default: self = .forced
    }
  }
}
