import BME280
import Environment

/// The inverse of the compensation formulas.
///
/// It finds the codes that a part with a given calibration measures in given air, without noise.
struct InverseCompensation: Hashable {
  private let calibration: Calibration
  /// The monotonicity of each formula over the code; the formulas of real parts are monotonic.
  private let temperatureProfile, pressureProfile, humidityProfile: CodeSearch.Profile

  /// The fine temperatures of -60, 22.5 and 105 C.
  ///
  /// A property that holds at all three is assumed to hold in between.
  private static let climates: [Int32] = [-307_200, 115_200, 537_600]

  init(calibration: Calibration) {
    self.calibration = calibration
    let wide = CodeSearch(range: 1 << 20, step: 16)
    let narrow = CodeSearch(range: 1 << 16)
    temperatureProfile = wide.profile {
      Double(IntegerCompensation<Shifting>.fineTemperature($0, calibration))
    }
    pressureProfile = Self.inAllClimates { fine in
      wide.profile { Self.pascals($0, fine, calibration) }
    }
    humidityProfile = Self.inAllClimates { fine in
      narrow.profile { Self.percent($0, fine, calibration) }
    }
  }

  private static func inAllClimates(_ profile: (Int32) -> CodeSearch.Profile) -> CodeSearch.Profile
  {
    let profiles = climates.map(profile)
    return profiles.allSatisfy { $0 == profiles[0] } ? profiles[0] : .nonMonotonic
  }

  /// The result of the last search for a channel's code, cached because the same air yields the same code.
  struct Found {
    var wanted = Double.nan
    var fine: Int32 = 0
    var step: Int32 = 0
    var result = CodeSearch.Result(code: 0, value: 0, isReached: true)

    /// Returns `true` if the cached result is for this wanted value, fine temperature and step.
    @inline(__always)
    func matches(_ wanted: Double, _ fine: Int32, _ step: Int32) -> Bool {
      self.wanted == wanted && self.fine == fine && self.step == step
    }
  }

  /// The result of the last search for each channel, and the fine temperature for the temperature code that was found.
  struct Memory {
    var temperature = Found()
    var pressure = Found()
    var humidity = Found()
    var fine: Int32 = 0
  }

  /// Finds the code nearest to a temperature in C and returns the fine temperature for that code.
  func temperature(_ celsius: Double, step: Int32, _ memory: inout Memory) -> Int32 {
    if memory.temperature.matches(celsius, 0, step) { return memory.fine }
    var found = CodeSearch(range: 1 << 20, step: step, grain: 16).nearest(
      to: celsius * 5120, temperatureProfile,
      smooth: { DoubleCompensation.fineTemperature($0, calibration) },
      { Double(fineTemperature(of: $0)) })
    found.value /= 5120
    memory.temperature = Found(wanted: celsius, step: step, result: found)
    memory.fine = fineTemperature(of: found.code)
    return memory.fine
  }

  /// Finds the pressure code nearest to a pressure in Pa, at a fine temperature.
  func pressure(_ pascals: Double, fine: Int32, step: Int32, _ memory: inout Memory) {
    if memory.pressure.matches(pascals, fine, step) { return }
    let (sensitivity, offset) = DoubleCompensation.pressureTerms(fine: fine, calibration)
    let found = CodeSearch(range: 1 << 20, step: step).nearest(
      to: pascals, pressureProfile,
      smooth: {
        DoubleCompensation.pressure($0, sensitivity: sensitivity, offset: offset, calibration)
      },
      { Self.pascals($0, fine, calibration) })
    memory.pressure = Found(wanted: pascals, fine: fine, step: step, result: found)
  }

  /// Finds the humidity code nearest to a relative humidity in %, at a fine temperature.
  ///
  /// Below 0 and above 100 % the code follows the formula before clamping.
  func humidity(_ percent: Double, fine: Int32, _ memory: inout Memory) {
    if memory.humidity.matches(percent, fine, 1) { return }
    let found = CodeSearch(range: 1 << 16).nearest(
      to: percent, humidityProfile,
      smooth: {
        DoubleCompensation.humidity($0, fine: fine, calibration, curvatureTwice: false)
      },
      { Self.percent($0, fine, calibration) })
    memory.humidity = Found(wanted: percent, fine: fine, step: 1, result: found)
  }

  /// Returns the fine temperature for a temperature code.
  private func fineTemperature(of code: Int32) -> Int32 {
    IntegerCompensation<Shifting>.fineTemperature(code, calibration)
  }

  @inline(__always)
  private static func pascals(_ code: Int32, _ fine: Int32, _ calibration: Calibration) -> Double {
    Double(IntegerCompensation<Shifting>.pressure64(code, fine: fine, calibration) ?? 0) / 256
  }

  @inline(__always)
  private static func percent(_ code: Int32, _ fine: Int32, _ calibration: Calibration) -> Double {
    Double(IntegerCompensation<Shifting>.unclampedHumidity(code, fine: fine, calibration) >> 12)
      / 1024
  }
}

extension Saturation {
  /// Adds a search that did not reach the wanted value to a saturation record, which is created by the first such
  /// search.
  static func add(
    to shortfall: inout Saturation?, _ result: CodeSearch.Result, wanted: Double, at time: UInt64
  ) {
    if shortfall != nil {
      shortfall?.count += 1
    } else {
      shortfall = Saturation(time: time, requested: wanted, nearest: result.value, count: 1)
    }
  }
}
