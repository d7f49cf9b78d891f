import Quantities

extension TagKind {
  /// The CC2650 SensorTag: humidity of 14 bits over the full scale, pressure compensated by its firmware.
  ///
  /// Temperature is raw / 65536 · 165 - 40 °C and humidity (raw & ~3) / 65536 · 100 %, both unsigned: the guide's C takes the
  /// temperature for signed, which makes 42.5 °C and more to -40 °C and less. Of the barometer's six bytes the first three
  /// are hundredths of a degree, which the firmware cut from 32 bits: their sign is extended. The last three are Pa.
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
