public import I2C

/// A driver for the SHT21 that works with any I2C adapter.
///
/// The driver never blocks indefinitely, because every wait has a limit. It does not retry failed
/// transfers, but throws an error. Call `start(_:)` once, then `measure()` for each reading.
public final class SHT21Driver {
  /// The way in which the driver waits for a result (DS 5.4).
  public enum Waiting: UInt8, Hashable, Sendable {
    /// The driver waits for the maximum measurement time, then polls until the chip acknowledges.
    case noHold
    /// The chip holds SCL until the result is available (clock stretching), which not every adapter
    /// supports.
    case hold
  }

  /// The I2C address, always 0x40.
  public let address: I2CAddress
  /// The way in which the driver waits for a result.
  public var waiting: Waiting
  /// The resolution that was last written or read.
  public internal(set) var resolution = SHT21Resolution.humidity12Temperature14

  let adapter: any I2CAdapter
  let clock: any I2CClock

  /// The polling interval while a measurement is running, in nanoseconds.
  static var pollInterval: UInt64 { 1_000_000 }
  /// The maximum number of polls for a result.
  ///
  /// It suffices for every resolution, because another program may have changed the resolution.
  static var pollLimit: Int { 100 }

  /// Creates a driver without accessing the bus.
  public init(
    adapter: any I2CAdapter, clock: any I2CClock, address: I2CAddress = 0x40,
    waiting: Waiting = .noHold
  ) {
    self.adapter = adapter
    self.clock = clock
    self.address = address
    self.waiting = waiting
  }

  /// Waits for the chip to start after power-on, resets it, switches its heater off and writes the resolution.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func start(
    _ resolution: SHT21Resolution = .humidity12Temperature14
  ) throws(SHT21DriverError) {
    clock.wait(nanoseconds: SHT21Figures.startTime)
    try reset()
    // A soft reset does not change the heater.
    try changeUserRegister { register in
      register.resolution = resolution
      register.isHeaterOn = false
    }
  }

  /// Resets the chip, except its heater, and waits for the maximum reset time of 15 ms (DS 5.5).
  ///
  /// - Throws: ``SHT21DriverError``.
  public func reset() throws(SHT21DriverError) {
    try send(.softReset, .reset)
    clock.wait(nanoseconds: SHT21Figures.resetTime)
    resolution = .humidity12Temperature14
  }

  /// Writes the resolution.
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

  /// Reads the user register and returns `true` if the supply was below 2.25 V at the last
  /// measurement.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func isBatteryLow() throws(SHT21DriverError) -> Bool {
    try readUserRegister().isBatteryLow
  }

  /// Changes some bits of the user register, preserves the rest, and reads the register back to
  /// verify it.
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

  /// Sends a one-byte command; `step` is the step that an error reports.
  func send(_ command: SHT21Command, _ step: SHT21DriverError.Step) throws(SHT21DriverError) {
    let bytes: InlineArray<1, UInt8> = [command.rawValue]
    do throws(I2CError) {
      try adapter.write(bytes.span, to: address)
    } catch {
      throw SHT21DriverError(step, .bus(error))
    }
  }
}

extension SHT21Driver {
  /// Measures temperature, then humidity.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func measure() throws(SHT21DriverError) -> SHT21Measurement {
    SHT21Measurement(
      rawTemperature: try measureRaw(.temperature), rawHumidity: try measureRaw(.humidity))
  }

  /// Measures one quantity and returns the 16-bit result as read, including the status bits.
  ///
  /// The driver verifies the checksum, but not the status bits, because bit 1 is random on some
  /// boards (pull request 34 of RobTillaart/SHT2x).
  ///
  /// - Throws: ``SHT21DriverError``.
  public func measureRaw(_ quantity: SHT21Quantity) throws(SHT21DriverError) -> UInt16 {
    switch waiting {
    case .noHold: try measureWithoutHold(quantity)
    case .hold: try measureWithHold(quantity)
    }
  }

  /// Measures in hold master mode, in which the chip holds SCL until the result is available.
  ///
  ///     S  40 W A  E3 A  Sr  40 R A  (clock held) [msb] A [lsb] A [checksum] N  P
  private func measureWithHold(_ quantity: SHT21Quantity) throws(SHT21DriverError) -> UInt16 {
    var data: InlineArray<3, UInt8> = [0, 0, 0]
    do throws(I2CError) {
      var bytes = data.mutableSpan
      try adapter.readRegisters(
        from: SHT21Command(measuring: quantity, holdingClock: true).rawValue, count: 3,
        into: &bytes, at: address)
    } catch {
      throw SHT21DriverError(
        .wait, error.kind == .timeOut ? .holdTimedOut(error) : .bus(error))
    }
    return try checked(data)
  }

  /// Starts a measurement, waits for the maximum measurement time, and polls until the chip
  /// acknowledges its address.
  ///
  ///     S  40 W A  F3 A  P   (wait)   S  40 R A  [msb] A [lsb] A [checksum] N  P
  private func measureWithoutHold(_ quantity: SHT21Quantity) throws(SHT21DriverError) -> UInt16 {
    try send(SHT21Command(measuring: quantity, holdingClock: false), .trigger)
    let start = clock.nanoseconds
    clock.wait(nanoseconds: resolution.longestTime(of: quantity))
    var data: InlineArray<3, UInt8> = [0, 0, 0]
    for _ in 0..<Self.pollLimit {
      do throws(I2CError) {
        var bytes = data.mutableSpan
        try adapter.read(into: &bytes, from: address)
      } catch {
        guard error.kind == .addressNack else { throw SHT21DriverError(.read, .bus(error)) }
        clock.wait(nanoseconds: Self.pollInterval)
        continue
      }
      return try checked(data)
    }
    throw SHT21DriverError(.wait, .stillMeasuring(waited: clock.nanoseconds - start))
  }

  private func checked(_ data: InlineArray<3, UInt8>) throws(SHT21DriverError) -> UInt16 {
    let word = UInt16(data[0]) << 8 | UInt16(data[1])
    try check(SHT21Checksum(of: word), against: data[2], .read)
    return word
  }

  /// Throws if the computed checksum differs from the received one; `step` is the step that the
  /// error reports.
  func check(
    _ checksum: SHT21Checksum, against received: UInt8, _ step: SHT21DriverError.Step
  ) throws(SHT21DriverError) {
    guard checksum.value == received else {
      throw SHT21DriverError(
        step, .checksum(expected: checksum.value, received: received))
    }
  }
}

