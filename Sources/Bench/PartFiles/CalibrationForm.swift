/// The calibration of a kind of part: constants of each device, with which a driver turns two codes into pressure and
/// temperature.
///
/// A part file names the form; its formulas, which no scale and offset express, are here.
package protocol CalibrationForm: Sendable {
  /// The name in part files.
  static var name: String { get }
  /// The constants in the order of the data sheet, with their ranges and their values in the data sheet's example.
  static var constants: [(name: String, range: ClosedRange<Int>, example: Int)] { get }

  /// Creates the calibration from its constants, in the order of `constants`.
  init(_ constants: [Int])

  /// Returns whether codes can be computed from values with these constants.
  static func isInvertible(_ constants: [Int]) -> Bool

  /// The bytes of the calibration as a client reads them.
  var bytes: [UInt8] { get }

  /// Returns the code of the temperature, for a factor that the oversampling of the part selects.
  func temperatureCode(celsius: Double, factor: Double) -> Int

  /// Returns the code of the pressure in Pa, if the temperature is as given.
  func pressureCode(pascals: Double, celsius: Double, factor: Double) -> Int

  /// Returns temperature in °C and pressure in Pa for two codes.
  func values(
    temperature: Int, factor temperatureFactor: Double, pressure: Int, factor pressureFactor: Double
  ) -> (celsius: Double, pascals: Double)
}

extension CalibrationForm {
  package static func isInvertible(_ constants: [Int]) -> Bool { true }

  /// Returns what is wrong with constants; `nil` if nothing is.
  static func mistake(in constants: [Int]) -> String? {
    guard constants.count == Self.constants.count else {
      return
        "'\(name)' has \(Self.constants.count): \(Self.constants.map(\.name).joined(separator: ", "))"
    }
    for (constant, value) in zip(Self.constants, constants) where !constant.range.contains(value) {
      return "\(constant.name) is from \(constant.range.lowerBound) to \(constant.range.upperBound)"
    }
    return isInvertible(constants) ? nil : "with these, no code has the value of the air"
  }

  /// Searches the whole number, between two bounds, for which an increasing or decreasing function is nearest to a target.
  static func search(
    _ target: Double, in bounds: ClosedRange<Int>, _ function: (Int) -> Double
  ) -> Int {
    var (low, high) = (bounds.lowerBound, bounds.upperBound)
    let isIncreasing = function(high) > function(low)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if (function(middle) < target) == isIncreasing { low = middle } else { high = middle }
    }
    return abs(function(low) - target) <= abs(function(high) - target) ? low : high
  }
}

/// The forms that part files can name.
package enum CalibrationForms {
  static let all: [any CalibrationForm.Type] = [MS5611Form.self, DPS310Form.self]

  static func named(_ name: String) -> (any CalibrationForm.Type)? { all.first { $0.name == name } }
}

/// The MS5611: six words in a PROM, whose last word ends with a checksum of four bits.
///
/// Source: TE Connectivity, MS5611-01BA03 (June 2017), pages 7 to 9 and 13; the checksum is that of the application note AN520.
package struct MS5611Form: CalibrationForm {
  package static let name = "ms5611"
  package static let constants: [(name: String, range: ClosedRange<Int>, example: Int)] = [
    ("c1", 0...65535, 40127), ("c2", 0...65535, 36924), ("c3", 0...65535, 23317),
    ("c4", 0...65535, 23282), ("c5", 0...65535, 33464), ("c6", 0...65535, 28312),
  ]

  private let c: [Int]

  package init(_ constants: [Int]) { c = constants }

  /// The eight words of the PROM: one of the manufacturer, the six constants, and one with the checksum.
  package var bytes: [UInt8] {
    let words = [0] + c + [0]
    return words.enumerated().flatMap { index, word in
      [UInt8(word >> 8), UInt8(word & 0xFF) | (index == 7 ? Self.checksum(words) : 0)]
    }
  }

  /// Returns the checksum of the words, of which the low byte of the last counts as 0.
  package static func checksum(_ words: [Int]) -> UInt8 {
    var remainder = 0
    for (index, word) in words.enumerated() {
      for byte in [word >> 8, index == 7 ? 0 : word & 0xFF] {
        remainder ^= byte
        for _ in 0..<8 {
          remainder = remainder & 0x8000 != 0 ? remainder << 1 ^ 0x3000 : remainder << 1
          remainder &= 0xFFFF
        }
      }
    }
    return UInt8(remainder >> 12)
  }

  /// Returns temperature in 0.01 °C and pressure in Pa, with the compensation of the second order.
  func compensated(_ d1: Int, _ d2: Int) -> (temperature: Int, pressure: Int) {
    let difference = d2 - c[4] << 8
    var temperature = 2000 + (difference * c[5]) >> 23
    var offset = c[1] << 16 + (c[3] * difference) >> 7
    var sensitivity = c[0] << 15 + (c[2] * difference) >> 8
    if temperature < 2000 {
      let square = (temperature - 2000) * (temperature - 2000)
      var (offset2, sensitivity2) = (5 * square / 2, 5 * square / 4)
      if temperature < -1500 {
        let cold = (temperature + 1500) * (temperature + 1500)
        offset2 += 7 * cold
        sensitivity2 += 11 * cold / 2
      }
      temperature -= (difference * difference) >> 31
      offset -= offset2
      sensitivity -= sensitivity2
    }
    return (temperature, ((d1 * sensitivity) >> 21 - offset) >> 15)
  }

  package func temperatureCode(celsius: Double, factor: Double) -> Int {
    Self.search(celsius * 100, in: 0...0xFF_FFFF) { Double(compensated(0, $0).temperature) }
  }

  package func pressureCode(pascals: Double, celsius: Double, factor: Double) -> Int {
    let d2 = temperatureCode(celsius: celsius, factor: 1)
    return Self.search(pascals, in: 0...0xFF_FFFF) { Double(compensated($0, d2).pressure) }
  }

  package func values(
    temperature: Int, factor temperatureFactor: Double, pressure: Int, factor pressureFactor: Double
  ) -> (celsius: Double, pascals: Double) {
    let result = compensated(pressure, temperature)
    return (Double(result.temperature) / 100, Double(result.pressure))
  }
}

