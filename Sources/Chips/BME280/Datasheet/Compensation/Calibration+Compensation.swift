extension Calibration {
  /// Compensates a measurement, in the native units of the variant.
  ///
  /// It is arithmetic, not judgement: skip codes are computed like any value, and no calibration
  /// makes it trap. Whole numbers of the integer variants are exact in `Double`.
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

  /// Compensates a measurement in C, Pa and %RH.
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

  /// Pressure stays 0 where the temperature leaves its range or the sensitivity is 0; humidity, which
  /// that code does not know, is that of `boschInt64`.
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
  /// The temperature in 0.01 C and the humidity in 1/1024 %, clamped as Bosch's integer code does.
  @inlinable var clampedToOperatingRange: CompensatedMeasurement {
    CompensatedMeasurement(
      fineTemperature: fineTemperature,
      temperature: min(max(temperature, -4000), 8500),
      pressure: pressure,
      humidity: min(humidity, 102_400))
  }
}
