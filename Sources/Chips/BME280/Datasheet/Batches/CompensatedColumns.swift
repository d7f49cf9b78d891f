/// Measurements in physical quantities, a column for each, in the native units of a variant.
///
/// Columns that are used again for batches of the same length allocate nothing.
public struct CompensatedColumns: Hashable, Sendable {
  /// The fine temperatures in 1/5120 C; of the double variants their whole part.
  public internal(set) var fineTemperatures: [Int32] = []
  /// The temperatures.
  public internal(set) var temperatures: [Double] = []
  /// The pressures.
  public internal(set) var pressures: [Double] = []
  /// The relative humidities.
  public internal(set) var humidities: [Double] = []

  /// Creates columns without rows.
  public init() {}

  /// The number of rows.
  public var count: Int { fineTemperatures.count }

  /// One row, from 0.
  public subscript(row: Int) -> CompensatedMeasurement {
    CompensatedMeasurement(
      fineTemperature: fineTemperatures[row], temperature: temperatures[row],
      pressure: pressures[row], humidity: humidities[row])
  }

  /// Makes room for some rows; what they hold is unspecified.
  mutating func resize(to rows: Int) {
    guard rows != count else { return }
    fineTemperatures = Array(repeating: 0, count: rows)
    temperatures = Array(repeating: 0, count: rows)
    pressures = temperatures
    humidities = temperatures
  }

  mutating func set(_ row: Int, to measurement: CompensatedMeasurement) {
    fineTemperatures[row] = measurement.fineTemperature
    temperatures[row] = measurement.temperature
    pressures[row] = measurement.pressure
    humidities[row] = measurement.humidity
  }
}
