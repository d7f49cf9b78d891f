public import Environment
public import I2C
public import VirtualI2C
import VirtualParts

/// An HDC1000 that lives in time: a state machine that is asked what it holds at a moment.
///
/// It never runs by itself. Every access first lets the past happen (start-up, measurements), then
/// reads or writes registers as they are at that time.
public final class VirtualHDC1000: VirtualI2CDevice {
  /// The address to which it answers, set by the pins ADR1 and ADR0: 0x40...0x43.
  public let address: I2CAddress
  /// What surrounds it.
  public let air: any AirSource
  /// How it deviates from the ideal part.
  public let options: HDC1000Options
  /// Its serial number.
  public let serialNumber: HDC1000SerialNumber
  let seed: UInt64
  let firstPowerOn: UInt64

  // What it is doing, and its settings.
  var phase: HDC1000Phase
  var configuration = HDC1000Configuration.afterReset
  var measurements: UInt64 = 0
  var impairments = Impairments()

  /// Its heater, which heats only during measurements (DS 8.3.3).
  var heater: PartHeater

  // The registers of the results, and whether they were written since they were read.
  var codes = InlineArray<2, UInt16>(repeating: 0)
  var isUpdated = false

  // The state of its bus interface.
  var pointer: UInt8 = 0
  var written = WrittenBytes.none
  var isTriggerDue = false
  var readIndex = 0

  /// What has been written since the start.
  enum WrittenBytes: Hashable {
    /// Nothing: the pointer comes next.
    case none
    /// The pointer.
    case pointer
    /// The pointer and the high byte of a word.
    case high(UInt8)
    /// The pointer and a word.
    case word
  }

  /// Creates a part that is powered on at a time.
  ///
  /// - Parameters:
  ///   - address: where it answers, 0x40...0x43.
  ///   - air: what surrounds it.
  ///   - options: its deviations.
  ///   - seed: what its noise, its drawn times and its serial number come from.
  ///   - time: when power comes on, in nanoseconds.
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
    var chance = SeededGenerator(seed: seed, stream: .max - 1)
    serialNumber = options.serialNumber ?? HDC1000SerialNumber(rawValue: chance.next())
    phase = .starting(until: time + options.unknown.startTime)
  }

  /// When the part changes next by itself, in nanoseconds, or `nil` while it sleeps.
  public var nextChange: UInt64? { phase.end }

  /// Whether the pin DRDYn is low at a time: a result is there that was not read.
  public func isDataReady(at time: UInt64) -> Bool {
    advance(to: time)
    return isUpdated
  }

  /// Lets everything happen that is due at a time.
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

  /// Takes the state after power-on or a soft reset.
  func restart(at time: UInt64, for length: UInt64) {
    heater.set(false, at: time)
    configuration = .afterReset
    codes = InlineArray(repeating: 0)
    isUpdated = false
    isTriggerDue = false
    pointer = 0
    phase = .starting(until: time + length)
  }

  /// Switches the supply on or off at a time.
  ///
  /// Without it the part is gone with all its state; when it returns, the part starts anew.
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    if !isOn {
      heater.set(false, at: time)
      phase = .off
    } else if case .off = phase {
      restart(at: time, for: options.unknown.startTime)
    }
  }

  /// Says whether the supply is low, after a start and with each measurement (DS 8.3.2).
  func updateBatteryStatus() {
    configuration.isBatteryLow = options.supply < HDC1000Figures.lowSupply
  }
}
