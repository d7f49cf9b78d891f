import Support

/// A register dump of a part, as printed by `i2cdump -y 1 0x76`.
struct RegisterTable {
  /// The values of the 256 registers; `nil` for each register that the dump does not contain.
  private(set) var bytes = [UInt8?](repeating: nil, count: 256)

  /// Parses a dump.
  ///
  /// - Returns: the table, or `nil` if the text is not a dump.
  /// - Throws: `CalibrationFormatError` if the dump consists of words instead of bytes.
  init?(_ text: String) throws(CalibrationFormatError) {
    var rows = 0
    for line in text.split(whereSeparator: \.isNewline) {
      let row = Array(line.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
      guard row.count > 6, row[2] == UInt8(ascii: ":"), row[3] == UInt8(ascii: " "),
        let first = Self.byte(row[0], row[1]), first & 0x07 == 0
      else { continue }
      let cells = row[4...].split(separator: UInt8(ascii: " "))
      if let cell = cells.first, cell.count == 4, cell.allSatisfy({ Hexadecimal.value($0) != nil })
      {
        throw CalibrationFormatError(
          "this is a table of words; i2cdump prints bytes with the mode 'b'")
      }
      rows += 1
      take(row, from: Int(first))
    }
    guard rows > 0 else { return nil }
  }

  /// Parses a row by column positions, because registers outside the dumped range are blank and
  /// failed reads are `XX`.
  private mutating func take(_ row: [UInt8], from first: Int) {
    for index in 0..<16 where first + index < 256 {
      let column = 4 + 3 * index
      guard column + 1 < row.count else { return }
      bytes[first + index] = Self.byte(row[column], row[column + 1])
    }
  }

  private static func byte(_ upper: UInt8, _ lower: UInt8) -> UInt8? {
    guard let upper = Hexadecimal.value(upper), let lower = Hexadecimal.value(lower) else {
      return nil
    }
    return upper << 4 | lower
  }
}

/// The reason why a text is not a valid calibration.
struct CalibrationFormatError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

/// A linear scale between a 16-bit converter code and a physical quantity.
///
/// The conversion from a value to a code searches for the code whose computed value is nearest, so
/// both directions of conversion always agree.
public struct CodeScale: Hashable, Sendable {
  /// The value of the code 0, in the unit of the quantity.
  public let offset: Double
  /// The increase of the value over 65,536 codes, in the unit of the quantity; always positive.
  public let span: Double

  /// Creates a scale from its two constants.
  public init(offset: Double, span: Double) {
    precondition(span > 0, "a scale rises")
    self.offset = offset
    self.span = span
  }

  /// Returns the value of a code, in the unit of the quantity.
  public func value(of code: UInt16) -> Double { offset + span * Double(code) / 65_536 }

  /// Finds the code whose value is nearest to a wanted value, or the higher code if two are equally
  /// near.
  ///
  /// - Parameters:
  ///   - wanted: the value, in the unit of the quantity; clamped to the range of the scale.
  ///   - bits: the number of leading bits that the code uses, 1...16; the remaining bits are 0.
  /// - Returns: the code.
  public func code(nearestTo wanted: Double, bits: Int) -> UInt16 {
    let shift = UInt32(16 - bits)
    // The first index whose value is not below the wanted one.
    var (low, high) = (UInt32(0), UInt32(1) << UInt32(bits) - 1)
    while low < high {
      let middle = (low + high) / 2
      if value(of: UInt16(middle << shift)) < wanted { low = middle + 1 } else { high = middle }
    }
    let above = UInt16(low << shift)
    guard low > 0 else { return above }
    let below = UInt16((low - 1) << shift)
    return wanted - value(of: below) < value(of: above) - wanted ? below : above
  }
}