/// The DPS310: nine coefficients in 18 bytes, applied to codes divided by a factor that the oversampling selects.
///
/// Sources: the packing, the factors and the formulas are those of the drivers of Infineon (arduino-xensiv-dps3xx), Linux
/// (dps310.c) and Zephyr; the example is the one in QEMU's model.
package struct DPS310Form: CalibrationForm {
  package static let name = "dps310"
  package static let constants: [(name: String, range: ClosedRange<Int>, example: Int)] = [
    ("c0", -2048...2047, 225), ("c1", -2048...2047, -291), ("c00", -524_288...524_287, 81061),
    ("c10", -524_288...524_287, -57006), ("c01", -32768...32767, -1594),
    ("c11", -32768...32767, 1233), ("c20", -32768...32767, -9401), ("c21", -32768...32767, 91),
    ("c30", -32768...32767, -1222),
  ]

  private let c: [Double]
  package let bytes: [UInt8]

  package init(_ constants: [Int]) {
    c = constants.map(Double.init)
    let widths = [12, 12, 20, 20, 16, 16, 16, 16, 16]
    var (bits, count, bytes) = (0, 0, [UInt8]())
    for (constant, width) in zip(constants, widths) {
      bits = bits << width | constant & (1 << width - 1)
      count += width
      while count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
      bits &= 1 << count - 1
    }
    self.bytes = bytes
  }

  package static func isInvertible(_ constants: [Int]) -> Bool { constants[1] != 0 }

  /// The largest code, beyond which the converter does not go.
  private static let largest = Double(0x7F_FFFF)

  private func celsius(_ code: Double) -> Double { c[0] / 2 + c[1] * code }

  private func pascals(_ pressure: Double, _ temperature: Double) -> Double {
    c[2] + pressure * (c[3] + pressure * (c[6] + pressure * c[8]))
      + temperature * c[4] + temperature * pressure * (c[5] + pressure * c[7])
  }

  package func temperatureCode(celsius: Double, factor: Double) -> Int {
    let code = (celsius - c[0] / 2) / c[1] * factor
    return Int(min(max(code, -Self.largest), Self.largest).rounded())
  }

  package func pressureCode(pascals: Double, celsius: Double, factor: Double) -> Int {
    let temperature = (celsius - c[0] / 2) / c[1]
    // Beyond the factor the polynomial has no meaning.
    let bound = Int(min(max(factor, 1), Self.largest))
    return Self.search(pascals, in: -bound...bound) {
      self.pascals(Double($0) / factor, temperature)
    }
  }

  package func values(
    temperature: Int, factor temperatureFactor: Double, pressure: Int, factor pressureFactor: Double
  ) -> (celsius: Double, pascals: Double) {
    let code = Double(temperature) / temperatureFactor
    return (celsius(code), pascals(Double(pressure) / pressureFactor, code))
  }
}
