public import Environment
public import I2C
public import Quantities
public import VirtualI2C

/// A virtual BMP180, implemented as a state machine in virtual time.
///
/// The part has no thread of its own. Every access first processes the events that are due, such as the end of
/// start-up or of a conversion, and then reads or writes the registers.
public final class VirtualBMP180: VirtualI2CDevice {
  /// The I2C address, 0x77.
  public let address: I2CAddress
  /// The ambient air.
  public let air: any AirSource
  /// The calibration and the deviations from the ideal part.
  public internal(set) var options: BMP180Options
  var inverse: BMP180Inverse
  let seed: UInt64
  let firstPowerOn: UInt64

  // The current activity, and the E2PROM as copied at start-up.
  var phase: BMP180Phase
  var memory: InlineArray<22, UInt8>
  var conversions: UInt64 = 0
  var impairments = Impairments()

  // The control register without its bit SCO, and the three result registers as one 24-bit word.
  var control: UInt8 = 0
  var result = VirtualBMP180.resetResult

  // The state of the bus interface.
  var pointer: UInt8 = 0
  var writeIndex = 0

  /// The value of the result registers after power-on (DS 4).
  static var resetResult: UInt32 { 0x800000 }

  /// Creates a part that is powered on at `time`.
  ///
  /// - Parameters:
  ///   - address: the I2C address, 0x77.
  ///   - air: the ambient air.
  ///   - options: the calibration and the deviations from the ideal part.
  ///   - seed: the seed of the noise and of a random conversion time.
  ///   - time: the time of power-on in nanoseconds.
  public init(
    address: I2CAddress = 0x77, air: any AirSource, options: BMP180Options = BMP180Options(),
    seed: UInt64 = 0, poweredOnAt time: UInt64 = 0
  ) {
    self.address = address
    self.air = air
    self.options = options
    self.seed = seed
    inverse = BMP180Inverse(options.calibration)
    firstPowerOn = time
    memory = InlineArray { options.calibration.byte($0) }
    phase = .starting(until: time + BMP180Figures.startTime)
  }

  /// The time of the next internal event in nanoseconds, or `nil` while the part sleeps.
  public var nextChange: UInt64? { phase.end }

  /// Processes all events that are due at `time`.
  func advance(to time: UInt64) {
    guard let end = phase.end, end <= time else { return }
    if case .converting(let conversion, _) = phase { finish(conversion, at: end) }
    phase = .asleep
  }

  /// Enters the state after power-on or a soft reset.
  func restart(at time: UInt64, for length: UInt64) {
    memory = copiedMemory()
    control = 0
    result = Self.resetResult
    pointer = 0
    writeIndex = 0
    phase = .starting(until: time + length)
  }

  /// Switches the supply on or off at `time`.
  ///
  /// Without supply the part loses all state; when the supply returns, the part restarts.
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    if !isOn {
      phase = .off
    } else if case .off = phase {
      restart(at: time, for: BMP180Figures.startTime)
    }
  }
}

/// The calibration of a virtual BMP180, and its deviations from the ideal part.
public struct BMP180Options: Hashable, Sendable {
  /// The calibration words.
  ///
  /// Default: the words of the datasheet's example.
  public var calibration = BMP180Calibration.example
  /// The noise of each pressure result, as a multiple of the datasheet's RMS noise.
  public var noise: PartNoise
  /// The conversion time: typical, maximum, or a random time that is chosen once per part.
  public var timing: PartTiming
  /// The constant error of the pressure in Pa, and of the temperature in °C.
  public var offset = PartDeviation()
  /// The drift per year of 365 days, in Pa for the pressure and in °C for the temperature.
  public var driftPerYear = PartDeviation()
  /// The assumptions about undocumented behavior.
  public var unknown = BMP180UndocumentedBehavior()

  /// Creates options with the example calibration and no offset or drift.
  ///
  /// Default: no noise and typical times.
  public init(noise: PartNoise = .off, timing: PartTiming = .typical) {
    self.noise = noise
    self.timing = timing
  }
}

/// The current activity of a virtual BMP180, with times in nanoseconds since the start of the run.
enum BMP180Phase: Hashable {
  /// The part has no supply voltage.
  case off
  /// The part is starting up after power-on or a soft reset.
  case starting(until: UInt64)
  /// The part is sleeping until a command starts a conversion.
  case asleep
  /// The part is performing a conversion.
  case converting(BMP180Conversion, until: UInt64)

  /// The time at which the phase ends by itself, or `nil` if it continues until an external event.
  var end: UInt64? {
    switch self {
    case .off, .asleep: nil
    case .starting(let until), .converting(_, let until): until
    }
  }

  var isStarting: Bool {
    if case .starting = self { return true }
    return false
  }

  var isConverting: Bool {
    if case .converting = self { return true }
    return false
  }
}

extension VirtualBMP180 {
  /// Starts a conversion and determines its end time.
  func begin(_ conversion: BMP180Conversion, at time: UInt64) {
    let typical = options.timing.conversionTime(
      typical: conversion.typicalTime, longest: conversion.longestTime, seed: seed)
    let length = impairments.conversionTime(typical, longest: conversion.longestTime)
    phase = .converting(conversion, until: time + length)
  }

