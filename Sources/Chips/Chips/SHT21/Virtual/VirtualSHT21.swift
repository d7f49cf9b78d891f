public import Environment
public import I2C
public import Quantities
public import VirtualI2C

/// A virtual SHT21, implemented as a state machine in virtual time.
///
/// It has no thread of its own. Each access first processes the events that are due by then, such
/// as the end of a measurement, and then executes a command or returns a result.
public final class VirtualSHT21: VirtualI2CDevice {
  /// The I2C address, always 0x40.
  public let address: I2CAddress
  /// The ambient air.
  public let air: any AirSource
  /// The deviations from the ideal part, the supply voltage and the serial number.
  public let options: SHT21Options
  /// The serial number.
  public let serialNumber: SHT21SerialNumber
  let seed: UInt64
  let firstPowerOn: UInt64

  // The current activity and settings.
  var phase: SHT21Phase
  var userRegister: SHT21UserRegister
  var measurements: UInt64 = 0
  var impairments = Impairments()

  var heater: PartHeater

  // The last code of each quantity, without status bits; a part whose result is frozen returns it
  // again.
  var lastCodes = InlineArray<2, UInt16>(repeating: 0)

  // The state of the bus interface.
  var expected = ExpectedByte.command
  var response = SHT21Response()
  var isResponseDue = false

  /// The meaning of the next byte written.
  enum ExpectedByte: Hashable {
    /// A command, or the first byte of a two-byte command.
    case command
    /// The new value of the user register.
    case userRegister
    /// The second byte of a two-byte command.
    case memoryAddress(first: UInt8)
    /// No byte is expected, because the command is complete.
    case nothing
  }

  /// Creates a part that is powered on at `time`.
  ///
  /// - Parameters:
  ///   - address: the I2C address, always 0x40 on a real part.
  ///   - air: the ambient air.
  ///   - options: the deviations from the ideal part.
  ///   - seed: the seed from which noise, random times and the serial number are generated.
  ///   - time: the time of power-on in nanoseconds.
  public init(
    address: I2CAddress = 0x40, air: any AirSource, options: SHT21Options = SHT21Options(),
    seed: UInt64 = 0, poweredOnAt time: UInt64 = 0
  ) {
    self.address = address
    self.air = air
    self.options = options
    self.seed = seed
    firstPowerOn = time
    heater = PartHeater(
      rise: options.unknown.heaterRise, timeConstant: options.unknown.heaterTimeConstant)
    var generator = SeededGenerator(seed: seed, stream: .max - 1)
    serialNumber = options.serialNumber ?? SHT21SerialNumber(rawValue: generator.next())
    phase = .starting(until: time + options.unknown.startTime)
    userRegister = Self.defaultRegister(options.unknown)
  }

  /// The time of the next internal event in nanoseconds, or `nil` if no event is pending.
  public var nextChange: UInt64? { phase.end }

  /// Returns the value of the user register after reset, with the reserved bits that `unknown`
  /// selects.
  static func defaultRegister(_ unknown: SHT21UndocumentedBehavior) -> SHT21UserRegister {
    var register = SHT21UserRegister.afterReset
    if unknown.reservedBits == .ones { register.rawValue |= SHT21UserRegister.reservedMask }
    return register
  }

  /// Processes all events that are due at `time`.
  func advance(to time: UInt64) {
    guard let end = phase.end, end <= time else { return }
    switch phase {
    case .starting: phase = .idle
    case .measuring(let quantity, _, _): finish(quantity, at: end)
    case .off, .idle, .ready: break
    }
  }

  /// Switches the supply on or off at `time`.
  ///
  /// Without supply the part loses all settings; when the supply returns, the part restarts.
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    if !isOn {
      switchHeater(to: false, at: time)
      phase = .off
    } else if case .off = phase {
      loadDefaults()
      lastCodes = InlineArray(repeating: 0)
      response = SHT21Response()
      isResponseDue = false
      phase = .starting(until: time + options.unknown.startTime)
    }
  }

  /// Loads the default settings: resolution, reload and reserved bits (DS 5.5).
  ///
  /// The heater keeps its state.
  func loadDefaults() {
    var register = Self.defaultRegister(options.unknown)
    register.isHeaterOn = userRegister.isHeaterOn
    userRegister = register
  }
}

/// The options of a virtual SHT21: its deviations from the ideal part, supply voltage and serial
/// number.
public struct SHT21Options: Hashable, Sendable {
  /// The noise on each result, based on the datasheet's repeatability, which is taken as three
  /// standard deviations.
  public var noise: PartNoise
  /// The measurement time: typical, maximum, or chosen randomly once per part.
  public var timing: PartTiming
  /// The constant error of the results, in °C and % relative humidity.
  public var offset = PartDeviation()
  /// The change of the error per year of 365 days.
  public var driftPerYear = PartDeviation()
  /// The supply voltage in V; below 2.25 V the chip sets its end-of-battery bit.
  public var supply = SHT21Figures.usualSupply
  /// The serial number; if `nil`, it is generated from the seed.
  public var serialNumber: SHT21SerialNumber?
  /// The assumptions about undocumented behavior.
  public var unknown = SHT21UndocumentedBehavior()

