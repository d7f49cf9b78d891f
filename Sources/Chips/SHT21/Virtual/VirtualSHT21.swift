public import Environment
public import I2C
public import VirtualI2C
import VirtualParts

/// An SHT21 that lives in time: a state machine that is asked what it holds at a moment.
///
/// It never runs by itself. Every access first lets the past happen (start-up, measurements), then
/// takes commands and gives results as they are at that time.
public final class VirtualSHT21: VirtualI2CDevice {
  /// The address to which it answers: always 0x40.
  public let address: I2CAddress
  /// What surrounds it.
  public let air: any AirSource
  /// How it deviates from the ideal part.
  public let options: SHT21Options
  /// Its serial number.
  public let serialNumber: SHT21SerialNumber
  let seed: UInt64
  let firstPowerOn: UInt64

  // What it is doing, and its settings.
  var phase: SHT21Phase
  var userRegister: SHT21UserRegister
  var measurements: UInt64 = 0
  var impairments = Impairments()

  var heater: PartHeater

  // The last result without status bits for each quantity; a frozen part gives it again.
  var lastCodes = InlineArray<2, UInt16>(repeating: 0)

  // The state of its bus interface.
  var expected = ExpectedByte.command
  var answer = SHT21Answer()
  var isAnswerDue = false

  /// What a byte that is written next means.
  enum ExpectedByte: Hashable {
    /// A command.
    case command
    /// The value of the user register.
    case userRegister
    /// The second byte of a command of two bytes.
    case memoryPlace(first: UInt8)
    /// Nothing: what a command of one byte is followed by.
    case nothing
  }

  /// Creates a part that is powered on at a time.
  ///
  /// - Parameters:
  ///   - address: where it answers, always 0x40 on a real part.
  ///   - air: what surrounds it.
  ///   - options: its deviations.
  ///   - seed: what its noise, its drawn times and its serial number come from.
  ///   - time: when power comes on, in nanoseconds.
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
    var chance = SeededGenerator(seed: seed, stream: .max - 1)
    serialNumber = options.serialNumber ?? SHT21SerialNumber(rawValue: chance.next())
    phase = .starting(until: time + options.unknown.startTime)
    userRegister = Self.defaultRegister(options.unknown)
  }

  /// When the part changes next by itself, in nanoseconds, or `nil` while it waits.
  public var nextChange: UInt64? { phase.end }

  /// The user register after a reset, its reserved bits as a switch says.
  static func defaultRegister(_ unknown: SHT21UnknownBehaviour) -> SHT21UserRegister {
    var register = SHT21UserRegister.afterReset
    if unknown.reservedBits == .ones { register.rawValue |= SHT21UserRegister.reservedMask }
    return register
  }

  /// Lets everything happen that is due at a time.
  func advance(to time: UInt64) {
    guard let end = phase.end, end <= time else { return }
    switch phase {
    case .starting: phase = .idle
    case .measuring(let quantity, _, _): finish(quantity, at: end)
    case .off, .idle, .ready: break
    }
  }

  /// Switches the supply on or off at a time.
  ///
  /// Without it the part is gone with all its settings; when it returns, the part starts anew.
  public func setSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    if !isOn {
      switchHeater(to: false, at: time)
      phase = .off
    } else if case .off = phase {
      loadDefaults()
      lastCodes = InlineArray(repeating: 0)
      answer = SHT21Answer()
      isAnswerDue = false
      phase = .starting(until: time + options.unknown.startTime)
    }
  }

  /// Puts the default settings into force: resolution, reload and reserved bits (DS 5.5).
  ///
  /// The heater stays as it was.
  func loadDefaults() {
    var register = Self.defaultRegister(options.unknown)
    register.isHeaterOn = userRegister.isHeaterOn
    userRegister = register
  }
}
