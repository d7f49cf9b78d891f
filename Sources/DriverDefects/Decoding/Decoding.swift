/// What a program shows of one measurement, in C, Pa and %RH; nothing where it shows none.
struct Shown: Hashable, Sendable {
  var temperature: Double?
  var pressure: Double?
  var humidity: Double?
  /// Whether a language that traps on overflow would have ended the program.
  var crashes = false
  /// The quantities that rest on bytes nobody knows.
  var unknown = Quantities()
}

/// A program's way from bytes to values, right unless something is changed in it.
struct Decoding: Hashable, Sendable {
  /// Which fine temperature pressure and humidity are computed with.
  enum Fine: Hashable, Sendable {
    /// That of the same measurement.
    case own
    /// That of the measurement before; at first 0.
    case previous
    /// Always 0.
    case zero
  }

  /// What comes out beside its unit.
  enum Scale: Hashable, Sendable {
    case right
    /// 1/256 Pa shown as Pa.
    case unscaled
    /// Pa shown as hPa.
    case pascalsAsHectopascals
    /// Pa taken for 0.01 Pa.
    case hundredth
  }

  var words = WordReading()
  var raw = RawReading()
  var formula = Formula()
  var fine = Fine.own
  var scale = Scale.right
  /// The pressure stands where the humidity belongs.
  var showsPressureAsHumidity = false

  /// What the program shows of some measurements, in their order.
  ///
  /// - Parameters:
  ///   - registers: the calibration, as far as it is known.
  ///   - data: the bytes 0xF7 to 0xFE of each measurement.
  /// - Returns: what it shows of each.
  func shown(_ registers: [UInt8?], _ data: [[UInt8]]) -> [Shown] {
    let (calibration, unknown) = words.words(registers)
    var previous: Int64 = 0
    return data.map { bytes in
      var shown = self.shown(raw.codes(bytes), calibration, &previous)
      shown.unknown = unknown
      return shown
    }
  }

  private func shown(_ codes: RawReading.Codes, _ c: Words, _ previous: inout Int64) -> Shown {
    var shown = Shown()
    let own = formula.fine(codes.temperature ?? 0x80000, c)
    let used =
      switch fine {
      case .own: own.fine
      case .previous: previous
      case .zero: 0 as Int64
      }
    previous = own.fine
    if let adc = codes.temperature {
      let temperature = formula.temperature(fine: own.fine, adc: adc, c)
      shown.temperature = temperature.value
      shown.crashes = own.crashes || temperature.crashes
    }
    if let adc = codes.pressure {
      let pressure = formula.pressure(adc, fine: used, c)
      shown.pressure = scaled(pressure.value)
      shown.crashes = shown.crashes || pressure.crashes
    }
    if let adc = codes.humidity {
      let humidity = formula.humidity(adc, fine: used, c)
      shown.humidity = humidity.value
      shown.crashes = shown.crashes || humidity.crashes
    }
    if showsPressureAsHumidity { shown.humidity = shown.pressure.map { $0 / 100 } }
    return shown
  }

  private func scaled(_ pascals: Double) -> Double {
    switch scale {
    case .right: pascals
    case .unscaled: pascals * 256
    case .pascalsAsHectopascals: pascals * 100
    case .hundredth: pascals / 100
    }
  }
}
