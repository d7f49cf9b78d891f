import BME280
import DriverDefects

/// What a part's converters give for the rows of a table, and its calibration as programs read it.
struct RowCodes {
  /// The part.
  let calibration: Calibration
  /// The registers of its calibration.
  let registers: [UInt8?]
  /// The bytes 0xF7 to 0xFE of each row.
  let data: [[UInt8]]

  /// Creates the codes of a part; `nil` where it cannot express the air of a row.
  init?(_ calibration: Calibration, _ rows: [ShownTable.Row]) {
    self.calibration = calibration
    registers = calibration.registers
    var data: [[UInt8]] = []
    for row in rows {
      guard let raw = Self.raw(calibration, pascals: row.right, celsius: row.celsius) else {
        return nil
      }
      data.append(raw.registers)
    }
    self.data = data
  }

  /// The codes nearest to some air, of 16 bits as one reading of each channel gives them.
  static func raw(_ calibration: Calibration, pascals: Double, celsius: Double) -> RawMeasurement? {
    func nearest(to wanted: Double, _ value: (Int32) -> Double, isFalling: Bool) -> Int32? {
      var (low, high): (Int32, Int32) = (0, 0xFFFF)
      while low < high {
        let middle = (low + high) / 2
        let isBefore = isFalling ? value(middle << 4) > wanted : value(middle << 4) < wanted
        if isBefore { low = middle + 1 } else { high = middle }
      }
      guard low > 0, low < 0xFFFF else { return nil }
      let (one, other) = (low << 4, (low - 1) << 4)
      return abs(value(one) - wanted) < abs(value(other) - wanted) ? one : other
    }
    func value(_ raw: RawMeasurement) -> CompensatedMeasurement {
      calibration.compensateSI(raw, variant: .datasheetDouble)
    }
    guard
      let temperature = nearest(
        to: celsius, { value(RawMeasurement(temperature: $0)).temperature }, isFalling: false),
      let pressure = nearest(
        to: pascals,
        { value(RawMeasurement(temperature: temperature, pressure: $0)).pressure },
        isFalling: true)
    else { return nil }
    return RawMeasurement(temperature: temperature, pressure: pressure, humidity: 0x8000)
  }
}
