import BME280

/// A slow, independent model of a BME280 in constant air, written from the text of the datasheet: it counts down the
/// time of each activity, and finds codes by exhaustive search.
///
/// It does not model noise, and uses the same default for every undocumented behavior as the first model.
struct SecondModel {
  /// The contents of a data register.
  enum DisplayedReading: Equatable {
    /// The reset and skip code.
    case nothing
    /// A result with a number of bits.
    case result(bits: Int)
  }

  /// The three results, and the temperature resolution on which pressure and humidity depend.
  struct Results: Equatable {
    var temperature = DisplayedReading.nothing
    var pressure = DisplayedReading.nothing
    var humidity = DisplayedReading.nothing
    var fineBits = 20
  }

  private enum Doing {
    case copying
    case resting
    case measuring
    case pausing
  }

  private var doing = Doing.copying
  private var left: Int64 = 2_000_000
  private var spent: Int64 = 0

  // DS 5.4: the control registers; 0xF2 takes effect after a write to 0xF4.
  private var f2: UInt8 = 0
  private var f2InForce: UInt8 = 0
  private var f4: UInt8 = 0
  private var f5: UInt8 = 0
  private var f4Waiting: UInt8?

  private var newest = Results()
  private(set) var shown = Results()
  // The settings of the current measurement: 0xF4, the effective 0xF2 and 0xF5.
  private var begun: (f4: UInt8, f2: UInt8, f5: UInt8) = (0, 0, 0)
  private var isRead = false
  private var hasMeasured = false

  // MARK: Time

  /// Advances the time.
  mutating func pass(_ nanoseconds: Int64) {
    var rest = nanoseconds
    while doing != .resting, rest >= left {
      rest -= left
      spent += left
      left = 0
      endActivity()
    }
    if doing != .resting { left -= rest }
    spent += rest
  }

  private mutating func begin(_ next: Doing, lasting time: Int64) {
    (doing, left, spent) = (next, time, 0)
    if next == .measuring { begun = (f4, f2InForce, f5) }
  }

  private mutating func endActivity() {
    switch doing {
    case .resting: break
    case .copying: followMode()
    case .pausing: begin(.measuring, lasting: measurementTime)
    case .measuring:
      takeResults()
      hasMeasured = true
      if let waiting = f4Waiting {
        // DS 3.3.1: the mode change was pending until the end of the measurement.
        f4Waiting = nil
        takeControl(waiting)
      } else if f4 & 3 == 3 {
        begin(.pausing, lasting: pauseTime)
      } else {
        f4 &= 0xFC
        begin(.resting, lasting: 0)
      }
    }
  }

  private func readings(_ bits: UInt8) -> Int64 { [0, 1, 2, 4, 8, 16, 16, 16][Int(bits & 7)] }

  /// DS 9.1, typical, in ns: 1 + [2 T] + [2 P + 0.5] + [2 H + 0.5] ms.
  private var measurementTime: Int64 {
    let (t, p, h) = (readings(f4 >> 5), readings(f4 >> 2), readings(f2InForce))
    var halves: Int64 = 2 + 4 * t
    if p > 0 { halves += 4 * p + 1 }
    if h > 0 { halves += 4 * h + 1 }
    return halves * 500_000
  }

  /// DS table 27, BME280.
  private var pauseTime: Int64 {
    [500, 62_500, 125_000, 250_000, 500_000, 1_000_000, 10_000, 20_000][Int(f5 >> 5)] * 1000
  }

  /// Stores the results.
  ///
  /// DS 3.4: bits by oversampling, 20 with the filter on; a skipped channel reads 0x80000.
  private mutating func takeResults() {
    let (f4, f2, f5) = begun
    let isFiltered = f5 >> 2 & 7 != 0
    func bits(_ field: UInt8) -> Int {
      isFiltered ? 20 : [0, 16, 17, 18, 19, 20, 20, 20][Int(field & 7)]
    }
    let hasTemperature = readings(f4 >> 5) > 0
    newest.temperature = hasTemperature ? .result(bits: bits(f4 >> 5)) : .nothing
    newest.fineBits = hasTemperature ? bits(f4 >> 5) : 20
    newest.pressure = readings(f4 >> 2) > 0 ? .result(bits: bits(f4 >> 2)) : .nothing
    newest.humidity = readings(f2) > 0 ? .result(bits: 16) : .nothing
    if !isRead { shown = newest }
  }

  // MARK: The bus

  /// Handles the read of the first data register: the data are frozen until the STOP (DS 4.1).
  mutating func readData() { isRead = true }

  /// Handles a STOP condition.
  mutating func stop() {
    guard isRead else { return }
    isRead = false
    shown = newest
  }

  /// Handles a data byte for a register.
  mutating func write(_ value: UInt8, to register: UInt8) {
    switch register {
    case 0xE0:
      guard value == 0xB6 else { return }
      let wasRead = isRead
      self = SecondModel()
      isRead = wasRead
      left = 1_000_000
    case 0xF2:
      // DS 3.3.1: ignored while a mode change is pending.
      if f4Waiting == nil { f2 = value & 7 }
    case 0xF4:
      switch doing {
      case .copying: (f4, f2InForce) = (value, f2)
      case .measuring: if f4Waiting == nil { f4Waiting = value }
      case .resting, .pausing: takeControl(value)
      }
    case 0xF5:
      // DS 5.4.6: writes in normal mode may be ignored; on the captured parts they took effect.
      f5 = value & 0xFD
    default: break
    }
  }

  private mutating func takeControl(_ value: UInt8) {
    f4 = value
    f2InForce = f2
    followMode()
  }

  private mutating func followMode() {
    switch f4 & 3 {
    case 0: begin(.resting, lasting: 0)
    case 3: if doing != .pausing { begin(.measuring, lasting: measurementTime) }
    default: begin(.measuring, lasting: measurementTime)
    }
  }

  /// Returns the value of a control, status or id register; `nil` for calibration and data.
  func value(of register: UInt8) -> UInt8? {
    switch register {
    case 0xD0: 0x60
    case 0xE0: 0x00
    case 0xF2: f2
    case 0xF3: status
    case 0xF4: f4
    case 0xF5: f5
    case 0xF6: 0x00
    default: nil
    }
  }

  /// DS 5.4.4; bit 2 from the first measurement, as in captures, and bit 3 until the results are visible.
  private var status: UInt8 {
    let activity: UInt8 =
      switch doing {
      case .copying: 0x01
      case .resting, .pausing: 0x00
      case .measuring: spent < 200_000 ? 0x01 : 0x08
      }
    let hasBegun = hasMeasured || activity == 0x08
    return activity | (hasBegun ? 0x04 : 0) | (isRead && shown != newest ? 0x08 : 0)
  }

  /// `true` if the calibration is readable.
  var hasCalibration: Bool { doing != .copying }
}
