public import I2C

/// A driver for the HDC1000, HDC1010, HDC1050 and HDC1080 over any adapter.
///
/// Every wait has a limit, so the driver never blocks indefinitely. It throws bus errors and does not retry failed
/// transfers. Call `start(_:)` once, then `measure()` for each reading.
public final class HDC1000Driver {
  /// The I2C address of the chip, 0x40...0x43.
  public let address: I2CAddress
  /// The contents of the device register, or `nil` until `identify()` has succeeded.
  public internal(set) var device: UInt16?
  /// The configuration that the driver wrote last, or the chip's default configuration after a reset.
  public internal(set) var configuration = HDC1000Configuration.afterReset

  let adapter: any I2CAdapter
  let clock: any I2CClock

  /// The polling interval while a measurement is running, in nanoseconds.
  static var pollInterval: UInt64 { 1_000_000 }
  /// The maximum number of polls.
  static var pollLimit: Int { 50 }

  /// Creates a driver without accessing the bus.
  public init(adapter: any I2CAdapter, clock: any I2CClock, address: I2CAddress = 0x40) {
    self.adapter = adapter
    self.clock = clock
    self.address = address
  }

  /// Waits for the chip to start after power-on, identifies and resets it, and writes the configuration.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func start(
    _ configuration: HDC1000Configuration = HDC1000Configuration()
  ) throws(HDC1000DriverError) {
    clock.wait(nanoseconds: HDC1000Figures.startTime)
    try identify()
    try reset()
    try configure(configuration)
  }

  /// Reads the device id and the manufacturer id, and throws if they are not those of an HDC1000.
  ///
  /// The driver reads the device id first, because 0xFE, the address of the manufacturer register, is also the command
  /// that resets an SHT21. An SHT21 has the same I2C address, and does not support the device register's address 0xFF.
  ///
  /// - Returns: the device id.
  /// - Throws: ``HDC1000DriverError``.
  @discardableResult
  public func identify() throws(HDC1000DriverError) -> UInt16 {
    let device = try read(HDC1000Register.device, .identify)
    let manufacturer = try read(HDC1000Register.manufacturer, .identify)
    guard manufacturer == HDC1000Figures.manufacturer,
      device == HDC1000Figures.device || device == HDC1000Figures.laterDevice
    else {
      throw HDC1000DriverError(
        .identify, .unexpectedDevice(manufacturer: manufacturer, device: device))
    }
    self.device = device
    return device
  }

  /// Resets the chip and waits for the maximum start-up time of 15 ms.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func reset() throws(HDC1000DriverError) {
    try write(HDC1000Configuration.resetBit, .reset)
    clock.wait(nanoseconds: HDC1000Figures.startTime)
    configuration = .afterReset
  }

  /// Writes the configuration and verifies it by reading it back.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func configure(_ configuration: HDC1000Configuration) throws(HDC1000DriverError) {
    let mask = HDC1000Configuration.writableMask
    try write(configuration.rawValue & mask, .configure)
    let found = try read(HDC1000Register.configuration, .configure)
    guard (found ^ configuration.rawValue) & mask == 0 else {
      throw HDC1000DriverError(
        .configure, .settingsRefused(expected: configuration.rawValue & mask, found: found))
    }
    self.configuration = HDC1000Configuration(rawValue: found & mask)
  }

  /// Switches the heater on or off; it only heats during measurements.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func setHeater(_ isOn: Bool) throws(HDC1000DriverError) {
    var changed = configuration
    changed.isHeaterOn = isOn
    try configure(changed)
  }

  /// Reads the low-battery bit, and returns `true` if the supply was below 2.8 V at the last measurement.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func isBatteryLow() throws(HDC1000DriverError) -> Bool {
    let word = try read(HDC1000Register.configuration, .configure)
    return HDC1000Configuration(rawValue: word).isBatteryLow
  }

  /// Reads the 41-bit serial number.
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func readSerialNumber() throws(HDC1000DriverError) -> HDC1000SerialNumber {
    HDC1000SerialNumber(
      try read(HDC1000Register.serial, .identify),
      try read(HDC1000Register.serial + 1, .identify),
      try read(HDC1000Register.serial + 2, .identify))
  }
}

extension HDC1000Driver {
  /// Measures temperature and humidity in one acquisition.
  ///
  ///     S  40 W A  00 A  P   (wait)   S  40 R A  [T msb] A [T lsb] A [H msb] A [H lsb] N  P
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func measure() throws(HDC1000DriverError) -> HDC1000Measurement {
    try setMode(measuresBoth: true)
    var data: InlineArray<4, UInt8> = [0, 0, 0, 0]
    let time = time(of: .temperature) + time(of: .humidity)
    var bytes = data.mutableSpan
    try acquire(HDC1000Register.temperature, into: &bytes, taking: time)
    return HDC1000Measurement(
      rawTemperature: UInt16(data[0]) << 8 | UInt16(data[1]),
      rawHumidity: UInt16(data[2]) << 8 | UInt16(data[3]))
  }

  /// Measures one quantity and returns its code.
  ///
  ///     S  40 W A  [register] A  P   (wait)   S  40 R A  [msb] A [lsb] N  P
  ///
  /// - Throws: ``HDC1000DriverError``.
  public func measureRaw(_ quantity: HDC1000Quantity) throws(HDC1000DriverError) -> UInt16 {
    try setMode(measuresBoth: false)
    var data: InlineArray<2, UInt8> = [0, 0]
    var bytes = data.mutableSpan
    try acquire(quantity.register, into: &bytes, taking: time(of: quantity))
    return UInt16(data[0]) << 8 | UInt16(data[1])
  }

