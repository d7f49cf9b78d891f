/// The commands of the SHT21 (DS 5.3, table 6).
///
/// DS is Sensirion's data sheet of the SHT21, version 4.
public enum SHT21Command: UInt8, Hashable, Sendable, CaseIterable {
  /// Measures temperature and holds the clock until the result is there.
  case temperatureHold = 0xE3
  /// Measures humidity and holds the clock until the result is there.
  case humidityHold = 0xE5
  /// Measures temperature; the address is not acknowledged for reading until the result is there.
  case temperatureNoHold = 0xF3
  /// Measures humidity; the address is not acknowledged for reading until the result is there.
  case humidityNoHold = 0xF5
  /// Writes the user register: one byte follows.
  case writeUserRegister = 0xE6
  /// Reads the user register: one byte is read after a repeated start.
  case readUserRegister = 0xE7
  /// Starts the chip anew without taking its supply away.
  case softReset = 0xFE

  /// Finds the command that measures a quantity.
  ///
  /// - Parameters:
  ///   - quantity: what is measured.
  ///   - isHolding: whether the chip holds the clock meanwhile.
  public init(measuring quantity: SHT21Quantity, holdingClock isHolding: Bool) {
    switch quantity {
    case .temperature: self = isHolding ? .temperatureHold : .temperatureNoHold
    case .humidity: self = isHolding ? .humidityHold : .humidityNoHold
    }
  }

  /// The quantity that the command measures, or `nil` when it measures nothing.
  public var quantity: SHT21Quantity? {
    switch self {
    case .temperatureHold, .temperatureNoHold: .temperature
    case .humidityHold, .humidityNoHold: .humidity
    case .writeUserRegister, .readUserRegister, .softReset: nil
    }
  }

  /// Whether the chip holds the clock until the result is there.
  public var holdsClock: Bool { self == .temperatureHold || self == .humidityHold }
}
