public import Environment
public import I2C
import Support
public import VirtualI2C

/// A real-time clock DS3231 with a battery, two alarms and a thermometer (Maxim 19-5170).
///
/// The time registers are copied at each start condition, as in the part. Alarms set their flags; the pins INT/SQW and 32kHz
/// are not connected. The clock is exact: neither its tolerance nor the aging offset changes its rate.
public final class VirtualDS3231: VirtualI2CDevice {
  /// The only address.
  public static let fixedAddress: UInt16 = 0x68
  /// The interval between conversions of the temperature, in nanoseconds.
  static let conversionInterval: UInt64 = 64_000_000_000
  private static let second: Int64 = 1_000_000_000

  private enum Register {
    static let alarm1 = 0x07, alarm2 = 0x0B, control = 0x0E, status = 0x0F
    static let temperature = 0x11, count = 0x13
  }

  /// The address on the bus.
  public let address: I2CAddress
  private let air: any AirSource
  /// The registers that are stored: alarms, control, status and aging.
  private var registers = [UInt8](repeating: 0, count: Register.count)
  /// The registers as copied by the last start condition.
  private var copy = [UInt8](repeating: 0, count: Register.count)
  private var pointer = 0
  private var isFirst = false
  /// The date of the clock at time 0 of the bench, in nanoseconds since 1970, and the weekday's offset.
  private var origin: Int64
  private var weekday = 0
  private var uses12Hours = false
  /// The second until which alarms were compared, as a date of the clock.
  private var compared: Int64
  private var hasSupply = true

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - address: the address.
  ///   - air: the ambient air.
  ///   - start: the date at time 0 in nanoseconds since 1970; `nil` for a clock that was without a battery: 2000-01-01, with
  ///     the oscillator stop flag.
  public init(at address: I2CAddress, air: any AirSource, start: Int64?) {
    (self.address, self.air) = (address, air)
    origin = start ?? 946_684_800 * Self.second
    compared = origin / Self.second
    registers[Register.control] = 0x1C
    registers[Register.status] = start == nil ? 0x88 : 0x08
  }

  /// The date of the clock, in seconds since 1970.
  private func date(at time: UInt64) -> Int64 { (origin + Int64(clamping: time)) / Self.second }

