import BME280
import Quantities
import VirtualParts

extension SensorOptions {
  /// An error that the datasheet does not allow a part: the key, and the quantity.
  public struct Excess: Hashable, Sendable {
    /// `offset` or `drift_per_year`.
    public let key: String
    /// `pressure`, `temperature` or `humidity`.
    public let quantity: String
    /// What was asked for, and the most that the datasheet allows, in Pa, C or %.
    public let asked, allowed: Double
  }

  /// The errors that are larger than the datasheet allows: only a defective part has them.
  public var beyondAccuracy: [Excess] {
    let figures: [(String, String, Double, Double)] = [
      ("offset", "pressure", offset.pressure, Accuracy.pressure),
      ("offset", "temperature", offset.temperature, Accuracy.temperature),
      ("offset", "humidity", offset.humidity, Accuracy.humidity),
      ("drift_per_year", "pressure", driftPerYear.pressure, Accuracy.pressurePerYear),
      ("drift_per_year", "humidity", driftPerYear.humidity, Accuracy.humidityPerYear),
    ]
    return figures.filter { abs($0.2) > $0.3 }.map {
      Excess(key: $0.0, quantity: $0.1, asked: $0.2, allowed: $0.3)
    }
  }
}
