extension Calibration {
  /// Compensates a measurement; the result is in the native units of the variant.
  ///
  /// The values are not validated. Skip codes are compensated like any other value, and no calibration causes a trap.
  /// The results of the integer variants are whole numbers, which `Double` represents exactly.
  @inlinable
  public func compensate(
    _ raw: RawMeasurement, variant: CompensationVariant
  ) -> CompensatedMeasurement {
    switch variant {
    case .datasheetInt64:
      return integers(raw, rounding: Shifting.self) { raw, fine in
        let pressure = IntegerCompensation<Shifting>.pressure64(raw, fine: fine, self) ?? 0
        return Double(UInt32(truncatingIfNeeded: pressure))
      }
    case .datasheetInt32:
      return integers(raw, rounding: Shifting.self) { raw, fine in
        Double(IntegerCompensation<Shifting>.pressure32(raw, fine: fine, self) ?? 0)
      }
    case .boschInt64:
      return integers(raw, rounding: Dividing.self) { raw, fine in
        guard let pressure = IntegerCompensation<Dividing>.pressure64(raw, fine: fine, self) else {
          return 3_000_000
        }
        let centipascals = Dividing.scale(Dividing.scale(pressure, down: 1) &* 100, down: 7)
        return Double(min(max(UInt32(truncatingIfNeeded: centipascals), 3_000_000), 11_000_000))
      }.clampedToOperatingRange
    case .boschInt32:
      return integers(raw, rounding: Dividing.self) { raw, fine in
        let pressure = IntegerCompensation<Dividing>.pressure32(raw, fine: fine, self) ?? 0
        return Double(min(max(pressure, 30_000), 110_000))
      }.clampedToOperatingRange
    case .boschBMP2Int64:
      return boschBMP2(raw)
    case .datasheetDouble:
      return datasheetDoubles(raw)
    case .boschDouble:
      return boschDoubles(raw)
    }
  }

  /// Compensates a measurement; the result is in C, Pa and %RH.
  @inlinable
  public func compensateSI(
    _ raw: RawMeasurement, variant: CompensationVariant = .datasheetInt64
  ) -> CompensatedMeasurement {
    compensate(raw, variant: variant).converted(from: variant)
  }

  @inlinable @inline(__always)
  func integers<Rounding: FixedPointRounding>(
    _ raw: RawMeasurement, rounding: Rounding.Type,
    pressure: (_ raw: Int32, _ fine: Int32) -> Double
  ) -> CompensatedMeasurement {
    let fine = IntegerCompensation<Rounding>.fineTemperature(raw.temperature, self)
    return CompensatedMeasurement(
      fineTemperature: fine,
      temperature: Double(IntegerCompensation<Rounding>.temperature(fine: fine)),
      pressure: pressure(raw.pressure, fine),
      humidity: Double(IntegerCompensation<Rounding>.humidity(raw.humidity, fine: fine, self)))
  }

  /// Compensates a measurement as Bosch's BMP2 code does.
  ///
  /// The pressure is 0 if the temperature is out of range or the sensitivity is 0. Bosch's BMP2 code does not support
  /// humidity, so the humidity is computed as in `boschInt64`.
  @inlinable @inline(__always)
  func boschBMP2(_ raw: RawMeasurement) -> CompensatedMeasurement {
    var result = integers(raw, rounding: Dividing.self) { raw, fine in
      guard let pressure = IntegerCompensation<Dividing>.pressure64(raw, fine: fine, self) else {
        return 0
      }
      return Double(min(max(UInt32(truncatingIfNeeded: pressure), 30_000 * 256), 110_000 * 256))
    }
    if result.temperature < -4000 || result.temperature > 8500 { result.pressure = 0 }
    return result.clampedToOperatingRange
  }