  /// Begins a message, and copies the time to the registers.
  public func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    guard hasSupply else { return false }
    isFirst = direction == .write
    update(at: time.nanoseconds)
    return true
  }

  /// Takes the register pointer, or the value of a register.
  public func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    if isFirst {
      isFirst = false
      pointer = Int(byte) % Register.count
      return true
    }
    store(byte, in: pointer, at: time.nanoseconds)
    pointer = (pointer + 1) % Register.count
    return true
  }

  /// Returns the next register, as copied by the start condition.
  public func read(at time: inout WireTime) -> UInt8 {
    defer { pointer = (pointer + 1) % Register.count }
    return copy[pointer]
  }

  /// Does nothing: registers take effect at once.
  public func stop(at time: inout WireTime) {}

  /// Switches the supply; the battery keeps the time.
  public func setSupply(_ isOn: Bool, at time: UInt64) { hasSupply = isOn }

  // MARK: Time

  /// Compares the alarms, and copies the time and the temperature to the registers.
  private func update(at time: UInt64) {
    let now = date(at: time)
    compareAlarms(until: now)
    let fields = fields(of: now)
    // Without allocations, because a transfer must not allocate.
    for index in copy.indices { copy[index] = index < 7 ? fields[index] : registers[index] }
    // The fraction is in the upper two bits, 0.25 °C each.
    let converted = time / Self.conversionInterval * Self.conversionInterval
    let quarters = Int16(clamping: Int((air.air(at: converted).temperature * 4).rounded()))
    copy[Register.temperature] = UInt8(truncatingIfNeeded: quarters >> 2)
    copy[Register.temperature + 1] = UInt8(truncatingIfNeeded: quarters << 6)
  }

  /// Returns the time registers of a date.
  private func fields(of date: Int64) -> InlineArray<7, UInt8> {
    let (days, rest) = (date.floored(86_400), date.remainder(86_400))
    let (year, month, day) = UTCTime.date(days)
    var hours = UInt8(rest / 3600)
    var flags: UInt8 = 0
    if uses12Hours {
      flags = 0x40 | (hours >= 12 ? 0x20 : 0)
      hours = hours % 12 == 0 ? 12 : hours % 12
    }
    let century: UInt8 = (year / 100) % 2 == 1 ? 0x80 : 0
    return [
      Self.bcd(rest % 60), Self.bcd(rest / 60 % 60), flags | Self.bcd(Int64(hours)),
      UInt8((days + 4 + Int64(weekday)).remainder(7)) + 1, Self.bcd(day),
      century | Self.bcd(month), Self.bcd(year % 100),
    ]
  }

  private func store(_ byte: UInt8, in register: Int, at time: UInt64) {
    switch register {
    case 0..<7:
      copy[register] = byte
      setTime(at: time, changed: register)
    case Register.status:
      // Flags can only be cleared; BSY cannot be written.
      registers[register] = byte & 0x08 | registers[register] & byte & 0x83
      copy[register] = registers[register]
    case Register.temperature, Register.temperature + 1: break
    case Register.control:
      // CONV is cleared when the conversion has ended.
      registers[register] = byte & 0xDF
      copy[register] = registers[register]
    default:
      registers[register] = byte
      copy[register] = byte
    }
  }

  /// Sets the clock by the time registers; a write of the seconds restarts the second.
  private func setTime(at time: UInt64, changed: Int) {
    uses12Hours = copy[2] & 0x40 != 0
    let hour =
      uses12Hours
      ? Self.number(copy[2] & 0x1F) % 12 + (copy[2] & 0x20 != 0 ? 12 : 0)
      : Self.number(copy[2] & 0x3F)
    let year = 2000 + Self.number(copy[6]) + (copy[5] & 0x80 != 0 ? 100 : 0)
    let days = UTCTime.days(year, max(Self.number(copy[5] & 0x1F), 1), max(Self.number(copy[4]), 1))
    let seconds =
      (days * 24 + hour) * 3600 + Self.number(copy[1] & 0x7F) * 60 + Self.number(copy[0] & 0x7F)
    let passed = Int64(clamping: time)
    let fraction = changed == 0 ? 0 : (origin + passed).remainder(Self.second)
    origin = seconds * Self.second + fraction - passed
    weekday = Int((Int64(copy[3] & 7) - 1 - days - 4).remainder(7))
    compared = seconds
  }

  // MARK: Alarms

  /// Sets the flags of the alarms whose time has come since the last comparison.
  private func compareAlarms(until now: Int64) {
    guard now > compared else { return }
    // An alarm by date comes at least every two months.
    let first = max(compared + 1, now - 62 * 86_400)
    for second in first...now {
      if registers[Register.status] & 3 == 3 { break }
      // Without an alarm by seconds, only whole minutes are looked at.
      let isMinute = second.remainder(60) == 0
      guard isMinute || registers[Register.alarm1] & 0x80 != 0 || isAlarmSecond(second) else {
        continue
      }
      let time = fields(of: second)
      if matches(time, alarm: Register.alarm1, hasSeconds: true) { registers[Register.status] |= 1 }
      if isMinute, matches(time, alarm: Register.alarm2, hasSeconds: false) {
        registers[Register.status] |= 2
      }
    }
    compared = now
  }

  private func isAlarmSecond(_ second: Int64) -> Bool {
    Self.bcd(second.remainder(60)) == registers[Register.alarm1] & 0x7F
  }

  /// Returns whether a time matches an alarm; bit 7 of a register leaves its field out.
  private func matches(_ time: InlineArray<7, UInt8>, alarm: Int, hasSeconds: Bool) -> Bool {
    var register = alarm
    for field in hasSeconds ? 0..<3 : 1..<3 {
      let wanted = registers[register]
      if wanted & 0x80 == 0, wanted & 0x7F != time[field] & 0x7F { return false }
      register += 1
    }
    let wanted = registers[register]
    guard wanted & 0x80 == 0 else { return true }
    return wanted & 0x40 != 0 ? wanted & 0x0F == time[3] : wanted & 0x3F == time[4]
  }

  private static func bcd(_ number: Int64) -> UInt8 {
    UInt8(truncatingIfNeeded: (number / 10) << 4 | (number % 10))
  }

  private static func number(_ bcd: UInt8) -> Int64 { Int64(bcd >> 4) * 10 + Int64(bcd & 15) }
}

extension Int64 {
  /// The quotient, rounded down.
  fileprivate func floored(_ divisor: Int64) -> Int64 { (self - remainder(divisor)) / divisor }

  /// The remainder, which is not negative.
  fileprivate func remainder(_ divisor: Int64) -> Int64 {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
