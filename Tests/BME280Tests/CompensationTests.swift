import BME280
import Testing

/// Bit-exactness against the results of the datasheet's and of Bosch's own code.
struct CompensationTests {
  @Test("there are 3,449 test vectors, from 40 calibrations")
  func vectorsAreComplete() {
    #expect(CompensationVector.all.count == 3449)
    #expect(Set(CompensationVector.all.map { $0["set_id"] }).count == 40)
  }

  @Test(
    "temperature and t_fine of the integer formulas equal the reference",
    arguments: IntegerColumns.all)
  func integerTemperature(_ columns: IntegerColumns) {
    for vector in CompensationVector.all {
      guard let result = vector.calibration?.compensate(vector.raw, variant: columns.variant)
      else { Issue.record("row \(vector["id"]) has no calibration"); continue }
      #expect(
        Int64(result.fineTemperature) == vector.integer(columns.fineTemperature),
        "t_fine, row \(vector["id"])")
      #expect(
        Int64(result.temperature) == vector.integer(columns.temperature), "row \(vector["id"])")
    }
  }

  @Test("the pressure of the integer formulas equals the reference", arguments: IntegerColumns.all)
  func integerPressure(_ columns: IntegerColumns) {
    var compared = 0
    for vector in CompensationVector.all where !vector.overflows(columns.pressureOverflow) {
      let result = vector.calibration?.compensate(vector.raw, variant: columns.variant)
      #expect(
        result.map { Int64($0.pressure) } == vector.integer(columns.pressure),
        "row \(vector["id"])")
      compared += 1
    }
    #expect(compared > 3000)
  }

  @Test("the humidity of the integer formulas equals the reference", arguments: IntegerColumns.all)
  func integerHumidity(_ columns: IntegerColumns) {
    var compared = 0
    for vector in CompensationVector.all where !vector.overflows("H") {
      let result = vector.calibration?.compensate(vector.raw, variant: columns.variant)
      #expect(
        result.map { Int64($0.humidity) } == vector.integer(columns.humidity),
        "row \(vector["id"])")
      compared += 1
    }
    #expect(compared > 3400)
  }

  @Test("Bosch's BMP280 formula returns 1/256 Pa, or 0 if the temperature is out of range")
  func bmp2() throws {
    var cold = 0
    for vector in CompensationVector.all where !vector.overflows("Q") {
      let calibration = try #require(vector.calibration)
      let result = calibration.compensate(vector.raw, variant: .boschBMP2Int64)
      #expect(Int64(result.temperature) == vector.integer("ai_T"), "row \(vector["id"])")
      let temperature = try #require(vector.integer("ai_T_nc"))
      // The reference's 64-bit value before the conversion that only the BME280 code performs. It is 0 if the
      // sensitivity is 0, in which case that code leaves the pressure at 0.
      guard (-4000...8500).contains(temperature), let value = vector.integer("ai64_q"), value != 0
      else {
        #expect(result.pressure == 0, "row \(vector["id"])")
        cold += 1
        continue
      }
      let unsigned = UInt32(truncatingIfNeeded: value)
      let expected = min(max(unsigned, 7_680_000), 28_160_000)
      #expect(UInt32(result.pressure) == expected, "row \(vector["id"])")
    }
    #expect(cold > 50)
  }

  @Test(
    "the results of the double-precision formulas equal the reference bit for bit",
    arguments: RealColumns.all)
  func doubles(_ columns: RealColumns) throws {
    for vector in CompensationVector.all {
      let calibration = try #require(vector.calibration)
      let result = calibration.compensate(vector.raw, variant: columns.variant)
      #expect(
        Int64(result.fineTemperature) == vector.integer(columns.prefix + "_tf"),
        "t_fine, row \(vector["id"])")
      let pairs = [
        (result.temperature, vector.real(columns.prefix + "_T")),
        (result.pressure, vector.real(columns.prefix + "_P")),
        (result.humidity, vector.real(columns.prefix + "_H")),
      ]
      for (value, reference) in pairs {
        let reference = try #require(reference)
        #expect(value == reference, "row \(vector["id"])")
      }
    }
  }

  @Test("the worked example of the BMP280 datasheet is reproduced")
  func workedExample() {
    let calibration = Calibration(
      t1: 27504, t2: 26435, t3: -1000, p1: 36477, p2: -10685, p3: 3024, p4: 2855, p5: 140, p6: -7,
      p7: 15500, p8: -14600, p9: 6000)
    let raw = RawMeasurement(temperature: 519_888, pressure: 415_148)
    let native = calibration.compensate(raw, variant: .datasheetInt64)
    #expect(native.fineTemperature == 128_422)
    #expect(native.temperature == 2508)
    #expect(native.pressure == 25_767_233)  // 100653.25 Pa
    #expect(calibration.compensate(raw, variant: .datasheetInt32).pressure == 100_656)
  }
}

/// The vector columns of an integer variant.
struct IntegerColumns: CustomTestStringConvertible {
  let variant: CompensationVariant
  let fineTemperature: Substring
  let temperature: Substring
  let pressure: Substring
  let pressureOverflow: Character
  let humidity: Substring

  var testDescription: String { "\(variant.name)" }

  static let all = [
    IntegerColumns(
      variant: .datasheetInt64, fineTemperature: "ds_tf", temperature: "ds_T",
      pressure: "ds_P64u32", pressureOverflow: "Q", humidity: "ds_H"),
    IntegerColumns(
      variant: .datasheetInt32, fineTemperature: "ds_tf", temperature: "ds_T",
      pressure: "ds_P32", pressureOverflow: "P", humidity: "ds_H"),
    IntegerColumns(
      variant: .boschInt64, fineTemperature: "ai_tf", temperature: "ai_T",
      pressure: "ai64_P", pressureOverflow: "Q", humidity: "ai_H"),
    IntegerColumns(
      variant: .boschInt32, fineTemperature: "ai_tf", temperature: "ai_T",
      pressure: "ai32_P", pressureOverflow: "P", humidity: "ai_H"),
  ]
}

/// The vector columns of a double variant.
struct RealColumns: CustomTestStringConvertible {
  let variant: CompensationVariant
  let prefix: Substring

  var testDescription: String { "\(variant.name)" }

  static let all = [
    RealColumns(variant: .datasheetDouble, prefix: "dd"),
    RealColumns(variant: .boschDouble, prefix: "ad"),
  ]
}
