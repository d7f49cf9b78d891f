import BME280
import I2C

/// A buffer that composes a line in RAM and sends it.
final class LineWriter {
  private static var longest: Int { 160 }
  /// The maximum length of a number: a sign, ten digits of a 32-bit number, and a decimal point.
  private static var longestNumber: Int { 12 }
  private static var longestDigits: Int { 10 }
  private let line: UARTE
  private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: LineWriter.longest)
  private var count = 0

  /// Creates a writer for a serial port.
  init(_ line: UARTE) { self.line = line }

  /// Appends text.
  ///
  /// Inlining makes the length of the text known at compile time, so the text is copied with few instructions.
  @inline(__always)
  func text(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    guard Self.longest &- count >= length else { return }
    UnsafeMutableRawPointer(bytes + count).copyMemory(from: text.utf8Start, byteCount: length)
    count &+= length
  }

  /// Appends a number with up to three decimals: 26202 with three decimals is written as 26.202.
  @inline(__always)
  func number(_ number: Int, digits: Int = 0) {
    append(number, digits, limit: digits == 0 ? 10 : digits == 1 ? 100 : digits == 2 ? 1000 : 10000)
  }

  /// Appends a number; `limit` is the smallest number with more than one digit before the decimal point.
  @inline(never)
  private func append(_ number: Int, _ digits: Int, limit: UInt) {
    guard Self.longest &- count >= Self.longestNumber else { return }
    if number < 0 { byte(UInt8(ascii: "-")) }
    var rest = number.magnitude
    var (length, limit) = (digits &+ 1, limit)
    while length < Self.longestDigits, rest >= limit {
      length &+= 1
      limit &*= 10
    }
    if digits > 0 { length &+= 1 }
    count &+= length
    // Digits are written from the last one.
    var next = bytes + count
    let begin = next - length
    if digits & 1 != 0 { Self.putDigit(&rest, before: &next) }
    if digits >= 2 { Self.putPair(&rest, before: &next) }
    if digits > 0 {
      next -= 1
      next.pointee = UInt8(ascii: ".")
    }
    while next - begin >= 2 { Self.putPair(&rest, before: &next) }
    if next != begin { Self.putDigit(&rest, before: &next) }
  }

  /// Prepends the last digit of a number and removes it from the number.
  @inline(__always)
  private static func putDigit(
    _ rest: inout UInt, before next: inout UnsafeMutablePointer<UInt8>
  ) {
    let quotient = rest / 10
    next -= 1
    next.pointee = UInt8(truncatingIfNeeded: UInt(UInt8(ascii: "0")) &+ rest &- quotient &* 10)
    rest = quotient
  }

  /// Prepends the last two digits of a number and removes them from the number.
  @inline(__always)
  private static func putPair(_ rest: inout UInt, before next: inout UnsafeMutablePointer<UInt8>) {
    let quotient = rest / 100
    let index = Int(bitPattern: (rest &- quotient &* 100) &* 2)
    let pair = UnsafeRawPointer(pairs.utf8Start + index).loadUnaligned(as: UInt16.self)
    next -= 2
    UnsafeMutableRawPointer(next).storeBytes(of: pair, as: UInt16.self)
    rest = quotient
  }

  /// The numbers from 00 to 99.
  private static var pairs: StaticString {
    """
    0001020304050607080910111213141516171819\
    2021222324252627282930313233343536373839\
    4041424344454647484950515253545556575859\
    6061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899
    """
  }

  /// Ends the line and sends it.
  func end() {
    byte(13)
    byte(10)
    line.send(bytes, count: count)
    count = 0
  }

  private func byte(_ byte: UInt8) {
    guard count < Self.longest else { return }
    bytes[count] = byte
    count += 1
  }
}

extension LineWriter {
  /// Appends the name of the driver step that failed.
  func step(_ step: BME280DriverError.Step) {
    switch step {
    case .identify: text("identity")
    case .reset: text("reset")
    case .calibrate: text("calibration")
    case .configure: text("settings")
    case .trigger: text("trigger")
    case .wait: text("wait")
    case .read: text("data")
    }
  }
}
