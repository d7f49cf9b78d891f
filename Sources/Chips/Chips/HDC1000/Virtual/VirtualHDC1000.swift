public import Environment
public import I2C
public import Quantities
public import VirtualI2C

/// A virtual HDC1000, implemented as a state machine in virtual time.
///
/// The part has no thread of its own. Every access first processes the events that are due, such as the end of
/// start-up or of a measurement, and then reads or writes the registers.
public final class VirtualHDC1000: VirtualI2CDevice {
  /// The I2C address, 0x40...0x43, as selected by the pins ADR1 and ADR0.
  public let address: I2CAddress
  /// The ambient air.
  public let air: any AirSource
  /// The supply voltage, the serial number and the deviations from the ideal part.
  public let options: HDC1000Options
  /// The serial number.
  public let serialNumber: HDC1000SerialNumber
  let seed: UInt64
  let firstPowerOn: UInt64

  // The current activity and configuration.
  var phase: HDC1000Phase
  var configuration = HDC1000Configuration.afterReset
  var measurements: UInt64 = 0
  var impairments = Impairments()

  /// The heater, which only heats during measurements (DS 8.3.3).
  var heater: PartHeater

  // The result registers, and a flag that is set by a measurement and cleared by a read.
  var codes = InlineArray<2, UInt16>(repeating: 0)
  var isUpdated = false

  // The state of the bus interface.
  var pointer: UInt8 = 0
  var written = WrittenBytes.none
  var isTriggerDue = false
  var readIndex = 0

  /// The bytes written since the START condition.
  enum WrittenBytes: Hashable {
    /// No byte was written; the next byte is the pointer.
    case none
    /// Only the pointer was written.
    case pointer
    /// The pointer and the high byte of a word were written.
    case high(UInt8)
    /// The pointer and a word were written.
    case word
  }

  /// Creates a part that is powered on at `time`.
  ///
  /// - Parameters:
  ///   - address: the I2C address, 0x40...0x43.
  ///   - air: the ambient air.
  ///   - options: the supply voltage, the serial number and the deviations from the ideal part.
  ///   - seed: the seed of the noise, of a random measurement time and of the serial number.
  ///   - time: the time of power-on in nanoseconds.
  public init(
    address: I2CAddress = 0x40, air: any AirSource, options: HDC1000Options = HDC1000Options(),
    seed: UInt64 = 0, poweredOnAt time: UInt64 = 0
  ) {
    self.address = address
    self.air = air
    self.options = options
    self.seed = seed
    firstPowerOn = time
    heater = PartHeater(
      rise: options.unknown.heaterRise, timeConstant: options.unknown.heaterTimeConstant)
    var identity = SeededGenerator(seed: seed, stream: .max - 1)
    serialNumber = options.serialNumber ?? HDC1000SerialNumber(rawValue: identity.next())
    phase = .starting(until: time + options.unknown.startTime)
  }

  /// The time of the next internal event in nanoseconds, or `nil` while the part sleeps.
  public var nextChange: UInt64? { phase.end }

  /// Returns `true` if a result is unread at `time`, so the pin DRDYn is low.
  public func isDataReady(at time: UInt64) -> Bool {
    advance(to: time)
    return isUpdated
  }

  /// Processes all events that are due at `time`.
  func advance(to time: UInt64) {
    guard let end = phase.end, end <= time else { return }
    switch phase {
    case .starting:
      phase = .asleep
      updateBatteryStatus()
    case .measuring(let channels, _): finish(channels, at: end)
    case .off, .asleep: break
    }
  }

  /// Enters the state after power-on or a soft reset.
  func restart(at time: UInt64, for length: UInt64) {
    heater.set(false, at: time)
    configuration = .afterReset
    codes = InlineArray(repeating: 0)
    isUpdated = false
    isTriggerDue = false
    pointer = 0
    phase = .starting(until: time + length)
  }

  /// Switches the supply on or off at `time`.
  ///
  /// Without supply the part loses all state; when the supply returns, the part restarts.
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    if !isOn {
      heater.set(false, at: time)
      phase = .off
    } else if case .off = phase {
      restart(at: time, for: options.unknown.startTime)
    }
  }

  /// Updates the low-battery bit, which the chip does after start-up and with each measurement (DS 8.3.2).
  func updateBatteryStatus() {
    configuration.isBatteryLow = options.supply < HDC1000Figures.lowSupply
  }
}

/// The supply voltage and serial number of a virtual HDC1000, and its deviations from the ideal part.
public struct HDC1000Options: Hashable, Sendable {
  /// The noise of each result, as a multiple of the datasheet's repeatability.
  ///
  /// The repeatability is taken as three standard deviations.
  public var noise: PartNoise
  /// The measurement time: typical, maximum, or a random time that is chosen once per part.
  public var timing: PartTiming
  /// The constant error of the temperature in °C, and of the humidity in % relative humidity.
  public var offset = PartDeviation()
  /// The drift per year of 365 days, in °C for the temperature and in % relative humidity for the humidity.
  public var driftPerYear = PartDeviation()
  /// The supply voltage in V; below 2.8 V the chip sets its low-battery bit.
  public var supply = HDC1000Figures.usualSupply
  /// The serial number, or `nil` to generate one from the seed.
  public var serialNumber: HDC1000SerialNumber?
  /// The assumptions about undocumented behavior.
  public var unknown = HDC1000UndocumentedBehavior()

