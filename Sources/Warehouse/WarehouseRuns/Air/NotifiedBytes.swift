import Quantities
import Warehouse

/// What a tag of a kind notifies in some air: the bytes that its kind's own formula decodes to the nearest value.
///
/// The inverse is taken from two values of the formula, which is a straight line, and knows no tag.
struct NotifiedBytes {
  private struct Line {
    let zero, slope: Double

    /// The word of a value, cut where the scale ends.
    func word(_ value: Double) -> UInt16 {
      UInt16(min(max(((value - zero) / slope).rounded(), 0), 65_535))
    }
  }

  private let temperature, humidity: Line

  init(_ channel: TagChannel) {
    func values(_ word: UInt16) -> AirReading { channel.decode(Self.bytes(word, word)).values }
    let (low, high) = (values(1024), values(60_416))
    func line(_ low: Double?, _ high: Double?) -> Line {
      let slope = ((high ?? 1) - (low ?? 0)) / (60_416 - 1024)
      return Line(zero: (low ?? 0) - 1024 * slope, slope: slope)
    }
    temperature = line(low.temperature, high.temperature)
    humidity = line(low.humidity, high.humidity)
  }

  /// The four bytes, temperature first, the low byte of each first; the two status bits are clear.
  func bytes(celsius: Double, percent: Double) -> [UInt8] {
    let tenable = min(max(percent, 0), 100)
    let words = (temperature.word(celsius), (humidity.word(tenable) &+ 2) & ~3)
    // What rounds up beyond the scale, and what would look like a part that is off.
    return Self.bytes(words.0 & ~3, words.1 == 0 && tenable > 50 ? 0xFFFC : words.1)
  }

  private static func bytes(_ one: UInt16, _ other: UInt16) -> [UInt8] {
    [UInt8(one & 0xFF), UInt8(one >> 8), UInt8(other & 0xFF), UInt8(other >> 8)]
  }
}
