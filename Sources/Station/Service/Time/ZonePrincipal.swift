import Forecasts

/// A zone's principal place, of the time zone database's `zone1970.tab`.
struct ZonePrincipal: Sendable {
  /// The zone's name.
  let name: String
  /// Where it lies.
  let place: Place

  /// The lines of a table: countries, a place in degrees, minutes and perhaps seconds (`+3843-00908`), the zone.
  static func read(_ bytes: [UInt8]) -> [ZonePrincipal] {
    bytes.split(separator: 10).compactMap { line in
      let cells = line.split(separator: 9)
      guard line.first != UInt8(ascii: "#"), cells.count >= 3, let place = place(cells[1]) else {
        return nil
      }
      return ZonePrincipal(name: String(decoding: cells[2], as: UTF8.self), place: place)
    }
  }

  private static func place(_ text: ArraySlice<UInt8>) -> Place? {
    let isSign = { (byte: UInt8) in byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }
    guard let cut = text.dropFirst().firstIndex(where: isSign),
      let latitude = degrees(text[..<cut], wide: 2), let longitude = degrees(text[cut...], wide: 3)
    else { return nil }
    return Place(latitude: latitude, longitude: longitude)
  }

  private static func degrees(_ text: ArraySlice<UInt8>, wide: Int) -> Double? {
    let digits = text.dropFirst()
    guard digits.count == wide + 2 || digits.count == wide + 4,
      digits.allSatisfy({ $0 >= 48 && $0 <= 57 })
    else { return nil }
    let numbers = digits.map { Int($0) - 48 }
    func number(_ part: ArraySlice<Int>) -> Double { Double(part.reduce(0) { $0 * 10 + $1 }) }
    let value =
      number(numbers[..<wide]) + number(numbers[wide..<(wide + 2)]) / 60
      + number(numbers[(wide + 2)...]) / 3600
    return text.first == UInt8(ascii: "-") ? -value : value
  }
}