  /// Creates options with the usual supply voltage and no offset or drift.
  ///
  /// Default: no noise and typical times.
  public init(noise: PartNoise = .off, timing: PartTiming = .typical) {
    self.noise = noise
    self.timing = timing
  }
}

/// The current activity of a virtual HDC1000, with times in nanoseconds since the start of the run.
enum HDC1000Phase: Hashable {
  /// The part has no supply voltage.
  case off
  /// The part is starting up after power-on or a soft reset.
  case starting(until: UInt64)
  /// The part is sleeping until a measurement is triggered.
  case asleep
  /// The part is measuring one quantity or both.
  case measuring(HDC1000Channels, until: UInt64)

  /// The time at which the phase ends by itself, or `nil` if it continues until an external event.
  var end: UInt64? {
    switch self {
    case .off, .asleep: nil
    case .starting(let until), .measuring(_, let until): until
    }
  }

  var isStarting: Bool {
    if case .starting = self { return true }
    return false
  }

  var isMeasuring: Bool {
    if case .measuring = self { return true }
    return false
  }
}

/// The quantities that one measurement acquires.
struct HDC1000Channels: OptionSet, Hashable {
  let rawValue: UInt8

  static let temperature = HDC1000Channels(rawValue: 1)
  static let humidity = HDC1000Channels(rawValue: 2)

  /// Returns `true` if the measurement acquires `quantity`.
  func measures(_ quantity: HDC1000Quantity) -> Bool {
    isSuperset(of: quantity == .temperature ? .temperature : .humidity)
  }
}

extension VirtualHDC1000 {
  /// Starts a measurement, and switches the heater on if the configuration enables it.
  func begin(_ channels: HDC1000Channels, at time: UInt64) {
    isUpdated = false
    updateBatteryStatus()
    heater.set(configuration.isHeaterOn, at: time)
    phase = .measuring(channels, until: time + measurementTime(of: channels))
  }

  /// Returns the duration of a measurement at the current resolutions, in nanoseconds.
  private func measurementTime(of channels: HDC1000Channels) -> UInt64 {
    var typical: UInt64 = 0
    for quantity in HDC1000Quantity.allCases where channels.measures(quantity) {
      typical += configuration.resolution(of: quantity).time(of: quantity)
    }
    let longest = UInt64((Double(typical) * options.unknown.longestTimeFactor).rounded())
    let time = options.timing.conversionTime(typical: typical, longest: longest, seed: seed)
    return impairments.conversionTime(time, longest: longest)
  }

  /// Stores the results of the measurement that ends at `time`.
  func finish(_ channels: HDC1000Channels, at time: UInt64) {
    let air = sensedAir(at: time)
    heater.set(false, at: time)
    if !impairments.freezeResult() {
      for quantity in HDC1000Quantity.allCases where channels.measures(quantity) {
        let value = quantity == .temperature ? air.temperature : air.humidity
        let resolution = configuration.resolution(of: quantity)
        let bits = options.unknown.lowBits == .measured ? 14 : resolution.bits
        codes[Int(quantity.rawValue)] = quantity.scale.code(nearestTo: value, bits: bits)
      }
    }
    measurements += 1
    isUpdated = true
    phase = .asleep
  }

  /// Returns the air state that the part senses at `time`.
  ///
  /// It is the ambient air, warmed by the heater, plus the offset, drift, injected faults and noise of the part.
  private func sensedAir(at time: UInt64) -> Air {
    var air = air.air(at: time)
    let rise = heater.rise(at: time)
    let years = Double(time - min(time, firstPowerOn)) / (365 * 86_400e9)
    air.humidity = TemperatureRise.humidity(air.humidity, of: air.temperature, warmedBy: rise)
    air.temperature += rise
    options.offset.shift(&air)
    options.driftPerYear.shift(&air, times: years)
    impairments.shift(&air, at: time)
    guard options.noise.factor > 0 else { return air }
    var noise = SeededGenerator(seed: seed, stream: measurements)
    let factor = options.noise.factor / 3
    air.temperature += noise.gaussian() * HDC1000Figures.temperatureRepeatability * factor
    air.humidity += noise.gaussian() * HDC1000Figures.humidityRepeatability * factor
    return air
  }

  // MARK: Faults

  /// Applies `condition`, a defect that an injected fault causes inside the part, from `time` until it has had `count`
  /// effects.
  public func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {
    advance(to: time)
    impairments.add(condition, of: fault, count: count, at: time)
  }

  /// Returns the number of times that the condition of a fault has taken effect.
  public func effects(of fault: Int) -> Int { impairments.effects(of: fault) }
}
