public import Environment
public import I2C
public import VirtualI2C
import VirtualParts

/// A BMP180 that lives in time: a state machine that is asked what it holds at a moment.
///
/// It never runs by itself. Every access first lets the past happen (start-up, conversions), then
/// reads or writes registers as they are at that time.
public final class VirtualBMP180: VirtualI2CDevice {
  /// The address to which it answers, 0x77.
  public let address: I2CAddress
  /// What surrounds it.
  public let air: any AirSource
  /// How it deviates from the ideal part.
  public let options: BMP180Options
  let inverse: BMP180Inverse
  let seed: UInt64
  let firstPowerOn: UInt64

  // What it is doing, and its memory as it was taken at the start.
  var phase: BMP180Phase
  var memory: InlineArray<22, UInt8>
  var conversions: UInt64 = 0
  var impairments = Impairments()

  // Its registers: control without the bit SCO, and the result.
  var control: UInt8 = 0
  var result = VirtualBMP180.resetResult

  // The state of its bus interface.
  var pointer: UInt8 = 0
  var writeIndex = 0

  /// What the registers of the result read after power-on (DS 4).
  static var resetResult: UInt32 { 0x800000 }

  /// Creates a part that is powered on at a time.
  ///
  /// - Parameters:
  ///   - address: where it answers, 0x77.
  ///   - air: what surrounds it.
  ///   - options: its calibration and its deviations.
  ///   - seed: what its noise and its drawn times come from.
  ///   - time: when power comes on, in nanoseconds.
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

  /// When the part changes next by itself, in nanoseconds, or `nil` while it sleeps.
  public var nextChange: UInt64? { phase.end }

  /// Lets everything happen that is due at a time.
  func advance(to time: UInt64) {
    guard let end = phase.end, end <= time else { return }
    if case .converting(let conversion, _) = phase { finish(conversion, at: end) }
    phase = .asleep
  }

  /// Takes the state after power-on or a soft reset.
  func restart(at time: UInt64, for length: UInt64) {
    memory = copiedMemory()
    control = 0
    result = Self.resetResult
    pointer = 0
    writeIndex = 0
    phase = .starting(until: time + length)
  }

  /// Switches the supply on or off at a time.
  ///
  /// Without it the part is gone with all its state; when it returns, the part starts anew.
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    if !isOn {
      phase = .off
    } else if case .off = phase {
      restart(at: time, for: BMP180Figures.startTime)
    }
  }
}
