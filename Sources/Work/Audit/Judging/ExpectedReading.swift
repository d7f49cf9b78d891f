package import BME280
import BME280Model
package import Environment
import I2C
import Parts
import Quantities
import VirtualI2C

/// The values that a correct program may display for one air state, at any resolution and with any
/// correct formula.
package struct ExpectedReading {
  /// The true values, in °C, Pa, % or the unit of an input.
  package let values: [Measurand: Double]
  /// The true values before a transition; empty unless the reading may lie between two air states.
  private var earlier: [Measurand: Double] = [:]
  /// The ranges of the values of correct programs.
  package let bounds: [Measurand: ClosedRange<Double>]
  /// What a correct program may display without its sign.
  private var magnitudes: Set<Measurand> = []
  /// The raw codes of the air states at the finest resolution; empty for a part of another family.
  private var codes: [RawMeasurement] = []

  /// The tolerance for formulas in single precision, in °C, Pa and %.
  private static let singlePrecision: [Measurand: Double] = [
    .temperature: 0.01, .pressure: 4, .humidity: 0.05,
  ]

  /// Simulates measurements of the air with the scenario's part, at the coarsest and the finest
  /// resolution, and applies all correct formulas to them.
  ///
  /// - Parameters:
  ///   - phase: the ambient air, and the inputs of the part.
  ///   - scenario: the scenario, which gives the part and the additional tolerance.
  package init(_ phase: Scenario.Phase, in scenario: Scenario) {
    let air = phase.air
    if let part = scenario.auditedPart {
      (values, bounds) = Self.expected(phase, of: part, scenario.slack)
      magnitudes = Set(part.measurands.filter(part.isMagnitude))
      return
    }
    let values: [Measurand: Double] = [
      .temperature: air.temperature, .pressure: air.pressure, .humidity: air.humidity,
    ]
    self.values = values.filter { $0.key != .humidity || scenario.chip.measuresHumidity }
    var found: [Measurand: [Double]] = [:]
    for (quantity, value) in values { found[quantity] = [value] }
    for oversampling in [Oversampling.x1, .x16] {
      guard let raw = Self.measure(air, scenario.part, scenario.chip, oversampling) else {
        continue
      }
      codes = [raw]
      let results = Self.results(of: raw, in: scenario, mayClamp: air.pressure <= 110_000)
      found.merge(results.filter { found[$0.key] != nil }) { $0 + $1 }
    }
    bounds = Self.bounds(of: found, in: scenario)
  }

  /// Measures the air with a part of another family and its driver.
  ///
  /// A correct program may use a lower resolution and single precision, for which there is a tolerance.
  private static func expected(
    _ phase: Scenario.Phase, of part: AuditedPart, _ slack: Air
  ) -> ([Measurand: Double], [Measurand: ClosedRange<Double>]) {
    let air = phase.air
    let sample = part.quantities.isEmpty ? nil : part.measure(air)
    var values: [Measurand: Double] = [:]
    var bounds: [Measurand: ClosedRange<Double>] = [:]
    for quantity in part.quantities {
      let (value, measurand) = (air[quantity], Measurand(quantity))
      let read = sample?[quantity] ?? value
      let more = resolution[measurand, default: 0] + slack[quantity]
      values[measurand] = value
      bounds[measurand] = min(value, read) - more...max(value, read) + more
    }
    for measurand in part.measurands {
      guard let value = part.value(of: measurand, in: phase) else { continue }
      // Words that a driver writes, such as a calibration, are rounded.
      let more = part.tolerance(of: measurand) + abs(value) * 0.002
      values[measurand] = value
      bounds[measurand] = value - more...value + more
    }
    return (values, bounds)
  }

  /// The tolerance for a lower resolution and formulas in single precision, in °C, Pa and %.
  private static let resolution: [Measurand: Double] = [
    .temperature: 0.06, .pressure: 8, .humidity: 0.4,
  ]

  /// Computes the ranges of correct values for one measurement.
  ///
  /// - Parameters:
  ///   - raw: the raw codes.
  ///   - scenario: the scenario, which gives the part and the additional tolerance.
  /// - Returns: the ranges.
  static func bounds(
    of raw: RawMeasurement, in scenario: Scenario
  ) -> [Measurand: ClosedRange<Double>] {
    let found = results(of: raw, in: scenario, mayClamp: true).mapValues { $0.filter(\.isFinite) }
    return bounds(
      of: found.filter { scenario.chip.measuresHumidity || $0.key != .humidity }, in: scenario)
  }

  /// Returns the results of all correct formulas for a measurement.
  private static func results(
    of raw: RawMeasurement, in scenario: Scenario, mayClamp: Bool
  ) -> [Measurand: [Double]] {
    var found: [Measurand: [Double]] = [:]
    for variant in CompensationVariant.allCases {
      let result = scenario.part.calibration.compensateSI(raw, variant: variant)
      found[.temperature, default: []].append(result.temperature)
      // If H3 is not 0, Bosch's double formula differs from Bosch's integer formulas and the data
      // sheet.
      if variant != .boschDouble { found[.humidity, default: []].append(result.humidity) }
      // Bosch's formulas clamp results to the operating range, and so may a correct program.
      if mayClamp || !variant.isClamping {
        found[.pressure, default: []].append(result.pressure)
      }
    }
    return found
  }

  private static func bounds(
    of found: [Measurand: [Double]], in scenario: Scenario
  ) -> [Measurand: ClosedRange<Double>] {
    let slack: [Measurand: Double] = [
      .temperature: scenario.slack.temperature, .pressure: scenario.slack.pressure,
      .humidity: scenario.slack.humidity,
    ]
    var bounds: [Measurand: ClosedRange<Double>] = [:]
    for (quantity, all) in found {
      let more = singlePrecision[quantity, default: 0] + slack[quantity, default: 0]
      bounds[quantity] = ((all.min() ?? 0) - more)...((all.max() ?? 0) + more)
    }
    return bounds
  }

  /// Creates the ranges between two air states, through which filtered values move.
  ///
  /// The part filters the codes of temperature and pressure by the same factor, and not that of
  /// humidity (DS 3.4.4); the compensation of pressure and humidity uses the filtered temperature.
  package init(between one: ExpectedReading, and other: ExpectedReading, in scenario: Scenario) {
    values = other.values
    earlier = one.values
    codes = one.codes + other.codes
    var bounds = one.bounds.hull(with: other.bounds)
    for (old, new) in one.codes.flatMap({ old in other.codes.map { (old, $0) } }) {
      for step in Int32(0)...Self.filterSteps {
        func between(_ old: Int32, _ new: Int32) -> Int32 {
          old + (new - old) / Self.filterSteps * step
        }
        let raw = RawMeasurement(
          temperature: between(old.temperature, new.temperature),
          pressure: between(old.pressure, new.pressure), humidity: new.humidity)
        bounds = bounds.hull(with: Self.bounds(of: raw, in: scenario))
      }
    }
    self.bounds = bounds
  }

  /// The number of steps in which the way of a filtered value is followed.
  private static let filterSteps: Int32 = 8

  /// Returns the correct value of a quantity; between two air states, the one nearer to the
  /// displayed value.
  package func right(of quantity: Measurand, nearest shown: ShownValue) -> Double? {
    guard let value = values[quantity], let other = earlier[quantity], let number = shown.value
    else { return values[quantity] }
    return abs(number - other) < abs(number - value) ? other : value
  }

  /// Returns `true` if a displayed value can be correct.
  package func allows(_ shown: ShownValue) -> Bool {
    guard let bounds = bounds[shown.quantity], let value = shown.value else { return false }
    let band = bounds.lowerBound - shown.digit...bounds.upperBound + shown.digit
    return band.contains(value)
      || magnitudes.contains(shown.quantity) && bounds.upperBound < 0 && band.contains(-value)
  }

  package static func measure(
    _ air: Air, _ part: Part, _ chip: Chip, _ oversampling: Oversampling
  ) -> RawMeasurement? {
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock)
    let sensor = VirtualBME280(
      chip: chip, nvm: part.calibration.bytes, address: 0x76, air: ScriptedAir(constant: air))
    let control = ControlMeasurement(
      temperature: oversampling, pressure: oversampling, mode: .forced)
    let count = chip.dataLength
    var data = [UInt8](repeating: 0, count: count)
    do {
      try adapter.attach(sensor)
      clock.wait(nanoseconds: 2_000_000)
      try adapter.writeRegister(Register.controlHumidity, oversampling.rawValue, at: 0x76)
      try adapter.writeRegister(Register.controlMeasurement, control.byte, at: 0x76)
      clock.wait(nanoseconds: 200_000_000)
      var span = data.mutableSpan
      try adapter.readRegisters(from: Register.data, count: count, into: &span, at: 0x76)
    } catch {
      return nil
    }
    return RawMeasurement(registers: data.span)
  }
}

extension [Measurand: ClosedRange<Double>] {
  /// Returns the smallest ranges that contain these ranges and others.
  fileprivate func hull(with others: Self) -> Self {
    merging(others) {
      Swift.min($0.lowerBound, $1.lowerBound)...Swift.max($0.upperBound, $1.upperBound)
    }
  }
}

extension CompensationVariant {
  /// `true` if the variant clamps its results to the operating range.
  fileprivate var isClamping: Bool {
    switch self {
    case .boschInt64, .boschInt32, .boschDouble, .boschBMP2Int64: true
    default: false
    }
  }
}
