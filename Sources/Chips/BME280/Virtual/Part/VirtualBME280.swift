public import BME280
public import Environment
public import I2C
public import Quantities
public import VirtualI2C
import VirtualParts

/// A BME280 or BMP280 that lives in time: a state machine that is asked what it holds at a moment.
///
/// It never runs by itself. Every access first lets the past happen (start-up, conversions,
/// standby), then reads or writes registers as they are at that time.
public final class VirtualBME280: VirtualI2CDevice {
  /// Which part it is.
  public let chip: Chip
  /// The bytes of its NVM, 0x88...0xA1 then 0xE1...0xE7.
  public let nvm: InlineArray<33, UInt8>
  /// The words of its NVM.
  public let calibration: Calibration
  /// How it deviates from the ideal part.
  public let options: SensorOptions
  /// The address to which it answers, set by SDO.
  public var address: I2CAddress {
    get { wiredAddress }
    set { wiredAddress = newValue }
  }
  /// The values of the air that its calibration could not express so far.
  public var saturations: Saturations { unreached }

  // Stored next to its public name: what no other module reaches is accessed without checks.
  private var wiredAddress: I2CAddress

  /// What surrounds it.
  public let air: any AirSource
  let codes: (any CodeSource)?
  let rawAir: RawAir
  let oscillator: Oscillator
  let seed: UInt64

  // A part is confined to the thread of its bus and calls nobody while it changes its state: without
  // the run time's checks for overlapping accesses a measurement costs a quarter less.

  // The registers that can be written, and what of them is in force.
  @exclusivity(unchecked) var controlHumidity: UInt8 = 0
  @exclusivity(unchecked) var latchedHumidity: UInt8 = 0
  @exclusivity(unchecked) var controlMeasurement: UInt8 = 0
  @exclusivity(unchecked) var configuration: UInt8 = 0
  /// A write to ctrl_meas that waits for the end of the running conversion.
  @exclusivity(unchecked) var pendingControl: UInt8?
  /// The settings of the conversion that runs, or of the last one.
  @exclusivity(unchecked) var settings: ConversionSettings
  /// Whether the part was reset in normal mode, and whether that has made it hang.
  @exclusivity(unchecked) var wasResetInNormalMode = false
  @exclusivity(unchecked) var isHung = false

  // What it is doing and has measured.
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
  @exclusivity(unchecked) var sensed = RawAir.Memory()
  @exclusivity(unchecked) var heat = 0.0

  // What is wrong with it, and the copy of its memory that it works with.
  @exclusivity(unchecked) var impairments = Impairments()
  @exclusivity(unchecked) var image: InlineArray<33, UInt8>

  // The state of its bus interface.
  @exclusivity(unchecked) var pointer: UInt8 = 0
  @exclusivity(unchecked) var expectsRegister = false
  @exclusivity(unchecked) var isInBurst = false

  /// Creates a part that is powered on at a time.
  ///
  /// - Parameters:
  ///   - chip: which part.
  ///   - nvm: the bytes of its calibration; a BMP280 uses the first 24.
  ///   - address: where it answers, 0x76 or 0x77.
  ///   - air: what surrounds it.
  ///   - codes: what its converters give, whatever the air; resolution, filter and noise are in them.
  ///   - options: its deviations.
  ///   - seed: what its noise and drawn times come from.
  ///   - time: when power comes on, in nanoseconds.
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
    rawAir = RawAir(calibration: calibration)
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

  /// When the part changes next by itself, in nanoseconds, or `nil` while it sleeps.
  public var nextChange: UInt64? { phase.end }

  /// The power mode in force.
  public var mode: PowerMode { ControlMeasurement(byte: controlMeasurement).mode }

  /// Runs the power-on procedure, as a write of 0xB6 to the reset register does.
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