  /// Creates options.
  ///
  /// Default: no noise and typical times.
  public init(noise: PartNoise = .off, timing: PartTiming = .typical) {
    self.noise = noise
    self.timing = timing
  }
}

/// The current activity of a virtual SHT21; times are in nanoseconds since the start of the run.
enum SHT21Phase: Hashable {
  /// The part has no supply.
  case off
  /// The part is starting up after power-on or a soft reset.
  case starting(until: UInt64)
  /// The part waits for a command.
  case idle
  /// The part is measuring; `holdsClock` is `true` in hold master mode.
  case measuring(SHT21Quantity, until: UInt64, holdsClock: Bool)
  /// A result is ready to be read.
  case ready

  /// The time at which the phase ends by itself, or `nil` if only an access or the supply can end
  /// it.
  var end: UInt64? {
    switch self {
    case .off, .idle, .ready: nil
    case .starting(let until), .measuring(_, let until, _): until
    }
  }
}

extension VirtualSHT21 {
  /// Starts a measurement of one quantity.
  func begin(_ quantity: SHT21Quantity, holdingClock: Bool, at time: UInt64) {
    if !userRegister.isReloadDisabled {
      loadDefaults()
      if options.unknown.reloadBit == .kept { userRegister.isReloadDisabled = false }
    }
    let until = time + measurementTime(of: quantity)
    phase = .measuring(quantity, until: until, holdsClock: holdingClock)
  }

  /// Returns the duration of a measurement at the current resolution, in nanoseconds.
  private func measurementTime(of quantity: SHT21Quantity) -> UInt64 {
    let resolution = userRegister.resolution
    let longest = resolution.longestTime(of: quantity)
    let time = options.timing.conversionTime(
      typical: resolution.typicalTime(of: quantity), longest: longest, seed: seed)
    return impairments.conversionTime(time, longest: longest)
  }

  /// Stores the result of the measurement that ends at `time`.
  func finish(_ quantity: SHT21Quantity, at time: UInt64) {
    let value = sensed(quantity, at: time)
    var bits = userRegister.resolution.bits(of: quantity)
    if options.unknown.unusedBits == .measured { bits = 14 }
    if !impairments.freezeResult() {
      lastCodes[Int(quantity.rawValue)] = quantity.scale.code(nearestTo: value, bits: bits)
    }
    measurements += 1
    userRegister.isBatteryLow = options.supply < SHT21Figures.lowSupply
    response = SHT21Response()
    response.addChecked(lastCodes[Int(quantity.rawValue)] | quantity.statusBits)
    isResponseDue = true
    phase = .ready
  }

  /// Returns the value that the part senses at `time`: that of the air, changed by the heater's
  /// warmth, the part's error and drift, the active faults, and the noise of this result.
  private func sensed(_ quantity: SHT21Quantity, at time: UInt64) -> Double {
    var air = air.air(at: time)
    let rise = heater.rise(at: time)
    let years = Double(time - min(time, firstPowerOn)) / (365 * 86_400e9)
    air.humidity = TemperatureRise.humidity(air.humidity, of: air.temperature, warmedBy: rise)
    air.temperature += rise
    options.offset.shift(&air)
    options.driftPerYear.shift(&air, times: years)
    impairments.shift(&air, at: time)
    var generator = SeededGenerator(seed: seed, stream: measurements)
    let factor = options.noise.factor
    switch quantity {
    case .temperature:
      let deviation = SHT21Figures.temperatureRepeatability / 3 * factor
      return air.temperature + (factor > 0 ? generator.gaussian() * deviation : 0)
    case .humidity:
      let deviation = SHT21Figures.humidityRepeatability / 3 * factor
      return air.humidity + (factor > 0 ? generator.gaussian() * deviation : 0)
    }
  }

  /// Switches the heater on or off, so the part gradually warms up or cools down.
  func switchHeater(to isOn: Bool, at time: UInt64) {
    heater.set(isOn, at: time)
    userRegister.isHeaterOn = isOn
  }

  // MARK: Faults

  /// Applies `condition`, a defect that an injected fault causes inside the part, from `time` until
  /// it has had `count` effects.
  public func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {
    advance(to: time)
    impairments.add(condition, of: fault, count: count, at: time)
  }

  /// Returns the number of times that the condition of a fault has taken effect.
  public func effects(of fault: Int) -> Int { impairments.effects(of: fault) }
}
