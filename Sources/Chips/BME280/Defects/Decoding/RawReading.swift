/// How a program takes the raw values out of the data registers 0xF7 to 0xFE.
package struct RawReading: Hashable, Sendable {
  /// What is in the eight bytes.
  package enum Layout: Hashable, Sendable {
    case right
    /// The low byte first, and 16 bits only.
    case littleEndian
    /// A byte that belongs to the bus stands before them.
    case oneLater
  }

  /// Where the four lowest bits of temperature and pressure come from.
  package enum Lowest: Hashable, Sendable {
    /// The high half of their third byte.
    case right
    /// The low half of it, which is always 0.
    case lowHalf
    /// The third byte of the other one.
    case exchanged
    /// All eight bits of the third byte over those of the second.
    case unshifted
    /// The high half of their own first byte.
    case fromFirst
  }

  /// What becomes of a value that also stands for a channel that is skipped.
  package enum SkipCode: Hashable, Sendable {
    /// It is computed like any other.
    case value
    /// The program shows nothing.
    case nothing
    /// The program shows 0.
    case zero
  }

  /// The right way.
  package init() {}

  package var layout = Layout.right
  /// The humidity word from its first byte twice.
  package var repeatsHumidityByte = false
  package var lowest = Lowest.right
  package var skipCode = SkipCode.value
  /// The pressure is computed from the temperature's raw value.
  package var takesTemperatureForPressure = false
  /// The pressure's first two bytes are exchanged, and its third is right.
  package var swapsPressureBytes = false
  /// All three bytes as they stand, sixteen times too large.
  package var keepsLowestZeros = false

  package var isSkipCodeZero: Bool { skipCode == .zero }

  /// Raw values; nothing for a channel that the program takes for absent.
  package struct Codes: Hashable {
    package var temperature: Int64?
    package var pressure: Int64?
    package var humidity: Int64?
  }

  package func codes(_ data: [UInt8]) -> Codes {
    var bytes = data.map(Int64.init)
    switch layout {
    case .right, .littleEndian: break
    case .oneLater: bytes = [0] + bytes.dropLast()
    }
    if swapsPressureBytes { bytes.swapAt(0, 1) }
    func wide(_ index: Int) -> Int64 {
      if layout == .littleEndian { return (bytes[index + 1] << 8 | bytes[index]) << 4 }
      if keepsLowestZeros { return bytes[index] << 16 | bytes[index + 1] << 8 | bytes[index + 2] }
      let upper = bytes[index] << 12 | bytes[index + 1] << 4
      return switch lowest {
      case .right: upper | bytes[index + 2] >> 4
      case .lowHalf: upper | bytes[index + 2] & 0x0F
      case .exchanged: upper | bytes[index == 0 ? 5 : 2] >> 4
      case .unshifted: upper | bytes[index + 2]
      case .fromFirst: upper | bytes[index] >> 4
      }
    }
    let low = repeatsHumidityByte ? bytes[6] : bytes[7]
    let humidity = layout == .littleEndian ? bytes[7] << 8 | bytes[6] : bytes[6] << 8 | low
    var codes = Codes(temperature: wide(3), pressure: wide(0), humidity: humidity)
    if skipCode == .nothing {
      if codes.temperature == 0x80000 { codes.temperature = nil }
      if codes.pressure == 0x80000 { codes.pressure = nil }
      if codes.humidity == 0x8000 { codes.humidity = nil }
    }
    return codes
  }
}
