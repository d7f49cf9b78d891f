public import BME280
public import Environment
public import I2C
public import Quantities
public import VirtualI2C

/// A virtual BME280 or BMP280: a state machine in virtual time.
///
/// The part has no thread of its own. Every access first processes the events that are due (start-up, conversions,
/// standby), and then reads or writes the registers as of that time.
public final class VirtualBME280: VirtualI2CDevice {
  /// The chip.
  public let chip: Chip
  /// The bytes of the part's NVM, 0x88...0xA1 then 0xE1...0xE7.
  @exclusivity(unchecked) public internal(set) var nvm: InlineArray<33, UInt8>
  /// The calibration words in the part's NVM.
  @exclusivity(unchecked) public internal(set) var calibration: Calibration
  /// The deviations from the ideal part.
  public let options: SensorOptions
  /// The I2C address, set by SDO.
  public var address: I2CAddress {
    get { wiredAddress }
    set { wiredAddress = newValue }
  }
  /// For each quantity, the number of air values so far that no code of this calibration represents.
  public var saturations: Saturations { unreached }

  // Stored separately from its public name: members not visible to other modules are accessed without checks.
  private var wiredAddress: I2CAddress

  /// The ambient air.
  public let air: any AirSource
  let codes: (any CodeSource)?
  @exclusivity(unchecked) var inverse: InverseCompensation
  let oscillator: Oscillator
  let seed: UInt64

  // A part is confined to the thread of its bus and makes no outside calls while it changes its state, so the
  // runtime's exclusivity checks are not needed. Without them a measurement takes a quarter less time.

  // The writable registers, and the values in effect.
  @exclusivity(unchecked) var controlHumidity: UInt8 = 0
  @exclusivity(unchecked) var latchedHumidity: UInt8 = 0
  @exclusivity(unchecked) var controlMeasurement: UInt8 = 0
  @exclusivity(unchecked) var configuration: UInt8 = 0
  /// A write to ctrl_meas that takes effect at the end of the current conversion.
  @exclusivity(unchecked) var pendingControl: UInt8?
  /// The settings of the current or last conversion.
  @exclusivity(unchecked) var settings: ConversionSettings
  /// `true` if the part was reset in normal mode; `isHung` is `true` if the part hangs because of that reset.
  @exclusivity(unchecked) var wasResetInNormalMode = false
  @exclusivity(unchecked) var isHung = false

  // The current activity and results.
  @exclusivity(unchecked) var phase: Phase
  @exclusivity(unchecked) var phaseStart: UInt64
  let firstPowerOn: UInt64
  @exclusivity(unchecked) var hasInterfaceSupply = true
  @exclusivity(unchecked) var conversions: UInt64 = 0
  @exclusivity(unchecked) var conversionsSinceReset: UInt64 = 0
  @exclusivity(unchecked) var latest = RawMeasurement()
  @exclusivity(unchecked) var visible = RawMeasurement()
  @exclusivity(unchecked) var unreached = Saturations()
  @exclusivity(unchecked) var ledger = ChargeLedger()
  @exclusivity(unchecked) var temperatureFilter = FilterMemory()
  @exclusivity(unchecked) var pressureFilter = FilterMemory()
  @exclusivity(unchecked) var sensed = InverseCompensation.Memory()
  @exclusivity(unchecked) var heat = 0.0

  // The active fault conditions, and the copy of the NVM that the part uses.
  @exclusivity(unchecked) var impairments = Impairments()
  @exclusivity(unchecked) var image: InlineArray<33, UInt8>

  // The state of the bus interface.
  @exclusivity(unchecked) var pointer: UInt8 = 0
  @exclusivity(unchecked) var expectsRegister = false
  @exclusivity(unchecked) var isInBurst = false

