package import Quantities

/// What a program shows of one measurement.
package struct DisplayedReading: Hashable, Sendable {
  /// In C, Pa and %RH; `nil` where it shows none.
  package var values = AirReading()
  /// Whether a language that traps on overflow would have ended the program.
  package var crashes = false
  /// The quantities that rest on bytes nobody knows.
  package var unknown = QuantitySet()
}

/// A program's way from bytes to values, right unless something is changed in it.
package struct Decoding: Hashable, Sendable {
  /// Which fine temperature pressure and humidity are computed with.
  package enum Fine: Hashable, Sendable {
    /// That of the same measurement.
    case own
    /// That of the measurement before; at first 0.
    case previous
    /// That of the first measurement, for ever.
    case first
    /// The one that the raw pressure would give for a temperature.
    case fromPressure
    /// Always 0.
    case zero
  }

  /// By how much what comes out differs from its unit.
  package enum Scale: Hashable, Sendable {
    case right
    /// 1/256 Pa shown as Pa.
    case unscaled
    /// Pa shown as hPa.
    case pascalsAsHectopascals
    /// Pa taken for 0.01 Pa.
    case hundredth
    /// 0.01 Pa taken for 1/256 Pa.
    case hundredthsDividedBy256
    /// 1/256 Pa taken for 0.01 Pa.
    case dividedBy100

    /// By what the pressure is multiplied.
    package var factor: Double {
      switch self {
      case .right: 1
      case .unscaled: 256
      case .pascalsAsHectopascals: 100
      case .hundredth: 0.01
      case .hundredthsDividedBy256: 100.0 / 256
      case .dividedBy100: 2.56
      }
    }
  }

  /// A right program.
  package init() {}

  package var words = WordReading()
  package var raw = RawReading()
  package var formula = Formula()
  /// The formula of the temperature, where that is another one than for the rest.
  package var fineForm: Formula.FineForm?
  package var fine = Fine.own
  package var scale = Scale.right
  /// By what the humidity is multiplied.
  package var humidityFactor = 1.0
  /// The pressure stands where the humidity belongs.
  package var showsPressureAsHumidity = false
  /// A humidity at 0 or 100 % is taken for an error, and nothing is shown.
  package var takesLimitForError = false
  /// Each reading shows the measurement before.
  package var isOneLate = false
  /// What is added to the temperature, in C.
  package var temperatureOffset = 0.0
  /// The temperature in F stands where C belongs.
  package var showsFahrenheit = false
  /// The mean of so many measurements, or of all until there are so many, is shown for the last.
  package var averaged = 1
  /// The mean is the sum divided by ``averaged``, however few measurements it has.
  package var dividesByWanted = false
  /// What is computed with words of 0 in the first measurement, as the calibration comes later.
  package var early = QuantitySet()

  /// What the program shows of some measurements, in their order.
  ///
  /// - Parameters:
  ///   - registers: the calibration, as far as it is known.
  ///   - data: the bytes 0xF7 to 0xFE of each measurement.
  ///   - count: of how many of the last ones it is asked; of all where that is `nil`.
  /// - Returns: what it shows of each.
  package func shown(
    _ registers: [UInt8?], _ data: [[UInt8]], last count: Int? = nil
  ) -> [DisplayedReading] {
    let (calibration, unknown) = words.words(registers)
    return data.indices.suffix(count ?? data.count).map { index in
      var shown = DisplayedReading(unknown: unknown)
      let temperature = value(.temperature, at: index, of: data, calibration)
      let pressure = value(.pressure, at: index, of: data, calibration)
      let humidity = value(.humidity, at: index, of: data, calibration)
      shown.values = AirReading(
        temperature: temperature.value, pressure: pressure.value, humidity: humidity.value)
      shown.crashes = temperature.crashes || pressure.crashes || humidity.crashes
      return shown
    }
  }

  /// What the program shows of one quantity in one measurement.
  ///
  /// - Parameters:
  ///   - quantity: one quantity.
  ///   - index: the place of the measurement.
  ///   - data: the bytes of all measurements.
  ///   - c: the words as the program has them.
  /// - Returns: the value, `nil` where it shows none, and whether a language that traps would have ended it.
  package func value(
    _ quantity: QuantitySet, at index: Int, of data: [[UInt8]], _ c: Words
  ) -> (value: Double?, crashes: Bool) {
    let index = isOneLate ? max(index - 1, 0) : index
    guard averaged > 1 else { return single(quantity, at: index, of: data, c) }
    let parts = (max(index - averaged + 1, 0)...index).map { single(quantity, at: $0, of: data, c) }
    let values = parts.compactMap(\.value)
    guard !values.isEmpty else { return (nil, parts.contains(where: \.crashes)) }
    let divisor = dividesByWanted ? averaged : values.count
    return (values.reduce(0, +) / Double(divisor), parts.contains(where: \.crashes))
  }

  /// What one measurement gives of one quantity.
  private func single(
    _ quantity: QuantitySet, at index: Int, of data: [[UInt8]], _ c: Words
  ) -> (value: Double?, crashes: Bool) {
    let codes = raw.codes(data[index])
    let c = index == 0 ? c.without(early) : c
    switch quantity {
    case .temperature: return temperature(codes, c)
    case .pressure: return pressure(codes, fine(at: index, of: data, c), c)
    default:
      let fine = fine(at: index, of: data, c)
      guard showsPressureAsHumidity else { return humidity(codes, fine, c) }
      let pressure = pressure(codes, fine, c)
      return (pressure.value.map { $0 / 100 }, pressure.crashes)
    }
  }

  private func temperature(
    _ codes: RawReading.Codes, _ c: Words
  ) -> (value: Double?, crashes: Bool) {
    guard let adc = codes.temperature else { return (nil, false) }
    if raw.isSkipCodeZero, adc == 0x80000 { return (0, false) }
    let form = fineForm ?? formula.fineForm
    let fine = formula.fine(adc, form, c)
    let result = formula.temperature(fine: fine.fine, form, c)
    let value = showsFahrenheit ? result.value * 1.8 + 32 : result.value
    return (value + temperatureOffset, fine.crashes || result.crashes)
  }

  /// The fine temperature that pressure and humidity of a measurement are computed with.
  private func fine(at index: Int, of data: [[UInt8]], _ c: Words) -> (Double, crashes: Bool) {
    let place: Int
    switch fine {
    case .own, .fromPressure: place = index
    case .first: place = 0
    case .zero: return (0, false)
    case .previous:
      guard index > 0 else { return (0, false) }
      place = index - 1
    }
    let form = fineForm ?? formula.fineForm
    let codes = raw.codes(data[place])
    let code = fine == .fromPressure ? codes.pressure : codes.temperature
    let result = formula.fine(code ?? 0x80000, form, c)
    let value = form == .cut ? result.fine.rounded(.towardZero) : result.fine
    return (value, result.crashes && fine == .own)
  }

  private func pressure(
    _ codes: RawReading.Codes, _ fine: (value: Double, crashes: Bool), _ c: Words
  ) -> (value: Double?, crashes: Bool) {
    guard let own = codes.pressure else { return (nil, false) }
    if raw.isSkipCodeZero, own == 0x80000 { return (0, false) }
    let adc = raw.takesTemperatureForPressure ? codes.temperature ?? own : own
    let result = formula.pressure(adc, fine: fine.value, c)
    return (result.value * scale.factor, fine.crashes || result.crashes)
  }

  private func humidity(
    _ codes: RawReading.Codes, _ fine: (value: Double, crashes: Bool), _ c: Words
  ) -> (value: Double?, crashes: Bool) {
    guard let adc = codes.humidity else { return (nil, false) }
    if raw.isSkipCodeZero, adc == 0x8000 { return (0, false) }
    let result = formula.humidity(adc, fine: fine.value, c)
    if takesLimitForError, result.value <= 0 || result.value >= 100 { return (nil, false) }
    return (result.value * humidityFactor, fine.crashes || result.crashes)
  }
}
