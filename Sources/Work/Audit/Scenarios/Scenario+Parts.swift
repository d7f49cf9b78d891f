import Environment

extension Scenario {
  /// Calibrations that differ from those that most developers have on their desks.
  static let parts =
    humid + [
      Scenario(
        "negative-t3", "T3 is negative, in frost", exposes: ["B06", "B16b"], part: .negativeT3,
        air: .frost),
      Scenario(
        "unusual-signs",
        "The words of temperature and pressure have the signs that real parts do not have",
        exposes: ["B06"], part: .signs, air: .cold),
    ]

  /// Those of the humidity.
  private static let humid = [
    Scenario(
      "packed-h5", "H4 and H5 share a register with different nibbles",
      exposes: ["B01", "B02", "B15", "B42"],
      part: .packed, air: .hot),
    Scenario("negative-h4", "H4 is negative", exposes: ["B03"], part: .negativeH4),
    Scenario(
      "negative-h5", "H5 is negative", exposes: ["B01", "B03", "B15", "B43"], part: .negativeH5,
      air: .hot),
    Scenario(
      "negative-h6", "H6 is negative", exposes: ["B04", "B06", "B52"], part: .negativeH6, air: .hot),
    Scenario("large-h3", "H3 is not 0", exposes: ["B04", "B06", "B51"], part: .largeH3, air: .hot),
    Scenario("large-h1", "H1 is 255", exposes: ["B05", "B06"], part: .largeH1, air: .damp),
    Scenario("negative-h2", "H2 is negative", exposes: ["B06"], part: .negativeH2),
  ].map { $0.with { $0.concernsHumidity = true } }
}

extension Air {
  static let hot = Air(pressure: 100_937, temperature: 46.2, humidity: 37.4)
  static let cold = Air(pressure: 98_413, temperature: 4.81, humidity: 71.3)
  static let damp = Air(pressure: 100_211, temperature: 24.9, humidity: 88.6)
  static let frost = Air(pressure: 102_640, temperature: -20.37, humidity: 61.5)
}
