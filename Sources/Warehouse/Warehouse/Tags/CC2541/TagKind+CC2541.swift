import Quantities

extension TagKind {
  /// The CC2541 SensorTag, the generation before: another humidity part, another formula.
  ///
  /// Temperature is -46.85 + 175.72 · (raw & ~3) / 65536 °C and humidity -6 + 125 · (raw & ~3) / 65536 %: dry air may read
  /// a little below 0 % and wet air above 100 %; both are flagged. Its barometer needs calibration values that it keeps.
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