  /// Stores the result of the conversion that ends at `time`.
  func finish(_ conversion: BMP180Conversion, at time: UInt64) {
    let air = sensedAir(at: time, conversion)
    conversions += 1
    guard !impairments.freezeResult() else { return }
    let temperature = inverse.temperature(air.temperature)
    switch conversion {
    case .temperature:
      let kept = options.unknown.lowByte == .last ? result & 0xFF : 0
      result = conversion.word(of: temperature) | kept
    case .pressure(let oversampling):
      let fine = options.calibration.fineTemperature(temperature) ?? 0
      result = conversion.word(of: inverse.pressure(air.pressure, oversampling, fine: fine))
    }
  }

  /// Returns the air state that the part senses at `time`.
  ///
  /// It is the ambient air plus the offset, drift and injected faults of the part. A pressure conversion adds noise.
  private func sensedAir(at time: UInt64, _ conversion: BMP180Conversion) -> Air {
    var air = air.air(at: time)
    let years = Double(time - min(time, firstPowerOn)) / (365 * 86_400e9)
    options.offset.shift(&air)
    options.driftPerYear.shift(&air, times: years)
    impairments.shift(&air, at: time)
    guard options.noise.factor > 0, case .pressure(let oversampling) = conversion else {
      return air
    }
    var generator = SeededGenerator(seed: seed, stream: conversions)
    air.pressure += generator.gaussian() * BMP180Figures.noise(oversampling) * options.noise.factor
    return air
  }

  // MARK: Faults

  /// Returns the E2PROM contents as the part copies them at start-up.
  ///
  /// An injected fault can truncate the copy or corrupt one of its bytes.
  func copiedMemory() -> InlineArray<22, UInt8> {
    var copy = InlineArray<22, UInt8> { options.calibration.byte($0) }
    impairments.act { impairment in
      switch impairment.condition {
      case .partialMemory(let kept):
        for index in copy.indices where index >= kept { copy[index] = 0 }
      case .wrongMemory(let byte, let mask) where copy.indices.contains(byte):
        copy[byte] ^= mask
      default: return false
      }
      return true
    }
    return copy
  }

  /// Applies `condition`, a defect that an injected fault causes inside the part, from `time` until it has had `count`
  /// effects.
  public func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {
    advance(to: time)
    impairments.add(condition, of: fault, count: count, at: time)
    // A dip of the supply, or another part: it restarts.
    switch condition {
    case .partialMemory: restart(at: time, for: BMP180Figures.startTime)
    case .otherMemory: exchange(at: time)
    default: break
    }
  }

  /// Makes this part another one, with the E2PROM of the active fault condition.
  private func exchange(at time: UInt64) {
    impairments.act { impairment in
      guard case .otherMemory(let bytes) = impairment.condition,
        bytes.count == BMP180Calibration.byteCount
      else { return false }
      options.calibration = BMP180Calibration(bytes: bytes.span)
      return true
    }
    inverse = BMP180Inverse(options.calibration)
    if case .off = phase { return }
    restart(at: time, for: BMP180Figures.startTime)
  }

  /// Returns the number of times that the condition of a fault has taken effect.
  public func effects(of fault: Int) -> Int { impairments.effects(of: fault) }
}

/// The inverse of the BMP180's compensation formulas.
///
/// It finds the code for a temperature or a pressure by a binary search over the results of the formulas.
struct BMP180Inverse: Hashable {
  private let calibration: BMP180Calibration
  /// The lowest code above the pole of the temperature formula; from this code on, the temperature rises with the
  /// code.
  private let leastTemperature: Int32

  /// Creates the inverse of the formulas for a calibration.
  init(_ calibration: BMP180Calibration) {
    self.calibration = calibration
    // Below its pole the temperature formula has a second branch.
    leastTemperature = Self.first(from: 0, to: 0xFFFF) { code in
      ((Int64(code) - Int64(calibration.ac6)) * Int64(calibration.ac5)) >> 15
        + Int64(calibration.md) > 0
    }
  }

  /// Returns the temperature code whose value is nearest to a temperature in °C.
  func temperature(_ celsius: Double) -> Int32 {
    nearest(to: celsius * 160, from: leastTemperature, to: 0xFFFF) {
      Double(calibration.fineTemperature($0) ?? .min)
    }
  }

  /// Returns the pressure code whose value is nearest to a pressure in Pa, at the temperature `fine` (B5).
  func pressure(_ pascals: Double, _ oversampling: BMP180Oversampling, fine: Int32) -> Int32 {
    nearest(to: pascals, from: 0, to: 1 << Int32(oversampling.bits) - 1) {
      Double(calibration.pascals($0, oversampling, fine: fine) ?? .min)
    }
  }

  private func nearest(
    to wanted: Double, from least: Int32, to most: Int32, _ value: (Int32) -> Double
  ) -> Int32 {
    let above = Self.first(from: least, to: most) { value($0) >= wanted }
    guard above > least, wanted - value(above - 1) < abs(value(above) - wanted) else {
      return above
    }
    return above - 1
  }

  /// Returns the lowest code from `least` on that satisfies a condition, or `most` if no lower code does.
  ///
  /// All codes above one that satisfies the condition must satisfy it, too.
  private static func first(from least: Int32, to most: Int32, _ isTrue: (Int32) -> Bool) -> Int32 {
    var (low, high) = (least, most)
    while low < high {
      let middle = low + (high - low) / 2
      if isTrue(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
