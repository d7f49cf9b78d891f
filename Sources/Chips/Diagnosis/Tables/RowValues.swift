import BME280
import BME280Model
import Quantities

/// The pressures in Pa that programs with one formula display for the rows of a table, on one part.
///
/// Each row displays the mean of five readings of the same air. The only state that a program keeps between readings
/// is the fine temperature of the previous reading, unless it needs the whole sequence of readings.
struct RowValues {
  /// The number of readings per row.
  static let samples = 5

  /// The readings of a row; only the first may differ from the others.
  struct Row {
    /// The sum of all readings, in Pa.
    let sum: Double
    /// The last reading of the row.
    ///
    /// Each lost reading is assumed to have this value.
    let last: Double

    /// Creates the readings of a row, which are equal except for the first.
    init(first: Double, others: Double) {
      (sum, last) = (first + Double(samples - 1) * others, others)
    }

    /// Creates the readings of a row from their sum and the last reading.
    init(sum: Double, last: Double) { (self.sum, self.last) = (sum, last) }

    /// Returns the mean that is displayed if some of the last readings are missing from the sum; the sum is still
    /// divided by the number of all readings.
    func mean(lost: Int = 0) -> Double { (sum - Double(lost) * last) / Double(samples) }

    /// Returns the number of lost readings for which the mean is nearest to a value.
    func lost(for value: Double) -> Int {
      guard last > 0 else { return 0 }
      let missing = ((sum - value * Double(samples)) / last).rounded()
      return Int(min(max(missing, 0), Double(samples - 1)))
    }
  }

  private let programs: TrialBuilds
  private let codes: RowCodes
  private let rows: [ShownTable.Row]
  private let words: [Words]
  private let raw: [[RawReading.Codes]]
  /// `true` if arithmetic overflow crashes the program.
  private let traps: Bool

  init(_ programs: TrialBuilds, _ codes: RowCodes, _ rows: [ShownTable.Row], traps: Bool) {
    (self.programs, self.codes, self.rows, self.traps) = (programs, codes, rows, traps)
    words = programs.wordReadings.map { $0.words(codes.registers).words }
    raw = programs.rawReadings.map { reading in codes.data.map(reading.codes) }
  }

  /// Returns the pressures that a program displays for a row if it was started at row `begun`.
  ///
  /// Returns `nil` if the program displays no pressure or a wrong temperature, or would have crashed.
  func value(of build: TrialBuild, row: Int, begun: Int) -> Row? {
    if build.needsSequence { return sequenceValue(of: build, row: row, begun: begun) }
    let (decoding, c) = (build.decoding, words[build.words])
    let codes = raw[build.raw]
    if build.changesTemperature, !showsTemperature(decoding, codes[row], c, row) { return nil }
    let form = decoding.fineForm ?? decoding.formula.fineForm
    func fine(_ index: Int) -> Double? {
      let code = decoding.fine == .fromPressure ? codes[index].pressure : codes[index].temperature
      let result = decoding.formula.fine(code ?? 0x80000, form, c)
      if traps, result.crashes { return nil }
      return form == .cut ? result.fine.rounded(.towardZero) : result.fine
    }
    func pressure(_ fine: Double?, _ c: Words) -> Double? {
      guard let own = codes[row].pressure, let fine else { return nil }
      let code =
        decoding.raw.takesTemperatureForPressure ? codes[row].temperature ?? own : own
      let result = decoding.formula.pressure(code, fine: fine, c)
      if traps, result.crashes { return nil }
      return result.value * decoding.scale.factor
    }
    let usual: Double?
    var first: Double?
    switch decoding.fine {
    case .own, .fromPressure: usual = pressure(fine(row), c)
    case .zero: usual = pressure(0, c)
    case .first: usual = pressure(fine(begun), c)
    case .previous:
      usual = pressure(fine(row), c)
      first = pressure(row == begun ? 0 : fine(row - 1), c)
    }
    guard let usual else { return nil }
    if row == begun, !decoding.early.isEmpty {
      // The first reading would add a temperature of 0 C to the mean.
      if decoding.early.contains(.temperature) { return nil }
      first = pressure(decoding.fine == .zero ? 0 : fine(row), c.without(.pressure))
    } else if decoding.fine == .previous, first == nil {
      return nil
    }
    return Row(first: first ?? usual, others: usual)
  }

  private func showsTemperature(
    _ decoding: Decoding, _ codes: RawReading.Codes, _ c: Words, _ row: Int
  ) -> Bool {
    guard let adc = codes.temperature else { return false }
    let form = decoding.fineForm ?? decoding.formula.fineForm
    let fine = decoding.formula.fine(adc, form, c)
    let shown = decoding.formula.temperature(fine: fine.fine, form, c)
    if traps, fine.crashes || shown.crashes { return false }
    let value = decoding.showsFahrenheit ? shown.value * 1.8 + 32 : shown.value
    return abs(value + decoding.temperatureOffset - rows[row].celsius) <= 0.02
  }

  /// Returns the pressures of a program that combines readings, computed from all readings since its start.
  private func sequenceValue(of build: TrialBuild, row: Int, begun: Int) -> Row? {
    let data = (begun...row).flatMap { [[UInt8]](repeating: codes.data[$0], count: Self.samples) }
    let shown = build.decoding.shown(codes.registers, data, last: Self.samples)
    let pressures = shown.compactMap(\.values.pressure)
    let temperatures = shown.compactMap(\.values.temperature)
    guard pressures.count == Self.samples, temperatures.count == Self.samples,
      !traps || !shown.contains(where: \.crashes)
    else { return nil }
    let count = Double(Self.samples)
    // An incomplete moving average includes old temperatures.
    guard abs(temperatures.reduce(0, +) / count - rows[row].celsius) <= 0.3 else { return nil }
    // Lost readings of an incomplete moving average are not treated separately; they have the value of the last
    // reading.
    return Row(sum: pressures.reduce(0, +), last: pressures[Self.samples - 1])
  }
}

/// The converter codes of a part for the rows of a table, and the part's calibration as programs read it.
struct RowCodes {
  /// The calibration of the part.
  let calibration: Calibration
  /// The calibration registers.
  let registers: [UInt8?]
  /// The bytes 0xF7 to 0xFE of each row.
  let data: [[UInt8]]

  /// Creates the codes of a part, or `nil` if the part cannot represent the air of a row.
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

  /// Returns the codes nearest to a pressure and a temperature, with a resolution of 16 bits as with oversampling x1.
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