  /// Creates a part that is powered on at `time`.
  ///
  /// - Parameters:
  ///   - chip: the chip.
  ///   - nvm: the calibration bytes; a BMP280 uses the first 24.
  ///   - address: the I2C address, 0x76 or 0x77.
  ///   - air: the ambient air.
  ///   - codes: a source of converter codes to return instead of measuring the air; the codes already include
  ///     resolution, filter and noise.
  ///   - options: the deviations from the ideal part.
  ///   - seed: the seed of noise and drawn times.
  ///   - time: the time of power-on in nanoseconds.
  public init(
    chip: Chip, nvm: InlineArray<33, UInt8>, address: I2CAddress, air: any AirSource,
    codes: (any CodeSource)? = nil, options: SensorOptions = SensorOptions(), seed: UInt64 = 0,
    poweredOnAt time: UInt64 = 0
  ) {
    self.chip = chip
    self.nvm = nvm
    image = nvm
    guard
      let calibration = Calibration(
        bytes: nvm.span.extracting(first: Calibration.length(on: chip)))
    else { preconditionFailure("33 bytes hold either calibration") }
    self.calibration = calibration
    inverse = InverseCompensation(calibration: calibration)
    wiredAddress = address
    self.air = air
    self.codes = codes
    self.options = options
    self.seed = seed
    oscillator = Oscillator(options.timing, seed: seed)
    settings = ConversionSettings(
      SIMD3(), on: chip, oscillator: oscillator, noise: options.noise.factor)
    phase = .starting(until: time + options.unknown.powerOnCopyTime)
    phaseStart = time
    firstPowerOn = time
  }

  /// The time of the next internal event in nanoseconds, or `nil` while the part sleeps.
  public var nextChange: UInt64? { phase.end }

  /// The current power mode.
  public var mode: PowerMode { ControlMeasurement(byte: controlMeasurement).mode }

  /// Runs the power-on procedure, as after a write of 0xB6 to the reset register.
  func reset(at time: UInt64, copyTime: UInt64) {
    if case .off = phase {
      wasResetInNormalMode = false
    } else {
      wasResetInNormalMode = mode == .normal
    }
    isHung = false
    controlHumidity = 0
    latchedHumidity = 0
    controlMeasurement = 0
    configuration = 0
    pendingControl = nil
    latest = RawMeasurement()
    visible = latest
    temperatureFilter.reset()
    pressureFilter.reset()
    if options.unknown.pointerAfterReset == .zero { pointer = 0 }
    conversionsSinceReset = 0
    copyMemory()
    enter(.starting(until: time + copyTime), at: time)
  }
}

/// The current activity of a sensor; times in nanoseconds since the start of the run.
enum Phase: Hashable {
  /// The part has no supply.
  case off
  /// Copying the calibration from the NVM, after power-on or reset.
  case starting(until: UInt64)
  /// Sleeping until a write to ctrl_meas.
  case asleep
  /// Converting; afterwards the part sleeps (forced mode) or enters standby (normal mode).
  case converting(since: UInt64, until: UInt64)
  /// Waiting for the standby time of normal mode.
  case standby(until: UInt64)

  /// The time at which the phase ends by itself, or `nil`.
  var end: UInt64? {
    switch self {
    case .asleep, .off: nil
    case .starting(let until), .converting(_, let until), .standby(let until): until
    }
  }

  var isConverting: Bool {
    if case .converting = self { return true }
    return false
  }

  var isStarting: Bool {
    if case .starting = self { return true }
    return false
  }
}

extension VirtualBME280 {
  /// Switches the supply VDD on or off at `time`.
  ///
  /// Without supply the part loses all state; when the supply returns, the part restarts (DS 3.2).
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    // A loss of the supply during another one does not restore the supply earlier.
    let time = max(time, phaseStart)
    advance(to: time)
    if isOn {
      if case .off = phase { reset(at: time, copyTime: options.unknown.powerOnCopyTime) }
    } else {
      enter(.off, at: time)
      isInBurst = false
      pointer = 0
    }
  }

  /// Switches the interface supply VDDIO on or off at `time`.
  ///
  /// Without it the part does not respond, but keeps its state and continues to measure (DS 3.2).
  public func setInterfaceSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    hasInterfaceSupply = isOn
    if !isOn { isInBurst = false }
  }

  /// Returns the charge drawn until `time`, excluding a conversion in progress.
  ///
  /// A time before the last event is treated as the time of that event.
  public func charge(at time: UInt64) -> ChargeLedger {
    advance(to: time)
    var ledger = ledger
    let length = max(time, phaseStart) - phaseStart
    switch phase {
    case .starting, .asleep: ledger.add(length, inStandby: false)
    case .standby: ledger.add(length, inStandby: true)
    case .converting, .off: break
    }
    return ledger
  }
}

