import BME280
import Environment

extension Scenario {
  /// Air that developers do not have in their rooms.
  static let airs = [
    Scenario(
      "frost", "Air of -20 C", exposes: ["B11", "B15", "B17", "B39", "B41"], part: .packed,
      air: .frost),
    Scenario(
      "deep-frost", "Air of -39 C", exposes: ["B11", "B17"], part: .packed,
      air: Air(pressure: 103_320, temperature: -39.12, humidity: 54.3)),
    Scenario(
      "heat", "Air of 80 C", exposes: ["B13", "B15", "B41"], part: .packed,
      air: Air(pressure: 99_340, temperature: 80.41, humidity: 12.6)),
    Scenario(
      "just-below-zero", "Air of -0.43 C: the sign has no whole number to stand on",
      exposes: ["B61"], part: .packed,
      air: Air(pressure: 100_603, temperature: -0.43, humidity: 71.08)),
    Scenario(
      "small-fractions", "Values such as 19.07, whose decimals begin with a 0", exposes: ["B61"],
      part: .packed, air: Air(pressure: 100_906, temperature: 19.07, humidity: 42.06)),
    // H5 is 0 where the humidity goes to its limits: nothing that is wrong with its nibbles keeps it from them.
    Scenario(
      "dry", "Air without any water: the code means less than 0 %", exposes: ["B12", "B48"],
      air: Air(pressure: 100_130, temperature: 24.3, humidity: 0)
    ).with {
      $0.concernsHumidity = true
      $0.device = ["offset: {humidity: -3%}"]
    },
    Scenario(
      "above-saturation", "Saturated air and a part that shows more: the code means over 100 %",
      exposes: ["B12"],
      air: Air(pressure: 100_130, temperature: 24.3, humidity: 100)
    ).with {
      $0.concernsHumidity = true
      $0.device = ["offset: {humidity: +3%}"]
    },
    Scenario(
      "saturated", "Saturated air", exposes: ["B05", "B48"],
      part: .packed, air: Air(pressure: 100_130, temperature: 24.3, humidity: 100)
    ).with { $0.concernsHumidity = true },
    Scenario(
      "thin-air", "300 hPa, as in a balloon", exposes: ["B17", "B18"], part: .packed,
      air: Air(pressure: 30_040, temperature: -32.6, humidity: 8.2)),
    Scenario(
      "high-pressure", "1100 hPa, as in a mine", exposes: ["B18"], part: .packed,
      air: Air(pressure: 109_880, temperature: 33.4, humidity: 78.4)),
    Scenario(
      "beyond-the-range", "1128 hPa: above what the part is specified for, and still measured",
      exposes: ["B20"], part: .packed,
      air: Air(pressure: 112_810, temperature: 21.7, humidity: 51.9)
    ).with { $0.wanted = .valuesOrError },
  ]

  /// Legal readings whose codes are those of channels that are switched off.
  static let codes = [
    coded(
      "code-of-skipped-temperature", "The temperature's code is 0x80000",
      RawMeasurement(temperature: 0x80000, pressure: 0x4B2F0, humidity: 0x6C31)),
    coded(
      "code-of-skipped-pressure", "The pressure's code is 0x80000",
      RawMeasurement(temperature: 0x7D3A0, pressure: 0x80000, humidity: 0x6C31)),
    coded(
      "code-of-skipped-humidity", "The humidity's code is 0x8000",
      RawMeasurement(temperature: 0x7D3A0, pressure: 0x4B2F0, humidity: 0x8000)
    ).with { $0.concernsHumidity = true },
  ]

  private static func coded(
    _ name: String, _ summary: String, _ raw: RawMeasurement
  ) -> Scenario {
    Scenario(name, summary, exposes: ["B28"], part: .packed, air: air(of: raw))
  }

  /// The air in which the packed part measures just some codes.
  static func air(of raw: RawMeasurement) -> Air {
    let calibration = Part.packed.calibration
    let value = calibration.compensateSI(raw, variant: .datasheetDouble)
    // The integer formula gives some humidities for two codes: a little towards the next is this one's.
    var next = raw
    next.humidity += 1
    let (here, there) = (calibration.compensateSI(raw), calibration.compensateSI(next))
    let humidity = here.humidity + (there.humidity - here.humidity) / 4
    return Air(pressure: value.pressure, temperature: value.temperature, humidity: humidity)
  }
}
