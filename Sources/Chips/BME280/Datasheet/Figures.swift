/// The noise of a measurement as a standard deviation (DS 3.6, 25 C).
public enum Noise {
  /// Returns the pressure noise in Pa for an oversampling and filter setting; 0 if pressure is skipped.
  ///
  /// The datasheet specifies the figures for temperature oversampling x1, or x2 with pressure oversampling x16.
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

  /// Returns the temperature noise in C for an oversampling setting; 0 if temperature is skipped.
  public static func temperature(_ oversampling: Oversampling) -> Double {
    switch oversampling {
    case .skipped: 0
    case .x1: 0.005
    case .x2: 0.004
    case .x4, .x8: 0.003
    case .x16: 0.002
    }
  }

  /// Returns the noise of relative humidity in % for an oversampling setting; 0 if humidity is skipped.
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

  /// Returns the ratio of the pressure noise at a temperature to the pressure noise at 25 C.
  ///
  /// The datasheet specifies +25 % at -10 C and -5 % at 75 C; other values are interpolated and extrapolated linearly.
  public static func pressureFactor(celsius: Double) -> Double {
    celsius < 25
      ? 1 + 0.25 * (25 - celsius) / 35
      : 1 - 0.05 * min(celsius - 25, 60) / 50
  }

  /// Returns the pressure noise in Pa that unfiltered values must have so that the filtered values have the
  /// datasheet's noise.
  ///
  /// The datasheet's figure is the standard deviation of 32 samples. Consecutive filtered samples are correlated, so
  /// 32 of them have less than the full variance. The difference is the variance of their mean, which follows from the
  /// filter's memory, 1 - 1/c for a coefficient c.
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

/// The duration of one measurement of temperature, pressure and humidity (DS 9.1).
public enum MeasurementTime {
  /// Returns the typical time in nanoseconds: 1 ms, plus 2 ms per sample, plus 0.5 ms each for pressure and humidity.
  @inlinable
  public static func typical(
    temperature: Oversampling, pressure: Oversampling, humidity: Oversampling
  ) -> UInt64 {
    sum(1_000_000, 2_000_000, 500_000, temperature, pressure, humidity)
  }

  /// Returns the maximum time in nanoseconds: 1.25 ms, plus 2.3 ms per sample, plus 0.575 ms each for pressure and
  /// humidity.
  @inlinable
  public static func maximum(
    temperature: Oversampling, pressure: Oversampling, humidity: Oversampling
  ) -> UInt64 {
    sum(1_250_000, 2_300_000, 575_000, temperature, pressure, humidity)
  }

  @inlinable
  static func sum(
    _ start: UInt64, _ reading: UInt64, _ channel: UInt64,
    _ temperature: Oversampling, _ pressure: Oversampling, _ humidity: Oversampling
  ) -> UInt64 {
    var total = start + reading * UInt64(temperature.samples)
    if pressure != .skipped { total += reading * UInt64(pressure.samples) + channel }
    if humidity != .skipped { total += reading * UInt64(humidity.samples) + channel }
    return total
  }

  /// The maximum time from power-on to the first communication, in nanoseconds (DS 1.1, t_startup).
  @inlinable public static var startup: UInt64 { 2_000_000 }
}

/// The supply current and charge of a part (DS 1.1, 3.6, 9.5).
public enum Current {
  /// The typical sleep current in uA.
  @inlinable public static var sleep: Double { 0.1 }
  /// The typical current during the standby time of normal mode, in uA.
  @inlinable public static var standby: Double { 0.2 }

  /// The current during the first millisecond of a measurement, in uA.
  @inlinable public static var start: Int { 205 }
  /// The current during temperature samples, in uA.
  @inlinable public static var temperature: Int { 350 }
  /// The current during pressure samples, in uA.
  @inlinable public static var pressure: Int { 714 }
  /// The current during humidity samples, in uA.
  ///
  /// The text of DS 9.5 gives 340 uA, which contradicts the datasheet's own table (DS 3.6): with 340 uA, the current at
  /// humidity oversampling x16 would be 12.05 uA instead of 11.7. 330 uA yields every figure in the table.
  @inlinable public static var humidity: Int { 330 }

  /// Returns the charge of one measurement in uA s (microcoulomb), computed as in DS 9.5.
  @inlinable
  public static func charge(
    temperature: Oversampling, pressure: Oversampling, humidity: Oversampling
  ) -> Double {
    var total = start + Self.temperature * 2 * temperature.samples
    if pressure != .skipped { total += Self.pressure * (4 * pressure.samples + 1) / 2 }
    if humidity != .skipped { total += Self.humidity * (4 * humidity.samples + 1) / 2 }
    return Double(total) / 1000
  }
}

/// The widest accuracy figures of the datasheet (DS 1.2-1.4), as absolute values.
public enum Accuracy {
  /// The accuracy of pressure in Pa, at -20...0 C.
  @inlinable public static var pressure: Double { 170 }
  /// The accuracy of temperature in C, at -40...-20 C.
  @inlinable public static var temperature: Double { 1.5 }
  /// The accuracy of relative humidity in %.
  @inlinable public static var humidity: Double { 3 }
  /// The drift of pressure per year, in Pa.
  @inlinable public static var pressurePerYear: Double { 100 }
  /// The drift of relative humidity per year, in %.
  @inlinable public static var humidityPerYear: Double { 0.5 }
}
