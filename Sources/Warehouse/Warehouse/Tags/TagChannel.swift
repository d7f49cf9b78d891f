public import Quantities

/// A service of a tag that measures, and what its bytes mean.
public struct TagChannel: Sendable {
  /// What some bytes mean.
  public struct Decoded: Hashable, Sendable {
    /// °C, Pa and %; all that could be computed, also of what is flagged.
    public var values: AirReading
    /// What is wrong with them.
    public var quality: TagQuality

    /// Creates one of its parts.
    public init(_ values: AirReading = AirReading(), quality: TagQuality = []) {
      (self.values, self.quality) = (values, quality)
    }
  }

  /// The service, its data, configuration and period: the four digits that stand in the tag's own 128-bit UUIDs.
  public let service, data, configuration, period: UInt16
  /// How long its data are.
  public let length: Int
  /// The value computed of data that have the right length.
  private let compute: @Sendable ([UInt8]) -> AirReading
  /// Within which a part that works can be: °C, Pa, %.
  private static let plausible: PerQuantity<ClosedRange<Double>> = PerQuantity(
    temperature: -40...85, pressure: 30_000...110_000, humidity: 0...100)

  init(
    service: UInt16, data: UInt16, configuration: UInt16, period: UInt16, length: Int,
    _ compute: @escaping @Sendable ([UInt8]) -> AirReading
  ) {
    (self.service, self.data) = (service, data)
    (self.configuration, self.period) = (configuration, period)
    (self.length, self.compute) = (length, compute)
  }

  /// Decodes what the data characteristic holds; any bytes can be given.
  public func decode(_ bytes: [UInt8]) -> Decoded {
    guard bytes.count == length else { return Decoded(quality: .length) }
    if bytes.allSatisfy({ $0 == 0 }) { return Decoded(compute(bytes), quality: .off) }
    if bytes.allSatisfy({ $0 == 0xFF }) { return Decoded(compute(bytes), quality: .silent) }
    let values = compute(bytes)
    let isPlausible = Quantity.allCases.allSatisfy { quantity in
      values[quantity].map { Self.plausible[quantity].contains($0) } ?? true
    }
    return Decoded(values, quality: isPlausible ? [] : .range)
  }
}

/// The words of tags: 16 bits, the low byte first.
enum TagWords {
  /// The word that begins at an offset, unsigned as all of them are.
  static func word(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
    UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
  }

  /// The 24 bits that begin at an offset, unsigned.
  static func triple(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
  }

  /// A word of which the two low bits are no value, but status of the part, as a share of the full scale.
  static func share(_ word: UInt16) -> Double { Double(word & ~3) / 65536 }
}
