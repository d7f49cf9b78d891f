public import I2C

/// The firmware side: reads an SHT21 over any adapter.
///
/// It never blocks for ever and retries no failed transfer: every wait is bounded, and what
/// happened on the wire is thrown. A typical use is ``start(_:)`` once, then ``measure()`` for each
/// reading.
public final class SHT21Driver {
  /// How a result is waited for (DS 5.4).
  public enum Waiting: UInt8, Hashable, Sendable {
    /// The driver waits for the longest time, then asks until the chip acknowledges.
    case noHold
    /// The chip holds the clock; not every adapter bears that.
    case hold
  }

  /// The chip's address, always 0x40.
  public let address: I2CAddress
  /// How a result is waited for.
  public var waiting: Waiting
  /// How finely the chip measures, as far as the driver knows.
  public internal(set) var resolution = SHT21Resolution.humidity12Temperature14

  let adapter: any I2CAdapter
  let clock: any I2CClock

  /// How long the driver waits between two questions whether a result is there, in nanoseconds.
  static var pollInterval: UInt64 { 1_000_000 }
  /// How often it asks before it gives up: longer than any resolution needs, which another program
  /// may have changed.
  static var pollLimit: Int { 100 }

  /// Creates a driver that has not touched the bus yet.
  public init(
    adapter: any I2CAdapter, clock: any I2CClock, address: I2CAddress = 0x40,
    waiting: Waiting = .noHold
  ) {
    self.adapter = adapter
    self.clock = clock
    self.address = address
    self.waiting = waiting
  }

  /// Waits for the chip after power-on, resets it, switches its heater off and writes a resolution.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func start(
    _ resolution: SHT21Resolution = .humidity12Temperature14
  ) throws(SHT21DriverError) {
    clock.wait(nanoseconds: SHT21Figures.startTime)
    try reset()
    // A soft reset leaves the heater as it was.
    try changeUserRegister { register in
      register.resolution = resolution
      register.isHeaterOn = false
    }
  }

  /// Resets the chip and waits the 15 ms that it may take; the heater stays as it was (DS 5.5).
  ///
  /// - Throws: ``SHT21DriverError``.
  public func reset() throws(SHT21DriverError) {
    try send(.softReset, .reset)
    clock.wait(nanoseconds: SHT21Figures.resetTime)
    resolution = .humidity12Temperature14
  }

  /// Changes how finely the chip measures.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func setResolution(_ resolution: SHT21Resolution) throws(SHT21DriverError) {
    try changeUserRegister { $0.resolution = resolution }
  }

  /// Switches the heater on or off.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func setHeater(_ isOn: Bool) throws(SHT21DriverError) {
    try changeUserRegister { $0.isHeaterOn = isOn }
  }

  /// Whether the supply was below 2.25 V at the last measurement.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func isBatteryLow() throws(SHT21DriverError) -> Bool {
    try readUserRegister().isBatteryLow
  }

  /// Writes the user register with some bits changed and the others as they were, and reads it back.
  private func changeUserRegister(
    _ change: (inout SHT21UserRegister) -> Void
  ) throws(SHT21DriverError) {
    let before = try readUserRegister()
    var wanted = before
    change(&wanted)
    do throws(I2CError) {
      try adapter.writeRegister(
        SHT21Command.writeUserRegister.rawValue, wanted.rawValue, at: address)
    } catch {
      throw SHT21DriverError(.configure, .bus(error))
    }
    let found = try readUserRegister()
    guard (found.rawValue ^ wanted.rawValue) & SHT21UserRegister.writableMask == 0 else {
      throw SHT21DriverError(
        .configure, .settingsRefused(expected: wanted.rawValue, found: found.rawValue))
    }
    resolution = found.resolution
  }

  /// Reads the user register.
  ///
  ///     S  40 W A  E7 A  Sr  40 R A  [register] N  P
  ///
  /// - Throws: ``SHT21DriverError``.
  public func readUserRegister() throws(SHT21DriverError) -> SHT21UserRegister {
    do throws(I2CError) {
      let command = SHT21Command.readUserRegister.rawValue
      return SHT21UserRegister(rawValue: try adapter.readRegister(command, at: address))
    } catch {
      throw SHT21DriverError(.configure, .bus(error))
    }
  }

  /// Sends a command of one byte.
  func send(_ command: SHT21Command, _ step: SHT21DriverError.Step) throws(SHT21DriverError) {
    let bytes: InlineArray<1, UInt8> = [command.rawValue]
    do throws(I2CError) {
      try adapter.write(bytes.span, to: address)
    } catch {
      throw SHT21DriverError(step, .bus(error))
    }
  }
}
