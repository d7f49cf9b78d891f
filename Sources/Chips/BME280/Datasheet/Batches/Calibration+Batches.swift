extension Calibration {
  /// Compensates measurements of one part, in the native units of the variant.
  ///
  /// Each row has the bits that ``compensate(_:variant:)`` gives for it. `datasheetDouble` computes
  /// four rows at once, in the vector registers that the build may use.
  ///
  /// - Parameters:
  ///   - raws: register values: 20 bits of temperature and pressure, 16 of humidity.
  ///   - variant: the formulas.
  ///   - columns: take the results; they get as many rows as there are measurements.
  public func compensate(
    _ raws: Span<RawMeasurement>, variant: CompensationVariant,
    into columns: inout CompensatedColumns
  ) {
    columns.resize(to: raws.count)
    let inLanes = variant == .datasheetDouble ? compensateInLanes(raws, into: &columns) : 0
    for row in inLanes..<raws.count {
      columns.set(row, to: compensate(raws[row], variant: variant))
    }
  }

  /// Compensates all whole groups of lanes and returns how many rows that were.
  private func compensateInLanes(
    _ raws: Span<RawMeasurement>, into columns: inout CompensatedColumns
  ) -> Int {
    let lanes = DoubleCompensationLanes.Lanes.scalarCount
    let rows = raws.count / lanes * lanes
    guard rows > 0 else { return 0 }
    let coefficients = DoubleCompensationLanes(self)
    raws.withUnsafeBufferPointer { raws in
      columns.fineTemperatures.withUnsafeMutableBytes { fine in
        columns.temperatures.withUnsafeMutableBytes { temperatures in
          columns.pressures.withUnsafeMutableBytes { pressures in
            columns.humidities.withUnsafeMutableBytes { humidities in
              for row in stride(from: 0, to: rows, by: lanes) {
                let result = coefficients.compensate(
                  raws[row], raws[row &+ 1], raws[row &+ 2], raws[row &+ 3])
                let (words, doubles) = (row &* 4, row &* 8)
                fine.storeBytes(
                  of: result.fineTemperature, toByteOffset: words, as: SIMD4<Int32>.self)
                temperatures.storeBytes(
                  of: result.temperature, toByteOffset: doubles, as: SIMD4<Double>.self)
                pressures.storeBytes(
                  of: result.pressure, toByteOffset: doubles, as: SIMD4<Double>.self)
                humidities.storeBytes(
                  of: result.humidity, toByteOffset: doubles, as: SIMD4<Double>.self)
              }
            }
          }
        }
      }
    }
    return rows
  }
}
