import DriverDefects
import Quantities

/// What the programs of one formula show of the rows of a table, on one part, in Pa.
///
/// A row is the mean of five readings of the same air. Readings remember no more than the fine temperature of the one
/// before, unless a program needs its whole sequence.
struct RowValues {
  /// How many readings a row has.
  static let samples = 5

  /// The readings of a row: the first may differ from the others.
  struct Row {
    /// The sum of all, in Pa.
    let sum: Double
    /// The last of them, as often as it may be missing.
    let last: Double

    /// Creates the readings of a row, of which all but the first are alike.
    init(first: Double, others: Double) {
      (sum, last) = (first + Double(samples - 1) * others, others)
    }

    /// Creates the readings of a row of which the sum and the last are known.
    init(sum: Double, last: Double) { (self.sum, self.last) = (sum, last) }

    /// The mean where some of the last readings are missing from the sum, and it is divided by all.
    func mean(lost: Int = 0) -> Double { (sum - Double(lost) * last) / Double(samples) }

    /// How many readings must be missing for a mean to come nearest to a value.
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
  /// Whether arithmetic that overflows ends the program.
  private let traps: Bool

  init(_ programs: TrialBuilds, _ codes: RowCodes, _ rows: [ShownTable.Row], traps: Bool) {
    (self.programs, self.codes, self.rows, self.traps) = (programs, codes, rows, traps)
    words = programs.wordReadings.map { $0.words(codes.registers).words }
    raw = programs.rawReadings.map { reading in codes.data.map(reading.codes) }
  }

  /// The pressure of a row by a program that began at a row; `nil` where it shows none, would have crashed, or shows
  /// a wrong temperature.
  func value(of build: TrialBuild, row: Int, begun: Int) -> Row? {
    if build.needsSequence { return sequenceValue(of: build, row: row, begun: begun) }
    let (decoding, c) = (build.decoding, words[build.words])
    let codes = raw[build.raw]
    if build.changesTemperature, !showsTemperature(decoding, codes[row], c, row) { return nil }
    let form = decoding.fineForm ?? decoding.formula.fineForm
    func fine(_ place: Int) -> Double? {
      let code = decoding.fine == .fromPressure ? codes[place].pressure : codes[place].temperature
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
      // The temperature of the first reading would have been 0 C in the mean.
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

  /// The same of a program that mixes readings, from all that it has read since it began.
  private func sequenceValue(of build: TrialBuild, row: Int, begun: Int) -> Row? {
    let data = (begun...row).flatMap { [[UInt8]](repeating: codes.data[$0], count: Self.samples) }
    let shown = build.decoding.shown(codes.registers, data, last: Self.samples)
    let pressures = shown.compactMap(\.values.pressure)
    let temperatures = shown.compactMap(\.values.temperature)
    guard pressures.count == Self.samples, temperatures.count == Self.samples,
      !traps || !shown.contains(where: \.crashes)
    else { return nil }
    let count = Double(Self.samples)
    // A mean that is still filling shows old temperatures for a while.
    guard abs(temperatures.reduce(0, +) / count - rows[row].celsius) <= 0.3 else { return nil }
    // Lost readings of a mean that is still filling are no case of their own: its last stands for them.
    return Row(sum: pressures.reduce(0, +), last: pressures[Self.samples - 1])
  }
}
