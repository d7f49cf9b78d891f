public import Quantities
import Support

/// A kind of tag: how the hub identifies it, and the layout of its services.
public struct TagKind: Sendable {
  /// The name in rigs and records.
  public let name: String
  /// The model number that the tag reports (characteristic 0x2A24).
  public let modelNumber: String
  /// The manufacturer.
  public let maker: String
  /// The name that the tag sends in its scan response.
  public let advertisedName: String
  /// The service for temperature and humidity.
  public let humidity: TagChannel
  /// The service for pressure; `nil` if its values need calibration data that the hub does not
  /// read.
  public let pressure: TagChannel?
  /// The services that only this kind of tag has, used to identify it if the model number cannot be
  /// read.
  public let ownServices: [UInt16]

  /// The measuring services of the tag, ordered by service number.
  public var channels: [TagChannel] { [humidity] + (pressure.map { [$0] } ?? []) }

  /// The channel whose data characteristic has the number `data`; `nil` if there is none.
  public func channel(data: UInt16) -> TagChannel? { channels.first { $0.data == data } }
}

extension TagKind {
  /// The CC2541 SensorTag, the older generation, which has a different humidity sensor and formula.
  ///
  /// The temperature is -46.85 + 175.72 · (raw & ~3) / 65536 °C and the humidity -6 + 125 · (raw &
  /// ~3) / 65536 %. Dry air may read slightly below 0 % and humid air above 100 %; both are
  /// flagged. The barometer's values are not decoded, because that requires calibration values from
  /// the tag.
  public static let cc2541 = TagKind(
    name: "cc2541", modelNumber: "CC2541 SensorTag", maker: "Texas Instruments",
    advertisedName: "SensorTag",
    humidity: TagChannel(
      service: 0xAA20, data: 0xAA21, configuration: 0xAA22, period: 0xAA23, length: 4
    ) { bytes in
      AirReading(
        temperature: -46.85 + 175.72 * TagWords.share(TagWords.word(bytes, 0)),
        humidity: -6 + 125 * TagWords.share(TagWords.word(bytes, 2)))
    },
    pressure: nil, ownServices: [])
}

extension TagKind {
  /// The CC2650 SensorTag, whose humidity has 14 bits over the full scale and whose firmware
  /// compensates the pressure.
  ///
  /// The temperature is raw / 65536 · 165 - 40 °C and the humidity (raw & ~3) / 65536 · 100 %, both
  /// unsigned. The C code in the vendor's guide treats the temperature as signed, which turns 42.5
  /// °C and more into -40 °C and less. The barometer sends six bytes. The first three are the
  /// temperature in hundredths of a degree; the firmware truncates them from 32 bits, so the hub
  /// extends their sign. The last three are the pressure in Pa.
  public static let cc2650 = TagKind(
    name: "cc2650", modelNumber: "CC2650 SensorTag", maker: "Texas Instruments",
    advertisedName: "CC2650 SensorTag",
    humidity: TagChannel(
      service: 0xAA20, data: 0xAA21, configuration: 0xAA22, period: 0xAA23, length: 4
    ) { bytes in
      AirReading(
        temperature: Double(TagWords.word(bytes, 0)) / 65536 * 165 - 40,
        humidity: TagWords.share(TagWords.word(bytes, 2)) * 100)
    },
    pressure: TagChannel(
      service: 0xAA40, data: 0xAA41, configuration: 0xAA42, period: 0xAA44, length: 6
    ) { bytes in
      AirReading(
        temperature: Double(Int32(bitPattern: TagWords.triple(bytes, 0) << 8) >> 8) * 0.01,
        pressure: Double(TagWords.triple(bytes, 3)))
    },
    ownServices: [0xAA70, 0xAA80])
}

extension TagKind {
  /// Decodes a notification into a reading without a sequence number.
  ///
  /// Flagged values are omitted; the raw bytes are kept.
  ///
  /// - Parameters:
  ///   - bytes: The data as received.
  ///   - data: The characteristic that sent the notification.
  ///   - tag: The address of the tag.
  ///   - time: The time of the notification in nanoseconds since 1970.
  /// - Returns: The reading, or `nil` if this kind of tag has no channel with that characteristic.
  public func reading(_ bytes: [UInt8], of data: UInt16, tag: String, at time: Int64) -> TagReading?
  {
    guard let channel = channel(data: data) else { return nil }
    let decoded = channel.decode(bytes)
    let digits = Hexadecimal.digits(data, 4).uppercased()
    return TagReading(
      hub: "", sequence: 0, time: time, tag: tag, kind: name,
      values: decoded.quality.isEmpty ? decoded.values : AirReading(), quality: decoded.quality,
      characteristic: digits, raw: bytes)
  }
}

/// The catalogue of supported kinds of tags.
public enum TagCatalogue {
  /// All supported kinds.
  public static let all: [TagKind] = [.cc2650, .cc2541]

  /// Returns the kind with a name.
  public static func kind(named name: String) -> TagKind? { all.first { $0.name == name } }

  /// Identifies the kind of a tag by its model number or, if that is unknown, by its services.
  ///
  /// The advertised name is not used, because one kind's name is part of the other kind's name.
  ///
  /// - Returns: The kind, or `nil` if no kind matches.
  public static func kind(modelNumber: String?, services: some Sequence<UInt16>) -> TagKind? {
    if let modelNumber, let kind = all.first(where: { $0.modelNumber == modelNumber }) {
      return kind
    }
    let services = Set(services)
    if let kind = all.first(where: { !services.isDisjoint(with: $0.ownServices) }) { return kind }
    return all.first { $0.ownServices.isEmpty && services.contains($0.humidity.service) }
  }
}

/// A measuring service of a tag, and the function that decodes its data.
public struct TagChannel: Sendable {
  /// The decoded data of a notification.
  public struct Decoded: Hashable, Sendable {
    /// All values that can be computed, including flagged ones, in °C, Pa and %.
    public var values: AirReading
    /// The flags of the values.
    public var quality: TagQuality

    /// Creates decoded data.
    public init(_ values: AirReading = AirReading(), quality: TagQuality = []) {
      (self.values, self.quality) = (values, quality)
    }
  }

  /// The 16-bit numbers of the service and of its data, configuration and period characteristics.
  public let service, data, configuration, period: UInt16
  /// The required length of the data in bytes.
  public let length: Int
  /// Computes the values from data that has the required length.
  private let compute: @Sendable ([UInt8]) -> AirReading
  /// The range of plausible values in °C, Pa and %.
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

  /// Decodes the value of the data characteristic; any bytes are valid input.
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

/// Access to little-endian words of tag data.
enum TagWords {
  /// Returns the unsigned 16-bit word at an offset.
  static func word(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
    UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
  }

  /// Returns the unsigned 24-bit value at an offset.
  static func triple(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
  }

  /// Returns a word as a share of the full scale, with its two low status bits cleared.
  static func share(_ word: UInt16) -> Double { Double(word & ~3) / 65536 }
}