  @inlinable @inline(__always)
  func datasheetDoubles(_ raw: RawMeasurement) -> CompensatedMeasurement {
    let exact = DoubleCompensation.fineTemperature(raw.temperature, self)
    let fine = DoubleCompensation.whole(exact)
    let (sensitivity, offset) = DoubleCompensation.pressureTerms(fine: fine, self)
    let humidity = DoubleCompensation.humidity(
      raw.humidity, fine: fine, self, curvatureTwice: false)
    return CompensatedMeasurement(
      fineTemperature: fine,
      temperature: exact / 5120,
      pressure: sensitivity == 0
        ? 0
        : DoubleCompensation.pressure(
          raw.pressure, sensitivity: sensitivity, offset: offset, self),
      humidity: min(max(humidity, 0), 100))
  }

  @inlinable @inline(__always)
  func boschDoubles(_ raw: RawMeasurement) -> CompensatedMeasurement {
    let exact = DoubleCompensation.fineTemperature(raw.temperature, self)
    let fine = DoubleCompensation.whole(exact)
    let (sensitivity, offset) = DoubleCompensation.pressureTerms(fine: fine, self)
    let humidity = DoubleCompensation.humidity(raw.humidity, fine: fine, self, curvatureTwice: true)
    let pressure =
      sensitivity > 0
      ? DoubleCompensation.pressure(raw.pressure, sensitivity: sensitivity, offset: offset, self)
      : 30_000
    return CompensatedMeasurement(
      fineTemperature: fine,
      temperature: min(max(exact / 5120, -40), 85),
      pressure: min(max(pressure, 30_000), 110_000),
      humidity: min(max(humidity, 0), 100))
  }
}

extension CompensatedMeasurement {
  /// The measurement with temperature (in 0.01 C) and humidity (in 1/1024 %) clamped as in Bosch's integer code.
  @inlinable var clampedToOperatingRange: CompensatedMeasurement {
    CompensatedMeasurement(
      fineTemperature: fineTemperature,
      temperature: min(max(temperature, -4000), 8500),
      pressure: pressure,
      humidity: min(humidity, 102_400))
  }
}

/// A published set of compensation formulas; the results are bit-identical to the published code's.
///
/// The `bosch` variants divide where the datasheet shifts, and clamp to the operating range: -40...85 C, 300...1100
/// hPa, 0...100 %RH.
public enum CompensationVariant: UInt8, Hashable, Sendable, CaseIterable {
  /// The integer formulas of DS 4.2.3, with pressure computed in 64 bits.
  case datasheetInt64
  /// The integer formulas of DS 4.2.3 and 8.2, with all quantities computed in 32 bits.
  case datasheetInt32
  /// The double precision formulas of DS 8.1.
  case datasheetDouble
  /// The integer formulas of Bosch's sensor API 3.5.1, with pressure computed in 64 bits.
  case boschInt64
  /// The integer formulas of Bosch's sensor API 3.5.1, with all quantities computed in 32 bits.
  case boschInt32
  /// The double precision formulas of Bosch's sensor API 3.5.1.
  case boschDouble
  /// The integer formulas of Bosch's BMP2 sensor API 1.0.1 for the BMP280, with pressure computed in 64 bits.
  case boschBMP2Int64

  /// The name on the command line and in rigs.
  public var name: StaticString {
    switch self {
    case .datasheetInt64: "datasheet-int64"
    case .datasheetInt32: "datasheet-int32"
    case .datasheetDouble: "datasheet-double"
    case .boschInt64: "bosch-int64"
    case .boschInt32: "bosch-int32"
    case .boschDouble: "bosch-double"
    case .boschBMP2Int64: "bosch-bmp2-int64"
    }
  }

  /// `true` if the native results are whole numbers.
  @inlinable public var isInteger: Bool { self != .datasheetDouble && self != .boschDouble }

  /// The number of native temperature units per degree Celsius.
  @inlinable public var temperatureScale: Double { isInteger ? 100 : 1 }

  /// The number of native pressure units per pascal.
  @inlinable public var pressureScale: Double {
    switch self {
    case .datasheetInt64, .boschBMP2Int64: 256
    case .boschInt64: 100
    default: 1
    }
  }

  /// The number of native humidity units per percent of relative humidity.
  @inlinable public var humidityScale: Double { isInteger ? 1024 : 1 }
}