extension SHT21Driver {
  /// Reads the serial number and verifies its checksums.
  ///
  /// A checksum may cover either the preceding byte or word, as Sensirion documents, or all bytes
  /// read from the memory address so far, as on some chips with the same command set. The driver
  /// accepts both.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func readSerialNumber() throws(SHT21DriverError) -> SHT21SerialNumber {
    var first = InlineArray<8, UInt8>(repeating: 0)
    var firstBytes = first.mutableSpan
    try readMemory(SHT21SerialNumber.firstCommand, into: &firstBytes)
    var second = InlineArray<6, UInt8>(repeating: 0)
    var secondBytes = second.mutableSpan
    try readMemory(SHT21SerialNumber.secondCommand, into: &secondBytes)
    let low = UInt16(second[0]) << 8 | UInt16(second[1])
    let high = UInt16(second[3]) << 8 | UInt16(second[4])
    let middle = try middle(of: first)
    try check(SHT21Checksum(of: low), against: second[2], .identify)
    var running = SHT21Checksum(of: low)
    running.add(second[3])
    running.add(second[4])
    if running.value != second[5] {
      try check(SHT21Checksum(of: high), against: second[5], .identify)
    }
    return SHT21SerialNumber(high: high, middle: middle, low: low)
  }

  private func middle(of bytes: InlineArray<8, UInt8>) throws(SHT21DriverError) -> UInt32 {
    var (value, running) = (UInt32(0), SHT21Checksum())
    for index in 0..<4 {
      let (byte, received) = (bytes[2 * index], bytes[2 * index + 1])
      running.add(byte)
      if running.value != received {
        try check(SHT21Checksum(of: byte), against: received, .identify)
      }
      value = value << 8 | UInt32(byte)
    }
    return value
  }

  /// Reads the bytes at one memory address of the serial number.
  ///
  ///     S  40 W A  [command] A [command] A  Sr  40 R A  [byte] A ... [byte] N  P
  private func readMemory(
    _ command: UInt16, into bytes: inout MutableSpan<UInt8>
  ) throws(SHT21DriverError) {
    let writing: InlineArray<2, UInt8> = [UInt8(command >> 8), UInt8(truncatingIfNeeded: command)]
    let segments: InlineArray<2, I2CSegment> = [
      .write(2, to: address), .read(bytes.count, from: address),
    ]
    do throws(I2CError) {
      try adapter.transfer(segments.span, writing: writing.span, reading: &bytes)
    } catch {
      throw SHT21DriverError(.identify, .bus(error))
    }
  }
}

/// A measurement by the SHT21: the raw codes and the values computed from them.
public struct SHT21Measurement: Hashable, Sendable {
  /// The temperature code as read, including the status bits.
  public let rawTemperature: UInt16
  /// The humidity code as read, including the status bits.
  public let rawHumidity: UInt16

  /// Creates a measurement from the raw codes.
  public init(rawTemperature: UInt16, rawHumidity: UInt16) {
    self.rawTemperature = rawTemperature
    self.rawHumidity = rawHumidity
  }

  /// The temperature in °C (DS 6.2).
  public var celsius: Double { SHT21Quantity.temperature.value(of: rawTemperature) }

  /// The relative humidity in %, clamped to 0...100 (DS 6.1).
  public var relativeHumidity: Double {
    min(max(SHT21Quantity.humidity.value(of: rawHumidity), 0), 100)
  }
}

/// An error of the SHT21's driver, which names the step that failed and the cause.
public typealias SHT21DriverError = DriverError<SHT21DriverCause>

/// The reason why a step of the SHT21's driver failed.
public enum SHT21DriverCause: DriverCause {
  /// A transfer failed.
  case bus(I2CError)
  /// The adapter timed out while the chip held SCL.
  case holdTimedOut(I2CError)
  /// The computed checksum differs from the received one.
  case checksum(expected: UInt8, received: UInt8)
  /// The chip did not acknowledge its address within `waited` nanoseconds of the start of the
  /// measurement.
  case stillMeasuring(waited: UInt64)
  /// The user register that was read back differs from the one that was written.
  case settingsRefused(expected: UInt8, found: UInt8)
}

extension SHT21DriverCause: CustomStringConvertible {
  /// The cause as a phrase for error messages.
  public var description: String {
    switch self {
    case .bus(let error):
      error.description
    case .holdTimedOut(let error):
      "\(error.description); the chip stretches the clock for up to 85 ms, which this adapter does not "
        + "support: measure without hold"
    case .checksum(let expected, let received):
      "the checksum is \(hexadecimal(received)), not \(hexadecimal(expected)): the data was "
        + "corrupted on the bus"
    case .stillMeasuring(let waited):
      "no result within \(waited / 1_000_000) ms"
    case .settingsRefused(let expected, let found):
      "the user register reads \(hexadecimal(found)) instead of \(hexadecimal(expected))"
    }
  }

  private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16)
  }
}
