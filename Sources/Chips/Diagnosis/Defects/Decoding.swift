package import BME280Model
package import Quantities

/// The values that a program displays for one measurement.
package struct DisplayedReading: Hashable, Sendable {
  /// The values in C, Pa and %RH; `nil` for a quantity that is not displayed.
  package var values = AirReading()
  /// `true` if the program would have crashed in a language that traps on overflow.
  package var crashes = false
  /// The quantities whose values depend on calibration bytes that were not read.
  package var unknown = QuantitySet()
}

/// A program's conversion from bytes to values, which is correct unless a defect is applied.
package struct Decoding: Hashable, Sendable {
  /// The fine temperature from which pressure and humidity are computed.
  package enum Fine: Hashable, Sendable {
    /// Pressure and humidity use the fine temperature of the same measurement.
    case own
    /// Pressure and humidity use the fine temperature of the previous measurement, or 0 in the first measurement.
    case previous
    /// Pressure and humidity always use the fine temperature of the first measurement.
    case first
    /// The fine temperature is computed from the raw pressure instead of the raw temperature.
    case fromPressure
    /// The fine temperature is always 0.
    case zero
  }

  /// An error in the unit of the pressure.
  package enum Scale: Hashable, Sendable {
    case right
    /// A number in 1/256 Pa is displayed as Pa.
    case unscaled
    /// A number in Pa is displayed as hPa.
    case pascalsAsHectopascals
    /// A number in Pa is interpreted as 0.01 Pa.
    case hundredth
    /// A number in 0.01 Pa is interpreted as 1/256 Pa.
    case hundredthsDividedBy256
    /// A number in 1/256 Pa is interpreted as 0.01 Pa.
    case dividedBy100

    /// The factor applied to the pressure.
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

  package init() {}

  package var words = WordReading()
  package var raw = RawReading()
  package var formula = Formula()
  /// The representation of the fine temperature; `nil` for the one that the formula normally uses.
  package var fineForm: Formula.FineForm?
  package var fine = Fine.own
  package var scale = Scale.right
  /// The factor applied to the humidity.
  package var humidityFactor = 1.0
  /// `true` if the program displays the pressure as the humidity.
  package var showsPressureAsHumidity = false
  /// `true` if the program treats a humidity of 0 or 100 % as an error and displays no value.
  package var takesLimitForError = false
  /// `true` if each reading displays the previous measurement.
  package var isOneLate = false
  /// The offset added to the temperature, in C.
  package var temperatureOffset = 0.0
  /// `true` if the program displays the temperature in F as C.
  package var showsFahrenheit = false
  /// The number of measurements in the moving average; at the beginning, fewer are averaged.
  package var averaged = 1
  /// `true` if the sum is divided by `averaged` even if it has fewer terms.
  package var dividesByWanted = false
  /// The quantities whose calibration words are still 0 in the first measurement, because their calibration is read
  /// later.
  package var early = QuantitySet()

  /// Returns the values that the program displays for some measurements, in order.
  ///
  /// - Parameters:
  ///   - registers: the calibration registers; `nil` for unknown ones.
  ///   - data: the bytes 0xF7 to 0xFE of each measurement.
  ///   - count: the number of latest measurements to return; `nil` for all.
  /// - Returns: the values displayed for each measurement.
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

  /// Returns the value that the program displays for one quantity of one measurement.
  ///
  /// - Parameters:
  ///   - quantity: the quantity; the set must contain only one.
  ///   - index: the index of the measurement.
  ///   - data: the bytes of all measurements.
  ///   - c: the calibration words as decoded by the program.
  /// - Returns: the value, or `nil` if none is displayed; and `true` if the program would have crashed in a language
  ///   that traps on overflow.
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

  /// Returns one quantity of a single measurement, without averaging.
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

  /// Returns the fine temperature from which the pressure and humidity of a measurement are computed.
  private func fine(at index: Int, of data: [[UInt8]], _ c: Words) -> (Double, crashes: Bool) {
    let source: Int
    switch fine {
    case .own, .fromPressure: source = index
    case .first: source = 0
    case .zero: return (0, false)
    case .previous:
      guard index > 0 else { return (0, false) }
      source = index - 1
    }
    let form = fineForm ?? formula.fineForm
    let codes = raw.codes(data[source])
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

extension Decoding {
  /// The quantities whose values may differ from those of a correct program.
  package var reach: QuantitySet {
    let right = Decoding()
    var reach = QuantitySet()
    let own = words
    let general: [Bool] = [
      own.merge != right.words.merge, own.ignoresPointer,
      [.all, .none].contains(own.signs),
      raw.layout != .right, raw.lowest != .right, raw.bytes != .unsigned, raw.skipCode != .value,
      formula.isTemperatureUnsigned, formula.shift != .arithmetic, formula.lacksSquare,
      formula.shiftsBeforeMultiplying, formula.clampsToRange, isOneLate, averaged > 1,
      raw.keepsLowestZeros, own.reply == .pressureForTemperature, early.contains(.temperature),
    ]
    if general.contains(true) { return .all }
    if case .wrong(let word) = own.signs { reach.formUnion(word.reach) }
    if own.signs == .noneOfP || own.pressureOffset != 0
      || own.reply == .temperatureForPressure || early.contains(.pressure)
      || own.repeatsLastByte || own.takesP6ForP5 || fine != .own
      || scale != .right
      || formula.comparesInsteadOfShifting || formula.losesUpperBits || formula.squaresIn32Bits
      || formula.typo != .none
      || formula.shiftsP2Down || raw.takesTemperatureForPressure || raw.swapsPressureBytes
    {
      reach.insert(.pressure)
    }
    if own.nibbles != .right || !own.extendsNibbles || own.readsH1Before || own.readsH1FromP9
      || own.readsUpperLater
      || formula.appliesH3Twice
      || formula.overwritesTemperature
      || fine != .own || raw.repeatsHumidityByte || !formula.clampsHumidity
      || formula.hasWrongConstant || formula.invertsH5 || humidityFactor != 1
      || takesLimitForError || showsPressureAsHumidity
    {
      reach.insert(.humidity)
    }
    if temperatureOffset != 0 || showsFahrenheit { reach.insert(.temperature) }
    return reach
  }
}
