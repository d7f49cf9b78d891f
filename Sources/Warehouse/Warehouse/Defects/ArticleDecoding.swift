import Quantities

/// What the published code makes of bytes: each way wrong on purpose, to show by how much.
public enum ArticleDecoding {
  /// Decodes a humidity as it does (`TagDefect.wrongPart`, `TagDefect.unmasked`).
  ///
  /// - Parameter bytes: what the humidity characteristic of either kind holds.
  /// - Returns: the humidity in % that it shows; `nil` where it would have trapped.
  public static func humidity(_ bytes: [UInt8]) -> Double? {
    let words = words(bytes, behind: [])
    return words.count > 1 ? -6 + 125 * Double(words[1]) / 65536 : nil
  }

  /// Copies words as it does (`TagDefect.overlong`).
  ///
  /// - Parameters:
  ///   - bytes: the data.
  ///   - behind: what lies in memory behind them; zeros where it ends.
  /// - Returns: as many words as there are bytes.
  public static func words(_ bytes: [UInt8], behind: [UInt8]) -> [UInt16] {
    let memory = bytes + behind
    return bytes.indices.map { index in
      let low = 2 * index < memory.count ? memory[2 * index] : 0
      let high = 2 * index + 1 < memory.count ? memory[2 * index + 1] : 0
      return UInt16(low) | UInt16(high) << 8
    }
  }

  /// What it makes of a reading: the wrong humidity, and nothing it would flag; `nil` where it heard nothing of humidity.
  public static func reading(_ reading: TagReading) -> TagReading? {
    guard reading.raw.count == 4, reading.quality != .length, let humidity = humidity(reading.raw)
    else { return nil }
    var shown = reading
    shown.quality = []
    shown.values.humidity = humidity
    return shown
  }
}
