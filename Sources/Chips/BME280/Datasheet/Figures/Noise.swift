/// The noise of a measurement as a standard deviation (DS 3.6, 25 C).
public enum Noise {
  /// Pressure in Pa, by its oversampling and the filter; 0 when skipped.
  ///
  /// The figures hold for temperature x1, and x2 together with pressure x16.
  public static func pressure(_ oversampling: Oversampling, filter: Filter) -> Double {
    let row: InlineArray<5, Double>
    switch oversampling {
    case .skipped: return 0
    case .x1: row = [3.3, 1.9, 1.2, 0.9, 0.4]
    case .x2: row = [2.6, 1.5, 1.0, 0.6, 0.4]
    case .x4: row = [2.1, 1.2, 0.8, 0.5, 0.3]
    case .x8: row = [1.6, 1.0, 0.6, 0.4, 0.2]
    case .x16: row = [1.3, 0.8, 0.5, 0.4, 0.2]
    }
    return row[Int(filter.rawValue)]
  }

  /// Temperature in C, by its oversampling; 0 when skipped.
  public static func temperature(_ oversampling: Oversampling) -> Double {
    switch oversampling {
    case .skipped: 0
    case .x1: 0.005
    case .x2: 0.004
    case .x4, .x8: 0.003
    case .x16: 0.002
    }
  }

  /// Relative humidity in %, by its oversampling; 0 when skipped.
  public static func humidity(_ oversampling: Oversampling) -> Double {
    switch oversampling {
    case .skipped: 0
    case .x1: 0.07
    case .x2: 0.05
    case .x4: 0.04
    case .x8: 0.03
    case .x16: 0.02
    }
  }

  /// How much larger the pressure noise is at a temperature than at 25 C.
  ///
  /// The datasheet says +25 % at -10 C and -5 % at 75 C; between and beyond, straight lines.
  public static func pressureFactor(celsius: Double) -> Double {
    celsius < 25
      ? 1 + 0.25 * (25 - celsius) / 35
      : 1 - 0.05 * min(celsius - 25, 60) / 50
  }

  /// Pressure in Pa before the filter, so that behind it the figures of the table come out.
  ///
  /// The datasheet takes the standard deviation of 32 samples. Those of a filter follow each other
  /// closely, so that 32 show less than all: with a = 1 - 1/c a share of the variance, the variance of
  /// their mean, is not seen.
  public static func pressureBeforeFilter(_ oversampling: Oversampling, filter: Filter) -> Double {
    let figure = pressure(oversampling, filter: filter)
    let coefficient = Double(filter.coefficient)
    guard coefficient > 1 else { return figure }
    let memory = 1 - 1 / coefficient
    let samples = 32.0
    var power = memory
    for _ in 0..<5 { power *= power }
    let ofMean =
      ((1 + memory) / (1 - memory)
        - 2 * memory * (1 - power) / (samples * (1 - memory) * (1 - memory))) / samples
    let seen = (1 - ofMean) * samples / (samples - 1) / (2 * coefficient - 1)
    return figure / seen.squareRoot()
  }
}