/// The charge that a part has drawn, by activity, in uA s (microcoulomb).
public struct ChargeLedger: Hashable, Sendable {
  /// The charge during sleep and start-up.
  public internal(set) var sleep = 0.0
  /// The charge during the standby time of normal mode.
  public internal(set) var standby = 0.0
  /// The charge of measurements.
  public internal(set) var measurements = 0.0

  /// The total charge.
  public var total: Double { sleep + standby + measurements }

  /// Adds the charge of a phase without a conversion.
  mutating func add(_ nanoseconds: UInt64, inStandby: Bool) {
    let seconds = Double(nanoseconds) / 1e9
    if inStandby { standby += seconds * Current.standby } else { sleep += seconds * Current.sleep }
  }
}

/// A source of converter codes that replaces the air, such as a recording.
public protocol CodeSource: AnyObject {
  /// Returns the codes of a conversion that ends at `time`, in nanoseconds.
  func codes(at time: UInt64) -> RawMeasurement
}

/// Deviations of a virtual sensor from the ideal part.
public struct SensorOptions: Hashable, Sendable {
  /// Self-heating by measurements.
  public struct SelfHeating: Hashable, Sendable {
    /// The temperature rise in C in continuous conversion.
    public var rise: Double
    /// The time constant in nanoseconds.
    public var timeConstant: UInt64

    /// Creates self-heating.
    ///
    /// Default: a time constant of one minute.
    public init(rise: Double, timeConstant: UInt64 = 60_000_000_000) {
      self.rise = rise
      self.timeConstant = timeConstant
    }
  }

  /// The noise of each result.
  public var noise: PartNoise
  /// The duration of conversions and standby times.
  public var timing: PartTiming
  /// The constant error of each quantity.
  public var offset = PartDeviation()
  /// The change of each error per year of 365 days.
  public var driftPerYear = PartDeviation()
  /// The self-heating, if any.
  public var selfHeating: SelfHeating?
  /// The assumptions about undocumented behavior.
  public var unknown = UndocumentedBehavior()

  /// Creates options.
  ///
  /// Default: no noise and typical times.
  public init(noise: PartNoise = .off, timing: PartTiming = .typical) {
    self.noise = noise
    self.timing = timing
  }
}

extension SensorOptions {
  /// A configured error that exceeds the datasheet's limit.
  public struct Excess: Hashable, Sendable {
    /// The rig key of the configured error: `offset` or `drift_per_year`.
    public let key: String
    /// The quantity with the error: `pressure`, `temperature` or `humidity`.
    public let quantity: String
    /// The configured error and the datasheet's limit, in Pa, C or %.
    public let requested, allowed: Double

    /// The former name of `requested`.
    @available(*, deprecated, renamed: "requested")
    public var asked: Double { requested }
  }

  /// The errors beyond the datasheet's limits, which only a defective part has.
  public var beyondAccuracy: [Excess] {
    let figures: [(String, String, Double, Double)] = [
      ("offset", "pressure", offset.pressure, Accuracy.pressure),
      ("offset", "temperature", offset.temperature, Accuracy.temperature),
      ("offset", "humidity", offset.humidity, Accuracy.humidity),
      ("drift_per_year", "pressure", driftPerYear.pressure, Accuracy.pressurePerYear),
      ("drift_per_year", "humidity", driftPerYear.humidity, Accuracy.humidityPerYear),
    ]
    return figures.filter { abs($0.2) > $0.3 }.map {
      Excess(key: $0.0, quantity: $0.1, requested: $0.2, allowed: $0.3)
    }
  }
}