  private func setMode(measuresBoth: Bool) throws(HDC1000DriverError) {
    guard configuration.measuresBoth != measuresBoth else { return }
    var changed = configuration
    changed.measuresBoth = measuresBoth
    try configure(changed)
  }

  private func time(of quantity: HDC1000Quantity) -> UInt64 {
    configuration.resolution(of: quantity).time(of: quantity)
  }

  /// Starts a measurement, waits, and polls until the chip acknowledges a read of the result.
  ///
  /// The datasheet gives no maximum time, so the driver waits an eighth longer than the typical time.
  private func acquire(
    _ pointer: UInt8, into bytes: inout MutableSpan<UInt8>, taking time: UInt64
  ) throws(HDC1000DriverError) {
    let writing: InlineArray<1, UInt8> = [pointer]
    do throws(I2CError) {
      try adapter.write(writing.span, to: address)
    } catch {
      throw HDC1000DriverError(.trigger, .bus(error))
    }
    let start = clock.nanoseconds
    clock.wait(nanoseconds: time + time / 8)
    for _ in 0..<Self.pollLimit {
      do throws(I2CError) {
        try adapter.read(into: &bytes, from: address)
        return
      } catch {
        guard error.kind == .addressNack else { throw HDC1000DriverError(.read, .bus(error)) }
        clock.wait(nanoseconds: Self.pollInterval)
      }
    }
    throw HDC1000DriverError(.wait, .stillMeasuring(waited: clock.nanoseconds - start))
  }
}

extension HDC1000Driver {
  /// Writes the configuration register; a thrown error names `step` as the failed step.
  ///
  ///     S  40 W A  02 A  [msb] A  [lsb] A  P
  func write(_ word: UInt16, _ step: HDC1000DriverError.Step) throws(HDC1000DriverError) {
    let bytes: InlineArray<3, UInt8> = [
      HDC1000Register.configuration, UInt8(word >> 8), UInt8(truncatingIfNeeded: word),
    ]
    do throws(I2CError) {
      try adapter.write(bytes.span, to: address)
    } catch {
      throw HDC1000DriverError(step, .bus(error))
    }
  }

  /// Reads a register that is not a result; a thrown error names `step` as the failed step.
  ///
  ///     S  40 W A  [register] A  Sr  40 R A  [msb] A  [lsb] N  P
  func read(
    _ register: UInt8, _ step: HDC1000DriverError.Step
  ) throws(HDC1000DriverError) -> UInt16 {
    var data: InlineArray<2, UInt8> = [0, 0]
    do throws(I2CError) {
      var bytes = data.mutableSpan
      try adapter.readRegisters(from: register, count: 2, into: &bytes, at: address)
    } catch {
      throw HDC1000DriverError(step, .bus(error))
    }
    return UInt16(data[0]) << 8 | UInt16(data[1])
  }
}

/// A measurement of the HDC1000, as raw codes and as converted values.
public struct HDC1000Measurement: Hashable, Sendable {
  /// The temperature code.
  public let rawTemperature: UInt16
  /// The humidity code.
  public let rawHumidity: UInt16

  /// Creates a measurement from the raw codes.
  public init(rawTemperature: UInt16, rawHumidity: UInt16) {
    self.rawTemperature = rawTemperature
    self.rawHumidity = rawHumidity
  }

  /// The temperature in °C (DS 8.6.1).
  public var celsius: Double { HDC1000Quantity.temperature.scale.value(of: rawTemperature) }

  /// The relative humidity in %, from 0 to just below 100 (DS 8.6.2).
  public var relativeHumidity: Double { HDC1000Quantity.humidity.scale.value(of: rawHumidity) }
}

/// An error of the HDC1000's driver, which names the step that failed and the cause.
public typealias HDC1000DriverError = DriverError<HDC1000DriverCause>

/// The reason why a step of the HDC1000's driver failed.
public enum HDC1000DriverCause: DriverCause {
  /// A transfer failed.
  case bus(I2CError)
  /// The device is neither an HDC1000 nor an HDC1010, HDC1050 or HDC1080.
  case unexpectedDevice(manufacturer: UInt16, device: UInt16)
  /// The chip did not acknowledge a read of the result within `waited` nanoseconds.
  case stillMeasuring(waited: UInt64)
  /// The configuration that was read back differs from the one that was written.
  case settingsRefused(expected: UInt16, found: UInt16)
}

extension HDC1000DriverCause: CustomStringConvertible {
  /// The cause as text.
  public var description: String {
    switch self {
    case .bus(let error):
      error.description
    case .unexpectedDevice(let manufacturer, let device):
      "the manufacturer id \(hexadecimal(manufacturer)) and the device id \(hexadecimal(device)) are not those of "
        + "an HDC1000 (0x5449, 0x1000 or 0x1050)"
    case .stillMeasuring(let waited):
      "no result within \(waited / 1_000_000) ms"
    case .settingsRefused(let expected, let found):
      "the configuration reads \(hexadecimal(found)) instead of \(hexadecimal(expected))"
    }
  }

  private func hexadecimal(_ word: UInt16) -> String {
    let digits = String(word, radix: 16)
    return "0x" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}

extension HDC1000DriverCause {
  /// The former name of `unexpectedDevice(manufacturer:device:)`.
  @available(*, deprecated, renamed: "unexpectedDevice(manufacturer:device:)")
  public static func stranger(manufacturer: UInt16, device: UInt16) -> Self {
    .unexpectedDevice(manufacturer: manufacturer, device: device)
  }
}
